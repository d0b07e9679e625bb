"""The 13 programs of Infinity Stream's Table 3 on five machines: run once, for all figures that show them."""

import concurrent.futures
import math
import os

PROGRAMS = ["stencil1d", "stencil2d", "stencil3d", "dwt2d", "gauss_elim", "conv2d", "conv3d", "mm_in", "mm_out", "kmeans_in",
            "kmeans_out", "gather_mlp_in", "gather_mlp_out"]
BARS = ["stencil1d", "stencil2d", "stencil3d", "dwt2d", "gauss_elim", "conv2d", "conv3d", "mm", "kmeans", "gather_mlp"]
MACHINES = ["l3-base", "l3-near", "l3-in", "l3-sram", "l3-sram-nojit"]
LABELS = {"l3-base": "base", "l3-near": "near L3", "l3-in": "in L3", "l3-sram": "fused", "l3-sram-nojit": "fused, no lowering"}
SPENT = ["memory", "lowering", "move", "compute", "final reduce", "mix", "near L3", "cores"]
TRAFFIC = ["control", "data", "offload", "inter_tile_noc"]
BITS = ["intra_tile_bits", "inter_tile_bits", "inter_tile_noc_bits"]
LINKS = 2 * 2 * 7 * 8  # of a mesh of 8 x 8
SMALL = {"stencil1d": "n=8192", "stencil2d": "m=64,n=64", "stencil3d": "l=8,m=32,n=32", "dwt2d": "m=64,n=64", "gauss_elim": "n=32",
         "conv2d": "m=64,n=64", "conv3d": "in=4,out=4,h=16,w=16", "mm_in": "l=32,m=32,n=32", "mm_out": "l=32,m=32,n=32",
         "kmeans_in": "p=256,d=16,c=16", "kmeans_out": "p=256,d=16,c=16", "gather_mlp_in": "m=256,f=64,k=16",
         "gather_mlp_out": "m=256,f=64,k=16"}


def spent_of(row):
    """Cycles by what they were spent on, of all kernels."""
    spent = {}
    for phase in row["phases"]:
        name = phase["name"].rsplit(": ", 1)[-1]
        spent[name] = spent.get(name, 0) + phase["cycles"]
    return spent


def in_arrays_of(row):
    """The share of arithmetic that arrays did, in percent."""
    all_of_it = sum(s["operations"] for s in row["stages"])
    inside = sum(s["operations"] for s in row["stages"] if s.get("place", "").startswith("in L3"))
    return 100 * inside / all_of_it if all_of_it else 0


def short(row):
    tried = [{"mappings": t["mappings"], "total_cycles": t["total_cycles"], "spent": t["spent"]} for t in row.get("tried", [])]
    spent = spent_of(row)
    if sum(spent.values()) != row["total_cycles"]:
        raise ValueError(f"{row['kernel']} on {row['target']}: phases do not sum to the total")
    return {"cycles": row["total_cycles"], "energy_pj": row["energy_pj"], "spent": spent,
            "traffic": {t: row["traffic"][t] for t in TRAFFIC}, "bits": [row["traffic"][b] for b in BITS], "in_arrays": in_arrays_of(row),
            "places": sorted({s["place"] for s in row["stages"] if "place" in s}), "tried": tried}


def with_heuristic(one):
    """The fused machine with the heuristic's tiles: the first program that `auto` compares."""
    if not one["tried"]:
        return one
    return {"cycles": one["tried"][0]["total_cycles"], "spent": one["tried"][0]["spent"]}


def without_lowering(one):
    """What `l3-sram-nojit` takes, where it runs everything as l3-sram does, in the same tiles."""
    cycles = one["cycles"] - one["spent"].get("lowering", 0)
    return one | {"cycles": cycles, "spent": {k: v for k, v in one["spent"].items() if k != "lowering"}, "tried": []}


def programs(runner, options, more=(), machines=tuple(MACHINES[:4]), label="", fused="auto"):
    """By program and machine. The fused machine with the tiles that `fused` says, the others with the heuristic's."""
    def one(job):
        name, machine = job
        sizes = ["--size", SMALL[name]] if options.is_quick else []
        tiles = ["--map", fused if machine == "l3-sram" else "reference"]
        return short(runner.json(f"{machine}{label}-{name}", ["estimate", name, *sizes, "--target", machine, *tiles, "--data", "none", "--quiet", *more]))

    # Those that take longest first.
    jobs = sorted(((n, m) for m in reversed(machines) for n in PROGRAMS), key=lambda j: j not in (("conv3d", "l3-sram"), ("gauss_elim", "l3-sram")))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(jobs, pool.map(one, jobs)))
    out = {name: {m: found[name, m] for m in machines} for name in PROGRAMS}
    for rows in out.values():
        if "l3-sram" in rows:
            rows["l3-sram-nojit"] = without_lowering(rows["l3-sram"])
    return out


def bar_of(result, bar, machine):
    """A program on a machine; of two dataflows the faster one."""
    those = [result["programs"][n][machine] for n in (bar, f"{bar}_in", f"{bar}_out") if n in result["programs"]]
    return min(those, key=lambda r: r["cycles"])


def bars_of(result, machine, key):
    return [bar_of(result, b, machine)[key] for b in BARS]


def geomean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values and min(values) > 0 else None


def mean_of(values):
    return sum(values) / len(values)


def spent_share(one, what):
    return 100 * one["spent"].get(what, 0) / one["cycles"]
