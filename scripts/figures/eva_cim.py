"""The figures of the Eva-CiM paper: its table of programs and its charts, each in four accounts.

As in comonm.py a figure is a pair of functions: `collect` runs the tool and gives numbers (kept in
docs/papers/eva-cim.json), `draw` makes of these a figure as `pimento report` takes it. All figures but Fig. 12 share the
runs of eva_cim_programs.py.
"""

import json
from pathlib import Path

import eva_cim_programs as programs
from comonm import Figure, Options  # noqa: F401  (what figures.py makes)
from eva_cim_programs import ACCOUNTS, RELEASE, USUAL
from tables import table

PUBLISHED = json.loads((Path(__file__).parent / "eva_cim_published.json").read_text(encoding="utf-8"))


def account(program, choice, name):
    return program["accounts"][" | ".join(choice)][name]


def collect(runner, options):
    if "programs" not in runner.results:
        runner.results["programs"] = json.dumps(programs.collect(runner, options))
    return json.loads(runner.results["programs"])


def chart(axis, series, bars):
    return {"axis": axis, "quantity": "plain", "series": series, "bars": bars}


def bars_of(result, series):
    """One bar for each program and series: (name, value of a program)."""
    return [{"label": n, "series": i, "value": value({**p, "name": n})} for n, p in result["programs"].items() for i, (_, value) in enumerate(series)]


# Table VI
# -----------------------------------------------------------------------------------------------------


def share(found):
    """Of the saved energy the processor's; of next to nothing it says nothing."""
    return f"{found['share_processor']:.2f}" if abs(found["energy_improvement"] - 1) > 0.01 else "–"


def draw_table6(result):
    rows, shares = [], []
    has_release = any(RELEASE in p["accounts"][" | ".join(USUAL)] for p in result["programs"].values())
    for name, p in result["programs"].items():
        theirs = PUBLISHED["table6"][name]
        ours = [account(p, USUAL, a) for a in ACCOUNTS]
        released = p["accounts"][" | ".join(USUAL)].get(RELEASE, {}).get("energy_improvement")
        rows.append([name, theirs[0], *(a["speedup"] for a in ours), theirs[1], *([released] * has_release), *(a["energy_improvement"] for a in ours)])
        low, again = ours[0], ours[2]
        shares.append([name, theirs[2], share(low), share(again), again["energy_improvement"]])
    columns = ["program", *((f"speed-up, {a}", "plain") for a in ("the paper's", *ACCOUNTS)),
               *((f"energy, {a}", "plain") for a in ("the paper's", *(["as released"] * has_release), *ACCOUNTS))]
    return {
        "about": "Speed-up and energy improvement of the 17 programs in four accounts, beside Table VI",
        "text": ["32 KB and 256 KB, both compute, SRAM; operands that lie elsewhere are brought near. The paper's formula with all of an "
                 "operation's latency (low) or what exceeds a read (high); the reshaped program simulated again on the same core; the same with "
                 "operations in no time (ideal)." + " As released: what the analyzer that the authors released counts, at the same prices; it has no time." * has_release],
        "chart": chart("speed-up", ["paper's table", *ACCOUNTS], bars_of(result, [
            ("paper's table", lambda p: PUBLISHED["table6"][p["name"]][0]), *((a, lambda p, a=a: account(p, USUAL, a)["speedup"]) for a in ACCOUNTS)])),
        "tables": [table("Table VI", columns, rows),
                   table("Share of the saved energy that is the processor's", ["program", ("the paper's", "plain"), "paper, low", "resimulated",
                                                                              ("energy, resimulated", "plain")], shares)],
    }


# Table V
# -----------------------------------------------------------------------------------------------------

SETS = ("destiny", "release-constants", "cacti7")
SHORT = 3000  # instructions, as in the paper


def lcs_of(runner, options):
    """(program and options, arguments) of LCS, or why it is not run."""
    missing = programs.toolchain.ISAS[programs.ISA].missing()
    if missing:
        return None, f"not run here: there is no {missing}"
    found = next(b for b in programs.BENCHMARKS if b.name == "lcs")
    return programs.command_of(found, runner.folder / "programs", options.is_quick), None


def collect_table5(runner, options):
    command, missing = lcs_of(runner, options)
    if missing:
        return {"partly_run": missing}
    program, arguments = command
    answer = runner.json("LCS-short", ["profile", *program, "--max-instructions", str(SHORT), "--arrays", ",".join(SETS), "--stdout", "/dev/null",
                                       "--quiet", "--", *arguments])
    found = {}
    for choice in answer["choices"]:
        terms = choice["accounts"]["release"]["energy_breakdown"]
        cim = sum(v for k, v in terms.items() if "_cim_" in k)
        found[choice["arrays"]] = {"cim": cim, "other": sum(terms.values()) - cim, "as it is": choice["energy_pj"]}
    return {"sets": found}


