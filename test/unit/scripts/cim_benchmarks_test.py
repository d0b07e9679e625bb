"""The benchmarks of kernels/cim against their references: cim_benchmarks_test.py [--guests].

Small inputs of several seeds, compiled for this machine. Then answers that are wrong on purpose, which must be found
out. --guests: the usual inputs for A32, AArch64 and RV64 in QEMU, vectorised ones, and mpeg2dec.
Where there is no compiler: "not run here", exit status 77.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))
from cim import mpeg2, toolchain  # noqa: E402
from cim.benchmarks import BENCHMARKS, complaints  # noqa: E402
from cim.inputs import Rng, checksum  # noqa: E402

NOT_RUN = 77
SEEDS = (1, 2, 3)
SCRIPT = ROOT / "scripts" / "cim_benchmarks.py"


class Inputs(unittest.TestCase):
    def test_the_generator_is_splitmix64(self):
        rng = Rng(1234567)  # the first outputs that its reference implementation gives
        self.assertEqual([rng.bits() for _ in range(3)],
                         [6457827717110365317, 3203168211198807973, 9817491932198370423])

    def test_the_checksum_of_bytes_is_fnv_1a(self):
        self.assertEqual(checksum(b"foobar"), "85944171f73967e8")


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.programs = {b.name: toolchain.build(b, "host", cls.folder.name) for b in BENCHMARKS}

    def output(self, benchmark, seed):
        return toolchain.run(self.programs[benchmark.name], "host", [seed, *benchmark.small])

    def test_programs_give_what_their_references_give(self):
        for benchmark in BENCHMARKS:
            for seed in SEEDS:
                with self.subTest(benchmark.name, seed=seed):
                    self.assertEqual(complaints(benchmark, seed, benchmark.small, self.output(benchmark, seed)), [])

    def test_a_seed_changes_the_answer(self):
        for benchmark in BENCHMARKS:
            with self.subTest(benchmark.name):
                self.assertNotEqual(self.output(benchmark, 1), self.output(benchmark, 2))

    def test_an_answer_with_one_number_changed_is_wrong(self):
        """The first digit of every line's last word, which is a number, a checksum or a path."""
        for benchmark in BENCHMARKS:
            lines = self.output(benchmark, 1).splitlines()
            for i, line in enumerate(lines):
                word = line.rindex(" ") + 1
                at = min(place for place in range(word, len(line)) if line[place] in "0123456789abcdef")
                is_digit = line[at].isdigit()
                changed = str((int(line[at]) + 5) % 10) if is_digit else "0"
                broken = lines[:i] + [line[:at] + changed + line[at + 1:]] + lines[i + 1:]
                with self.subTest(benchmark.name, line=line):
                    self.assertNotEqual(complaints(benchmark, 1, benchmark.small, "\n".join(broken)), [])

    def test_an_answer_with_a_line_less_is_wrong(self):
        for benchmark in BENCHMARKS:
            lines = self.output(benchmark, 1).splitlines()
            with self.subTest(benchmark.name):
                self.assertNotEqual(complaints(benchmark, 1, benchmark.small, "\n".join(lines[:-1])), [])

    def test_programs_without_arguments_take_the_listed_sizes(self):
        for benchmark in BENCHMARKS:
            with self.subTest(benchmark.name):
                program = self.programs[benchmark.name]
                listed = toolchain.run(program, "host", [1, *benchmark.usual])
                self.assertEqual(toolchain.run(program, "host", []), listed)

    def test_a_size_out_of_range_is_refused(self):
        for benchmark in BENCHMARKS:
            for size in ("0", "4000000000", "x"):
                with self.subTest(benchmark.name, size=size):
                    program = self.programs[benchmark.name]
                    run = subprocess.run([program, "1", size], capture_output=True, text=True, check=False)
                    self.assertEqual(run.returncode, 2)
                    self.assertIn(f"argument 2 is '{size}', which is no number from", run.stderr)


class Listing(unittest.TestCase):
    def test_the_list_has_every_program_of_the_folder_and_mpeg2dec(self):
        run = subprocess.run([sys.executable, SCRIPT, "--list"], capture_output=True, text=True, check=True)
        names = [line.split()[0] for line in run.stdout.splitlines()[1:]]
        sources = [path.stem for path in toolchain.ROOT.glob("kernels/cim/*.c")]
        self.assertEqual(sorted(names), sorted([*sources, "m2d"]))
        self.assertEqual(len(names), 17)


class Pictures(unittest.TestCase):
    """mpeg2dec's pictures, made by hand."""

    def setUp(self):
        width, height = mpeg2.SIZE
        self.frame = bytes(i % 251 for i in range(width * height * 3 // 2))
        rows = [self.frame[i:i + width] for i in range(0, width * height, width)]
        u, v = self.frame[width * height:width * height * 5 // 4], self.frame[width * height * 5 // 4:]
        half = width // 2
        rows += [u[i:i + half] + v[i:i + half] for i in range(0, len(u), half)]
        self.picture = f"P5\n{width} {height * 3 // 2}\n255\n".encode() + b"".join(rows)

    def test_frames_that_are_equal_are_right(self):
        self.assertEqual(mpeg2.complaints(self.picture * mpeg2.FRAMES, [self.frame] * mpeg2.FRAMES), [])

    def test_a_frame_that_differs_is_named(self):
        other = bytes([self.frame[0] + 3]) + self.frame[1:]
        reference = [self.frame] * mpeg2.FRAMES
        reference[7] = other
        self.assertEqual(mpeg2.complaints(self.picture * mpeg2.FRAMES, reference), ["frame 7 is 3 steps off ffmpeg's"])

    def test_frames_that_are_missing_are_counted(self):
        wrong = mpeg2.complaints(self.picture * 23, [self.frame] * mpeg2.FRAMES)
        self.assertEqual(wrong, ["23 frames, ffmpeg decodes 25 of 25"])


def test_guests():
    """The script itself, as users run it; each of its lines, and that every instruction set that is here was right."""
    if all(toolchain.ISAS[isa].missing() for isa in ("a32", "aarch64", "rv64")):
        print("not run here: there are no cross compilers with QEMU")
        return NOT_RUN
    for options in ([], ["--vectorized", "--small"]):
        run = subprocess.run([sys.executable, SCRIPT, *options], text=True, stdout=subprocess.PIPE, check=False)
        print(run.stdout)
        if run.returncode != 0 or not re.search(r"1[67] benchmarks, 0 failures\n$", run.stdout):
            return 1
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--guests", action="store_true")
    if parser.parse_args().guests:
        sys.exit(test_guests())
    if toolchain.ISAS["host"].missing():
        print("not run here: there is no cc")
        sys.exit(NOT_RUN)
    sys.setrecursionlimit(1 << 20)
    unittest.main()
