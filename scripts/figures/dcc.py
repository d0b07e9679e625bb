"""The figures of the DCC paper: what is run for each, and how it is drawn beside what the paper's text says.

As in comonm.py a figure is a pair of functions: `collect` runs the tool and gives numbers (kept in docs/papers/dcc.json),
`draw` makes of these a figure as `pimento report` takes it. All means are harmonic, as in the paper. "Published" is the study's
cycle model, its space of drafts and its streams; "sound" a machine whose programs compute, and our own space. Kernels are
here, language models in dcc_models.py.
"""

import csv
import json
from pathlib import Path

import dcc_models
import dcc_online
import dcc_predictor
from comonm import Figure, Options  # noqa: F401  (what figures.py makes)
from dcc_optima import EVALUATED, SHAPES_2D, SHAPES_3D, sizesOf
from dcc_table3 import DHEAD, HEADS, LEN, counted
from tables import harmonic, off, table

SOURCE = Path(__file__).resolve().parents[2]
PUBLISHED = json.loads((Path(__file__).parent / "dcc_published.json").read_text(encoding="utf-8"))
KEEPS_STORE = True  # what was tuned for one figure serves the others, and the next run
NAMES = {"bgemv": "GEMV", "attn": "ATTN", "red": "RED", "va": "VA", "relu": "RELU"}
DEVICES = {"attacc": ("AttAcc", "attacc-published", "attacc"),
           "hbm-pim": ("HBM-PIM", "hbm-pim-hbm3-published", "hbm-pim-hbm3")}
# Keys and values lie in the device: the study's streams do not load them either.
RESIDENT = {"bgemv": ["--constant", "K"], "attn": ["--constant", "K,V"]}
SMALL = {4: [(1, 8, 64, 64)], 2: [(1, 1024)]}


def shape_text(shape):
    return " x ".join(map(str, shape))


def shapes_of(kernel, options):
    is_cube = kernel in RESIDENT
    if options.is_quick:
        return SMALL[4 if is_cube else 2]
    return SHAPES_3D if is_cube else SHAPES_2D


def tuned(runner, kernel, machine, shape, more=()):
    """The optimum and the baseline of a kernel, proved; on a published machine in the study's space."""
    arguments = ["tune", kernel, "--size", sizesOf(shape), "--target", machine, "--no-check", "--quiet"]
    if machine.endswith("published"):
        arguments += ["--space", "published", *(EVALUATED if kernel == "attn" and not more else [])]
    else:
        arguments += RESIDENT.get(kernel, [])
    name = "-".join(["tune", kernel, machine, *map(str, shape), *(m.strip("-").replace(";", "-") for m in more)])
    answer = runner.json(name, [*arguments, *more])
    if answer["stop"] != "optimal":
        raise ValueError(f"{name}: {answer['stop']}")
    return answer


def estimated(runner, kernel, machine, shape, spec):
    arguments = ["estimate", kernel, "--size", sizesOf(shape), "--target", machine, "--map", spec, "--data", "none", "--quiet"]
    arguments += [] if machine.endswith("published") else RESIDENT.get(kernel, [])
    safe = "".join(c if c.isalnum() else "-" for c in spec)
    return runner.json(f"estimate-{kernel}-{machine}-{'-'.join(map(str, shape))}-{safe}", arguments)


def gpu_times():
    """Of the study's GPU, in ns, with the work of five devices; `pimento validate gpu-model` says that ours are the same."""
    with open(SOURCE / "validation" / "dcc" / "gpu_model_times.csv", encoding="utf-8") as lines:
        rows = csv.DictReader(line for line in lines if not line.startswith("#"))
        return {(r["kernel"], *(int(r[k]) for k in ("batch", "nhead", "dhead", "len"))): 1e6 * float(r["gpu_time_ms"])
                for r in rows}


def gpu_time(times, kernel, shape):
    key = shape if len(shape) == 4 else (shape[0], 1, 1, shape[1])
    return times.get((NAMES[kernel], *key))


def pair(answer):
    return {"best_ns": answer["winner"]["time_ns"], "base_ns": answer["reference"]["time_ns"],
            "map": answer["winner"]["mapping"], "drafts": answer["drafts"]["all"]}


# Figs. 8 and 9
# -----------------------------------------------------------------------------------------------------


