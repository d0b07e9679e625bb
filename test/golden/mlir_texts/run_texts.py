#!/usr/bin/env python3
"""Runs the MLIR files of a folder on UPMEM, and what `compile --emit mlir` makes of them: every answer must be the text's own.

A text may begin with "// pimento: OPTIONS", or with "// refused: CODE" where it must be refused. "// not written:
REASON" in the second line: what `compile --emit mlir` makes of it is not run, since that is known to fail.

usage: run_texts.py FOLDER PIMENTO [MLIR_OPT [EVERY]]
EVERY: of the files in the order of their names, only the first of each EVERY.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def complaints(pimento, text, options):
    """What is wrong with the answer of one text; nothing if it is the text's own."""
    status, out, said = run(pimento, "simulate", text, "--target", "upmem", "--json", *options)
    if status != 0:
        return said.strip().splitlines()[:1] or ["failed"]
    against = json.loads(out).get("checked_against", "nothing")
    return [] if "MLIR" in against else [f"checked against {against}: {said}"]


def main():
    folder, pimento, optimizer = Path(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wrong, count = [], 0
    for text in sorted(folder.glob("*.mlir"))[::every]:
        first = text.read_text().splitlines()[0]
        if first.startswith("// refused: "):
            code = first.split(": ")[1]
            status, _, said = run(pimento, "simulate", text, "--target", "upmem")
            if status == 0 or f"[{code}]" not in said:
                wrong.append((text.name, [f"is not refused with {code}: {said}"]))
            continue
        options = first.split(": ")[1].split() if first.startswith("// pimento: ") else []
        found = complaints(pimento, text, options)
        count += 1
        if text.read_text().splitlines()[1].startswith("// not written: "):
            if found:
                wrong.append((text.name, found))
            continue
        with tempfile.TemporaryDirectory() as place:
            written = Path(place) / "written.mlir"
            status, _, said = run(pimento, "compile", text, "--target", "upmem", "--emit", "mlir", "-o", written, *options)
            if status != 0:
                found += [f"is not written: {said}"]
            else:
                if optimizer and "NOTFOUND" not in optimizer and run(optimizer, written, "-o", "/dev/null")[0] != 0:
                    found += ["mlir-opt refuses what is written"]
                found += [f"written: {c}" for c in complaints(pimento, written, [])]
        if found:
            wrong.append((text.name, found))
    for name, found in wrong:
        print(f"{name}: {'; '.join(found)}")
    print(f"{count} texts, {len(wrong)} of them wrong")
    return 1 if wrong or count < 15 // every else 0


if __name__ == "__main__":
    sys.exit(main())
