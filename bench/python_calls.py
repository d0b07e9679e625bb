#!/usr/bin/env python3
"""What Python adds to the library's work: the import, init_kernel of a tuned shape, and a call of a kernel.

usage: python_calls.py [--limits]        with a Python that has NumPy; PIMENTO_LIBRARY names the library

Each figure is the least and the median of many, by the clock; on a busy machine the least is what counts. `library` is the
same call of the C library with ready arguments, `overhead` the rest. --limits: exit status 1 where a least exceeds what
docs/decisions/0046-python.md promises (import 200 ms, init_kernel 5 ms, overhead 100 us).
"""

import ctypes
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "python"))

import numpy as np  # noqa: E402

import pimento  # noqa: E402

LIMITS = {"import": 200_000, "init_kernel": 5_000, "overhead": 100}


@pimento.kernel
def gemv(A, x):
    y = pimento.Tensor.zero([A.size(0)])
    for i in range(A.size(0)):
        for j in range(A.size(1)):
            y[i] += A[i, j] * x[j]
    return y


@pimento.kernel
def sums(a, b, c, d):
    for i in range(len(a)):
        d[i] = a[i] + b[i] + c[i]


def measured(function, count):
    """(least, median) in microseconds."""
    took = []
    for _ in range(count):
        begin = time.perf_counter_ns()
        function()
        took.append((time.perf_counter_ns() - begin) / 1000)
    return min(took), statistics.median(took)


def importing():
    program = ("import time; t = time.perf_counter(); import pimento; print((time.perf_counter() - t) * 1e6)")
    took = [float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                                 cwd=ROOT / "python").stdout) for _ in range(5)]
    return min(took), statistics.median(took)


def calls(kernel, sizes):
    """(call, library, overhead), each (least, median)."""
    k = pimento.init_kernel(kernel, sizes, map="host", dtype="f32", mode="estimate")
    arrays = [np.ones(s, np.float32) for s in sizes]
    call = measured(lambda: k(*arrays), 2000)
    native, sources = k._variant(frozenset())
    made = [np.empty(t.shape, t.numpy) for t in k._made]
    addresses = native._arrays(*((arrays[s] if s >= 0 else made[~s]).ctypes.data for s in sources))
    answer = ctypes.c_void_p()

    def library():
        native._c.pimento_kernel_run(native._address, b"estimate", addresses, len(sources), ctypes.byref(answer))
        native._c.pimento_answer_destroy(answer)

    alone = measured(library, 2000)
    return call, alone, (call[0] - alone[0], call[1] - alone[1])


def main():
    rows = [("import", importing())]
    with tempfile.TemporaryDirectory() as folder:
        options = {"target": "attacc", "dtype": "f16", "store": str(Path(folder) / "results.db")}
        pimento.init_kernel(gemv, [(32, 64), (64,)], **options)
        rows.append(("init_kernel", measured(lambda: pimento.init_kernel(gemv, [(32, 64), (64,)], **options), 100)))
    for name, kernel, sizes in (("2 arrays, 1 result", gemv, [(1, 16), (16,)]), ("4 arrays", sums, [(16,)] * 4)):
        for what, figures in zip(("call", "library", "overhead"), calls(kernel, sizes)):
            rows.append((f"{what}, {name}", figures))
    print(f"{'us':>30} {'least':>10} {'median':>10}")
    for name, (least, median) in rows:
        print(f"{name:>30} {least:10.1f} {median:10.1f}")
    exceeded = [name for name, (least, _) in rows if least > LIMITS.get(name.split(",")[0], float("inf"))]
    if exceeded and "--limits" in sys.argv:
        sys.exit(f"above the limit: {', '.join(exceeded)}")


if __name__ == "__main__":
    main()
