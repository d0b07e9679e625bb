#!/usr/bin/env python3
"""Golden vectors for HBM-PIM: inputs and the exact bits of the results.

Written from the description of the accumulation order (docs/decisions/0003-hbm-pim-stream-differences.md and
docs/models/hbm-pim.md), not from the C++ code, so that the order itself has a second witness:

  matrix-vector   Inputs fall on 16 lanes in turn: input n belongs to lane n % 16. A tile is 128 inputs, that is 8
                  bursts of 16. A lane starts at +0 and takes the even tiles ascending, then the odd ones; within a
                  tile bursts 0 to 7. Each term: acc = fp16(acc + fp16(w * x)). The lanes 0 to 15 are summed in f32 in
                  this order, and the sum is rounded to fp16 once.
  tree variant    Per tile and lane one piece: +0, then the tile's 8 terms. A lane's pieces (tiles ascending) are merged
                  in f32 as a balanced tree: neighbours pairwise, then pairs of pairs; one without a partner moves up.
                  Then lanes as above.
  element-wise    One fp16 rounding per operation.

NaN results are written as 7e00, the quiet NaN that the units make.

  golden_hbm_pim.py            writes test/golden/hbm_pim/*.txt
  golden_hbm_pim.py --check    compares with what stands there; exit status 1 if anything differs, 77 without numpy
"""

import random
import sys

import golden_vectors

try:
    import numpy as np
except ImportError:
    print("not run here: needs numpy")
    sys.exit(77)

LANES = 16
BURSTS = 8
TILE = LANES * BURSTS
HALF = np.float16
SINGLE = np.float32


# ---- The device's arithmetic ----


def multiply_accumulate(acc, w, x):
    return HALF(acc + HALF(w * x))


def lane_terms(lane, tile, inputs):
    """Inputs that a lane takes from one tile, in order."""
    first = tile * TILE + lane
    return [n for n in range(first, first + TILE, LANES) if n < inputs]


