"""Products: matmul and its family, contract, mmt4d, quantised ones."""

import numpy as np

from case import Case, linalg, returned, wide, zeros

# op: (subscripts, number of dims)
EINSUMS = {
    "matmul": "mk,kn->mn",
    "matmul_transpose_a": "km,kn->mn",
    "matmul_transpose_b": "mk,nk->mn",
    "batch_matmul": "bmk,bkn->bmn",
    "batch_matmul_transpose_a": "bkm,bkn->bmn",
    "batch_matmul_transpose_b": "bmk,bnk->bmn",
    "batch_reduce_matmul": "bmk,bkn->mn",
    "matvec": "mn,n->m",
    "vecmat": "m,mn->n",
    "batch_matvec": "bmk,bk->bm",
    "batch_vecmat": "bk,bkn->bn",
    "dot": "m,m->",
    "mmt4d": "mkac,nkbc->mnab",
    "batch_mmt4d": "zmkac,znkbc->zmnab",
}


def shapes(draw, subscripts, high):
    left, right = subscripts.split("->")[0].split(",")
    size = {letter: draw.size(1, high) for letter in left + right}
    return [[size[c] for c in part] for part in (left, right)]


def product(subscripts, op=None, contract=False, dims=None):
    """`dims`: the op has indexing maps over these loops."""
    def make(draw):
        dtype = draw.element()
        shape_a, shape_b = shapes(draw, subscripts, 4 if subscripts.count("c") else 9)
        a, b = draw.array(shape_a, dtype), draw.array(shape_b, dtype)
        r = np.asarray(np.einsum(subscripts, wide(a), wide(b)))
        terms = np.asarray(np.einsum(subscripts, abs(wide(a)), abs(wide(b))))
        start = draw.array(r.shape, dtype) if draw.size(0, 1) else None
        if start is not None:
            r = r + wide(start)
        r = r.astype(dtype)
        arguments = {"a": a, "b": b} | ({"s": start} if start is not None else {})
        body = "" if start is not None else zeros("s", r)
        if contract or dims:
            letters = dims or sorted(set(subscripts) - set(",->"))
            left, rest = subscripts.split(",")
            right, out = rest.split("->")
            loops = ", ".join(letters)
            maps = ", ".join(f"affine_map<({loops}) -> ({', '.join(part)})>" for part in (left, right, out))
            body += linalg(f"{op or 'contract'} indexing_maps = [{maps}]", {"a": a, "b": b}, ("s", r))
        else:
            body += linalg(op, {"a": a, "b": b}, ("s", r))
        return Case(arguments, body + returned(("r", r)), [r], magnitude=float(np.max(terms, initial=0)) + 2)
    return make


def quantised(op, subscripts):
    def make(draw):
        shape_a, shape_b = shapes(draw, subscripts, 7)
        a, b = draw.array(shape_a, np.int8), draw.array(shape_b, np.int8)
        za, zb = int(draw.random.integers(-9, 10)), int(draw.random.integers(-9, 10))
        r = np.einsum(subscripts, wide(a) - za, wide(b) - zb).astype(np.int32)
        body = f"  %za = arith.constant {za} : i32\n  %zb = arith.constant {zb} : i32\n" + zeros("s", r)
        body += linalg(op, {"a": a, "b": b, "za": "i32", "zb": "i32"}, ("s", r))
        return Case({"a": a, "b": b}, body + returned(("r", r)), [r])
    return make


OPS = {f"linalg.{op}": product(subscripts, op) for op, subscripts in EINSUMS.items()}
OPS |= {f"linalg.contract {s}": product(s, contract=True) for s in ("mk,nk->mn", "mkl,kln->mn", "ab,ab->b", "a,b->ab")}
OPS |= {f"linalg.matmul indexing_maps {s}": product(s, "matmul", dims="mnk") for s in ("km,kn->mn", "km,nk->mn", "mk,nk->mn")}
OPS |= {f"linalg.batch_matmul indexing_maps {s}": product(s, "batch_matmul", dims="bmnk")
        for s in ("bmk,kn->bmn", "bkm,bnk->bmn", "mk,bkn->bmn")}
OPS["linalg.batch_reduce_matmul indexing_maps"] = product("bkm,bnk->mn", "batch_reduce_matmul", dims="bmnk")
OPS["linalg.quantized_matmul"] = quantised("quantized_matmul", "mk,kn->mn")
OPS["linalg.quantized_batch_matmul"] = quantised("quantized_batch_matmul", "bmk,bkn->bmn")
