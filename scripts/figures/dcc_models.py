"""Language models in the DCC paper's figures: `pimento llm` by the study's formulas, and as a machine can keep it."""

from tables import harmonic, off, table

MODELS, BATCHES, LENGTHS = ("gpt3-13b", "llama2-33b"), (1, 4), ((128, 2048), (2048, 128), (2048, 2048))
SCHEDULES = ("base", "full", "dcc-base", "dcc-full")
# Title, and who is compared with whom.
GAINS = (("DCC, Base / GPU", "gpu", "dcc-base"), ("DCC, Base / Base", "base", "dcc-base"),
         ("DCC, Full / GPU", "gpu", "dcc-full"), ("DCC, Full / Full", "full", "dcc-full"))


def asked(runner, name, model, batch, lengths, more):
    """The result of `pimento llm`, in short; where it does not fit, why."""
    prompt, output = lengths
    arguments = ["llm", model, "--batch", str(batch), "--prompt", str(prompt), "--generate", str(output), "--quiet", *more]
    answer = runner.json(f"llm-{model}-{batch}-{prompt}-{output}-{name}", arguments, may_refuse=True)
    if "refused" in answer:
        return answer
    published = answer["published"]
    energy = {k: answer[k] for k in ("energy_per_token_pj", "energy_per_token_study_pj")}
    if published:
        for key, of in (("energy_per_token_pj", "energy_pj"), ("energy_per_token_study_pj", "energy_study_pj")):
            each = [published[d][of] for d in ("gpu", "pim", "link") if published[d] is not None]
            energy[key] = sum(each) / (published["steps"] * batch) if None not in each else None
        if abs(energy["energy_per_token_pj"] / answer["energy_per_token_pj"] - 1) > 1e-9:
            raise ValueError(f"{name}: the energy per token is not that of GPU, devices and links")
    products = {"products_ns": published["layers"]["qkv"] + published["layers"]["projection"]} if published else {}
    return {**products, "token_ns": answer["time_per_token_ns"], "first_ns": answer["time_to_first_token_ns"],
            "all_ns": answer["time_to_first_token_ns"] + (output - 1) * answer["time_per_token_ns"], **energy}


def collect_rows(runner, cases, common=()):
    rows = []
    for model, batch, lengths in cases:
        row = {"model": model, "batch": batch, "prompt": lengths[0], "output": lengths[1],
               "gpu": asked(runner, "gpu", model, batch, lengths, ["--schedule", "published-base", "--target", "none", *common])}
        for schedule in SCHEDULES:
            row[schedule] = asked(runner, schedule, model, batch, lengths, ["--schedule", f"published-{schedule}", *common])
        row["sound_gpu"] = asked(runner, "sound-gpu", model, batch, lengths, ["--target", "none", *common])
        row["sound"] = asked(runner, "sound", model, batch, lengths, ["--target", "attacc", "--map", "reference", *common])
        rows.append(row)
    return rows


def cases(options):
    if options.is_quick:
        return [("gpt3-13b", 1, (128, 2))]
    return [(m, b, l) for m in MODELS for b in BATCHES for l in LENGTHS]


def collect_models(runner, options):
    return {"rows": collect_rows(runner, cases(options))}


collect_energy = collect_models  # the same commands, which are run once


def gain(row, slow, fast, key):
    a, b = row[slow].get(key), row[fast].get(key)
    return a / b if a and b else None


def mean(rows, slow, fast, key="token_ns"):
    values = [v for r in rows if (v := gain(r, slow, fast, key))]
    return harmonic(values)


def label_of(row):
    return f"{row['model']}, batch {row['batch']}, {row['prompt']} + {row['output']}"


