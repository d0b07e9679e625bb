#!/usr/bin/env python3
"""Golden vectors for near-bank units: inputs and the exact bits of sums of products and of element-wise kernels.

Written from docs/models/near-bank.md, not from the C++ code, so that the order of a sum has a second witness:

  in a unit   Products are rounded to the operands' type (f16 on attacc, bf16 on aim). The unit's share of the sum is
              taken 16 points at a time, the last column filled up with zeros: the products are added in f32 as a
              balanced tree (neighbours pairwise, then pairs of pairs), and the sums are added in f32 one after the
              other, from +0 on. What comes out is rounded to the operands' type.
  attention   Scores are such sums; the scale, the distance from the largest score, its exponential and the quotient
              round to the operands' type. The exponentials of what a bank has of a head's scores are added in f32, 16
              at a time as a tree, from +0 on; banks ascending, in f32, rounded once.
  of units    Banks of a channel are added in f32 in ascending order, then channels likewise; the result is rounded
              once.
  elements    Every operation rounds once, to the operands' type; relu gives +0 where the sign bit is set.

  golden_near_bank.py            writes test/golden/near_bank/*.txt
  golden_near_bank.py --check    compares with what stands there; exit status 1 if anything differs, 77 without numpy
"""

import math
import random
import sys

import golden_vectors

try:
    import numpy as np
except ImportError:
    print("not run here: needs numpy")
    sys.exit(77)

LANES = 16
SINGLE = np.float32


# ---- Types: their bits, and rounding to nearest even ----

class Half:
    name = "f16"

    @staticmethod
    def round(x):
        return SINGLE(np.float16(x))

    @staticmethod
    def bits(x):
        return int(np.float16(x).view(np.uint16))


class Brain:
    name = "bf16"

    @staticmethod
    def round(x):
        word = int(SINGLE(x).view(np.uint32))
        word += 0x7FFF + ((word >> 16) & 1)
        return np.uint32(word & 0xFFFF0000).view(SINGLE)

    @staticmethod
    def bits(x):
        return int(SINGLE(x).view(np.uint32)) >> 16


MACHINES = {"attacc": Half, "aim": Brain}


# ---- One sum ----

def tree(values):
    while len(values) > 1:
        values = [SINGLE(values[i] + values[i + 1]) for i in range(0, len(values), 2)]
    return values[0]


def unit_sum(dtype, w, x):
    total = SINGLE(0)
    for first in range(0, len(w), LANES):
        products = [dtype.round(SINGLE(a * b)) for a, b in zip(w[first:first + LANES], x[first:first + LANES])]
        products += [SINGLE(0)] * (LANES - len(products))
        total = SINGLE(total + tree(products))
    return dtype.round(total)


