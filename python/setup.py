"""Packs pimento for pip: pip install --no-build-isolation ./python

The package is pure Python over libpimento_c. It notes the source tree that it came from, so that it finds the library
of a build there (pimento/library.py says where else it looks). Nothing is written into the tree.
"""

import tempfile
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithTree(build_py):
    """Adds pimento/_build_tree.py to what is packed, not to the source."""

    def run(self):
        super().run()
        tree = Path(__file__).resolve().parent.parent
        note = Path(self.build_lib) / "pimento" / "_build_tree.py"
        self.mkpath(str(note.parent))
        note.write_text(f'"""Where pip found the package: the source tree, whose build folder has the library."""\n\n'
                        f"ROOT = {str(tree)!r}\n", encoding="utf-8")


with tempfile.TemporaryDirectory(prefix="pimento-") as work:
    setup(cmdclass={"build_py": BuildWithTree}, options={"build": {"build_base": work}, "egg_info": {"egg_base": work}})
