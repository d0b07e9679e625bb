"""Loops over elements: scf and affine, parallel ones with results."""

import numpy as np

from case import Case, MLIR_TYPES, ints, type_of, wide

F32 = np.float32


class MemrefCase(Case):
    """A function without results: it writes to its last argument %o, which holds anything before."""

    def __init__(self, arguments, lines, result, tolerance=2e-6, magnitude=None):
        super().__init__(arguments, "", [result], tolerance, magnitude)
        names = ", ".join(f"%{n}: {type_of(a).replace('tensor', 'memref')}"
                          for n, a in {**arguments, "o": result}.items())
        self.text = f"func.func @main({names}) {{\n" + "".join(f"  {line}\n" for line in lines) + "  return\n}\n"


def constants(n):
    return ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", f"%n = arith.constant {n} : index"]


def scf_parallel(draw):
    n = draw.size(1, 40)
    dtype = draw.choice([F32, np.int32])
    x = draw.array([n], dtype)
    kind = "f" if dtype == F32 else "i"
    element = MLIR_TYPES[np.dtype(dtype).name]
    lines = constants(n) + [
        f"%z = arith.constant {'0.0' if kind == 'f' else '0'} : {element}",
        f"%r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> {element} {{",
        f"  %a = memref.load %x[%i] : memref<{n}x{element}>",
        f"  scf.reduce(%a : {element}) {{", f"  ^bb0(%p: {element}, %q: {element}):",
        f"    %s = arith.add{kind} %p, %q : {element}", f"    scf.reduce.return %s : {element}", "  }", "}",
        f"memref.store %r, %o[%c0] : memref<1x{element}>"]
    return MemrefCase({"x": x}, lines, np.array([np.sum(wide(x))]).astype(dtype),
                      magnitude=float(np.sum(abs(wide(x)))) + 1)


def affine_parallel(draw):
    n, m = draw.sizes(2, 1, 9)
    x = draw.array([n, m], F32)
    lines = ["%c0 = arith.constant 0 : index",
             f'%r:2 = affine.parallel (%i, %j) = (0, 0) to ({n}, {m}) reduce ("addf", "maximumf") -> (f32, f32) {{',
             f"  %a = affine.load %x[%i, %j] : memref<{n}x{m}xf32>", "  affine.yield %a, %a : f32, f32", "}",
             "affine.store %r#0, %o[0] : memref<2xf32>", "affine.store %r#1, %o[1] : memref<2xf32>"]
    r = np.array([np.sum(wide(x)), np.max(x)]).astype(F32)
    return MemrefCase({"x": x}, lines, r, magnitude=float(np.sum(abs(wide(x)))) + 1)


def affine_for(draw):
    n = draw.size(3, 20)
    x = draw.array([n], F32)
    lines = [f"affine.for %i = 1 to {n - 1} {{",
             f"  %a = affine.load %x[%i - 1] : memref<{n}xf32>", f"  %b = affine.load %x[%i + 1] : memref<{n}xf32>",
             "  %s = arith.addf %a, %b : f32", f"  affine.store %s, %o[%i - 1] : memref<{n - 2}xf32>", "}"]
    return MemrefCase({"x": x}, lines, (wide(x)[:-2] + wide(x)[2:]).astype(F32))


def iter_args(draw):
    n, m = draw.sizes(2, 1, 9)
    x = draw.array([n, m], F32)
    lines = constants(n) + [
        f"%m = arith.constant {m} : index", "%z = arith.constant 1.0 : f32", "scf.for %i = %c0 to %n step %c1 {",
        "  %s = scf.for %j = %c0 to %m step %c1 iter_args(%t = %z) -> (f32) {",
        f"    %a = memref.load %x[%i, %j] : memref<{n}x{m}xf32>", "    %u = arith.addf %t, %a : f32",
        "    scf.yield %u : f32", "  }", f"  memref.store %s, %o[%i] : memref<{n}xf32>", "}"]
    return MemrefCase({"x": x}, lines, (1 + np.sum(wide(x), 1)).astype(F32), magnitude=float(np.sum(abs(wide(x)))) + 1)


def scf_if(draw):
    n = draw.size(1, 20)
    x = draw.array([n], F32)
    lines = constants(n) + [
        "%z = arith.constant 0.0 : f32", "scf.for %i = %c0 to %n step %c1 {",
        f"  %a = memref.load %x[%i] : memref<{n}xf32>", "  %c = arith.cmpf ogt, %a, %z : f32",
        "  %v = scf.if %c -> (f32) {", "    %d = arith.addf %a, %a : f32", "    scf.yield %d : f32", "  } else {",
        "    %d = arith.negf %a : f32", "    scf.yield %d : f32", "  }", f"  memref.store %v, %o[%i] : memref<{n}xf32>",
        "}"]
    return MemrefCase({"x": x}, lines, np.where(x > 0, 2 * x, -x).astype(F32))


