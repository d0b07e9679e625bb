"""unity_groups.py: what it lets be compiled as one, and what not."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "cmake"))
import unity_groups  # noqa: E402


def unnamed(text):
    return f"namespace pimento::room {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n\nint room() {{ return helper(1); }}\n\n}}\n"


class Groups(unittest.TestCase):
    def groups(self, *texts, size=8):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / f"{i}.cpp" for i in range(len(texts))]
            for file, text in zip(files, texts):
                file.write_text(text, encoding="utf-8")
            found = dict((Path(s).stem, g) for g, s in unity_groups.groups(files, size))
        return [found.get(str(i)) for i in range(len(texts))]

    def test_sources_without_a_common_name_go_together(self):
        self.assertEqual(self.groups(unnamed("int one(int a) {\n  return a;\n}"), unnamed("int two = 2;"), "int three();\n"), [0, 0, 0])

    def test_a_name_twice_parts_them(self):
        for kind in ("int {}(int a) {{\n  return a;\n}}", "constexpr int {} = 2;", "struct {} {{\n  int a;\n}};", "using {} = int;",
                     "const char *const {}[] = {{}};", "enum class {} : int {{ kA }};", "std::vector<int> {}() {{ return {{}}; }}",
                     "constexpr std::array<int, 2> {}{{1, 2}};", "template <typename T>\nint {}(T a) {{\n  return a;\n}}"):
            same, other = unnamed(kind.format("name")), unnamed(kind.format("other"))
            clash = unnamed("void name() {}")
            self.assertEqual(self.groups(same, clash), [None, None], kind)
            self.assertEqual(self.groups(same, clash, other), [0, None, 0], kind)

    def test_an_alias_may_stand_twice_if_it_says_the_same(self):
        json = unnamed("using Json = nlohmann::json;")
        self.assertEqual(self.groups(json, json, unnamed("using Json = nlohmann::ordered_json;")), [0, 0, None])

    def test_macros_and_using_directives_stay_alone(self):
        self.assertEqual(self.groups("#define A 1\n", "using namespace pimento;\n", unnamed("int one;"), unnamed("int two;")),
                         [None, None, 0, 0])

    def test_tests_names_are_no_names(self):
        test = unnamed("TEST(Suite, Name) {\n  EXPECT_TRUE(true);\n}")
        self.assertEqual(self.groups(test, test), [0, 0])

    def test_a_group_has_a_size(self):
        self.assertEqual(self.groups(*[unnamed(f"int a{i};") for i in range(5)], size=2), [0, 0, 1, 1, None])


if __name__ == "__main__":
    unittest.main()
