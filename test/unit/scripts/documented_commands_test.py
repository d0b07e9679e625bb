"""Tests of the tests of the documentation: that they find commands, and notice what is wrong."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import documented_commands as commands  # noqa: E402  (makes scripts/ importable)
import check_links  # noqa: E402
import markdown_pages as pages  # noqa: E402


class Page:
    """A folder with one page, a tool that prints its arguments, and the results of running the page."""

    def __init__(self, text, *options):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("examples", "kernels", "machines", "validation"):
                (Path(folder) / name).mkdir()
            tool = Path(folder) / "tool"
            tool.write_text("#!/bin/sh\n[ \"$1\" = fail ] && { echo sorry >&2; exit 1; }\necho \"$@\"\necho 7.50 us\n")
            tool.chmod(0o755)
            page = Path(folder) / "page.md"
            page.write_text(text)
            runner = commands.Runner(tool, Path(folder), options)
            self.run, self.skipped, self.failures = runner.run_page(page)


class Commands(unittest.TestCase):
    def test_indented_commands_run_without_their_explanations(self):
        page = Page("Text\n\n    pimento targets    lists machines\n    pimento show 'a b'\n")
        self.assertEqual((page.run, page.failures), (2, []))

    def test_a_failing_command_is_a_failure_unless_the_page_says_so(self):
        self.assertEqual(len(Page("```sh\npimento fail\n```\n").failures), 1)
        self.assertEqual(Page("```sh status=1\npimento fail\n```\n```output\nsorry\n```\n").failures, [])

    def test_an_output_is_compared_as_numbers_and_words(self):
        text = "```sh\npimento list x\n```\n\n```output\nlist   x\n7.5 us\n```\n"
        self.assertEqual(Page(text).failures, [])
        self.assertEqual(len(Page(text.replace("7.5", "7.6")).failures), 1)
        self.assertEqual(len(Page(text.replace("7.5 us\n", "")).failures), 1)
        self.assertEqual(Page(text.replace("7.5 us\n", "...\n")).failures, [])

    def test_what_builds_or_installs_is_listed_and_not_run(self):
        page = Page("```sh\nmake\npimento list\n```\n")
        self.assertEqual((page.run, len(page.skipped), page.failures), (1, 1, []))

    def test_an_unknown_program_is_a_failure(self):
        self.assertEqual(len(Page("```sh\nfrobnicate\n```\n").failures), 1)

    def test_long_commands_run_only_when_asked(self):
        text = "```sh long\npimento list\n```\n\n<!-- long -->\n\n    pimento other\n"
        self.assertEqual((Page(text).run, len(Page(text).skipped)), (0, 2))
        self.assertEqual(Page(text, "--long").run, 2)

    def test_files_of_a_page_are_there_for_its_commands(self):
        self.assertEqual(Page("```yaml file=a/b.yaml\nx: 1\n```\n```sh\ncat a/b.yaml\n```\n```output\nx: 1\n```\n").failures, [])


class Links(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "docs").mkdir()
            (Path(folder) / "docs" / "a.md").write_text("# One two\n\n## `x` and y: z\n")
            (Path(folder) / "README.md").write_text(text)
            return check_links.check_pages(Path(folder).resolve())[1]

    def test_links_to_pages_and_headings_are_right(self):
        self.assertEqual(self.check("[a](docs/a.md), [b](docs/a.md#one-two), [c](docs/a.md#x-and-y-z)\n"), [])

    def test_a_missing_page_or_heading_is_wrong(self):
        self.assertEqual(len(self.check("[a](docs/b.md) [b](docs/a.md#three)\n")), 2)

    def test_code_holds_no_links(self):
        self.assertEqual(self.check("`[a](b.md)`\n\n```text\n[a](b.md)\n```\n"), [])

    def test_the_site_loads_nothing_from_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "index.html").write_text('<script src="https://cdn.example/x.js"></script><a href="#no">x</a>')
            self.assertEqual(len(check_links.check_site(Path(folder))[1]), 2)


class Blocks(unittest.TestCase):
    def test_an_info_has_options(self):
        block = pages.blocks("```cpp file=src/x.cpp\nint i;\n```\n")[0]
        self.assertEqual((block.language, block.option("file"), block.lines), ("cpp", "src/x.cpp", ["int i;"]))


if __name__ == "__main__":
    unittest.main()
