"""same_results.py: what it calls a difference, and what not."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
import result_commands  # noqa: E402
import same_results as same  # noqa: E402


def keys(old, new):
    return [key for key, _, _ in same.changes(old, new)]


class Changes(unittest.TestCase):
    def test_equal_values_are_no_change_whatever_the_order_of_keys(self):
        self.assertEqual(keys({"a": 1, "b": [1, {"c": None}]}, {"b": [1, {"c": None}], "a": 1}), [])

    def test_a_change_is_named_by_its_path(self):
        self.assertEqual(list(same.changes({"stages": [{"cycles": 1}]}, {"stages": [{"cycles": 2}]})),
                         [("stages.0.cycles", "1", "2")])

    def test_types_count(self):
        self.assertEqual(keys({"a": 1, "b": True}, {"a": 1.0, "b": 1}), ["a", "b"])

    def test_a_key_that_is_gone_is_a_change_and_a_new_one_has_no_old_value(self):
        self.assertEqual(list(same.changes({"a": 1}, {"b": 2})), [("a", "1", "(no such key)"), ("b", None, "2")])

    def test_lists_of_other_lengths_differ(self):
        self.assertEqual(list(same.changes({"a": [1, 2]}, {"a": [3]})), [("a", "2 items", "1 items"), ("a.0", "1", "3")])

    def test_what_the_clock_and_the_release_say_is_left_out(self):
        old = {"wall_us": 1, "rows": [{"compile_us": 1, "seconds": 1.5}], "run": {"version": "1"}, "simulation_seconds": 1}
        new = {"wall_us": 2, "rows": [{"compile_us": 2, "seconds": 2.5}], "run": {"version": "2"}, "simulation_seconds": 2}
        self.assertEqual(keys(old, new), [])
        self.assertEqual(keys({"device_seconds": 1, "version": 1}, {"device_seconds": 2, "version": 2}),
                         ["device_seconds", "version"])

    def test_texts_are_compared_by_lines(self):
        self.assertEqual(list(same.text_changes("output", "a\nb\n", "a\nc\n")), [("output", "line 2: b", "line 2: c")])
        self.assertEqual(list(same.text_changes("output", "a", "a\nb")), [("output", "line 2: (end)", "line 2: b")])

    def test_json_that_has_become_text_is_a_change(self):
        self.assertEqual([k for k, _, _ in same.output_changes("output", '{"a": 1}', "a 1")], ["output"])
        self.assertEqual(list(same.output_changes("output", '{"a":1}', '{"a": 1}')), [])


class Masks(unittest.TestCase):
    def expect_same(self, old, new):
        self.assertEqual(same.masked(old, "/tmp/1"), same.masked(new, "/tmp/2"))

    def expect_other(self, old, new):
        self.assertNotEqual(same.masked(old, "/tmp/1"), same.masked(new, "/tmp/2"))

    def test_folders_have_no_names(self):
        self.expect_same("wrote /tmp/1/a.csv", "wrote /tmp/2/a.csv")

    def test_seconds_of_searches_are_masked_and_their_numbers_not(self):
        line = "{} explored in {} s, {} per second; compiling programs took {} s of thread time"
        self.expect_same(line.format(10, "0.10", "100", "0.1"), line.format(10, "10.25", "1,000", "9.25"))
        self.expect_other(line.format(10, "0.10", "100", "0.1"), line.format(11, "0.10", "100", "0.1"))
        self.expect_same("4 points in 0.1 s", "4 points in 0.2 s")

    def test_tables_of_seconds_may_change_their_widths(self):
        table = "kernel  seconds  rows\n{}\ngemv    {}  12 fast-forwarded\n"
        self.expect_same(table.format("---------------", "0.001"), table.format("----------------", "10.001"))
        self.expect_other(table.format("---", "0.001"), table.format("---", "0.001").replace("12", "13"))

    def test_rows_of_processor_times_are_masked(self):
        row = "gemv      {} s     0.151 s       {} s    0.005 s  0.003 s  {} x\n"
        self.expect_same(row.format("0.001", "0.042", "14"), row.format("10.002", "0.052", "3.5"))

    def test_seconds_on_a_page_are_masked_whatever_their_digits(self):
        row = "<div><dt>Took</dt><dd>{}</dd></div>"
        self.expect_same(row.format("0.003 s"), row.format("0.3 s"))
        self.expect_other(row.format("0.003 s"), row.format("0.003 s").replace("</div>", "<p></p></div>"))

    def test_other_numbers_stay(self):
        self.expect_other("  time   5.04 us", "  time   5.05 us")


class WithJson(unittest.TestCase):
    def test_verbs_that_know_json_run_with_it_and_write_no_files(self):
        found = same.with_json("pimento explore 'y[i] = x[i]' --store a.db -o b.csv", lambda verb: verb == "explore")
        self.assertEqual(found, "pimento explore 'y[i] = x[i]' --json")

    def test_other_commands_run_as_they_are(self):
        for text in ("pimento compile gemv", "pimento explore gemv --json", "pimento explore gemv | head", "cat a",
                     "pimento explore gemv > a", "pimento explore gemv && ls"):
            self.assertIsNone(same.with_json(text, lambda verb: verb == "explore"), text)


    def test_a_command_that_only_prints_is_told_from_one_that_writes(self):
        for text, is_so in (("pimento explore gemv", True), ("pimento explore gemv -o a.csv", False),
                            ("pimento explore 'a b'", True)):
            self.assertEqual(same.writes_nothing(text, same.with_json(text, lambda verb: True)), is_so)


class Runs(unittest.TestCase):
    """Two tools that are shell scripts, on a tree with one page."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        for name in ("docs", "examples", "kernels", "machines", "validation", "test/fuzz/seeds"):
            (self.root / name).mkdir(parents=True)
        page = "```sh\npimento run --json -o a.json\npimento show\n```\n\n```sh long\npimento slow\n```\n"
        (self.root / "docs" / "page.md").write_text(page)

    def tool(self, name, text, cycles="5", more=""):
        path = self.root / name / "bin" / "pimento"
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n[ \"$1\" = run ] && echo '{{\"wall_us\": '$$', \"cycles\": {cycles}{more}}}' > a.json\n"
                        f"echo {text}\n")
        path.chmod(0o755)
        return same.Tool(path.parent.parent)

    def compare(self, old, new, **options):
        options = SimpleNamespace(**{"source": self.root, "all": False, "only": None, "documented": False, "texts": False,
                                     "fresh": False, "jobs": 2, **options})
        self.last_options = options
        comparison = same.Comparison(old, new, options)
        self.addCleanup(setattr, result_commands, "sections", result_commands.sections)
        result_commands.sections = lambda ask, source: []
        return [comparison.compare(s) for s in comparison.sections()]

    def test_equal_tools_have_no_differences(self):
        outcome, = self.compare(self.tool("old", "hello"), self.tool("new", "hello"))
        self.assertEqual((outcome.commands, outcome.differences, outcome.added), (2, [], []))
        self.assertEqual(outcome.skipped, ["pimento slow (slow: --all runs it)"])

    def test_outputs_and_files_are_compared(self):
        outcome, = self.compare(self.tool("old", "hello"), self.tool("new", "goodbye", 6, ', "phases": []'), all=True)
        self.assertEqual([(d.command, d.key) for d in outcome.differences],
                         [("pimento run --json -o a.json", "output"), ("pimento show", "output"), ("pimento slow", "output"),
                          ("docs/page.md: file a.json", "cycles")])
        self.assertEqual(outcome.added, [("docs/page.md: file a.json", "phases")])

    def runs_of(self, name):
        log = self.root / f"{name}.log"
        return log.read_text().count("run") if log.exists() else 0

    def logging_tool(self, name, text):
        tool = self.tool(name, text)
        tool.path.write_text(tool.path.read_text() + f"echo $1 >> {self.root}/{name}.log\n")
        return tool

    def test_what_a_tool_gave_is_kept_and_another_tool_runs(self):
        old = self.logging_tool("old", "hello")
        self.compare(old, self.logging_tool("new", "hello"))
        first, = self.compare(old, self.logging_tool("newer", "goodbye"))
        self.assertEqual([self.runs_of(name) for name in ("old", "new", "newer")], [1, 1, 1])
        again, = self.compare(old, same.Tool(self.root / "newer"), fresh=True)
        self.assertEqual([self.runs_of(name) for name in ("old", "newer")], [2, 2])
        self.assertEqual(first.differences, again.differences)
        self.assertEqual(first.commands, 2)

    def test_a_build_compared_with_itself_runs_twice(self):
        tool = self.logging_tool("old", "hello")
        for runs in (2, 3):
            self.compare(tool, tool)
            self.assertEqual(self.runs_of("old"), runs)

    def test_inputs_that_changed_are_run_again(self):
        old, new = self.logging_tool("old", "hello"), self.logging_tool("new", "hello")
        self.compare(old, new)
        (self.root / "kernels" / "a.c").write_text("int a;")
        self.compare(old, new)
        self.assertEqual([self.runs_of(name) for name in ("old", "new")], [2, 2])

    def test_sets_at_the_same_time_give_what_they_give_one_by_one(self):
        for name in "abc":
            (self.root / "docs" / f"{name}.md").write_text(f"```sh\npimento show {name}\npimento run > x\n```\n")
        tools = self.tool("old", "hello $2"), self.tool("new", "bye $2")
        options = {"jobs": 3, "fresh": True}
        one_by_one = self.compare(*tools, **options)
        comparison = same.Comparison(*tools, self.last_options)
        outcomes = list(comparison.outcomes(list(comparison.sections())))
        self.assertEqual([(o.name, o.differences, o.added) for o in outcomes],
                         [(o.name, o.differences, o.added) for o in one_by_one])
        self.assertEqual(len(outcomes), 4)

    def test_inputs_that_no_command_touches_are_no_results(self):
        (self.root / "machines" / "m.yaml").write_text("of the tree\n")
        tools = self.tool("old", "hello"), self.tool("new", "hello")
        own = self.root / "new" / "share" / "pimento" / "machines"
        own.mkdir(parents=True)
        (own / "m.yaml").write_text("of the build\n")
        outcome, = self.compare(*tools)
        self.assertEqual(outcome.differences, [])

    def test_meant_differences_are_allowed_with_their_reason(self):
        outcomes = self.compare(self.tool("old", "hello"), self.tool("new", "hello", 6))
        lines = self.root / "allow"
        lines.write_text("# meant\n*file a.json :: cyc* :: the reference was wrong\npimento other :: * :: nothing\n")
        allowed = same.Allowed(lines)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            self.assertEqual(same.report(outcomes, allowed), 0)
            self.assertEqual(same.report(outcomes, same.Allowed(None)), 1)
        self.assertEqual([line[3] for line in allowed.lines], [1, 0])
        for words in ("allowed: 1 differences: the reference was wrong", "allows nothing: pimento other", "cycles: 5 -> 6"):
            self.assertIn(words, printed.getvalue())


class Commands(unittest.TestCase):
    def test_every_kernel_and_target_that_the_tool_lists_is_in_the_list(self):
        answers = {"kernels": '{"kernels": [{"name": "va", "sizes": {"n": 1}, "variants": ["plain"]},'
                              ' {"name": "net", "sizes": {}, "variants": ["plain"]}]}',
                   "targets": '{"targets": [{"name": "upmem"}, {"name": "new-one"}]}', "estimate": '{"cycles": 1}'}
        sections = result_commands.sections(lambda verb, *_: answers[verb], ROOT)
        texts = "\n".join(c.text for _, commands in sections for c in commands)
        for words in ("simulate va --size n=10000 --target new-one", "estimate net --target upmem", "--number cycles",
                      "examples/machines/cnm-vector.yaml", "kernels/sel.c", "examples/ops/exp.mlir", ".llvcnm"):
            self.assertIn(words, texts)
        self.assertEqual(len({name for name, _ in sections}), len(sections))


if __name__ == "__main__":
    unittest.main()
