#!/usr/bin/env python3
"""Runs the Python of a page of the documentation, block by block, as a notebook would.

usage: run_page.py PAGE.md [--write]

Blocks ```python run in order in one namespace. A block ```text after one of them is what it prints, word for word. A
line of a block that ends in `# Error` must raise pimento.Error, whose text is printed; the page's file is python.py
there (of docs/how-to/python.md). With --write the page gets the texts that were printed.
"""

import ast
import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from support import pimento  # first: says "not run here" without NumPy

BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_block(text, first, file, namespace):
    """What the block prints."""
    out = io.StringIO()
    tree = ast.parse("\n" * first + text, file)
    with contextlib.redirect_stdout(out):
        for statement in tree.body:
            lines = text.splitlines()[statement.lineno - 1 - first : statement.end_lineno - first]
            code = compile(ast.Module([statement], []), file, "exec")
            if lines[-1].rstrip().endswith("# Error"):
                try:
                    exec(code, namespace)
                except pimento.Error as error:
                    print(error)
                else:
                    sys.exit(f"{file}:{statement.lineno}: raised no pimento.Error")
            else:
                exec(code, namespace)
    return out.getvalue()


def main():
    page = Path(sys.argv[1]).resolve()
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        # The blocks at their lines, in a file: kernels are read from it.
        script = Path(folder) / (page.stem.replace("-", "_") + ".py")
        blocks = [(m[1], m[2], text.count("\n", 0, m.start(2))) for m in BLOCK.finditer(text)]
        lines = [""] * (text.count("\n") + 1)
        for kind, body, first in blocks:
            if kind == "python":
                for n, line in enumerate(body.splitlines()):
                    lines[first + n] = line
        script.write_text("\n".join(lines), encoding="utf-8")
        namespace = {"__name__": "__main__", "__file__": str(script)}
        printed, count, new = None, 0, {}
        for kind, body, first in blocks:
            if kind == "python":
                printed = run_block(body, first, str(script), namespace)
                count += 1
            elif printed is not None:
                got = printed.replace(str(script), script.name)
                new[first] = got
                if got != body and "--write" not in sys.argv:
                    sys.exit(f"{page.name}:{first}: the page shows\n{body}\nbut the block prints\n{got}")
                printed = None
        if "--write" in sys.argv:
            at = {m.start(2): new.get(text.count("\n", 0, m.start(2)), m[2]) for m in BLOCK.finditer(text)}
            page.write_text(BLOCK.sub(lambda m: f"```{m[1]}\n{at[m.start(2)]}```", text), encoding="utf-8")
        print(f"{page.name}: {count} blocks")
        if count == 0:
            sys.exit("there is nothing to run")


if __name__ == "__main__":
    main()
