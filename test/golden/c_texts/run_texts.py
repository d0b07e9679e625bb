#!/usr/bin/env python3
"""Runs C files as others write them on UPMEM: every answer must be that of the file, compiled for this machine.

The files beside it are small programs; their first line may be "// pimento: OPTIONS". kernels/polybench holds the 30 programs of
PolyBench's list, written from their definitions in its style, as integers and floats.

usage: run_texts.py PIMENTO [mini|small|medium] [NAME...] [--every N]

--every: of the files of each folder in the order of their names, only the first of each N.
"""

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
POLYBENCH = HERE.parents[2] / "kernels" / "polybench"

# As integers: a step of 1 / N is 0, and no random matrix has a root. What C leaves undefined ends the comparison.
UNDEFINED_AS_INTEGERS = {"adi", "cholesky"}
# As integers, sums of squares must not overflow before their root is taken, and divisors not be 0.
SMALL_NUMBERS = {"correlation", "durbin", "gramschmidt"}

# What runs on the host: exp and log of double precision are in no library for DPUs, and single-precision pow needs them.
ON_THE_HOST = {"deriche"}
# A sweep in place needs its array in one DPU's working memory.
TOO_LARGE = {"medium": {"seidel-2d"}}


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def complaint(pimento, text, options, may_be_undefined=False):
    """What is wrong with the answer of one file; nothing if it is the file's own."""
    status, out, said = run(pimento, "simulate", text, "--target", "upmem", "--json", *options)
    if status != 0:
        return said.strip() or "failed"
    result = json.loads(out)
    if not result["checked"]:
        return "is not checked"
    against = result["checked_against"]
    if against.startswith("C, "):
        return None
    is_undefined = any("so the result is undefined" in w for w in result.get("warnings", []))
    if may_be_undefined and is_undefined and against == "interpreter":
        return None
    return f"is checked against {against}: {said}"


def stencil_rounds(pimento):
    """A thousand rounds are one loop around the two kernels of a round, not 2,000 kernels."""
    options = ["--size", "rounds=1000,n=64", "--target", "upmem"]
    status, out, said = run(pimento, "compile", HERE / "stencil5.c", "--emit", "kernel", *options)
    if status != 0 or out.count("\n  kernel ") != 2 or "for t in 0..1000 {" not in out:
        return out + said
    status, _, said = run(pimento, "estimate", HERE / "stencil5.c", *options)
    return said if status != 0 else None


def main():
    arguments, every = sys.argv[1:], 1
    if "--every" in arguments:
        at = arguments.index("--every")
        every = int(arguments[at + 1])
        del arguments[at : at + 2]
    pimento, size, names = arguments[0], (arguments[1:] or ["mini"])[0], arguments[2:]
    wrong, count = [], 0

    def see(name, found):
        nonlocal count
        count += 1
        if found:
            wrong.append(f"{name}: {found}")

    if size == "mini":
        for text in sorted(HERE.glob("*.c"))[::every]:
            first = text.read_text().splitlines()[0]
            see(text.name, complaint(pimento, text, first.split(": ")[1].split() if first.startswith("// pimento: ") else []))
        see("stencil5.c in 1000 rounds", stencil_rounds(pimento))
    programs = [p for p in sorted(POLYBENCH.glob("*.c")) if not names or p.stem in names]
    for text in programs[::every]:
        for kind in ["INT", "FLOAT"]:
            options = ["--offload", "possible"] if text.stem in ON_THE_HOST | TOO_LARGE.get(size, set()) else []
            options += ["-I", POLYBENCH / "utilities", f"-D{size.upper()}_DATASET", f"-DDATA_TYPE_IS_{kind}"]
            if kind == "INT" and text.stem in SMALL_NUMBERS:
                options += ["--data", "uniform:2,9"]
            may_be_undefined = kind == "INT" and text.stem in UNDEFINED_AS_INTEGERS
            see(f"{text.stem} {kind}", complaint(pimento, text, options, may_be_undefined))
    for each in wrong:
        print(each)
    print(f"{count} runs, {len(wrong)} of them wrong")
    return 1 if wrong or (not names and len(programs) != 30) else 0


if __name__ == "__main__":
    sys.exit(main())
