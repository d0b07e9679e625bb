#!/usr/bin/env python3
"""Any number of ranks gives what one process gives, byte for byte: explorations, sweeps, tuning, validation, profiles.

    same_test.py TOOL
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from mpirun import ENVIRONMENT, answer, folder, need_mpi, run, without_times

COMMANDS = {
    "explore hbm-pim": ["explore", "gemv", "--size", "m=512,n=640"],
    "explore hbm-pim, exhaustive": ["explore", "gemv", "--size", "m=256,n=256", "--limit", "3000", "--exhaustive"],
    "explore upmem": ["explore", "va", "--size", "n=65536", "--target", "upmem", "--dtype", "i32", "--set", "ranks=2",
                      "--space", "factors", "--limit", "1500"],
    "explore a graph": ["explore", "mlp", "--size", "m=64,n=64,hidden=128", "--target", "attacc", "--limit", "500"],
    "sweep": ["explore", "gemv", "--size", "n=1024", "--sweep", "size.m=256..4096*2", "--sweep", "timing.tRP=10..16:2"],
    "sweep with errors": ["explore", "gemv", "--size", "n=1024", "--sweep", "size.m=1024,100000000,2048"],
    "tune hbm-pim": ["tune", "gemv", "--size", "m=512,n=512"],
    "tune upmem": ["tune", "red", "--size", "n=65536", "--target", "upmem", "--dtype", "i32", "--set", "ranks=2"],
    "validate": ["validate", "hbm-pim"],
    "validate mappings": ["validate", "mappings", "--kernels", "va,gemv", "--count", "24"],
}


def check(tool, name, arguments):
    one, _ = answer(tool, 0, arguments)
    for ranks in (1, 2, 4):
        many, sharing = answer(tool, ranks, arguments)
        assert many == one, f"{name}: {ranks} ranks answer something else"
        if ranks > 1:
            assert sharing and sharing["ranks"] == ranks and sharing["lost"] == 0, f"{name}: {sharing}"
            assert sharing["tasks"] > 0 and 0 <= sharing["idle_share"] <= 1, f"{name}: {sharing}"
    print(f"{name}: the same on 1, 2 and 4 ranks", flush=True)


PROGRAM = """
#include <stdio.h>
static int a[4096], b[4096], c[4096];
int main(void) {
  for (int i = 0; i < 4096; ++i) { a[i] = i * 7; b[i] = i ^ 21; }
  for (int r = 0; r < 20; ++r)
    for (int i = 0; i < 4096; ++i) c[i] = a[i] & b[i];
  printf("%d\\n", c[17]);
  return 0;
}
"""


def check_profile(tool, place):
    """Choices of a saved trace."""
    compiler = shutil.which("riscv64-linux-gnu-gcc")
    if not compiler:
        print("profile: not run here: no compiler for RISC-V")
        return
    (place / "p.c").write_text(PROGRAM)
    subprocess.run([compiler, "-O1", "-static", "-o", place / "p", place / "p.c"], check=True)
    trace = str(place / "p.ptrace")
    run(tool, 0, ["profile", str(place / "p"), "--engine", "interpreter", "--stdout", str(place / "out"), "--save", trace])
    arguments = ["profile", trace, "--levels", "l1d,l2,l1d+l2", "--arrays", "destiny", "--technology", "sram,fefet", "--json"]
    one = without_times(json.loads(run(tool, 0, arguments)))
    for ranks in (2, 3):
        many = json.loads(run(tool, ranks, arguments))
        assert many["ranks"]["tasks"] == 5, many["ranks"]
        assert without_times(many) == one, f"profile: {ranks} ranks answer something else"
    print("profile: the same on 1, 2 and 3 ranks", flush=True)


def main():
    tool = sys.argv[1]
    need_mpi(tool)
    for name, arguments in COMMANDS.items():
        if name == "validate" and not (Path(os.environ.get("PIMENTO_POINTS", "../shared")) / "validation").exists():
            print("validate: not run here: no reference points")
            continue
        check(tool, name, arguments)
    with folder() as place:
        check_profile(tool, Path(place))
        # Files are the first rank's alone.
        names = [Path(place) / f"{r}.csv" for r in (0, 3)]
        for ranks, name in zip((0, 3), names):
            run(tool, ranks, ["explore", "gemv", "--size", "m=256,n=256", "-o", str(name)])
        assert names[0].read_bytes() == names[1].read_bytes()
        # A mistake is said once.
        wrong = subprocess.run(["mpirun", "-np", "3", tool, "explore", "gemv", "--size", "m=0,n=4"], env=ENVIRONMENT,
                               capture_output=True, text=True, timeout=300)
        assert wrong.returncode == 1 and wrong.stderr.count("error:") == 1, wrong.stderr
        # Ranks with other inputs.
        script = Path(place) / "other.sh"
        script.write_text(f'#!/bin/sh\nexec {tool} explore gemv --size m=$((512 + 64 * OMPI_COMM_WORLD_RANK)),n=512\n')
        script.chmod(0o755)
        wrong = subprocess.run(["mpirun", "-np", "2", str(script)], env=ENVIRONMENT, capture_output=True, text=True,
                               timeout=300)
        assert wrong.returncode == 1 and "[ranks-differ]" in wrong.stderr, wrong.stderr
        # A program would run on each of them.
        wrong = subprocess.run(["mpirun", "-np", "2", tool, "profile", sys.executable], env=ENVIRONMENT,
                               capture_output=True, text=True, timeout=300)
        assert wrong.returncode == 1 and "[ranks-program]" in wrong.stderr, wrong.stderr
    print("files and messages are the first rank's")


main()
