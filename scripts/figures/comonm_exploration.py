"""Figure 16 of the CoMoNM paper: every mapping of kernels on 4, 8 and 16 DIMMs.

The iteration spaces are those of the CINM compiler's evaluation, which the paper uses; where that has several per kernel,
the one for 4 DIMMs, so that times on 4, 8 and 16 DIMMs can be compared. Mappings use all DPUs of the machine; for va there
is also the space of every split, which may leave DPUs idle, since the paper does not say which it means. Times are those of
the device kernel, without transfers from and to the host, which the paper leaves out as well.
"""

from dataclasses import dataclass

from tables import table

DIMMS = (4, 8, 16)
RANKS_PER_DIMM = 2
DPUS_PER_DIMM = 128
NS_PER_CYCLE = 1 / 0.35


@dataclass
class Space:
    kernel: str
    size: str
    quick: str = ""
    data: str = ""  # where values decide the time: one value for all, so that times are exact
    every_split: bool = False  # over ranks, DPUs and tasklets, DPUs may be left without work; else all DPUs are used
    check: str = ""  # data to check the best mapping on; empty: random


SPACES = {
    "va": Space("va", "n=16777216", quick="n=4096"),
    "va, every split": Space("va", "n=16777216", every_split=True),
    "red": Space("red", "n=8388608"),
    "sel": Space("sel", "n=2097152"),
    "hst": Space("hst", "n=4194304"),
    "mv": Space("gemv", "m=4096,n=2048", data="const:3"),
    "mm, 2mm, 3mm": Space("gemm", "m=8,n=1024,k=256", data="const:3"),
    "mm, 16 rows": Space("gemm", "m=16,n=1024,k=128", data="const:3"),
    "conv": Space("gemm", "m=25088,n=16,k=256", data="const:3", check="const:3"),
    "conv, 64 filters": Space("gemm", "m=6272,n=64,k=256", data="const:3", check="const:3"),
    "mlp": Space("gemm", "m=16,n=64,k=512", data="const:3"),
    "mlp, one row": Space("gemm", "m=1,n=1024,k=512", data="const:3"),
}
TIMED = ("estimated", "equal")


def explored(runner, name, space, dimms, options):
    """Times of all mappings, and the best one run on data."""
    slug = name.replace(", ", "-").replace(" ", "-")
    ranks, dpus, size = dimms * RANKS_PER_DIMM, dimms * DPUS_PER_DIMM, space.size
    if options.is_quick:
        dpus, size = dimms, space.quick
    machine = ["--target", "upmem", "--dtype", "i32", "--size", size, "--set", f"ranks={ranks}"]
    which = ["--space", "factors"] if space.every_split else ["--map", f"auto;dpus={dpus}"]
    command = ["explore", space.kernel, *machine, *which, "--no-bounds", "--no-check",
               *(["--data", space.data] if space.data else [])]
    result = runner.json(f"explore-{slug}-{dimms}", command)
    columns = {c: i for i, c in enumerate(result["columns"])}
    timed = [(row[columns["cycles"]], row[columns["mapping"]]) for row in result["rows"]
             if row[columns["how"]] in TIMED and row[columns["cycles"]] is not None]
    if not timed:
        return {"space": result["space"], "explored": result["explored"], "times": [], "best": None, "seconds": result["seconds"],
                "command": runner.command(command)}
    cycles, mapping = min(timed)
    check = runner.json(f"best-{slug}-{dimms}", ["simulate", space.kernel, *machine, "--map", mapping,
                                                  *(["--data", space.check] if space.check else [])])
    return {"space": result["space"], "explored": result["explored"], "times": sorted(t for t, _ in timed),
            "best": {"mapping": mapping, "cycles": cycles, "checked": check["checked"]},
            "seconds": result["seconds"], "command": runner.command(command)}


def share_above(times, limit):
    """Percent of `times` that are longer."""
    return 100 * sum(t > limit for t in times) / len(times) if times else None


