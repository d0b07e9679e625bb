#!/usr/bin/env python3
"""The C example prints what docs/how-to/c-api.md shows.

usage: example_test.py PROGRAM PAGE
"""

import subprocess
import sys
from pathlib import Path


def main():
    program, page = sys.argv[1:]
    lines = Path(page).read_text(encoding="utf-8").split("\n")
    begin = next(i for i, line in enumerate(lines) if line.startswith("    hbm-pim: offload it"))
    shown = [line[4:] for line in lines[begin : lines.index("", begin)]]
    printed = subprocess.run([program, "hbm-pim", "upmem"], check=True, capture_output=True, text=True).stdout
    if printed.split("\n")[:-1] == shown:
        print(f"{len(shown)} lines, as shown")
        return 0
    print(f"{page} shows:", *shown, "the example prints:", printed, sep="\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
