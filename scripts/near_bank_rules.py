#!/usr/bin/env python3
"""What each rule of `attacc` costs, as a table.

    scripts/near_bank_rules.py TOOL            prints it
    scripts/near_bank_rules.py TOOL --every N  one shape in N
    scripts/near_bank_rules.py TOOL --write    puts it into docs/models/near-bank.md

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

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs" / "models" / "near-bank.md"
BEGIN, END = "<!-- rules: begin -->\n", "<!-- rules: end -->\n"


def without(*constraints):
    return "constraints:\n" + "".join(f"  {c}: null\n" for c in constraints)


VARIANTS = {
    "attacc": "",
    "no tRCD": without("activate_column"),
    "no tRAS": without("activate_precharge"),
    "no tRP": without("precharge_activate"),
    "no tRC": without("activate_activate_bank"),
    "no tRTP": without("read_precharge"),
    "no tWR": without("write_precharge"),
    "no tRRD": without("activate_activate_rank", "activate_activate_group"),
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


def write(text):
    page = DOCS.read_text()
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    DOCS.write_text(page[:begin] + text + page[end:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="one shape in N")
    parser.add_argument("--write", action="store_true", help="into the page of the model")
    options = parser.parse_args()
    text = table(options.tool, max(options.every, 1))
    write(text) if options.write else print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
