#!/usr/bin/env python3
"""Every kernel of the zoo, on machines and sizes, from Python on NumPy arrays: the simulated device gives the bits of
the interpreter, evaluated in the mapping's order. With PyTorch: the same bits for its tensors, and what PyTorch computes in
double precision, within the bounds of `expected`.

usage: zoo_kernels.py [SIZES [--without-torch]]        default: 2 sizes of each
"""

import sys

from support import has_llvm, np, pimento  # first: says "not run here" without NumPy
import kernels as K

try:
    import torch
except ImportError:
    torch = None
    print("not run here: PyTorch's side")

# Sizes that a kernel's smallest interesting cases have; others are drawn.
SIZES = {
    "gemv": dict(m=(1, 90), n=(1, 150), batch=(1, 2)),
    "bgemv": dict(batch=(1, 2), heads=(1, 4), dhead=(4, 40), len=(1, 40)),
    "gemvrelu": dict(m=(1, 90), n=(1, 150)), "va": dict(n=(1, 3000)), "add": dict(n=(1, 3000)),
    "mul": dict(n=(1, 3000)),
    "relu": dict(n=(1, 3000)), "axpy": dict(n=(1, 3000)), "red": dict(n=(1, 2000)), "sel": dict(n=(1, 600)),
    "hst": dict(n=(1, 600)), "scan": dict(n=(1, 600)), "gemm": dict(m=(1, 12), n=(1, 20), k=(1, 20)),
    "attn": dict(batch=(1, 1), heads=(1, 3), dhead=(4, 32), len=(1, 30)), "mlp": {},
}
TARGETS = ("hbm-pim", "hbm-pim-sound", "attacc", "aim", "upmem", "l3-sram")
# What takes long from the first size on.
SKIPPED = {("mlp", t) for t in TARGETS}
# The same in Python: the shapes of the parameters, from the zoo's sizes.
IN_PYTHON = {
    "gemv": (K.gemv, lambda s: [(s["m"], s["n"]), (s["n"],)]), "va": (K.va, lambda s: [(s["n"],)] * 2),
    "add": (K.va, lambda s: [(s["n"],)] * 2), "mul": (K.mul, lambda s: [(s["n"],)] * 2),
    "relu": (K.relu, lambda s: [(s["n"],)]), "red": (K.red, lambda s: [(s["n"],)]),
    "scan": (K.scan, lambda s: [(s["n"],)]), "gemm": (K.gemm, lambda s: [(s["m"], s["k"]), (s["k"], s["n"])]),
}


