"""Ops of TOSA."""

import math

import numpy as np

from case import Case, ints, returned, type_of, wide
from convolutions import Windows

F32 = np.float32


def operation(op, inputs, result, attributes=""):
    names = ", ".join("%" + n for n in inputs)
    types = ", ".join(type_of(a) for a in inputs.values())
    return f"  %r = tosa.{op} {names}{' ' + attributes if attributes else ''} : ({types}) -> {type_of(result)}\n"


def case(op, inputs, r, attributes="", tolerance=4e-6, magnitude=None):
    return Case(inputs, operation(op, inputs, r, attributes) + returned(("r", r)), [r], tolerance, magnitude)


def array_of(name, values):
    return f"{name} = array<i64: {ints(values)}>"


UNARY = {"abs": (np.abs, -9, 9), "ceil": (np.ceil, -9, 9), "floor": (np.floor, -9, 9), "exp": (np.exp, -4, 4),
         "log": (np.log, 0.1, 9), "negate": (np.negative, -9, 9), "reciprocal": (np.reciprocal, 0.2, 4),
         "rsqrt": (lambda x: 1 / np.sqrt(x), 0.2, 4), "tanh": (np.tanh, -4, 4),
         "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), -5, 5),
         "erf": (np.vectorize(math.erf, otypes=[np.float64]), -3, 3)}
BINARY = {"add": np.add, "sub": np.subtract, "maximum": np.maximum, "minimum": np.minimum, "pow": np.power}
INTEGERS = {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor}
REDUCTIONS = {"reduce_sum": np.sum, "reduce_max": np.max, "reduce_min": np.min, "reduce_prod": np.prod}


def unary(op):
    function, low, high = UNARY[op]

    def make(draw):
        x = draw.array(draw.sizes(draw.size(1, 3)), F32, low, high)
        return case(op, {"x": x}, function(wide(x)).astype(F32))
    return make


def binary(op):
    def make(draw):
        shape = draw.sizes(draw.size(1, 3))
        other = [1 if draw.size(0, 2) == 0 else n for n in shape]
        x, y = draw.array(shape, F32, 0.2, 3), draw.array(other, F32, -3, 3)
        return case(op, {"x": x, "y": y}, BINARY[op](wide(x), wide(y)).astype(F32))
    return make


def integer(op):
    def make(draw):
        shape = draw.sizes(2)
        x, y = draw.array(shape, np.int32), draw.array(shape, np.int32)
        return case(op, {"x": x, "y": y}, INTEGERS[op](x, y))
    return make


def mul(draw):
    shape = draw.sizes(draw.size(1, 3))
    x, y = draw.array(shape, F32), draw.array(shape, F32)
    return case("mul", {"x": x, "y": y}, (wide(x) * wide(y)).astype(F32), "{shift = 0 : i8}")


def clamp(draw):
    x = draw.array(draw.sizes(2), F32, -9, 9)
    return case("clamp", {"x": x}, np.clip(x, -1, 6), "{min_fp = -1.0 : f32, max_fp = 6.0 : f32, min_int = -1 : i64, max_int = 6 : i64}")


def reduction(op):
    def make(draw):
        x = draw.array(draw.sizes(draw.size(1, 3)), F32)
        axis = draw.size(0, x.ndim - 1)
        r = REDUCTIONS[op](wide(x), axis=axis, keepdims=True).astype(F32)
        return case(op, {"x": x}, r, f"{{axis = {axis} : i32}}", magnitude=float(np.sum(abs(wide(x)))) + 1)
    return make


def argmax(draw):
    x = draw.array(draw.sizes(draw.size(2, 3)), F32)
    axis = draw.size(0, x.ndim - 1)
    return case("argmax", {"x": x}, np.argmax(x, axis).astype(np.int32), f"{{axis = {axis} : i32}}")


def reshape(draw):
    x = draw.array(draw.sizes(3, 1, 4), F32)
    r = x.reshape([x.shape[0] * x.shape[1], x.shape[2]])
    return case("reshape", {"x": x}, r, "{" + array_of("new_shape", r.shape) + "}")


