"""Tables of figures as CSV and as Markdown, and the places in a page where they go.

A table is what `pimento report` shows (docs/reports.md): a caption, columns (those with a quantity are numbers), and rows
of texts, numbers and None. Markdown rounds as the report does; CSV does not.
"""

import csv
import io
import re
import textwrap

BLOCK = re.compile(r"(<!-- figure (?P<name>[\w-]+)[^>]*-->\n)(.*?)(<!-- end of figure -->)", re.DOTALL)
TIMES = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1, "ns"))


def table(caption, columns, rows):
    """Columns: "name", or ("name", "percent") of numbers."""
    named = [{"name": c} if isinstance(c, str) else {"name": c[0], "quantity": c[1]} for c in columns]
    for row in rows:
        if len(row) != len(named):
            raise ValueError(f"{caption}: {len(row)} cells for {len(named)} columns: {row}")
    return {"caption": caption, "columns": named, "rows": [list(r) for r in rows]}


def harmonic(values):
    """The mean that papers take of speed-ups; None of nothing."""
    return len(values) / sum(1 / v for v in values) if values else None


def off(ours, theirs):
    """How far ours is from theirs."""
    return f"{100 * (ours / theirs - 1):+.1f} %" if ours and theirs else None


def rounded(value, digits=4):
    """At most so many significant digits, no exponent between 1e-4 and 1e9, thousands grouped."""
    if value == 0:
        return "0"
    if not 1e-4 <= abs(value) < 1e9:
        return f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")
    if float(value).is_integer() and abs(value) < 1e7:
        return f"{int(value):,}"
    text = f"{float(f'{value:.{digits}g}'):.10f}".rstrip("0").rstrip(".")
    whole, dot, rest = text.partition(".")
    return f"{int(whole):,}".replace("-0", "0") + dot + rest if not whole.startswith("-") else whole + dot + rest


def shown(value, quantity=None):
    """A cell for people."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if quantity == "percent":
        # Percentages that are compared have the same number of digits.
        return f"{value:.2f} %"
    if quantity == "count":
        return f"{value:,.0f}"
    if quantity == "ns":
        factor, unit = next(((f, u) for f, u in TIMES if abs(value) >= f), TIMES[-1])
        return f"{rounded(value / factor)} {unit}"
    return rounded(value)


def to_markdown(t):
    columns = t["columns"]
    numbers = ["quantity" in c for c in columns]
    lines = ["| " + " | ".join(c["name"] for c in columns) + " |",
             "|" + "|".join("---:" if n else "---" for n in numbers) + "|"]
    for row in t["rows"]:
        cells = [shown(v, c.get("quantity")).replace("|", "\\|") for v, c in zip(row, columns)]
        lines.append("| " + " | ".join(cells) + " |")
    return f"{t['caption']}:\n\n" + "\n".join(lines) + "\n"


def wrapped(text):
    """A paragraph of a page. A line that began like a list or a heading would become one."""
    return textwrap.fill(text, 119, break_long_words=False, break_on_hyphens=False) + "\n"


def to_csv(t):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([c["name"] + (f" ({c['quantity']})" if c.get("quantity") not in (None, "plain", "count") else "")
                     for c in t["columns"]])
    for row in t["rows"]:
        writer.writerow(["" if v is None else repr(v) if isinstance(v, float) else v for v in row])
    return out.getvalue()


def filled(page, texts):
    """`page` with the text of each figure between its markers; a marker of an unknown figure is an error, and so is a
    figure without a place."""
    places = [m["name"] for m in BLOCK.finditer(page)]
    for name in places:
        if name not in texts:
            raise ValueError(f"the page has a place for '{name}', which is no figure")
    for name in texts:
        if places.count(name) != 1:
            raise ValueError(f"the page has {places.count(name)} places for the figure '{name}'")
    return BLOCK.sub(lambda m: m[1] + texts[m["name"]] + m[4], page)
