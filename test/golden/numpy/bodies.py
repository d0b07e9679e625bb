"""Scalar ops of arith and math in the body of a linalg.generic, and linalg's named element-wise ops."""

import math

import numpy as np

from case import Case, MLIR_TYPES, empty, linalg, returned, type_of, wide

F32 = np.float32


def each(function):
    """Of an array of f64, by Python's math."""
    return np.vectorize(function, otypes=[np.float64])


def half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


# op: (NumPy's function of f64 arrays, low, high)
MATH = {
    "math.absf": (np.abs, -9, 9), "math.ceil": (np.ceil, -9, 9), "math.floor": (np.floor, -9, 9),
    "math.round": (half_away, -9, 9), "math.roundeven": (np.rint, -9, 9), "math.trunc": (np.trunc, -9, 9),
    "math.exp": (np.exp, -5, 5), "math.exp2": (np.exp2, -5, 5), "math.expm1": (np.expm1, -3, 3),
    "math.log": (np.log, 0.1, 9), "math.log1p": (np.log1p, -0.5, 9), "math.log2": (np.log2, 0.1, 9),
    "math.log10": (np.log10, 0.1, 9), "math.sqrt": (np.sqrt, 0, 9), "math.rsqrt": (lambda x: 1 / np.sqrt(x), 0.1, 9),
    "math.tanh": (np.tanh, -4, 4), "math.erf": (each(math.erf), -3, 3), "math.sin": (np.sin, -6, 6), "math.tan": (np.tan, -1.4, 1.4),
    "math.cos": (np.cos, -6, 6), "arith.negf": (np.negative, -9, 9),
}
PAIRS = {
    "arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply, "arith.divf": np.divide,
    "arith.maximumf": np.maximum, "arith.minimumf": np.minimum, "arith.maxnumf": np.fmax, "arith.minnumf": np.fmin,
    "arith.remf": np.fmod, "math.copysign": np.copysign, "math.powf": np.power,
}


def generic(inputs, r, lines, types=None):
    """One linalg.generic over all dims; `lines` compute %v from the arguments %a, %b, ..."""
    dims = ", ".join(f"d{i}" for i in range(r.ndim))
    maps = ", ".join([f"affine_map<({dims}) -> ({dims})>"] * (len(inputs) + 1))
    kinds = ", ".join(['"parallel"'] * r.ndim)
    names = ", ".join("%" + n for n in inputs)
    arguments = ", ".join(f"%e_{n}: {MLIR_TYPES[a.dtype.name]}" for n, a in inputs.items())
    element = MLIR_TYPES[r.dtype.name]
    return (empty("e", r) + f"  %r = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({names} : "
            f"{', '.join(type_of(a) for a in inputs.values())}) outs(%e : {type_of(r)}) {{\n"
            f"  ^bb0({arguments}, %o: {element}):\n" + "".join(f"    {line}\n" for line in lines) +
            f"    linalg.yield %v : {element}\n  }} -> {type_of(r)}\n" + returned(("r", r)))


def case(inputs, r, lines, tolerance=2e-6):
    return Case(inputs, generic(inputs, r, lines), [r], tolerance)


def unary(op):
    function, low, high = MATH[op]

    def make(draw):
        x = draw.array(draw.sizes(draw.size(1, 3)), F32, low, high)
        if op in ("math.round", "math.roundeven"):
            x = np.where(draw.array(x.shape, np.int32) > 0, np.round(x) + F32(0.5), x).astype(F32)
        return case({"x": x}, function(wide(x)).astype(F32), [f"%v = {op} %e_x : f32"])
    return make


def binary(op):
    def make(draw):
        shape = draw.sizes(draw.size(1, 3))
        x = draw.array(shape, F32, *((0.1, 3) if op == "math.powf" else (-3, 3)))
        y = draw.array(shape, F32, -3, 3)
        y = np.where(np.abs(y) < 0.1, F32(0.5), y)
        return case({"x": x, "y": y}, PAIRS[op](wide(x), wide(y)).astype(F32), [f"%v = {op} %e_x, %e_y : f32"], 4e-6)
    return make


