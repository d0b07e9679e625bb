"""The figures of the CoMoNM paper: what is run for each, and how it is drawn beside what the authors report.

A figure is a pair of functions. `collect` runs the tool and gives the numbers (JSON, kept in docs/papers/comonm.json);
`draw` makes of these a figure as `pimento report` takes it (docs/reports.md). Drawing runs nothing, so that a test can say
whether the page shows what the numbers are.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

import comonm_exploration
import comonm_what_ifs
from tables import shown, table

SOURCE = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((Path(__file__).parent / "comonm_published.json").read_text(encoding="utf-8"))
UPMEM_KERNELS = ("va", "red", "scan", "hst", "sel", "gemv", "gemm")
WITHIN = 15  # percent: what the paper calls a good result


@dataclass
class Options:
    """How much is run. Quick runs are for tests; their numbers never go into the page."""

    count: int = 1024
    seed: int = 1
    is_quick: bool = False


@dataclass
class Figure:
    title: str
    collect: Callable
    draw: Callable


def merged(suites):
    """One line of errors of several, by their numbers of rows."""
    rows = sum(s["rows"] for s in suites)
    return {
        "rows": rows,
        "exact": sum(s["exact"] for s in suites),
        "mean": sum(s["rows"] * s["mean_abs_error_pct"] for s in suites) / rows,
        "worst": max(s["worst_abs_error_pct"] for s in suites),
        "within": sum(s["rows"] * s["within_15_pct"] for s in suites) / rows,
        "seconds": sum(s.get("seconds", 0) for s in suites),
    }


def errors(suite, kernels):
    """{kernel: errors}; `gemv` is all of `gemv_1tasklet:gemv`, ... ."""
    found = {}
    for kernel in kernels:
        of_kernel = [v for k, v in suite["kernels"].items() if k.rpartition(":")[2] == kernel]
        if of_kernel:
            found[kernel] = merged(of_kernel)
    return found


def overall(by_kernel):
    """The mean over all rows."""
    rows = sum(e["rows"] for e in by_kernel.values())
    return sum(e["rows"] * e["mean"] for e in by_kernel.values()) / rows if rows else 0


def error_bar(label, series, mean, worst=None):
    bar = {"label": label, "note": shown(mean, "percent"), "series": series, "value": mean}
    if worst is not None and worst > mean:
        bar |= {"low": mean, "high": worst, "note": f"{shown(mean, 'percent')}, worst {shown(worst, 'percent')}"}
    return bar


ENGINES = {"simulated": "simulate", "fast_forward": "fast-forward", "two_slice": "two-slice"}


def by_engine(runner, suite, kernels, points=None, rename=None):
    """{engine: {kernel: errors}} of a suite of reference points, or of one file of them."""
    found = {}
    for key, engine in ENGINES.items():
        arguments = ["validate", suite, "--engine", engine] + (["--points", str(points)] if points else [])
        result = runner.json(f"{suite}-{engine}", arguments)
        for old, new in (rename or {}).items():
            if old in result["kernels"]:
                result["kernels"][new] = result["kernels"].pop(old)
        found[key] = errors(result, kernels)
    return found


def engines_table(caption, result):
    """What simulation, fast-forward and the paper's two slices are off, and how long they take."""
    columns = ["kernel", ("rows", "count")]
    for name in ("simulation", "fast-forward", "two slices"):
        columns += [(f"{name}: mean", "percent"), ("worst", "percent"), ("seconds", "plain")]
    rows = []
    for kernel, simulated in result["simulated"].items():
        row = [kernel, simulated["rows"]]
        for key in ENGINES:
            e = result[key][kernel]
            row += [e["mean"], e["worst"], float(f"{e['seconds']:.2g}")]
        rows.append(row)
    return table(caption, columns, rows)


def random_mappings(runner, target, options):
    """{kernel: numbers} of random mappings, each simulated, fast-forwarded and extrapolated."""
    result = runner.json(f"mappings-{target}", ["validate", "mappings", "--target", target, "--count", str(options.count),
                                                "--seed", str(options.seed), *(["--kernels", "va"] if options.is_quick else [])])
    found = {}
    for kernel, numbers in result["kernels"].items():
        found[kernel] = {"mappings": numbers["mappings"], "distinct": numbers["distinct"],
                         "simulation_seconds": numbers["simulation_seconds"], "device_seconds": numbers["device_seconds"]}
        for engine in ("fast_forward", "two_slice"):
            e = numbers[engine]
            found[kernel][engine] = {"mean": e["mean_abs_error_pct"], "worst": e["worst_abs_error_pct"],
                                     "within": e["within_15_pct"], "simulated": e["simulated"], "sampled": e["sampled"],
                                     "seconds": e["seconds"]}
    return found


