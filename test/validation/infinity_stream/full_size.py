#!/usr/bin/env python3
"""Runs Infinity Stream's programs at the paper's sizes in arrays, bit by bit: full_size.py PIMENTO [NAME...].

Every answer is checked against the interpreter in the mapping's order, and where no sum is regrouped against the C
program that a compiler builds for this machine (pimento simulate), both bit for bit. Limits: 20 minutes on two cores and
3 GB for all of them.
"""

import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts" / "figures"))
from infinity_stream_programs import PROGRAMS  # noqa: E402

REGROUPED = {"mm_in", "kmeans_in", "gather_mlp_in"}  # sums in tiles
MOST_SECONDS, MOST_BYTES = 20 * 60, 3 << 30


def main():
    pimento, names = sys.argv[1], sys.argv[2:] or PROGRAMS
    wrong, begin = [], time.monotonic()
    for name in names:
        start, cpu = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [pimento, "simulate", name, "--target", "l3-arrays"]
        command += ["--check", "interpreter"] if name in REGROUPED else []
        done = subprocess.run(command, capture_output=True, text=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        is_right = done.returncode == 0 and "yes, bit for bit against the reference interpreter" in done.stdout
        is_right = is_right and (name in REGROUPED or "source: C, bit for bit" in done.stdout)
        print(f"{name:15} {'right' if is_right else 'WRONG'} {time.monotonic() - start:8.1f} s,"
              f" {used.ru_utime - cpu.ru_utime:8.1f} s of processors", flush=True)
        if not is_right:
            wrong.append(name)
            print(done.stdout[-2000:], done.stderr[-2000:])
    seconds, most = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(f"all: {seconds:.0f} s, at most {most >> 20} MB")
    if seconds > MOST_SECONDS:
        print(f"slower than {MOST_SECONDS} s: an idle machine of two cores is meant")
    if wrong or most > MOST_BYTES:
        sys.exit(f"wrong: {', '.join(wrong)}" if wrong else "more than 3 GB")


main()
