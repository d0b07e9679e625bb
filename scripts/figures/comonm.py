"""The figures of the CoMoNM paper: what is run for each, and how it is drawn beside what the authors report.

A figure is a pair of functions. `collect` runs the tool and gives the numbers (JSON, kept in docs/papers/comonm.json);
`draw` makes of these a figure as `pimento report` takes it (docs/reports.md). Drawing runs nothing, so that a test can say
whether the page shows what the numbers are.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from runner import NotRun
from tables import shown, table

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


# --- Figure 13: UPMEM against hardware


def collect_upmem(runner, _options):
    if not runner.points:
        raise NotRun("the measured rows are not part of the project; PIMENTO_POINTS names a folder that has them in "
                     "validation/upmem")
    suite = runner.json("upmem", ["validate", "upmem"])
    return {"simulated": errors(suite, UPMEM_KERNELS)}


def draw_upmem(result):
    theirs = PUBLISHED["upmem"]["kernels"]
    ours = result["simulated"]
    bars, rows = [], []
    for kernel in ours:
        e, paper = ours[kernel], theirs[kernel]
        bars += [error_bar(kernel, 0, e["mean"], e["worst"]),
                 error_bar(kernel, 1, paper["c"]["mean"], paper["c"]["worst"]),
                 error_bar(kernel, 2, paper["generated"]["mean"], paper["generated"]["worst"])]
        rows.append([kernel, e["rows"], e["mean"], e["worst"], e["within"], paper["rows"], paper["c"]["mean"],
                     paper["c"]["worst"], paper["generated"]["mean"], paper["generated"]["worst"]])
    columns = ["kernel", ("our rows", "count"), ("our mean", "percent"), ("our worst", "percent"),
               (f"within {WITHIN} %", "percent"), ("their rows", "count"), ("C path: mean", "percent"),
               ("worst", "percent"), ("generated path: mean", "percent"), ("worst ", "percent")]
    return {
        "title": "Figure 13: UPMEM, error against hardware",
        "about": "Mean absolute error against hardware of seven kernels: ours, and the paper's two paths",
        "text": [f"Absolute error of predicted against measured time of one DPU. Ours: `pimento validate upmem`, every "
                 f"cycle simulated, mean over all rows {shown(overall(ours), 'percent')}.",
                 f"Theirs: {PUBLISHED['upmem']['source']}. {PUBLISHED['upmem']['text']}"],
        "chart": {"axis": "absolute error", "quantity": "percent", "range": "whiskers: from the mean to the worst",
                  "series": ["Pimento", "CoMoNM, from C", "CoMoNM, generated"], "bars": bars},
        "tables": [table("Absolute error against hardware, per kernel", columns, rows)],
        "notes": ["Our rows are a part of the measurements that the authors published; their summary is over all of theirs."],
    }


# --- Figure 14: HBM-PIM against the vendor's simulator

HBM_PIM_KERNELS = ("gemv", "gemvtree", "va", "mul", "relu")


def collect_hbm_pim(runner, _options):
    suite = runner.json("hbm-pim", ["validate", "hbm-pim"])
    # The vendor's name of vector addition.
    suite["kernels"]["va"] = suite["kernels"].pop("add")
    return {"simulated": errors(suite, HBM_PIM_KERNELS)}


def draw_hbm_pim(result):
    theirs = PUBLISHED["hbm-pim"]["kernels"]
    bars, rows = [], []
    for kernel, e in result["simulated"].items():
        bars.append(error_bar(kernel, 0, e["mean"], e["worst"]))
        if kernel in theirs:
            bars.append(error_bar(kernel, 1, theirs[kernel]))
        rows.append([kernel, e["rows"], e["exact"], e["mean"], e["worst"], theirs.get(kernel)])
    columns = ["kernel", ("rows", "count"), ("exact", "count"), ("our mean", "percent"), ("our worst", "percent"),
               ("CoMoNM: mean", "percent")]
    return {
        "title": "Figure 14: HBM-PIM, error against the vendor's simulator",
        "about": "Mean absolute error against the vendor's simulator: ours, and the paper's",
        "text": ["Absolute error of our cycles against those of the vendor's public simulator, `pimento validate hbm-pim`.",
                 f"Theirs: {PUBLISHED['hbm-pim']['source']}. {PUBLISHED['hbm-pim']['text']}"],
        "chart": {"axis": "absolute error", "quantity": "percent", "range": "whiskers: from the mean to the worst",
                  "series": ["Pimento", "CoMoNM"], "bars": bars},
        "tables": [table("Absolute error against the vendor's simulator, per kernel", columns, rows)],
        "notes": [],
    }


# --- Table I: worst errors, share of good results, speed


def collect_table(runner, options):
    return collect_upmem(runner, options)


def draw_table(result):
    theirs = PUBLISHED["table"]
    ours = result["simulated"]
    rows = [[kernel, ours[kernel]["worst"], *(theirs["worst"][p][kernel] for p in ("c", "generated", "simulator")),
             ours[kernel]["within"], *(theirs["within"][p][kernel] for p in ("c", "generated", "simulator"))]
            for kernel in ours]
    columns = ["kernel", ("our worst", "percent"), ("CoMoNM from C", "percent"), ("generated", "percent"),
               ("vendor's simulator", "percent"), (f"ours within {WITHIN} %", "percent"), ("CoMoNM from C ", "percent"),
               ("generated ", "percent"), ("vendor's simulator ", "percent")]
    return {
        "title": "Table I: worst error, and share of runs within 15 %",
        "text": [f"Theirs: {PUBLISHED['table']['source']}."],
        "tables": [table("Worst error, and share of runs within 15 %, against hardware", columns, rows)],
        "notes": [],
    }


FIGURES = {
    "upmem": Figure("Figure 13", collect_upmem, draw_upmem),
    "hbm-pim": Figure("Figure 14", collect_hbm_pim, draw_hbm_pim),
    "table": Figure("Table I", collect_table, draw_table),
}


def drawn(name, result):
    """A figure of a result: complete for `pimento report`, also where it was not run."""
    if "not_run" in result:
        return {"figure": name, "title": FIGURES[name].title, "text": [f"Not run here: {result['not_run']}."],
                "command": f"make figures PAPER=comonm ONLY={name}"}
    figure = {"figure": name, **FIGURES[name].draw(result), "command": f"make figures PAPER=comonm ONLY={name}"}
    figure["text"] = figure["text"] + ["This was a quick run; its numbers mean nothing."] * bool(result.get("is_quick"))
    return figure