def whole_sum(dtype, w, x, channels, banks):
    """`channels` x `banks` units share the sum, each a stretch of it."""
    share = -(-len(w) // (channels * banks))
    of_channels = []
    for c in range(channels):
        units = []
        for b in range(banks):
            first = (c * banks + b) * share
            units.append(unit_sum(dtype, w[first:first + share], x[first:first + share]))
        of_channels.append(in_order(units))
    return dtype.round(in_order(of_channels))


def in_order(values):
    total = values[0]
    for v in values[1:]:
        total = SINGLE(total + v)
    return total


# ---- Kernels: tensors, and which sums they are ----

def gemv(dtype, t, sizes, split):
    return {"y": np.array([whole_sum(dtype, row, t["x"], *split) for row in t["A"]])}


def bgemv(dtype, t, sizes, split):
    return {"y": np.array([[whole_sum(dtype, row, t["q"][r], *split) for row in t["K"][r]]
                           for r in range(sizes["heads"])])}


def red(dtype, t, sizes, split):
    rows = t["x"] if sizes["batch"] > 1 else [t["x"]]
    sums = np.array([whole_sum(dtype, row, [SINGLE(1)] * len(row), *split) for row in rows])
    return {"s": sums}


def mul(dtype, t, sizes, split):
    return {"z": np.array([dtype.round(SINGLE(a * b)) for a, b in zip(t["x"], t["y"])])}


def va(dtype, t, sizes, split):
    return {"z": np.array([dtype.round(SINGLE(a + b)) for a, b in zip(t["x"], t["y"])])}


def axpy(dtype, t, sizes, split):
    return {"z": np.array([dtype.round(SINGLE(dtype.round(SINGLE(2 * a)) + b)) for a, b in zip(t["x"], t["y"])])}


def relu(dtype, t, sizes, split):
    return {"y": np.array([SINGLE(0) if np.signbit(a) else a for a in t["x"]])}


def softmax(dtype, scores, stretch):
    """`stretch` scores of a head lie in one bank."""
    peak = max(scores)
    e = [dtype.round(SINGLE(math.exp(float(dtype.round(SINGLE(s - peak)))))) for s in scores]
    parts = []
    for first in range(0, len(e), stretch):
        part = SINGLE(0)
        for at in range(first, min(first + stretch, len(e)), LANES):
            lanes = e[at:min(at + LANES, first + stretch)]
            part = SINGLE(part + tree(lanes + [SINGLE(0)] * (LANES - len(lanes))))
        parts.append(part)
    total = dtype.round(in_order(parts))
    return [dtype.round(SINGLE(x / total)) for x in e]


def attn(dtype, t, sizes, split):
    """`split`: banks that share dhead, banks that share the length."""
    depth_banks, length_banks = split
    scale = dtype.round(SINGLE(1 / math.sqrt(sizes["dhead"])))
    outputs = []
    for head in range(sizes["heads"]):
        dots = [whole_sum(dtype, row, t["q"][head], 1, depth_banks) for row in t["K"][head]]
        weights = softmax(dtype, [dtype.round(SINGLE(d * scale)) for d in dots], ceil_div(len(dots), length_banks))
        outputs.append([whole_sum(dtype, column, weights, 1, length_banks) for column in t["V"][head].T])
    return {"o": np.array(outputs)}


def mapping(factors):
    return "M1:{" + ",".join("(" + ",".join(map(str, f)) + ")" for f in factors) + "}"


def ceil_div(a, b):
    return -(-a // b)


def gemv_case(m, n, outputs, split):
    shapes = {"A": (m, n), "x": (n,)}
    share = ceil_div(n, split[0] * split[1])
    rows = ceil_div(m, outputs[0] * outputs[1])
    factors = [(outputs[0], split[0]), (outputs[1], split[1]), (rows, share)]
    return "gemv", {"m": m, "n": n}, shapes, gemv, mapping(factors), split


def bgemv_case(heads, dhead, length, channels, banks, split):
    shapes = {"K": (heads, length, dhead), "q": (heads, dhead)}
    factors = [(channels, split[0], 1), (1, split[1], banks),
               (ceil_div(heads, channels), ceil_div(dhead, split[0] * split[1]), ceil_div(length, banks))]
    return "bgemv", {"heads": heads, "dhead": dhead, "len": length}, shapes, bgemv, mapping(factors), split


def red_case(batch, n, channels, split):
    shapes = {"x": (batch, n)}
    factors = [(channels, split[0]), (1, split[1]), (ceil_div(batch, channels), ceil_div(n, split[0] * split[1]))]
    return "red", {"batch": batch, "n": n}, shapes, red, mapping(factors), split


def elements_case(kernel, function, n, channels, banks):
    shapes = {"x": (n,)} if kernel == "relu" else {"x": (n,), "y": (n,)}
    return kernel, {"n": n}, shapes, function, mapping([(channels,), (banks,), (ceil_div(n, channels * banks),)]), (1, 1)


def attn_case(heads, dhead, length, channels, group_banks, split):
    depth_banks, length_banks = split
    shapes = {"q": (heads, dhead), "K": (heads, length, dhead), "V": (heads, length, dhead)}
    factors = [(1, channels, 1, 1), (1, group_banks, length_banks, depth_banks),
               (1, ceil_div(heads, channels * group_banks), ceil_div(length, length_banks),
                ceil_div(dhead, depth_banks))]
    return "attn", {"heads": heads, "dhead": dhead, "len": length}, shapes, attn, mapping(factors), split


def uniform(rng):
    return rng.uniform(-1, 1)


def cancelling(rng):
    return rng.choice([-16.0, 16.0, rng.uniform(-1, 1) / 64])


def wide(rng):
    return rng.uniform(-1, 1) * 2.0 ** rng.randint(-12, 6)


CASES = [
    ("attacc_tiny", "attacc", gemv_case(3, 5, (1, 1), (1, 1)), uniform),
    ("attacc_column", "attacc", gemv_case(4, 16, (1, 4), (1, 1)), uniform),
    ("attacc_columns", "attacc", gemv_case(9, 64, (3, 1), (1, 1)), cancelling),
    ("attacc_tail", "attacc", gemv_case(5, 77, (1, 5), (1, 1)), wide),
    ("attacc_block", "attacc", gemv_case(40, 32, (1, 2), (1, 1)), wide),
    ("attacc_chunks", "attacc", gemv_case(18, 300, (1, 1), (1, 1)), cancelling),
    ("attacc_banks", "attacc", gemv_case(6, 100, (1, 2), (1, 3)), cancelling),
    ("attacc_channels", "attacc", gemv_case(6, 100, (2, 1), (4, 1)), cancelling),
    ("attacc_both", "attacc", gemv_case(3, 200, (1, 1), (2, 3)), cancelling),
    ("attacc_heads", "attacc", bgemv_case(4, 32, 10, 4, 5, (1, 1)), uniform),
    ("attacc_heads_split", "attacc", bgemv_case(3, 64, 9, 3, 3, (1, 4)), cancelling),
    ("attacc_heads_channels", "attacc", bgemv_case(2, 80, 7, 2, 7, (4, 1)), cancelling),
    ("attacc_attention", "attacc", attn_case(2, 16, 32, 2, 1, (1, 2)), uniform),
    ("attacc_attention_tails", "attacc", attn_case(3, 21, 37, 2, 1, (1, 3)), uniform),
    ("attacc_attention_one_bank", "attacc", attn_case(1, 8, 50, 1, 1, (1, 1)), wide),
    ("attacc_attention_parts", "attacc", attn_case(2, 72, 45, 1, 1, (4, 5)), uniform),
    ("attacc_attention_heads", "attacc", attn_case(7, 20, 18, 2, 3, (2, 4)), cancelling),
    ("attacc_attention_chunks", "attacc", attn_case(1, 6, 300, 1, 1, (1, 1)), uniform),
    ("attacc_rows", "attacc", red_case(5, 60, 5, (1, 1)), cancelling),
    ("attacc_rows_split", "attacc", red_case(3, 333, 1, (2, 4)), cancelling),
    ("aim_tiny", "aim", gemv_case(3, 5, (1, 1), (1, 1)), uniform),
    ("aim_columns", "aim", gemv_case(20, 96, (2, 5), (1, 1)), cancelling),
    ("aim_chunks", "aim", gemv_case(4, 1100, (1, 4), (1, 1)), cancelling),
    ("aim_channels", "aim", gemv_case(16, 90, (1, 16), (2, 1)), cancelling),
    ("aim_heads", "aim", bgemv_case(3, 48, 16, 2, 16, (1, 1)), wide),
    ("aim_rows", "aim", red_case(2, 200, 1, (2, 1)), wide),
    ("aim_products", "aim", elements_case("mul", mul, 777, 2, 6), wide),
    ("aim_sums", "aim", elements_case("va", va, 99, 2, 16), cancelling),
    ("aim_scaled", "aim", elements_case("axpy", axpy, 101, 1, 7), wide),
    ("aim_positive", "aim", elements_case("relu", relu, 65, 2, 16), uniform),
]


# ---- Files ----

def case_text(case):
    name, machine, (kernel, sizes, shapes, function, text, split), data = case
    rng = random.Random(name)
    dtype = MACHINES[machine]
    inputs = {}
    for tensor, shape in shapes.items():
        values = [dtype.round(SINGLE(data(rng))) for _ in range(int(np.prod(shape)))]
        inputs[tensor] = np.array(values, dtype=SINGLE).reshape(shape)
    results = function(dtype, inputs, sizes, split)
    lines = ["# written by scripts/golden_near_bank.py; words of 16 bits in hexadecimal, row-major"]
    lines += [f"kernel {kernel}", f"machine {machine}", f"map {text}"]
    lines += [f"size {size} {n}" for size, n in sizes.items()]
    for role, tensors in (("input", inputs), ("output", results)):
        for tensor, values in tensors.items():
            lines += golden_vectors.tensor_lines(role, tensor, [dtype.bits(v) for v in values.reshape(-1)])
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(golden_vectors.main(__doc__, "near_bank", {f"{case[0]}.txt": case_text(case) for case in CASES}))