def transpose(draw):
    x = draw.array(draw.sizes(3), F32)
    order = [int(i) for i in draw.random.permutation(3)]
    r = np.transpose(x, order)
    body = f"  %p = \"tosa.const\"() <{{value = dense<{order}> : tensor<3xi32>}}> : () -> tensor<3xi32>\n"
    body += f"  %r = tosa.transpose %x, %p : ({type_of(x)}, tensor<3xi32>) -> {type_of(r)}\n"
    return Case({"x": x}, body + returned(("r", r)), [r])


def slice_(draw):
    size, start = draw.sizes(2, 1, 4), draw.sizes(2, 0, 3)
    x = draw.array([a + b + draw.size(0, 2) for a, b in zip(size, start)], F32)
    r = x[start[0]:start[0] + size[0], start[1]:start[1] + size[1]]
    return case("slice", {"x": x}, r, "{" + array_of("start", start) + ", " + array_of("size", size) + "}")


def concat(draw):
    shape, axis = draw.sizes(2), draw.size(0, 1)
    other = list(shape)
    other[axis] = draw.size(1, 5)
    x, y = draw.array(shape, F32), draw.array(other, F32)
    return case("concat", {"x": x, "y": y}, np.concatenate([x, y], axis), f"{{axis = {axis} : i32}}")


def tile(draw):
    x, times = draw.array(draw.sizes(2, 1, 4), F32), draw.sizes(2, 1, 3)
    return case("tile", {"x": x}, np.tile(x, times), "{" + array_of("multiples", times) + "}")


def reverse(draw):
    x, axis = draw.array(draw.sizes(2), F32), draw.size(0, 1)
    return case("reverse", {"x": x}, np.flip(x, axis), f"{{axis = {axis} : i32}}")


def pad(draw):
    x = draw.array(draw.sizes(2, 1, 4), F32)
    sizes = [draw.sizes(2, 0, 2) for _ in range(2)]
    r = np.pad(x, sizes)
    body = f"  %p = \"tosa.const\"() <{{value = dense<{sizes}> : tensor<2x2xi32>}}> : () -> tensor<2x2xi32>\n"
    body += f"  %r = tosa.pad %x, %p : ({type_of(x)}, tensor<2x2xi32>) -> {type_of(r)}\n"
    return Case({"x": x}, body + returned(("r", r)), [r])


def select(draw):
    shape = draw.sizes(2)
    x, y = draw.array(shape, F32), draw.array(shape, F32)
    body = (f"  %c = tosa.greater %x, %y : ({type_of(x)}, {type_of(y)}) -> {type_of(x).replace('f32', 'i1')}\n"
            f"  %r = tosa.select %c, %x, %y : ({type_of(x).replace('f32', 'i1')}, {type_of(x)}, {type_of(y)}) -> {type_of(x)}\n")
    return Case({"x": x, "y": y}, body + returned(("r", x)), [np.maximum(x, y)])


def cast(draw):
    x = draw.array(draw.sizes(2), np.int32)
    return case("cast", {"x": x}, x.astype(F32))


def gather(draw):
    n, k, c, w = draw.sizes(4, 1, 4)
    x, i = draw.array([n, k, c], F32), draw.array([n, w], np.int32, 0, k - 1)
    return case("gather", {"x": x, "i": i}, np.stack([x[b][i[b]] for b in range(n)]))


def matmul(draw):
    b, m, k, n = draw.sizes(4)
    x, y = draw.array([b, m, k], F32), draw.array([b, k, n], F32)
    return case("matmul", {"x": x, "y": y}, np.matmul(wide(x), wide(y)).astype(F32), magnitude=4.0 * k)


def fully_connected(draw):
    n, i, o = draw.sizes(3)
    x, w, b = draw.array([n, i], F32), draw.array([o, i], F32), draw.array([o], F32)
    return case("fully_connected", {"x": x, "w": w, "b": b}, (wide(x) @ wide(w).T + wide(b)).astype(F32),
                magnitude=4.0 * i + 2)


