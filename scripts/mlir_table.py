#!/usr/bin/env python3
"""Which MLIR ops are read, and which run on a target: one row per file of examples/ops, as Markdown.

    scripts/mlir_table.py TOOL [TARGET]               prints the table
    scripts/mlir_table.py TOOL [TARGET] --check FILE  compares "OP IMPORTED RUNS" lines with FILE, status 1 if they differ
    scripts/mlir_table.py TOOL [TARGET] --list        prints those lines

With --every N all files are read, but of those with one expected outcome only every N-th runs (with --check).
"""

import concurrent.futures
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def run(arguments):
    """Exit status, and the first diagnostic as (code, message, hint)."""
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=ROOT)
    if done.returncode == 0:
        return 0, ("", "", "")
    lines = done.stderr.splitlines() or [""]
    first = re.match(r".*?error: (.*) \[([a-z0-9-]+)\]$", lines[0])
    hint = lines[1].strip() if len(lines) > 1 else ""
    message, code = (first.group(1), first.group(2)) if first else (lines[0], "status-%d" % done.returncode)
    return done.returncode, (code, message, re.sub(r"^hint: ", "", hint))


def row(tool, target, path, runs=True):
    name = str(path.relative_to(ROOT))
    status, why = run([tool, "compile", name, "--emit", "kernel", "--target", target])
    if status:
        return path.stem, why, None
    if not runs:
        return path.stem, None, None
    return path.stem, None, run([tool, "simulate", name, "--target", target, "--quiet"])[1]


def cell(why):
    return "`%s`: %s" % (why[0], "; ".join(part for part in why[1:] if part).replace("|", "\\|"))


def every_nth(wanted, n):
    """Of the "OP IMPORTED RUNS" lines with one outcome, the ops of every n-th, the first one included."""
    by_outcome = {}
    for line in wanted:
        op, outcome = line.split(" ", 1)
        by_outcome.setdefault(outcome, []).append(op)
    return {op for ops in by_outcome.values() for op in ops[::n]}


def main():
    arguments = sys.argv[1:]
    expected = None
    every = 1
    if "--every" in arguments:
        at = arguments.index("--every")
        every = int(arguments[at + 1])
        del arguments[at:at + 2]
    listing = "--list" in arguments
    if listing:
        arguments.remove("--list")
    if "--check" in arguments:
        at = arguments.index("--check")
        expected = pathlib.Path(arguments[at + 1]).read_text().split("\n")
        del arguments[at:at + 2]
    if not arguments:
        sys.exit(__doc__)
    tool = str(pathlib.Path(arguments[0]).resolve())
    target = arguments[1] if len(arguments) > 1 else "hbm-pim"
    paths = sorted((ROOT / "examples" / "ops").glob("*.mlir"))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        wanted = [line for line in expected or [] if line and not line.startswith("#")]
        running = every_nth(wanted, every) if wanted else {path.stem for path in paths}
        # What the list does not name runs as well.
        running |= {path.stem for path in paths} - {line.split()[0] for line in wanted}
        rows = list(pool.map(lambda path: row(tool, target, path, path.stem in running), paths))
    short = ["%s %s %s" % (op, why[0] if why else "yes", (ran[0] or "yes") if ran else "-") for op, why, ran in rows]
    if listing:
        print("\n".join(short))
        return 0
    if expected is not None:
        left = {line.split()[0] for line in wanted} - running
        wanted = [" ".join(line.split()[:2] + ["-"]) if line.split()[0] in left else line for line in wanted]
        for line in sorted(set(wanted) ^ set(short)):
            print("%s %s" % ("missing:" if line in wanted else "new:", line))
        return 0 if wanted == short else 1
    print("# MLIR ops\n\nOne row per file of `examples/ops`, made by `scripts/mlir_table.py` with target `%s`.\n" % target)
    print("| op | imported | runs on %s |\n|---|---|---|" % target)
    for op, why, ran in rows:
        print("| `%s` | %s | %s |" % (op, cell(why) if why else "yes",
                                      "-" if ran is None else cell(ran) if ran[0] else "yes"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
