"""A copy of the tool without its module, with a file that is no library in its place, and with one of another version:
one diagnostic each, and what needs no LLVM goes on.

usage: module_test.py TOOL MODULE_OF_OTHERS SOURCE_DIR LIBRARY_FOLDER
"""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, OTHERS, SOURCE, LIBRARIES = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4]
MLIR = str(SOURCE / "examples/axpy.mlir")
SIZE = ["--size", "d0=5000"]


class Module(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = Path(folder.name)
        (self.prefix / "bin").mkdir()
        (self.prefix / "share/pimento").mkdir(parents=True)
        (self.prefix / "share/pimento/machines").symlink_to(SOURCE / "machines")
        self.tool = self.prefix / "bin/pimento"
        shutil.copy2(TOOL, self.tool)
        self.module = self.prefix / LIBRARIES / "pimento/PimentoLlvm.so"

    def put(self, source):
        self.module.parent.mkdir(parents=True)
        shutil.copy2(source, self.module)

    def run_tool(self, *arguments):
        return subprocess.run([self.tool, *arguments], capture_output=True, text=True, check=False)

    def expect_refusal(self, arguments, *texts):
        done = self.run_tool(*arguments)
        self.assertEqual(done.returncode, 1, done.stderr)
        for text in ("[llvm-module]", "hint: install Pimento again", *texts):
            self.assertIn(text, done.stderr)

    def test_a_missing_module_is_named_at_the_file_that_needs_it(self):
        self.expect_refusal(["estimate", MLIR, *SIZE], f"{MLIR}: error:", "PimentoLlvm.so: cannot open shared object file")
        source = self.prefix / "add.c"
        source.write_text("int main(void) { return 0; }\n", encoding="utf-8")
        self.expect_refusal(["estimate", str(source)], f"{source}: error:")
        self.expect_refusal(["upmem-cc", "-c", str(source), "-o", str(self.prefix / "add.o")], f"{source}: error:")

    def test_what_needs_no_llvm_works_without_the_module(self):
        done = self.run_tool("estimate", "gemv", "--size", "m=512,n=512")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("on the device", done.stdout)

    def test_a_file_that_is_no_library_is_refused(self):
        self.put(MLIR)
        self.expect_refusal(["estimate", MLIR, *SIZE], "PimentoLlvm.so: invalid ELF header", "cannot be loaded")

    def test_a_module_of_another_version_is_refused(self):
        self.put(OTHERS)
        self.expect_refusal(["estimate", MLIR, *SIZE], "is not of Pimento ", "cannot be used")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