def mappings_tables(result):
    if "mappings" not in result:
        return []
    columns = ["kernel", ("mappings", "count"), ("distinct", "count"), ("fast-forward: mean", "percent"),
               ("worst", "percent"), ("two slices: mean", "percent"), ("worst", "percent"),
               (f"within {WITHIN} %", "percent"), ("fast-forward without skipping", "count"),
               ("two slices without extrapolation", "count")]
    rows = [[k, m["mappings"], m["distinct"], m["fast_forward"]["mean"], m["fast_forward"]["worst"],
             m["two_slice"]["mean"], m["two_slice"]["worst"], m["two_slice"]["within"], m["fast_forward"]["simulated"],
             m["two_slice"]["simulated"]]
            for k, m in result["mappings"].items()]
    return [table("Random mappings: absolute error against simulation, command by command", columns, rows)]


def speed_tables(result):
    """How long the machine itself takes, over how long the estimate takes: below 1 the machine is faster."""
    if "mappings" not in result:
        return []
    theirs = PUBLISHED["table"]["speed"]
    columns = ["kernel", ("Pimento, fast-forward", "plain"), ("Pimento, two slices", "plain"),
               ("Pimento, simulation", "plain"), ("CoMoNM, from C", "plain"), ("CoMoNM, generated", "plain"),
               ("vendor's functional simulator", "plain")]

    def ratio(device, seconds):
        return float(f"{device / seconds:.2g}") if seconds else None

    rows = []
    for kernel, m in result["mappings"].items():
        device = m["device_seconds"]
        rows.append([kernel, *(ratio(device, s) for s in (m["fast_forward"]["seconds"], m["two_slice"]["seconds"],
                                                          m["simulation_seconds"])),
                     *(theirs[p].get(kernel) for p in ("c", "generated", "simulator"))])
    return [table("Time on the machine over time of the estimate, on random mappings", columns, rows)]


# --- Figure 13: UPMEM against hardware


NO_ROWS = ("the measured rows, which are not part of the project; PIMENTO_POINTS names a folder that has them in "
           "validation/upmem")


def collect_upmem(runner, options):
    rows = by_engine(runner, "upmem", UPMEM_KERNELS) if runner.points else {"partly_run": NO_ROWS}
    return rows | {"mappings": random_mappings(runner, "upmem", options)}


def draw_upmem(result):
    title = "Figure 13: UPMEM, error against hardware"
    if "partly_run" in result:
        return {"title": title, "text": [f"Not run here: {NO_ROWS}."], "tables": mappings_tables(result)}
    theirs = PUBLISHED["upmem"]["kernels"]
    ours, two = result["simulated"], result["two_slice"]
    bars, rows = [], []
    for kernel in ours:
        e, t, paper = ours[kernel], two[kernel], theirs[kernel]
        bars += [error_bar(kernel, 0, e["mean"], e["worst"]), error_bar("", 1, t["mean"], t["worst"]),
                 error_bar("", 2, paper["c"]["mean"], paper["c"]["worst"]),
                 error_bar("", 3, paper["generated"]["mean"], paper["generated"]["worst"])]
        rows.append([kernel, e["rows"], e["mean"], e["worst"], e["within"], paper["rows"], paper["c"]["mean"],
                     paper["c"]["worst"], paper["generated"]["mean"], paper["generated"]["worst"]])
    columns = ["kernel", ("our rows", "count"), ("our mean", "percent"), ("our worst", "percent"),
               (f"within {WITHIN} %", "percent"), ("their rows", "count"), ("C path: mean", "percent"),
               ("worst", "percent"), ("generated path: mean", "percent"), ("worst", "percent")]
    return {
        "title": title,
        "about": "Mean absolute error against hardware of seven kernels: ours, and the paper's two paths",
        "text": [f"Absolute error of predicted against measured time of one DPU. Ours: `pimento validate upmem`, every "
                 f"cycle simulated, mean over all rows {shown(overall(ours), 'percent')}; with the paper's own "
                 f"extrapolation, `--engine two-slice`, {shown(overall(two), 'percent')}.",
                 f"Theirs: {PUBLISHED['upmem']['source']}. {PUBLISHED['upmem']['text']}"],
        "chart": {"axis": "absolute error", "quantity": "percent", "range": "whiskers: from the mean to the worst",
                  "series": ["Pimento", "Pimento, two slices", "CoMoNM, from C", "CoMoNM, generated"], "bars": bars},
        "tables": [table("Absolute error against hardware, ours and theirs", columns, rows),
                   engines_table("Absolute error against hardware by engine; seconds are measured, all rows together", result),
                   *mappings_tables(result)],
        "notes": ["Our rows are a subset of the measurements that the authors published; their summary covers all of them."],
    }


