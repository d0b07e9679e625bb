"""Runs every command that README.md, docs/ and the heads of examples/ show, and compares the outputs shown with them.

usage: documented_commands.py TOOL SOURCE_DIR [--without-mlir] [--long] [--every=N] [--cc-flags=FLAGS] [PAGE...]

What counts as a command, and where it runs, is said in scripts/documented.py. A command must end with its status (0
unless the page says otherwise) and print something. Nothing is left out silently: commands that build or install and
patterns such as `pimento VERB [INPUT]` are listed, and a line of a `sh` block that begins with a program other than those
of KNOWN is an error. Outputs: numbers equal as numbers, blanks loose.

--every: README.md and, in the order of their paths, the first of each N other pages.

Without --long, blocks marked `long` are left out; with it, only pages that have some are run.
"""

import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
import documented  # noqa: E402
from documented import Command, File  # noqa: E402

# Commands that a page may use beside pimento.
KNOWN = ("pimento", "./", "PIMENTO_", "UPMEM_", "cc", "c++", "dpu-", "python3", "cat", "head", "tail", "grep", "ls", "wc", "cp", "diff", "sort",
         "sed", "cut", "ar", "echo")


# Kernels of the zoo that are C files.
C_KERNELS = {f.stem for f in (Path(__file__).resolve().parents[3] / "kernels/infinity-stream").glob("*.c")}


def reason_to_skip(command, is_without_mlir, is_long_wanted):
    why = documented.reason_to_skip(command.text)
    if why:
        return why
    if is_without_mlir and ".mlir" in command.text:
        return "needs MLIR"
    if is_without_mlir and re.search(r"pimento .*\b[\w/-]+\.c\b", re.sub(r" -o \S+", "", command.text)):
        return "needs LLVM"  # reads a C file
    if is_without_mlir and command.text.startswith("pimento ") and C_KERNELS & set(command.text.split()):
        return "needs LLVM"
    if is_without_mlir and re.search(r"simulate '[^']*=[^']*' .*--target upmem\b", command.text):
        return "needs LLVM"  # to compile what no measured program computes
    if is_without_mlir and command.output and re.search(r"compare .*--targets all\b", command.text):
        return "needs LLVM"  # UPMEM runs measured programs there, not the best compiled one
    if is_without_mlir and ("upmem-cc" in command.text or ".elf" in command.text):
        return "needs LLVM"
    if command.is_long and not is_long_wanted:
        return "long"
    return None


def is_equal(expected, actual):
    if expected == actual:
        return True
    try:
        return float(expected.rstrip(",%")) == float(actual.rstrip(",%"))
    except ValueError:
        return False


def is_line_equal(expected, actual):
    """Word by word; `...` in a line stands for its rest."""
    e, a = expected.split(), actual.split()
    if "..." in e:
        e = e[: e.index("...")]
        a = a[: len(e)]
    return len(e) == len(a) and all(map(is_equal, e, a))


def first_difference(expected, actual):
    """None if `actual` is what `expected` shows, else the first expected line that is not there."""
    have = [line for line in actual.split("\n") if line.strip()]
    at, is_free = 0, False
    for line in (line for line in expected.split("\n") if line.strip()):
        if line.strip() == "...":
            is_free = True
            continue
        while is_free and at < len(have) and not is_line_equal(line, have[at]):
            at += 1
        if at >= len(have) or not is_line_equal(line, have[at]):
            return f"expected: {line}\n  printed:  {have[at] if at < len(have) else '(end of the output)'}"
        at, is_free = at + 1, False
    if at < len(have) and not is_free:
        return f"expected the end of the output\n  printed:  {have[at]}"
    return None


class Runner:
    def __init__(self, tool, source, options):
        self.tool, self.inputs = Path(tool).resolve(), documented.inputs_of(source)
        self.is_without_mlir = "--without-mlir" in options
        self.is_long = "--long" in options
        self.cc_flags = next((o.removeprefix("--cc-flags=") for o in options if o.startswith("--cc-flags=")), "")

    def run_page(self, path):
        """(commands run, lines about skipped ones, failures)."""
        steps = documented.steps_of_page(path)
        run, skipped, failures = 0, [], []
        if self.is_long and not any(isinstance(s, Command) and s.is_long for s in steps):
            return run, skipped, failures
        with documented.workplace(self.tool, self.inputs, self.cc_flags) as (folder, environment):
            for step in steps:
                if isinstance(step, File):
                    step.write(folder)
                    continue
                why = reason_to_skip(step, self.is_without_mlir, self.is_long)
                if why:
                    skipped.append(f"skipped ({why}): {path.name}: {step.text}")
                    continue
                run += 1
                wrong = self.run(step, folder, environment)
                if wrong:
                    failures.append(f"{path.name}: {step.text}\n  {wrong}")
        return run, skipped, failures

    def run(self, step, folder, environment):
        """What is wrong with one command, or None."""
        if not step.text.lstrip().startswith(KNOWN):
            return "this program is neither one that pages may use nor one that is skipped"
        began = time.monotonic()
        done = subprocess.run(["bash", "-o", "pipefail", "-c", step.text], cwd=folder, env=environment, check=False,
                              capture_output=True, text=True)
        if "--times" in sys.argv:
            print(f"{time.monotonic() - began:6.2f} s  {step.text}")
        if done.returncode != step.status:
            return f"status {done.returncode}, expected {step.status}\n{done.stderr}"
        shown = done.stdout if step.status == 0 else done.stdout + done.stderr
        is_written = " -o" in step.text or ">" in step.text
        if not shown and not is_written and not step.text.startswith(("cp", "diff")):
            return "prints nothing"
        if step.output is None:
            return None
        # Where a page shows warnings, they are compared, too.
        difference = first_difference(step.output[1], shown)
        if difference and done.stderr:
            difference = difference and first_difference(step.output[1], done.stderr + done.stdout)
        return difference and f"output at line {step.output[0]} differs\n  {difference}"


def main():
    tool, source = sys.argv[1], Path(sys.argv[2]).resolve()
    options = [a for a in sys.argv[3:] if a.startswith("--")]
    only = [Path(a).resolve() for a in sys.argv[3:] if a and not a.startswith("--")]
    pages = only or documented.pages(source)
    if not only and "--long" not in options:
        pages += documented.examples(source)
    every = next((int(o.removeprefix("--every=")) for o in options if o.startswith("--every=")), 1)
    pages = [p for i, p in enumerate(pages) if i % every == 0 or p.name == "README.md"]
    runner = Runner(tool, source, options)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(runner.run_page, pages))
    run = sum(r[0] for r in results)
    failures = [f for r in results for f in r[2]]
    for lines in [line for r in results for line in r[1]], failures:
        print(*lines, sep="\n", end="\n" if lines else "")
    print(f"{run} documented commands in {len(pages)} pages, {len(failures)} failures")
    return 1 if failures or (run == 0 and "--long" not in options) else 0


if __name__ == "__main__":
    sys.exit(main())
