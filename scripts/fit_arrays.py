#!/usr/bin/env python3
"""Fits the sets of machines/arrays: energy, latency, leakage and area of memory arrays from rows of other models.

    scripts/fit_arrays.py           writes machines/arrays/*.yaml and the table of docs/models/arrays.md, prints the table
    scripts/fit_arrays.py --check   writes nothing; status 1 if a file would change or a fit is worse than its bound

The rows stand in validation/cim. Every quantity of a set is a sum of terms with coefficients that are not negative:

    column * bits * ways read + wires * bits * sqrt(s) + edge * sqrt(s) + size * s + constant

and for latency tags * sqrt(s) where tags come before data; s is the size in KiB. Operations are fitted as what they take
beyond a read. Coefficients minimise the sum of squared
relative errors: of every subset of the terms the least squares are solved, and of those without a negative
coefficient the best is taken. Each row but the largest and the smallest is then left out in turn and predicted from the
others. Plain Python: any machine gives the same digits.
"""

import csv
import functools
import math
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = ROOT / "validation" / "cim"
SETS = ROOT / "machines" / "arrays"
PAGE = ROOT / "docs" / "models" / "arrays.md"
BEGIN, END = "<!-- table: scripts/fit_arrays.py -->\n", "<!-- end of table -->\n"
TERMS = ("column", "wires", "edge", "size", "constant", "tags")
LINE = 512  # bits
FIT, LEFT_OUT, MEAN = 1.5, 2.0, 1.25  # bounds of the factor between a row and its model; the last for cacti7
BOUNDED = ("cacti7", "destiny", "release-constants")
OPERATIONS = ("cim_read", "and", "or", "xor", "add", "sub")
SINGULAR = 1e-10


def solve(matrix, right):
    """Gaussian elimination with pivots; nothing where the matrix is singular."""
    n = len(matrix)
    m = [row + [r] for row, r in zip(matrix, right)]
    for c in range(n):
        p = max(range(c, n), key=lambda q: abs(m[q][c]))
        if abs(m[p][c]) < SINGULAR:
            return None
        m[c], m[p] = m[p], m[c]
        for q in range(n):
            if q != c:
                f = m[q][c] / m[c][c]
                m[q] = [a - f * b for a, b in zip(m[q], m[c])]
    return [m[i][n] / m[i][i] for i in range(n)]


def fit(features, values):
    """The coefficients, none negative, with the least sum of squared relative errors."""
    return least_squares(tuple(map(tuple, features)), tuple(values))


@functools.lru_cache(maxsize=None)
def least_squares(features, values):
    rows = [[f / v for f in row] for row, v in zip(features, values)]
    best, least = None, math.inf
    for subset in range(1, 1 << len(rows[0])):
        chosen = [i for i in range(len(rows[0])) if subset >> i & 1]
        scale = [math.sqrt(sum(r[i] ** 2 for r in rows)) for i in chosen]
        if len(chosen) > len(rows) or min(scale) == 0:
            continue
        normal = [[sum(r[i] * r[j] for r in rows) / s / t for j, t in zip(chosen, scale)] for i, s in zip(chosen, scale)]
        x = solve(normal, [sum(r[i] for r in rows) / s for i, s in zip(chosen, scale)])
        if x is None or min(x) < 0:
            continue
        whole = [0.0] * len(rows[0])
        for i, v, s in zip(chosen, x, scale):
            whole[i] = v / s
        error = sum((sum(a * b for a, b in zip(r, whole)) - 1) ** 2 for r in rows)
        if error < least - 1e-12:
            best, least = whole, error
    return best


