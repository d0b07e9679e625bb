"""PointNet++ on the machines of Infinity Stream: every stage, and where it ran (Fig. 19)."""

import concurrent.futures
import os
from pathlib import Path

from infinity_stream_programs import LABELS, MACHINES
from tables import off, table

FOLDER = Path(__file__).resolve().parents[2] / "kernels" / "infinity-stream" / "pointnet"
NETWORKS = ("ssg", "msg")
PLACES = ["cores", "near L3", "in L3", "in L3 and beside it"]

# Kernels are called after the functions that they come from.
OF_FUNCTION = {"sample": "sampling", "query": "ball query", "pad": "gather", "gather_places": "gather", "gather_features": "gather",
               "pointnet_ssg": "gather", "pointnet_msg": "gather", "layer": "MLP", "aggregate": "aggregate", "scores_of": "FC"}
FIRST = {"ssg": 1, "msg": 4}  # number of the first set abstraction; the last one is SA3 in both
# Cores run what the machine has nothing else for, and what takes less there.
WHERE = {"l3-base": [], "l3-near": ["--set", "kernels.on_cores=true"], "l3-in": ["--set", "kernels.on_cores=true"], "l3-sram": []}


def place_of(text):
    if text.startswith("in L3"):
        return 2 if text == "in L3" else 3
    return 1 if text.startswith("near") else 0


def stages_of(network, answer):
    """In order, kernels of one stage and place put together: {stage, abstraction, place, cycles}."""
    out, last, abstraction, is_last = [], "sampling", FIRST[network] - 1, False
    for s in answer["stages"]:
        name = s["kernel"].rstrip("0123456789").rstrip("_")
        stage = OF_FUNCTION.get(name, last)
        if name == "fill":  # sampling's distances, and what the largest are compared to
            stage = {"MLP": "aggregate", "aggregate": "sampling"}.get(last, "sampling")
        abstraction += stage == "ball query" and last != "ball query"
        is_last |= name.startswith("pointnet")
        if is_last and last in ("aggregate", "FC") and stage == "MLP":
            stage = "FC"
        where = "" if stage in ("sampling", "FC") else "SA3" if is_last else f"SA{abstraction}"
        place = place_of(s.get("place", "cores"))
        if out and (out[-1]["stage"], out[-1]["abstraction"], out[-1]["place"]) == (stage, where, place):
            out[-1]["cycles"] += s["total_cycles"]
        else:
            out.append({"stage": stage, "abstraction": where, "place": place, "cycles": s["total_cycles"]})
        last = stage
    return out


def collect(runner, options):
    points = 512 if options.is_quick else 4096
    networks = NETWORKS[:1] if options.is_quick else NETWORKS

    def one(job):
        network, machine = job
        answer = runner.json(f"pointnet-{network}-{machine}", ["estimate", str(FOLDER / f"{network}.c"), "--size", f"p={points}", "--target", machine,
                                                              "--map", "reference", "--data", "none", "--quiet", *WHERE[machine]])
        return {"cycles": answer["total_cycles"], "energy_pj": answer["energy_pj"], "stages": stages_of(network, answer)}

    # Those that take longest first.
    jobs = [(n, m) for m in reversed(MACHINES[:4]) for n in reversed(networks)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(jobs, pool.map(one, jobs)))
    return {"networks": {n: {m: found[n, m] for m in MACHINES[:4]} for n in networks}}


def sum_of(run, stage):
    return sum(s["cycles"] for s in run["stages"] if s["stage"] == stage)


def draw(result, theirs):
    rows, means, bars = [], [], []
    for network, runs in result["networks"].items():
        base = runs["l3-base"]
        paper = theirs[network]
        for machine, key in (("l3-sram", "fused"), ("l3-in", "in"), ("l3-near", "near")):
            ours = base["cycles"] / runs[machine]["cycles"]
            means.append([f"{network.upper()}, {LABELS[machine]} over base", paper[key], ours, off(ours, paper[key])])
        if "sampling" in paper:
            sampling = sum_of(base, "sampling") / max(1, sum_of(runs["l3-near"], "sampling"))
            shares = [100 * sum_of(base, s) / base["cycles"] for s in ("sampling", "MLP")]
            means += [[f"{network.upper()}, sampling, near L3 over base", paper["sampling"], sampling, off(sampling, paper["sampling"])],
                      [f"{network.upper()}, sampling on base, %", paper["sampling_share"], shares[0], off(shares[0], paper["sampling_share"])],
                      [f"{network.upper()}, MLP on base, %", paper["mlp_share"], shares[1], off(shares[1], paper["mlp_share"])]]
        for machine, run in runs.items():
            bars.append({"label": f"{network.upper()}, {LABELS[machine]}", "note": f"{run['cycles'] / base['cycles']:.2f}", "parts": [
                {"label": f"{s['abstraction']} {s['stage']}".strip(), "series": s["place"], "value": s["cycles"] / base["cycles"]}
                for s in run["stages"]]})
        order = list(dict.fromkeys((s["abstraction"], s["stage"]) for s in base["stages"]))
        for abstraction, stage in order:
            row = [network.upper(), f"{abstraction} {stage}".strip()]
            for run in runs.values():
                those = [s for s in run["stages"] if (s["abstraction"], s["stage"]) == (abstraction, stage)]
                row.append(sum(s["cycles"] for s in those))
            those = [s for s in runs["l3-sram"]["stages"] if (s["abstraction"], s["stage"]) == (abstraction, stage)]
            row.append(", ".join(dict.fromkeys(PLACES[s["place"]] for s in those)))
            rows.append(row)
    return {
        "about": "PointNet++ with one and with several scales, stage by stage from left to right, by where each ran",
        "text": ["4,096 random points; every kernel runs where the whole program takes least of the places that a machine has, cores among them. A bar is a run from left to right, its stages coloured by the place where they ran; over the run on 64 cores."],
        "chart": {"axis": "cycles over base", "quantity": "plain", "series": PLACES, "bars": bars},
        "tables": [table("Fig. 19", ["", ("paper", "plain"), ("ours", "plain"), "off"], means),
                   table("Cycles of stages, and where the fused machine ran them",
                         ["network", "stage", *((LABELS[m], "cycles") for m in MACHINES[:4]), "places, fused"], rows)],
    }
