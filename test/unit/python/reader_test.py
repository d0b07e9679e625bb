#!/usr/bin/env python3
"""The language of kernels in Python: each kernel's results, against NumPy or plain Python."""

import unittest

from support import np, pimento, rng  # first: says "not run here" without NumPy
import kernels as K


def run(kernel, *arguments, **options):
    """Its results, computed where no device is in the way."""
    options = {"map": "host", "target": "hbm-pim", **options}
    return pimento.init_kernel(kernel, arguments, **options)(*[a for a in arguments if not isinstance(a, int)])


def ints(*shape, low=-9, high=10):
    return rng.integers(low, high, shape).astype(np.int32)


class Language(unittest.TestCase):
    def same(self, got, wanted):
        wanted = np.asarray(wanted, np.asarray(got).dtype)
        self.assertEqual(np.asarray(got).shape, wanted.shape)
        self.assertTrue(np.array_equal(got, wanted), f"\n{got}\nwanted\n{wanted}")

    def test_ranges_have_a_start_an_end_and_a_step_of_either_sign(self):
        x = ints(11)
        wanted = np.zeros_like(x)
        wanted[1::2] = x[1::2]
        wanted[10::-3] += 10
        self.same(run(K.steps, x), wanted)

    def test_bounds_may_depend_on_loops_around(self):
        A = ints(6, 6)
        self.same(run(K.triangle, A), np.triu(A).sum(1))

    def test_a_range_may_end_at_the_least_of_several_sums(self):
        x = ints(10)
        self.same(run(K.tiled, x), x * 2)

    def test_conditions_on_loops_keep_indices_inside(self):
        x = ints(7)
        wanted = x.copy()
        wanted[1:-1] = x[:-2] + x[1:-1] + x[2:]
        self.same(run(K.borders, x), wanted)

    def test_conditions_on_data_choose_stores_and_count(self):
        x = np.array([5, 3, -4, 0, -1, 2, 3], np.int32)
        y, count = run(K.positives, x)
        self.same(y, [5, 3, 4, 0, 1, 2, 3])
        self.assertEqual(count, 2)

    def test_helper_functions_are_inlined_with_their_defaults_and_loops(self):
        x = ints(5)
        wanted = x * x + 2
        wanted[0] = 3 * (x * x).sum() + wanted[1]
        self.same(run(K.helpers, x), wanted)

    def test_integer_division_rounds_down_as_python_does(self):
        a, b = np.array([7, -7, 7, -7, 0], np.int32), np.array([2, 2, -2, -2, 5], np.int32)
        q, r = run(K.division, a, b)
        self.same(q, a // b)
        self.same(r, a % b)

    def test_bit_operations_are_those_of_python(self):
        a, b = ints(9), ints(9)
        self.same(run(K.bits, a, b), ((a & b) | 1) ^ (~a << 2) + (b >> 1))

    def test_a_scalar_keeps_the_value_that_it_was_given(self):
        x, y = ints(5), ints(5)
        old_x, old_y = x.copy(), y.copy()
        self.same(run(K.old_values, x, y), old_y)
        self.same(y, old_x)

    def test_loops_carry_several_scalars_at_once(self):
        x = np.zeros(10, np.int32)
        self.same(run(K.fibonacci, x), [0, 1, 1, 2, 3, 5, 8, 13, 21, 34])

    def test_an_index_may_come_from_data(self):
        x, at = ints(5), np.array([4, 0, 0, 3], np.int32)
        self.same(run(K.gather, x, at), x[at])
        self.same(run(K.hst, at, 6), [2, 0, 0, 1, 1, 0])

    def test_scalars_are_arguments_by_value(self):
        x, y = ints(6), ints(6)
        wanted = y + 3 * x
        k = pimento.init_kernel(K.saxpy, [(), x, y], dtype="i32", map="host")
        self.assertIsNone(k(3, x, y))
        self.same(y, wanted)

    def test_types_come_from_annotations_and_mixed_ones_are_promoted(self):
        a, b = rng.random(4).astype(np.float16), rng.random(4).astype(np.float32)
        c = ints(4)
        k = pimento.init_kernel(K.mixed, [(4,), (4,), (4,)], map="host")
        wanted = a.astype(np.float32) * b + c.astype(np.float32) + c.astype(np.float16).astype(np.float32)
        self.same(k(a, b, c), wanted + np.arange(4, dtype=np.float32))

    def test_dtype_is_of_what_has_no_type(self):
        a = rng.random(4).astype(np.float16)
        k = pimento.init_kernel(K.va, [a, (4,)], dtype="f32", map="host")
        b = rng.random(4).astype(np.float32)
        self.assertEqual(k(a, b).dtype, np.float32)
        k = pimento.init_kernel(K.va, [a, (4,)], target="upmem", map="host")
        self.assertEqual(k(a, a).dtype, np.float16)  # the array's, before the machine's

    def test_a_temporary_in_a_loop_is_new_in_every_iteration(self):
        A = ints(4, 5)
        self.same(run(K.local_in_loop, A), (A * 2).sum(1))

    def test_negative_numbers_index_from_the_end(self):
        x = ints(5)
        self.same(run(K.negative_index, x), [x[-1], x[0]])

    def test_functions_of_floats_are_rounded_once(self):
        x = rng.uniform(-2, 2, 50).astype(np.float32)
        wide = x.astype(np.float64)
        wanted = np.sqrt(np.abs(x)) + np.tanh(wide).astype(np.float32) * np.exp(-wide).astype(np.float32) - \
            np.float32(np.log(2.0))
        self.same(run(K.functions, x), wanted)

    def test_numbers_among_the_sizes_are_constants_and_choose_branches(self):
        x = ints(4)
        self.same(run(K.fold, x, 3), x * 3)
        self.same(run(K.fold, x, 1), x + 8)

    def test_reductions_carry_scalars(self):
        x = ints(30)
        self.assertEqual(run(K.red, x), x.sum())
        self.same(run(K.scan, x), np.cumsum(x))
        self.same(run(K.argmin, x), [np.argmin(x)])

    def test_softmax_is_several_kernels(self):
        x = rng.uniform(-3, 3, (4, 9)).astype(np.float32)
        got = run(K.softmax, x)
        wanted = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        self.assertLess(np.abs(got - wanted / wanted.sum(1, keepdims=True)).max(), 1e-6)

    def test_figure_6_of_the_paper(self):
        weight, bias, x = ints(3, 4), ints(4), ints(2, 4)
        self.same(run(K.pim_kernel, weight, bias, x), x @ weight.T + bias.sum())

    def test_the_kernels_become_cnm_ir_which_reads_back(self):
        text = K.gemv.cnm([(8, 4), (4,)], dtype="f16")
        self.assertIn("operand A f16[8,4] input", text)
        self.assertIn("store add y[i] %2", text)
        again = pimento.estimate(text, language="cnm", target="hbm-pim", map="reference")
        ours = pimento.estimate(K.gemv, [(8, 4), (4,)], dtype="f16", map="reference")
        self.assertEqual(again["total_cycles"], ours["total_cycles"])


if __name__ == "__main__":
    unittest.main()
