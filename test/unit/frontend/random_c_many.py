#!/usr/bin/env python3
"""Makes random C kernels, builds them with the host's compiler, and has the test of the built-in ones run them.

usage: random_c_many.py --program TEST [--filter TESTS] [--count N] [--seed N] [--cases N] [--compiler CC]
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
    p.add_argument("--filter", default="CRandom.*", help="which of its tests, as googletest takes it")
    p.add_argument("--count", type=int, default=3000, help="kernels")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cases", type=int, default=0, help="so many of them get what the test does not do with all")
    p.add_argument("--compiler", default="cc", help="the host's")
    a = p.parse_args()
    version = subprocess.run([a.compiler, "--version"], capture_output=True, text=True, check=True).stdout
    halves = "-ffloat16-excess-precision=none" if "clang" in version else "-fexcess-precision=16"
    with tempfile.TemporaryDirectory() as folder:
        source, library = os.path.join(folder, "kernels.c"), os.path.join(folder, "kernels.so")
        subprocess.run([sys.executable, HERE / "random_c_kernels.py", str(a.count), str(a.seed), source], check=True)
        subprocess.run([a.compiler, *FLAGS, halves, source, "-o", library], check=True)
        environment = dict(os.environ, PIMENTO_RANDOM_C=library, PIMENTO_CASES=str(a.cases))
        done = subprocess.run([a.program, f"--gtest_filter={a.filter}"], env=environment, stdout=subprocess.PIPE, text=True)
        print(done.stdout, end="")
        if "[==========] Running 0 tests" in done.stdout:
            sys.exit(f"no test of {a.program} is called '{a.filter}'")
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
