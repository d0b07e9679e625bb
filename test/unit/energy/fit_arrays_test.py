#!/usr/bin/env python3
"""Rules of scripts/fit_arrays.py: its fit is the least one, and --check sees changed files and bad fits.

usage: fit_arrays_test.py SOURCE_DIR
"""

import contextlib
import io
import random
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "scripts"))
sys.dont_write_bytecode = True
import fit_arrays  # noqa: E402


class Fit(unittest.TestCase):
    def test_it_finds_the_coefficients_that_made_the_rows(self):
        rng = random.Random(1)
        for _ in range(20):
            rows = [[rng.uniform(0.1, 10) for _ in range(5)] for _ in range(9)]
            made = [rng.choice((0, rng.uniform(0.1, 5))) for _ in range(4)] + [1.0]
            found = fit_arrays.fit(rows, [fit_arrays.dot(r, made) for r in rows])
            for a, b in zip(found, made):
                self.assertAlmostEqual(a, b, places=5)

    def test_no_other_coefficients_are_better(self):
        """Karush, Kuhn and Tucker: where a coefficient is positive the slope is zero, elsewhere it does not fall."""
        rng = random.Random(2)
        zeros = 0
        for _ in range(40):
            rows = [[rng.uniform(0.1, 10) for _ in range(5)] for _ in range(8)]
            values = [rng.uniform(1, 100) for _ in rows]
            found = fit_arrays.fit(rows, values)
            relative = [[f / v for f in r] for r, v in zip(rows, values)]
            rest = [fit_arrays.dot(r, found) - 1 for r in relative]
            for i, coefficient in enumerate(found):
                self.assertGreaterEqual(coefficient, 0)
                slope = sum(r[i] * e for r, e in zip(relative, rest)) / sum(r[i] for r in relative)
                zeros += coefficient == 0
                self.assertGreater(slope, -1e-7)
                if coefficient > 0:
                    self.assertAlmostEqual(slope, 0, places=7)
        self.assertGreater(zeros, 20)

    def test_one_largest_and_one_smallest_array_stay(self):
        rows = [{"size": s} for s in (1, 2, 4, 4)]
        self.assertEqual([fit_arrays.left_out(r, rows) for r in rows], [False, True, True, True])


class Check(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        for part in ("validation/cim", "machines/arrays", "docs/models"):
            (self.folder / part).mkdir(parents=True)
        for pattern in ("validation/cim/*.csv", "machines/arrays/*.yaml", "docs/models/arrays.md"):
            for path in SOURCE.glob(pattern):
                shutil.copy(path, self.folder / path.relative_to(SOURCE))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def check(self, *words):
        """What is printed, and what is wrong; in this process, which keeps its fits."""
        fit_arrays.ROOT, fit_arrays.PAGE = self.folder, self.folder / "docs" / "models" / "arrays.md"
        fit_arrays.ROWS, fit_arrays.SETS = self.folder / "validation" / "cim", self.folder / "machines" / "arrays"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                fit_arrays.main(list(words))
            except SystemExit as stopped:
                return printed.getvalue(), str(stopped.code)
        return printed.getvalue(), ""

    def change(self, name, old, new):
        path = self.folder / name
        text = path.read_text(encoding="utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def test_a_coefficient_by_hand_is_seen(self):
        self.change("machines/arrays/cacti7.yaml", "column: 0.02", "column: 0.03")
        self.assertIn("machines/arrays/cacti7.yaml is not what the rows give", self.check("--check")[1])

    def test_a_row_that_no_model_meets_is_seen(self):
        self.change("validation/cim/cacti7_45nm_caches.csv", "0.0168549", "0.168549")
        self.assertIn("cacti7, sram hp, read: a row is missed", self.check("--check")[1])

    def test_the_page_has_the_table_that_is_printed(self):
        printed, wrong = self.check("--check")
        self.assertEqual(wrong, "")
        self.assertIn(printed, (self.folder / "docs/models/arrays.md").read_text(encoding="utf-8"))
        self.change("docs/models/arrays.md", "| 1.16, 1.40, 1.18 |", "| 1.16, 1.20, 1.18 |")
        self.assertIn("docs/models/arrays.md is not what the rows give", self.check("--check")[1])

    def test_writing_repairs(self):
        self.change("machines/arrays/destiny.yaml", "column: 0.00", "column: 0.01")
        self.assertNotEqual(self.check("--check")[1], "")
        self.assertEqual(self.check()[1], "")
        self.assertEqual(self.check("--check")[1], "")


if __name__ == "__main__":
    unittest.main()
