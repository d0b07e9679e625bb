"""Loop nests as statements: what the reader makes of a function, and the text that the library takes of it.

The text is described in src/frontend/nest/text.h. Values are numbered, equal ones once; every statement reads memory at
its own time, in the order of the list.
"""

import json

from .dtypes import DTYPES


class Affine:
    """An integer: constant + sum of coefficients of loops. Immutable; without loops it is a plain number."""

    __slots__ = ("constant", "loops")

    def __init__(self, constant, loops=None):
        self.constant = constant
        self.loops = {l: c for l, c in loops.items() if c} if loops else {}

    def plus(self, other, factor=1):
        loops = dict(self.loops)
        for l, c in other.loops.items():
            loops[l] = loops.get(l, 0) + factor * c
        return Affine(self.constant + factor * other.constant, loops)

    def times(self, factor):
        return Affine(self.constant * factor, {l: c * factor for l, c in self.loops.items()})

    @property
    def is_number(self):
        return not self.loops

    def text(self):
        form = [self.constant]
        for l in sorted(self.loops):
            form += [l, self.loops[l]]
        return form


class Value:
    """A typed scalar: number `id` of the nest. `reads`: the buffers that it is made of; `is_truth`: a condition."""

    __slots__ = ("id", "type", "reads", "is_truth")

    def __init__(self, id, type, reads, is_truth=False):
        self.id, self.type, self.reads, self.is_truth = id, type, reads, is_truth


class Buffer:
    """Memory: an argument, a temporary, or a scalar that loops carry."""

    __slots__ = ("id", "name", "kind", "type", "shape", "at")

    def __init__(self, id, name, kind, type, shape, at):
        self.id, self.name, self.kind, self.type, self.shape, self.at = id, name, kind, type, tuple(shape), at

    def text(self):
        return {"name": self.name, "kind": self.kind, "type": self.type.name, "shape": self.shape, "at": self.at}


class Nest:
    """A function as statements in loops."""

    def __init__(self, function, at):
        self.function, self.at = function, at
        self.files = []
        self.loops, self.buffers, self.values, self.statements = [], [], [], []
        self._known = {}
        self._names = set()

    def file(self, name):
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    def loop(self, name, extent, at):
        self.loops.append({"name": name, "extent": extent, "at": at})
        return len(self.loops) - 1

    def buffer(self, name, kind, type, shape, at):
        unique, n = name, 0
        while unique in self._names:
            n += 1
            unique = f"{name}_{n}"
        self._names.add(unique)
        self.buffers.append(Buffer(len(self.buffers), unique, kind, type, shape, at))
        return self.buffers[-1]

    def forget(self, first):
        """Buffers from number `first` on are not used: values that nothing needs may mention them."""
        for buffer in self.buffers[first:]:
            self._names.discard(buffer.name)
            buffer.name = f"unused {buffer.id}"

    def range(self, form):
        """The least and the greatest value of `form`."""
        low = high = form.constant
        for l, c in form.loops.items():
            reach = c * (self.loops[l]["extent"] - 1)
            low, high = low + min(reach, 0), high + max(reach, 0)
        return low, high

    # Values.

    def constant(self, type, number):
        if type.is_float:
            number = float(number)
            if number != number or number in (float("inf"), float("-inf")):
                number = "nan" if number != number else "inf" if number > 0 else "-inf"
        return self._add(("constant", type.name, number), type, frozenset(), repr(number))

    def index(self, type, form):
        if form.is_number:
            return self.constant(type, form.constant)
        return self._add(("index", type.name, form.text()), type, frozenset(), tuple(form.text()))

    def load(self, buffer, index, at, data=None):
        """`data`: (dimension, Value) where an index comes from memory."""
        forms = [form.text() for form in index]
        entry = ("load", buffer.type.name, buffer.id, forms, at)
        reads = frozenset((buffer.id,))
        key = tuple(map(tuple, forms))
        if data is not None:
            entry += (data[0], data[1].id)
            reads |= data[1].reads
            key += (data[0], data[1].id)
        return self._add(entry, buffer.type, reads, (buffer.id, key))

    def op(self, name, type, *args):
        reads = frozenset().union(*(a.reads for a in args))
        return self._add((name, type.name, *(a.id for a in args)), type, reads, tuple(a.id for a in args))

    def compare(self, name, a, b):
        made = self.op(name, DTYPES["u8"], a, b)
        return Value(made.id, made.type, made.reads, True)

    def truth(self, value, holds=True):
        """Whether `value` is not 0, or is."""
        made = self._add(("true" if holds else "false", value.id), DTYPES["u8"], value.reads, value.id)
        return Value(made.id, made.type, made.reads, True)

    def _add(self, entry, type, reads, key):
        key = (entry[0], type.name, key)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self.values)
            self.values.append(entry)
        return Value(found, type, reads)

    def text(self):
        """The JSON that the library reads: with the values that statements need."""
        used = set()
        pending = [v for s in self.statements for v in (s["value"], *s["if"], *s.get("data", ())[1:])]
        while pending:
            v = pending.pop()
            if v not in used:
                used.add(v)
                pending += self._arguments(self.values[v])
        number = {v: n for n, v in enumerate(sorted(used))}
        statements = []
        for s in self.statements:
            s = {**s, "value": number[s["value"]], "if": [number[c] for c in s["if"]]}
            if "data" in s:
                s["data"] = [s["data"][0], number[s["data"][1]]]
            statements.append(s)
        return json.dumps({"nest": 1, "function": self.function, "files": self.files, "at": self.at,
                           "loops": self.loops, "buffers": [b.text() for b in self.buffers],
                           "values": [self._renumbered(self.values[v], number) for v in sorted(used)],
                           "statements": statements})

    @staticmethod
    def _arguments(entry):
        """The values that an entry is made of."""
        if entry[0] in ("constant", "index"):
            return ()
        if entry[0] == "load":
            return entry[6:]
        return entry[1:] if entry[0] in ("true", "false") else entry[2:]

    def _renumbered(self, entry, number):
        count = len(self._arguments(entry))
        return entry[: len(entry) - count] + tuple(number[a] for a in entry[len(entry) - count:])
