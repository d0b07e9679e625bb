#!/usr/bin/env python3
"""Kernels that are none: each is an error at its place, with the reason and what would be legal; never a traceback.

Each case is the text of a kernel; the comment `# HERE` (or `# HERE: what the line's error begins at`) marks the line,
the column is that of the text after the colon, where there is one.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "unit" / "python"))
from support import np, pimento  # noqa: E402

SHAPES = {"x": (8,), "y": (8,), "A": (4, 8), "n": 8}
HEAD = "import numpy\nimport pimento\nW = numpy.ones(8)\nNAME = 'text'\n\n\n"

CASES = {
    "while": ("def k(x):\n    while x[0] > 0:  # HERE\n        x[0] = 0", "python-statement", "has no bounds"),
    "recursion": ("def f(x, n):\n    return f(x, n)  # HERE: f(x\n\n@pimento.kernel\ndef k(x):\n    x[0] = f(x, 3)",
                  "python-recursion", "calls itself"),
    "product of loops as index": ("def k(x, y):\n    for i in range(2):\n        for j in range(2):\n"
                                  "            y[i * j] = x[i]  # HERE: i * j", "python-subscript", "not affine"),
    "quotient as index": ("def k(x, y):\n    for i in range(8):\n        y[i // 2] = x[i]  # HERE: i // 2",
                          "python-subscript", "not affine"),
    "closure over an array": ("def k(x):\n    for i in range(8):\n        x[i] = W[i]  # HERE: W", "python-closure",
                              "array from outside"),
    "local closure": ("def outer():\n    w = numpy.ones(3)\n    @pimento.kernel\n    def k(x):\n"
                      "        x[0] = w[0]  # HERE: w[\n    return k\nk = outer()", "python-closure",
                      "pass it as a parameter"),
    "unknown name": ("def k(x):\n    x[0] = X[0]  # HERE: X[0]", "python-name", "unknown name 'X'"),
    "too many indices": ("def k(x):\n    x[0, 1] = 0  # HERE: x[0", "python-subscript", "has 1 dimensions"),
    "too few indices": ("def k(A):\n    A[0] = 1  # HERE", "python-subscript", "2 dimensions, 1 indices"),
    "outside": ("def k(x, y):\n    for i in range(8):\n        y[i] = x[i + 1]  # HERE: i + 1", "python-subscript",
                "runs over 1..8"),
    "outside in a condition": ("def k(x, y):\n    for i in range(8):\n        if i < 8:\n"
                               "            y[i] = x[i + 1]  # HERE", "out-of-bounds", "legal: 0..7"),
    "float index": ("def k(x):\n    x[1.0] = 0  # HERE: 1.0", "python-subscript", "not an index"),
    "slice": ("def k(x):\n    x[1:3] = 0  # HERE", "python-subscript", "write a loop"),
    "step of 0": ("def k(x):\n    for i in range(0, 8, 0):  # HERE: 0):\n        x[i] = 0", "python-loop",
                  "other than 0"),
    "range of data": ("def k(x):\n    for i in range(x[0]):  # HERE: x[0]\n        x[i] = 0", "python-loop",
                      "no known bounds"),
    "loop over a list": ("def k(x):\n    for i in [1, 2]:  # HERE: [1\n        x[i] = 0", "python-loop", "not a range"),
    "break": ("def k(x):\n    for i in range(8):\n        if x[i] > 0:\n            break  # HERE", "python-statement",
              "run to its end"),
    "return in a loop": ("def k(x):\n    for i in range(8):\n        return x  # HERE", "python-control-flow",
                         "inside a loop"),
    "try": ("def k(x):\n    try:  # HERE\n        x[0] = 1\n    except ValueError:\n        pass", "python-statement",
            "no exceptions"),
    "comprehension": ("def k(x):\n    t = [x[i] for i in range(8)]  # HERE: [x", "python-expression",
                      "comprehension"),
    "lambda": ("def k(x):\n    f = lambda a: a  # HERE: lambda\n    x[0] = f(1)", "python-expression", "module level"),
    "print": ("def k(x):\n    print(x[0])  # HERE: print", "python-call", "kernels print nothing"),
    "numpy in a kernel": ("def k(x):\n    x[0] = numpy.sum(x)  # HERE: numpy.sum", "python-call",
                          "cannot be called in a kernel"),
    "int()": ("def k(x):\n    x[0] = int(x[1])  # HERE: int", "python-call", "pimento.i32"),
    "text": ("def k(x):\n    x[0] = NAME  # HERE: NAME", "python-type", "is a text"),
    "float into integers": ("def k(x: pimento.i32):\n    x[0] = 1.5  # HERE: x[0]", "python-type", "is a float"),
    "float32 into integers": ("def k(x: pimento.i32, y: pimento.f32):\n    x[0] = y[0]  # HERE: x[0]", "python-type",
                              "truncates"),
    "quotient of integers": ("def k(x: pimento.i32):\n    x[0] = x[1] / 2  # HERE: x[1]", "python-type", "use // "),
    "number that does not fit": ("def k(x: pimento.i8):\n    x[0] = x[1] + 300  # HERE: x[1]", "python-type",
                                 "300 does not fit i8"),
    "i64 and u64": ("def k(x: pimento.i64, y: pimento.u64):\n    x[0] = x[0] + y[0]  # HERE: x[0] +", "python-type",
                    "no type holds"),
    "whole tensors": ("def k(x, y):\n    y[0] = x + y  # HERE: x +", "python-type", "a tensor of shape [8]"),
    "one branch": ("def k(x):\n    if x[0] > 0:\n        t = 1\n    x[0] = t  # HERE: t", "python-name",
                   "in one branch"),
    "after the loop": ("def k(x):\n    for i in range(8):\n        t = x[i]\n    x[0] = t  # HERE: t", "python-name",
                       "read after it"),
    "nothing stored": ("def k(x):  # HERE\n    t = x[0]", "no-kernel", "stores to a parameter"),
    "unwritten": ("def k(x):\n    t = pimento.Tensor([8])\n    for i in range(8):\n        x[i] = t[i]  # HERE",
                  "uninitialized", "t"),
    "unknown size": ("def k(x, other):  # HERE: other\n    x[0] = other[0]", "python-sizes", "is not known"),
    "no elements": ("def k(x):\n    t = pimento.Tensor.zero([len(x) - 8])  # HERE: pimento\n    x[0] = t[0]",
                    "python-type", "no elements"),
    "wrong attribute": ("def k(x):\n    x[0] = x.sum()  # HERE: x.sum", "python-name", "has no 'sum'"),
    "wrong function": ("def k(x):\n    x[0] = pimento.rellu(x[0])  # HERE: pimento.rellu", "python-name",
                       "did you mean 'relu'"),
    "several targets": ("def k(x):\n    a = b = x[0]  # HERE\n    x[0] = a + b", "python-statement", "one assignment"),
    "nested function": ("def k(x):\n    def f(a):  # HERE\n        return a\n    x[0] = f(x[0])", "python-statement",
                        "at module level"),
    "identity": ("def k(x):\n    if x is None:  # HERE: x is\n        x[0] = 0", "python-expression", "'in' and 'is'"),
    "part returned": ("def k(A):  # HERE\n    A[0, 0] = 0\n    return A[0]", "python-return", "a part of a tensor"),
    "after return": ("def k(x):\n    x[0] = 1\n    return x\n    x[0] = 2  # HERE", "python-control-flow",
                     "never runs"),
    "star": ("def k(x, *rest):  # HERE: rest\n    x[0] = 0", "python-parameter", "any number of arguments"),
    "exp of integers": ("def k(x: pimento.i32):\n    x[0] = pimento.exp(x[0])  # HERE: pimento", "python-type",
                        "takes floats"),
    "power": ("def k(x):\n    x[0] = x[0] ** 2  # HERE: x[0] **", "python-expression", "write x * x"),
    "unsupported on the machine": ("def k(x, y):\n    for i in range(8):\n        y[i] = pimento.exp(x[i])  # HERE",
                                   "unsupported-op", ""),
}


class BrokenKernels(unittest.TestCase):
    def run_case(self, name, text, code, words):
        lines = text.count("@pimento.kernel") and text or text.replace("def k(", "@pimento.kernel\ndef k(", 1)
        source = HEAD + lines + "\n"
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "broken.py"
            path.write_text(source)
            spec = importlib.util.spec_from_file_location("broken", path)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            import inspect

            names = [p for p in inspect.signature(module.k.pimento_function).parameters if p in SHAPES]
            with self.assertRaises(pimento.Error) as raised:
                pimento.init_kernel(module.k, {p: SHAPES[p] for p in names}, map="auto", offload="all")
        error = raised.exception
        self.assertNotIsInstance(error, pimento.InternalError)
        marked = next(n for n, line in enumerate(source.splitlines(), 1) if "# HERE" in line)
        line = source.splitlines()[marked - 1]
        wanted = re.search(r"# HERE: (.*)$", line)
        self.assertEqual((error.code, error.file, error.line), (code, str(path), marked), str(error))
        if wanted:
            self.assertEqual(error.column, line.split("#")[0].index(wanted[1]) + 1, str(error))
        self.assertIn(words, str(error))
        self.assertTrue(error.hint, str(error))
        self.assertRegex(str(error), rf"^{re.escape(str(path))}:\d+:\d+: error: .+ \[{code}\]\n  hint: .+")


for name, case in CASES.items():
    setattr(BrokenKernels, "test_" + re.sub(r"\W+", "_", name),
            lambda self, name=name, case=case: self.run_case(name, *case))


class BadCalls(unittest.TestCase):
    """Wrong arguments: an error at the line of the call."""

    def setUp(self):
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "unit" / "python"))
        import kernels as K

        self.K = K
        self.A, self.x = np.ones((64, 128), np.float16), np.ones(128, np.float16)
        self.k = pimento.init_kernel(K.gemv, [self.A, self.x], map="reference")

    def fails(self, code, words, call):
        with self.assertRaises(pimento.Error) as raised:
            call()
        error = raised.exception
        self.assertEqual(error.code, code, str(error))
        self.assertIn(words, str(error))
        self.assertTrue(error.hint, str(error))
        self.assertEqual(Path(error.file).name, "broken_kernels.py", str(error))
        self.assertEqual(error.line, call.__code__.co_firstlineno)

    def test_arrays_that_are_not_right(self):
        k, A, x = self.k, self.A, self.x
        self.fails("python-dtype", "holds f16, the array holds float64", lambda: k(A, x.astype(float)))
        self.fails("python-shape", "[128], the array has [127]", lambda: k(A, x[1:]))
        self.fails("python-shape", "[64, 128], the array has [128, 64]", lambda: k(A.T, x))
        self.fails("python-layout", "not contiguous", lambda: k(np.asfortranarray(A), x))
        self.fails("python-layout", "not contiguous", lambda: k(A, np.ones(256, np.float16)[::2]))
        self.fails("python-shape", "the array has [0]", lambda: k(A, np.ones(0, np.float16)))
        self.fails("python-argument", "not an array", lambda: k(A, "x"))
        self.fails("python-argument", "not an array", lambda: k(A, [1.0] * 100))
        self.fails("python-argument", "needs 'x'", lambda: k(A))
        self.fails("python-argument", "takes 2 arrays, 3", lambda: k(A, x, x))
        self.fails("python-argument", "did you mean 'x'", lambda: k(A, X=x))
        self.fails("python-argument", "given twice", lambda: k(A, x, A=A))
        self.fails("python-argument", "is not a mode", lambda: k(A, x, mode="run"))

    def test_read_only_arrays_that_a_kernel_writes(self):
        y = np.ones(4, np.int32)
        saxpy = pimento.init_kernel(self.K.saxpy, [(), (4,), (4,)], dtype="i32", map="host")
        y.flags.writeable = False
        self.fails("python-layout", "read-only", lambda: saxpy(1, np.ones(4, np.int32), y))
        z = np.ones(6, np.int32)
        self.fails("python-layout", "share memory", lambda: saxpy(1, z[:4], z[2:]))

    def test_handles_that_are_not_right(self):
        k, A, x = self.k, self.A, self.x
        handle = k.preload(A, "A")
        other = pimento.init_kernel(self.K.gemv, [A, x], target="attacc", map="reference")
        slow = pimento.init_kernel(self.K.gemv, [A, x], map="reference", set={"timing.tRP": 40})
        moved = pimento.init_kernel(self.K.gemv, [A, x], map="M1:{(1,1),(4,1),(1,16),(16,8)}")
        self.fails("python-handle", "is of machine 'hbm-pim'", lambda: other(handle, x))
        self.fails("python-handle", "with other numbers", lambda: slow(handle, x))
        self.fails("python-handle", "finds its data by", lambda: moved(handle, x))
        self.fails("python-handle", "passed for 'x'", lambda: k(A, handle))
        self.fails("python-shape", "does not fit", lambda: handle.update(A, (1, 0)))
        self.fails("python-dtype", "holds f16", lambda: handle.update(A.astype(float), 0))
        handle.free()
        self.fails("python-handle", "was freed", lambda: k(handle, x))
        self.fails("python-handle", "was freed", lambda: handle.free())
        self.fails("python-handle", "was freed", lambda: handle.update(A, 0))
        self.fails("python-argument", "none of the inputs", lambda: k.preload(np.ones(7, np.float16)))
        self.fails("python-argument", "did you mean 'A'", lambda: k.preload(A, "a"))

    def test_memory_that_is_exceeded_says_by_how_much(self):
        from pimento.handles import _used

        k, A = self.k, self.A
        capacity = k.description["capacity_bytes"]
        _used[k._machine] = capacity - 10
        self.addCleanup(_used.pop, k._machine)
        self.fails("python-memory", f"{A.nbytes - 10:,} too many", lambda: k.preload(A, "A"))

    def test_a_kernel_larger_than_the_machine_is_refused_where_it_is_written(self):
        with self.assertRaises(pimento.Error) as raised:
            pimento.init_kernel(self.K.gemv, [(1 << 20, 1 << 16), (1 << 16,)], map="reference")
        self.assertEqual(Path(raised.exception.file).name, "kernels.py", str(raised.exception))
        self.assertTrue(any(d["kind"] == "capacity" for d in raised.exception.diagnostics), str(raised.exception))
        self.assertRegex(str(raised.exception), r"\d too many")

    def test_kernels_and_sizes_that_are_not_right(self):
        K, A, x = self.K, self.A, self.x
        self.fails("python-kernel", "is not a kernel", lambda: pimento.init_kernel(len, []))
        self.fails("python-kernel", "is not a kernel", lambda: pimento.estimate(3))
        self.fails("python-not-initialized", "is not bound to sizes", lambda: K.gemv(A, x))
        self.fails("python-sizes", "2 parameters, 3 sizes", lambda: pimento.init_kernel(K.gemv, [(1,), (1,), (1,)]))
        self.fails("python-sizes", "did you mean 'x'", lambda: pimento.init_kernel(K.gemv, {"A": (4, 4), "X": (4,)}))
        self.fails("python-sizes", "not a size", lambda: pimento.init_kernel(K.gemv, ["ab", (4,)]))
        self.fails("python-sizes", "without names", lambda: pimento.init_kernel("gemv", [64, 64]))
        self.fails("python-dtype", "not an element type", lambda: pimento.init_kernel(K.gemv, [A, x], dtype="f17"))
        self.fails("python-argument", "not a tensor param", lambda: pimento.init_kernel(K.gemv, [A, x], constants="B"))
        self.fails("unknown-target", "unknown machine", lambda: pimento.init_kernel(K.gemv, [A, x], target="upmen"))
        self.fails("api-key", "did you mean 'objective'", lambda: pimento.estimate("gemv", objectve="time"))
        self.fails("api-key", "'estimate' has no option 'budget'", lambda: pimento.estimate("gemv", budget=3))
        self.fails("python-outside", "inside kernels", lambda: pimento.relu(3))
        self.fails("python-outside", "inside kernels", lambda: pimento.Tensor.zero([3]))

    def test_what_a_call_took_before_any_call(self):
        self.fails("python-not-called", "call it first", lambda: self.k.report)

    def test_a_library_that_is_not_there(self):
        folder = str(Path(pimento.__file__).parent.parent)
        program = f"import sys; sys.path.insert(0, {folder!r}); import pimento; pimento.estimate('gemv')"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                              env={**os.environ, "PIMENTO_LIBRARY": "/nowhere/libpimento_c.so.1"})
        self.assertIn("/nowhere/libpimento_c.so.1 [python-library]\n  hint: build it", done.stderr)

    def test_functions_without_text(self):
        space = {}
        exec("import pimento\n@pimento.kernel\ndef k(x):\n    x[0] = 0", space)
        with self.assertRaisesRegex(pimento.Error, "the text of 'k' is not available.*python-source"):
            pimento.init_kernel(space["k"], [(4,)])
        self.fails("python-kernel", "is not a function", lambda: pimento.kernel(3))


if __name__ == "__main__":
    unittest.main()