def tile_order(inputs):
    tiles = range((inputs + TILE - 1) // TILE)
    return [t for t in tiles if t % 2 == 0] + [t for t in tiles if t % 2 == 1]


def plain_lane(lane, row, x):
    acc = HALF(0)
    for tile in tile_order(len(x)):
        for n in lane_terms(lane, tile, len(x)):
            acc = multiply_accumulate(acc, row[n], x[n])
    return SINGLE(acc)


def tree_lane(lane, row, x):
    pieces = []
    for tile in range((len(x) + TILE - 1) // TILE):
        acc = HALF(0)
        for n in lane_terms(lane, tile, len(x)):
            acc = multiply_accumulate(acc, row[n], x[n])
        pieces.append(SINGLE(acc))
    while len(pieces) > 1:
        pairs = [SINGLE(pieces[i] + pieces[i + 1]) for i in range(0, len(pieces) - 1, 2)]
        pieces = pairs + ([pieces[-1]] if len(pieces) % 2 else [])
    return pieces[0]


def matrix_vector(matrix, x, variant="plain"):
    one_lane = tree_lane if variant == "tree" else plain_lane
    result = []
    for row in matrix:
        total = one_lane(0, row, x)
        for lane in range(1, LANES):
            total = SINGLE(total + one_lane(lane, row, x))
        result.append(HALF(total))
    return np.array(result, dtype=HALF)


def add(a, b):
    return (a + b).astype(HALF)


def multiply(a, b):
    return (a * b).astype(HALF)


def relu(a):
    return np.where(np.signbit(a), HALF(0), a).astype(HALF)


# ---- Kernels: inputs by name -> results by name ----


def gemv(t, variant):
    return {"y": matrix_vector(t["A"], t["x"], variant)}


def gemv_batch(t, variant):
    return {"Y": np.stack([matrix_vector(t["A"], x, variant) for x in t["X"]])}


def gemvrelu(t, _):
    return {"z": relu(add(matrix_vector(t["A"], t["x"]), t["b"]))}


def mlp(t, _):
    hidden = relu(add(matrix_vector(t["A"], t["x"]), t["b"]))
    return {"y": add(matrix_vector(t["B"], hidden), t["c"])}


def axpy(t, _):
    return {"z": add(multiply(HALF(2), t["x"]), t["y"])}


# ---- Data ----


def uniform(rng):
    return rng.uniform(-1, 1)


def large(rng):
    """Sums overflow now and then."""
    return rng.uniform(-250, 250)


def tiny(rng):
    """Products and sums are subnormal, or vanish."""
    return rng.uniform(-1, 1) * 2.0 ** -rng.randrange(6, 14)


def cancelling(rng):
    """Values of very different size whose sums cancel."""
    return rng.choice([-1, 1]) * 2.0 ** rng.randrange(-8, 7)


def bits(rng):
    """Any finite bit pattern."""
    while True:
        x = np.uint16(rng.getrandbits(16)).view(HALF)
        if np.isfinite(x):
            return x


def gemv_case(name, m, n, variant="plain", data=uniform):
    return (name, "gemv", variant, {"m": m, "n": n}, {"A": (m, n), "x": (n,)}, gemv, data)


def gemv_batch_case(name, m, n, batch, variant="plain"):
    shapes = {"A": (m, n), "X": (batch, n)}
    return (name, "gemv", variant, {"m": m, "n": n, "batch": batch}, shapes, gemv_batch, uniform)


def elementwise_case(name, n, inputs, function, data):
    return (name, name, "plain", {"n": n}, {i: (n,) for i in inputs}, function, data)


CASES = [
    gemv_case("gemv_one_input", 3, 1),
    gemv_case("gemv_one_burst", 5, 16),
    gemv_case("gemv_tail", 4, 100),
    gemv_case("gemv_one_tile", 9, 128),
    gemv_case("gemv_two_tiles", 9, 129),
    gemv_case("gemv_three_tiles", 7, 300),
    gemv_case("gemv_five_tiles", 5, 640),
    gemv_case("gemv_nine_tiles", 3, 1027),
    gemv_case("gemv_more_outputs", 65, 33),
    gemv_case("gemv_cancelling", 6, 384, data=cancelling),
    gemv_case("gemv_tiny", 4, 200, data=tiny),
    gemv_case("gemv_large", 5, 260, data=large),
    gemv_batch_case("gemv_batch", 6, 150, 3),
    gemv_case("tree_one_tile", 5, 128, "tree"),
    gemv_case("tree_three_tiles", 5, 300, "tree"),
    gemv_case("tree_five_tiles", 3, 640, "tree"),
    gemv_case("tree_nine_tiles", 2, 1027, "tree"),
    gemv_case("tree_cancelling", 4, 384, "tree", cancelling),
    gemv_batch_case("tree_batch", 3, 200, 2, "tree"),
    elementwise_case("add", 600, "xy", lambda t, _: {"z": add(t["x"], t["y"])}, bits),
    elementwise_case("mul", 600, "xy", lambda t, _: {"z": multiply(t["x"], t["y"])}, bits),
    elementwise_case("relu", 300, "x", lambda t, _: {"y": relu(t["x"])}, bits),
    elementwise_case("axpy", 400, "xy", axpy, large),
    ("gemvrelu", "gemvrelu", "plain", {"m": 10, "n": 150}, {"A": (10, 150), "x": (150,), "b": (10,)}, gemvrelu,
     uniform),
    ("mlp", "mlp", "plain", {"n": 40, "hidden": 24, "m": 9},
     {"A": (24, 40), "x": (40,), "b": (24,), "B": (9, 24), "c": (9,)}, mlp, uniform),
]


# ---- Files ----


def words_of(values):
    words = values.reshape(-1).view(np.uint16).copy()
    words[np.isnan(values.reshape(-1))] = 0x7E00
    return words


def case_text(case):
    name, kernel, variant, sizes, shapes, function, data = case
    rng = random.Random(name)
    inputs = {}
    for tensor, shape in shapes.items():
        values = [HALF(data(rng)) for _ in range(int(np.prod(shape)))]
        inputs[tensor] = np.array(values, dtype=HALF).reshape(shape)
    with np.errstate(all="ignore"):
        results = function(inputs, variant)
    lines = ["# written by scripts/golden_hbm_pim.py; halves as hexadecimal words, row-major"]
    lines += [f"kernel {kernel}", f"variant {variant}"]
    lines += [f"size {size} {n}" for size, n in sizes.items()]
    for role, tensors in (("input", inputs), ("output", results)):
        for tensor, values in tensors.items():
            lines += golden_vectors.tensor_lines(role, tensor, words_of(values))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(golden_vectors.main(__doc__, "hbm_pim", {f"{case[0]}.txt": case_text(case) for case in CASES}))
