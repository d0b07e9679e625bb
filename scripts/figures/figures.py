#!/usr/bin/env python3
"""Regenerates the figures of a paper: ours beside theirs, as SVG, CSV, JSON and one page.

usage: figures.py PAPER [--tool PATH] [--out DIR] [--only NAME,...] [--count N] [--seed N] [--quick] [--update-docs]
       figures.py PAPER --check-docs

    --only         some of the figures; what earlier runs left of the others stays in the page. Some figures take up to an
                   hour and are made only when they are named here
    --count        random mappings per kernel (default 1024, as in the paper)
    --quick        tiny sizes and counts: runs everything in seconds; its numbers are not meaningful
    --update-docs  puts the numbers into docs/papers/PAPER.json and the tables into docs/papers/PAPER.md
    --check-docs   runs nothing; says whether the page has the tables of the numbers

Reference points that are not part of the project are looked for in $PIMENTO_POINTS; without, a figure says "not run here".
The result: DIR/index.html, and per figure NAME.svg, NAME.csv, NAME.json; DIR/raw has what the tool printed. Everything but
measured seconds is the same in every run.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import comonm  # noqa: E402
import dcc  # noqa: E402
import eva_cim  # noqa: E402
import infinity_stream  # noqa: E402
import tables  # noqa: E402
from runner import Failed, Runner  # noqa: E402

SOURCE = Path(__file__).resolve().parents[2]
PAPERS = {"comonm": comonm, "dcc": dcc, "infinity-stream": infinity_stream, "eva-cim": eva_cim}


class Usage(Exception):
    pass


def chosen(paper, only):
    """Names of figures, in the paper's order."""
    names = [n for n in (only or "").split(",") if n]
    for name in names:
        if name not in paper.FIGURES:
            raise Usage(f"no figure '{name}'; figures: {', '.join(paper.FIGURES)}")
    alone = getattr(paper, "ALONE", ())
    return [n for n in paper.FIGURES if (n in names if names else n not in alone)]


def collected(paper, name, runner, options):
    """The numbers of a figure; `partly_run` where something is not here."""
    result = paper.FIGURES[name].collect(runner, options)
    return unmeasured(result) | {"is_quick": True} if options.is_quick else result


def unmeasured(value):
    """The same with all measured seconds 0, so that two runs are equal."""
    if isinstance(value, list):
        return [unmeasured(v) for v in value]
    if not isinstance(value, dict):
        return value
    return {k: 0 if k.endswith("seconds") else unmeasured(v) for k, v in value.items()}


def write(paper, name, result, runner, out):
    """The files of one figure."""
    figure = paper.drawn(name, result)
    path = out / f"{name}.json"
    path.write_text(json.dumps(figure, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / "raw").mkdir(exist_ok=True)
    (out / "raw" / f"result-{name}.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for number, t in enumerate(figure.get("tables", [])):
        suffix = f"-{number + 1}" if number else ""
        (out / f"{name}{suffix}.csv").write_text(tables.to_csv(t), encoding="utf-8")
    if "chart" in figure:
        report(runner.tool, [path], out / f"{name}.svg")
    return figure


def report(tool, inputs, output):
    done = subprocess.run([str(tool), "report", *map(str, inputs), "-o", str(output)], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise Failed(f"{output.name} could not be made\n  {done.stderr.strip()}")


def page_texts(name_of_paper, results):
    """What stands in the documentation, per figure: its tables and notes as Markdown."""
    paper, texts = PAPERS[name_of_paper], {}
    for name in paper.FIGURES:
        if name not in results:
            texts[name] = f"Not run yet: `make figures PAPER={name_of_paper} ONLY={name}`.\n"
            continue
        figure = paper.drawn(name, results[name])
        parts = [tables.wrapped(t) for t in figure.get("text", [])]
        parts += [tables.to_markdown(t) for t in figure.get("tables", [])]
        parts += [tables.wrapped(n) for n in figure.get("notes", [])]
        texts[name] = "\n".join(parts)
    return texts


def docs_of(name):
    return SOURCE / "docs" / "papers" / f"{name}.json", SOURCE / "docs" / "papers" / f"{name}.md"


def update_docs(name, new):
    """Replaces the numbers of figures that were run; a figure that could not be, or in part only, keeps those it has."""
    numbers, page = docs_of(name)
    results = json.loads(numbers.read_text(encoding="utf-8")) if numbers.exists() else {}
    # The times of all mappings make the chart; the tables need their summary only.
    results |= {k: {n: x for n, x in v.items() if n != "times"} for k, v in new.items() if "partly_run" not in v}
    text = tables.filled(page.read_text(encoding="utf-8"), page_texts(name, results))
    results = {n: results[n] for n in PAPERS[name].FIGURES if n in results}
    numbers.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page.write_text(text, encoding="utf-8")


def check_docs(name):
    numbers, page = docs_of(name)
    text = page.read_text(encoding="utf-8")
    results = json.loads(numbers.read_text(encoding="utf-8"))
    if any(r.get("is_quick") for r in results.values()):
        raise Failed(f"{numbers.name} has numbers of a quick run")
    if tables.filled(text, page_texts(name, results)) != text:
        raise Failed(f"the tables of docs/papers/{name}.md are not those of {name}.json: figures.py {name} --update-docs")


def make(arguments):
    paper = PAPERS[arguments.paper]
    out = arguments.out or SOURCE / "build" / "figures" / arguments.paper
    out.mkdir(parents=True, exist_ok=True)
    points = os.environ.get("PIMENTO_POINTS")
    runner = Runner(arguments.tool, out, Path(points) if points and Path(points).is_dir() else None)
    if getattr(paper, "KEEPS_STORE", False):
        runner.store = out / "results.db"
    options = paper.Options(count=3 if arguments.quick else arguments.count, seed=arguments.seed, is_quick=arguments.quick)
    new = {}
    for name in chosen(paper, arguments.only):
        begin = time.monotonic()
        print(f"{paper.FIGURES[name].title} ({name})", file=sys.stderr)
        new[name] = collected(paper, name, runner, options)
        write(paper, name, new[name], runner, out)
        print(f"  {time.monotonic() - begin:.1f} s" + (": partly run" if "partly_run" in new[name] else ""), file=sys.stderr)
    if arguments.update_docs:
        update_docs(arguments.paper, new)
    made = [p for n in paper.FIGURES if (p := out / f"{n}.json").exists()]
    report(arguments.tool, made, out / "index.html")
    print(out / "index.html")


def main():
    parser = argparse.ArgumentParser(description="Regenerates the figures of a paper.")
    parser.add_argument("paper")
    parser.add_argument("--tool", type=Path, default=SOURCE / "build/bin/pimento")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--count", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--update-docs", action="store_true")
    parser.add_argument("--check-docs", action="store_true")
    arguments = parser.parse_args()
    try:
        if arguments.paper not in PAPERS:
            raise Usage(f"no paper '{arguments.paper}'; papers: {', '.join(PAPERS)}")
        if arguments.quick and arguments.update_docs:
            raise Usage("the numbers of a quick run do not go into the page")
        if arguments.check_docs:
            check_docs(arguments.paper)
        else:
            make(arguments)
    except Usage as wrong:
        print(f"figures: {wrong}", file=sys.stderr)
        return 2
    except (Failed, ValueError, OSError) as failure:
        print(f"figures: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