def collect_kernels(device):
    def collect(runner, options):
        _, published, sound = DEVICES[device]
        times, rows = gpu_times(), []
        for kernel in PUBLISHED["kernels"][device]:
            for shape in shapes_of(kernel, options):
                rows.append({"kernel": kernel, "shape": list(shape), "gpu_ns": gpu_time(times, kernel, shape),
                             "published": pair(tuned(runner, kernel, published, shape)),
                             "sound": pair(tuned(runner, kernel, sound, shape))})
        return {"rows": rows}

    return collect


def ratio(above, below):
    return above / below if above and below else None


def mean_of(rows, kernel, model, above, below="best_ns"):
    values = [ratio(r["gpu_ns"] if above == "gpu_ns" else r[model][above], r[model][below])
              for r in rows if r["kernel"] == kernel]
    return harmonic(values) if values and None not in values else None


def draw_kernels(device, number):
    def draw(result):
        name = DEVICES[device][0]
        means, bars = [], []
        for kernel, theirs in PUBLISHED["kernels"][device].items():
            ours = {m: {k: mean_of(result["rows"], kernel, m, f"{k}_ns") for k in ("gpu", "base")} for m in ("published", "sound")}
            plain = mean_of(result["rows"], kernel, "published", "gpu_ns", "base_ns")
            means.append([NAMES[kernel], theirs["gpu"], ours["published"]["gpu"], off(ours["published"]["gpu"], theirs["gpu"]), plain,
                          ours["sound"]["gpu"], theirs["base"], ours["published"]["base"],
                          off(ours["published"]["base"], theirs["base"]), ours["sound"]["base"]])
            for series, value in enumerate((theirs["gpu"], ours["published"]["gpu"], ours["sound"]["gpu"])):
                if value:
                    bars.append({"label": f"{name}, {NAMES[kernel]}", "note": f"{value:.2f}", "series": series, "value": value})
        columns = ["kernel", ("over GPU, paper", "plain"), ("published model", "plain"), "off",
                   ("published model, baseline", "plain"), ("sound model", "plain"), ("over baseline, paper", "plain"),
                   ("published model", "plain"), "off", ("sound model", "plain")]
        rows = [[NAMES[r["kernel"]], shape_text(r["shape"]), r["gpu_ns"], r["published"]["base_ns"], r["published"]["best_ns"],
                 r["sound"]["base_ns"], r["sound"]["best_ns"], r["published"]["drafts"], r["sound"]["drafts"]] for r in result["rows"]]
        return {
            "about": f"Speed-up of kernels on {name} over the study's GPU, at the optimum of the study's drafts",
            "text": [f"Best draft of {name} over the GPU and over the study's baseline. Theirs: the paper's text. Every optimum of ours is "
                     "proved."],
            "chart": {"axis": "speed-up over the GPU, harmonic mean", "quantity": "plain",
                      "series": ["paper", "published model", "sound model"], "bars": bars},
            "tables": [table(f"Fig. {number}, harmonic means", columns, means),
                       table("Times; sizes are batch x heads x dhead x length, or batch x length",
                             ["kernel", "size", ("GPU", "ns"), ("published, baseline", "ns"), ("best", "ns"), ("sound, baseline", "ns"),
                              ("best", "ns"), ("drafts, published", "count"), ("own space", "count")], rows)],
        }

    return draw


# Fig. 10
# -----------------------------------------------------------------------------------------------------


def collect_batch(runner, options):
    lengths, batches = ((64,), (1,)) if options.is_quick else ((512, 1024, 2048, 4096), (1, 2, 4, 8))
    rows = []
    for device, (_, published, sound) in DEVICES.items():
        for batch in batches:
            for length in lengths:
                shape = (batch, 8 if options.is_quick else 32, 128, length)
                rows.append({"device": device, "batch": batch, "length": length,
                             "published": pair(tuned(runner, "bgemv", published, shape)),
                             "sound": pair(tuned(runner, "bgemv", sound, shape))})
    return {"rows": rows}


