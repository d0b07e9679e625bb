#!/usr/bin/env python3
"""What each rule of `attacc` costs, as a table.

    scripts/near_bank_rules.py TOOL            prints it
    scripts/near_bank_rules.py TOOL --every N  one shape in N

The published streams of the study's kernels and sizes (Figs 8 and 9 of DCC, baseline mappings), in cycles: on
attacc-published, on attacc, and on attacc with one rule left out.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

# Without units' programs, so that attention runs as the study's stream.
BASE = "extends: attacc\nnear_bank: null\n"


def without(*constraints):
    return "constraints:\n" + "".join(f"  {c}: null\n" for c in constraints)


VARIANTS = {
    "attacc": "",
    "no tFAW of all banks": without("activates_of_all", "activates_before_all"),
    "no tRP before REF": without("precharge_refresh", "activate_refresh"),
    "no WR, RD to MACAB": ("constraints:\n  write_read_rank: {following: [RD]}\n  write_read_group: {following: [RD]}\n"
                           "  column_mac: null\n"),
    "no waits of the units": without("load_mac", "mac_move"),
    "several open rows": "quirks: {several_open_rows: true}\n",
}


def shapes():
    for kernel in ("bgemv", "attn"):
        for batch in (1, 4):
            for heads in (32, 64):
                for length in (512, 4096):
                    yield kernel, f"batch={batch},heads={heads},dhead=128,len={length}"
    for batch in (1, 2, 4):
        for n in (1024, 2048, 4096):
            yield "red", f"batch={batch},n={n}"


def cycles(tool, machine, kernel, size):
    out = subprocess.run([tool, "estimate", kernel, "--size", size, "--target", machine, "--map",
                          "reference;program=published", "--json"], capture_output=True, text=True, check=False)
    if out.returncode != 0:
        sys.exit(f"{kernel} {size} on {machine}: {out.stderr}")
    return json.loads(out.stdout)["cycles"]


def table(tool, every):
    heads = ["kernel", "size", "attacc-published", *VARIANTS]
    lines = ["| " + " | ".join(heads) + " |", "|---|---|" + "---:|" * (len(heads) - 2)]
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for i, text in enumerate(VARIANTS.values()):
            files.append(pathlib.Path(folder) / f"rules-{i}.yaml")
            files[-1].write_text(f"name: rules-{i}\n{BASE}{text}")
        for kernel, size in list(shapes())[::every]:
            row = [cycles(tool, "attacc-published", kernel, size)]
            row += [cycles(tool, str(f), kernel, size) for f in files]
            short = size.replace("dhead=128,", "").replace(",", ", ")
            lines.append(f"| {kernel} | {short} | " + " | ".join(f"{c:,}" for c in row) + " |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one shape in N")
    options = parser.parse_args()
    print(table(options.tool, max(options.every, 1)), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
