#!/usr/bin/env python3
"""`--convert f32=f16` on layers of networks, against NumPy in f16 and in f32 with the operations in the same order: the
results bit for bit, the reported error as the same number. Layers that are one sum of products in `--convert f32=i8` too,
against NumPy in integers.

Each layer is its network's in kind and in the length of its sums; of outputs there are a few.

usage: run_convert.py PIMENTO [--every N] [--only TEXT]

--every: only each Nth layer. Exit status 77 without NumPy.
"""

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("not run here: needs numpy")
    sys.exit(77)


class Sums:
    """What f16 is accumulated in: by the host f16, by UPMEM's programs f32, rounded once at the end."""
    accumulator = np.float16


def summed(terms):
    """One after the other."""
    total = None
    for term in terms:
        wide = Sums.accumulator if term.dtype == np.float16 else term.dtype
        term, narrow = term.astype(wide), term.dtype
        total = np.zeros_like(term) + term if total is None else total + term
    return total.astype(narrow)


def product(w, x):
    """w[i, j] * x[j], summed over j."""
    return summed(w[:, j] * x[j] for j in range(w.shape[1]))


def rows(x, w):
    """x[t, j] * w[i, j], summed over j."""
    return summed(x[:, None, j] * w[None, :, j] for j in range(w.shape[1]))


def windows(x, size, stride, out):
    for a, b in itertools.product(range(size), repeat=2):
        yield x[..., a:a + stride * (out - 1) + 1:stride, b:b + stride * (out - 1) + 1:stride]


def convolution(w, x, stride, out):
    """w[f, c, a, b] * x[c, S i + a, S j + b], summed over c, a, b."""
    size = w.shape[2]
    return summed(w[:, c, a, b][:, None, None] * part[None]
                  for c in range(x.shape[0])
                  for (a, b), part in zip(itertools.product(range(size), repeat=2), windows(x[c], size, stride, out)))


def through_double(function):
    """A library function in double precision, rounded once."""
    return lambda x: function(x.astype(np.float64)).astype(x.dtype)


exp, tanh = through_double(np.exp), through_double(np.tanh)


def sigmoid(x):
    one = x.dtype.type(1)
    return one / (one + exp(x.dtype.type(0) - x))


def softmax(x):
    e = exp(x - np.max(x, 1, keepdims=True))
    return e / summed(e[:, j] for j in range(e.shape[1]))[:, None]


def layer_norm(x, g, b):
    n, T = x.shape[1], x.dtype.type
    mean = summed(x[:, j] for j in range(n)) / T(n)
    d = x - mean[:, None]
    variance = summed(d[:, j] * d[:, j] for j in range(n)) / T(n)
    return d / np.sqrt(variance + T(1e-5))[:, None] * g[None] + b[None]


def rms_norm(x, g):
    n, T = x.shape[1], x.dtype.type
    square = summed(x[:, j] * x[:, j] for j in range(n)) / T(n)
    return x / np.sqrt(square + T(1e-5))[:, None] * g[None]


def gelu(x):
    T = x.dtype.type
    return x * T(0.5) * (T(1) + tanh((x + x * x * x * T(0.044715)) * T(0.79788456)))


SIGMOID = "y[i] = 1 / (1 + exp(0 - x[i]))"
SOFTMAX = "m[t] max= x[t,j]; e[t,j] = exp(x[t,j] - m[t]); s[t] += e[t,j]; y[t,j] = e[t,j] / s[t]"
LAYER_NORM = ("s[t] += x[t,j]; m[t] = s[t] / {n}; d[t,j] = x[t,j] - m[t]; v[t] += d[t,j] * d[t,j]; "
              "r[t] = sqrt(v[t] / {n} + 0.00001); y[t,j] = d[t,j] / r[t] * g[j] + b[j]")
RMS_NORM = ("v[t] += x[t,j] * x[t,j]; r[t] = sqrt(v[t] / {n} + 0.00001); y[t,j] = x[t,j] / r[t] * g[j]")
GELU = "y[i] = x[i] * 0.5 * (1 + tanh((x[i] + x[i] * x[i] * x[i] * 0.044715) * 0.79788456))"
PRODUCT = "y[i] += w[i,j] * x[j]"
ROWS = "y[t,i] += x[t,j] * w[i,j]"


def conv(size, stride, channels, out=3, filters=4):
    extent = stride * (out - 1) + size
    index = [f"{stride}*{i}+{a}" if stride > 1 else f"{i}+{a}" for i, a in ("ia", "jb")]
    return (f"y[f,i,j] += w[f,c,a,b] * x[c,{index[0]},{index[1]}]",
            {"f": filters, "c": channels, "a": size, "b": size, "i": out, "j": out},
            {"w": (filters, channels, size, size), "x": (channels, extent, extent)},
            lambda w, x: {"y": convolution(w, x, stride, out)})