def gather(draw):
    n, m = draw.sizes(2, 1, 12)
    x, i = draw.array([n], F32), draw.array([m], np.int32, 0, n - 1)
    lines = [f"affine.for %i = 0 to {m} {{", f"  %k = affine.load %idx[%i] : memref<{m}xi32>",
             "  %j = arith.index_cast %k : i32 to index", f"  %a = memref.load %x[%j] : memref<{n}xf32>",
             f"  affine.store %a, %o[%i] : memref<{m}xf32>", "}"]
    return MemrefCase({"x": x, "idx": i}, lines, x[i])


def subview(draw):
    n, m, a, b = draw.size(1, 5), draw.size(1, 5), draw.size(0, 3), draw.size(0, 3)
    x = draw.array([n + a, m + b], F32)
    view = f"memref<{n}x{m}xf32, strided<[{m + b}, 1], offset: {a * (m + b) + b}>>"
    lines = [f"%v = memref.subview %x[{a}, {b}] [{n}, {m}] [1, 1] : {type_of(x).replace('tensor', 'memref')} to {view}",
             f"linalg.copy ins(%v : {view}) outs(%o : memref<{n}x{m}xf32>)"]
    return MemrefCase({"x": x}, lines, x[a:, b:])


def forall(draw):
    n, m = draw.sizes(2, 1, 4)
    x = draw.array([2 * n, m], F32)
    r = (2 * wide(x)).astype(F32)
    full, part = type_of(x), f"tensor<2x{m}xf32>"
    body = (f"  %e = tensor.empty() : {full}\n"
            f"  %r = scf.forall (%i) = (0) to ({2 * n}) step (2) shared_outs(%s = %e) -> ({full}) {{\n"
            f"    %a = tensor.extract_slice %x[%i, 0] [2, {m}] [1, 1] : {full} to {part}\n"
            f"    %b = tensor.extract_slice %s[%i, 0] [2, {m}] [1, 1] : {full} to {part}\n"
            f"    %c = linalg.add ins(%a, %a : {part}, {part}) outs(%b : {part}) -> {part}\n"
            f"    scf.forall.in_parallel {{\n"
            f"      tensor.parallel_insert_slice %c into %s[%i, 0] [2, {m}] [1, 1] : {part} into {full}\n    }}\n  }}\n"
            f"  return %r : {full}\n")
    return Case({"x": x}, body, [r])


def softmax(draw):
    x = draw.array(draw.sizes(draw.size(1, 3)), F32, -4, 4)
    axis = draw.size(0, x.ndim - 1)
    e = np.exp(wide(x) - np.max(wide(x), axis, keepdims=True))
    of = type_of(x).replace("tensor", "memref")
    return MemrefCase({"x": x}, [f"linalg.softmax dimension({axis}) ins(%x : {of}) outs(%o : {of})"],
                      (e / np.sum(e, axis, keepdims=True)).astype(F32))


def counting_while(draw):
    """Up or down, by a step, with the condition in front of the body or behind it."""
    n, step, is_do = draw.size(2, 30), draw.size(1, 3), bool(draw.size(0, 1))
    is_up = bool(draw.size(0, 1))
    x = draw.array([n], np.int32)
    start, end, by = (0, n, step) if is_up else (n - 1, -1, -step)
    r = np.array([np.sum(wide(x)[start::by]), len(range(start, end, by))]).astype(np.int32)
    lines = [f"%s = arith.constant {start} : i32", f"%e = arith.constant {end} : i32", f"%by = arith.constant {by} : i32",
             "%z = arith.constant 0 : i32", "%one = arith.constant 1 : i32", "%c0 = arith.constant 0 : index",
             "%c1 = arith.constant 1 : index",
             "%r:3 = scf.while (%i = %s, %a = %z, %k = %z) : (i32, i32, i32) -> (i32, i32, i32) {"]
    round_ = ["  %at = arith.index_cast %i : i32 to index", f"  %v = memref.load %x[%at] : memref<{n}xi32>",
              "  %b = arith.addi %a, %v : i32", "  %j = arith.addi %i, %by : i32", "  %l = arith.addi %k, %one : i32"]
    asked = "%j" if is_do else "%i"
    condition = f"  %c = arith.cmpi {'slt' if is_up else 'sgt'}, {asked}, %e : i32"
    carried = "%i, %a, %k : i32, i32, i32"
    after = "%j, %b, %l : i32, i32, i32"
    block = "^bb0(%i: i32, %a: i32, %k: i32):"
    if is_do:
        lines += round_ + [condition, f"  scf.condition(%c) {after}", "} do {", block, f"  scf.yield {carried}", "}"]
    else:
        lines += [condition, f"  scf.condition(%c) {carried}", "} do {", block, *round_, f"  scf.yield {after}", "}"]
    lines += ["memref.store %r#1, %o[%c0] : memref<2xi32>", "memref.store %r#2, %o[%c1] : memref<2xi32>"]
    return MemrefCase({"x": x}, lines, r)


OPS = {"linalg.softmax memref": softmax, "scf.while": counting_while, "scf.parallel": scf_parallel, "affine.parallel": affine_parallel, "affine.for": affine_for,
       "scf.for iter_args": iter_args, "scf.if": scf_if, "memref.load indirect": gather, "memref.subview": subview,
       "scf.forall": forall}