def collect(runner, options):
    found = {}
    for name, space in SPACES.items():
        if options.is_quick and not space.quick:
            continue
        found[name] = {str(d): explored(runner, name, space, d, options) for d in DIMMS}
    return {"kernels": {name: summary(by_dimms) for name, by_dimms in found.items()},
            "times": {name: {d: e["times"] for d, e in by_dimms.items()} for name, by_dimms in found.items()}}


def summary(by_dimms):
    """What the page keeps of all times: counts, ends and the median, and what is worse than the best of fewer DIMMs."""
    out = {}
    for d, e in by_dimms.items():
        times = e["times"]
        out[d] = {k: v for k, v in e.items() if k != "times"} | {"timed": len(times)}
        if times:
            out[d] |= {"median": times[len(times) // 2], "worst": times[-1]}
            out[d]["worse_than_best_of"] = {other: share_above(times, by_dimms[other]["best"]["cycles"])
                                            for other in by_dimms if int(other) < int(d) and by_dimms[other]["best"]}
    return out


def draw(result, published):
    rows, worse, spread = [], [], []
    theirs = published["worse_than_best"]
    for name, by_dimms in result["kernels"].items():
        space = SPACES[name]
        for d, e in by_dimms.items():
            best = e["best"] or {}
            ns = [c * NS_PER_CYCLE if c is not None else None for c in (best.get("cycles"), e.get("median"), e.get("worst"))]
            rows.append([f"{name} ({space.kernel} {space.size})", int(d), e["space"], e["timed"], *ns, best.get("mapping"),
                         {True: "yes", False: "no", None: None}[best.get("checked")]])
        paper = theirs.get(space.kernel, {})
        cells = [by_dimms[d].get("worse_than_best_of", {}).get(o) for d, o in (("8", "4"), ("16", "4"), ("16", "8"))]
        worse.append([name, *cells, paper.get("16_than_4"), paper.get("16_than_8")])
        times = result.get("times", {}).get(name, {})
        base = (by_dimms[str(DIMMS[0])]["best"] or {}).get("cycles")
        for i, (d, values) in enumerate(times.items() if base else ()):
            note = by_dimms[d].get("worse_than_best_of", {}).get(str(DIMMS[0]))
            spread.append({"label": f"{name}, {d} DIMMs", "note": "" if note is None else f"{note:.0f} % worse", "series": i,
                           "values": [v / base for v in values]})
    columns = ["kernel", ("DIMMs", "count"), ("mappings in the space", "count"), ("timed", "count"), ("best", "ns"),
               ("median", "ns"), ("worst", "ns"), "the best", "answer checked"]
    figure = {
        "title": "Figure 16: every mapping on 4, 8 and 16 DIMMs",
        "about": "Histograms of the times of all mappings of each kernel on 4, 8 and 16 DIMMs, over the best on 4 DIMMs",
        "text": ["Times of the device kernel under every mapping that uses all DPUs of 4, 8 and 16 DIMMs; for va also under "
                 "every split over ranks, DPUs and tasklets, which may leave DPUs idle. Mappings that do not fit "
                 "have no time. The best was run on data (random ones; for conv constant ones), and its answer compared with "
                 "the interpreter's.",
                 f"Theirs: {published['source']}."],
        "tables": [table("Mappings that are worse than the best one on fewer DIMMs",
                         ["kernel", ("on 8, than on 4", "percent"), ("on 16, than on 4", "percent"),
                          ("on 16, than on 8", "percent"), ("the paper's: on 16, than on 4", "percent"),
                          ("the paper's: on 16, than on 8", "percent")], worse),
                   table("All mappings", columns, rows)],
        "notes": [],
    }
    if spread:
        figure["chart"] = {"axis": "time over the best on 4 DIMMs", "quantity": "plain", "line": 1,
                           "line_name": "the best mapping on 4 DIMMs", "series": [f"{d} DIMMs" for d in DIMMS],
                           "spread": spread}
    return figure
