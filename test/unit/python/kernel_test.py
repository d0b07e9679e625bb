#!/usr/bin/env python3
"""The life of a kernel: bound, tuned, called on arrays and handles; what it reports."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import np, pimento, rng  # first: says "not run here" without NumPy
import kernels as K

HALF = np.float16


def halves(*shape):
    return rng.uniform(-1, 1, shape).astype(HALF)


class Dlpack:
    """An object that has only __dlpack__."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    shape = property(lambda self: self.array.shape)


class AnArray:
    """An object that has only __array__."""

    def __init__(self, array):
        self.array = array

    def __array__(self, *_, **__):
        return self.array


class Calls(unittest.TestCase):
    def setUp(self):
        self.A, self.x = halves(64, 128), halves(128)
        self.k = pimento.init_kernel(K.gemv, [self.A, self.x], target="hbm-pim", map="reference")

    def test_the_device_and_the_interpreter_compute_the_same_bits(self):
        device = self.k(self.A, self.x)
        report = self.k.report
        self.assertTrue(report["checked"])
        estimated = self.k(self.A, self.x, mode="estimate")
        self.assertEqual(device.tobytes(), estimated.tobytes())
        for key in ("cycles", "total_cycles", "time_ns", "energy_pj", "breakdown", "counts"):
            self.assertEqual(report[key], self.k.report[key], key)
        wide = self.A.astype(float) @ self.x.astype(float)
        self.assertLess(np.abs(device - wide).max(), 0.05)

    def test_a_report_is_a_plain_dict_of_the_last_call(self):
        with self.assertRaisesRegex(pimento.Error, "has not been called yet"):
            self.k.report
        self.k(self.A, self.x)
        self.assertIs(type(self.k.report), dict)
        self.assertGreater(self.k.time_ns, 0)
        self.assertGreater(self.k.energy_pj, 0)
        self.assertEqual(self.k.report["target"], "hbm-pim")

    def test_arguments_may_be_named(self):
        self.assertTrue(np.array_equal(self.k(x=self.x, A=self.A), self.k(self.A, self.x)))

    def test_objects_that_numpy_sees_as_arrays_are_arguments(self):
        wanted = self.k(self.A, self.x)
        self.assertTrue(np.array_equal(self.k(AnArray(self.A), Dlpack(self.x)), wanted))

    def test_arrays_are_changed_in_place_and_not_copied(self):
        x, y = (rng.integers(-9, 9, 20).astype(np.int32) for _ in range(2))
        k = pimento.init_kernel(K.saxpy, [(), x, y], dtype="i32", map="host")
        address = y.ctypes.data
        k(2, x, y)
        k(2, x, y)
        self.assertEqual(y.ctypes.data, address)
        self.assertEqual(k.inputs, ["alpha", "x", "y"])

    def test_inputs_stay_as_they_are(self):
        before = self.A.copy()
        self.A.flags.writeable = False
        self.k(self.A, self.x)
        self.assertTrue(np.array_equal(self.A, before))

    def test_a_mapping_may_be_given(self):
        other = pimento.init_kernel(K.gemv, [self.A, self.x], map="M1:{(1,1),(4,1),(1,16),(16,8)}")
        self.assertEqual(other.mapping, "M1:{(1,1),(4,1),(1,16),(16,8)}")
        other(self.A, self.x)
        self.k(self.A, self.x)
        self.assertNotEqual(other.report["total_cycles"], self.k.report["total_cycles"])

    def test_kernels_of_the_zoo_and_notation_run_on_arrays_too(self):
        k = pimento.init_kernel("gemv", {"m": 64, "n": 128}, map="reference")
        self.assertEqual((k.inputs, k.outputs), (["A", "x"], ["y"]))
        self.assertTrue(np.array_equal(k(self.A, self.x), self.k(self.A, self.x)))
        k = pimento.init_kernel("y[i] = relu(a[i] + b[i])", {"i": 32}, map="host", dtype="f32")
        a, b = (rng.uniform(-1, 1, 32).astype(np.float32) for _ in range(2))
        self.assertTrue(np.array_equal(k(a, b), np.maximum(a + b, 0)))

    def test_types_that_numpy_lacks_travel_as_bits(self):
        a, b = rng.uniform(-4, 4, 64), rng.uniform(-4, 4, 64)
        for of in (pimento.bf16, pimento.f8e4m3, pimento.f8e5m2):
            k = pimento.init_kernel(K.va, [(64,), (64,)], dtype=of, map="host")
            ones, others = of.encode(a), of.encode(b)
            bound = pimento.init_kernel(K.va, [ones, others], dtype=of, map="host")  # by arrays, which hold bits
            self.assertTrue(np.array_equal(bound(ones, others), k(ones, others)))
            got = k(ones, others)
            self.assertTrue(np.array_equal(got, of.encode(of.decode(ones) + of.decode(others))), of)

    def test_a_number_of_the_machine_can_be_set(self):
        slow = pimento.init_kernel(K.gemv, [self.A, self.x], map="reference", set={"timing.tRP": 40})
        slow(self.A, self.x, mode="estimate")
        self.k(self.A, self.x, mode="estimate")
        self.assertGreater(slow.report["cycles"], self.k.report["cycles"])

    def test_what_the_device_cannot_run_stays_on_the_host_where_that_is_asked_for(self):
        x = rng.uniform(-1, 1, (2, 5)).astype(np.float32)
        k = pimento.init_kernel(K.softmax, [x], map="auto", offload="possible")
        self.assertIn("host", {p["where"] for p in k.description["parts"]})
        self.assertLess(np.abs(k(x).sum(1) - 1).max(), 1e-6)


