#!/usr/bin/env python3
"""What DCC's pruning rules keep and lose: the best mapping of random products with each rule against the best of all.

usage: dcc_rules.py PIMENTO [--count N] [--seed S]
"""

import argparse
import json
import random
import subprocess

RULES = ["1", "2", "3", "3-rounded", "1,2,3"]
MACHINES = ["attacc", "hbm-pim-hbm3", "aim", "hbm-pim"]


def kernel(rng):
    n = rng.randint
    return rng.choice([
        ("y[i] += A[i,j] * x[j]", {"i": n(1, 600), "j": n(1, 600)}),
        ("y[r,l] += K[r,l,d] * q[r,d]", {"r": n(1, 8), "l": n(1, 160), "d": n(1, 128)}),
        ("y[i] += A[i,j]", {"i": n(1, 128), "j": n(1, 800)}),
        ("y[i,b] += A[i,j] * x[j,b]", {"i": n(1, 100), "j": n(1, 100), "b": n(1, 4)}),
    ])


def tune(pimento, text, sizes, machine, channels, rules):
    command = [pimento, "tune", text, "--size", ",".join(f"{k}={v}" for k, v in sizes.items()), "--target", machine,
               "--set", f"channels={channels}", "--json", "--store", "none", "--quiet", "--no-check"]
    run = subprocess.run(command + (["--rules", rules] if rules else []), capture_output=True, text=True)
    return json.loads(run.stdout) if run.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pimento")
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    kernels, drafts = 0, 0
    kept = {r: 0 for r in RULES}
    slower = {r: [] for r in RULES}
    while kernels < args.count:
        text, sizes = kernel(rng)
        machine, channels = rng.choice(MACHINES), rng.choice([1, 2, 4])
        best = tune(args.pimento, text, sizes, machine, channels, None)
        if best is None:
            continue
        kernels += 1
        drafts += best["drafts"]["all"]
        for rules in RULES:
            t = tune(args.pimento, text, sizes, machine, channels, rules)
            left = t["drafts"]["all"] - t["drafts"]["rule1"] - t["drafts"]["rule2"] - t["drafts"]["rule3"] if t else 0
            kept[rules] += left
            slower[rules].append(t["winner"]["total_cycles"] / best["winner"]["total_cycles"] - 1 if t else float("inf"))
    print(f"{kernels} kernels, {drafts:,} drafts\n\n| rules | kept | kernels whose best is lost | mean loss of time | worst |\n|---|---|---|---|---|")
    for rules in RULES:
        lost = [s for s in slower[rules] if s > 0]
        mean = sum(slower[rules]) / kernels
        print(f"| {rules} | {100 * kept[rules] / drafts:.1f} % | {len(lost)} | {100 * mean:.2f} % | {100 * max(slower[rules]):.1f} % |")


if __name__ == "__main__":
    main()