def operands(k, data):
    """Random arrays for the inputs; of attention and histograms, values that make sense."""
    arrays = []
    for t in k._parameters:
        shape = () if t.is_scalar else t.shape
        if t.type.is_float:
            arrays.append(t.type.encode(data.uniform(-1, 1, shape)))
        else:
            arrays.append(data.integers(0, min(t.type.high, 255) // (2 if t.type.is_signed else 1), shape)
                          .astype(t.numpy))
    return arrays


EPSILON = {"f16": 2.0 ** -10, "bf16": 2.0 ** -7, "f32": 2.0 ** -23}
SMALLEST = {"f16": 2.0 ** -24}  # results below its normal numbers


def expected(name, x, y=None, z=None):
    """What PyTorch computes of tensors in f64 (of integers: i64), and how far rounding may lead from it, in steps of the
    type: each of the sums of n terms rounds at most n + 2 times, by at most half a step of the sum of the magnitudes.
    Softmax divides two such sums; its terms lie within 1."""
    name = name.split()[0]
    dot = lambda a, b: (a @ b, a.abs() @ b.abs() * (a.shape[-1] + 2))
    if name == "gemv":
        return dot(y, x.T) if y.dim() == 2 else dot(x, y)
    if name == "bgemv":
        made, steps = dot(x, y.unsqueeze(-1))
        return made.squeeze(-1), steps.squeeze(-1)
    if name == "gemvrelu":
        made, steps = dot(x, y)
        return torch.relu(made + z), steps + z.abs() * 2
    if name in ("va", "add", "mul"):
        made = x * y if name == "mul" else x + y
        return made, made.abs()
    if name == "relu":
        return torch.relu(x), x.abs() * 0
    if name == "red":
        return x.sum().reshape(1), x.abs().sum().reshape(1) * (x.numel() + 2)
    if name == "scan":
        return x.cumsum(0), x.abs().cumsum(0) * (x.numel() + 2)
    if name == "gemm":
        return dot(x, y)
    if name == "attn":
        root = x.shape[-1] ** 0.5
        weights = torch.softmax((y @ x.unsqueeze(-1)).squeeze(-1) / root, -1)
        made = (weights.unsqueeze(-2) @ z).squeeze(-2)
        score = (y.abs() @ x.abs().unsqueeze(-1)).max() / root * (x.shape[-1] + 3)
        return made, torch.ones_like(made) * z.abs().max() * (2 * score + 2 * y.shape[-2] + 8)
    return None


def agrees_with_torch(name, k, arrays, result):
    """Whether PyTorch's tensors give the same bits, and PyTorch nearly the same numbers."""
    if torch is None:
        return True
    tensors = [torch.from_numpy(a.view("int16") if a.dtype == np.uint16 else a) if a.dtype not in (np.uint32, np.uint64)
               else a for a in arrays]
    given = [a if t.type.is_bits else x for t, a, x in zip(k._parameters, arrays, tensors)]
    if not same_bits(k(*given, mode="estimate"), result):
        return False
    type = k._parameters[0].type
    wide = [torch.from_numpy(t.type.decode(a).astype(np.float64 if t.type.is_float else np.int64))
            for t, a in zip(k._parameters, arrays)]
    of = expected(name, *wide) if len(wide) <= 3 else None
    if of is None or isinstance(result, tuple):
        return True
    made = np.asarray(k._results[0].type.decode(np.asarray(result)), of[0].numpy().dtype)
    made = torch.from_numpy(made.reshape(of[0].shape))
    if not type.is_float:
        width = 1 << k._results[0].type.bits
        return bool(((made - of[0]) % width == 0).all())
    return bool(((made - of[0]).abs() <= of[1] * EPSILON[type.name] + SMALLEST.get(type.name, 0)).all())


def same_bits(device, estimated):
    pairs = zip(*((x if isinstance(x, tuple) else (x,)) for x in (device, estimated)))
    return all(np.asarray(a).tobytes() == np.asarray(b).tobytes() for a, b in pairs)


def check(name, kernel, sizes, target, data, counts):
    try:
        map = "reference" if name in ("sel", "hst", "scan") else "auto"
        k = pimento.init_kernel(kernel, sizes, target=target, map=map)
    except pimento.Error as error:
        if not error.hint:
            sys.exit(f"{name} {sizes} on {target}: no hint\n{error}")
        counts["refused"] += 1
        return False
    arrays = operands(k, data)
    estimated = k(*arrays, mode="estimate")
    if not agrees_with_torch(name, k, arrays, estimated):
        sys.exit(f"{name} {sizes} on {target}: PyTorch computes something else\n{k.mapping}")
    if not same_bits(k(*arrays, mode="simulate"), estimated):
        sys.exit(f"{name} {sizes} on {target}: the device and the interpreter differ\n{k.mapping}")
    counts["equal"] += 1
    return True


def main():
    global torch
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    if "--without-torch" in sys.argv:
        torch = None
    data = np.random.default_rng(5)
    counts = {"equal": 0, "refused": 0}
    ran = {}
    for name, ranges in SIZES.items():
        for target in TARGETS:
            if (name, target) in SKIPPED or (target == "upmem" and not has_llvm()):
                continue
            for _ in range(rounds):
                sizes = {s: int(data.integers(low, high + 1)) for s, (low, high) in ranges.items()}
                if not check(name, name, sizes, target, data, counts):
                    break
                ran.setdefault(target, set()).add(name)
            if name in IN_PYTHON and name in ran.get(target, ()) and sizes.get("batch", 1) == 1:
                kernel, shapes = IN_PYTHON[name]
                check(f"{name} in Python", kernel, shapes(sizes), target, data, counts)
    print(f"{counts['equal']} equal, {counts['refused']} refused; by machine: "
          + ", ".join(f"{t}: {len(names)} kernels" for t, names in ran.items()))
    if min(len(names) for names in ran.values()) < 2 or counts["equal"] < 40:
        sys.exit("too few ran")


if __name__ == "__main__":
    main()
