#!/usr/bin/env python3
"""Five kernels on one machine of each family: writes the table of docs/five-kernels.md.

    scripts/five_kernels.py PIMENTO             write the table
    scripts/five_kernels.py PIMENTO --check     say where the page differs from what the tool answers
    ... --sizes 4k                              only these sizes (4k, 64k, 1M)
"""

import argparse
import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs" / "five-kernels.md"
MACHINES = ["hbm-pim", "aim", "upmem", "l3-sram", "cim-a9"]
SIDES = {"4k": 64, "64k": 256, "1M": 1024}  # elements of the largest tensor: the square of these


def sizes(kernel, side):
    if kernel == "gemv":
        return f"m={side},n={side}"
    return f"m={side},n={side},k={side}" if kernel == "gemm" else f"n={side * side}"


def rounded(value, units):
    for factor, unit in units:
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return f"{value:.4g} {units[-1][1]}"


def cell(row):
    if row.get("diagnostics"):
        return "error: " + row["diagnostics"][0]["code"]
    time = rounded(row["time_ns"], [(1e6, "ms"), (1e3, "us"), (1, "ns")])
    energy = rounded(row["energy_pj"], [(1e9, "mJ"), (1e6, "uJ"), (1e3, "nJ"), (1, "pJ")])
    return f"{time}, {energy}" + (" (sampled)" if row.get("interval") else "")


KERNELS = ("gemv", "va", "red", "hst", "gemm")
HEAD = "| kernel | elements | " + " | ".join(MACHINES) + " |"


def row(tool, kernel, name):
    command = [tool, "compare", kernel, "--size", sizes(kernel, SIDES[name]), "--dtype", "i32", "--targets", ",".join(MACHINES), "--json"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    rows = {r["target"]: r for r in json.loads(answer.stdout)["rows"]}
    return f"| {kernel} | {name} | " + " | ".join(cell(rows[m]) for m in MACHINES) + " |"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("tool")
    options.add_argument("--check", action="store_true")
    options.add_argument("--sizes", default=",".join(SIDES))
    given = options.parse_args()
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(HEAD + "\n", 1)
    rule, *old = rest.split("\n\n", 1)[0].splitlines()
    after = rest.split("\n\n", 1)[1]
    known = {tuple(line.split(" | ")[:2]): line for line in old}
    wrong = 0
    for name in given.sizes.split(","):
        for kernel in KERNELS:
            line = row(given.tool, kernel, name)
            key = tuple(line.split(" | ")[:2])
            if known.get(key) != line:
                wrong += 1
                print(f"- {known.get(key, '')}\n+ {line}")
            known[key] = line
    table = [known[key] for kernel in KERNELS for name in SIDES if (key := (f"| {kernel}", name)) in known]
    if not given.check:
        PAGE.write_text(before + "\n".join([HEAD, rule, *table]) + "\n\n" + after, encoding="utf-8")
    return 1 if given.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
