#!/usr/bin/env python3
"""Every op that MLIR files may have, at random shapes on random data: `simulate` on UPMEM against NumPy.

usage: run_ops.py PIMENTO [--shapes N] [--first N] [--only TEXT] [--keep FOLDER]

--shapes: of each op (default 1), from number --first on. --only: ops whose names have this text. --keep: files of cases
that fail. Exit status 77 without NumPy.
"""

import argparse
import re
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

import bodies
import convolutions
import loops
import products
import shapes
import tosa
from case import Draw

OPS = {**products.OPS, **convolutions.OPS, **shapes.OPS, **bodies.OPS, **loops.OPS, **tosa.OPS}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


def signed(array):
    """What MLIR's signless integers are in a file."""
    return array.view(f"i{array.dtype.itemsize}") if array.dtype.kind == "u" else array


def complaint(pimento, case, folder):
    text = folder / "op.mlir"
    text.write_text(case.text)
    status, kernel, said = run(pimento, "compile", text, "--target", "upmem")
    if status != 0:
        return said.strip()
    outputs = re.findall(r"^  (?:output|inout) (\w+) :", kernel, re.M)
    if len(outputs) != len(case.results):
        return f"outputs {outputs} of {len(case.results)} results"
    inputs = re.findall(r"^  (?:input|inout) (\w+) :", kernel, re.M)  # those that the results depend on
    for name in inputs:
        # What a function writes may be an in-out: its old contents are nobody's.
        array = case.arguments.get(name, np.zeros_like(case.results[0]))
        np.save(folder / f"{name}.npy", np.asarray(signed(array), order="C"))
    data = ["--data", ",".join(f"{name}={folder / name}.npy" for name in inputs)] if inputs else []
    outs = [word for name in outputs for word in ("--out", f"{name}={folder / name}_is.npy")]
    status, _, said = run(pimento, "simulate", text, "--target", "upmem", *data, "--check", "interpreter",
                          *outs)
    if status != 0:
        return said.strip()
    return case.complaint([np.load(folder / f"{name}_is.npy") for name in outputs])


def tried(pimento, op, number, keep):
    case = OPS[op](Draw(zlib.crc32(f"{op} {number}".encode())))
    with tempfile.TemporaryDirectory() as place:
        try:
            wrong = complaint(pimento, case, Path(place))
        except Exception as e:  # a case that cannot be tried is a wrong one
            wrong = f"{type(e).__name__}: {e}"
        if wrong and keep:
            target = Path(keep) / re.sub(r"\W+", "_", f"{op}_{number}")
            subprocess.run(["cp", "-r", place, str(target)], check=True)
    return op, number, wrong


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("pimento")
    parser.add_argument("--shapes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep")
    options = parser.parse_args()
    cases = [(op, n) for op in OPS if options.only in op
             for n in range(options.first, options.first + options.shapes)]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda c: tried(options.pimento, *c, options.keep), cases))
    wrong = [f for f in found if f[2]]
    for op, number, what in wrong:
        print(f"{op}, shape {number}: {what}")
    print(f"{len(set(op for op, _ in cases))} ops, {len(cases)} cases, {len(wrong)} of them wrong")
    return 1 if wrong or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
