"""scripts/figures: its tables and drawings, what it says of wrong calls, and a quick run with the built tool.

usage: figures_test.py TOOL SOURCE_DIR [NAME...]     NAME: figures of the quick run
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, SOURCE, NAMES = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3:]
FOLDER = SOURCE / "scripts" / "figures"
sys.path.insert(0, str(FOLDER))
import comonm  # noqa: E402
import dcc  # noqa: E402
import dcc_online  # noqa: E402
import figures  # noqa: E402
import eva_cim  # noqa: E402
import infinity_stream  # noqa: E402
import infinity_stream_pointnet as pointnet  # noqa: E402
import infinity_stream_programs as chips  # noqa: E402
import infinity_stream_what_ifs as what_ifs  # noqa: E402
import tables  # noqa: E402


def run(*arguments, **environment):
    clean = {k: v for k, v in os.environ.items() if k != "PIMENTO_POINTS"} | environment
    return subprocess.run([sys.executable, str(FOLDER / "figures.py"), *map(str, arguments)], capture_output=True, text=True,
                          env=clean, check=False)


class Tables(unittest.TestCase):
    def test_numbers_have_four_digits_and_no_exponent_where_people_read_them(self):
        for value, text in ((0, "0"), (1234567, "1,234,567"), (0.00123456, "0.001235"), (12.0, "12"), (1234.56, "1,235"),
                            (3e-7, "3.000e-7"), (2.18, "2.18"), (-1.5, "-1.5")):
            self.assertEqual(tables.rounded(value), text)

    def test_cells_carry_their_unit(self):
        self.assertEqual(tables.shown(5.355, "percent"), "5.36 %" if round(5.355, 2) == 5.36 else "5.35 %")
        self.assertEqual(tables.shown(0, "percent"), "0.00 %")
        self.assertEqual(tables.shown(123456789, "count"), "123,456,789")
        self.assertEqual(tables.shown(1234567, "ns"), "1.235 ms")
        self.assertEqual(tables.shown(None, "percent"), "–")
        self.assertEqual(tables.shown("a | b"), "a | b")

    def test_markdown_aligns_numbers_and_escapes_what_would_end_a_cell(self):
        t = tables.table("Errors", ["kernel", ("mean", "percent")], [["a|b", 1.5], ["c", None]])
        self.assertEqual(tables.to_markdown(t),
                         "Errors:\n\n| kernel | mean |\n|---|---:|\n| a\\|b | 1.50 % |\n| c | – |\n")

    def test_csv_keeps_all_digits(self):
        t = tables.table("Errors", ["kernel", ("mean", "percent")], [["a,b", 1.2345678901234], ["c", None]])
        self.assertEqual(tables.to_csv(t), 'kernel,mean (percent)\n"a,b",1.2345678901234\nc,\n')

    def test_a_row_of_the_wrong_length_is_refused(self):
        with self.assertRaises(ValueError):
            tables.table("Errors", ["kernel", ("mean", "percent")], [["va"]])

    def test_a_page_gets_each_figure_in_its_place(self):
        page = "a\n<!-- figure x: made -->\nold\n<!-- end of figure -->\nb\n<!-- figure y -->\n<!-- end of figure -->\n"
        new = tables.filled(page, {"x": "1\n", "y": "2\n"})
        self.assertEqual(new, page.replace("old\n", "1\n").replace("<!-- figure y -->\n", "<!-- figure y -->\n2\n"))
        self.assertEqual(tables.filled(new, {"x": "1\n", "y": "2\n"}), new)

    def test_a_page_without_a_place_or_with_an_unknown_one_is_refused(self):
        page = "<!-- figure x -->\n<!-- end of figure -->\n"
        for texts in ({}, {"x": "", "y": ""}):
            with self.assertRaises(ValueError):
                tables.filled(page, texts)


class Comonm(unittest.TestCase):
    SUITE = {"kernels": {"one:gemv": {"rows": 1, "exact": 0, "seconds": 3, "mean_abs_error_pct": 4, "worst_abs_error_pct": 4, "within_15_pct": 100},
                         "two:gemv": {"rows": 3, "exact": 1, "mean_abs_error_pct": 8, "worst_abs_error_pct": 16, "within_15_pct": 50},
                         "va": {"rows": 2, "exact": 2, "mean_abs_error_pct": 0, "worst_abs_error_pct": 0, "within_15_pct": 100}}}

    def test_errors_of_files_of_one_kernel_are_weighted_by_their_rows(self):
        found = comonm.errors(self.SUITE, ("va", "gemv", "hst"))
        self.assertEqual(found["gemv"], {"rows": 4, "exact": 1, "mean": 7, "worst": 16, "within": 62.5, "seconds": 3})
        self.assertEqual(list(found), ["va", "gemv"])
        self.assertAlmostEqual(comonm.overall(found), 28 / 6)

    def test_published_numbers_carry_their_source_and_cover_the_kernels(self):
        for part in ("upmem", "hbm-pim", "table", "what-ifs", "exploration"):
            self.assertTrue(comonm.PUBLISHED[part]["source"])
        for metric in ("speed", "worst", "within"):
            for path in ("c", "generated", "simulator"):
                self.assertEqual(set(comonm.PUBLISHED["table"][metric][path]), set(comonm.UPMEM_KERNELS))

    def test_a_figure_without_its_measured_rows_says_so_and_shows_the_rest(self):
        for name in ("upmem", "table"):
            figure = comonm.drawn(name, {"partly_run": "no points", "mappings": {}})
            self.assertIn("Not run here: the measured rows", figure["text"][0])
            self.assertNotIn("chart", figure)
            self.assertEqual(len(figure["tables"]), 1)

    def test_the_numbers_of_the_page_draw_every_figure(self):
        for name, result in json.loads((SOURCE / "docs/papers/comonm.json").read_text(encoding="utf-8")).items():
            figure = comonm.drawn(name, result)
            self.assertTrue(figure["tables"], name)
            self.assertEqual(figure, comonm.drawn(name, result))


class Dcc(unittest.TestCase):
    def test_means_are_harmonic(self):
        self.assertAlmostEqual(dcc.harmonic([1, 2, 4]), 3 / 1.75)
        self.assertIsNone(dcc.harmonic([]))

    def test_every_shape_of_figures_8_and_9_has_a_time_on_the_gpu(self):
        times = dcc.gpu_times()
        for device in dcc.DEVICES:
            for kernel in dcc.PUBLISHED["kernels"][device]:
                for shape in dcc.shapes_of(kernel, dcc.Options()):
                    self.assertGreater(dcc.gpu_time(times, kernel, shape), 0, (kernel, shape))

    def test_a_part_that_takes_no_time_has_no_gain(self):
        rows = [{"kernel": "red", "sound": {"base": {"all": 4, "compute": 4, "movement": 0}, "best": {"all": 2, "compute": 2, "movement": 0}}}]
        self.assertEqual(dcc.gains(rows, "sound", "base", "best"), {"all": 2, "compute": 2, "movement": None})

    def test_figures_of_an_hour_are_made_only_where_they_are_named(self):
        self.assertNotIn("fig12", figures.chosen(dcc, None))
        self.assertEqual(figures.chosen(dcc, "fig12"), ["fig12"])

    def test_a_query_has_a_step_per_token_after_its_first_and_pays_for_new_lengths_only(self):
        self.assertEqual(dcc_online.steps((128, 34)), {144: 16, 160: 16, 176: 1})
        tuned = {n: {"ns": n, "stored_ns": n, "tune_seconds": 1} for n in (144, 160, 176)}
        done = dcc_online.replayed([(128, 17), (128, 34), (128, 17)], tuned)
        self.assertEqual((done["tune_seconds"], done["last_new"], done["lengths"]), (3, 2, 3))
        self.assertEqual(done["online_ns"], done["offline_ns"])

    def test_the_numbers_of_the_page_draw_every_figure(self):
        for name, result in json.loads((SOURCE / "docs/papers/dcc.json").read_text(encoding="utf-8")).items():
            self.assertTrue(dcc.drawn(name, result)["tables"], name)


class InfinityStream(unittest.TestCase):
    def test_of_two_dataflows_the_faster_one_counts(self):
        rows = {"mm_in": {"l3-sram": {"cycles": 4}}, "mm_out": {"l3-sram": {"cycles": 3}}}
        self.assertEqual(chips.bar_of({"programs": rows}, "mm", "l3-sram")["cycles"], 3)
        self.assertAlmostEqual(chips.geomean([1, 4, 2]), 2)

    def test_without_lowering_everything_else_stays(self):
        one = {"cycles": 10, "spent": {"lowering": 3, "compute": 7}, "tried": [1]}
        self.assertEqual(chips.without_lowering(one), {"cycles": 7, "spent": {"compute": 7}, "tried": []})

    def test_slower_vector_code_takes_its_share_of_cores_alone(self):
        self.assertEqual(what_ifs.with_efficiency({"cycles": 10, "spent": {"cores": 4, "near L3": 6}}, 0.5), 14)

    def test_a_sweep_has_programs_of_one_tile(self):
        tried = [{"mappings": m, "total_cycles": c, "spent": {}} for m, c in (("16x16 | 256", 9), ("4x64 | 256", 8), ("16x16 | 4x64", 1))]
        self.assertEqual({t: x["total_cycles"] for t, x in infinity_stream.swept({"tried": tried}, 2).items()}, {"16x16": 9, "4x64": 8})

    def test_kernels_belong_to_the_stages_of_the_network(self):
        names = ["sample", "fill", "sample_1", "query", "query_1", "pad", "gather_places", "layer", "layer_1", "fill_1", "aggregate", "sample_7",
                 "fill_2", "query_2", "gather_features", "layer_2", "aggregate_1", "pointnet_ssg", "layer_3", "aggregate_2", "layer_4", "scores_of"]
        found = pointnet.stages_of("ssg", {"stages": [{"kernel": n, "place": "cores", "total_cycles": 1} for n in names]})
        self.assertEqual([f"{s['abstraction']} {s['stage']}".strip() for s in found],
                         ["sampling", "SA1 ball query", "SA1 gather", "SA1 MLP", "SA1 aggregate", "sampling", "SA2 ball query", "SA2 gather", "SA2 MLP",
                          "SA2 aggregate", "SA3 gather", "SA3 MLP", "SA3 aggregate", "FC"])
        self.assertEqual(sum(s["cycles"] for s in found), len(names))

    def test_the_numbers_of_the_page_draw_every_figure(self):
        for name, result in json.loads((SOURCE / "docs/papers/infinity-stream.json").read_text(encoding="utf-8")).items():
            self.assertTrue(infinity_stream.drawn(name, result)["tables"], name)


class Calls(unittest.TestCase):
    def test_the_pages_show_their_numbers(self):
        for paper in ("comonm", "dcc", "infinity-stream", "eva-cim"):
            done = run(paper, "--check-docs")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_unknown_paper_names_those_there_are(self):
        unknown = run("coconut")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("no paper 'coconut'", unknown.stderr)
        self.assertIn("comonm", unknown.stderr)

    def test_an_unknown_figure_names_those_there_are(self):
        done = run("comonm", "--only", "fig99")
        self.assertEqual(done.returncode, 2)
        self.assertIn("upmem", done.stderr)

    def test_quick_numbers_stay_out_of_the_page(self):
        self.assertEqual(run("comonm", "--quick", "--update-docs").returncode, 2)

    def test_a_tool_that_fails_is_said_with_its_command(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("comonm", "--only", "hbm-pim", "--tool", "/bin/false", "--out", folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("pimento validate hbm-pim", done.stderr)


class QuickRun(unittest.TestCase):
    def test_makes_every_file_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as folder:
            made = []
            for run_folder in (Path(folder) / "a", Path(folder) / "b"):
                done = run("comonm", "--quick", "--only", ",".join(NAMES), "--tool", TOOL, "--out", run_folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                made.append({p.name: p.read_bytes() for p in run_folder.iterdir() if p.is_file()})
            for name in NAMES:
                self.assertIn(f"{name}.json", made[0])
            for name in made[0]:
                self.assertTrue(made[0][name] == made[1][name], f"{name} differs between two runs")
            page = Path(folder) / "a" / "index.html"
            check = subprocess.run([sys.executable, str(SOURCE / "scripts/check_pages.py"), "--text-only", str(page)],
                                   capture_output=True, text=True, check=False)
            self.assertIn(check.returncode, (0, 77), check.stdout)
            if "upmem" in NAMES:
                self.assertIn("Not run here", page.read_text(encoding="utf-8"))

    def test_makes_the_figures_of_kernels_and_models(self):
        names = ["fig8", "fig9", "fig10", "fig2", "fig13", "fig11", "fig14", "table3"]
        with tempfile.TemporaryDirectory() as folder:
            done = run("dcc", "--quick", "--tool", TOOL, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in names:
                self.assertTrue((Path(folder) / f"{name}.svg").stat().st_size > 0, name)
                self.assertTrue((Path(folder) / f"{name}.csv").stat().st_size > 0, name)
            self.assertFalse((Path(folder) / "fig12.json").exists())

    def test_makes_the_figures_of_chips_the_same_each_time(self):
        names = ["eq1", "fig2", "fig11", "fig12", "fig13", "fig14", "fig15", "fig16", "fig17", "fig18", "knob"]
        with tempfile.TemporaryDirectory() as folder:
            made = []
            for run_folder in (Path(folder) / "a", Path(folder) / "b"):
                done = run("infinity-stream", "--quick", "--only", ",".join(names), "--tool", TOOL, "--out", run_folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                made.append({p.name: p.read_bytes() for p in run_folder.iterdir() if p.is_file()})
            for name in names:
                self.assertIn(f"{name}.svg", made[0])
            for name in made[0]:
                self.assertTrue(made[0][name] == made[1][name], f"{name} differs between two runs")

    def test_makes_the_figures_of_hosts(self):
        missing = eva_cim.programs.toolchain.ISAS[eva_cim.programs.ISA].missing()
        if missing:
            self.skipTest(f"not run here: there is no {missing}")
        with tempfile.TemporaryDirectory() as folder:
            done = run("eva-cim", "--quick", "--tool", TOOL, "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            for name in eva_cim.FIGURES:
                self.assertTrue((Path(folder) / f"{name}.csv").stat().st_size > 0, name)


class Trends(unittest.TestCase):
    def test_ranks_are_correlated_as_spearman_has_it(self):
        self.assertEqual(eva_cim.rank_correlation([1, 2, 3], [10, 20, 40]), 1)
        self.assertEqual(eva_cim.rank_correlation([1, 2, 3], [4, 3, 1]), -1)
        self.assertEqual(eva_cim.rank_correlation([1, 2, 3, 4], [1, 3, 2, 4]), 1 - 6 * 2 / (4 * 15))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
