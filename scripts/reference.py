#!/usr/bin/env python3
"""Writes the reference as Markdown pages, from the tool and the source: verbs, machine files, machines, zoo, diagnostics,
validation, MLIR operations (scripts/mlir_table.py).

usage: reference.py TOOL SOURCE_DIR OUT_DIR

Reference points that are not in validation/ are looked for in $PIMENTO_POINTS; without that, the page says "not run here".
"""

import json
import os
import subprocess
import sys
from pathlib import Path

tool, source, out = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3])


def run(*arguments, environment=None):
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True, env=environment).stdout


def write(name, title, *parts):
    (out / f"{name}.md").write_text("\n\n".join([f"# {title}", *parts]) + "\n", encoding="utf-8")


def code(text):
    return f"```text\n{text.rstrip()}\n```"


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(c).replace("|", "\\|").replace("<", "&lt;") for c in row) + " |" for row in lines)


def verbs():
    text = run("--help")
    names = [line.split()[0] for line in text.split("Subcommands:")[1].split("\n\n")[0].splitlines() if line.strip()]
    write("verbs", "Verbs", "What `--help` says. The contract, JSON keys included, is [the command line](../docs/cli.md).", code(text),
          *(f"## {n}\n\n{code(run(n, '--help').replace(tool, 'pimento'))}" for n in names))


def schema():
    rows = json.loads(run("targets", "--schema", "--json"))["schema"]
    cells = [(f"`{r['path']}`", r["kind"], r.get("units") or ", ".join(r.get("choices", [])), "yes" if r["required"] else "",
              r["meaning"]) for r in rows]
    write("machine-files", "Machine files",
          "Every key a machine file may hold. `*` stands for a name that the file chooses; rows under `**.` may stand "
          "anywhere. Needed means: where the section around it is there. Numbers carry one of their units; a formula is a "
          "number or a formula over names of `timing` and paths of other numbers.",
          table(["key", "kind", "units or choices", "needed", "meaning"], cells))


def machines():
    listed = json.loads(run("targets", "--json"))["targets"]
    parts = []
    for t in listed:
        m = json.loads(run("targets", t["name"], "--json"))
        rows = [(f"`{path}`", f"{n['value']:g} {n['unit']}" + (f" ({n['range'][0]:g} to {n['range'][1]:g})" if "range" in n else ""),
                 n["confidence"], n["source"]) for path, n in m["numbers"].items()]
        parts += [f"## {t['name']}", m["about"], "\n".join(f"* {note}" for note in m["notes"]),
                  table(["number", "value", "confidence", "source"], rows)]
    write("machines", "Machines", "Every number of every machine, with its range where sources disagree.", *parts)


def zoo():
    listed = json.loads(run("kernels", "--json"))["kernels"]
    rows = [(f"`{k['name']}`", k["about"], ", ".join(f"{n}={v}" for n, v in k["sizes"].items()), ", ".join(k["variants"]))
            for k in listed]
    write("kernels", "Kernels", "`pimento kernels NAME` prints a definition in full.",
          table(["name", "what it computes", "sizes", "variants"], rows))


def validation():
    points = os.environ.get("PIMENTO_POINTS")
    parts = ["Our cycles against reference points, made by `pimento validate` when this site was built."]
    folders = [p for p in sorted((source / "validation").iterdir()) if p.is_dir()]
    for folder in folders:
        inside = {k: v for k, v in os.environ.items() if k != "PIMENTO_POINTS"}
        parts += [f"## {folder.name}", "The project's own table:", code(run("validate", folder.name, environment=inside))]
        elsewhere = Path(points) / "validation" / folder.name if points else None
        parts.append("`$PIMENTO_POINTS`: " + ("not run here" if elsewhere is None or not elsewhere.exists() else "\n\n" + code(run("validate", folder.name))))
    write("validation", "Validation", *parts)


out.mkdir(parents=True, exist_ok=True)
for make in (verbs, machines, zoo, validation):
    make()
if "--schema" in run("targets", "--help"):
    schema()
(out / "diagnostics.md").write_text(
    subprocess.run([sys.executable, source / "scripts/diagnostics_table.py", source], check=True, capture_output=True, text=True).stdout,
    encoding="utf-8")
(out / "mlir-ops.md").write_text(
    subprocess.run([sys.executable, source / "scripts/mlir_table.py", Path(tool).resolve()], check=True, capture_output=True, text=True).stdout,
    encoding="utf-8")
