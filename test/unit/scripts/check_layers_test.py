"""check_layers.py on small trees: each rule, broken once."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "check_layers.py"

LAYERS = """
[rooms]
base = []
kernel = ["base"]
sim = ["base"]
driver = ["base", "kernel", "sim"]
[faces]
tools = ["driver"]
[libraries.llvm]
headers = ["llvm/", "mlir/"]
paths = ["src/driver/mlir"]
"""


class Tree(unittest.TestCase):
    """A small tree that keeps the rules."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)
        self.write("layers.toml", LAYERS)
        self.write("src/base/text.h", "#pragma once\n")
        self.write("src/kernel/kernel.h", '#pragma once\n#include <vector>\n#include "pimento/base/text.h"\n')
        self.write("src/sim/sim.h", "#pragma once\n")
        self.write("src/driver/driver.h", '#include "pimento/kernel/kernel.h"\n#include "pimento/sim/sim.h"\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def check(self):
        run = subprocess.run([sys.executable, SCRIPT, "--root", self.root], capture_output=True, text=True, check=False)
        return run.returncode, run.stdout

    def expect_offence(self, place, *words):
        status, output = self.check()
        self.assertEqual(status, 1, output)
        lines = output.splitlines()[:-1]  # the last one is the summary
        self.assertEqual(len(lines), 1, output)
        self.assertTrue(lines[0].startswith(place), output)
        for word in words:
            self.assertIn(word, lines[0])


class CheckLayers(Tree):
    def test_a_tree_that_keeps_the_rules_passes(self):
        status, output = self.check()
        self.assertEqual((status, output), (0, "check_layers: 4 files, 0 offences\n"))

    def test_a_room_may_not_include_a_later_room(self):
        self.write("src/base/units.cpp", '\n\n#include "pimento/sim/sim.h"\n')
        self.expect_offence("src/base/units.cpp:3:", "room 'base'", "'sim'")

    def test_a_room_may_not_include_an_earlier_room_it_does_not_name(self):
        self.write("src/sim/run.cpp", '#include "pimento/kernel/kernel.h"\n')
        self.expect_offence("src/sim/run.cpp:1:", "room 'sim'", "allowed: base, sim")

    def test_a_path_that_is_not_from_the_root_of_the_rooms_is_refused(self):
        self.write("src/sim/run.cpp", '#include "sim.h"\n')
        self.expect_offence("src/sim/run.cpp:1:", "pimento/ROOM/NAME.h")

    def test_angle_brackets_are_for_other_peoples_headers(self):
        self.write("src/sim/run.cpp", "#include <pimento/sim/sim.h>\n")
        self.expect_offence("src/sim/run.cpp:1:", "quotes")

    def test_a_header_that_does_not_exist_is_named(self):
        self.write("src/sim/run.cpp", '#include "pimento/sim/sin.h"\n')
        self.expect_offence("src/sim/run.cpp:1:", "no such header")

    def test_a_room_nobody_knows_is_named(self):
        self.write("src/sim/run.cpp", '#include "pimento/simm/sim.h"\n')
        self.expect_offence("src/sim/run.cpp:1:", "'simm'")

    def test_a_library_stays_in_its_corner(self):
        self.write("src/driver/mlir/import.cpp", '#include "mlir/IR/BuiltinOps.h"\n#include <llvm/ADT/Twine.h>\n')
        self.write("src/driver/run.cpp", "#include <llvm/ADT/Twine.h>\n")
        self.expect_offence("src/driver/run.cpp:1:", "llvm", "src/driver/mlir")

    def test_a_library_header_in_quotes_is_seen_too(self):
        self.write("test/unit/sim/a_test.cpp", '#include "mlir/IR/BuiltinOps.h"\n')
        self.expect_offence("test/unit/sim/a_test.cpp:1:", "llvm")

    def test_a_test_of_a_room_sees_what_the_room_sees(self):
        self.write("test/unit/kernel/a_test.cpp", '#include "pimento/kernel/kernel.h"\n#include "pimento/sim/sim.h"\n')
        self.expect_offence("test/unit/kernel/a_test.cpp:2:", "a test of room 'kernel'", "'sim'")

    def test_a_test_of_no_room_sees_every_room(self):
        self.write("test/validation/a_test.cpp", '#include "pimento/kernel/kernel.h"\n#include "pimento/sim/sim.h"\n')
        self.assertEqual(self.check()[0], 0)

    def test_a_tool_sees_only_the_driver(self):
        self.write("tools/pimento/main.cpp", '#include "pimento/driver/driver.h"\n#include "pimento/sim/sim.h"\n')
        self.expect_offence("tools/pimento/main.cpp:2:", "'tools'", "'sim'")

    def test_a_comment_is_no_include(self):
        self.write("src/base/units.cpp", '// #include "pimento/sim/sim.h"\n/*\n#include "pimento/sim/sim.h"\n*/\n')
        self.assertEqual(self.check()[0], 0)

    def test_linking_a_room_that_may_not_be_included_is_an_offence(self):
        self.write("src/sim/CMakeLists.txt", "# a room\npimento_room(sim\n  DEPENDS base kernel\n  SOURCES a.cpp)\n")
        self.expect_offence("src/sim/CMakeLists.txt:2:", "'sim'", "'kernel'")

    def forbid(self, never, most, rooms=("driver",)):
        rule = f"[headers]\nrooms = {list(rooms)}\nnever = {never}\nmost = {most}\n"
        self.write("layers.toml", LAYERS + rule)

    def test_a_header_reaches_no_forbidden_room_through_others(self):
        self.forbid(["sim"], 10)
        self.expect_offence("src/driver/driver.h:2:", "'sim'", "'driver'")
        self.forbid(["base"], 10)
        self.expect_offence("src/driver/driver.h:1:", "kernel/kernel.h -> base/text.h")

    def test_sources_and_other_rooms_may_reach_what_headers_may_not(self):
        self.forbid(["sim"], 10)
        self.write("src/driver/driver.h", '#include "pimento/kernel/kernel.h"\n')
        self.write("src/driver/driver.cpp", '#include "pimento/sim/sim.h"\n')
        self.write("src/sim/code.h", '#include "pimento/sim/sim.h"\n')
        self.assertEqual(self.check()[0], 0)

    def test_a_star_forbids_the_folders_below_and_not_the_files_beside_them(self):
        self.forbid(["sim/*"], 10)
        self.assertEqual(self.check()[0], 0)
        self.write("src/sim/toy/toy.h", "")
        self.write("src/sim/sim.h", '#include "pimento/sim/toy/toy.h"\n')
        self.expect_offence("src/driver/driver.h:2:", "'sim/*'", "sim/sim.h -> sim/toy/toy.h")

    def test_headers_reached_are_counted_once_and_without_the_header_itself(self):
        self.write("src/sim/sim.h", '#include "pimento/sim/sim.h"\n#include "pimento/base/text.h"\n')
        self.forbid([], 3)
        self.assertEqual(self.check()[0], 0)
        self.forbid([], 2)
        self.expect_offence("src/driver/driver.h:2:", "reaches 3 headers, at most 2", "sim/sim.h 2, kernel/kernel.h 2")

    def test_a_rule_on_headers_of_no_room_is_an_error_of_the_list(self):
        self.forbid([], 9, ["drivers"])
        status, output = self.check()
        self.assertEqual(status, 2)
        self.assertIn("'drivers'", output)

    def test_a_room_missing_from_the_list_is_an_error_of_the_list(self):
        self.write("src/trace/trace.h", "#pragma once\n")
        status, output = self.check()
        self.assertEqual(status, 2)
        self.assertIn("src/trace", output)

    def test_a_list_out_of_order_is_an_error_of_the_list(self):
        self.write("layers.toml", LAYERS.replace('kernel = ["base"]', 'kernel = ["sim"]'))
        status, output = self.check()
        self.assertEqual(status, 2)
        self.assertIn("'kernel' names 'sim'", output)


class Spellings(Tree):
    """The rules of the project's own layers.toml, on sentences that break them and on their neighbours."""

    def setUp(self):
        super().setUp()
        with open(SCRIPT.parents[1] / "layers.toml", encoding="utf-8") as f:
            own = f.read()
        self.write("layers.toml", LAYERS + own[own.index("[spellings.") :])

    def expect_each(self, wrong, right, word):
        for line in wrong:
            self.write("src/sim/run.cpp", f"\n{line}\n")
            self.expect_offence("src/sim/run.cpp:2:", word)
        self.write("src/sim/run.cpp", "\n".join(right) + "\n")
        self.assertEqual(self.check(), (0, "check_layers: 5 files, 0 offences\n"))

    def test_no_branch_reads_the_code_of_a_diagnostic(self):
        self.expect_each(
            ['if (d.code == "capacity") return;', 'return run.diagnostics().front().code != "data-decide-time";',
             'if ("capacity" == d.code) return;', 'code.starts_with("unsupported-")', "kHints.find(d.code)",
             "kHints.at(found->code)", "kHints[d.code]", "contains(kCodes, d.code)"],
            ['return error("capacity", d.where, "too much");', "process.code == nullptr", "error(d.code, d.where, d.message)",
             'if (d.kind == Kind::kCapacity) return;', '// if (d.code == "capacity")', 'os << "// code" << (a == "b");',
             "code[0] == 'r'", 'd.code = "unsupported-operation";'],
            "Diagnostic::kind")

    def test_a_comparison_over_two_lines_is_found(self):
        self.write("src/sim/run.cpp", 'return d.code ==\n       "capacity";\n')
        self.expect_offence("src/sim/run.cpp:1:", "Diagnostic::kind")

    def test_no_branch_reads_the_name_of_a_level(self):
        self.expect_each(
            ['if (l.name != "tasklet") ++n;', 'machine.levels[kRank].name == "rank"', 'levels.back().name == "bank"',
             'name == "dpu"', 'mapping.cyclic.contains("tasklet")', 'm.cyclic["tasklet"] = 1;'],
            ["l.role == Role::kThread", "l.name == word", 'process.name = "channel";', 'if (name == "heap") return;',
             '{"rank", system.ranks}'],
            "Level::role")

    def test_no_branch_reads_the_name_of_the_simulated_unit(self):
        self.expect_each(
            ['if (report.unit == "DPU") ++n;', 'unit().singular != "unit"', 'node.find("dpus_simulated")',
             'node.at( "channels_identical" )'],
            ['run.unit = kDpu;', 'o.unit == "count"', "n.canonicalUnit == \"count\"", 'unit->name == other',
             'node.find("cycles_simulated_by_us")'],
            "singular, plural, key")

    def test_a_file_may_be_excepted(self):
        self.write("src/sim/host_stream.cpp", 'f.name != "channel";\n')
        self.write("src/sim/other_stream.cpp", 'f.name != "channel";\n')
        self.expect_offence("src/sim/other_stream.cpp:1:", "Level::role")


if __name__ == "__main__":
    unittest.main()
