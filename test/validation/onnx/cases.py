#!/usr/bin/env python3
"""Models of one or a few ONNX operators with random shapes and data, and what numpy computes of them.

usage: cases.py FOLDER [--count N] [--only OPERATOR]
Writes FOLDER/OPERATOR-NUMBER.onnx, and beside it in-NAME.npy and out-NAME.npy of each. Exits with 77 where numpy or onnx
is missing.
"""

import argparse
import os
import sys

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
except ImportError as missing:
    print(f"not run here: {missing}")
    sys.exit(77)

F = np.float32


class Case:
    """A model in the making: inputs, constants, operators, and what they should give."""

    def __init__(self, rng):
        self.rng = rng
        self.opset = 17
        self.inputs, self.constants, self.nodes, self.outputs = {}, {}, [], {}

    def input(self, name, array):
        self.inputs[name] = array
        return name

    def constant(self, name, array):
        self.constants[name] = np.asarray(array)
        return name

    def data(self, shape, low=-2.0, high=2.0):
        return self.rng.uniform(low, high, shape).astype(F)

    def node(self, op, inputs, outputs=("y",), **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), list(outputs), **attributes))

    def output(self, array, name="y"):
        self.outputs[name] = np.asarray(array)

    def write(self, stem):
        def info(name, a):
            return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(a.dtype)
                                                 if hasattr(helper, "np_dtype_to_tensor_dtype")
                                                 else onnx.mapping.NP_TYPE_TO_TENSOR_TYPE[a.dtype], a.shape)
        graph = helper.make_graph(self.nodes, "case", [info(n, a) for n, a in self.inputs.items()],
                                  [info(n, a) for n, a in self.outputs.items()],
                                  [numpy_helper.from_array(a, n) for n, a in self.constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)])
        onnx.save(model, stem + ".onnx")
        for kind, arrays in (("in", self.inputs), ("out", self.outputs)):
            for name, a in arrays.items():
                np.save(f"{stem}.{kind}-{name}.npy", np.array(a, np.uint8 if a.dtype == np.bool_ else a.dtype, order="C"))


def shape(rng, rank=None, most=6):
    rank = int(rng.integers(1, 5)) if rank is None else rank
    return tuple(int(n) for n in rng.integers(1, most + 1, rank))


def erf(x):
    from math import erf as one
    return np.vectorize(one)(x.astype(np.float64))


def broadcastable(rng, s):
    """A shape that broadcasts to s."""
    keep = [n if rng.random() < 0.6 else 1 for n in s]
    return tuple(keep[int(rng.integers(0, len(s))):])


UNARY = {
    "Relu": lambda x: np.maximum(x, 0), "Abs": np.abs, "Neg": np.negative, "Exp": np.exp, "Tanh": np.tanh,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x)), "Erf": erf, "Sin": np.sin, "Cos": np.cos, "Floor": np.floor,
    "Ceil": np.ceil, "Round": np.round, "Softplus": lambda x: np.log1p(np.exp(x)),
    "HardSwish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Identity": lambda x: x, "Dropout": lambda x: x,
}
POSITIVE = {"Log": np.log, "Sqrt": np.sqrt, "Reciprocal": lambda x: 1 / x}
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Min": np.minimum, "Max": np.maximum}
COMPARE = {"Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal,
           "Equal": np.equal}


def unary(op, f, low=-2.0):
    def make(c):
        x = c.data(shape(c.rng), low)
        c.node(op, [c.input("x", x)])
        c.output(f(x.astype(np.float64)).astype(F))
    return make


def binary(op, f, cast=None):
    def make(c):
        s = shape(c.rng)
        a, b = c.data(s), c.data(broadcastable(c.rng, s))
        if c.rng.random() < 0.5:
            a, b = b, a
        if c.rng.random() < 0.3:
            c.node(op, [c.input("a", a), c.constant("b", b)])
        else:
            c.node(op, [c.input("a", a), c.input("b", b)])
        c.output(f(a, b) if cast is None else f(a, b).astype(cast))
    return make


