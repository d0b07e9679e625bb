#!/usr/bin/env python3
"""Makes random C kernels, builds them with the host's compiler, and has the test of the built-in ones run them.

usage: random_c_many.py --program UNIT_FRONTEND_C_RANDOM [--count N] [--seed N] [--upmem N] [--compiler CC]
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# What C leaves open and kernels do not: as in CMakeLists.txt.
FLAGS = ["-std=gnu17", "-O1", "-fPIC", "-shared", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing", "-w"]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", required=True, help="the test's executable")
    p.add_argument("--count", type=int, default=3000, help="kernels")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--upmem", type=int, default=0, help="so many of them run on UPMEM too")
    p.add_argument("--compiler", default="cc", help="the host's")
    a = p.parse_args()
    version = subprocess.run([a.compiler, "--version"], capture_output=True, text=True, check=True).stdout
    halves = "-ffloat16-excess-precision=none" if "clang" in version else "-fexcess-precision=16"
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "kernels.c"), os.path.join(folder, "kernels.so")
        subprocess.run([sys.executable, HERE / "random_c_kernels.py", str(a.count), str(a.seed), source], check=True)
        subprocess.run([a.compiler, *FLAGS, halves, source, "-o", library], check=True)
        environment = dict(os.environ, PIMENTO_RANDOM_C=library, PIMENTO_CASES=str(a.upmem))
        sys.exit(subprocess.run([a.program, "--gtest_filter=CRandom.*"], env=environment).returncode)


if __name__ == "__main__":
    main()
