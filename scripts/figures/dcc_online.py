#!/usr/bin/env python3
"""DCC's Fig. 15: MT-NLG 310B on 8 GPUs answers batches of requests whose lengths nobody knew before. Online, a shape is tuned
when it first appears and kept; offline, all shapes are there already. Simulated times are equal; what differs is the processor
time of tuning, and how soon new shapes end.

usage: dcc_online.py PIMENTO [--batches 2000] [--requests 64] [--folder build/figures/dcc]
Writes FOLDER/fig15.csv (batch, prompt, output, simulated_ns, tuned_shapes, cpu_s) and prints a table. Takes 15 to 30 minutes of
processor time.
"""

import argparse
import contextlib
import json
import os
import random
import resource
import sqlite3
import subprocess
import sys
from pathlib import Path

LOWEST, HIGHEST = 128, 2048


def children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def kept(store):
    """Shapes whose tuning the store has."""
    if not Path(store).exists():
        return 0
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as db:
        return db.execute("select count(*) from problems").fetchone()[0]


def ask(pimento, store, prompt, output, requests):
    """(simulated ns of the batch, processor seconds of the call)."""
    command = [pimento, "llm", "mt-nlg-310b", "--gpus", "8", "--batch", str(requests), "--prompt", str(prompt), "--generate",
               str(output), "--schedule", "published-dcc-full", "--store", store, "--json", "--quiet"]
    before = children()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    answer = json.loads(done.stdout)
    simulated = answer["time_to_first_token_ns"] + answer["time_per_token_ns"] * (output - 1)
    return simulated, children() - before


def pass_over(args, batches, store, rows=None):
    """(simulated ns, processor seconds, shapes tuned, batch of the last of them)."""
    simulated, cpu, last, before = 0, 0, 0, kept(store)
    first = before
    for n, (prompt, output) in enumerate(batches, 1):
        ns, seconds = ask(args.pimento, store, prompt, output, args.requests)
        now = kept(store)
        simulated += ns
        cpu += seconds
        last = n if now > before else last
        if rows is not None:
            rows.append(f"{n},{prompt},{output},{ns:.0f},{now - before},{seconds:.3f}")
        before = now
    return simulated, cpu, before - first, last


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pimento")
    parser.add_argument("--batches", type=int, default=2000)
    parser.add_argument("--requests", type=int, default=64)
    parser.add_argument("--folder", default="build/figures/dcc")
    args = parser.parse_args()
    draw = random.Random(15)
    batches = [(draw.randint(LOWEST, HIGHEST), draw.randint(LOWEST, HIGHEST)) for _ in range(args.batches)]
    os.makedirs(args.folder, exist_ok=True)
    rows = ["batch,prompt,output,simulated_ns,tuned_shapes,cpu_s"]
    store = str(Path(args.folder) / "fig15.db")
    for file in Path(args.folder).glob("fig15.db*"):
        file.unlink()
    online, busy, tuned, last = pass_over(args, batches, store, rows)
    offline, idle, again, _ = pass_over(args, batches, store)
    tuning = busy - idle  # a call that finds everything takes time too
    failed = online != offline or again != 0
    print("| batches | shapes tuned | last new shape at batch | simulated, online | simulated, offline | equal | tuning, processor s | "
          "share it would add |\n|---|---|---|---|---|---|---|---|")
    print(f"| {len(batches)} | {tuned} | {last} | {online / 1e9:,.3f} s | {offline / 1e9:,.3f} s | {'no' if failed else 'yes'} | "
          f"{tuning:,.1f} | {100 * tuning / (online / 1e9):.3f} % |")
    (Path(args.folder) / "fig15.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
