#!/usr/bin/env python3
"""Both passes on every MLIR file of examples/: each linalg op is annotated, and no file makes mlir-opt fail.

usage: every_example.py MLIR_OPT PLUGIN EXAMPLES
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PASSES = "pimento-annotate{map=reference jobs=1 sizes=d0=64,d1=64,d2=64,d3=16}"
WORK = re.compile(r"^ *(?:%\S+ = )?linalg\.(?!yield|index)\w+", re.MULTILINE)


def run(mlir_opt, plugin, path):
    """(ops, what is wrong or None)."""
    command = [mlir_opt, f"--load-pass-plugin={plugin}", path]
    annotated = subprocess.run([*command, f"--pass-pipeline=builtin.module({PASSES})"], check=False,
                               capture_output=True, text=True)
    if annotated.returncode != 0:
        return 0, annotated.stderr
    both = subprocess.run([*command[:2], "--pass-pipeline=builtin.module(pimento-offload)"], input=annotated.stdout,
                          check=False, capture_output=True, text=True)
    if both.returncode != 0:
        return 0, both.stderr
    ops = len(WORK.findall(annotated.stdout))
    decided = annotated.stdout.count("pimento.offload = ")
    reasons = annotated.stdout.count("pimento.reason = ")
    return ops, None if ops == decided == reasons else f"{ops} ops, {decided} decisions, {reasons} reasons"


def main():
    mlir_opt, plugin, folder = sys.argv[1:]
    paths = sorted(Path(folder).glob("**/*.mlir"))
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda p: run(mlir_opt, plugin, p), paths))
    for path, (_, wrong) in zip(paths, results):
        if wrong:
            print(f"{path.name}: {wrong}")
    print(f"{len(paths)} files, {sum(ops for ops, _ in results)} ops, {sum(w is not None for _, w in results)} failures")
    return 1 if len(paths) < 10 or any(wrong for _, wrong in results) else 0


if __name__ == "__main__":
    sys.exit(main())