def draw_batch(result):
    rows, bars = [], []
    for device in DEVICES:
        for batch in sorted({r["batch"] for r in result["rows"]}):
            of = [r for r in result["rows"] if r["device"] == device and r["batch"] == batch]
            ours = {m: harmonic([r[m]["base_ns"] / r[m]["best_ns"] for r in of]) for m in ("published", "sound")}
            theirs = PUBLISHED["batch"][device].get(str(batch))
            rows.append([DEVICES[device][0], batch, theirs, ours["published"], off(ours["published"], theirs), ours["sound"]])
            for series, value in enumerate((theirs, ours["published"], ours["sound"])):
                if value:
                    bars.append({"label": f"{DEVICES[device][0]}, batch {batch}", "note": f"{value:.2f}", "series": series, "value": value})
    return {
        "about": "What tuning gains over the baseline as batches grow: GEMV, 32 heads, dhead 128, lengths 512 to 4,096",
        "text": ["Speed-up of the best draft over the baseline, mean over four lengths. The paper gives batches 1 and 8."],
        "chart": {"axis": "speed-up over the baseline, harmonic mean", "quantity": "plain",
                  "series": ["paper", "published model", "sound model"], "bars": bars},
        "tables": [table("Fig. 10, harmonic means", ["device", ("batch", "count"), ("paper", "plain"), ("published model", "plain"),
                                                     "off", ("sound model", "plain")], rows)],
    }


# Figs. 2 and 13
# -----------------------------------------------------------------------------------------------------


def parts(runner, kernel, machine, shape, spec):
    """Time in all, of computing, and of the rest. In a published stream computing is what the units' commands take alone."""
    whole = estimated(runner, kernel, machine, shape, spec)
    if machine.endswith("published"):
        compute = estimated(runner, kernel, machine, shape, f"{spec};part=compute")["total_cycles"]
    else:
        compute = whole["breakdown"]["compute"]
    return {"all": whole["total_cycles"], "compute": compute, "movement": whole["total_cycles"] - compute}


def collect_schemes(runner, options):
    rows = []
    for kernel in ("red", "bgemv"):
        for shape in shapes_of(kernel, options):
            row = {"kernel": kernel, "shape": list(shape)}
            for model, machine in (("published", "attacc-published"), ("sound", "attacc")):
                first = ["--map", "auto;part=compute"] if model == "published" else ["--objective", "compute"]
                of_compute = tuned(runner, kernel, machine, shape, first)["winner"]["mapping"].replace(";part=compute", "")
                joint = tuned(runner, kernel, machine, shape)["winner"]["mapping"]
                row[model] = {"compute_first": parts(runner, kernel, machine, shape, of_compute),
                              "joint": parts(runner, kernel, machine, shape, joint)}
            rows.append(row)
    return {"rows": rows}


def gains(rows, model, slow, fast, kernels=None):
    """Harmonic means of what `fast` gains over `slow`, by part; rows in which a part takes no time are left out of its mean."""
    of = [r[model] for r in rows if not kernels or r["kernel"] in kernels]
    return {p: harmonic([r[slow][p] / r[fast][p] for r in of if r[slow][p] > 0 and r[fast][p] > 0]) for p in ("all", "compute", "movement")}


def draw_schemes(result):
    theirs, rows, means, bars = PUBLISHED["fig2"], [], [], []
    for r in result["rows"]:
        for model in ("published", "sound"):
            c, j = r[model]["compute_first"], r[model]["joint"]
            rows.append([NAMES[r["kernel"]], shape_text(r["shape"]), model, c["all"], c["compute"], c["movement"], j["all"], j["compute"],
                         j["movement"]])
    share = {}
    for model in ("published", "sound"):
        of = [r[model]["compute_first"] for r in result["rows"]]
        share[model] = 100 * sum(c["movement"] / (c["movement"] + c["compute"]) for c in of) / len(of)
    found = {m: gains(result["rows"], m, "compute_first", "joint") for m in ("published", "sound")}
    inverse = {m: 1 / found[m]["compute"] if found[m]["compute"] else None for m in found}
    for label, paper, ours in (("joint over compute first", theirs["speedup"], {m: found[m]["all"] for m in found}),
                               ("computing takes longer by", theirs["compute"], inverse),
                               ("movement is less by", theirs["movement"], {m: found[m]["movement"] for m in found})):
        means.append([label, paper, ours["published"], ours["sound"]])
        for series, value in enumerate((paper, ours["published"], ours["sound"])):
            if value:
                bars.append({"label": label, "note": f"{value:.2f}", "series": series, "value": value})
    return {
        "about": "Tuning of computing first, then of movement, against both together: RED and GEMV on AttAcc",
        "text": ["Compute first: the draft whose commands of units take least; operands then have to go where it wants them. Joint: the draft "
                 f"that takes least in all. Share of movement in compute first, mean: paper {theirs['movement_share']} %, published model "
                 f"{share['published']:.1f} %, sound model {share['sound']:.1f} %."],
        "chart": {"axis": "ratio, harmonic mean", "quantity": "plain", "series": ["paper", "published model", "sound model"], "bars": bars},
        "tables": [table("Fig. 2, harmonic means", ["", ("paper", "plain"), ("published model", "plain"), ("sound model", "plain")], means),
                   table("Cycles; movement is what a kernel takes beyond computing", ["kernel", "size", "model", ("compute first", "cycles"),
                         ("computing", "cycles"), ("movement", "cycles"), ("joint", "cycles"), ("computing", "cycles"),
                         ("movement", "cycles")], rows)],
    }


