"""Runs tests over Eva-CiM's benchmarks (kernels/cim) for RISC-V 64.

usage: executed_benchmarks.py [--small] TEST FILTER

TEST is a googletest that reads PIMENTO_PROGRAMS: a file with a line for each program, NAME PROGRAM ARGUMENT...
What lacks a compiler, or mpeg2dec, is "not run here".
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts"))

from cim import mpeg2, toolchain  # noqa: E402
from cim.benchmarks import BENCHMARKS, SEED  # noqa: E402

ISA = "rv64"


def lines(folder, is_small):
    for b in BENCHMARKS:
        program = toolchain.build(b, ISA, folder)
        yield [b.name, program, SEED, *(b.small if is_small else b.usual)]
    if is_small:
        return
    try:
        clip, _ = mpeg2.make_clip(folder / mpeg2.NAME)
        program, _ = mpeg2.fetch(ISA)
        yield [mpeg2.NAME, program, "-o", "null", clip]
    except mpeg2.NotHere as reason:
        print(f"{mpeg2.NAME}: not run here: {reason}", flush=True)


def main():
    given = [a for a in sys.argv[1:] if a != "--small"]
    if len(given) != 2:
        sys.exit(__doc__)
    missing = toolchain.ISAS[ISA].missing()
    if missing:
        print(f"not run here: there is no {missing}")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        programs = Path(folder) / "programs"
        found = lines(Path(folder), "--small" in sys.argv)
        programs.write_text("".join(" ".join(map(str, words)) + "\n" for words in found))
        test = [given[0], f"--gtest_filter={given[1]}"]
        return subprocess.run(test, env={**os.environ, "PIMENTO_PROGRAMS": str(programs)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