def features(row, has_tags):
    size = row["size"] / 1024
    ways = 1 if row["access"] == "sequential" else row["ways"]
    terms = [row["bits"] * ways, row["bits"] * math.sqrt(size), math.sqrt(size), size, 1.0]
    return terms + [math.sqrt(size) if row["access"] == "sequential" else 0.0] if has_tags else terms


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def table(name):
    with open(ROWS / name, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def number(text):
    return float(re.match(r"[\d.]+", text).group())


def row_of(size, ways, bits=LINE, access="normal", **quantities):
    values = {k: v for k, v in quantities.items() if v is not None}
    return {"size": size, "ways": ways, "bits": bits, "access": access, **values}


def cacti7():
    models = {}
    for r in table("cacti7_45nm_caches.csv"):
        height, width = (float(x) for x in r["hw"].split(" x "))
        models.setdefault(("sram", r["dev"].removeprefix("itrs-")), []).append(
            row_of(int(r["size"]), int(r["assoc"]), int(r["outbits"]), r["mode"], read=1e3 * float(r["read_nJ"]),
                   write=1e3 * float(r["write_nJ"]), latency=float(r["access_ns"]),
                   leakage=float(r["leak_mW"]) + float(r["gate_mW"]), area=height * width))
    return models


def destiny():
    rows = [row_of(1024 * int(r["size_kB"]), int(r["ways"]), int(r["word_bits"]), read=1e3 * number(r["read_hit"]),
                   write=1e3 * number(r["write"]), latency=number(r["hit_latency"]),
                   write_latency=number(r["write_latency"]), leakage=number(r["leakage"]), area=number(r["area"]))
            for r in table("destiny_45nm_caches.csv") if "SRAM" in r["cell"] and r["opt_target"] == "WriteEDP"]
    return {("sram", "hp"): rows}


def leakage_in_cells():
    """What the SRAM of DESTINY leaks beyond arrays of the same size whose cells do not leak, as a share."""
    rows = [r for r in table("destiny_45nm_caches.csv") if r["opt_target"] == "WriteEDP"]
    sram = {(r["size_kB"], r["ways"]): number(r["leakage"]) for r in rows if "SRAM" in r["cell"]}
    shares = [1 - number(r["leakage"]) / sram[r["size_kB"], r["ways"]] for r in rows if "SRAM" not in r["cell"]]
    return sum(shares) / len(shares)


def decode_share():
    """Of what CACTI's HP arrays take for a read outside of columns, the mean share of edges: decoders and word lines."""
    rows = cacti7()["sram", "hp"]
    edges = []
    for row in rows:
        terms = [f * c for f, c in zip(features(row, False), coefficients_of(rows, "read", False))]
        edges.append((terms[2] + terms[4]) / sum(terms[1:]))
    return sum(edges) / len(edges)


def release_constants():
    models = {}
    for r in table("evacim_code_energy_ratios.csv"):
        isSram = r["tech"] == "SRAM"
        logic, total = float(r["and_or"]), float(r["xor_add"])
        models.setdefault((r["tech"].lower(), "any"), []).append(
            row_of(1024 * int(r["size_kB"]), int(r["ways"]),
                   read=float(r["base_sram_read" if isSram else "cim_array_read"]),
                   cim_read=float(r["cim_array_read"]) if isSram else None,
                   **{"and": logic, "or": logic, "xor": total, "add": total, "sub": total}))
    return models


def mcpat():
    """First data caches as read in all ways, second ones after their tags: McPAT does not print which it takes."""
    models = {}
    for r in table("mcpat13_cache_anchors.csv"):
        for cache, name, bits, access in (("D$", "l1", 8 * int(r["l1_block_B"]), "normal"), ("L2", "l2", LINE, "sequential")):
            size, ways = re.fullmatch(r"(\d+)kB/(\d+)w", r[name]).groups()
            value = lambda quantity: float(r[cache + quantity]) if r[cache + quantity] else None
            leaks = value("_leak_sub_mW")
            row = row_of(1024 * int(size), int(ways), bits, access, read=value("_read_pJ"), write=value("_write_pJ"),
                         leakage=leaks and leaks + value("_leak_gate_mW"), area=value("_area_mm2"))
            rows = models.setdefault(("sram", r["device"].lower()), [])
            same = [o for o in rows if all(o[k] == row[k] for k in ("size", "ways", "bits", "access", "read"))]
            if not same:
                rows.append(row)
    return models


UNITS = {"latency": "ns", "write_latency": "ns", "leakage": "mW", "area": "mm2"}  # all others pJ


def unit(quantity):
    return UNITS.get(quantity, "pJ")


def left_out(row, rows):
    """Whether a row is predicted from the others: not the one largest, or smallest, array."""
    sizes = [r["size"] for r in rows]
    return sizes.count(row["size"]) > 1 or row["size"] not in (min(sizes), max(sizes))


def coefficients_of(rows, quantity, tags):
    """Of an operation: of what it takes beyond a read."""
    rows = [r for r in rows if quantity in r]
    base = "read" if quantity in OPERATIONS else None
    return fit([features(r, tags) for r in rows], [r[quantity] - (r[base] if base else 0) for r in rows])


def factor_of(row, rows, quantity, tags):
    """How many times a model of `rows` misses a row."""
    value = dot(features(row, tags), coefficients_of(rows, quantity, tags))
    if quantity in OPERATIONS:
        value += dot(features(row, tags), coefficients_of(rows, "read", tags))
    return max(value / row[quantity], row[quantity] / value)


def fitted(name, models):
    """Coefficients by model and quantity, and a line of the report for each."""
    coefficients, report = {}, []
    for model, rows in models.items():
        for q in (q for q in rows[0] if q not in ("size", "ways", "bits", "access")):
            has = [r for r in rows if q in r]
            tags = q == "latency" and any(r["access"] == "sequential" for r in has)
            coefficients[model, q] = coefficients_of(has, q, tags)
            all_in = [factor_of(r, has, q, tags) for r in has]
            left = [factor_of(r, [o for o in has if o is not r], q, tags) for r in has if left_out(r, has)]
            report.append({"set": name, "cell": model[0], "device": model[1], "quantity": q, "rows": len(has),
                           "fit": max(all_in), "left": max(left), "mean": sum(left) / len(left)})
    return coefficients, report


HEAD = """# %(title)s
#
# Generated by scripts/fit_arrays.py from validation/cim/%(rows)s: run it, do not edit.
name: %(name)s
about: >-
%(about)s
technology: 45 nm
access: [%(access)s]
source: "%(source)s"
confidence: paper
covers: {smallest: %(smallest)d KiB, largest: %(largest)d KiB}
"""

ABOUT = {
    "cacti7": ("Memory arrays as CACTI 7 has them", "cacti7_45nm_caches.csv", "normal, sequential",
               "Caches by CACTI 7 at 45 nm and 360 K with lines of 64 B, words of 32 bits or whole lines read.",
               "CACTI 7 at 45 nm, 360 K, 33 rows, fitted by scripts/fit_arrays.py"),
    "destiny": ("Memory arrays as DESTINY has them", "destiny_45nm_caches.csv", "normal",
                "Caches by DESTINY at 45 nm and 350 K, HP, optimised for the product of write energy and delay.",
                "DESTINY at 45 nm, 350 K, 5 rows of SRAM with WriteEDP, fitted by scripts/fit_arrays.py"),
    "release-constants": ("Memory arrays as Eva-CiM's released patch of McPAT has them", "evacim_code_energy_ratios.csv",
                          "normal", "Constants of Eva-CiM's released patch of McPAT: reads and operations of SRAM and "
                          "FeFET. There an OR costs what an AND does, sums and differences what an XOR does.",
                          "constants of Eva-CiM's released patch of McPAT, 7 rows per cell, fitted by scripts/fit_arrays.py"),
    "mcpat": ("Memory arrays as McPAT has them", "mcpat13_cache_anchors.csv", "normal, sequential",
              "Caches of a core by McPAT 1.3 at 45 nm. First caches are taken as read in all ways, second ones as read "
              "after their tags.", "McPAT 1.3 at 45 nm, caches of a Cortex-A9, fitted by scripts/fit_arrays.py"),
}


def head(name, sizes):
    title, rows, access, about, source = ABOUT[name]
    return HEAD % {"title": title, "rows": rows, "name": name,
                   "about": textwrap.fill(about, 118, initial_indent="  ", subsequent_indent="  "), "access": access, "source": source,
                   "smallest": min(sizes) // 1024, "largest": max(sizes) // 1024}


def set_text(name, models, coefficients):
    text = head(name, [r["size"] for rows in models.values() for r in rows])
    if name != "release-constants":
        text += ("leakage_in_cells:\n  value: %.4g %%\n  source: \"DESTINY: SRAM against arrays of the same size whose cells do "
                 "not leak\"\n  confidence: %s\n" % (100 * leakage_in_cells(), "paper" if name == "destiny" else "assumed"))
        text += "reference: sram\n"
    if any(not coefficients[m, "read"][2] and not coefficients[m, "read"][4] for m in models):
        text += ("decode_share:\n  value: %.4g %%\n  source: \"mean of set cacti7's HP arrays\"\n  confidence: assumed\n" %
                 (100 * decode_share()))
    text += "models:\n"
    for cell in dict.fromkeys(c for c, _ in models):
        text += "  %s:\n" % cell
        for device in (d for c, d in models if c == cell):
            text += "    %s:\n" % device
            for (model, quantity), found in coefficients.items():
                if model == (cell, device):
                    terms = ["%s: %.6g %s" % (t, v, unit(quantity)) for t, v in zip(TERMS, found) if v > 0]
                    text += "      %s: {%s}\n" % (quantity, ", ".join(terms))
    return text


def table3_text():
    text = """# Memory arrays of Eva-CiM's Table III
#
# Generated by scripts/fit_arrays.py from validation/cim/evacim_table3_energy_pJ.csv: run it, do not edit.
name: table3
about: >-
  Eva-CiM's Table III: reads and operations of two caches, as SRAM and as FeFET. Other arrays are not in it.
technology: 45 nm
access: [normal]
source: "Eva-CiM, Table III"
confidence: paper
table:
"""
    for r in table("evacim_table3_energy_pJ.csv"):
        ways, size = re.fullmatch(r"(\d+)-way/(\d+)kB", r["config_as_labelled"]).groups()
        text += ("  %s_%s: {cell: %s, size: %s KiB, ways: %s count, line: 64 B, read: %s pJ, or: %s pJ, and: %s pJ, xor: %s pJ, "
                 "add: %s pJ}\n" % (r["technology"].lower(), r["level"].lower(), r["technology"].lower(), size, ways,
                                    r["nonCiM_read"], r["CiM_OR"], r["CiM_AND"], r["CiM_XOR"], r["CiM_ADDW32"]))
    return text


def report_text(report):
    """A row for each model: worst factor of a row, of one that is left out, and the mean of those."""
    columns = {"read": "read", "write": "write", "latency": "latency", "write_latency": "write's latency",
               "leakage": "leakage", "area": "area", "cim_read": "computing read", "and": "AND, OR", "xor": "XOR, sum"}
    lines = ["| set | cell | device | rows | %s |" % " | ".join(columns.values()), "|" + "---|" * (4 + len(columns))]
    for key in dict.fromkeys((r["set"], r["cell"], r["device"]) for r in report):
        has = {r["quantity"]: r for r in report if (r["set"], r["cell"], r["device"]) == key}
        cells = ["%(fit).2f, %(left).2f, %(mean).2f" % has[c] if c in has else "" for c in columns]
        lines.append("| `%s` | %s | %s | %d | %s |" % (*key, max(r["rows"] for r in has.values()), " | ".join(cells)))
    return "\n".join(lines) + "\n"


def beyond_bounds(report):
    """What is worse than promised, as sentences."""
    bad = []
    for r in report:
        if r["set"] not in BOUNDED:
            continue
        what = "%(set)s, %(cell)s %(device)s, %(quantity)s" % r
        if r["fit"] > FIT:
            bad.append("%s: a row is missed %.2f times" % (what, r["fit"]))
        if r["left"] > LEFT_OUT:
            bad.append("%s: a row that is left out is missed %.2f times" % (what, r["left"]))
        if r["set"] == "cacti7" and r["mean"] > MEAN:
            bad.append("%s: rows that are left out are missed %.2f times in the mean" % (what, r["mean"]))
    return bad


def page_with(page, rows):
    head, rest = page.split(BEGIN)
    return head + BEGIN + rows + END + rest.split(END, 1)[1]


def main(words):
    if words not in ([], ["--check"]):
        sys.exit(__doc__)
    files, report = {SETS / "table3.yaml": table3_text()}, []
    for name, models in (("release-constants", release_constants()), ("cacti7", cacti7()), ("destiny", destiny()),
                         ("mcpat", mcpat())):
        coefficients, lines = fitted(name, models)
        report += lines
        files[SETS / (name + ".yaml")] = set_text(name, models, coefficients)
    rows = report_text(report)
    if PAGE.exists():
        files[PAGE] = page_with(PAGE.read_text(encoding="utf-8"), rows)
    print(rows, end="")
    bad = beyond_bounds(report)
    for path, text in files.items():
        if not words:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            bad.append("%s is not what the rows give: run scripts/fit_arrays.py" % path.relative_to(ROOT))
    if bad:
        sys.exit("\n".join(bad))


if __name__ == "__main__":
    main(sys.argv[1:])