def draw_models(result, theirs):
    rows, means, bars = [], [], []
    for r in result["rows"]:
        rows.append([label_of(r), *(gain(r, slow, fast, "token_ns") for _, slow, fast in GAINS), gain(r, "gpu", "dcc-base", "all_ns"),
                     gain(r, "gpu", "dcc-full", "all_ns"), gain(r, "dcc-base", "dcc-full", "token_ns"),
                     gain(r, "sound_gpu", "sound", "token_ns"), gain(r, "sound_gpu", "sound", "all_ns")])
    for title, slow, fast in GAINS:
        paper, ours = theirs[f"{fast}/{slow}"], mean(result["rows"], slow, fast)
        means.append([title, paper, ours, off(ours, paper), mean(result["rows"], slow, fast, "all_ns")])
        bars += [{"label": title, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate((paper, ours)) if v]
    sound = mean(result["rows"], "sound_gpu", "sound"), mean(result["rows"], "sound_gpu", "sound", "all_ns")
    means.append(["sound model / GPU", None, sound[0], None, sound[1]])
    if sound[0]:
        bars.append({"label": "sound model / GPU", "note": f"{sound[0]:.2f}", "series": 1, "value": sound[0]})
    refused = [f"{label_of(r)}, {what}: {r[s]['refused']}" for r in result["rows"]
               for s, what in (("sound_gpu", "GPU alone"), ("sound", "with devices")) if "refused" in r[s]]
    return {
        "about": "Language models on a GPU with five AttAcc devices, by the study's formulas and as a machine can keep it",
        "text": ["Time per generated token: the paper leaves prompts out. Base and Full are AttAcc without and with the study's overlap; DCC adds "
                 "tuned mappings and puts the products of queries, keys, values and projection on the devices."],
        "chart": {"axis": "speed-up, harmonic mean of 12 cases", "quantity": "plain", "series": ["paper", "ours"], "bars": bars},
        "tables": [table("Fig. 11, harmonic means", ["", ("paper", "plain"), ("ours", "plain"), "off", ("ours, with prompts", "plain")],
                         means),
                   table("Speed-up by case; prompt + output", ["case", *((g[0], "plain") for g in GAINS), ("DCC, Base / GPU with prompts", "plain"),
                         ("DCC, Full / GPU with prompts", "plain"), ("what the overlap gives DCC, Full / Base", "plain"),
                         ("sound / GPU", "plain"), ("with prompts", "plain")], rows)],
        "notes": ["With DCC the study's formula lets products overlap with attention although both are on the same devices: no machine can do that. "
                  "The sound model has no such overlap, and pays every transfer; it may share products between GPU and devices, feed-forward "
                  "layers too."] + (["Refused by the sound model, so not in its mean: " + "; ".join(refused) + ". The study checks no memory."]
                              if refused else []),
    }


def draw_energy(result, theirs):
    rows, bars = [], []
    pairs = (("Base / GPU", "gpu", "base"), ("Full / GPU", "gpu", "full"), ("DCC, Base / Base", "base", "dcc-base"),
             ("DCC, Full / Full", "full", "dcc-full"), ("sound / GPU", "sound_gpu", "sound"))
    for title, slow, fast in pairs:
        paper = theirs.get(f"{fast}/{slow}")
        ours = mean(result["rows"], slow, fast, "energy_per_token_pj")
        study = mean(result["rows"], slow, fast, "energy_per_token_study_pj")
        rows.append([title, paper, ours, study])
        bars += [{"label": title, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate((paper, ours, study)) if v]
    of = [[label_of(r), *(x for s in ("gpu", "full", "dcc-full", "sound") for k in ("energy_per_token_pj", "energy_per_token_study_pj")
                          for x in [r[s][k] / 1e9 if r[s].get(k) else None])] for r in result["rows"]]
    columns = [(f"{s}, {m}", "plain") for s in ("GPU", "Full", "DCC, Full", "sound") for m in ("ours", "study's")]
    return {
        "about": "Energy per generated token: less by which factor, by our constants and by the study's",
        "text": ["Energy of the slower over the faster, devices, GPU and links, no idle power of GPUs. The study's constants take bits for bytes in "
                 "places; the machines as published have no set of them, so that this column is of the sound model alone."],
        "chart": {"axis": "energy ratio, harmonic mean", "quantity": "plain", "series": ["paper", "our constants", "study's constants"],
                  "bars": bars},
        "tables": [table("Fig. 14, harmonic means of energy ratios", ["", ("paper", "plain"), ("our constants", "plain"),
                                                                      ("study's constants", "plain")], rows),
                   table("Energy per token in mJ", ["case", *columns], of)],
    }


# Fig. 12: tp 8, prompts of 128, 2,048 tokens
# -----------------------------------------------------------------------------------------------------


# AttAcc as published, AttAcc with the products on its devices in its own spread, and DCC.
IN_ITS_SPREAD = {"base-products": "dcc-base", "full-products": "dcc-full"}


def collect_large(runner, options):
    rows = []
    for dtype in ("f16", "f8e4m3"):
        for batch in (4,) if options.is_quick else (4, 16, 64):
            row = {"dtype": dtype, "batch": batch}
            for schedule in ("gpu", *SCHEDULES, *IN_ITS_SPREAD):
                of = IN_ITS_SPREAD.get(schedule, "base" if schedule == "gpu" else schedule)
                more = ["--target", "none"] if schedule == "gpu" else []
                more += ["--map", "reference;mode=inference"] if schedule in IN_ITS_SPREAD else []
                row[schedule] = asked(runner, f"{dtype}-{schedule}", "mt-nlg-310b", batch, (128, 2 if options.is_quick else 2048),
                                      ["--gpus", "8", "--dtype", dtype, "--schedule", f"published-{of}", *more])
            rows.append(row)
    return {"rows": rows}


def draw_large(result, theirs):
    token, products = "token_ns", "products_ns"
    # Title, who is compared with whom and by what, and the paper's number.
    gains = (("DCC, Base / Base", "base", "dcc-base", token, theirs["dcc-base/base"]),
             ("DCC, Full / Full", "full", "dcc-full", token, theirs["dcc-full/full"]),
             ("DCC, Base / Base with products on PIM", "base-products", "dcc-base", token, theirs["dcc-base/base"]),
             ("DCC, Full / Full with products on PIM", "full-products", "dcc-full", token, theirs["dcc-full/full"]),
             ("DCC, Base / GPU", "gpu", "dcc-base", token, None), ("DCC, Full / GPU", "gpu", "dcc-full", token, None),
             ("QKV and projection, DCC / AttAcc's own spread", "base-products", "dcc-base", products, theirs["products"]),
             ("QKV and projection, DCC / GPU", "gpu", "dcc-base", products, None))
    means, bars = [], []
    for title, slow, fast, key, paper in gains:
        ours = mean(result["rows"], slow, fast, key)
        means.append([title, paper, ours, off(ours, paper)])
        bars += [{"label": title, "note": f"{v:.2f}", "series": s, "value": v} for s, v in enumerate((paper, ours)) if v]
    rows = [[f"{r['dtype']}, batch {r['batch']}", *(gain(r, slow, fast, key) for _, slow, fast, key, _ in gains)] for r in result["rows"]]
    refused = sorted({r[s]["refused"] for r in result["rows"] for s in (*SCHEDULES, *IN_ITS_SPREAD) if "refused" in r[s]})
    return {
        "about": "MT-NLG-310B on eight GPUs with five AttAcc devices each",
        "text": ["Time per generated token, prompts of 128, 2,048 tokens. The paper names no batches but the largest, 64; these are ours."],
        **({"chart": {"axis": "speed-up, harmonic mean", "quantity": "plain", "series": ["paper", "ours"], "bars": bars}} if bars else {}),
        "tables": [table("Fig. 12, harmonic means", ["", ("paper", "plain"), ("ours", "plain"), "off"], means),
                   table("Speed-up by case", ["case", *((g[0], "plain") for g in gains)], rows)],
        "notes": ["Not run: " + "; ".join(refused) + "."] if refused else [],
    }
