"""Elements of tensors, and what tensors say of themselves."""

import ast
import types as python

from ..errors import suggestion
from ..nest import Affine, Value
from .values import TensorRef, is_number, is_scalar, kind_of, number


class Elements:
    """A part of Reader."""

    def subscript(self, node):
        base = self.expression(node.value)
        if isinstance(base, tuple):
            return self.entry(base, node)
        ref = self.part(base, node)
        return self.load(ref, node) if len(ref.index) == len(ref.buffer.shape) else ref

    def element(self, node):
        """Where a subscript stores to."""
        return self.part(self.expression(node.value), node)

    def entry(self, base, node):
        at = self.expression(node.slice)
        if not is_number(at) or isinstance(at, float) or not -len(base) <= number(at) < len(base):
            self.fail(node, "python-subscript", f"'{self.source(node.slice)}' is not a number of {len(base)} entries",
                      f"use 0 to {len(base) - 1}")
        return base[int(number(at))]

    def part(self, base, node):
        if not isinstance(base, TensorRef):
            what = "a scalar" if is_scalar(base) else kind_of(base)
            self.fail(node, "python-subscript", f"'{self.source(node.value)}' is {what}, which has no elements",
                      "index a tensor")
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > len(base.shape):
            self.fail(node, "python-subscript",
                      f"'{base.buffer.name}' has {len(base.buffer.shape) - base.own} dimensions, "
                      f"{len(base.index) - base.own + len(indices)} indices are given", "remove the last indices")
        index, data = list(base.index), base.data
        for one in indices:
            form, value = self.index(one, base.buffer, len(index), data)
            if value is not None:
                data = (len(index), value)
            index.append(form)
        return TensorRef(base.buffer, index, data, base.own)

    def index(self, node, buffer, dim, data):
        if isinstance(node, ast.Slice):
            self.fail(node if hasattr(node, "lineno") else node, "python-subscript",
                      "a slice is not an index", "write a loop: for i in range(start, end)")
        value = self.expression(node)
        extent = buffer.shape[dim]
        if isinstance(value, Affine):
            if value.is_number and value.constant < 0:
                value = value.plus(Affine(extent))
            low, high = self.nest.range(value)
            if not self.conditions and not self.guards and (low < 0 or high >= extent):
                said = f"is {value.constant}" if value.is_number else f"runs over {low}..{high}"
                self.fail(node, "python-subscript", f"index {dim} of '{buffer.name}', '{self.source(node)}', {said}, "
                          f"but its extent is {extent}", f"legal: 0..{extent - 1}; change the range, or add an if")
            return value, None
        if isinstance(value, Value) and value.reads and not value.type.is_float and not value.is_truth:
            if data is not None:
                self.fail(node, "python-subscript", "two indices of one element come from data",
                          "use one index from data at a time")
            return Affine(0), value
        if isinstance(value, float) or (isinstance(value, Value) and value.type.is_float):
            self.fail(node, "python-subscript", f"'{self.source(node)}' is a float, not an index",
                      "use an integer; // divides integers")
        what = "is not a sum of loops and numbers" if is_scalar(value) else f"is {kind_of(value)}"
        self.fail(node, "python-subscript", f"the index '{self.source(node)}' {what}, so it is not affine",
                  "legal: loop variables times numbers, sizes and sums of these, or an element of an integer tensor")

    def attribute(self, node):
        base = self.expression(node.value)
        if isinstance(base, TensorRef):
            if node.attr == "shape":
                return tuple(map(Affine, base.shape))
            if node.attr == "ndim":
                return Affine(len(base.shape))
            if node.attr == "dtype":
                return base.buffer.type
            if node.attr in ("size", "dim"):
                return (base, node.attr)
            self.fail(node, "python-name", f"a tensor has no '{node.attr}' in a kernel",
                      "use x.size(d), x.size(), x.shape, x.ndim, x.dtype and elements x[i]")
        if isinstance(base, Value) and node.attr == "to":
            return (base, "to")
        if isinstance(base, Value) and node.attr == "dtype":
            return base.type
        if isinstance(base, (python.ModuleType, type)):
            if not hasattr(base, node.attr):
                self.fail(node, "python-name", f"'{base.__name__}' has no '{node.attr}'",
                          suggestion(node.attr, [n for n in dir(base) if not n.startswith("_")][:60]))
            return self.lift(getattr(base, node.attr), node)
        self.fail(node, "python-name", f"'{self.source(node.value)}' is {kind_of(base)}, which has no '{node.attr}'",
                  "use x.size(d), x.shape and x.dtype of tensors")
