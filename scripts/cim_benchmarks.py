#!/usr/bin/env python3
"""Builds Eva-CiM's benchmarks (kernels/cim, and mpeg2dec), runs them, and checks what they print.

  cim_benchmarks.py --list                        what there is: names, the paper's names, sources, inputs, regions
  cim_benchmarks.py [--isa ISA]... [NAME...]      build, run in QEMU, compare with references and with each other
  cim_benchmarks.py --build-only -o FOLDER        programs in FOLDER/ISA/NAME, or FOLDER/ISA-vectorized/NAME
  cim_benchmarks.py --regions TOOL                instructions of each region, by `TOOL profile`

Without --isa: a32, aarch64 and rv64; `host` is this machine. What lacks a compiler is "not run here".
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from cim import mpeg2, toolchain
from cim.benchmarks import BENCHMARKS, SEED, complaints
from cim.toolchain import ISAS, ROOT

RECURSION = 1 << 20  # the reference of dfs visits vertices by recursion


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benchmarks (default: all)")
    parser.add_argument("--isa", action="append", choices=ISAS, help="instruction set; repeatable")
    parser.add_argument("--vectorized", action="store_true", help="let the compiler vectorise")
    parser.add_argument("--compiler", help="compiler in place of the usual one")
    parser.add_argument("--small", action="store_true", help="small inputs")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "cim", help="folder of the programs")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument("--regions", metavar="TOOL", help="count the instructions of regions with this pimento")
    given = parser.parse_args()
    known = [b.name for b in BENCHMARKS] + [mpeg2.NAME]
    for name in given.names:
        if name not in known:
            parser.error(f"no benchmark '{name}'; there are {', '.join(known)}")
    given.names = given.names or known
    given.isa = given.isa or ["a32", "aarch64", "rv64"]
    return given


def print_list():
    print(f"{'name':8} {'paper':8} {'source':24} {'input':46} region")
    for b in BENCHMARKS:
        sizes = " ".join(f"{name}={size}" for name, size in b.sizes.items())
        source = f"kernels/cim/{b.source.name}"
        print(f"{b.name:8} {b.paper:8} {source:24} {'seed=' + str(SEED) + ' ' + sizes:46} region_begin to region_end")
    width, height = mpeg2.SIZE
    clip = f"{mpeg2.FRAMES} frames of {width} x {height}, ffmpeg's testsrc"
    print(f"{mpeg2.NAME:8} {'M2D':8} {'mpeg2dec 0.5.1 (Debian)':24} {clip:46} the whole program")


def sizes_of(benchmark, given):
    return benchmark.small if given.small else benchmark.usual


def built(chosen, isas, given):
    """{(name, isa): program}; prints what is wrong, and returns the number of failures beside it."""
    programs, failures = {}, 0
    for benchmark in chosen:
        for isa in isas:
            try:
                program = toolchain.build(benchmark, isa, given.output, given.vectorized, given.compiler)
                programs[benchmark.name, isa] = program
            except subprocess.CalledProcessError as error:
                failures += 1
                print(f"{benchmark.name} {isa}: does not compile\n{error.stderr}")
    return programs, failures


def checked(benchmark, programs, given):
    """Lines about one benchmark, and whether it is right. In a process of its own."""
    sys.setrecursionlimit(RECURSION)
    sizes = sizes_of(benchmark, given)
    outputs, lines = {}, []
    for isa, program in programs.items():
        try:
            output = toolchain.run(program, isa, [given.seed, *sizes])
        except subprocess.CalledProcessError as error:
            lines.append(f"{benchmark.name} {isa}: ends with {error.returncode}: {error.stderr.strip()}")
            continue
        outputs.setdefault(output, []).append(isa)
    is_right = not lines and len(outputs) == 1
    for output, isas in outputs.items():
        wrong = complaints(benchmark, given.seed, sizes, output)
        is_right = is_right and not wrong
        lines += [f"{benchmark.name} {' '.join(isas)}: {'; '.join(wrong) if wrong else 'right'}"]
    return lines, is_right


def check_mpeg2(isas, given):
    """As checked(); what cannot be fetched or built is not run."""
    lines, frames, is_right = [], {}, True
    try:
        clip, reference = mpeg2.make_clip(given.output / mpeg2.NAME)
    except mpeg2.NotHere as reason:
        return [f"{mpeg2.NAME}: not run here: {reason}"], True
    for isa in isas:
        try:
            frames.setdefault(mpeg2.decode(isa, clip), []).append(isa)
        except mpeg2.NotHere as reason:
            lines.append(f"{mpeg2.NAME} {isa}: not run here: {reason}")
        except subprocess.CalledProcessError as error:
            words = error.stderr.decode(errors="replace").strip()
            lines.append(f"{mpeg2.NAME} {isa}: ends with {error.returncode}: {words}")
            is_right = False
    for pictures, of_isas in frames.items():
        wrong = mpeg2.complaints(pictures, reference)
        is_right = is_right and not wrong
        digest = hashlib.md5(pictures).hexdigest()
        lines.append(f"{mpeg2.NAME} {' '.join(of_isas)}: {'; '.join(wrong) if wrong else 'right'}, frames {digest}")
    return lines, is_right and len(frames) <= 1


def check_all(chosen, programs, given):
    failures = 0
    with concurrent.futures.ProcessPoolExecutor(os.cpu_count()) as pool:
        waiting = []
        for benchmark in chosen:
            of_isa = {isa: program for (name, isa), program in programs.items() if name == benchmark.name}
            if of_isa:
                waiting.append(pool.submit(checked, benchmark, of_isa, given))
        for task in waiting:
            lines, is_right = task.result()
            failures += not is_right
            print("\n".join(lines), flush=True)
    return failures


def profiled(given, program, options, arguments=()):
    """Instructions that `pimento profile` counts."""
    options = [*options, "--json", "--quiet", "--stdout", "/dev/null"]
    command = [given.regions, "profile", program, *options, "--", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return f"fails: {run.stderr.strip()}"
    return f"{json.loads(run.stdout)['instructions']:,}"


def print_regions(chosen, isas, programs, given):
    for benchmark in chosen:
        for isa in isas:
            if (benchmark.name, isa) not in programs:
                continue
            count = profiled(given, programs[benchmark.name, isa], ["--start", "region_begin", "--stop", "region_end"],
                             map(str, [given.seed, *sizes_of(benchmark, given)]))
            print(f"{benchmark.name:8} {isa:8} {count:>14}", flush=True)
    if mpeg2.NAME not in given.names:
        return
    for isa in isas:
        try:
            clip, _ = mpeg2.make_clip(given.output / mpeg2.NAME)
            program, root = mpeg2.fetch(isa)
        except mpeg2.NotHere as reason:
            print(f"{mpeg2.NAME} {isa}: not run here: {reason}")
            continue
        count = profiled(given, program, ["--sysroot", root] if root else [], ["-o", "null", clip])
        print(f"{mpeg2.NAME:8} {isa:8} {count:>14}", flush=True)


def main():
    given = arguments()
    if given.list:
        print_list()
        return 0
    chosen = [b for b in BENCHMARKS if b.name in given.names]
    isas = [isa for isa in given.isa if not ISAS[isa].missing()]
    for isa in given.isa:
        if isa not in isas:
            print(f"{isa}: not run here: there is no {ISAS[isa].missing()}")
    programs, failures = built(chosen, isas, given)
    if given.build_only:
        return failures > 0
    if given.regions:
        print_regions(chosen, isas, programs, given)
        return failures > 0
    failures += check_all(chosen, programs, given)
    count = len(chosen)
    if mpeg2.NAME in given.names and not given.small:
        count += 1
        lines, is_right = check_mpeg2(isas, given)
        print("\n".join(lines))
        failures += not is_right
    print(f"{count} benchmarks, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
