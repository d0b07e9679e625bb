"""The figures of the Infinity Stream paper: what is run for each, and how it is drawn beside what the paper's text says.

As in comonm.py a figure is a pair of functions: `collect` runs the tool and gives numbers (kept in
docs/papers/infinity-stream.json), `draw` makes of these a figure as `pimento report` takes it. Means over programs are
geometric, those of shares arithmetic, over the paper's ten bars: of mm, kmeans and gather_mlp each machine has its faster
dataflow. PointNet++ is in infinity_stream_pointnet.py, what numbers hang on in infinity_stream_what_ifs.py.
"""

import concurrent.futures
import json
import os
from pathlib import Path

import infinity_stream_pointnet as pointnet
import infinity_stream_what_ifs as what_ifs
from comonm import Figure, Options  # noqa: F401  (what figures.py makes)
from infinity_stream_programs import (BARS, LABELS, LINKS, MACHINES, PROGRAMS, SPENT, TRAFFIC, bar_of, bars_of, geomean, mean_of,
                                      programs, spent_share, with_heuristic)
from tables import off, table

SOURCE = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((Path(__file__).parent / "infinity_stream_published.json").read_text(encoding="utf-8"))


def beside(name, theirs, ours):
    return [name, theirs, ours, off(ours, theirs)]


BESIDE = ["", ("paper", "plain"), ("ours", "plain"), "off"]


# Equation (1) and the area
# -----------------------------------------------------------------------------------------------------


def collect_peak(runner, options):
    n = 1 << (16 if options.is_quick else 22)
    answer = runner.json("eq1", ["estimate", "c[i] = a[i] + b[i]", "--size", f"i={n}", "--dtype", "i32", "--target", "l3-arrays", "--set",
                                 "sram.times=paper", "--data", "none", "--quiet"])
    machine = runner.json("machine", ["targets", "l3-sram"])
    return {"elements": n, "cycles": answer["counts"]["compute_cycles"], "machine": numbers_of(machine)}


def numbers_of(machine):
    """Those of the machine file that the page repeats."""
    wanted = ("area.in_l3", "area.near_l3", "area.overhead", "kernels.threads", "kernels.vector")
    return {path: machine["numbers"][path]["value"] for path in wanted}


def draw_peak(result):
    ours = result["elements"] / result["cycles"]
    cores = result["machine"]["kernels.threads"] * result["machine"]["kernels.vector"] / 4
    added = result["machine"]["area.in_l3"] + result["machine"]["area.near_l3"]
    theirs = PUBLISHED["eq1"]
    rows = [beside("sums of 32-bit integers per cycle, all arrays", theirs["operations"], ours),
            beside("over the cores' vector units", theirs["over_cores"], ours / cores)]
    area = PUBLISHED["area"]
    chip = added / result["machine"]["area.overhead"]
    more = [beside("computing in the L3, mm2", area["in_l3"], result["machine"]["area.in_l3"]),
            beside("stream engines, mm2", area["near_l3"], result["machine"]["area.near_l3"]),
            beside("of the chip, %", area["overhead"], 100 * added / chip)]
    return {
        "about": "Peak of integer sums in the arrays, and the chip area that computing takes",
        "text": [f"A sum of {result['elements']:,} elements, one for each bitline, with the paper's cycles per operation. The cores: "
                 "64 times one vector of 64 bytes per cycle. Areas are the paper's, as data of the machine; the chip's is what they give with "
                 "its percentage."],
        "chart": {"axis": "operations per cycle", "quantity": "plain", "series": ["paper", "ours", "cores"],
                  "bars": [{"label": "sums of i32", "note": f"{v:,.0f}", "series": s, "value": v}
                           for s, v in enumerate((theirs["operations"], ours, cores))]},
        "tables": [table("Equation (1)", BESIDE, rows), table("Area", BESIDE, more)],
    }


# Fig. 2
# -----------------------------------------------------------------------------------------------------

PARADIGMS = (("cores, 1 thread", ["--target", "l3-base", "--set", "kernels.threads=1"]), ("cores, 64 threads", ["--target", "l3-base"]),
             ("near L3", ["--target", "l3-near"]), ("in L3", ["--target", "l3-in"]))


