"""What the tool loads, as the loader itself says (LD_DEBUG=files): LLVM, MLIR and Clang for texts that they read, and for
nothing else.

usage: loads_llvm_test.py TOOL SOURCE_DIR
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, SOURCE = Path(sys.argv[1]), Path(sys.argv[2])
NOTATION = "y[i] += A[i,j] * x[j]"
SIZE = ["--size", "m=512,n=512"]
C_TEXT = """
void scale(_Float16 y[restrict 2048], const _Float16 x[restrict 2048], const _Float16 z[restrict 2048]) {
  for (int i = 0; i < 2048; i++) y[i] = x[i] + z[i];
}
"""


class LoadsLlvm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_tool(self, *arguments):
        """What the tool prints, and the libraries that the loader initialised."""
        log = self.folder / "loader"
        done = subprocess.run(
            [TOOL, *arguments],
            env={**os.environ, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": str(log)},
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stderr}")
        logs = list(self.folder.glob("loader.*"))
        loaded = set()
        for file in logs:
            loaded |= set(re.findall(r"calling init: (?:\S*/)?(\S+)", file.read_text(encoding="utf-8", errors="replace")))
            file.unlink()
        self.assertTrue(any(name.startswith("libstdc++") for name in loaded), "the loader's log cannot be read")
        return done.stdout, {name for name in loaded if re.match(r"PimentoLlvm|libLLVM|libMLIR|libclang", name)}

    def test_what_needs_no_llvm_starts_without_it(self):
        result = self.folder / "result.json"
        for arguments in (
            ["--version"],
            ["--help"],
            ["targets"],
            ["targets", "upmem"],
            ["kernels"],
            ["kernels", "gemv"],
            ["estimate", "gemv", *SIZE, "--json", "-o", str(result)],
            ["report", str(result), "-o", str(self.folder / "result.html")],
            ["explain", "gemv", *SIZE],
            ["explain", str(result)],
            ["simulate", "gemv", *SIZE],
            ["estimate", NOTATION, "--size", "i=512,j=512"],
            ["compile", "gemv", *SIZE, "--emit", "mlir"],
            ["compile", "gemv", *SIZE, "--emit", "cnm"],
            ["compare", "gemv", *SIZE, "--targets", "hbm-pim"],
            ["explore", "gemv", *SIZE],
        ):
            with self.subTest(arguments=arguments):
                self.assertEqual(self.run_tool(*arguments)[1], set())

    def test_an_mlir_file_loads_it_once_and_is_right(self):
        shown, loaded = self.run_tool(
            "simulate", str(SOURCE / "examples/axpy.mlir"), "--size", "d0=5000", "--target", "hbm-pim", "--json")
        self.assertTrue({"PimentoLlvm.so"} < loaded, loaded)
        answer = json.loads(shown)
        self.assertTrue(answer["checked"])
        self.assertTrue(answer["checked_against"])

    def test_a_c_file_loads_it_and_is_right(self):
        source = self.folder / "add.c"
        source.write_text(C_TEXT, encoding="utf-8")
        shown, loaded = self.run_tool("simulate", str(source), "--json")
        self.assertIn("PimentoLlvm.so", loaded)
        self.assertTrue(json.loads(shown)["checked"])

    def test_a_program_for_dpus_loads_it(self):
        loaded = self.run_tool("estimate", "va", "--size", "n=65536", "--target", "upmem", "--map", "reference;program=compiled")[1]
        self.assertIn("PimentoLlvm.so", loaded)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
