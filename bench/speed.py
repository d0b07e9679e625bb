#!/usr/bin/env python3
"""How fast the tool is: `wall_us` of fresh processes against the limits the project sets itself.

usage: speed.py [--tool build/bin/pimento] [--runs 5] [--check] [--only TEXT] [--against OTHER]

`wall_us` runs from the parsed input to the finished report, first call in the process (docs/cli.md); rows called `process`
are a whole process, from its start to its end. Rows of DPUs are CPU time (dpu_speed.py). Each row is the
median of several processes on one core; run it on an idle machine. With --check the exit status is 1 if a limit is not
kept. With --against each run of the tool is paired with one of OTHER, an older build, the two taking turns; the last
column is the time of the tool as a share of that of OTHER.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import dpu_program
import dpu_speed


def case(label, args, value, unit, limit, is_at_least=False):
    return {"label": label, "args": args, "value": value, "unit": unit, "limit": limit, "is_at_least": is_at_least}


def wall_us(report):
    return report["wall_us"]


def wall_ms(report):
    return report["wall_us"] / 1e3


def cycles_per_us(report):
    return report["cycles"] / report["wall_us"]


def instructions_per_us(report):
    return report["counts"]["instructions"] / report["wall_us"]


def upmem(label, verb, kernel, size, dpus, *more, limit=1000):
    """A kernel on whole ranks of 64 DPUs, spread as the CINM compiler does."""
    args = [verb, kernel, "--size", size, "--set", f"ranks={dpus // 64}", "--map", f"reference;dpus={dpus}", *more]
    return case(f"{verb} {label}, UPMEM", [*args, "--target", "upmem"], wall_us, "us", limit)


CASES = [
    case("estimate gemv 4096x4096", ["estimate", "gemv", "--size", "m=4096,n=4096"], wall_us, "us", 300),
    case("estimate gemv 32768x32768", ["estimate", "gemv", "--size", "m=32768,n=32768"], wall_us, "us", 3000),
    case("estimate gemv 4096x262144", ["estimate", "gemv", "--size", "m=4096,n=262144"], wall_us, "us", 3000),
    case("estimate gemv 16384x65536", ["estimate", "gemv", "--size", "m=16384,n=65536"], wall_us, "us", 3000),
    case(
        "simulate gemv 32768x32768, no data",
        ["simulate", "gemv", "--size", "m=32768,n=32768", "--data", "none"],
        cycles_per_us,
        "M cycles/s",
        20,
        is_at_least=True,
    ),
    case("simulate gemv 4096x4096, checked", ["simulate", "gemv", "--size", "m=4096,n=4096"], wall_ms, "ms", 2000),
    upmem("va 8 x 2097152", "estimate", "va", "n=16777216", 1024),
    upmem("red 8388608 per DIMM", "estimate", "red", "n=33554432", 512),
    upmem("gemv 4096x2048", "estimate", "gemv", "m=4096,n=2048", 512, "--data", "const:1", limit=5000),
    upmem("gemv 16384x512", "estimate", "gemv", "m=16384,n=512", 1024, "--data", "const:1"),
    upmem("gemv 16384x128", "estimate", "gemv", "m=16384,n=128", 2048, "--data", "const:1"),
    case(
        "simulate va 1048576, one DPU, UPMEM",
        ["simulate", "va", "--size", "n=1048576", "--target", "upmem"],
        instructions_per_us,
        "M instr/s",
        30,
        is_at_least=True,
    ),
]


# What needs no LLVM, as a user waits for it.
PROCESSES = [["--version"], ["kernels"], ["targets"], ["estimate", "gemv", "--size", "m=512,n=512"]]
PROCESS_LIMIT_MS = 20

# C programs for DPUs, from the start of the process to the written object: lines, limit in ms.
PROGRAMS = [(50, 200), (500, 1000)]


def process_ms(command):
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    taken = (time.monotonic() - began) * 1e3
    if done.returncode != 0:
        sys.exit(f"speed: {' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return taken


def compile_ms(tool, lines):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "program.c"
        source.write_text(dpu_program.program(lines), encoding="utf-8")
        command = [tool, "upmem-cc", "-c", "-O2", "-DNR_TASKLETS=16", "-o", str(source.with_suffix(".o")), str(source)]
        return process_ms(command)


def run(tool, args):
    target = [] if "--target" in args else ["--target", "hbm-pim"]
    command = [tool, *args, *target, "--jobs", "1", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"speed: {' '.join(command)}: status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def measure(tool, c):
    if "of_tool" in c:
        return c["of_tool"](tool)
    if "lines" in c:
        return compile_ms(tool, c["lines"])
    return process_ms([tool, *c["args"]]) if c["value"] is None else c["value"](run(tool, c["args"]))


def main():
    parser = argparse.ArgumentParser(description="Speed of the tool against the project's limits.")
    parser.add_argument("--tool", default="build/bin/pimento")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--check", action="store_true", help="exit with 1 if a limit is not kept")
    parser.add_argument("--only", default="", help="rows whose label contains this text")
    parser.add_argument("--against", help="another build, run in turns with the tool")
    options = parser.parse_args()
    # One core, as the limits are stated.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{'':36} {'median':>12} {'best':>12}  {'limit':>12}{'of OTHER' if options.against else '':>22}")
    is_kept = True
    programs = [
        {**case(f"upmem-cc, {lines} lines", None, None, "ms", limit), "lines": lines} for lines, limit in PROGRAMS
    ]
    processes = [case(f"process {' '.join(args[:2])}", args, None, "ms", PROCESS_LIMIT_MS) for args in PROCESSES]
    of_dpus = [
        {**case(label, None, None, unit, limit, is_at_least), "of_tool": of_tool}
        for label, of_tool, unit, limit, is_at_least in dpu_speed.cases(options.tool)
    ]
    for c in [c for c in CASES + processes + programs + of_dpus if options.only in c["label"]]:
        values, others = [], []
        for _ in range(options.runs):
            values.append(measure(options.tool, c))
            if options.against:
                others.append(measure(options.against, c))
        median = statistics.median(values)
        best = max(values) if c["is_at_least"] else min(values)
        kept = median >= c["limit"] if c["is_at_least"] else median <= c["limit"]
        is_kept = is_kept and kept
        sign = ">=" if c["is_at_least"] else "<="
        share = ""
        if others:
            ratio = median / statistics.median(others)
            share = f"{1 / ratio if c['is_at_least'] else ratio:8.3f}"
        verdict = "" if kept else "NOT KEPT"
        print(f"{c['label']:36} {median:12.2f} {best:12.2f}  {sign} {c['limit']:9} {c['unit']:10} {verdict:9} {share}")
    return 1 if options.check and not is_kept else 0


if __name__ == "__main__":
    sys.exit(main())
