"""Runs every command that README.md, docs/ and the heads of examples/ show: each must exit with 0, and print
something or write it with -o.

usage: documented_commands.py TOOL SOURCE_DIR [--without-mlir]

A documented command is a line that begins with four blanks (in examples: `//   `), `pimento` and a verb; what follows two
or more blanks is its explanation.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DOCUMENTED = re.compile(r"^(?:    |//   )(pimento [a-z](?:\S| (?! ))+)", re.MULTILINE)


def commands(source):
    examples = sorted((source / "examples").glob("*.mlir"))
    for path in [source / "README.md", *sorted((source / "docs").rglob("*.md")), *examples]:
        found = DOCUMENTED.findall(path.read_text(encoding="utf-8"))
        if path in examples and not found:
            sys.exit(f"{path.name}: an example begins with the command that runs it")
        for command in found:
            yield path.name, command


def main():
    tool, source = sys.argv[1], Path(sys.argv[2])
    is_without_mlir = "--without-mlir" in sys.argv[3:]
    failures = run = 0
    with tempfile.TemporaryDirectory() as folder:
        # The commands name files of the source tree and may write into the current folder.
        for name in ("examples", "machines", "validation"):
            (Path(folder) / name).symlink_to(source / name)
        for where, command in commands(source):
            if is_without_mlir and ".mlir" in command:
                continue
            run += 1
            arguments = [tool, *shlex.split(command)[1:]]
            done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
            # What was asked for with -o is in a file.
            is_written = "-o" in arguments and (Path(folder) / arguments[arguments.index("-o") + 1]).is_file()
            if done.returncode == 0 and (done.stdout or is_written):
                continue
            failures += 1
            print(f"{where}: {command}: status {done.returncode}\n{done.stderr}")
    print(f"{run} documented commands, {failures} failures")
    return 1 if failures or run == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
