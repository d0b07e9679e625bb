"""What verbs answer: objects that print, plot, show in notebooks and become rows of pandas."""

import json
import os


class Result:
    """The answer of a verb.

    `print(result)` shows the table of the command line; `result["time_ns"]` and `result.time_ns` read its JSON, whose
    keys docs/cli.md lists; `result.to_dict()` is all of it. In a notebook it is shown as a page.

    Attributes:
        verb: "estimate", "simulate", ...
        table: the text for people.
    """

    def __init__(self, verb, answer, asked=None):
        """`asked`: options and text of the query, for explain()."""
        self.verb, self._answer, self._asked = verb, answer, asked
        self._data = None

    @property
    def data(self):
        """The JSON, read."""
        if self._data is None:
            self._data = json.loads(self._answer.json)
        return self._data

    @property
    def json(self):
        """The JSON as text."""
        return self._answer.json

    @property
    def table(self):
        return self._answer.table

    def to_dict(self):
        """A plain dict (compare: a list of them)."""
        return self.data

    def __getitem__(self, key):
        return self.data[key]

    def __getattr__(self, name):
        if not name.startswith("_") and isinstance(self.data, dict) and name in self.data:
            return self.data[name]
        raise AttributeError(f"a result of '{self.verb}' has no '{name}'")

    def __dir__(self):
        keys = self.data if isinstance(self.data, dict) else ()
        return sorted({*super().__dir__(), *keys})

    def __contains__(self, key):
        return key in self.data

    def keys(self):
        return self.data.keys()

    def __str__(self):
        return self.table

    def __repr__(self):
        d = self.data if isinstance(self.data, dict) else {}
        what = ", ".join(str(d[k]) for k in ("kernel", "target") if d.get(k))
        time = f", {d['time_ns']:,.0f} ns" if isinstance(d.get("time_ns"), (int, float)) else ""
        return f"<{self.verb} of {what or 'a kernel'}{time}>"

    def html(self):
        """One self-contained HTML page, as the verb report writes it."""
        import tempfile

        from .library import Query

        handle, path = tempfile.mkstemp(suffix=".json", prefix="pimento-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.json)
            return json.loads(Query({"kernel": path}).run("report").json)
        finally:
            os.unlink(path)

    def _repr_html_(self):
        """A frame, since the page has styles of its own."""
        import html

        try:
            page = self.html()
        except Exception:  # a result that has no page is shown as its table
            return f"<pre>{html.escape(self.table)}</pre>"
        return (f'<iframe srcdoc="{html.escape(page)}" style="width:100%;height:40em;border:0" '
                f'title="Pimento: {html.escape(self.verb)}"></iframe>')

    def rows(self):
        """Rows of a table, as dicts of numbers and texts: one for each machine, mapping, or the result itself."""
        return [flat(r) for r in self._rows()]

    def _rows(self):
        return [self.data]

    def to_pandas(self):
        """A pandas.DataFrame of rows(). Needs pandas."""
        import pandas

        return pandas.DataFrame(self.rows())

    def plot(self, axes=None):
        """Draws where time goes, part by part, with matplotlib; returns the axes. Needs python3-matplotlib."""
        axes = axes or _axes()
        rows = [r for r in self._rows() if isinstance(r.get("breakdown"), dict) and r.get("time_ns") is not None]
        if not rows:
            raise ValueError(f"a result of '{self.verb}' has no breakdown to draw")
        left = [0.0] * len(rows)
        names = [r.get("target") or r.get("mapping") or "" for r in rows]
        for part in rows[0]["breakdown"]:
            widths = []
            for r in rows:
                total = sum(r["breakdown"].values())
                widths.append(r["breakdown"].get(part, 0) / total * r["time_ns"] if total else 0.0)
            if any(widths):
                axes.barh(names, widths, left=left, label=part.replace("_", " "))
                left = [a + b for a, b in zip(left, widths)]
        if axes.get_ylim()[0] < axes.get_ylim()[1]:
            axes.invert_yaxis()  # the first on top
        axes.set_xlabel("time (ns)")
        axes.legend(loc="best", fontsize="small")
        return axes


class Comparison(Result):
    """The answer of compare: one row per machine, in the order that was asked for."""

    def to_dict(self):
        return self.data["rows"]

    def __len__(self):
        return len(self.data["rows"])

    def __iter__(self):
        return iter(self.data["rows"])

    def __getitem__(self, key):
        """Row number `key`, or that of the machine `key`."""
        if isinstance(key, int):
            return self.data["rows"][key]
        for row in self.data["rows"]:
            if row["target"] == key:
                return row
        return self.data[key]

    def __repr__(self):
        return f"<comparison of {len(self)} machines>"

    def fastest(self):
        """The row with the least time; None if no machine runs the kernel."""
        return min((r for r in self if r.get("error") is None), key=lambda r: r["time_ns"], default=None)

    def _rows(self):
        return self.data["rows"]


class Exploration(Result):
    """The answer of explore: mappings, or points of a sweep."""

    def _rows(self):
        return [dict(zip(self.data["columns"], row)) for row in self.data["rows"]]

    def __len__(self):
        return len(self.data["rows"])

    def best(self, what="time"):
        """The row of the least time or energy, as a dict; None if there is none."""
        found = (self.data.get("best") or {}).get(what)
        return self._rows()[found["row"]] if found else None

    def plot(self, axes=None):
        """Draws energy against time of the points; returns the axes. Needs python3-matplotlib."""
        points = [p for p in self._rows() if p.get("time_ns") is not None and p.get("energy_pj") is not None]
        if not points:
            raise ValueError("this exploration has no points with time and energy")
        axes = axes or _axes()
        axes.scatter([p["time_ns"] for p in points], [p["energy_pj"] for p in points], s=12)
        axes.set_xlabel("time (ns)")
        axes.set_ylabel("energy (pJ)")
        return axes


class Tuning(Result):
    """The answer of tune: `best` (as estimate has it), `map`, `stop`, `gap`, `drafts`, ..."""

    def _rows(self):
        return [self.data["best"]]


_CLASSES = {"compare": Comparison, "explore": Exploration, "tune": Tuning}


def result_of(verb, answer, asked=None):
    return _CLASSES.get(verb, Result)(verb, answer, asked)


def flat(row, prefix=""):
    """Numbers and texts of nested dicts, by path; lists are left out."""
    out = {}
    for key, value in row.items():
        if isinstance(value, dict):
            out.update(flat(value, f"{prefix}{key}."))
        elif not isinstance(value, list):
            out[f"{prefix}{key}"] = value
    return out


def _axes():
    import matplotlib

    if not os.environ.get("DISPLAY") and "ipykernel" not in __import__("sys").modules:
        matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot.subplots()[1]