def draw_table5(result):
    if "sets" not in result:
        return {"about": "Table V", "text": [result["partly_run"]], "tables": []}
    rows = [[f"the paper's, by {who}", *PUBLISHED["table5"][who], None] for who in PUBLISHED["table5"]]
    rows += [[f"ours, {name}", *(s[k] / 1000 for k in ("cim", "other", "as it is"))] for name, s in result["sets"].items()]
    return {"about": "Energy of 3,000 instructions of LCS by whose numbers price the caches",
            "text": [f"The first {SHORT:,} instructions of the region, as the released analyzer counts them: operations of caches, and all that is left. "
                     "The paper states neither its trace nor what the two rows hold; its first one is four fifths of all."],
            "tables": [table("Table V", ["", ("CiM, nJ", "plain"), ("non-CiM, nJ", "plain"), ("as it is, nJ", "plain")], rows)]}


# Figs. 12 and 13
# -----------------------------------------------------------------------------------------------------


def collect_lcs(runner, options):
    command, missing = lcs_of(runner, options)
    if missing:
        return {"partly_run": missing}
    program, arguments = command
    answer = runner.json("LCS-1MB", ["profile", *program, "--target", "cim-inorder-1mb", "--stdout", "/dev/null", "--quiet", "--", *arguments])
    loads = {k: v for k, v in answer["lost"].items() if k.startswith("load_")}
    return {"reads": answer["reads"], "loads": loads, "counts": {k: answer["counts"][k] for k in ("loads", "stores")}}


def draw_lcs(result):
    if "reads" not in result:
        return {"about": "LCS", "text": [result["partly_run"]], "tables": []}
    reads, loads = result["reads"], result["loads"]
    all_loads = max(1, result["counts"]["loads"])
    feeding = reads["cc"] + loads["load_rejected"]
    rows = [["loads that a candidate makes (ours)", None, 100 * reads["cc"] / all_loads],
            ["loads whose value a supported operation uses as it is", PUBLISHED["fig12"]["eva_cim"], 100 * feeding / all_loads],
            ["Jain et al.", PUBLISHED["fig12"]["jain"], None]]
    return {"about": "LCS on an in-order core with 1 MB", "text": ["Classes of accesses: writes (WR), reads that stay (NC), reads that candidates make (CC)."],
            "tables": [table("Fig. 12", ["", ("paper", "percent"), ("ours", "percent")], rows),
                       table("Accesses", ["class", ("accesses", "count")], [["WR", reads["wr"]], ["NC", reads["nc"]], ["CC", reads["cc"]]])]}


def draw_macr(result):
    rows = []
    for name, p in result["programs"].items():
        kept = sorted(((n, why) for why, n in p["lost"].items() if not why.startswith("load_") and n), reverse=True)[:2]
        all_operations = max(1, p["operations"] + sum(n for why, n in p["lost"].items() if not why.startswith("load_")))
        rows.append([name, p["macr"], p["macr_l1"], 100 * p["operations"] / all_operations,
                     ", ".join(f"{why} ({100 * n / all_operations:.0f} %)" for n, why in kept)])
    return {"about": "Accesses that candidates replace (MACR)",
            "text": ["Loads and stores that candidates replace, over all; of those, at the first cache. Of the operations that caches have, the share "
                     "that moves, and the two reasons that keep most of the others: width (a byte or a pointer), register (an operand comes from "
                     "elsewhere than memory), flags, and so on."],
            "chart": chart("MACR", ["first cache", "behind it"], [
                {"label": n, "parts": [{"series": 0, "value": p["macr_l1"]}, {"series": 1, "value": p["macr"] - p["macr_l1"]}], "note": f"{p['macr']:.2f}"}
                for n, p in result["programs"].items()]),
            "tables": [table("Fig. 13", ["program", ("MACR", "plain"), ("at L1", "plain"), ("operations that move", "percent"), "what keeps the others"], rows)]}


# Figs. 14 to 16
# -----------------------------------------------------------------------------------------------------


def draw_choices(caption, about, choices, of="energy_improvement"):
    """The same number of several choices beside each other, by the paper's low account and simulated again."""

    def draw(result):
        rows = [[n, *(account(p, c, a)[of] for a in ("paper, low", "resimulated") for c in choices.values())] for n, p in result["programs"].items()]
        columns = ["program", *((f"{label}, {a}", "plain") for a in ("paper, low", "resimulated") for label in choices)]
        return {"about": about, "text": [about + ". Over the same caches without computing, in SRAM."],
                "chart": chart("energy improvement", list(choices), bars_of(result, [
                    (label, lambda p, c=c: account(p, c, "resimulated")[of]) for label, c in choices.items()])),
                "tables": [table(caption, columns, rows)]}

    return draw


BY_CACHES = {c: (c, "SRAM", "both") for c in programs.CACHES}
BY_LEVELS = {v: ("32 + 256 KB", "SRAM", v) for v in programs.LEVELS}
BY_CELLS = {c: ("32 + 256 KB", c, "both") for c in programs.CELLS}


def over_sram(program, choice, name, of):
    """Over SRAM that does not compute."""
    return account(program, USUAL, "as it is")[of] / account(program, choice, name)[of]


