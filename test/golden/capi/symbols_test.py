#!/usr/bin/env python3
"""The dynamic symbols of the C library are those of the golden list, and every function of the header is among them.

usage: symbols_test.py LIBRARY GOLDEN HEADER

A symbol that is missing or has another version breaks programs that were linked with it: then the library needs
another name (SOVERSION). One that is new belongs into the list, and PIMENTO_API_VERSION counts up.
"""

import re
import subprocess
import sys
from pathlib import Path


def exported(library):
    """NAME@@VERSION of every symbol that the library defines for others; version nodes themselves left out."""
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return sorted(line.split()[-1] for line in lines.splitlines() if line.split()[-2] != "A")


def main():
    library, golden, header = sys.argv[1:]
    found = exported(library)
    expected = Path(golden).read_text(encoding="utf-8").split()
    wrong = [f"missing: {s}" for s in expected if s not in found] + [f"new: {s}" for s in found if s not in expected]
    declared = set(re.findall(r"\b(pimento_\w+)\(", re.sub(r"/\*.*?\*/", "", Path(header).read_text(encoding="utf-8"),
                                                         flags=re.DOTALL)))
    names = {s.split("@")[0] for s in found}
    wrong += [f"declared, not exported: {s}" for s in sorted(declared - names)]
    wrong += [f"exported, not declared: {s}" for s in sorted(names - declared)]
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    if "Library soname: [libpimento_c.so.1]" not in dynamic:
        wrong.append("the library's name is not libpimento_c.so.1")
    print("\n".join(wrong) or f"{len(found)} symbols")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
