#!/usr/bin/env python3
"""The verbs as functions: the same numbers as the command line, as objects that print, plot and show as HTML."""

import importlib.util
import os
import pickle
import subprocess
import sys
import types
import unittest

from support import pimento  # first: says "not run here" without NumPy
import kernels as K

GEMV = {"m": 64, "n": 128}


def stable(data):
    """Without what differs from run to run, and what says how it was asked for."""
    return {k: v for k, v in data.items() if k not in ("wall_us", "compile_us", "run")}


class Verbs(unittest.TestCase):
    def test_answers_are_those_of_the_command_line(self):
        tool = os.environ.get("PIMENTO")
        if not tool:
            self.skipTest("PIMENTO names no tool")
        import json

        for verb, options in (("estimate", {"map": "reference", "set": ["timing.tRP=20"], "constant": ["A"]}),
                              ("simulate", {"map": "auto", "seed": 3})):
            words = [w for k, v in options.items() for one in (v if isinstance(v, list) else [v])
                     for w in (f"--{k}", str(one))]
            out = subprocess.run([tool, verb, "gemv", "--size", "m=64,n=128", *words, "--json", "--quiet"],
                                 capture_output=True, text=True, check=True).stdout
            ours = getattr(pimento, verb)("gemv", GEMV, **options)
            self.assertEqual(stable(ours.to_dict()), stable(json.loads(out)), verb)

    def test_sets_may_be_dicts_and_options_have_the_names_of_the_command_line(self):
        plain = pimento.estimate("gemv", GEMV, map="reference")
        slow = pimento.estimate("gemv", GEMV, map="reference", set={"timing.tRP": 40})
        self.assertGreater(slow["cycles"], plain["cycles"])
        other = pimento.estimate("gemv", {"m": 4096, "n": 4096}, map="reference", engine="two-slice", alpha=0.1)
        self.assertEqual(other["exact"], "extrapolated")

    def test_results_read_as_attributes_and_keys_and_print_as_tables(self):
        r = pimento.estimate("gemv", GEMV, map="reference")
        self.assertEqual(r.time_ns, r["time_ns"])
        self.assertIn("time_ns", r)
        self.assertIn("time_ns", dir(r))
        self.assertIn("where time goes", str(r))
        self.assertIn("gemv", repr(r))
        with self.assertRaises(AttributeError):
            r.nonsense
        self.assertEqual(r.rows()[0]["breakdown.compute"], r["breakdown"]["compute"])

    def test_comparisons_have_a_row_for_each_machine(self):
        c = pimento.compare("gemv", GEMV, targets=["hbm-pim", "attacc", "nonsense"], map="reference")
        self.assertEqual([row["target"] for row in c], ["hbm-pim", "attacc", "nonsense"])
        self.assertIsNone(c["hbm-pim"]["error"])
        self.assertIn("nonsense", c["nonsense"]["error"])
        self.assertEqual(c.fastest()["time_ns"], min(c[0]["time_ns"], c[1]["time_ns"]))
        self.assertIn("attacc", str(c))

    def test_explorations_have_points(self):
        e = pimento.explore("gemv", GEMV, sweep="tRP=14,16,18", map="reference")
        self.assertEqual(len(e), 3)
        self.assertEqual([row["timing.tRP"] for row in e.rows()], ["14", "16", "18"])
        self.assertEqual(e.best()["time_ns"], min(row["time_ns"] for row in e.rows()))

    def test_tune_finds_the_best_mapping(self):
        t = pimento.tune("gemv", {"m": 16, "n": 64}, store="none")
        self.assertEqual(t["stop"], "optimal")
        again = pimento.estimate("gemv", {"m": 16, "n": 64}, map=t["map"])
        self.assertEqual(again["total_cycles"], t["best"]["total_cycles"])

    def test_numbers_are_explained_from_a_kernel_and_from_a_result(self):
        text = str(pimento.explain("gemv", GEMV, map="reference", number="breakdown.merge"))
        self.assertIn("merge_rate", text)
        r = pimento.estimate("gemv", GEMV, map="reference")
        self.assertIn("merge_rate", str(pimento.explain(r, number="breakdown.merge")))

    def test_python_kernels_are_inputs_of_all_verbs(self):
        sizes = [(64, 128), (128,)]
        r = pimento.estimate(K.gemv, sizes, map="reference")
        zoo = pimento.estimate("gemv", GEMV, map="reference")
        for key in ("cycles", "total_cycles", "energy_pj", "counts"):
            self.assertEqual(r[key], zoo[key], key)
        self.assertTrue(pimento.simulate(K.gemv, sizes, map="reference")["checked"])
        self.assertIsNone(pimento.compare(K.gemv, sizes, targets="hbm-pim,attacc", map="reference")[1]["error"])
        self.assertEqual(len(pimento.explore(K.gemv, sizes, sweep="tRP=14,16", map="reference")), 2)
        self.assertIn("cycles", str(pimento.explain(K.gemv, sizes, map="reference")))

    def test_results_show_as_pages(self):
        r = pimento.estimate("gemv", GEMV, map="reference")
        self.assertIn("<html", r.html())
        self.assertTrue(r._repr_html_().startswith("<iframe srcdoc="))
        c = pimento.compare("gemv", GEMV, targets=["hbm-pim", "attacc"], map="reference")
        self.assertIn("attacc", c._repr_html_())
        e = pimento.explain("gemv", GEMV, map="reference", number="cycles")  # has no page
        self.assertTrue(e._repr_html_().startswith(("<pre>", "<iframe")))

    def test_rows_become_a_data_frame(self):
        c = pimento.compare("gemv", GEMV, targets=["hbm-pim", "attacc"], map="reference")
        seen = {}
        if importlib.util.find_spec("pandas") is None:  # not installed: what it would be given
            sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: seen.setdefault("rows", rows))
            try:
                c.to_pandas()
            finally:
                del sys.modules["pandas"]
            self.assertEqual([r["target"] for r in seen["rows"]], ["hbm-pim", "attacc"])
        else:
            self.assertEqual(list(c.to_pandas()["target"]), ["hbm-pim", "attacc"])

    def test_results_plot(self):
        if importlib.util.find_spec("matplotlib") is None:
            self.skipTest("not run here: no matplotlib")
        axes = pimento.compare("gemv", GEMV, targets=["hbm-pim", "attacc"], map="reference").plot()
        self.assertEqual(axes.get_xlabel(), "time (ns)")
        self.assertGreater(len(axes.patches), 2)
        axes = pimento.explore("gemv", GEMV, sweep="tRP=14,16", map="reference").plot()
        self.assertEqual(axes.get_ylabel(), "energy (pJ)")

    def test_errors_travel_between_processes(self):
        with self.assertRaises(pimento.Error) as raised:
            pimento.estimate("gemw")
        again = pickle.loads(pickle.dumps(raised.exception))
        self.assertEqual(str(again), str(raised.exception))
        self.assertEqual(pickle.loads(pickle.dumps(pimento.f16)), pimento.f16)


if __name__ == "__main__":
    unittest.main()