def pool(size, stride, channels, out=3):
    extent = stride * (out - 1) + size
    return (f"y[c,i,j] max= x[c,{stride}*i+a,{stride}*j+b]",
            {"c": channels, "a": size, "b": size, "i": out, "j": out}, {"x": (channels, extent, extent)},
            lambda x: {"y": np.maximum.reduce(list(windows(x, size, stride, out)))})


def linear(n, m=16):
    return PRODUCT, {"i": m, "j": n}, {"w": (m, n), "x": (n,)}, lambda w, x: {"y": product(w, x)}


def linear_rows(n, m=8, t=3):
    return ROWS, {"t": t, "i": m, "j": n}, {"x": (t, n), "w": (m, n)}, lambda x, w: {"y": rows(x, w)}


def each(notation, function, n, names="x"):
    return notation, {"i": n}, {name: (n,) for name in names}, lambda *a: {"y": function(*a)}


def norm(notation, function, n, extra, t=3):
    return (notation.format(n=n), {"t": t, "j": n}, {"x": (t, n)} | {name: (n,) for name in extra},
            lambda *a: {"y": function(*a)})


def relu(x):
    return np.maximum(x, x.dtype.type(0))


def scores(q, k):
    T = q.dtype.type
    return rows(q, k) * T(0.125)


def depthwise(w, x):
    return summed(w[:, a, b][:, None, None] * part
                  for (a, b), part in zip(itertools.product(range(3), repeat=2), windows(x, 3, 1, 4)))


def average(x):
    n = x.shape[1]
    return summed(x[:, i, j] for i in range(n) for j in range(n)) / x.dtype.type(n * n)


def cell(f, c, i, g):
    return f * c + i * g


# network: {layer: (notation, sizes, shapes of the operands, NumPy's function of them)}
LAYERS = {
    "rnnt": {
        "gates of layer 1": linear(240), "gates of layer 3": linear(2048), "sigmoid": each(SIGMOID, sigmoid, 320),
        "cell": each("y[i] = f[i] * c[i] + i_[i] * g[i]".replace("i_", "u"), cell, 320, "fcug"),
        "hidden": each("y[i] = o[i] * tanh(c[i])", lambda o, c: o * tanh(c), 320, "oc")},
    "alexnet": {
        "conv 1": conv(11, 4, 3), "relu": each("y[i] = relu(x[i])", relu, 500), "pool 1": pool(3, 2, 8),
        "conv 2": conv(5, 1, 64), "dense 6": linear(9216)},
    "resnet": {
        "stem": conv(7, 2, 3), "conv 3x3": conv(3, 1, 64), "conv 1x1": conv(1, 1, 256, filters=8),
        "sum and relu": each("y[i] = relu(x[i] + z[i])", lambda x, z: relu(x + z), 500, "xz"), "dense": linear(2048)},
    "wav2": {
        "projection": linear_rows(512), "layer norm": norm(LAYER_NORM, layer_norm, 768, "gb"),
        "softmax": norm(SOFTMAX, softmax, 49, ""), "gelu": each(GELU, gelu, 500), "feed forward": linear_rows(3072)},
    "vgg16": {
        "conv 1": conv(3, 1, 3), "conv 5": conv(3, 1, 512, out=2), "pool": pool(2, 2, 16), "dense 1": linear(25088),
        "relu": each("y[i] = relu(x[i] + z[i])", lambda x, z: relu(x + z), 500, "xz")},
    "mobilenet": {
        "depthwise": ("y[c,i,j] += w[c,a,b] * x[c,i+a,j+b]", {"c": 16, "a": 3, "b": 3, "i": 4, "j": 4},
                      {"w": (16, 3, 3), "x": (16, 6, 6)}, lambda w, x: {"y": depthwise(w, x)}),
        "pointwise": conv(1, 1, 96, filters=8),
        "hardswish": each("y[i] = x[i] * min(max(x[i] + 3, 0), 6) / 6",
                          lambda x: x * np.minimum(np.maximum(x + x.dtype.type(3), x.dtype.type(0)), x.dtype.type(6)) /
                          x.dtype.type(6), 500),
        "average": ("s[c] += x[c,i,j]; y[c] = s[c] / 49", {"c": 16, "i": 7, "j": 7}, {"x": (16, 7, 7)},
                    lambda x: {"y": average(x)}),
        "batch norm": ("y[c,i] = (x[c,i] - m[c]) * g[c] + b[c]", {"c": 16, "i": 49},
                       {"x": (16, 49), "m": (16,), "g": (16,), "b": (16,)},
                       lambda x, m, g, b: {"y": (x - m[:, None]) * g[:, None] + b[:, None]})},
    "bert": {
        "query": linear_rows(768), "scores": ("s[t,i] += q[t,j] * k[i,j]; y[t,i] = s[t,i] * 0.125",
                                              {"t": 4, "i": 8, "j": 64}, {"q": (4, 64), "k": (8, 64)},
                                              lambda q, k: {"y": scores(q, k)}),
        "softmax": norm(SOFTMAX, softmax, 128, ""), "layer norm": norm(LAYER_NORM, layer_norm, 768, "gb"),
        "gelu": each(GELU, gelu, 600)},
    "llama": {
        "query": linear(4096), "rms norm": norm(RMS_NORM, rms_norm, 4096, "g", t=2),
        "silu": each("y[i] = x[i] / (1 + exp(0 - x[i])) * z[i]",
                     lambda x, z: x / (x.dtype.type(1) + exp(x.dtype.type(0) - x)) * z, 500, "xz"),
        "rotary": each("y[i] = x[i] * c[i] - z[i] * s[i]", lambda x, c, z, s: x * c - z * s, 500, "xczs"),
        "down": linear(11008)},
}


