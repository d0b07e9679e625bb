#!/usr/bin/env python3
"""The default mapping against the best of all: the table of docs/default-mapping.md.

    scripts/auto_table.py TOOL             measures every case and writes the table (an hour)
    scripts/auto_table.py TOOL --every N   measures one case in N and prints them; writes nothing
    --patience S                           explorations end after S seconds, without a ratio (usually 900)

Every kernel of the zoo that is not a network of fixed size, at three sizes, on four machines: total cycles under the
default mapping, and the least that `explore --objective time` finds among all mappings; of graphs, kernel by kernel.
Seconds are those of the processor, the start of the tool and compiling included. Status 1 if a default mapping takes over
5 % more than the best, or choosing it over a second per kernel (5 seconds beyond 10^9 points).
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "default-mapping.md"
BEGIN, END = "<!-- table: scripts/auto_table.py -->\n", "<!-- end of table -->\n"
MACHINES = ("hbm-pim", "upmem", "examples/machines/cnm-vector.yaml", "examples/machines/cnm-pipeline.yaml")
WORST_RATIO, MANY_POINTS, MOST_SECONDS, MOST_SECONDS_OF_MANY = 1.05, 1e9, 1.0, 5.0
ROWS = ("n=4096", "n=65536", "n=1048576")
SIZES = {
    "gemv": ("m=128,n=128", "m=512,n=512", "m=1000,n=300"),
    "gemvrelu": ("m=128,n=128", "m=512,n=512", "m=1000,n=300"),
    "va": ROWS, "add": ROWS, "mul": ROWS, "relu": ROWS, "axpy": ROWS, "red": ROWS, "sel": ROWS, "hst": ROWS, "scan": ROWS,
    "gemm": ("m=32,n=32,k=32", "m=100,n=64,k=48", "m=128,n=128,k=128"),
    "attn": ("heads=2,dhead=16,len=64", "heads=4,dhead=32,len=128", "heads=8,dhead=64,len=256"),
    "mlp": ("m=64,n=64,hidden=64", "m=128,n=128,hidden=256", "m=256,n=256,hidden=512"),
}


def run(tool, arguments, seconds):
    """The JSON of a run, or nothing, and the seconds of the processor that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([tool, *arguments, "--json", "--quiet"], capture_output=True, text=True, timeout=seconds,
                              cwd=ROOT, check=False)
        text = done.stdout
    except subprocess.TimeoutExpired:
        text = ""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (json.loads(text) if text else None), taken


def leastTotal(found):
    """The least total cycles of one exploration's rows that are no bounds."""
    how, total = found["columns"].index("how"), found["columns"].index("total_cycles")
    return min(row[total] for row in found["rows"] if row[how] in ("estimated", "equal"))


def best(explored):
    """Least total cycles by kernel; of a single kernel under the name ''."""
    if not explored.get("kernels"):
        return {"": leastTotal(explored)}
    how, total = explored["columns"].index("how"), explored["columns"].index("total_cycles")
    name = explored["columns"].index("kernel")
    out = {}
    for row in explored["rows"]:
        if row[how] in ("estimated", "equal"):
            out[row[name]] = min(row[total], out.get(row[name], row[total]))
    return out


def measure(tool, patience, machine, kernel, sizes):
    where = [kernel, "--size", sizes, "--target", machine]
    default, seconds = run(tool, ["estimate", *where, "--jobs", "1", "--offload", "possible"], patience)
    if default is None or all(s["where"] == "host" for s in default["stages"]):
        return None
    stages = {s["kernel"]: s for s in default["stages"] if s["where"] == "pim"}
    gap = max((s["choice"]["gap"] for s in stages.values() if s["choice"]), default=0)
    sampled = any(s["choice"] and s["choice"]["sampled"] for s in stages.values())
    explored, _ = run(tool, ["explore", *where, "--objective", "time", "--no-check", "--offload", "possible"], patience)
    ratio = None
    if explored is not None:
        least = best(explored)
        ratios = [s["total_cycles"] / least[k if len(stages) > 1 or k in least else ""] for k, s in stages.items()
                  if k in least or "" in least]
        ratio = max(ratios, default=None)
    points = max(s["operations"] for s in stages.values())
    return {"machine": pathlib.Path(machine).stem, "kernel": kernel, "sizes": sizes, "dtype": default["dtype"],
            "total": default["total_cycles"], "ratio": ratio, "seconds": seconds, "gap": gap, "sampled": sampled,
            "limit": len(stages) * (MOST_SECONDS_OF_MANY if points > 2 * MANY_POINTS else MOST_SECONDS)}


def textOf(row):
    ratio = "-" if row["ratio"] is None else f"{row['ratio']:.3f}"
    proof = "optimal" if row["gap"] == 0 else f"at most {100 * row['gap']:.1f} %"
    if row["sampled"]:
        proof = "by samples" if row["gap"] == 0 else proof + ", by samples"
    return (f"| {row['machine']} | {row['kernel']} | {row['dtype']} | {row['sizes']} | {row['total']:,} | {ratio} | "
            f"{row['seconds']:.2f} | {proof} |\n")


HEAD = ("| machine | kernel | type | sizes | total cycles | to the best | CPU s | better mappings, proved |\n"
        "|---|---|---|---|---:|---:|---:|---|\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--patience", type=int, default=900)
    arguments = parser.parse_args()
    tool = os.path.abspath(arguments.tool)
    cases = [(m, k, s) for m in MACHINES for k, three in SIZES.items() for s in three]
    rows = []
    for case in cases[::arguments.every]:
        row = measure(tool, arguments.patience, *case)
        if row is not None:
            rows.append(row)
            print(textOf(row), end="", flush=True)
    compared = [r for r in rows if r["ratio"] is not None]
    bad = [r for r in rows if (r["ratio"] or 1) > WORST_RATIO or r["seconds"] > r["limit"]]
    summary = (f"\n{len(rows)} cases, {len(compared)} compared with all mappings (the others' explorations took over "
               f"{arguments.patience} s): at worst "
               f"{max(r['ratio'] for r in compared):.3f} of the best, {max(r['seconds'] for r in rows):.2f} CPU seconds.\n")
    print(summary)
    if arguments.every == 1:
        text = PAGE.read_text()
        begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        PAGE.write_text(text[:begin] + HEAD + "".join(map(textOf, rows)) + summary + text[end:])
    for row in bad:
        print("outside the limits: " + textOf(row), end="", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