class Updates(unittest.TestCase):
    def test_the_callback_gets_the_mapping_with_its_time_and_energy(self):
        seen = []
        k = pimento.init_kernel(K.gemv, [(64, 128), (128,)], map="reference", update=seen.append)
        self.assertEqual(len(seen), 1)
        best = seen[0]
        self.assertIs(best.kernel, k)
        self.assertEqual(best.mapping, k.mapping)
        self.assertEqual(best.mapping, "reference")
        k(halves(64, 128), halves(128), mode="estimate")
        self.assertEqual((best.time_ns, best.energy_pj), (k.time_ns, k.energy_pj))

    def test_a_layer_preloads_in_its_callback_as_in_figure_6(self):
        class Layer:
            def __init__(self, weight, bias, batch):
                self.weight, self.bias = weight, bias
                self.kernel = pimento.init_kernel(K.pim_kernel, [weight.shape, bias.shape, (batch, weight.shape[1])],
                                                  target="upmem", dtype="i32", map="host", update=self.update)

            def update(self, best):
                self.pim_w = best.kernel.preload(self.weight)
                self.pim_b = best.kernel.preload(self.bias)

            def forward(self, x):
                return self.kernel(self.pim_w, self.pim_b, x)

        weight, bias = (rng.integers(-9, 9, s).astype(np.int32) for s in ((6, 8), (8,)))
        x = rng.integers(-9, 9, (2, 8)).astype(np.int32)
        self.assertTrue(np.array_equal(Layer(weight, bias, 2).forward(x), x @ weight.T + bias.sum()))


class Handles(unittest.TestCase):
    def setUp(self):
        self.A, self.x = halves(64, 128), halves(128)
        self.k = pimento.init_kernel(K.gemv, [self.A, self.x], map="reference", constants="A")

    def test_a_preloaded_tensor_is_not_placed_by_the_call(self):
        handle = pimento.preload(self.A, self.k)
        self.assertEqual(handle.parameter, "A")
        with_handle = self.k(handle, self.x)
        preloaded = self.k.report
        self.assertTrue(np.array_equal(with_handle, self.k(self.A, self.x)))
        self.assertLess(preloaded["total_cycles"], self.k.report["total_cycles"])
        self.assertEqual(preloaded["cycles"], self.k.report["cycles"])
        self.assertGreater(handle.time_ns, 0)
        self.assertGreater(handle.energy_pj, 0)

    def test_its_contents_are_those_of_the_time_of_loading(self):
        handle = self.k.preload(self.A, "A")
        wanted = self.k(self.A, self.x)
        self.A[:] = 0
        self.assertTrue(np.array_equal(self.k(handle, self.x), wanted))

    def test_a_part_is_overwritten_at_an_offset_as_a_cache_grows(self):
        k = pimento.init_kernel(K.bgemv, [(2, 16, 32), (2, 32)], target="attacc", map="auto", constants="K")
        cache, q = np.zeros((2, 16, 32), HALF), halves(2, 32)
        handle = k.preload(cache, "K")
        whole = handle.time_ns
        for token in range(4):
            new = halves(2, 1, 32)
            handle.update(new, (0, token, 0))
            cache[:, token : token + 1] = new
            self.assertTrue(np.array_equal(k(handle, q), k(cache, q)))
        self.assertAlmostEqual(handle.time_ns, whole / 16)
        self.assertTrue(np.array_equal(handle.numpy(), cache))

    def test_memory_is_given_back(self):
        from pimento.handles import _used

        before = _used.get(self.k._machine, 0)
        handle = self.k.preload(self.A, "A")
        self.assertEqual(_used[self.k._machine], before + 64 * 128 * 2)
        handle.free()
        self.assertEqual(_used[self.k._machine], before)
        other = self.k.preload(self.A, "A")
        del other
        self.assertEqual(_used[self.k._machine], before)


