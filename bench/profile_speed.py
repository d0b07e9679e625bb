#!/usr/bin/env python3
"""How fast `pimento profile` is, from the guest's start to the report, on two idle cores.

usage: profile_speed.py [--tool build/bin/pimento] [--runs 3] [--letters 3000] [--check]
                        [--guest-root DIR [--text-bytes 1300000]]

LCS is built with the cross compiler of each instruction set that is installed. With --guest-root, a folder that
scripts/guest-root.sh has filled with gzip for arm64, `gzip -6` of a generated text runs, too. AArch64 rows run again
with --sample. Each row is the best of the runs; "CPU" is the time of all threads and of the guest, in cores: a busy
machine takes longer, but hardly more of it. With --check the exit status is 1 if AArch64 rows are below their limits.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from guests import inputs

LIMIT, SAMPLED_LIMIT = 12.0, 40.0  # million instructions per second

def measure(tool, runs, command, stdin=None):
    best, report = None, None
    for _ in range(runs):
        began, used = time.monotonic(), os.times()
        done = subprocess.run(
            [tool, "profile", "--json", "--stdout", "/dev/null", *command],
            stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=True,
        )
        took, now = time.monotonic() - began, os.times()
        cpu = now.children_user + now.children_system - used.children_user - used.children_system
        report = json.loads(done.stdout)
        best = (took, cpu) if best is None else (min(best[0], took), min(best[1], cpu))
    return best, report


def rows(args, folder):
    for isa, compiler in inputs.COMPILERS.items():
        program = str(folder / f"lcs-{isa}")
        if not inputs.build_lcs(isa, program, is_static=True):
            print(f"lcs {isa}: not run, no {compiler[0]}")
            continue
        yield f"lcs {isa}", measure(args.tool, args.runs, [program, "--", str(args.letters)])
        if isa == "aarch64":
            yield f"lcs {isa} sampled", measure(args.tool, args.runs, ["--sample", program, "--", str(args.letters)])
    if args.guest_root:
        (folder / "text").write_bytes(inputs.text(args.text_bytes))
        gzip = [str(Path(args.guest_root) / "bin/gzip"), "--sysroot", args.guest_root]
        for label, more in (("gzip -6 aarch64", []), ("gzip -6 aarch64 sampled", ["--sample"])):
            yield label, measure(args.tool, args.runs, [*gzip, *more, "--", "-6", "-c"], folder / "text")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/bin/pimento")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--letters", type=int, default=3000)
    parser.add_argument("--guest-root")
    parser.add_argument("--text-bytes", type=int, default=1_300_000)
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    isOk = True
    print(f"{'program':<24} {'M instr':>9} {'s':>7} {'CPU s':>7} {'M instr/s':>10} {'CPI':>6}")
    with tempfile.TemporaryDirectory() as folder:
        for label, ((took, cpu), report) in rows(args, Path(folder)):
            millions = report["instructions"] / 1e6
            speed, limit = millions / took, SAMPLED_LIMIT if "sampled" in label else LIMIT
            isOk = isOk and (speed >= limit or "aarch64" not in label)
            print(f"{label:<24} {millions:9.1f} {took:7.2f} {cpu:7.2f} {speed:10.1f} {report['cpi']:6.3f}")
    return 0 if isOk or not args.check else 1


if __name__ == "__main__":
    sys.exit(main())