# --- Figure 14: HBM-PIM against the vendor's simulator

HBM_PIM_KERNELS = ("gemv", "gemvtree", "va", "mul", "relu")


def collect_hbm_pim(runner, options):
    points = SOURCE / "validation/hbm-pim/add.csv" if options.is_quick else None
    # "add" is the vendor's name of vector addition.
    rows = by_engine(runner, "hbm-pim", HBM_PIM_KERNELS, points, rename={"add": "va"})
    return rows | {"mappings": random_mappings(runner, "hbm-pim", options)}


def draw_hbm_pim(result):
    theirs = PUBLISHED["hbm-pim"]["kernels"]
    bars, rows = [], []
    for kernel, e in result["simulated"].items():
        t = result["two_slice"][kernel]
        bars += [error_bar(kernel, 0, e["mean"], e["worst"]), error_bar("", 1, t["mean"], t["worst"])]
        if kernel in theirs:
            bars.append(error_bar("", 2, theirs[kernel]))
        rows.append([kernel, e["rows"], e["exact"], e["mean"], e["worst"], theirs.get(kernel)])
    columns = ["kernel", ("rows", "count"), ("exact", "count"), ("our mean", "percent"), ("our worst", "percent"),
               ("CoMoNM: mean", "percent")]
    return {
        "title": "Figure 14: HBM-PIM, error against the vendor's simulator",
        "about": "Mean absolute error against the vendor's simulator: ours, and the paper's",
        "text": ["Absolute error of our cycles against those of the vendor's public simulator, `pimento validate hbm-pim`.",
                 f"Theirs: {PUBLISHED['hbm-pim']['source']}. {PUBLISHED['hbm-pim']['text']}"],
        "chart": {"axis": "absolute error", "quantity": "percent", "range": "whiskers: from the mean to the worst",
                  "series": ["Pimento", "Pimento, two slices", "CoMoNM"], "bars": bars},
        "tables": [table("Absolute error against the vendor's simulator, ours and theirs", columns, rows),
                   engines_table("Absolute error against the vendor's simulator by engine; seconds are measured, all rows "
                                 "together", result),
                   *mappings_tables(result)],
        "notes": [],
    }


# --- Table I: worst errors, share of good results, speed


def collect_table(runner, options):
    return collect_upmem(runner, options)


def compared(metric, ours, two):
    """Kernels as rows: ours, two slices, and the paper's three."""
    columns = ["kernel", ("Pimento", "percent"), ("Pimento, two slices", "percent"), ("CoMoNM, from C", "percent"),
               ("CoMoNM, generated", "percent"), ("vendor's functional simulator", "percent")]
    theirs = PUBLISHED["table"][metric]
    rows = [[k, ours[k][metric], two[k][metric], *(theirs[p][k] for p in ("c", "generated", "simulator"))] for k in ours]
    return columns, rows


def draw_table(result):
    title = "Table I: worst error, share of good results, speed"
    if "partly_run" in result:
        return {"title": title, "text": [f"Not run here: {NO_ROWS}."], "tables": speed_tables(result)}
    ours, two = result["simulated"], result["two_slice"]
    return {
        "title": title,
        "text": [f"Theirs: {PUBLISHED['table']['source']}."],
        "tables": [table("Worst absolute error against hardware", *compared("worst", ours, two)),
                   table(f"Share of runs within {WITHIN} % of hardware", *compared("within", ours, two)),
                   *speed_tables(result)],
        "notes": [],
    }


FIGURES = {
    "upmem": Figure("Figure 13", collect_upmem, draw_upmem),
    "hbm-pim": Figure("Figure 14", collect_hbm_pim, draw_hbm_pim),
    "table": Figure("Table I", collect_table, draw_table),
    "what-ifs": Figure("Figure 15", comonm_what_ifs.collect,
                       lambda result: comonm_what_ifs.draw(result, PUBLISHED["what-ifs"])),
    "exploration": Figure("Figure 16", comonm_exploration.collect,
                          lambda result: comonm_exploration.draw(result, PUBLISHED["exploration"])),
}


def drawn(name, result):
    """A figure of a result: complete for `pimento report`, also where it was not run."""
    figure = {"figure": name, **FIGURES[name].draw(result), "command": f"make figures PAPER=comonm ONLY={name}"}
    figure["text"] = figure["text"] + ["This was a quick run; its numbers are not meaningful."] * bool(result.get("is_quick"))
    return figure