def division(c):
    s = shape(c.rng)
    a, b = c.data(s), c.data(broadcastable(c.rng, s), 0.5)
    c.node("Div", [c.input("a", a), c.input("b", b)])
    c.output(a / b)


def windows(x, size, strides, dilations, pads, fill, ceil=False):
    """Sliding windows of a padded input: [batch, channels, out..., size...], and which elements lie within."""
    rank = len(size)
    shape_in = x.shape[2:]
    out = []
    for d in range(rank):
        span = (size[d] - 1) * dilations[d] + 1
        free = shape_in[d] + pads[d] + pads[d + rank] - span
        n = (-(-free // strides[d]) if ceil else free // strides[d]) + 1
        if ceil and (n - 1) * strides[d] >= shape_in[d] + pads[d]:
            n -= 1
        out.append(n)
    result = np.full(x.shape[:2] + tuple(out) + tuple(size), fill, np.float64)
    inside = np.zeros(tuple(out) + tuple(size), bool)
    for o in np.ndindex(*out):
        for r in np.ndindex(*size):
            i = tuple(o[d] * strides[d] + r[d] * dilations[d] - pads[d] for d in range(rank))
            if all(0 <= i[d] < shape_in[d] for d in range(rank)):
                result[(slice(None), slice(None)) + o + r] = x[(slice(None), slice(None)) + i]
                inside[o + r] = True
    return result, inside


def conv(c):
    rng, rank = c.rng, int(c.rng.integers(1, 4))
    groups = int(rng.integers(1, 4)) if rng.random() < 0.5 else 1
    per, out = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    size = shape(rng, rank, 3)
    strides, dilations = shape(rng, rank, 2), shape(rng, rank, 2)
    pads = tuple(int(n) for n in rng.integers(0, 3, 2 * rank))
    spatial = tuple(int(n) + 5 for n in rng.integers(0, 4, rank))
    x = c.data((int(rng.integers(1, 3)), groups * per) + spatial)
    w = c.data((groups * out, per) + size)
    view, _ = windows(x, size, strides, dilations, pads, 0.0)
    batch = x.shape[0]
    y = np.zeros((batch, groups * out) + view.shape[2:2 + rank])
    axes = tuple(range(2 + rank, 2 + 2 * rank))
    for g in range(groups):
        part = view[:, g * per:(g + 1) * per]
        for o in range(out):
            k = w[g * out + o].astype(np.float64).reshape((1, per) + (1,) * rank + size)
            y[:, g * out + o] = (part * k).sum(axis=(1,) + axes)
    inputs = [c.input("x", x), c.constant("w", w)]
    if rng.random() < 0.6:
        b = c.data((groups * out,))
        inputs.append(c.constant("b", b))
        y += b.astype(np.float64).reshape((1, -1) + (1,) * rank)
    if rng.random() < 0.3:
        # Batch normalisation behind it is folded into the weights.
        n = groups * out
        scale, bias, mean, var = c.data((n,)), c.data((n,)), c.data((n,)), c.data((n,), 0.5)
        c.node("Conv", inputs, ["z"], group=groups, strides=strides, dilations=dilations, pads=pads, kernel_shape=size)
        c.node("BatchNormalization", ["z"] + [c.constant(k, v) for k, v in
                                              (("s", scale), ("t", bias), ("m", mean), ("v", var))], epsilon=1e-3)
        each = (1, -1) + (1,) * rank
        y = ((y - mean.reshape(each)) / np.sqrt(var.reshape(each).astype(np.float64) + 1e-3) * scale.reshape(each)
             + bias.reshape(each))
    else:
        c.node("Conv", inputs, group=groups, strides=strides, dilations=dilations, pads=pads, kernel_shape=size)
    c.output(y.astype(F))


def same_conv(c):
    x, w = c.data((1, 2, int(c.rng.integers(4, 9)), int(c.rng.integers(4, 9)))), c.data((3, 2, 3, 3))
    stride, mode = int(c.rng.integers(1, 3)), ("SAME_UPPER", "SAME_LOWER")[int(c.rng.integers(0, 2))]
    pads = [0] * 4
    for d in range(2):
        n = x.shape[2 + d]
        total = max(0, (-(-n // stride) - 1) * stride + 3 - n)
        first = total // 2 if mode == "SAME_UPPER" else total - total // 2
        pads[d], pads[d + 2] = first, total - first
    view, _ = windows(x, (3, 3), (stride, stride), (1, 1), pads, 0.0)
    c.node("Conv", [c.input("x", x), c.constant("w", w)], strides=[stride] * 2, auto_pad=mode)
    c.output(np.einsum("bchwrs,ocrs->bohw", view, w.astype(np.float64)).astype(F))


def pool(kind):
    def make(c):
        rng, rank = c.rng, int(c.rng.integers(1, 4))
        size, strides = shape(rng, rank, 3), shape(rng, rank, 2)
        pads = tuple(int(rng.integers(0, size[d % rank])) for d in range(2 * rank))
        ceil = bool(rng.random() < 0.4)
        x = c.data(shape(rng, 2, 3) + tuple(int(n) + 5 for n in rng.integers(0, 4, rank)))
        axes = tuple(range(2 + rank, 2 + 2 * rank))
        attributes = {"kernel_shape": size, "strides": strides, "pads": pads, "ceil_mode": int(ceil)}
        if kind == "MaxPool":
            dilations = (2,) * rank if rng.random() < 0.3 else (1,) * rank
            attributes["dilations"] = dilations
            view, _ = windows(x, size, strides, dilations, pads, -np.inf, ceil)
            y = view.max(axis=axes)
        else:
            view, inside = windows(x, size, strides, (1,) * rank, pads, 0.0, ceil)
            count = inside.sum(axis=tuple(range(rank, 2 * rank)))
            if rng.random() < 0.4 and not ceil:
                attributes["count_include_pad"], count = 1, int(np.prod(size))
            y = view.sum(axis=axes) / count
        c.node(kind, [c.input("x", x)], **attributes)
        c.output(y.astype(F))
    return make


def matmul(c):
    rng = c.rng
    m, n, k = (int(v) for v in rng.integers(1, 6, 3))
    batch = shape(rng, int(rng.integers(0, 3)), 3)
    a, b = c.data(broadcastable(rng, batch) + (m, k) if batch else (m, k)), c.data(batch + (k, n))
    if rng.random() < 0.2:
        a = c.data((k,))
    elif rng.random() < 0.2:
        b = c.data((k,))
    c.node("MatMul", [c.input("a", a), c.input("b", b)])
    c.output(np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(F))


def gemm(c):
    rng = c.rng
    m, n, k = (int(v) for v in rng.integers(1, 7, 3))
    ta, tb = int(rng.integers(0, 2)), int(rng.integers(0, 2))
    a, b = c.data((k, m) if ta else (m, k)), c.data((n, k) if tb else (k, n))
    alpha, beta = (1.0, 1.0) if rng.random() < 0.5 else (0.5, 2.0)
    y = alpha * (a.T if ta else a).astype(np.float64) @ (b.T if tb else b).astype(np.float64)
    inputs = [c.input("a", a), c.constant("b", b)]
    if rng.random() < 0.7:
        t = c.data(((m, n), (n,), (1, n), (m, 1))[int(rng.integers(0, 4))])
        inputs.append(c.constant("c", t))
        y = y + beta * t
    c.node("Gemm", inputs, alpha=alpha, beta=beta, transA=ta, transB=tb)
    c.output(y.astype(F))


def softmax(kind):
    def make(c):
        x = c.data(shape(c.rng))
        axis = int(c.rng.integers(-x.ndim, x.ndim))
        e = np.exp(x.astype(np.float64) - x.max(axis=axis, keepdims=True))
        y = e / e.sum(axis=axis, keepdims=True)
        c.node(kind, [c.input("x", x)], axis=axis)
        c.output((np.log(y) if kind == "LogSoftmax" else y).astype(F))
    return make


def layer_norm(c):
    x = c.data(shape(c.rng, int(c.rng.integers(2, 5))))
    axis = int(c.rng.integers(1, x.ndim))
    s = x.shape[axis:]
    scale, bias = c.data(s), c.data(s)
    axes = tuple(range(axis, x.ndim))
    x64 = x.astype(np.float64)
    y = (x64 - x64.mean(axes, keepdims=True)) / np.sqrt(x64.var(axes, keepdims=True) + 1e-5) * scale
    inputs = [c.input("x", x), c.constant("s", scale)]
    if c.rng.random() < 0.7:
        inputs.append(c.constant("b", bias))
        y = y + bias
    c.node("LayerNormalization", inputs, axis=axis - x.ndim)
    c.output(y.astype(F))


def batch_norm(kind):
    def make(c):
        x = c.data(shape(c.rng, int(c.rng.integers(3, 5)), 5))
        n, each = x.shape[1], (1, -1) + (1,) * (x.ndim - 2)
        scale, bias, x64 = c.data((n,)), c.data((n,)), x.astype(np.float64)
        inputs = [c.input("x", x), c.constant("s", scale), c.constant("b", bias)]
        if kind == "BatchNormalization":
            mean, var = c.data((n,)), c.data((n,), 0.5)
            inputs += [c.constant("m", mean), c.constant("v", var)]
            y = (x64 - mean.reshape(each)) / np.sqrt(var.reshape(each).astype(np.float64) + 1e-5)
        else:
            axes = tuple(range(2, x.ndim))
            y = (x64 - x64.mean(axes, keepdims=True)) / np.sqrt(x64.var(axes, keepdims=True) + 1e-5)
        c.node(kind, inputs)
        c.output((y * scale.reshape(each) + bias.reshape(each)).astype(F))
    return make


def reduce(kind, f):
    def make(c):
        x = c.data(shape(c.rng), 0.5 if kind == "ReduceProd" else -2.0)
        keep = int(c.rng.integers(0, 2))
        axes = sorted({int(n) for n in c.rng.integers(0, x.ndim, int(c.rng.integers(1, x.ndim + 1)))})
        y = f(x.astype(np.float64), tuple(axes), bool(keep))
        if kind == "ReduceSum":
            c.node(kind, [c.input("x", x), c.constant("axes", np.array(axes, np.int64))], keepdims=keep)
        else:
            c.node(kind, [c.input("x", x)], axes=axes, keepdims=keep)
        c.output(np.asarray(y).astype(F))
    return make


def global_pool(kind, f):
    def make(c):
        x = c.data(shape(c.rng, int(c.rng.integers(3, 6)), 5))
        c.node(kind, [c.input("x", x)])
        c.output(f(x.astype(np.float64), axis=tuple(range(2, x.ndim)), keepdims=True).astype(F))
    return make


def reshape(c):
    parts = [int(n) for n in c.rng.integers(1, 5, int(c.rng.integers(2, 6)))]

    def grouped():
        out, at = [], 0
        while at < len(parts):
            n = int(c.rng.integers(1, len(parts) - at + 1))
            out.append(int(np.prod(parts[at:at + n])))
            at += n
        return out
    x, to = c.data(tuple(grouped())), grouped()
    asked = list(to)
    if c.rng.random() < 0.5:
        asked[int(c.rng.integers(0, len(to)))] = -1
    c.node("Reshape", [c.input("x", x), c.constant("shape", np.array(asked, np.int64))], ["z"])
    c.node("Mul", ["z", c.constant("two", np.array(2, F))])
    c.output(2 * x.reshape(to))


def transpose(c):
    x = c.data(shape(c.rng))
    order = [int(n) for n in c.rng.permutation(x.ndim)]
    c.node("Transpose", [c.input("x", x)], perm=order)
    c.output(x.transpose(order))


def slices(c):
    x = c.data(shape(c.rng, None, 8))
    axes, starts, ends, steps, index = [], [], [], [], [slice(None)] * x.ndim
    for d in range(x.ndim):
        if c.rng.random() < 0.3:
            continue
        step = int(c.rng.choice([1, 2, -1]))
        first, last = sorted(int(n) for n in c.rng.integers(0, x.shape[d] + 1, 2))
        if first == last:
            continue
        axes.append(d if c.rng.random() < 0.5 else d - x.ndim)
        if step > 0:
            starts.append(first), ends.append(last if c.rng.random() < 0.7 else 2**31 - 1)
            index[d] = slice(first, None if ends[-1] == 2**31 - 1 else last, step)
        else:
            starts.append(last - 1), ends.append(first - x.shape[d] - 1)
            index[d] = slice(last - 1, None if first == 0 else first - 1, -1)
        steps.append(step)
    as64 = lambda n: np.array(n, np.int64)  # noqa: E731
    c.node("Slice", [c.input("x", x)] + [c.constant(n, as64(v)) for n, v in
                                         (("starts", starts), ("ends", ends), ("axes", axes), ("steps", steps))])
    c.output(x[tuple(index)])


def concat(c):
    s, n = list(shape(c.rng)), int(c.rng.integers(2, 4))
    axis = int(c.rng.integers(0, len(s)))
    parts = []
    for i in range(n):
        s[axis] = int(c.rng.integers(1, 5))
        parts.append(c.data(tuple(s)))
    names = [c.input(f"x{i}", p) if i else c.constant("x0", p) for i, p in enumerate(parts)]
    c.node("Concat", names, axis=axis)
    c.output(np.concatenate(parts, axis))


def split(c):
    x = c.data(shape(c.rng, None, 8))
    axis = int(c.rng.integers(0, x.ndim))
    if x.shape[axis] < 2:
        x = np.concatenate([x, x], axis)
    cut = int(c.rng.integers(1, x.shape[axis]))
    sizes = np.array([cut, x.shape[axis] - cut], np.int64)
    c.node("Split", [c.input("x", x), c.constant("sizes", sizes)], ["a", "b"], axis=axis)
    a, b = np.split(x, [cut], axis)
    c.output(a, "a")
    c.output(b, "b")


def gather_elements(c):
    s = shape(c.rng)
    axis = int(c.rng.integers(0, len(s)))
    wanted = tuple(int(c.rng.integers(1, 7)) if d == axis else int(c.rng.integers(1, n + 1)) for d, n in enumerate(s))
    x, is_constant = c.data(s), c.rng.random() < 0.5
    i = c.rng.integers(-s[axis] if is_constant else 0, s[axis], wanted)
    name = c.constant("i", i) if is_constant else c.input("i", i)
    c.node("GatherElements", [c.input("x", x), name], axis=axis)
    part = x[tuple(slice(0, n) if d != axis else slice(None) for d, n in enumerate(wanted))]
    c.output(np.take_along_axis(part, i, axis))


def gather(c):
    x = c.data(shape(c.rng))
    axis = int(c.rng.integers(0, x.ndim))
    which = np.asarray(c.rng.integers(-x.shape[axis], x.shape[axis], shape(c.rng, int(c.rng.integers(0, 3)), 4)), np.int64)
    if c.rng.random() < 0.6:
        name = c.constant("i", which)
    else:
        which = which % x.shape[axis]
        name = c.input("i", which)
    c.node("Gather", [c.input("x", x), name], axis=axis)
    c.output(np.take(x, which, axis))


def pad(c):
    x = c.data(shape(c.rng))
    pads = c.rng.integers(0, 3, 2 * x.ndim)
    value = float(c.rng.choice([0.0, 1.5, -np.inf]))
    c.node("Pad", [c.input("x", x), c.constant("pads", pads.astype(np.int64)), c.constant("v", np.array(value, F))])
    c.output(np.pad(x, list(zip(pads[:x.ndim], pads[x.ndim:])), constant_values=value))


def shapes(c):
    """Shape arithmetic, as exporters write it: it is computed while importing."""
    x = c.data(shape(c.rng, 3))
    c.node("Shape", [c.input("x", x)], ["s"])
    c.node("Gather", ["s", c.constant("i", np.array(0, np.int64))], ["n"], axis=0)
    c.node("Unsqueeze", ["n", c.constant("axes", np.array([0], np.int64))], ["n1"])
    c.node("Concat", ["n1", c.constant("rest", np.array([-1], np.int64))], ["to"], axis=0)
    c.node("Reshape", ["x", "to"])
    c.output(x.reshape(x.shape[0], -1))


def squeeze(c):
    x = c.data((1,) + shape(c.rng, 2) + (1,))
    c.node("Squeeze", [c.input("x", x), c.constant("axes", np.array([0, -1], np.int64))], ["z"])
    c.node("Unsqueeze", ["z", c.constant("more", np.array([1], np.int64))])
    c.output(x.reshape(x.shape[1], 1, x.shape[2]))


def flatten(c):
    x = c.data(shape(c.rng))
    axis = int(c.rng.integers(0, x.ndim + 1))
    c.node("Flatten", [c.input("x", x)], axis=axis)
    c.output(x.reshape(int(np.prod(x.shape[:axis])), -1))


def expand(c):
    to = shape(c.rng)
    x = c.data(broadcastable(c.rng, to))
    c.node("Expand", [c.input("x", x), c.constant("shape", np.array(to, np.int64))])
    c.output(np.broadcast_to(x, to))


def where(c):
    s = shape(c.rng)
    a, b, x = c.data(s), c.data(broadcastable(c.rng, s)), c.data(s)
    c.node("Greater", [c.input("x", x), c.constant("zero", np.array(0, F))], ["which"])
    c.node("Where", ["which", c.input("a", a), c.input("b", b)])
    c.output(np.where(x > 0, a, b))


def clip(c):
    x = c.data(shape(c.rng))
    c.node("Clip", [c.input("x", x), c.constant("low", np.array(-0.5, F)), c.constant("high", np.array(1, F))])
    c.output(np.clip(x, F(-0.5), F(1)))


def power(c):
    x, e = c.data(shape(c.rng), 0.5), float(c.rng.choice([2, 3, 0.5, -1, -0.5, 0, 1]))
    c.node("Pow", [c.input("x", x), c.constant("e", np.array(e, F))])
    c.output((x.astype(np.float64) ** e).astype(F))


def leaky(op, f, **attributes):
    def make(c):
        x = c.data(shape(c.rng))
        c.node(op, [c.input("x", x)], **attributes)
        c.output(f(x.astype(np.float64)).astype(F))
    return make


def cast(c):
    x = c.data(shape(c.rng), -100, 100)
    to = [TensorProto.INT32, TensorProto.FLOAT16, TensorProto.DOUBLE][int(c.rng.integers(0, 3))]
    c.node("Cast", [c.input("x", x)], to=to)
    c.output(x.astype({TensorProto.INT32: np.int32, TensorProto.FLOAT16: np.float16, TensorProto.DOUBLE: np.float64}[to]))


def gelu(c):
    """As exporters write it."""
    x = c.data(shape(c.rng))
    c.node("Div", [c.input("x", x), c.constant("root", np.array(2**0.5, F))], ["d"])
    c.node("Erf", ["d"], ["e"])
    c.node("Add", ["e", c.constant("one", np.array(1, F))], ["p"])
    c.node("Mul", ["x", "p"], ["m"])
    c.node("Mul", ["m", c.constant("half", np.array(0.5, F))])
    c.output((x * 0.5 * (1 + erf(x / 2**0.5))).astype(F))


def attention(c):
    """Heads split and joined by reshapes and transposes."""
    rng = c.rng
    b, s, h, d = (int(n) for n in rng.integers(1, 5, 4))
    x = c.data((b, s, h * d))
    w = {n: c.data((h * d, h * d), -1, 1) for n in "qkv"}
    split_to = c.constant("split", np.array([b, s, h, d], np.int64))
    c.input("x", x)
    for n, perm in (("q", [0, 2, 1, 3]), ("k", [0, 2, 3, 1]), ("v", [0, 2, 1, 3])):
        c.node("MatMul", ["x", c.constant("w" + n, w[n])], [n + "0"])
        c.node("Reshape", [n + "0", split_to], [n + "1"])
        c.node("Transpose", [n + "1"], [n], perm=perm)
    c.node("MatMul", ["q", "k"], ["scores"])
    c.node("Div", ["scores", c.constant("scale", np.array(d**0.5, F))], ["scaled"])
    c.node("Softmax", ["scaled"], ["p"], axis=-1)
    c.node("MatMul", ["p", "v"], ["o"])
    c.node("Transpose", ["o"], ["t"], perm=[0, 2, 1, 3])
    c.node("Reshape", ["t", c.constant("join", np.array([b, s, h * d], np.int64))])
    x64 = x.astype(np.float64)
    q, k, v = ((x64 @ w[n]).reshape(b, s, h, d).transpose(0, 2, 1, 3) for n in "qkv")
    e = q @ k.transpose(0, 1, 3, 2) / d**0.5
    e = np.exp(e - e.max(-1, keepdims=True))
    c.output(((e / e.sum(-1, keepdims=True)) @ v).transpose(0, 2, 1, 3).reshape(b, s, h * d).astype(F))


def prelu(c):
    x = c.data(shape(c.rng))
    slope = c.data(broadcastable(c.rng, x.shape))
    c.node("PRelu", [c.input("x", x), c.constant("slope", slope)])
    c.output(np.where(x < 0, x * slope, x))


def modulo(c):
    s = shape(c.rng)
    a, b = c.rng.integers(-9, 10, s), c.rng.choice([-4, -3, 2, 5], s)
    fmod = int(c.rng.integers(0, 2))
    c.node("Mod", [c.input("a", a), c.input("b", b)], fmod=fmod)
    c.output(np.fmod(a, b) if fmod else np.mod(a, b))


def total(c):
    s = shape(c.rng)
    parts = [c.data(s) for _ in range(3)]
    c.node("Sum", [c.input(f"x{i}", p) for i, p in enumerate(parts)])
    c.output(parts[0] + parts[1] + parts[2])


def logic(c):
    s = shape(c.rng)
    a, b = c.data(s), c.data(s)
    zero = c.constant("zero", np.array(0, F))
    c.node("Less", [c.input("a", a), zero], ["p"])
    c.node("Less", [c.input("b", b), zero], ["q"])
    c.node("And", ["p", "q"], ["both"])
    c.node("Or", ["p", "q"], ["any"])
    c.node("Xor", ["both", "any"], ["one"])
    c.node("Not", ["one"])
    c.output(~((a < 0) ^ (b < 0)))


def made(c):
    """Constants that operators make: a table of positions, added."""
    x = c.data((int(c.rng.integers(1, 6)),))
    c.node("Size", [c.input("x", x)], ["n"])
    c.node("Range", [c.constant("first", np.array(0, np.int64)), "n", c.constant("step", np.array(1, np.int64))], ["r"])
    c.node("Cast", ["r"], ["positions"], to=TensorProto.FLOAT)
    c.node("Shape", ["x"], ["s"])
    c.node("ConstantOfShape", ["s"], ["two"], value=numpy_helper.from_array(np.array([2], F)))
    c.node("Mul", ["positions", "two"], ["t"])
    c.node("Add", ["x", "t"])
    c.output(x + 2 * np.arange(len(x), dtype=F))


def old(c):
    """Forms of operator set 9: what became inputs is attributes, and softmax takes all axes from one on."""
    c.opset = 9
    x = c.data(shape(c.rng, 3, 5))
    c.node("Slice", [c.input("x", x)], ["a"], axes=[0], starts=[0], ends=[int(x.shape[0])])
    c.node("Clip", ["a"], ["b"], min=-1.0, max=1.0)
    c.node("Pad", ["b"], ["c"], pads=[0, 0, 1, 0, 0, 0], value=0.0)
    c.node("ReduceSum", ["c"], ["d"], axes=[2], keepdims=0)
    c.node("Unsqueeze", ["d"], ["e"], axes=[1])
    c.node("Softmax", ["e"], axis=1)
    b = np.clip(x, -1, 1).astype(np.float64).sum(2)
    e = np.exp(b - b.max(1, keepdims=True))
    c.output((e / e.sum(1, keepdims=True)).astype(F)[:, None])


CASES = {op: unary(op, f) for op, f in UNARY.items()}
CASES.update({op: unary(op, f, 0.1) for op, f in POSITIVE.items()})
CASES.update({op: binary(op, f) for op, f in BINARY.items()})
CASES.update({op: binary(op, f, np.bool_) for op, f in COMPARE.items()})
CASES.update({
    "Div": division, "Conv": conv, "ConvSame": same_conv, "MaxPool": pool("MaxPool"), "AveragePool": pool("AveragePool"),
    "MatMul": matmul, "Gemm": gemm, "Softmax": softmax("Softmax"), "LogSoftmax": softmax("LogSoftmax"),
    "LayerNormalization": layer_norm, "BatchNormalization": batch_norm("BatchNormalization"),
    "InstanceNormalization": batch_norm("InstanceNormalization"),
    "ReduceSum": reduce("ReduceSum", lambda x, a, k: x.sum(a, keepdims=k)),
    "ReduceMean": reduce("ReduceMean", lambda x, a, k: x.mean(a, keepdims=k)),
    "ReduceMax": reduce("ReduceMax", lambda x, a, k: x.max(a, keepdims=k)),
    "ReduceMin": reduce("ReduceMin", lambda x, a, k: x.min(a, keepdims=k)),
    "ReduceProd": reduce("ReduceProd", lambda x, a, k: x.prod(a, keepdims=k)),
    "ReduceL2": reduce("ReduceL2", lambda x, a, k: np.sqrt((x * x).sum(a, keepdims=k))),
    "GlobalAveragePool": global_pool("GlobalAveragePool", np.mean),
    "GlobalMaxPool": global_pool("GlobalMaxPool", np.max), "Reshape": reshape, "Transpose": transpose, "Slice": slices,
    "Concat": concat, "Split": split, "Gather": gather, "GatherElements": gather_elements, "Pad": pad, "Shape": shapes, "Squeeze": squeeze,
    "Flatten": flatten, "Expand": expand, "Where": where, "Clip": clip, "Pow": power, "Cast": cast,
    "LeakyRelu": leaky("LeakyRelu", lambda x: np.where(x < 0, 0.1 * x, x), alpha=0.1),
    "Elu": leaky("Elu", lambda x: np.where(x < 0, 0.5 * np.expm1(x), x), alpha=0.5),
    "HardSigmoid": leaky("HardSigmoid", lambda x: np.clip(0.3 * x + 0.4, 0, 1), alpha=0.3, beta=0.4),
    "Gelu": gelu, "Attention": attention, "PRelu": prelu, "Mod": modulo, "Sum": total, "Logic": logic, "Made": made,
    "Old": old, "ReduceSumSquare": reduce("ReduceSumSquare", lambda x, a, k: (x * x).sum(a, keepdims=k)),
})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    os.makedirs(args.folder, exist_ok=True)
    for number, (name, make) in enumerate(sorted(CASES.items())):
        if args.only not in name:
            continue
        for i in range(args.count):
            case = Case(np.random.default_rng(1000 * number + i))
            make(case)
            case.write(os.path.join(args.folder, f"{name}-{i}"))


if __name__ == "__main__":
    main()
