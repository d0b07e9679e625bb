#!/usr/bin/env python3
"""Runs the 13 programs of Infinity Stream's Table 3 on its five machines: infinity_stream.py PIMENTO [--check] [NAME...].

For each program one `pimento compare`, without data; --check: with data, every answer checked against the interpreter,
elements of arrays as the host computes them (sram.mode=words). Prints cycles, energy, both over the first machine's,
what cycles were spent on and traffic of every machine, and checks that phases sum to the total, terms of energy to
theirs, and classes of traffic to the counts of flit-hops.
"""

import argparse
import concurrent.futures
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "figures"))
from infinity_stream_programs import MACHINES, PROGRAMS, SPENT, TRAFFIC, spent_of  # noqa: E402


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("pimento")
    parser.add_argument("names", nargs="*", default=PROGRAMS)
    parser.add_argument("--check", action="store_true", help="compute answers, and check them")
    parser.add_argument("--machines", default=",".join(MACHINES), help="machines, the first is what others are compared to")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="programs at a time")
    parser.add_argument("--json", help="file for all numbers")
    return parser.parse_args()


def problems_of(row):
    """What of a row does not add up."""
    found = []
    if sum(spent_of(row).values()) != row["total_cycles"]:
        found.append("phases do not sum to the total")
    parts = sum(c["pj"] for c in row["energy_components"].values())
    if not math.isclose(parts, row["energy_pj"], rel_tol=1e-9):
        found.append("energy's parts do not sum to the total")
    hops = [row["counts"][c] for c in ("control_hops", "data_hops", "offload_hops", "inter_tile_hops")]
    if hops != [row["traffic"][t] for t in TRAFFIC]:
        found.append("traffic is not that of the counts")
    return found


def main():
    args = arguments()
    machines, wrong, all_rows = args.machines.split(","), [], {}
    start = time.monotonic()
    print(f"{'program':15} {'machine':14} {'cycles':>14} {'speed':>6} {'energy':>8} {'eff.':>5}  "
          + " ".join(f"{s[:7]:>7}" for s in SPENT) + "   flit-hops")

    def compare(name):
        command = [args.pimento, "compare", name, "--targets", ",".join(machines), "--json", "--quiet"]
        command += ["--engine", "simulate", "--set", "sram.mode=words"] if args.check else ["--data", "none"]
        return subprocess.run(command, capture_output=True, text=True)

    programs = concurrent.futures.ThreadPoolExecutor(args.processes)
    for name, done in zip(args.names, programs.map(compare, args.names)):
        try:
            rows = json.loads(done.stdout)["rows"]
        except (json.JSONDecodeError, KeyError):
            wrong.append(f"{name}: {done.stderr.strip()[:300]}")
            continue
        all_rows[name] = rows
        for row in rows:
            if row.get("error"):
                wrong.append(f"{name} on {row['target']}: {row['error']}")
                continue
            wrong += [f"{name} on {row['target']}: {p}" for p in problems_of(row)]
            if args.check and not row["checked"]:
                wrong.append(f"{name} on {row['target']}: not checked: {row['why_unchecked']}")
            spent, total = spent_of(row), row["total_cycles"]
            first = rows[0] if not rows[0].get("error") else row
            print(f"{name:15} {row['target']:14} {total:14,} {first['total_cycles'] / total:6.2f} "
                  f"{row['energy_pj'] / 1e9:6.2f}mJ {first['energy_pj'] / row['energy_pj']:5.2f}  "
                  + " ".join(f"{100 * spent.get(s, 0) / total:6.1f}%" for s in SPENT)
                  + f"   {sum(row['traffic'][t] for t in TRAFFIC):,}", flush=True)
    print(f"{time.monotonic() - start:.0f} s")
    if args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(all_rows, out)
    if wrong:
        sys.exit("\n".join(wrong))


main()