def collect_micro(runner, options):
    """Warm: data lie in the L3; for the arrays a second call is taken, for which the first one left them transposed."""
    sizes = (1 << 14, 1 << 16) if options.is_quick else tuple(1 << k for k in (14, 16, 18, 20, 22))
    folder = runner.folder / "raw"
    folder.mkdir(parents=True, exist_ok=True)
    bodies = {"vec_add": ("float C[restrict n]", "C[i] = C[i] + B[i]"), "array_sum": ("float C[restrict 1]", "C[0] += B[i]")}
    for name, (out, statement) in bodies.items():
        for calls in (1, 2):
            text = f"void {name}(int n, const float B[restrict n], {out}) {{\n  for (int t = 0; t < {calls}; t++)\n"
            text += f"    for (int i = 0; i < n; i++) {statement};\n}}\n"
            (folder / f"{name}_{calls}.c").write_text(text, encoding="utf-8")
    kernels = SOURCE / "kernels" / "infinity-stream"
    work = {}
    for name in bodies:
        for label, where in PARADIGMS:
            warm = [] if label == "in L3" else ["--set", "kernels.start=l3"]
            for n in sizes:
                for calls in (1, 2) if label == "in L3" else (1,):
                    work[name, label, n, calls] = (f"fig2-{name}-{label.replace(', ', '-').replace(' ', '-')}-{n}-{calls}",
                                                   ["estimate", str(folder / f"{name}_{calls}.c" if label == "in L3" else kernels / f"{name}.c"), "--size", f"n={n}", *where, *warm, "--map",
                                                    "reference", "--data", "none", "--quiet"])
    found = {key: answer["total_cycles"] for key, answer in in_parallel(runner, work).items()}

    def cycles(name, label, n):
        return found[name, label, n, 2] - found[name, label, n, 1] if label == "in L3" else found[name, label, n, 1]

    return {"rows": [{"kernel": name, "elements": n, "cycles": {label: cycles(name, label, n) for label, _ in PARADIGMS}}
                     for name in bodies for n in sizes]}


def in_parallel(runner, work):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(work, pool.map(lambda w: runner.json(*w), work.values())))


def draw_micro(result):
    rows, bars = [], []
    names = [label for label, _ in PARADIGMS]
    for r in result["rows"]:
        first = r["cycles"][names[0]]
        rows.append([r["kernel"], r["elements"], *(r["cycles"][n] for n in names), *(first / max(1, r["cycles"][n]) for n in names[1:])])
        bars += [{"label": f"{r['kernel']}, {r['elements'] // 1024}k", "note": f"{first / max(1, r['cycles'][n]):.1f}", "series": s,
                  "value": first / max(1, r["cycles"][n])} for s, n in enumerate(names)]
    large = [r for r in result["rows"] if r["kernel"] == "vec_add"][-1]["cycles"]
    return {
        "about": "Speed-up of a sum of two arrays and of the sum of an array over one thread, by size",
        "text": ["Warm: the data lie in the L3. In the arrays the second of two calls, less the first one's time: data lie transposed, and "
                 "commands are lowered, as the paper assumes; the sum of two arrays is in place there, C = C + B."],
        "chart": {"axis": "speed-up over one thread", "quantity": "plain", "series": names, "bars": bars},
        "tables": [table("Fig. 2", BESIDE, [beside("vec_add, largest size: in L3 over near L3", PUBLISHED["fig2"]["vec_add_in_over_near"],
                                                   large["near L3"] / max(1, large["in L3"]))]),
                   table("Cycles, and speed-up over one thread", ["kernel", ("elements", "count"), *((n, "cycles") for n in names),
                                                                  *((n, "plain") for n in names[1:])], rows)],
    }


# Figs. 11 to 15 and 18: 13 programs on five machines, run once
# -----------------------------------------------------------------------------------------------------


def collect_programs(*keys):
    """What a figure shows of each program on each machine."""
    def of(row):
        return {k: row[k][:1] if k == "tried" else row[k] for k in ("cycles", *keys)}  # of programs that were tried the heuristic's

    def collect(runner, options):
        return {"programs": {n: {m: of(row) for m, row in rows.items()} for n, rows in programs(runner, options).items()}}

    return collect


def of_sweep(one):
    """The heuristic's program, and those with one tile for all kernels that have it."""
    kept = one["tried"][:1]
    for dims in (2, 3):
        kept += [t for t in swept(one, dims).values() if t not in kept]
    return kept


