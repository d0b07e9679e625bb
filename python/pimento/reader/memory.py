"""Loads, stores, and values that are needed after what they were read from has changed."""

from ..nest import Affine, Value
from .values import TensorRef


class Memory:
    """A part of Reader."""

    def load(self, ref, node):
        if len(ref.index) != len(ref.buffer.shape):
            self.fail(node, "python-subscript",
                      f"'{self.source(node)}' is a tensor with {len(ref.shape)} more dimensions, not a scalar",
                      "give all its indices")
        return self.nest.load(ref.buffer, ref.index, self.at(node), ref.data)

    def store(self, ref, value, node, conditions=0, keeps=True):
        """`conditions`: how many of those around need not be asked, since the value counts only where they hold.
        `keeps`: values that were read from the tensor before are needed as they were."""
        self.stored.add(ref.buffer.id)
        if keeps:
            self.keep(frozenset((ref.buffer.id,)), node)
        statement = {"buffer": ref.buffer.id, "index": [f.text() for f in ref.index], "value": value.id,
                     "loops": list(self.loops), "guards": [g.text() for g in self.guards],
                     "if": [c.id for c in self.conditions[conditions:]], "at": self.at(node),
                     "in": self.frames[-1].function.name}
        if ref.data is not None:
            statement["data"] = [ref.data[0], ref.data[1].id]
        self.nest.statements.append(statement)

    def keep(self, buffers, node):
        """Before `buffers` change: values that were read from them go into a place of their own."""
        kept = {}

        def old(value):
            if isinstance(value, TensorRef) and value.data is not None:
                return TensorRef(value.buffer, value.index, (value.data[0], old(value.data[1])), value.own)
            if isinstance(value, tuple):
                return tuple(map(old, value))
            if not isinstance(value, Value) or not value.reads & buffers:
                return value
            if value.id not in kept:
                kept[value.id] = self.spill("kept", value, node)
            made = kept[value.id]
            return Value(made.id, made.type, made.reads, value.is_truth)

        for frame in self.frames:
            for name, value in frame.names.items():
                frame.names[name] = old(value)
        self.conditions[:] = map(old, self.conditions)
        for values in self.held:
            values[:] = map(old, values)

    def spill(self, kind, value, node):
        """Stores a value in a place of its own, with an element for each iteration of the loops around."""
        extents = [self.nest.loops[l]["extent"] for l in self.loops] or [1]
        index = [Affine(0, {l: 1}) for l in self.loops] or [Affine(0)]
        buffer = self.nest.buffer(kind, kind, value.type, extents, self.at(node))
        self.nest.statements.append(
            {"buffer": buffer.id, "index": [f.text() for f in index], "value": value.id, "loops": list(self.loops),
             "guards": [g.text() for g in self.guards], "if": [], "at": self.at(node),
             "in": self.frames[-1].function.name})
        return self.nest.load(buffer, index, self.at(node))
