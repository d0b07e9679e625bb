#!/usr/bin/env python3
"""Profiles unmodified programs: guest_programs.py PIMENTO [--small] [LABEL...].

LCS for A32, T32, AArch64 and RV64, static and dynamic, and programs of Debian for arm64 and armhf, each twice. No
stored tree may be disproved, both runs must save the same bytes, the program must end as it would alone, and a saved trace
may take two bits per instruction, one on average. Of all pairs of program and seed 19 in 20 have sampled cycles whose
interval holds those of the whole run. --small: inputs that take seconds instead of minutes.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "bench"))

from guests import inputs  # noqa: E402

PACKAGES = {"arm64": ["gzip", "bzip2", "lua5.4", "sqlite3", "mpeg2dec"], "armhf": ["gzip", "lua5.4"]}
SYSROOTS = {"aarch64": "aarch64-linux-gnu", "a32": "arm-linux-gnueabihf", "t32": "arm-linux-gnueabihf",
            "rv64": "riscv64-linux-gnu"}
MOST_BITS, MEAN_BITS = 2.0, 1.0
MOST_BYTES = 300 << 20
SEEDS = (1, 2, 3)
LEAST_INSIDE = 0.95


def lcs(folder, is_small):
    letters = "300" if is_small else "3000"
    for isa in inputs.COMPILERS:
        for is_static in (True, False):
            label = f"lcs {isa} {'static' if is_static else 'dynamic'}"
            program = str(folder / label.replace(" ", "-"))
            if not inputs.build_lcs(isa, program, is_static):
                print(f"{label}: not run here, no {inputs.COMPILERS[isa][0]}")
                continue
            root = [] if is_static else ["--sysroot", f"/usr/{SYSROOTS[isa]}"]
            yield label, [program, *root], [letters], None


def debian(folder, is_small):
    (folder / "text").write_bytes(inputs.text(40_000 if is_small else 1_300_000))
    (folder / "sort.lua").write_text(inputs.lua(16, 1000) if is_small else inputs.lua(27, 50_000))
    (folder / "join.sql").write_text(inputs.sql(1000 if is_small else 100_000))
    clip = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=352x288:rate=25:duration=1",
            "-c:v", "mpeg2video", "-f", "mpeg2video", str(folder / "clip.m2v")]
    for architecture, packages in PACKAGES.items():
        root = SOURCE / "build/guests" / architecture
        arguments = {
            "gzip": (["bin/gzip"], ["-6", "-c"], folder / "text"),
            "bzip2": (["bin/bzip2"], ["-c"], folder / "text"),
            "lua5.4": (["usr/bin/lua5.4"], [str(folder / "sort.lua")], None),
            "sqlite3": (["usr/bin/sqlite3"], ["-init", "/dev/null", ":memory:", f".read {folder / 'join.sql'}"], None),
            "mpeg2dec": (["usr/bin/mpeg2dec"], ["-o", "md5", str(folder / "clip.m2v")], None),
        }
        if any(not (root / program[0]).exists() for program, *_ in map(arguments.get, packages)):
            made = subprocess.run([SOURCE / "scripts/guest-root.sh", "-o", root, architecture, *packages],
                                  capture_output=True, text=True)
            if made.returncode != 0:
                print(f"{architecture}: not run here, {made.stderr.strip().splitlines()[-1]}")
                continue
        for package in packages:
            program, options, stdin = arguments[package]
            if package == "mpeg2dec":
                try:
                    subprocess.run(clip, check=True)
                except FileNotFoundError:
                    print("mpeg2dec: not run here, no ffmpeg to make its clip with")
                    continue
            yield f"{package} {architecture}", [f"{root}/{program[0]}", "--sysroot", root], options, stdin


def profile(tool, program, options, stdin, trace):
    done = subprocess.run(
        [tool, "profile", *program, "--json", "--stdout", trace.with_suffix(".out"), "--save", trace, "--", *options],
        stdin=open(stdin, "rb") if stdin else subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr
    return json.loads(done.stdout), ""


def sampled(tool, trace, cycles):
    """For each seed, whether the interval of the sampled cycles holds the cycles; nothing where there is none."""
    for seed in SEEDS:
        done = subprocess.run([tool, "profile", trace, "--sample", "--seed", str(seed), "--json"], capture_output=True,
                              text=True, check=True)
        interval = json.loads(done.stdout)["interval"]
        if interval and interval["cycles"][0] < interval["cycles"][1]:
            yield interval["cycles"][0] <= cycles <= interval["cycles"][1]


def main():
    tool, *rest = sys.argv[1:]
    is_small = "--small" in rest
    wanted = [r for r in rest if r != "--small"]
    wrong, instructions, bits, proved, inside = [], 0, [], 0, []
    print(f"{'program':<20} {'M instr':>9} {'CPU s':>7} {'trees':>10} {'proved':>10} {'bit/instr':>9}"
          f" {'sampled':>7}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for label, program, options, stdin in [*lcs(folder, is_small), *debian(folder, is_small)]:
            if wanted and not any(w in label for w in wanted):
                continue
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            report, error = profile(tool, program, options, stdin, folder / "a.ptrace")
            seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            again, _ = profile(tool, program, options, stdin, folder / "b.ptrace")
            if report is None or again is None:
                wrong.append(f"{label}: {error}")
                continue
            saved = (folder / "a.ptrace").read_bytes()
            if saved != (folder / "b.ptrace").read_bytes():
                wrong.append(f"{label}: two runs save different traces")
            if report["guest"]["exit_status"] != 0 or not (folder / "a.out").read_bytes():
                wrong.append(f"{label}: the program fails, or prints nothing")
            for what in ("disproved", "undecodable"):
                if (n := report.get(what, report["guest"].get(what))) != 0:
                    wrong.append(f"{label}: {n} {what}")
            bits.append(8 * len(saved) / report["instructions"])
            if not is_small and bits[-1] > MOST_BITS:
                wrong.append(f"{label}: {bits[-1]:.2f} bits per instruction, more than {MOST_BITS}")
            holds = list(sampled(tool, folder / "a.ptrace", report["cycles"]))
            inside += holds
            instructions += report["instructions"]
            proved += report["proved"]
            print(f"{label:<20} {report['instructions'] / 1e6:9.1f} {seconds:7.1f} {report['candidates']:10,}"
                  f" {report['proved']:10,} {bits[-1]:9.2f} {sum(holds):5}/{len(holds)}", flush=True)
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    mean = sum(bits) / max(len(bits), 1)
    print(f"{len(bits)} programs, {instructions / 1e6:,.0f} M instructions, {proved:,} trees proved, {mean:.2f} bits per"
          f" instruction on average, at most {most >> 20} MB")
    print(f"{sum(inside)} of {len(inside)} intervals of sampled cycles hold the cycles")
    if sum(inside) < LEAST_INSIDE * len(inside):
        wrong.append(f"only {sum(inside)} of {len(inside)} intervals hold the cycles")
    if not is_small and bits and mean > MEAN_BITS:
        wrong.append(f"traces take {mean:.2f} bits per instruction on average, more than {MEAN_BITS}")
    if most > MOST_BYTES:
        wrong.append(f"{most >> 20} MB, more than {MOST_BYTES >> 20}")
    if wrong:
        sys.exit("wrong:\n" + "\n".join(wrong))


main()
