#!/usr/bin/env python3
"""Every kernel of the zoo, on machines and sizes, from Python on NumPy arrays: the simulated device gives the bits of
the interpreter, evaluated in the mapping's order.

usage: zoo_kernels.py [SIZES]        default: 2 sizes of each
"""

import sys

from support import has_llvm, np, pimento  # first: says "not run here" without NumPy
import kernels as K

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
    if not same_bits(k(*arrays, mode="simulate"), k(*arrays, mode="estimate")):
        sys.exit(f"{name} {sizes} on {target}: the device and the interpreter differ\n{k.mapping}")
    counts["equal"] += 1
    return True


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2
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
