"""Runs every command that README.md, docs/ and the heads of examples/ show, and compares the outputs shown with them.

usage: documented_commands.py TOOL SOURCE_DIR [--without-mlir] [--long] [--cc-flags=FLAGS] [PAGE...]

What counts as a command is said in scripts/markdown_pages.py; in examples it is a comment `//   pimento ...`. A page's
commands run in the order of the text, in one temporary folder with examples/, kernels/, machines/ and validation/ in it. A
command must end with its status (0 unless the page says otherwise) and print something. Nothing is left out silently:
commands of SKIPPED and patterns such as `pimento VERB [INPUT]` are listed, and a line of a `sh` block that begins with
anything else is an error. Outputs: numbers equal as numbers, blanks loose.

Without --long, blocks marked `long` are left out; with it, only pages that have some are run.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
import markdown_pages  # noqa: E402

# Commands that build, install or need what the tool does not: listed, not run.
SKIPPED = ("apt", "apt-get", "sudo", "git", "make", "cmake", "ctest", "ninja", "cd", "scripts/", "build/", "chromium",
           "xdg-open", "firefox", "export")
# Commands that a page may use beside pimento.
KNOWN = ("pimento", "./", "PIMENTO_", "cc", "dpu-", "python3", "cat", "head", "tail", "grep", "ls", "wc", "cp", "diff", "sort",
         "sed", "cut", "ar", "echo")

INDENTED = re.compile(r"^(pimento [a-z](?:\S| (?! ))+)")
IN_EXAMPLE = re.compile(r"^//   (pimento [a-z](?:\S| (?! ))+)", re.MULTILINE)
PLACEHOLDER = re.compile(r"^\[|^[A-Z]{3,}(\.\w+)?$")


class Command:
    def __init__(self, text, status=0, is_long=False):
        self.text, self.status, self.is_long = text, status, is_long
        self.output = None  # (line, expected text)


class File:
    def __init__(self, name, text):
        self.name, self.text = name, text


def steps_of_block(block):
    """Commands and files of one block, in order."""
    if block.option("file"):
        return [File(block.option("file"), "\n".join(block.lines) + "\n")]
    if block.info is None:
        found = [INDENTED.match(line) for line in block.lines]
        return [Command(m.group(1), is_long=block.is_long) for m in found if m]
    if block.language not in ("sh", "bash", "console") or "not-run:" in block.info:
        return []
    joined = "\n".join(block.lines).replace("\\\n", " ")
    lines = [line for line in joined.split("\n") if line.strip() and not line.startswith("#")]
    return [Command(line, int(block.option("status") or 0), block.is_long) for line in lines]


def steps_of_page(path):
    """What a page says to do."""
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".mlir", ".s"):
        found = [Command(c) for c in IN_EXAMPLE.findall(text)]
        if not found:
            sys.exit(f"{path.name}: an example begins with the command that runs it")
        return found
    steps = []
    for block in markdown_pages.blocks(text):
        if block.language == "output":
            if not steps or not isinstance(steps[-1], Command) or steps[-1].output:
                sys.exit(f"{path.name}:{block.line}: an output stands behind the command that prints it")
            steps[-1].output = (block.line, "\n".join(block.lines))
        else:
            steps += steps_of_block(block)
    return steps


def reason_to_skip(command, is_without_mlir, is_long_wanted):
    words = shlex.split(command.text, comments=True)
    if words[0].startswith(SKIPPED):
        return "builds or installs"
    if words[0] == "pimento" and any(PLACEHOLDER.match(w) for w in words[1:] if w not in ("NAME",)):
        return "a pattern"
    if is_without_mlir and ".mlir" in command.text:
        return "needs MLIR"
    if is_without_mlir and re.search(r"kernels/\w+\.c\b", command.text):
        return "needs LLVM"
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
        self.tool, self.source = Path(tool).resolve(), source
        self.is_without_mlir = "--without-mlir" in options
        self.is_long = "--long" in options
        self.cc_flags = next((o.removeprefix("--cc-flags=") for o in options if o.startswith("--cc-flags=")), "")

    def run_page(self, path):
        """(commands run, lines about skipped ones, failures)."""
        steps = steps_of_page(path)
        run, skipped, failures = 0, [], []
        if self.is_long and not any(isinstance(s, Command) and s.is_long for s in steps):
            return run, skipped, failures
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "kernels", "machines", "validation"):
                shutil.copytree(self.source / name, Path(folder) / name)  # pages may write there
            programs = Path(folder) / ".bin"
            programs.mkdir()
            (programs / "pimento").symlink_to(self.tool)
            for tool in self.tool.parent.glob("dpu-*"):
                (programs / tool.name).symlink_to(tool)
            # Programs that use a library of a build with sanitizers are built with them, too.
            compiler = programs / "cc"
            compiler.write_text(f'#!/bin/sh\nexec {shutil.which("cc")} "$@" {self.cc_flags}\n', encoding="utf-8")
            compiler.chmod(0o755)
            (programs / "python3").symlink_to(sys.executable)
            environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
            lost_output = False
            for step in steps:
                if isinstance(step, File):
                    file = Path(folder) / step.name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(step.text, encoding="utf-8")
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
    pages = only or [p for p in markdown_pages.pages(source) if p.name != "CONTRIBUTING.md"]
    if not only and "--long" not in options:
        pages += sorted((source / "examples").glob("*.mlir")) + sorted((source / "examples").glob("upmem/*.s"))
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