class Tuning(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.store = str(Path(self.folder.name) / "results.db")
        self.addCleanup(self.folder.cleanup)

    def test_a_shape_is_tuned_once(self):
        options = {"target": "attacc", "dtype": "f16", "store": self.store}
        sizes = [(32, 64), (64,)]
        first = pimento.init_kernel(K.gemv, sizes, **options)
        again = pimento.init_kernel(K.gemv, sizes, **options)
        self.assertEqual(first.mapping, again.mapping)
        answer = pimento.tune(K.gemv, sizes, **options)
        self.assertTrue(answer["known"])
        self.assertEqual(answer["map"], first.mapping)
        reference = pimento.estimate(K.gemv, sizes, target="attacc", dtype="f16", map="reference")
        self.assertLessEqual(first.best.time_ns, reference["time_ns"])

    def test_ctrl_c_ends_a_search_and_what_it_finished_is_kept(self):
        program = ("import sys; sys.path[:0] = sys.argv[1:3]\n"
                   "import pimento, kernels\n"
                   "print('begin', flush=True)\n"
                   "try:\n"
                   "    pimento.init_kernel(kernels.bgemv, [(24, 1000, 120), (24, 120)], target='attacc', jobs=1,\n"
                   "                        store=sys.argv[3])\n"
                   "except KeyboardInterrupt:\n"
                   "    print('interrupted', flush=True)\n")
        folders = [str(Path(pimento.__file__).parent.parent), str(Path(__file__).parent)]
        child = subprocess.Popen([sys.executable, "-c", program, *folders, self.store], stdout=subprocess.PIPE,
                                 text=True)
        self.assertEqual(child.stdout.readline(), "begin\n")
        for _ in range(3000):
            if self.kept() > 0:
                break
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=60)
        self.assertEqual(out, "interrupted\n")
        self.assertEqual(child.returncode, 0)
        self.assertGreater(self.kept(), 0)

    def kept(self):
        """Results in the store."""
        if not os.path.exists(self.store):
            return 0
        with contextlib.closing(sqlite3.connect(self.store)) as store:
            try:
                return store.execute("select count(*) from results").fetchone()[0]
            except sqlite3.OperationalError:  # it is being made
                return 0


class Package(unittest.TestCase):
    def test_the_import_takes_at_most_a_fifth_of_a_second(self):
        folder = str(Path(pimento.__file__).parent.parent)
        program = (f"import sys, time; sys.path.insert(0, {folder!r})\n"
                   "t = time.process_time(); import pimento; t = time.process_time() - t\n"
                   "assert 'numpy' not in sys.modules and 'matplotlib' not in sys.modules\n"
                   "print(t)")
        took = min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                                        check=True).stdout) for _ in range(3))
        self.assertLess(took, 0.2)

    def test_help_names_shapes_units_and_errors(self):
        import pydoc

        text = pydoc.plain(pydoc.render_doc(pimento))
        for word in ("init_kernel", "time_ns", "preload", "estimate", "Raises Error"):
            self.assertIn(word, text)
        for name in pimento.__all__:
            self.assertTrue(getattr(pimento, name).__doc__, name)

    def test_the_version_is_that_of_the_library(self):
        self.assertEqual(pimento.version(), pimento.__version__)
        tree = Path(__file__).resolve().parents[3]
        self.assertIn(f'version = "{pimento.__version__}"', (tree / "python" / "pyproject.toml").read_text())


if __name__ == "__main__":
    unittest.main()
