#!/usr/bin/env python3
"""DCC's Fig. 11: language models on a GPU with AttAcc, by the study's formulas with and without its compiler; harmonic means
beside those of the paper's text. Beside them what prompts do to a gain, and what a schedule that a machine can keep gives.

usage: dcc_llm.py PIMENTO [--only TEXT] [--store FILE.db] [--check]
--only: rows whose name has the text. --store: keeps what was tuned; an empty one takes tens of minutes.
--check: fails where a mean is more than 2 % from the paper's (all rows).
"""

import argparse
import json
import subprocess
import sys

MODELS, BATCHES, LENGTHS = ("gpt3-13b", "llama2-33b"), (1, 4), ((128, 2048), (2048, 128), (2048, 2048))
PUBLISHED = ("base", "full", "dcc-base", "dcc-full")
# Title, who is compared with whom, the paper's mean over all rows.
GAINS = (("DCC, Base / GPU", "gpu", "dcc-base", 1.44), ("DCC, Base / Base", "base", "dcc-base", 1.23),
         ("DCC, Full / GPU", "gpu", "dcc-full", 4.52), ("DCC, Full / Full", "full", "dcc-full", 1.75))
LIMIT = 0.02


def run(pimento, store, model, batch, lengths, options):
    command = [pimento, "llm", model, "--batch", str(batch), "--prompt", str(lengths[0]), "--generate", str(lengths[1]), "--json",
               "--quiet", *options, *(["--store", store] if "none" not in options else [])]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return done.stderr.splitlines()[0]
    answer = json.loads(done.stdout)
    return answer["time_per_token_ns"], answer["time_to_first_token_ns"]


def harmonic(values):
    return len(values) / sum(1 / v for v in values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pimento")
    parser.add_argument("--only", default="")
    parser.add_argument("--store", default="none")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    titles = [g[0] for g in GAINS]
    print("| model, batch, prompt + output | " + " | ".join(titles) + " | Full / GPU with prompts | sound / GPU |")
    print("|---" * (len(titles) + 3) + "|")
    gains, missing = {t: [] for t in titles}, False
    for model in MODELS:
        for batch in BATCHES:
            for lengths in LENGTHS:
                name = f"{model}, {batch}, {lengths[0]} + {lengths[1]}"
                if args.only not in name:
                    missing = True
                    continue
                ask = lambda *options: run(args.pimento, args.store, model, batch, lengths, options)
                times = {"gpu": ask("--schedule", "published-base", "--target", "none")}
                times |= {s: ask("--schedule", f"published-{s}") for s in PUBLISHED}
                refused = next((t for t in times.values() if isinstance(t, str)), None)
                if refused:
                    print(f"| {name} | {refused} |", flush=True)
                    missing = True
                    continue
                cells = []
                for title, slow, fast, _ in GAINS:
                    gains[title].append(times[slow][0] / times[fast][0])
                    cells.append(f"{gains[title][-1]:.3f}")
                whole = {s: first + token * (lengths[1] - 1) for s, (token, first) in times.items()}
                sound, alone = ask("--target", "attacc", "--map", "reference"), ask("--target", "none")
                ours = f"{alone[0] / sound[0]:.3f}" if not isinstance(sound, str) and not isinstance(alone, str) else "-"
                print(f"| {name} | " + " | ".join(cells) + f" | {whole['gpu'] / whole['dcc-full']:.3f} | {ours} |", flush=True)
    failed = False
    if any(gains.values()):
        means = [harmonic(gains[t]) for t in titles]
        print("| harmonic mean | " + " | ".join(f"{m:.3f}" for m in means) + " | | |")
        print("| the paper's text | " + " | ".join(str(g[3]) for g in GAINS) + " | | |")
        failed = any(abs(m / g[3] - 1) > LIMIT for m, g in zip(means, GAINS))
    if args.check and (failed or missing):
        sys.exit("Fig. 11: a mean is more than 2 % from the paper's, or rows are missing")


if __name__ == "__main__":
    main()
