"""DCC's Fig. 15: tuning shapes when they appear against tuning them before, for attention of MT-NLG-310B.

A query is a batch of 64 requests with one prompt and one output length, both drawn from 128 to 2,048. Its steps attend to one
position more each; a device tunes every length that it has not met, rounded up to 16. Offline tunes the same lengths first.
Offline answers come from the store that online filled.
"""

import random

from dcc_optima import EVALUATED
from tables import table

LAYERS, HEADS, GPUS, DEVICES, BATCH = 96, 128, 8, 5, 64
STEP = 16
MARKS = (10, 160)  # queries after which the lengths that were met are noted
ENGINES = ("exact", "predictor", "predictor-only")


def queries(count, seed, longest):
    rng = random.Random(seed)
    return [(rng.randint(128, longest), rng.randint(128, longest)) for _ in range(count)]


def steps(query):
    """{length of attention, rounded up: how many steps have it}."""
    prompt, output = query
    found = {}
    for length in range(prompt + 1, prompt + output):
        rounded = -(-length // STEP) * STEP
        found[rounded] = found.get(rounded, 0) + 1
    return found


def replayed(asked, tuned):
    """Queries in order: simulated time with what was tuned, apart the tuning of lengths that are new."""
    known, online, offline, spent, last, met = set(), 0.0, 0.0, [], 0, {}
    for number, query in enumerate(asked, 1):
        of = steps(query)
        new = set(of) - known
        known |= new
        last = number if new else last
        if number in MARKS:
            met[str(number)] = len(known)
        spent.append(sum(tuned[n]["tune_seconds"] for n in sorted(new)))
        online += sum(times * tuned[n]["ns"] for n, times in of.items())
        offline += sum(times * tuned[n]["stored_ns"] for n, times in of.items())
    total, so_far, most = sum(spent), 0.0, 0
    for number, seconds in enumerate(spent, 1):
        so_far += seconds
        if so_far >= 0.99 * total:
            most = number
            break
    return {"lengths": len(known), "online_ns": LAYERS * online, "offline_ns": LAYERS * offline, "tune_seconds": total, "last_new": last,
            "most_spent": most, "met": met}


def collect(runner, options):
    count, longest, heads = (3, 140, 13) if options.is_quick else (2000, 2048, -(-HEADS * BATCH // (GPUS * DEVICES)))
    asked = queries(count, options.seed, longest)
    lengths = sorted({n for q in asked for n in steps(q)})
    result = {"queries": count, "heads": heads}
    for engine in ENGINES[: 1 if options.is_quick else None]:
        tuned, store, model = {}, runner.folder / f"online-{engine}.db", runner.folder / f"online-{engine}.predictor"
        for old in (store, model):
            old.unlink(missing_ok=True)
        more = ["--engine", engine, "--store", str(store), *(["--model", str(model)] if engine != "exact" else [])]
        for length in lengths:
            ask = ["tune", "attn", "--size", f"batch=1,heads={heads},dhead=128,len={length}", "--target", "attacc-published", "--space", "published",
                   "--map", EVALUATED[1] + ";mode=inference", "--no-check", "--jobs", "1", "--quiet", *more]
            first, seconds = runner.json(f"online-{engine}-{length}", ask), runner.last_seconds
            again = runner.json(f"offline-{engine}-{length}", ask)
            tuned[length] = {"ns": first["winner"]["time_ns"], "stored_ns": again["winner"]["time_ns"], "tune_seconds": seconds}
        result[engine] = replayed(asked, tuned)
    return result


def draw(result):
    rows, bars = [], []
    for engine in ENGINES:
        if engine not in result:
            continue
        r = result[engine]
        share = 100 * 1e9 * r["tune_seconds"] / r["online_ns"]
        worse = 100 * (r["online_ns"] / result["exact"]["online_ns"] - 1)
        rows.append([engine, r["lengths"], r["offline_ns"], r["online_ns"], worse, r["tune_seconds"], share,
                     *(r["met"].get(str(n)) for n in MARKS), r["most_spent"], r["last_new"]])
        bars.append({"label": engine, "note": f"{r['last_new']}", "series": 1, "value": r["last_new"]})
    bars.insert(0, {"label": "paper", "note": "about 160", "series": 0, "value": 160})
    return {
        "about": "Tuning when a shape appears against tuning before: attention of MT-NLG-310B on AttAcc",
        "text": [f"{result['queries']:,} batches of {BATCH}, prompt and output of 128 to 2,048 tokens each, {result['heads']} heads per device. The paper "
                 "says that online and offline are alike after about 160 queries. Seconds are processor time; those of a predictor include "
                 "its training."],
        "chart": {"axis": "queries until nothing new appears", "quantity": "count", "series": ["paper", "ours"], "bars": bars},
        "tables": [table("Fig. 15", ["engine", ("lengths", "count"), ("attention in all, offline", "ns"), ("online", "ns"),
                                     ("slower than exact", "percent"), ("tuning, s", "plain"), ("tuning over attention", "percent"),
                                     *((f"lengths after {n} queries", "count") for n in MARKS),
                                     ("queries until 99 % of tuning", "count"), ("query of the last new length", "count")], rows)],
    }
