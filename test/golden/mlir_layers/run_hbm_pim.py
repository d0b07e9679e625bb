#!/usr/bin/env python3
"""Runs the MLIR files of a folder on HBM-PIM, those of f32 in f16: each answer is checked, `estimate` gives the time of
`simulate`, and a report or a diagnostic names every part that stays on the host.

usage: run_hbm_pim.py FOLDER PIMENTO LEAST [EVERY]
LEAST: so many files must have a part on the device.
EVERY: of the files in the order of their names, only the first of each EVERY.
"""

import json
import subprocess
import sys
from pathlib import Path

# Why a whole file may stay on the host: what the unit lacks.
REASONS = ("unsupported-type", "unsupported-op", "unsupported-form")


def run(*command):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def results(pimento, text, options):
    """Reports of both evaluators, or what was said instead."""
    reports = []
    for verb in ("simulate", "estimate"):
        status, out, said = run(pimento, verb, text, "--target", "hbm-pim", "--set", "channels=4", "--json", *options)
        if status != 0:
            return None, said
        reports.append(json.loads(out))
    return reports, ""


def complaints(pimento, text):
    """What is wrong with the runs of one text, and whether the device computes something."""
    source = text.read_text()
    first = source.splitlines()[0]
    options = first.split(": ")[1].split() if first.startswith("// pimento: ") else []
    if "f32" in source:
        options += ["--convert", "f32=f16"]
    reports, said = results(pimento, text, options)
    if reports is None:
        if not any(f"[{reason}]" in said for reason in REASONS):
            return [said.strip()], False
        reports, said = results(pimento, text, options + ["--offload", "possible"])
        if reports is None:
            return [said.strip()], False
    simulated, estimated = reports
    wrong = []
    if not simulated["checked"]:
        wrong.append("the answer was not checked")
    for key in ("cycles", "total_cycles", "energy_pj", "breakdown"):
        if simulated[key] != estimated[key]:
            wrong.append(f"{key}: {simulated[key]} simulated, {estimated[key]} estimated")
    stages = simulated["stages"]
    wrong += [f"{s['kernel']} is on the host without a reason" for s in stages if s["where"] == "host" and not s["why"]]
    return wrong, simulated["cycles"] > 0


def main():
    folder, pimento, least = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    every = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    texts = sorted(folder.glob("*.mlir"))[::every]
    onDevice, failed = 0, 0
    for text in texts:
        wrong, hasPart = complaints(pimento, text)
        onDevice += hasPart
        failed += bool(wrong)
        for w in wrong:
            print(f"{text.name}: {w}")
    print(f"{len(texts)} texts, {onDevice} with a part on the device, {failed} wrong")
    return 1 if failed or onDevice < least else 0


if __name__ == "__main__":
    sys.exit(main())