def unsigned(a):
    return a.astype(f"u{a.dtype.itemsize}").astype(object)


def truncated(a, b):
    q = abs(int(a)) // abs(int(b))
    return q if (a < 0) == (b < 0) else -q


def integers(function, is_unsigned=False):
    """Of Python's integers."""
    def of(x, y):
        a, b = (unsigned(v) if is_unsigned else v.astype(object) for v in (x, y))
        bits = 8 * x.dtype.itemsize
        out = np.vectorize(lambda p, q: function(int(p), int(q)) & ((1 << bits) - 1), otypes=[object])(a, b)
        return out.astype(f"u{x.dtype.itemsize}").astype(x.dtype)
    return of


INTEGERS = {
    "addi": integers(lambda a, b: a + b), "subi": integers(lambda a, b: a - b), "muli": integers(lambda a, b: a * b),
    "divsi": integers(truncated), "remsi": integers(lambda a, b: a - b * truncated(a, b)),
    "divui": integers(lambda a, b: a // b, True), "remui": integers(lambda a, b: a % b, True),
    "floordivsi": integers(lambda a, b: a // b), "ceildivsi": integers(lambda a, b: -(-a // b)),
    "andi": integers(lambda a, b: a & b), "ori": integers(lambda a, b: a | b), "xori": integers(lambda a, b: a ^ b),
    "maxsi": integers(max), "minsi": integers(min), "maxui": integers(max, True), "minui": integers(min, True),
    "shli": integers(lambda a, b: a << b), "shrsi": integers(lambda a, b: a >> b),
    "shrui": integers(lambda a, b: a >> b, True),
}


def integer(op):
    def make(draw):
        dtype = draw.choice([np.int8, np.int16, np.int32])
        shape, info = draw.sizes(draw.size(1, 3)), np.iinfo(dtype)
        x = draw.array(shape, dtype, info.min + 1, info.max)
        y = draw.array(shape, dtype, 0, info.bits - 1) if op.startswith("sh") else draw.array(shape, dtype)
        if "div" in op or "rem" in op:
            y = np.where(y == 0, 3, y).astype(dtype)
        element = MLIR_TYPES[np.dtype(dtype).name]
        return case({"x": x, "y": y}, INTEGERS[op](x, y), [f"%v = arith.{op} %e_x, %e_y : {element}"])
    return make


COMPARISONS = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
               "ge": np.greater_equal}


def compared(kind, prefix):
    def make(draw):
        shape = draw.sizes(draw.size(1, 3))
        dtype = F32 if kind == "f" else draw.choice([np.int8, np.int32])
        x, y = draw.array(shape, dtype, -3, 3), draw.array(shape, dtype, -3, 3)
        if kind == "f":
            x, y = np.round(x), np.round(y)
            x = np.where(draw.array(shape, np.int32) > 800, F32(np.nan), x)
        which = draw.choice(list(COMPARISONS))
        predicate = which if which in ("eq", "ne") and kind == "i" else prefix + which
        a, b = (unsigned(v) for v in (x, y)) if prefix == "u" and kind == "i" else (x, y)
        is_true = COMPARISONS[which](a, b).astype(bool)
        if kind == "f":
            nan = np.isnan(x) | np.isnan(y)
            is_true = np.where(nan, prefix == "u", is_true)
        element = MLIR_TYPES[np.dtype(dtype).name]
        lines = [f"%c = arith.cmp{kind} {predicate}, %e_x, %e_y : {element}",
                 f"%v = arith.select %c, %e_x, %e_y : {element}"]
        return case({"x": x, "y": y}, np.where(is_true, x, y), lines)
    return make


# op: (from, to)
CASTS = {"extsi": [(np.int8, np.int32), (np.int16, np.int64)], "extui": [(np.uint8, np.int32), (np.uint16, np.int64)],
         "trunci": [(np.int32, np.int8), (np.int64, np.int16)], "sitofp": [(np.int32, F32), (np.int8, F32)],
         "uitofp": [(np.uint8, F32), (np.uint32, F32)], "fptosi": [(F32, np.int32), (F32, np.int16)],
         "fptoui": [(F32, np.uint8)], "extf": [(np.float16, F32), (F32, np.float64)],
         "truncf": [(F32, np.float16), (np.float64, F32)]}


def cast(op):
    def make(draw):
        source, target = draw.choice(CASTS[op])
        low, high = (0, 200) if op == "fptoui" else (-200, 200) if np.dtype(source).kind == "f" else (None, None)
        x = draw.array(draw.sizes(draw.size(1, 3)), source, low, high)
        line = f"%v = arith.{op} %e_x : {MLIR_TYPES[np.dtype(source).name]} to {MLIR_TYPES[np.dtype(target).name]}"
        return case({"x": x}, x.astype(target), [line])
    return make


def index(draw):
    x = draw.array(draw.sizes(2), np.int32)
    r = x + 10 * np.arange(x.shape[0], dtype=np.int32)[:, None] + np.arange(x.shape[1], dtype=np.int32)[None, :]
    lines = ["%i = linalg.index 0 : index", "%j = linalg.index 1 : index", "%ten = arith.constant 10 : i32",
             "%ii = arith.index_cast %i : index to i32", "%jj = arith.index_cast %j : index to i32",
             "%p = arith.muli %ii, %ten : i32", "%q = arith.addi %p, %jj : i32", "%v = arith.addi %e_x, %q : i32"]
    return case({"x": x}, r.astype(np.int32), lines)


def fma(draw):
    shape = draw.sizes(2)
    x, y, z = (draw.array(shape, F32) for _ in range(3))
    return case({"x": x, "y": y, "z": z}, (wide(x) * wide(y) + wide(z)).astype(F32),
                ["%v = math.fma %e_x, %e_y, %e_z : f32"])


def absi(draw):
    x = draw.array(draw.sizes(2), np.int32)
    return case({"x": x}, np.abs(x), ["%v = math.absi %e_x : i32"])


# linalg.NAME of one and of two operands
NAMED = {"exp": "math.exp", "log": "math.log", "abs": "math.absf", "ceil": "math.ceil", "floor": "math.floor",
         "negf": "arith.negf", "round": "math.round", "sqrt": "math.sqrt", "rsqrt": "math.rsqrt", "tanh": "math.tanh",
         "erf": "math.erf"}
NAMED_PAIRS = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum,
               "min": np.minimum, "powf": np.power}


