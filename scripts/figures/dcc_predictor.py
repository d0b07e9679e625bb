#!/usr/bin/env python3
"""DCC's Table 4: how often the predictor finds the best draft of the published space, and what is lost where it does not.

`make figures PAPER=dcc ONLY=table4` draws it.

usage: dcc_predictor.py PIMENTO [--shapes N] [--folds N] [--only NAME] [--check]
The shapes are those of the study's figures and N random ones of each kernel (seed 1). They are split by shape: each is
tested with a predictor that was taught the other folds' shapes, all kernels and both machines in one model. The optimum
is that of exact tuning.
--check: fails where the mean regret of `predictor` is over 0.5 %, or training takes over 60 s.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from pathlib import Path

from dcc_optima import ATTACC, EVALUATED, HBM_PIM, SHAPES_2D, SHAPES_3D, sizesOf
from runner import Runner
from tables import table, to_markdown

# (name, kernel, machine, further options, the paper's: best found of total, performance where it was not)
ROWS = [
    ("AttAcc+ATTN", "attn", ATTACC, EVALUATED, "203/272", "97.04 %"),
    ("AttAcc+GEMV", "bgemv", ATTACC, [], "290/304", "97.01 %"),
    ("AttAcc+RED", "red", ATTACC, [], "155/167", "94.01 %"),
    ("HBM-PIM+GEMV", "bgemv", HBM_PIM, [], "265/304", "95.84 %"),
    ("HBM-PIM+RED", "red", HBM_PIM, [], "154/167", "96.43 %"),
    ("HBM-PIM+VA", "va", HBM_PIM, [], "158/167", "94.94 %"),
    ("HBM-PIM+RELU", "relu", HBM_PIM, [], "157/167", "94.48 %"),
]


def shapesOf(kernel, count):
    rng = random.Random(1)
    is3D = kernel in ("attn", "bgemv")
    shapes = list(SHAPES_3D if is3D else SHAPES_2D)
    while len(shapes) < count + (8 if is3D else 9):
        if is3D:
            shape = (rng.choice([1, 2, 4, 8]), rng.choice([8, 12, 16, 32, 40, 52, 64]), 128, 16 * rng.randint(8, 256))
        else:
            shape = (rng.choice([1, 2, 3, 4, 6, 8]), 16 * rng.randint(16, 512))
        if shape not in shapes:
            shapes.append(shape)
    random.Random(2).shuffle(shapes)
    return shapes


def quantile(values, q):
    values = sorted(values)
    return values[min(len(values) - 1, int(q * len(values)))]


def regretOf(values):
    """How often nothing was lost, and what was: percent of the optimum's cycles."""
    return {"best": sum(1 for v in values if v == 0), "mean": 100 * sum(values) / len(values), "p95": 100 * quantile(values, 0.95),
            "worst": 100 * max(values)}


def measured(ask, folder, rows, count, folds):
    """`ask(row, shape, more)` is the answer of `pimento tune`. Files of predictors go to `folder`."""
    shapes = {r[0]: shapesOf(r[1], count) for r in rows}
    best = {r[0]: {s: ask(r, s, [])["winner"]["total_cycles"] for s in shapes[r[0]]} for r in rows}
    regrets = {(r[0], engine): [] for r in rows for engine in ("predictor-only", "predictor")}
    scoring = {r[0]: [] for r in rows}
    training, drafts = [], []
    for fold in range(folds):
        model = os.path.join(folder, f"{fold}.predictor")
        seconds = taught = 0
        for r in rows:
            of = shapes[r[0]]
            teach = [o for i, s in enumerate(of) if i % folds != fold for o in ("--train", sizesOf(s))]
            t = ask(r, of[fold], ["--engine", "predictor-only", "--model", model] + teach)
            seconds += t["predictor"]["train_seconds"]
            taught = t["predictor"]["drafts"]
        training.append(seconds)
        drafts.append(taught)
        for r in rows:
            for i, s in enumerate(shapes[r[0]]):
                if i % folds != fold:
                    continue
                for engine in ("predictor-only", "predictor"):
                    t = ask(r, s, ["--engine", engine, "--model", model])
                    regrets[r[0], engine].append(t["winner"]["total_cycles"] / best[r[0]][s] - 1)
                    if engine == "predictor-only":
                        scoring[r[0]].append(t["seconds"])
    return {"folds": folds, "train_seconds": max(training), "drafts": max(drafts),
            "rows": [{"name": r[0], "shapes": len(shapes[r[0]]), "only": regretOf(regrets[r[0], "predictor-only"]),
                      "first": regretOf(regrets[r[0], "predictor"]), "score_seconds": sum(scoring[r[0]]) / len(scoring[r[0]]),
                      "paper_best": r[4], "paper_rest": r[5]} for r in rows]}


def asker(runner):
    """Predictors and answers are made anew: nothing comes from a store."""
    def ask(row, shape, more):
        command = ["tune", row[1], "--size", sizesOf(shape), "--target", row[2], "--space", "published", "--store", "none", "--quiet",
                   "--no-check", *row[3], *more]
        return json.loads(runner.run([*command, "--json"]).stdout)

    return ask


def collect(runner, options):
    """For figures.py."""
    rows, (count, folds) = ROWS[3:4] if options.is_quick else ROWS, (0, 2) if options.is_quick else (30, 4)
    with tempfile.TemporaryDirectory() as folder:
        return measured(asker(runner), folder, rows, count, folds)


def draw(result):
    rows = [[r["name"], r["shapes"], r["only"]["best"], r["only"]["mean"], r["only"]["p95"], r["only"]["worst"], r["first"]["best"],
             r["first"]["mean"], r["paper_best"], r["paper_rest"], r["score_seconds"]] for r in result["rows"]]
    bars = []
    for r in result["rows"]:
        found, total = map(int, r["paper_best"].split("/"))
        for series, value in enumerate((100 * found / total, 100 * r["only"]["best"] / r["shapes"])):
            bars.append({"label": r["name"], "note": f"{value:.0f} %", "series": series, "value": value})
    return {
        "about": "How often a predictor finds the best draft of shapes that it was not taught",
        "text": [f"Shapes of Figs. 8 to 10 and random ones, {result['folds']} folds by shape: each is asked of a predictor that was taught the other "
                 f"folds' shapes, {result['drafts']:,} drafts at most. Regret is what the chosen draft takes beyond the optimum. "
                 "`predictor-only` runs nothing; `predictor` runs the drafts that it finds promising."],
        "chart": {"axis": "shapes whose best draft was found without running any", "quantity": "percent", "series": ["paper", "ours"], "bars": bars},
        "tables": [table("Table 4", ["kernel", ("shapes", "count"), ("predictor-only: best found", "count"), ("regret, mean", "percent"),
                                     ("95th percentile", "percent"), ("worst", "percent"), ("predictor: best found", "count"),
                                     ("regret, mean", "percent"), "paper: best found", "paper: performance where not",
                                     ("seconds to score", "plain")], rows)],
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pimento")
    parser.add_argument("--shapes", type=int, default=30)
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measured(asker(Runner(args.pimento, Path(folder), is_quiet=True)), folder, [r for r in ROWS if args.only in r[0]],
                          args.shapes, args.folds)
    print(f"{args.folds} folds; training of one: at most {result['train_seconds']:.1f} s, {result['drafts']:,} drafts\n")
    print(to_markdown(draw(result)["tables"][0]))
    failed = result["train_seconds"] > 60 or any(r["first"]["mean"] > 0.5 for r in result["rows"])
    return 1 if args.check and failed else 0


if __name__ == "__main__":
    sys.exit(main())
