"""Makes pages with the built tool and has scripts/check_pages.py look at them, in Chromium where there is one.

usage: pages_test.py TOOL SOURCE_DIR

Pages of every result in test/unit/emit/pages, of all of them together, of a fresh run with its timeline, and of a
timeline of 100,000 events. Then pages that are broken on purpose, which must be found out.
"""

import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

NOT_RUN = 77
EVENTS = 100_000

# What is done to a page, and a word of the finding that it must give; the last ones need a browser.
BROKEN_TEXT = [
    ("</main>", "", "not closed|where"),
    ('<html lang="en">', "<html>", "no language"),
    ("<h3 ", "<h5 ", "after <h2>"),
    ("</main>", '<img src="//example.com/x.png"/></main>', "loads something"),
    ("</main>", '<p id="reading">x</p></main>', "there twice"),
    ('href="#s1-1"', 'href="#nowhere"', "nothing has the id"),
    ("</style>", "@import 'x';</style>", "style sheet loads"),
]
BROKEN_IN_BROWSER = [
    ("</main>", "<script>nothing.at.all();</script></main>", "script error"),
    ("</main>", '<script>console.error("hm");</script></main>', "console.error"),
    ("</main>", '<div style="width: 2000px">x</div></main>', "scrolls sideways"),
    ('class="axis-title"', 'class="axis-name"', "axis without title"),
]


def long_trace():
    """As `simulate --trace` writes it, but made up."""
    rng = random.Random(7)
    banks = 16
    events = [
        {"ph": "M", "name": "thread_name", "pid": 2, "tid": 2, "args": {"name": "commands"}},
        {"ph": "X", "name": "transfer in", "pid": 1, "tid": 1, "ts": 0, "dur": 5, "args": {}},
    ]
    for bank in range(banks):
        name = f"rank 0 group {bank // 4} bank {bank % 4} (bank {bank})"
        events.append({"ph": "M", "name": "thread_name", "pid": 2, "tid": 3 + bank, "args": {"name": name}})
    cycle = 5000
    while len(events) < EVENTS:
        bank, row, begin = rng.randrange(banks), rng.randrange(1 << 14), cycle
        for column in range(rng.randrange(1, 30)):
            kind = rng.choice(["RD", "RD", "WR"]) if column else "ACT"
            args = {"bank": bank, "row": row}
            if column:
                args |= {"column": column, "purpose": "pim_mac"}
            events.append({"ph": "X", "name": kind, "pid": 2, "tid": 2, "ts": cycle / 1000, "dur": 0.001, "args": args})
            cycle += rng.randrange(2, 9)
        events.append({"ph": "X", "name": f"row {row}", "pid": 2, "tid": 3 + bank, "ts": begin / 1000,
                       "dur": (cycle - begin) / 1000, "args": {"row": row}})
    return {"traceEvents": events, "otherData": {"kernel": "made up", "target": "none", "clock_ghz": 1, "dropped": 0}}


def main():
    tool, source = sys.argv[1], Path(sys.argv[2])
    check = [sys.executable, str(source / "scripts/check_pages.py")]
    results = sorted((source / "test/unit/emit/pages").glob("*.json"))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)

        def make(name, inputs):
            subprocess.run([tool, "report", *map(str, inputs), "-o", str(folder / name)], check=True)
            return str(folder / name)

        pages = [make(r.stem + ".html", [r]) for r in results]
        pages.append(make("all.html", results))
        run = subprocess.run([tool, "simulate", "gemv", "--size", "m=1024,n=512", "--json", "--trace",
                              str(folder / "trace.json")], capture_output=True, check=True)
        (folder / "run.json").write_bytes(run.stdout)
        pages.append(make("fresh.html", [folder / "run.json", folder / "trace.json"]))
        (folder / "long.json").write_text(json.dumps(long_trace()), encoding="utf-8")
        pages.append(make("long.html", [folder / "long.json"]))

        checked = subprocess.run([*check, *pages], check=False)
        if checked.returncode not in (0, NOT_RUN):
            return 1
        has_browser = checked.returncode == 0

        failures = 0
        good = Path(pages[[r.stem for r in results].index("mappings")]).read_text(encoding="utf-8")
        for old, new, word in BROKEN_TEXT + (BROKEN_IN_BROWSER if has_browser else []):
            broken = folder / "broken.html"
            assert old in good, old
            broken.write_text(good.replace(old, new), encoding="utf-8")
            mode = ["--text-only"] if (old, new, word) in BROKEN_TEXT else []
            found = subprocess.run([*check, *mode, str(broken)], capture_output=True, text=True, check=False)
            if found.returncode != 1 or not any(w in found.stdout for w in word.split("|")):
                print(f"not found out: {old!r} -> {new!r}\n{found.stdout}{found.stderr}")
                failures += 1
        if failures:
            return 1
    return checked.returncode


if __name__ == "__main__":
    sys.exit(main())