def collect_tiles(names):
    def collect(runner, options):
        found = programs(runner, options)
        return {"programs": {n: {"l3-sram": {"cycles": found[n]["l3-sram"]["cycles"], "tried": of_sweep(found[n]["l3-sram"])}} for n in names}}

    return collect


def speedups(result, fast, slow, key="cycles"):
    return geomean([a / b for a, b in zip(bars_of(result, slow, key), bars_of(result, fast, key))])


def draw_speed(result):
    theirs = PUBLISHED["fig11"]
    rows, bars = [], []
    for bar in BARS:
        base = bar_of(result, bar, "l3-base")["cycles"]
        values = [base / bar_of(result, bar, m)["cycles"] for m in MACHINES]
        rows.append([bar, base, *values[1:], base / heuristic_of(result, bar)["cycles"]])
        bars += [{"label": bar, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate(values[1:])]
    best = max(r[4] for r in rows)
    short = {"near": "l3-near", "in": "l3-in", "fused": "l3-sram", "base": "l3-base", "nojit": "l3-sram-nojit"}
    means = [beside(f"{LABELS[short[a]]} over {LABELS[short[b]]}", theirs[f"{a}/{b}"], speedups(result, short[a], short[b]))
             for a, b in (k.split("/") for k in theirs if "/" in k)]
    means.append(beside("fused over base, the most", theirs["most"], best))
    means.append(beside("fused over base, the heuristic's tiles", theirs["fused/base"], geomean([r[6] for r in rows])))
    return {
        "about": "Speed-up of ten programs over 64 cores",
        "text": ["Cold: arrays lie in memory, caches are empty. The faster dataflow of mm, kmeans and gather_mlp on each machine. Ours runs each "
                 "kernel where the whole program takes least, on the fused machine in the tiles with which it does, elsewhere in the heuristic's."],
        "chart": {"axis": "speed-up over 64 cores", "quantity": "plain", "series": [LABELS[m] for m in MACHINES[1:]], "bars": bars},
        "tables": [table("Fig. 11, geometric means of ten bars", BESIDE, means),
                   table("Speed-up over base", ["program", ("base", "cycles"), *((LABELS[m], "plain") for m in MACHINES[1:]),
                                                   ("fused, heuristic's tiles", "plain")], rows)],
    }


def heuristic_of(result, bar):
    """The fused machine with the heuristic's tiles; of two dataflows the faster one."""
    those = [with_heuristic(result["programs"][n]["l3-sram"]) for n in (bar, f"{bar}_in", f"{bar}_out") if n in result["programs"]]
    return min(those, key=lambda r: r["cycles"])


def draw_traffic(result):
    theirs = PUBLISHED["fig12"]
    rows, bars = [], []
    for bar in BARS:
        base = sum(bar_of(result, bar, "l3-base")["traffic"].values())
        for m in MACHINES[:4]:
            one = bar_of(result, bar, m)
            shares = [100 * one["traffic"][t] / base for t in TRAFFIC]
            use = 100 * sum(one["traffic"].values()) / (LINKS * one["cycles"])
            rows.append([bar, LABELS[m], *shares, sum(shares), use])
            bars.append({"label": f"{bar}, {LABELS[m]}", "note": f"{sum(shares):.0f} %", "parts": [{"series": s, "value": v} for s, v in
                                                                                                  enumerate(shares)]})

    def less(fast, slow):
        return geomean([sum(bar_of(result, b, fast)["traffic"].values()) / sum(bar_of(result, b, slow)["traffic"].values()) for b in BARS])

    kmeans = [sum(bar_of(result, "kmeans", m)["traffic"].values()) for m in ("l3-near", "l3-base")]
    means = [beside("near L3 over base", theirs["near/base"], less("l3-near", "l3-base")),
             beside("fused over near L3", theirs["fused/near"], less("l3-sram", "l3-near")),
             beside("fused over base", theirs["fused/base"], less("l3-sram", "l3-base")),
             beside("kmeans, near L3 over base", theirs["kmeans"], kmeans[0] / kmeans[1])]
    return {
        "about": "Traffic of the mesh by class, over that of 64 cores",
        "text": ["Flit-hops; control: coherence; offload: commands, barriers and flow control of streams; inter-tile: shifts that leave a bank. "
                 "Utilisation: flit-hops over links times cycles."],
        "chart": {"axis": "flit-hops over base", "quantity": "percent", "series": list(TRAFFIC), "bars": bars},
        "tables": [table("Fig. 12, geometric means of ten bars", BESIDE, means),
                   table("Traffic over base, and utilisation", ["program", "machine", *((t, "percent") for t in TRAFFIC), ("all", "percent"),
                                                               ("utilisation", "percent")], rows)],
    }


def draw_bits(result):
    rows, bars = [], []
    series = ["inside arrays", "between arrays of a bank", "between banks", "data on the mesh"]
    for name in PROGRAMS:
        one = result["programs"][name]["l3-sram"]
        values = [*one["bits"], 256 * one["traffic"]["data"]]
        rows.append([name, *values])
        total = sum(values) or 1
        bars.append({"label": name, "note": f"{total / 8e9:.2f} GB", "parts": [{"series": s, "value": 100 * v / total} for s, v in enumerate(values)]})
    return {
        "about": "What the fused machine moves: bits shifted in and between arrays, and data on the mesh",
        "text": ["Bits that moves shift inside arrays, between arrays of a bank and between banks; data on the mesh: flit-hops times 256 bits. The "
                 "paper gives no numbers."],
        "chart": {"axis": "share of bits moved", "quantity": "percent", "series": series, "bars": bars},
        "tables": [table("Fig. 13, bits", ["program", *((s, "count") for s in series)], rows)],
    }


def draw_cycles(result):
    theirs = PUBLISHED["fig14"]
    rows, bars = [], []
    for name in PROGRAMS:
        one = with_heuristic(result["programs"][name]["l3-sram"])
        shares = [spent_share(one, s) for s in SPENT]
        rows.append([name, *shares, result["programs"][name]["l3-sram"]["in_arrays"]])
        bars.append({"label": name, "note": f"{one['cycles']:,}", "parts": [{"series": s, "value": v} for s, v in enumerate(shares)]})
    means = [beside(f"{s}, %", theirs[s], mean_of([spent_share(heuristic_of(result, b), s) for b in BARS])) for s in
             ("memory", "lowering", "move", "compute", "final reduce")]
    means += [beside("operations in arrays, %", theirs["in_arrays"], mean_of([bar_of(result, b, "l3-sram")["in_arrays"] for b in BARS])),
              beside("lowering of gauss_elim, %", theirs["gauss_elim"], spent_share(with_heuristic(result["programs"]["gauss_elim"]["l3-sram"]), "lowering")),
              beside("lowering of stencil3d, %", theirs["stencil3d"], spent_share(with_heuristic(result["programs"]["stencil3d"]["l3-sram"]), "lowering")),
              beside("lowering of a program, us", theirs["lowering_us"],
                     mean_of([with_heuristic(result["programs"][n]["l3-sram"])["spent"].get("lowering", 0) / 2000 for n in PROGRAMS]))]
    return {
        "about": "What the fused machine spends its cycles on",
        "text": ["Shares of total cycles with the heuristic's tiles, as the study has them; the mean of ten bars. Programs that the fused machine runs on cores have no cycles in arrays; the paper's "
                 "run there whatever it takes."],
        "chart": {"axis": "share of cycles", "quantity": "percent", "series": list(SPENT), "bars": bars},
        "tables": [table("Fig. 14, arithmetic means of ten bars", BESIDE, means),
                   table("Shares of cycles", ["program", *((s, "percent") for s in SPENT), ("operations in arrays", "percent")], rows)],
    }


def draw_dataflow(result):
    rows, bars, outer = [], [], []
    for name in ("mm", "kmeans", "gather_mlp"):
        inner = result["programs"][f"{name}_in"]["l3-base"]["cycles"]
        for flow in ("in", "out"):
            values = [inner / result["programs"][f"{name}_{flow}"][m]["cycles"] for m in MACHINES[:4]]
            rows.append([f"{name}/{flow}", *values])
            bars += [{"label": f"{name}/{flow}", "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate(values)]
        outer.append(inner / result["programs"][f"{name}_out"]["l3-sram"]["cycles"])
    return {
        "about": "Inner and outer products, over the inner product on 64 cores",
        "text": ["Everything over the inner products on 64 cores."],
        "chart": {"axis": "speed-up over inner products on cores", "quantity": "plain", "series": [LABELS[m] for m in MACHINES[:4]], "bars": bars},
        "tables": [table("Fig. 15, geometric mean", BESIDE, [beside("outer products, fused, over base", PUBLISHED["fig15"]["outer"], geomean(outer))]),
                   table("Speed-up", ["program", *((LABELS[m], "plain") for m in MACHINES[:4])], rows)],
    }


def draw_energy(result):
    theirs = PUBLISHED["fig18"]
    rows, bars = [], []
    for bar in BARS:
        base = bar_of(result, bar, "l3-base")["energy_pj"]
        values = [base / bar_of(result, bar, m)["energy_pj"] for m in MACHINES[:4]]
        rows.append([bar, base, *values[1:]])
        bars += [{"label": bar, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate(values[1:])]
    means = [beside("in L3 over near L3", theirs["in/near"], speedups(result, "l3-in", "l3-near", "energy_pj")),
             beside("fused over near L3", theirs["fused/near"], speedups(result, "l3-sram", "l3-near", "energy_pj")),
             beside("fused over base", None, speedups(result, "l3-sram", "l3-base", "energy_pj"))]
    return {
        "about": "Energy efficiency of ten programs over 64 cores",
        "text": ["Base's energy over each machine's: arrays, caches, mesh, DRAM, cores, streams and leakage; modelled, not validated."],
        "chart": {"axis": "energy efficiency over 64 cores", "quantity": "plain", "series": [LABELS[m] for m in MACHINES[1:4]], "bars": bars},
        "tables": [table("Fig. 18, geometric means of ten bars", BESIDE, means),
                   table("Energy efficiency", ["program", ("base", "pj"), *((LABELS[m], "plain") for m in MACHINES[1:4])], rows)],
    }


# Figs. 16 and 17
# -----------------------------------------------------------------------------------------------------

PLANES = ("stencil2d", "dwt2d", "gauss_elim", "conv2d", "mm_in", "mm_out", "kmeans_in", "kmeans_out", "gather_mlp_in", "gather_mlp_out")
CUBES = ("stencil3d", "conv3d")


def swept(one, dims):
    """Programs whose kernels that have a choice have one tile: (tile, cycles, spent)."""
    out = {}
    for tried in one["tried"]:
        tiles = {t for t in tried["mappings"].split(" | ") if t.count("x") == dims - 1}
        if len(tiles) == 1 and (tile := tiles.pop()) not in out:
            out[tile] = tried
    return out


def tile_numbers(result, names, dims):
    rows = []
    for name in names:
        sweep = swept(result["programs"][name]["l3-sram"], dims)
        if not sweep:
            continue
        heuristic = result["programs"][name]["l3-sram"]["tried"][0]
        best = min(sweep.values(), key=lambda t: t["total_cycles"])
        # The innermost dimension as long as it goes.
        plain = max(sweep, key=lambda t: int(t.split("x")[0]))
        rows.append({"name": name, "sweep": sweep, "heuristic": heuristic, "best": best, "plain": sweep[plain], "chosen":
                     result["programs"][name]["l3-sram"]["cycles"]})
    return rows


def tile_means(rows):
    return [beside("heuristic over the best tile of the sweep", PUBLISHED["tiles"]["oracle"],
                   geomean([r["heuristic"]["total_cycles"] / r["best"]["total_cycles"] for r in rows])),
            beside("no tiling over heuristic", PUBLISHED["tiles"]["no_tiling"],
                   geomean([r["plain"]["total_cycles"] / r["heuristic"]["total_cycles"] for r in rows])),
            beside("heuristic over what `auto` found", None,
                   geomean([r["heuristic"]["total_cycles"] / r["chosen"] for r in rows]))]


def short_tiles(text):
    """Tiles of kernels, each once."""
    return " | ".join(dict.fromkeys(text.split(" | ")))


def tile_rows(rows):
    return [[r["name"], short_tiles(r["heuristic"]["mappings"]), r["heuristic"]["total_cycles"], short_tiles(r["best"]["mappings"]),
             r["best"]["total_cycles"], short_tiles(r["plain"]["mappings"]), r["plain"]["total_cycles"], r["chosen"],
             100 * (r["heuristic"]["total_cycles"] / r["chosen"] - 1)] for r in rows]


TILE_COLUMNS = ["program", "heuristic", ("heuristic", "cycles"), "best of the sweep", ("best", "cycles"), "no tiling", ("no tiling", "cycles"),
                ("auto", "cycles"), ("heuristic takes more", "percent")]


def draw_planes(result):
    rows = tile_numbers(result, PLANES, 2)
    bars = []
    for r in rows:
        for tile in sorted(r["sweep"], key=lambda t: int(t.split("x")[0])):
            t = r["sweep"][tile]
            bars.append({"label": f"{r['name']}, {tile}", "note": f"{t['total_cycles'] / r['best']['total_cycles']:.2f}", "parts": [
                {"series": s, "value": t["spent"].get(name, 0) / r["best"]["total_cycles"]} for s, name in enumerate(SPENT)]})
    every = rows + tile_numbers(result, CUBES, 3)
    return {
        "about": "Cycles of programs on planes by their tile, by what they were spent on, over the best tile's",
        "text": ["One tile for all kernels of a program on a plane; the whole program is run with each, every kernel where it takes least, so that "
                 "a bad tile costs no more than the cores. `auto` may give kernels different tiles."],
        "chart": {"axis": "cycles over those of the best tile", "quantity": "plain", "series": list(SPENT), "bars": bars},
        "tables": [table("Figs. 16 and 17, geometric means of all sweeps", BESIDE, tile_means(every)),
                   table("Tiles", TILE_COLUMNS, tile_rows(rows))],
    }


def draw_cubes(result):
    rows = tile_numbers(result, CUBES, 3)
    bars = []
    for r in rows:
        for tile in sorted(r["sweep"], key=lambda t: [int(n) for n in t.split("x")]):
            value = r["plain"]["total_cycles"] / r["sweep"][tile]["total_cycles"]
            bars.append({"label": f"{r['name']}, {tile}", "note": f"{value:.2f}", "series": int(tile in r["heuristic"]["mappings"]), "value": value})
    return {
        "about": "Speed-up of programs on cubes by their tile, over no tiling",
        "text": ["Over the tile whose innermost dimension is as long as it goes."],
        "chart": {"axis": "speed-up over no tiling", "quantity": "plain", "series": ["tile", "the heuristic's tile"], "bars": bars},
        "tables": [table("Tiles", TILE_COLUMNS, tile_rows(rows))],
    }


FIGURES = {
    "eq1": Figure("Equation (1) and area", collect_peak, draw_peak),
    "fig2": Figure("Fig. 2: two kernels by size", collect_micro, draw_micro),
    "fig11": Figure("Fig. 11: speed", collect_programs("spent", "tried"), draw_speed),
    "fig12": Figure("Fig. 12: traffic", collect_programs("traffic"), draw_traffic),
    "fig13": Figure("Fig. 13: bits moved", collect_programs("traffic", "bits"), draw_bits),
    "fig14": Figure("Fig. 14: cycles", collect_programs("spent", "in_arrays", "tried"), draw_cycles),
    "fig15": Figure("Fig. 15: dataflows", collect_programs(), draw_dataflow),
    "fig16": Figure("Fig. 16: tiles of planes", collect_tiles(PLANES + CUBES), draw_planes),
    "fig17": Figure("Fig. 17: tiles of cubes", collect_tiles(CUBES), draw_cubes),
    "fig18": Figure("Fig. 18: energy", collect_programs("energy_pj"), draw_energy),
    "fig19": Figure("Fig. 19: PointNet++", pointnet.collect, lambda r: pointnet.draw(r, PUBLISHED["fig19"])),
    "knob": Figure("One knob: the cores' vector code", collect_programs("spent"), lambda r: what_ifs.draw_knob(r, PUBLISHED["fig11"])),
    "whatifs": Figure("What else numbers hang on", what_ifs.collect, lambda r: what_ifs.draw(r, PUBLISHED)),
}
ALONE = ("whatifs",)  # made only when asked for: some minutes more


def drawn(name, result):
    """A figure of a result, complete for `pimento report`."""
    figure = {"figure": name, "title": FIGURES[name].title, **FIGURES[name].draw(result), "command": f"make figures PAPER=infinity-stream ONLY={name}"}
    figure["text"] = figure["text"] + ["This was a quick run; its numbers are not meaningful."] * bool(result.get("is_quick"))
    return figure
