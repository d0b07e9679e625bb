#!/usr/bin/env python3
"""How many mappings `pimento explore` explores per second, on all cores.

usage: explore.py [--tool build/bin/pimento] [--runs 5] [--check]

`seconds` is the tool's own figure: from the options to the explored space, data checks aside (docs/explore.md), making
machine code included; explore_bench leaves that out. Each row is the median of several processes; run it on an idle
machine. With --check the exit status is 1 if a limit is not kept.
"""

import argparse
import json
import statistics
import subprocess
import sys

# What, arguments, mappings per second at least.
CASES = [
    ("gemv 4096x4096", ["gemv", "--size", "m=4096,n=4096"], 5000),
    ("gemv 4096x4096, hbm-pim-sound", ["gemv", "--size", "m=4096,n=4096", "--target", "hbm-pim-sound"], 5000),
    ("gemv 32768x32768", ["gemv", "--size", "m=32768,n=32768"], 5000),
    ("va 1000000", ["va", "--size", "n=1000000"], 5000),
    ("va 16777216 on UPMEM", ["va", "--size", "n=16777216", "--set", "ranks=32", "--target", "upmem"], 5000),
]


def run(tool, args):
    command = [tool, "explore", *args, "--no-check", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"explore: {' '.join(command)}: status {done.returncode}\n{done.stderr}")
    result = json.loads(done.stdout)
    return result["explored"], result["device_runs"], result["explored"] / result["seconds"]


def main():
    parser = argparse.ArgumentParser(description="Mappings explored per second.")
    parser.add_argument("--tool", default="build/bin/pimento")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is not kept")
    options = parser.parse_args()
    print(f"{'explore':36} {'mappings':>9} {'runs':>6} {'median/s':>10} {'best/s':>10}  {'limit':>8}")
    is_kept = True
    for label, args, limit in CASES:
        results = [run(options.tool, args) for _ in range(options.runs)]
        rates = [rate for _, _, rate in results]
        median = statistics.median(rates)
        kept = median >= limit
        is_kept = is_kept and kept
        explored, runs, _ = results[0]
        print(f"{label:36} {explored:9} {runs:6} {median:10.0f} {max(rates):10.0f}  >= {limit:5} {'' if kept else 'NOT KEPT'}")
    return 1 if options.check and not is_kept else 0


if __name__ == "__main__":
    sys.exit(main())