def collect_phases(runner, options):
    rows = []
    for device, (_, published, sound) in DEVICES.items():
        for kernel in PUBLISHED["kernels"][device]:
            for shape in shapes_of(kernel, options):
                if shape[0] not in (1, 4):
                    continue
                row = {"device": device, "kernel": kernel, "shape": list(shape)}
                for model, machine in (("published", published), ("sound", sound)):
                    answer = tuned(runner, kernel, machine, shape)
                    row[model] = {k: parts(runner, kernel, machine, shape, answer[w]["mapping"])
                                  for k, w in (("base", "reference"), ("best", "winner"))}
                rows.append(row)
    return {"rows": rows}


def draw_phases(result):
    theirs = PUBLISHED["fig13"]
    flat, cube = ("va", "red", "relu"), ("bgemv", "attn")
    every = {m: {"all": gains(result["rows"], m, "base", "best"), "flat": gains(result["rows"], m, "base", "best", flat),
                 "cube": gains(result["rows"], m, "base", "best", cube)} for m in ("published", "sound")}
    lines = (("computing, all kernels", theirs["compute"], "all", "compute"), ("movement, all kernels", theirs["movement"], "all", "movement"),
             ("VA, RED, RELU, in all", theirs["elementwise"], "flat", "all"), ("GEMV, ATTN, in all", theirs["products"], "cube", "all"))
    means, bars, rows = [], [], []
    for label, paper, group, part in lines:
        ours = [every[m][group][part] for m in ("published", "sound")]
        means.append([label, paper, ours[0], off(ours[0], paper), ours[1]])
        bars += [{"label": label, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate((paper, *ours)) if v]
    for r in result["rows"]:
        for model in ("published", "sound"):
            b, w = r[model]["base"], r[model]["best"]
            rows.append([DEVICES[r["device"]][0], NAMES[r["kernel"]], shape_text(r["shape"]), model, b["all"], b["compute"], b["movement"],
                         w["all"], w["compute"], w["movement"]])
    return {
        "about": "What tuning gains in computing and in rearranging, baseline over best draft",
        "text": ["The study's baseline against the best draft, by part."],
        "chart": {"axis": "speed-up over the baseline, harmonic mean", "quantity": "plain",
                  "series": ["paper", "published model", "sound model"], "bars": bars},
        "tables": [table("Fig. 13, harmonic means", ["", ("paper", "plain"), ("published model", "plain"), "off",
                                                     ("sound model", "plain")], means),
                   table("Cycles; movement is what a kernel takes beyond computing", ["device", "kernel", "size", "model", ("baseline", "cycles"),
                         ("computing", "cycles"), ("movement", "cycles"), ("best", "cycles"), ("computing", "cycles"),
                         ("movement", "cycles")], rows)],
    }


# Table 3
# -----------------------------------------------------------------------------------------------------


def collect_pruning(runner, options):
    rows = []
    for theirs in PUBLISHED["table3"][: 1 if options.is_quick else None]:
        kernel = theirs["kernel"]
        heads = 8 if options.is_quick else -(-HEADS * theirs["batch"] // (theirs["devices"] * theirs["gpus"]))
        sizes = f"batch=1,heads={heads},dhead={DHEAD},len={LEN}"
        drafts = counted(runner.text(f"drafts-{heads}", ["compile", "bgemv", "--size", sizes, "--target", "attacc", "--emit", "drafts"]))
        answers = [runner.json(f"table3-{kernel}-{heads}-{len(rules)}", ["tune", kernel, "--size", sizes, "--target", "attacc", "--store", "none",
                                                                        "--quiet", *rules]) for rules in ([], ["--rules", "1,2,3"])]
        kept = [t["drafts"]["all"] - sum(t["drafts"][f"rule{r}"] for r in (1, 2, 3)) for t in answers]
        rows.append({"heads": heads, "drafts": drafts, "tuned": kept, "all_seconds": answers[0]["seconds"], "pruned_seconds": answers[1]["seconds"],
                     "loss": 100 * (answers[1]["best"]["total_cycles"] / answers[0]["best"]["total_cycles"] - 1)})
    return {"rows": rows}


def draw_pruning(result):
    rows, bars = [], []
    for theirs, r in zip(PUBLISHED["table3"], result["rows"]):
        label = f"{NAMES[theirs['kernel']]}, {theirs['devices']} devices, batch {theirs['batch']}, {theirs['gpus']} GPU" + "s" * (theirs["gpus"] > 1)
        rows.append([label, r["heads"], theirs["drafts"], theirs["pruned"], *r["drafts"], *r["tuned"], r["loss"], theirs["slow"], theirs["fast"],
                     r["all_seconds"], r["pruned_seconds"]])
        for series, value in enumerate((theirs["drafts"] / theirs["pruned"], r["drafts"][0] / r["drafts"][1])):
            bars.append({"label": label, "note": f"{value:.1f}", "series": series, "value": value})
    return {
        "about": "Drafts of one kernel on AttAcc without and with the paper's three rules, and the time to the best of them",
        "text": ["A row is what one device has; heads are dealt to the devices of all GPUs. Ours are of the sound model; the last two columns of "
                 "ours are seconds of a tuning that proves its answer, store empty."],
        "chart": {"axis": "drafts without rules over drafts with rules", "quantity": "plain", "series": ["paper", "ours"], "bars": bars},
        "tables": [table("Table 3", ["kernel", ("heads", "count"), ("paper: drafts", "count"), ("with rules", "count"), ("ours: drafts", "count"),
                                     ("with rules", "count"), ("tuned", "count"), ("with rules", "count"), ("slower by rules", "percent"),
                                     ("paper: seconds", "plain"), ("with rules", "plain"), ("ours: seconds", "plain"), ("with rules", "plain")], rows)],
    }


FIGURES = {
    "fig8": Figure("Fig. 8: kernels on AttAcc", collect_kernels("attacc"), draw_kernels("attacc", 8)),
    "fig9": Figure("Fig. 9: kernels on HBM-PIM", collect_kernels("hbm-pim"), draw_kernels("hbm-pim", 9)),
    "fig10": Figure("Fig. 10: batches", collect_batch, draw_batch),
    "fig2": Figure("Fig. 2: compute first against joint tuning", collect_schemes, draw_schemes),
    "fig13": Figure("Fig. 13: computing and rearrangement", collect_phases, draw_phases),
    "fig11": Figure("Fig. 11: language models", dcc_models.collect_models, lambda r: dcc_models.draw_models(r, PUBLISHED["fig11"])),
    "fig14": Figure("Fig. 14: energy", dcc_models.collect_energy, lambda r: dcc_models.draw_energy(r, PUBLISHED["fig14"])),
    "table3": Figure("Table 3: pruning", collect_pruning, draw_pruning),
    "fig12": Figure("Fig. 12: MT-NLG-310B on eight GPUs", dcc_models.collect_large, lambda r: dcc_models.draw_large(r, PUBLISHED["fig12"])),
    "fig15": Figure("Fig. 15: online against offline tuning", dcc_online.collect, dcc_online.draw),
    "table4": Figure("Table 4: the predictor", dcc_predictor.collect, dcc_predictor.draw),
}
ALONE = ("fig12", "fig15", "table4")  # made only when asked for: up to an hour


def drawn(name, result):
    """A figure of a result, complete for `pimento report`."""
    figure = {"figure": name, "title": FIGURES[name].title, **FIGURES[name].draw(result), "command": f"make figures PAPER=dcc ONLY={name}"}
    figure["text"] = figure["text"] + ["This was a quick run; its numbers are not meaningful."] * bool(result.get("is_quick"))
    return figure
