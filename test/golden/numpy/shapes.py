"""Ops that move elements, and linalg's ops that are not products or windows."""

import numpy as np

from case import Case, MLIR_TYPES, empty, ints, linalg, returned, type_of, wide, zeros


def pad(draw):
    x = draw.array(draw.sizes(draw.size(1, 3)), draw.element())
    low, high = draw.sizes(x.ndim, 0, 2), draw.sizes(x.ndim, 0, 2)
    value = draw.choice([0, 1, -3])
    r = np.pad(x, list(zip(low, high)), constant_values=value)
    element = MLIR_TYPES[x.dtype.name]
    text = f"{value}.0" if x.dtype.kind == "f" else str(value)
    indices = ", ".join(f"%i{d}: index" for d in range(x.ndim))
    body = (f"  %v = arith.constant {text} : {element}\n"
            f"  %r = tensor.pad %x low[{ints(low)}] high[{ints(high)}] {{\n  ^bb0({indices}):\n"
            f"    tensor.yield %v : {element}\n  }} : {type_of(x)} to {type_of(r)}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


def pad_computed(draw):
    """Amounts that are constants, or computed of a dimension."""
    x = draw.array(draw.sizes(2), draw.element())
    low, tile = draw.size(0, 3), draw.size(1, 4)
    high = -x.shape[1] % tile
    r = np.pad(x, [(low, 0), (0, high)])
    element = MLIR_TYPES[x.dtype.name]
    open_ = f"tensor<?x?x{element}>"
    body = (f"  %v = arith.constant {'0.0' if x.dtype.kind == 'f' else '0'} : {element}\n"
            f"  %low = arith.constant {low} : index\n  %c1 = arith.constant 1 : index\n"
            f"  %d = tensor.dim %x, %c1 : {type_of(x)}\n"
            f"  %high = affine.apply affine_map<(d0) -> ((d0 ceildiv {tile}) * {tile} - d0)>(%d)\n"
            f"  %p = tensor.pad %x low[%low, 0] high[0, %high] {{\n  ^bb0(%i: index, %j: index):\n"
            f"    tensor.yield %v : {element}\n  }} : {type_of(x)} to {open_}\n"
            f"  %r = tensor.cast %p : {open_} to {type_of(r)}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


def groups(draw, count):
    """Consecutive dims: [[0, 1], [2]]"""
    out, at = [], 0
    while at < count:
        n = draw.size(1, min(3, count - at))
        out.append(list(range(at, at + n)))
        at += n
    return out


def expand(draw):
    shape = draw.sizes(draw.size(2, 4), 1, 4)
    parts = groups(draw, len(shape))
    x = draw.array([int(np.prod([shape[d] for d in g])) for g in parts], draw.element())
    r = x.reshape(shape)
    body = f"  %r = tensor.expand_shape %x {parts} output_shape {shape} : {type_of(x)} into {type_of(r)}\n"
    return Case({"x": x}, body + returned(("r", r)), [r])


def collapse(draw):
    x = draw.array(draw.sizes(draw.size(2, 4), 1, 4), draw.element())
    parts = groups(draw, x.ndim)
    r = x.reshape([int(np.prod([x.shape[d] for d in g])) for g in parts])
    body = f"  %r = tensor.collapse_shape %x {parts} : {type_of(x)} into {type_of(r)}\n"
    return Case({"x": x}, body + returned(("r", r)), [r])


def slices(draw, rank):
    sizes, strides, offsets = draw.sizes(rank, 1, 4), draw.sizes(rank, 1, 3), draw.sizes(rank, 0, 3)
    shape = [o + (n - 1) * s + 1 + draw.size(0, 2) for o, n, s in zip(offsets, sizes, strides)]
    cut = tuple(slice(o, o + (n - 1) * s + 1, s) for o, n, s in zip(offsets, sizes, strides))
    return shape, cut, f"[{ints(offsets)}] [{ints(sizes)}] [{ints(strides)}]"


def extract_slice(draw):
    shape, cut, text = slices(draw, draw.size(1, 3))
    x = draw.array(shape, draw.element())
    r = x[cut]
    body = f"  %r = tensor.extract_slice %x{text} : {type_of(x)} to {type_of(r)}\n"
    return Case({"x": x}, body + returned(("r", r)), [r])


def insert_slice(draw):
    shape, cut, text = slices(draw, draw.size(1, 3))
    dtype = draw.element()
    x = draw.array(shape, dtype)
    part = draw.array(x[cut].shape, dtype)
    r = x.copy()
    r[cut] = part
    body = f"  %r = tensor.insert_slice %part into %x{text} : {type_of(part)} into {type_of(x)}\n"
    return Case({"part": part, "x": x}, body + returned(("r", r)), [r])


def concat(draw):
    rank, dtype = draw.size(1, 3), draw.element()
    axis = draw.size(0, rank - 1)
    shape = draw.sizes(rank, 1, 4)
    parts = {}
    for i in range(draw.size(1, 3)):
        shape[axis] = draw.size(1, 4)
        parts[f"x{i}"] = draw.array(shape, dtype)
    r = np.concatenate(list(parts.values()), axis)
    types = ", ".join(type_of(p) for p in parts.values())
    names = ", ".join("%" + n for n in parts)
    body = f"  %r = tensor.concat dim({axis}) {names} : ({types}) -> {type_of(r)}\n"
    return Case(parts, body + returned(("r", r)), [r])


def softmax(draw):
    x = draw.array(draw.sizes(draw.size(1, 3)), np.float32, -4, 4)
    axis = draw.size(0, x.ndim - 1)
    e = np.exp(wide(x) - np.max(wide(x), axis, keepdims=True))
    r = (e / np.sum(e, axis, keepdims=True)).astype(np.float32)
    body = empty("e", r) + (f"  %r = linalg.softmax dimension({axis}) ins(%x : {type_of(x)}) outs(%e : {type_of(r)}) -> "
                            f"{type_of(r)}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


def transpose(draw):
    x = draw.array(draw.sizes(draw.size(1, 4), 1, 5), draw.element())
    order = [int(i) for i in draw.random.permutation(x.ndim)]
    r = np.transpose(x, order)
    body = empty("e", r) + (f"  %r = linalg.transpose ins(%x : {type_of(x)}) outs(%e : {type_of(r)}) "
                            f"permutation = {order}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


def broadcast(draw):
    shape, dtype = draw.sizes(draw.size(1, 4), 1, 5), draw.element()
    added = [d for d in range(len(shape)) if draw.size(0, 1)] or [0]
    x = draw.array([n for d, n in enumerate(shape) if d not in added], dtype)
    r = np.broadcast_to(np.expand_dims(x, added), shape).copy()
    body = empty("e", r) + (f"  %r = linalg.broadcast ins(%x : {type_of(x)}) outs(%e : {type_of(r)}) "
                            f"dimensions = {added}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


REDUCTIONS = {"addf": np.sum, "addi": np.sum, "maximumf": np.max, "maxsi": np.max, "minimumf": np.min, "minsi": np.min,
              "mulf": np.prod, "muli": np.prod}


def reduce(op):
    def make(draw):
        is_float = op.endswith("f")
        x = draw.array(draw.sizes(draw.size(1, 4), 1, 5), np.float32 if is_float else draw.choice([np.int32, np.int16]))
        gone = [d for d in range(x.ndim) if draw.size(0, 1)] or [x.ndim - 1]
        r = np.asarray(REDUCTIONS[op](wide(x), axis=tuple(gone))).astype(x.dtype)
        element = MLIR_TYPES[x.dtype.name]
        info = None if is_float else np.iinfo(x.dtype)
        start = {"add": ("0.0", 0), "mul": ("1.0", 1), "max": ("0xFF800000", info and info.min),
                 "min": ("0x7F800000", info and info.max)}[op[:3]][0 if is_float else 1]
        body = (f"  %z = arith.constant {start} : {element}\n  %e = tensor.empty() : {type_of(r)}\n"
                f"  %s = linalg.fill ins(%z : {element}) outs(%e : {type_of(r)}) -> {type_of(r)}\n"
                f"  %r = linalg.reduce {{ arith.{op} }} ins(%x : {type_of(x)}) outs(%s : {type_of(r)}) "
                f"dimensions = {gone}\n")
        most = float(np.sum(abs(wide(x)))) if op.startswith("add") else None
        return Case({"x": x}, body + returned(("r", r)), [r], tolerance=1e-5 if op == "mulf" else 2e-6, magnitude=most)
    return make


def map_(draw):
    x, y = (draw.array(shape, np.float32) for shape in [draw.sizes(2)] * 2)
    r = (wide(x) * wide(y)).astype(np.float32)
    body = empty("e", r) + (f"  %r = linalg.map {{ arith.mulf }} ins(%x, %y : {type_of(x)}, {type_of(y)}) "
                            f"outs(%e : {type_of(r)})\n")
    return Case({"x": x, "y": y}, body + returned(("r", r)), [r])


def copy(draw):
    x = draw.array(draw.sizes(draw.size(1, 3)), draw.element())
    return Case({"x": x}, empty("e", x) + linalg("copy", {"x": x}, ("e", x)) + returned(("r", x)), [x])


def fill(draw):
    x = draw.array(draw.sizes(2), np.float32)
    r = np.full(x.shape, 2.5, np.float32)
    body = (f"  %v = arith.constant 2.5 : f32\n  %e = tensor.empty() : {type_of(r)}\n"
            f"  %f = linalg.fill ins(%v : f32) outs(%e : {type_of(r)}) -> {type_of(r)}\n")
    r = (wide(r) + wide(x)).astype(np.float32)
    body += linalg("add", {"x": x, "f": x}, ("e", r))
    return Case({"x": x}, body + returned(("r", r)), [r])


def constant(draw):
    x = draw.array(draw.sizes(2, 1, 4), np.int32)
    c = draw.array(x.shape, np.int32)
    r = x + c
    values = str(c.tolist())
    body = f"  %c = arith.constant dense<{values}> : {type_of(c)}\n" + empty("e", r)
    body += linalg("add", {"x": x, "c": c}, ("e", r))
    return Case({"x": x}, body + returned(("r", r)), [r])


def pack(draw):
    tiles, outer = draw.sizes(2, 1, 3), draw.sizes(2, 1, 3)
    x = draw.array([o * t for o, t in zip(outer, tiles)], draw.element())
    r = x.reshape(outer[0], tiles[0], outer[1], tiles[1]).transpose(0, 2, 1, 3)
    body = empty("e", r) + (f"  %r = tensor.pack %x inner_dims_pos = [0, 1] inner_tiles = [{ints(tiles)}] into %e : "
                            f"{type_of(x)} -> {type_of(r)}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


def unpack(draw):
    tiles, outer = draw.sizes(2, 1, 3), draw.sizes(2, 1, 3)
    x = draw.array(outer + tiles, draw.element())
    r = x.transpose(0, 2, 1, 3).reshape([o * t for o, t in zip(outer, tiles)])
    body = empty("e", r) + (f"  %r = tensor.unpack %x inner_dims_pos = [0, 1] inner_tiles = [{ints(tiles)}] into %e : "
                            f"{type_of(x)} -> {type_of(r)}\n")
    return Case({"x": x}, body + returned(("r", r)), [r])


OPS = {"tensor.pad": pad, "tensor.pad computed": pad_computed, "tensor.expand_shape": expand, "tensor.collapse_shape": collapse,
       "tensor.extract_slice": extract_slice, "tensor.insert_slice": insert_slice, "tensor.concat": concat,
       "linalg.softmax": softmax, "linalg.transpose": transpose, "linalg.broadcast": broadcast, "linalg.map": map_,
       "linalg.copy": copy, "linalg.fill": fill, "arith.constant dense": constant, "tensor.pack": pack,
       "tensor.unpack": unpack}
OPS |= {f"linalg.reduce {op}": reduce(op) for op in REDUCTIONS}
