#!/usr/bin/env python3
"""Files that the command line gives to Python: kernels (.py), and models where PyTorch is missing."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from support import np  # noqa: F401  first: says "not run here" without NumPy

PIMENTO = os.environ.get("PIMENTO", "pimento")
KERNELS = '''
import numpy
import pimento

print("a file may print")
SCALE = 3

@pimento.kernel
def gemv(A, x):
    y = pimento.Tensor.zero([A.size(0)])
    for i in range(A.size(0)):
        for j in range(A.size(1)):
            y[i] += A[i, j] * x[j]
    return y

@pimento.kernel
def scaled(x, n=4):
    y = pimento.Tensor.zero([x.size(0)])
    for i in range(n):
        y[i] = x[i] * SCALE
    return y

if __name__ == "__main__":
    raise SystemExit("not run")
'''


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, name, text):
        path = Path(self.folder.name) / name
        path.write_text(text) if isinstance(text, str) else path.write_bytes(text)
        return str(path)

    def run_pimento(self, *arguments, **more):
        return subprocess.run([PIMENTO, *arguments], capture_output=True, text=True,
                              env={**os.environ, "PIMENTO_PYTHON": sys.executable, **more})

    def fails(self, *arguments, code, text, status=1, **more):
        done = self.run_pimento(*arguments, **more)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(f"[{code}]", done.stderr)
        self.assertIn(text, done.stderr)
        self.assertNotIn("Traceback", done.stderr)

    def test_kernels(self):
        file = self.file("kernels.py", KERNELS)
        done = self.run_pimento("simulate", file, "--function", "gemv", "--size", "A=64x32,x=32", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertTrue(answer["checked"])
        self.assertEqual(answer["dtype"], "f16")
        done = self.run_pimento("estimate", file, "--function", "scaled", "--size", "x=16,n=8", "--dtype", "i32", "--target",
                                "upmem", "--map", "host", "--offload", "possible", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_pimento("compare", file, "--function", "gemv", "--size", "A=64x32", "--size", "x=32", "--targets",
                                "hbm-pim,attacc")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_is_wrong_with_kernels(self):
        file = self.file("kernels.py", KERNELS)
        self.fails("estimate", file, code="python-kernel", text="it has 2 kernels")
        self.fails("estimate", file, "--function", "gemm", code="python-kernel", text="did you mean 'gemv'")
        self.fails("estimate", file, "--function", "gemv", "--size", "A=4x4", code="python-sizes",
                   text=f"{file}:8: error: the size of 'x' is not known")
        self.fails("estimate", file, "--function", "gemv", "--size", "A=4x4,x=4,z=3", code="python-sizes",
                   text="'gemv' has no size 'z'")
        self.fails("estimate", file, "--function", "gemv", "--size", "A=4xx4,x=4", code="bad-size", text="'A=4xx4'")
        self.fails("estimate", file, "--function", "gemv", "--size", "A=4x5,x=4", code="python-subscript",
                   text="kernels.py:13:")
        for text, code, said in (("import pimento\n\ndef f(:\n", "python-syntax", "b.py:3:"),
                                 ("import nowhere\n", "python-run", "b.py:1: error: running the file failed: "
                                  "ModuleNotFoundError"),
                                 ("import sys\nsys.exit(3)\n", "python-run", "it ended itself"),
                                 ("x = 1\n", "python-kernel", "no function in it is marked")):
            with self.subTest(text):
                self.fails("estimate", self.file("b.py", text), code=code, text=said)

    def test_python_that_is_not_there(self):
        file = self.file("kernels.py", KERNELS)
        self.fails("estimate", file, code="python-start", text="cannot start /nowhere/python", PIMENTO_PYTHON="/nowhere/python")
        self.fails("estimate", file, code="python-reader", text="ended without an answer", PIMENTO_PYTHON="/bin/false")

        alone = self.file("alone", f'#!/bin/sh\nexec {sys.executable} -I "$@"\n')  # which takes no folder from outside
        os.chmod(alone, 0o755)
        self.fails("estimate", file, code="python-package", text="lacks the package pimento", PIMENTO_PYTHON=alone)

    def test_models_without_pytorch(self):
        self.file("torch.py", "raise ImportError('there is no torch here')\n")
        file = self.file("m.pt", b"PK")
        self.fails("estimate", file, code="python-torch", text=f"{file}: error: PyTorch is needed here: there is no torch",
                   PYTHONPATH=self.folder.name)
        program = ("import sys; sys.path[:0] = %r; import pimento\n"
                   "try: pimento.set_model\n"
                   "except pimento.Error as e: print(e.code)" % [self.folder.name, *sys.path])
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout, "python-torch\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