def padded_windows(draw):
    w = Windows(draw, "hw")
    pads = draw.sizes(4, 0, 1)
    shape = {s: max(1, w.input[s] - pads[2 * i] - pads[2 * i + 1]) for i, s in enumerate("hw")}
    pads = [min(p, w.input["hw"[i // 2]] - 1) if shape["hw"[i // 2]] > 1 else 0 for i, p in enumerate(pads)]
    shape = {s: w.input[s] - pads[2 * i] - pads[2 * i + 1] for i, s in enumerate("hw")}
    attributes = ", ".join([array_of("dilation", [w.dilations[s] for s in "hw"]), array_of("pad", pads),
                            array_of("stride", [w.strides[s] for s in "hw"])])
    return w, pads, shape, "{" + attributes + "}"


def conv2d(draw):
    w, pads, shape, attributes = padded_windows(draw)
    n, c, f = draw.sizes(3, 1, 3)
    x = draw.array([n, shape["h"], shape["w"], c], F32)
    k = draw.array([f, w.kernel["h"], w.kernel["w"], c], F32)
    b = draw.array([f], F32)
    padded = np.pad(wide(x), [(0, 0), pads[:2], pads[2:], (0, 0)])
    r = wide(b) + sum(np.einsum("nhwc,fc->nhwf", part, wide(k)[:, at["h"], at["w"]])
                      for at, part in w.each(padded, "nhwc"))
    return case("conv2d", {"x": x, "k": k, "b": b}, r.astype(F32), attributes, magnitude=4.0 * k[0].size + 2)


def depthwise_conv2d(draw):
    w, pads, shape, attributes = padded_windows(draw)
    n, c, m = draw.sizes(3, 1, 3)
    x = draw.array([n, shape["h"], shape["w"], c], F32)
    k = draw.array([w.kernel["h"], w.kernel["w"], c, m], F32)
    b = draw.array([c * m], F32)
    padded = np.pad(wide(x), [(0, 0), pads[:2], pads[2:], (0, 0)])
    r = sum(np.einsum("nhwc,cm->nhwcm", part, wide(k)[at["h"], at["w"]]) for at, part in w.each(padded, "nhwc"))
    r = r.reshape(r.shape[:3] + (c * m,)) + wide(b)
    return case("depthwise_conv2d", {"x": x, "k": k, "b": b}, r.astype(F32), attributes, magnitude=60.0)


def pool(kind):
    def make(draw):
        w = Windows(draw, "hw")
        w.dilations = {"h": 1, "w": 1}
        w.input = {s: (w.out[s] - 1) * w.strides[s] + w.kernel[s] for s in "hw"}
        n, c = draw.sizes(2, 1, 3)
        x = draw.array([n, w.input["h"], w.input["w"], c], F32)
        parts = [wide(part) for _, part in w.each(x, "nhwc")]
        r = np.maximum.reduce(parts) if kind == "max" else sum(parts) / len(parts)
        attributes = ", ".join([array_of("kernel", [w.kernel[s] for s in "hw"]), "pad = array<i64: 0, 0, 0, 0>",
                                array_of("stride", [w.strides[s] for s in "hw"])] +
                               ([] if kind == "max" else ["acc_type = f32"]))
        return case(f"{kind}_pool2d", {"x": x}, r.astype(F32), "{" + attributes + "}", magnitude=2.0)
    return make


OPS = {f"tosa.{op}": unary(op) for op in UNARY} | {f"tosa.{op}": binary(op) for op in BINARY}
OPS |= {f"tosa.{op}": integer(op) for op in INTEGERS} | {f"tosa.{op}": reduction(op) for op in REDUCTIONS}
OPS |= {f"tosa.{f.__name__.rstrip('_')}": f for f in (mul, clamp, argmax, reshape, transpose, slice_, concat, tile, reverse, pad,
                                                    select, cast, gather, matmul, fully_connected, conv2d,
                                                    depthwise_conv2d)}
OPS |= {"tosa.max_pool2d": pool("max"), "tosa.avg_pool2d": pool("avg")}
