#!/usr/bin/env python3
"""DCC's kernels at the optimum of the published machines (Figs. 8 to 10): the best draft of the published space, found by
`pimento tune`, against the study's baseline; harmonic means beside those of the paper's text.

usage: dcc_optima.py PIMENTO [--only NAME] [--check]
--check: fails where a mean is more than 2 % from the paper's.
"""

import argparse
import json
import subprocess
import sys

ATTACC, HBM_PIM = "attacc-published", "hbm-pim-hbm3-published"
SHAPES_3D = [(b, h, 128, l) for b in (1, 4) for h in (32, 64) for l in (512, 4096)]
SHAPES_2D = [(b, l) for b in (1, 2, 4) for l in (1024, 2048, 4096)]
EVALUATED = ["--map", "auto;program=published-evaluated"]

# (name, kernel, machine, further options, shapes, the paper's mean; None: it gives a range)
ROWS = [
    ("Fig. 8 GEMV", "bgemv", ATTACC, [], SHAPES_3D, 1.26),
    ("Fig. 8 ATTN", "attn", ATTACC, EVALUATED, SHAPES_3D, 1.23),
    ("Fig. 8 RED", "red", ATTACC, [], SHAPES_2D, 1.48),
    ("Fig. 9 GEMV", "bgemv", HBM_PIM, [], SHAPES_3D, 1.53),
    ("Fig. 9 RED", "red", HBM_PIM, [], SHAPES_2D, 2.09),
    ("Fig. 9 VA", "va", HBM_PIM, [], SHAPES_2D, 1.64),
    ("Fig. 9 RELU", "relu", HBM_PIM, [], SHAPES_2D, 1.54),
] + [(f"Fig. 10 AttAcc, batch {b}", "bgemv", ATTACC, [], [(b, 32, 128, l) for l in (512, 1024, 2048, 4096)],
      {1: 1.14, 8: 1.31}.get(b)) for b in (1, 2, 4, 8)
] + [(f"Fig. 10 HBM-PIM, batch {b}", "bgemv", HBM_PIM, [], [(b, 32, 128, l) for l in (512, 1024, 2048, 4096)],
      {1: 1.33, 8: 1.58}.get(b)) for b in (1, 2, 4, 8)]
# Printed beside the paper's, without a limit.
FREE = "Fig. 10 HBM-PIM"


def sizesOf(shape):
    names = ("batch", "heads", "dhead", "len") if len(shape) == 4 else ("batch", "n")
    return ",".join(f"{n}={v}" for n, v in zip(names, shape))


def tune(pimento, kernel, machine, options, shape):
    command = [pimento, "tune", kernel, "--size", sizesOf(shape), "--target", machine, "--space", "published", "--json",
               "--store", "none", "--quiet"] + options
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{run.stderr}")
    return json.loads(run.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pimento")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    print("| kernels | shapes | drafts | seconds | best over baseline, harmonic mean | paper | off |\n|---|---|---|---|---|---|---|")
    failed = False
    for name, kernel, machine, options, shapes, paper in ROWS:
        if args.only not in name:
            continue
        drafts, seconds, inverse, stops = 0, 0.0, 0.0, set()
        for shape in shapes:
            t = tune(args.pimento, kernel, machine, options, shape)
            drafts += t["drafts"]["all"]
            seconds += t["seconds"]
            stops.add(t["stop"])
            inverse += t["winner"]["total_cycles"] / t["reference"]["total_cycles"]
        mean = len(shapes) / inverse
        off = f"{100 * (mean / paper - 1):+.1f} %" if paper else ""
        print(f"| {name} | {len(shapes)} | {drafts:,} | {seconds:.1f} | {mean:.3f} | {paper or ''} | {off} |", flush=True)
        if stops != {"optimal"}:
            failed = True
            print(f"{name}: {stops}", file=sys.stderr)
        if paper and not name.startswith(FREE) and abs(mean / paper - 1) > 0.02:
            failed = True
    return 1 if args.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
