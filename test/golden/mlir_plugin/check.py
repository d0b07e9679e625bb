#!/usr/bin/env python3
"""Runs the passes of the plugin in mlir-opt on MLIR files, and compares what comes out with what the files say.

usage: check.py MLIR_OPT PLUGIN FILE...

A file says, in lines that begin with `// `:
  PASSES: LIST       passes in builtin.module(...)
  OPTIONS: LIST      other options of mlir-opt
  FAILS              mlir-opt ends with an error
  CHECK: TEXT        stands in the output (messages, where it fails), behind what the CHECKs before have found
  CHECK-SAME: TEXT   ... in the same line, CHECK-NEXT in the next one
  CHECK-NOT: TEXT    stands nowhere behind what was found last, up to what the next CHECK finds
In a TEXT {{...}} is a regular expression, [[NAME:...]] too, and [[NAME]] what it found. The output is read by mlir-opt
once more: attributes of the plugin need no plugin to be read.
"""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

DIRECTIVE = re.compile(r"^// (PASSES|OPTIONS|FAILS|CHECK(?:-SAME|-NEXT|-NOT)?):?(?: (.*))?$", re.MULTILINE)
PART = re.compile(r"\{\{(.*?)\}\}|\[\[(\w+):(.*?)\]\]|\[\[(\w+)\]\]")


def pattern_of(text, names):
    """TEXT as a regular expression; `names` are those found so far."""
    out, at = "", 0
    for m in PART.finditer(text):
        out += re.escape(text[at : m.start()])
        expression, name, named, used = m.groups()
        out += f"(?:{expression})" if expression else f"(?P<{name}>{named})" if name else re.escape(names[used])
        at = m.end()
    return re.compile(out + re.escape(text[at:]))


def mismatch(directives, output):
    """The first directive that does not hold, or None."""
    at, names, forbidden = 0, {}, []
    for kind, text in directives:
        if kind == "CHECK-NOT":
            forbidden.append(text)
            continue
        begin, end = at, len(output)
        line_end = output.find("\n", at)
        line_end = len(output) if line_end < 0 else line_end
        if kind == "CHECK-SAME":
            end = line_end
        elif kind == "CHECK-NEXT":
            begin = min(line_end + 1, len(output))
            end = output.find("\n", begin) if output.find("\n", begin) >= 0 else len(output)
        found = pattern_of(text, names).search(output, begin, end)
        if not found:
            return f"{kind}: {text}\n  not found from: {output[begin:begin + 300]!r}"
        for wrong in forbidden:
            if pattern_of(wrong, names).search(output, at, found.start()):
                return f"CHECK-NOT: {wrong}"
        names.update(found.groupdict())
        at, forbidden = found.end(), []
    for wrong in forbidden:
        if pattern_of(wrong, names).search(output, at):
            return f"CHECK-NOT: {wrong}"
    return None


def check(mlir_opt, plugin, path):
    """What is wrong with one file, or None."""
    directives = DIRECTIVE.findall(path.read_text(encoding="utf-8"))
    passes = ",".join(text for kind, text in directives if kind == "PASSES")
    options = [word for kind, text in directives if kind == "OPTIONS" for word in text.split()]
    fails = any(kind == "FAILS" for kind, _ in directives)
    checks = [(kind, text) for kind, text in directives if kind.startswith("CHECK")]
    if not passes or not checks:
        return "says not what to run or what to check"
    done = subprocess.run([mlir_opt, *options, f"--load-pass-plugin={plugin}",
                           f"--pass-pipeline=builtin.module({passes})", path], check=False, capture_output=True, text=True)
    if (done.returncode == 1) != fails or done.returncode not in (0, 1):
        return f"status {done.returncode}\n{done.stderr}"
    wrong = mismatch(checks, done.stderr if fails else done.stdout)
    if wrong or fails:
        return wrong
    again = subprocess.run([mlir_opt, *options], input=done.stdout, check=False, capture_output=True, text=True)
    return None if again.stdout == done.stdout else f"reads differently: {again.stderr}"


def main():
    mlir_opt, plugin = sys.argv[1:3]
    paths = [Path(p) for p in sys.argv[3:]]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda p: check(mlir_opt, plugin, p), paths))
    for path, wrong in zip(paths, results):
        if wrong:
            print(f"{path.name}: {wrong}")
    print(f"{len(paths)} files, {sum(r is not None for r in results)} failures")
    return 1 if any(results) or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