def errors(original, converted):
    """The numbers of the report, from their definitions."""
    was, now = original.astype(np.float64), converted.astype(np.float64)
    difference = np.abs(now - was)
    relative = np.divide(difference, np.abs(was), out=np.zeros_like(was), where=was != 0)
    at = np.unravel_index(int(np.argmax(difference)), was.shape)
    return {"elements": was.size, "largest": float(difference.max()), "magnitude": float(np.abs(was).max()),
            "where": f"y[{', '.join(str(int(i)) for i in at)}]" if difference.max() > 0 else None,
            "largest_relative": float(relative.max()), "mean": float(summed(difference.ravel())) / was.size, "lost": 0}


def quantised(array):
    """Integers, and what 1 of them stands for."""
    scale = float(np.abs(array).max()) / 127
    return np.clip(np.rint(array.astype(np.float64) / scale), -127, 127).astype(np.int64), scale


def complaint(pimento, layer, seed, folder, mapping):
    notation, sizes, shapes, function = layer
    random = np.random.default_rng(seed)
    terms = max(int(np.prod(shapes["w"][1:])) if "w" in shapes else 1, 1)
    data = {name: random.uniform(-1, 1, shape).astype(np.float32) for name, shape in shapes.items()}
    if "w" in data:
        data["w"] = (data["w"] * np.sqrt(3 / terms)).astype(np.float32)
    for name, array in data.items():
        np.save(folder / f"{name}.npy", array)
    files = ",".join(f"{name}={folder / name}.npy" for name in data)
    command = [pimento, "simulate", notation, "--size", ",".join(f"{k}={v}" for k, v in sizes.items()), "--dtype", "f32",
               "--target", "upmem", "--map", "reference" if mapping == "i8" else mapping,
               "--convert", "f32=i8" if mapping == "i8" else "f32=f16", "--data", files, "--json", "--out",
               f"y={folder / 'out.npy'}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        return done.stderr.strip()
    original = function(*data.values())["y"]
    if mapping == "i8":
        integers = {name: quantised(array) for name, array in data.items()}
        sums = function(*(q for q, _ in integers.values()))["y"]
        result = np.load(folder / "out.npy")
        if result.dtype != np.int32 or not np.array_equal(result, sums):
            return f"{int(np.sum(result != sums))} of {result.size} results are not those of NumPy in integers"
        return wrong_error(done.stdout, original, sums * float(np.prod([scale for _, scale in integers.values()])))
    converted = function(*(a.astype(np.float16) for a in data.values()))["y"]
    if original.dtype != np.float32 or converted.dtype != np.float16:
        return "the NumPy side has left its type"
    result = np.load(folder / "out.npy")
    if result.dtype != np.float16 or not np.array_equal(result, converted):
        return f"{int(np.sum(result != converted))} of {result.size} results are not those of NumPy in f16"
    return wrong_error(done.stdout, original, converted)


def wrong_error(output, original, converted):
    """What is wrong with the error that the report states; None if nothing is."""
    report = json.loads(output)["conversion"]["error"]
    is_scaled = converted.dtype == np.float64  # scales are multiplied in another order
    for key, value in errors(original, converted).items():
        if report[key] == value:
            continue
        if isinstance(value, float) and (is_scaled or key == "mean") and abs(report[key] - value) <= 1e-9 * abs(value):
            continue
        return f"{key} is {report[key]}, by NumPy {value}"
    return None


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("pimento")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    layers = [(f"{network}: {name}", layer) for network, of in LAYERS.items() for name, layer in of.items()]
    layers = [x for x in layers if options.only in x[0]][::options.every]

    def tried(named):
        with tempfile.TemporaryDirectory() as place:
            return complaint(options.pimento, named[1], zlib.crc32(named[0].encode()), Path(place), mapping)

    wrong = []
    products = [x for x in layers if "w" in x[1][2] and x[1][0].startswith("y") and "*" in x[1][0]]
    for mapping, Sums.accumulator in (("host", np.float16), ("reference", np.float32), ("i8", np.float16)):
        chosen = products if mapping == "i8" else layers
        with ThreadPoolExecutor(2) as pool_:
            found = list(zip(chosen, pool_.map(tried, chosen)))
        wrong += [f"{name}, mapping {mapping}: {what}" for (name, _), what in found if what]
    print("\n".join(wrong + [f"{len(layers)} layers, {len(products)} of them in i8, {len(wrong)} answers wrong"]))
    return 1 if wrong or not layers else 0


if __name__ == "__main__":
    sys.exit(main())