def draw_cells(result):
    columns = ["program", *((f"{c}, {a}", "plain") for a in ("paper, low", "resimulated") for c in BY_CELLS), ("FeFET, not computing", "plain")]

    def rows(of):
        return [[n, *(over_sram(p, c, a, of) for a in ("paper, low", "resimulated") for c in BY_CELLS.values()),
                 over_sram(p, BY_CELLS["FeFET"], "as it is", of)] for n, p in result["programs"].items()]

    return {"about": "Energy and time by the cells of the caches, over caches of SRAM that do not compute",
            "text": ["Over the same caches of SRAM that do not compute, as in the paper; the last column is FeFET that does not compute either. A write of "
                     "FeFET keeps its bank for 20 cycles."],
            "chart": chart("energy improvement over SRAM that does not compute", list(BY_CELLS), bars_of(result, [
                (label, lambda p, c=c: over_sram(p, c, "resimulated", "energy_pj")) for label, c in BY_CELLS.items()])),
            "tables": [table("Fig. 16, energy improvement", columns, rows("energy_pj")), table("Fig. 16, speed-up", columns, rows("cycles"))]}


# Trends
# -----------------------------------------------------------------------------------------------------


def span(values):
    values = [v for v in values if v is not None]
    return f"{min(values):.2f} to {max(values):.2f}" if values else "–"


def rank_correlation(xs, ys):
    """Spearman's, ties in order."""
    order = [{i: r for r, i in enumerate(sorted(range(len(v)), key=lambda i: v[i]))} for v in (xs, ys)]
    n = len(xs)
    return 1 - 6 * sum((order[0][i] - order[1][i]) ** 2 for i in range(n)) / (n * (n * n - 1)) if n > 1 else 0


def draw_trends(result):
    every = list(result["programs"].values())
    if not every:
        return {"about": "Trends", "text": [result.get("partly_run", "")], "tables": []}
    ranges = PUBLISHED["ranges"]

    def cells(of):
        return [of(a) for a in ACCOUNTS]

    def energies(choice, a):
        return [account(p, choice, a)["energy_improvement"] for p in every]

    def more(first, second, a):
        wins = sum(x > y for x, y in zip(energies(first, a), energies(second, a)))
        return f"{wins} of {len(every)}"

    macr = [p["macr"] for p in every]
    rows = [
        ["speed-up", f"{ranges['speedup'][0]} to {ranges['speedup'][1]}", *cells(lambda a: span([account(p, USUAL, a)["speedup"] for p in every]))],
        ["energy improvement", f"{ranges['energy'][0]} to {ranges['energy'][1]}", *cells(lambda a: span(energies(USUAL, a)))],
        ["processor's share of what is saved", f"{ranges['processor'][0]} to {ranges['processor'][1]}",
         *cells(lambda a: span([account(p, USUAL, a)["share_processor"] for p in every if abs(account(p, USUAL, a)["energy_improvement"] - 1) > 0.01]))],
        ["(i) programs with a high MACR gain more: rank correlation", "yes", *cells(lambda a: f"{rank_correlation(macr, energies(USUAL, a)):.2f}")],
        ["(ii) L1 alone better than L2 alone", "yes", *cells(lambda a: more(BY_LEVELS["L1 alone"], BY_LEVELS["L2 alone"], a))],
        ["(iii) 64 KB + 2 MB better than 32 + 256 KB", "most", *cells(lambda a: more(BY_CACHES["64 KB + 2 MB"], USUAL, a))],
        ["FeFET's improvement over SRAM's", "1.5 to 1.7", *cells(lambda a: span([over_sram(p, BY_CELLS["FeFET"], a, "energy_pj") / over_sram(p, USUAL, a, "energy_pj") for p in every]))],
    ]
    return {"about": "The paper's findings in each account",
            "text": ["Programs of which more than half of the accesses move (MACR above 0.5): "
                     + (", ".join(n for n, p in result["programs"].items() if p["macr"] > 0.5) or "none") + "."],
            "tables": [table("Findings", ["", "paper", *ACCOUNTS], rows)]}


FIGURES = {
    "table5": Figure("Table V: energy of a short trace", collect_table5, draw_table5),
    "table6": Figure("Table VI: speed-up and energy", collect, draw_table6),
    "fig12": Figure("Fig. 12: accesses of LCS", collect_lcs, draw_lcs),
    "fig13": Figure("Fig. 13: MACR", collect, draw_macr),
    "fig14": Figure("Fig. 14: sizes of caches", collect, draw_choices("Fig. 14", "Energy improvement by the sizes of the caches", BY_CACHES)),
    "fig15": Figure("Fig. 15: levels that compute", collect, draw_choices("Fig. 15", "Energy improvement by the levels that compute", BY_LEVELS)),
    "fig16": Figure("Fig. 16: cells", collect, draw_cells),
    "trends": Figure("Findings", collect, draw_trends),
}


def drawn(name, result):
    """A figure of a result, complete for `pimento report`."""
    figure = {"figure": name, "title": FIGURES[name].title, **FIGURES[name].draw(result), "command": f"make figures PAPER=eva-cim ONLY={name}"}
    figure["text"] = figure["text"] + ["This was a quick run; its numbers are not meaningful."] * bool(result.get("is_quick"))
    if result.get("partly_run"):
        figure["text"] = figure["text"] + [result["partly_run"]]
    return figure