def named(op, is_elementwise=False):
    def make(draw):
        if op in NAMED_PAIRS:
            dtype = F32 if op in ("div", "powf") else draw.choice([F32, np.int32])
            shape = draw.sizes(draw.size(1, 3))
            inputs = {"x": draw.array(shape, dtype, *((1, 3) if op == "powf" else (None, None))),
                      "y": draw.array(shape, dtype, 1, 3)}
            r = NAMED_PAIRS[op](*(wide(a) for a in inputs.values())).astype(dtype)
        else:
            function, low, high = {"square": (np.square, -3, 3), "reciprocal": (np.reciprocal, 0.1, 3)}.get(
                op) or MATH[NAMED[op]]
            inputs = {"x": draw.array(draw.sizes(draw.size(1, 3)), F32, low, high)}
            r = function(wide(inputs["x"])).astype(F32)
        how = f"elementwise kind=#linalg.elementwise_kind<{op}>" if is_elementwise else op
        return Case(inputs, empty("e", r) + linalg(how, inputs, ("e", r)) + returned(("r", r)), [r], 4e-6)
    return make


OPS = {op: unary(op) for op in MATH} | {op: binary(op) for op in PAIRS}
OPS |= {f"arith.{op}": integer(op) for op in INTEGERS} | {f"arith.{op}": cast(op) for op in CASTS}
OPS |= {f"arith.cmp{kind} {prefix}..": compared(kind, prefix) for kind, prefix in
        (("f", "o"), ("f", "u"), ("i", "s"), ("i", "u"))}
OPS |= {"linalg.index": index, "math.fma": fma, "math.absi": absi}
OPS |= {f"linalg.{op}": named(op) for op in [*NAMED, *NAMED_PAIRS, "square", "reciprocal"]}
OPS |= {f"linalg.elementwise {op}": named(op, True) for op in ("add", "mul", "exp", "tanh", "floor")}
