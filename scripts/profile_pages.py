#!/usr/bin/env python3
"""Profiles five programs of Debian (arm64), and bfs of kernels/cim with its source, and makes a page of each.

  profile_pages.py TOOL [-o FOLDER] [NAME...]     FOLDER/NAME.json and FOLDER/NAME.html (default: build/pages)

Fetches the programs (scripts/guest-root.sh), needs QEMU's user mode, the cross compiler for AArch64, and ffmpeg for the
clip of mpeg2dec. What is missing is "not run here". Inputs are generated; the same pages come out every time.
"""

import argparse
import random
import subprocess
import sys
from pathlib import Path

from cim import mpeg2, toolchain
from cim.benchmarks import BENCHMARKS, SEED

ROOT = toolchain.ROOT
PACKAGES = ["gzip", "bzip2", "sqlite3", "lua5.4", "mpeg2dec"]
SQL = """CREATE TABLE t(id INTEGER PRIMARY KEY, a INTEGER, b TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO t SELECT i, i * 7919 % 10007, 'row ' || i FROM n;
CREATE INDEX ta ON t(a);
SELECT count(*), sum(x.a) FROM t AS x JOIN t AS y ON x.a = y.id;
SELECT b FROM t ORDER BY a DESC, id LIMIT 3;
"""
LUA = """local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local xs, x = {}, 1
for i = 1, 20000 do x = (x * 16807) % 2147483647; xs[i] = x end
table.sort(xs)
print(fib(22), xs[1], xs[#xs])
"""


def text_file(folder):
    """Words in an order that repeats now and then: 400 KB."""
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlu", k=draw.randint(2, 9))) for _ in range(2000)]
    path = folder / "text"
    path.write_text("\n".join(" ".join(draw.choices(words, k=11)) for _ in range(6000)))
    return path


def commands(names, folder):
    """Name, program, options and arguments of each that was asked for."""
    root = None
    if any(n != "bfs" for n in names):
        root = Path(subprocess.run([ROOT / "scripts" / "guest-root.sh", "arm64", *PACKAGES], check=True, text=True,
                                   stdout=subprocess.PIPE).stdout.strip().splitlines()[-1])
    for name in names:
        if name == "bfs":
            benchmark = next(b for b in BENCHMARKS if b.name == "bfs")
            if missing := toolchain.ISAS["aarch64"].missing():
                print(f"bfs: not run here: there is no {missing}")
                continue
            program = toolchain.build(benchmark, "aarch64", folder / "programs", more=["-g"])
            yield name, program, [], [SEED, *benchmark.usual]
        elif name in ("gzip", "bzip2"):
            yield name, root / "bin" / name, ["--sysroot", root], ["-c", "-6", text_file(folder)]
        elif name == "sqlite3":
            yield name, root / "usr" / "bin" / name, ["--sysroot", root], ["-batch", ":memory:", SQL]
        elif name == "lua":
            script = folder / "script.lua"
            script.write_text(LUA)
            yield name, root / "usr" / "bin" / "lua5.4", ["--sysroot", root], [script]
        elif name == "mpeg2dec":
            try:
                clip, _ = mpeg2.make_clip(folder)
            except mpeg2.NotHere as e:
                print(f"mpeg2dec: not run here: {e}")
                continue
            yield name, root / "usr" / "bin" / name, ["--sysroot", root], ["-o", "null", clip]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=Path, help="the pimento to run")
    parser.add_argument("names", nargs="*", help="programs (default: all)")
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "build" / "pages")
    parser.add_argument("--max-instructions", help="of each program")
    given = parser.parse_args()
    known = ["gzip", "bzip2", "sqlite3", "lua", "mpeg2dec", "bfs"]
    for name in given.names:
        if name not in known:
            parser.error(f"no program '{name}'; there are {', '.join(known)}")
    given.output.mkdir(parents=True, exist_ok=True)
    part = ["--max-instructions", given.max_instructions] if given.max_instructions else []
    for name, program, options, arguments in commands(given.names or known, given.output):
        result = given.output / f"{name}.json"
        subprocess.run([given.tool, "profile", program, *options, *part, "--lines", "--json", "-o", result, "--stdout",
                        given.output / f"{name}.out", "--", *map(str, arguments)], check=True, stdin=subprocess.DEVNULL)
        page = given.output / f"{name}.html"
        subprocess.run([given.tool, "report", result, "-o", page], check=True)
        print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
