"""Commands that README.md, docs/ and the heads of examples/ show, and the folder that they run in. Shared by the test that
runs them and by same_results.py.

What counts as a command is said in markdown_pages.py; in examples it is a comment `//   pimento ...`. A page's commands
run in the order of the text, in one temporary folder with examples/, kernels/, machines/ and validation/ in it.
"""

import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import markdown_pages

# Commands that build, install or need what the tool does not: listed, not run.
SKIPPED = ("apt", "apt-get", "sudo", "git", "make", "cmake", "ctest", "ninja", "cd", "scripts/", "build/", "chromium",
           "xdg-open", "firefox", "export")

INDENTED = re.compile(r"^(pimento [a-z](?:\S| (?! ))+)")
IN_EXAMPLE = re.compile(r"^//   (pimento [a-z](?:\S| (?! ))+)", re.MULTILINE)
PLACEHOLDER = re.compile(r"^\[|^[A-Z]{3,}(\.\w+)?$")


@dataclass
class Command:
    """A command; `output`, where the page shows it, is (line, expected text)."""

    text: str
    status: int = 0
    is_long: bool = False
    output: tuple[int, str] | None = None


@dataclass
class File:
    name: str
    text: str

    def write(self, folder):
        path = Path(folder) / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.text, encoding="utf-8")


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


def pages(source):
    """Every page that shows commands."""
    return [p for p in markdown_pages.pages(source) if p.name != "CONTRIBUTING.md"]


def examples(source):
    """Every example that begins with commands."""
    return sorted((source / "examples").glob("*.mlir")) + sorted((source / "examples").glob("upmem/*.s"))


def reason_to_skip(text):
    """Why the command is in no test, or None."""
    words = shlex.split(text, comments=True)
    if words[0].startswith(SKIPPED):
        return "builds or installs"
    if words[0] == "pimento" and any(PLACEHOLDER.match(w) for w in words[1:] if w not in ("NAME",)):
        return "a pattern"
    return None


def inputs_of(source):
    """What lies beside the commands: name to folder."""
    return {name: source / name for name in ("examples", "kernels", "machines", "validation")}


@contextlib.contextmanager
def workplace(tool, inputs, cc_flags=""):
    """A temporary folder with copies of `inputs`, and the environment in which `pimento` is `tool`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, path in inputs.items():
            shutil.copytree(path, Path(folder) / name)  # commands may write there
        programs = Path(folder) / ".bin"
        programs.mkdir()
        (programs / "pimento").symlink_to(tool)
        for script in tool.parent.glob("dpu-*"):
            (programs / script.name).symlink_to(script)
        # Programs that use a library of a build with sanitizers are built with them, too.
        for name in ("cc", "c++"):
            compiler = programs / name
            compiler.write_text(f'#!/bin/sh\nexec {shutil.which(name)} "$@" {cc_flags}\n', encoding="utf-8")
            compiler.chmod(0o755)
        (programs / "python3").symlink_to(sys.executable)
        yield folder, {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
