"""Calls: operations, types, new tensors, and functions, which are inlined."""

import math
import types as python

from .. import dtypes
from ..errors import Error
from ..nest import Affine
from ..dtypes import DTYPES, DType
from .text import all_arguments, defaults_of
from .values import Bound, Frame, TensorRef, is_number, is_scalar, kind_of, number

MOST_CALLS = 64  # inside one another


class Calls:
    """A part of Reader."""

    def call(self, node, name=None):
        function = self.expression(node.func)
        if isinstance(function, tuple) and len(function) == 2 and isinstance(function[1], str):
            return self.method(function[0], function[1], node)
        if isinstance(function, DType):
            (x,) = self.arguments(node, 1)
            return self.convert(x, function, node.args[0], is_asked=True)
        if function is dtypes.Tensor or function is dtypes.Tensor.zero:
            return self.new_tensor(node, function is not dtypes.Tensor, name)
        operation = None
        try:
            operation = dtypes.OPERATIONS.get(function)
        except TypeError:
            pass
        if operation is not None:
            return self.math(operation, node)
        if function in (min, max):
            return self.least(node, function.__name__)
        if function is abs:
            return self.absolute(node)
        if function is len:
            (x,) = self.arguments(node, 1)
            if isinstance(x, TensorRef) and x.shape:
                return Affine(x.shape[0])
            if isinstance(x, tuple):
                return Affine(len(x))
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' has no length", "use a tensor")
        if isinstance(function, python.FunctionType):
            return self.inline(function, node)
        self.fail(node, "python-call", f"'{self.source(node.func)}' cannot be called in a kernel",
                  self.instead_of(function, node))

    def instead_of(self, function, node):
        of_types = {int: "i32", float: "f32", bool: "u8"}
        if isinstance(function, type) and function in of_types:
            return f"use a type of Pimento: pimento.{of_types[function]}(x)"
        if function is sum:
            return "write a loop that accumulates"
        if function is range:
            return "range belongs into 'for i in range(...)'"
        if function is print:
            return "kernels print nothing: return the value"
        return "use min, max, abs, len, pimento.exp, log, sqrt, tanh, relu, types and functions with loops"

    def arguments(self, node, count):
        if node.keywords or len(node.args) != count:
            self.fail(node, "python-call", f"'{self.source(node.func)}' takes {count} argument"
                      f"{'s' if count > 1 else ''}", "pass them in order")
        return [self.expression(a) for a in node.args]

    def method(self, base, name, node):
        if name == "to":
            (type,) = self.arguments(node, 1)
            if not isinstance(type, DType):
                self.fail(node, "python-type", "x.to(...) takes an element type", "write x.to(pimento.f32)")
            return self.convert(base, type, node, is_asked=True)
        if name == "dim" or not node.args:
            self.arguments(node, 0)
            return Affine(len(base.shape)) if name == "dim" else tuple(map(Affine, base.shape))
        (dim,) = self.arguments(node, 1)
        if not is_number(dim) or isinstance(dim, float) or not -len(base.shape) <= number(dim) < len(base.shape):
            self.fail(node, "python-subscript", f"'{self.source(node.args[0])}' is not one of the {len(base.shape)} "
                      f"dimensions of '{base.buffer.name}'", f"use 0 to {len(base.shape) - 1}")
        return Affine(base.shape[int(number(dim))])

    def new_tensor(self, node, is_zero, name):
        what = self.source(node.func)
        given = {"shape": None, "dtype": None}
        for key, one in [*zip(given, node.args), *((k.arg, k.value) for k in node.keywords)]:
            if key not in given:
                self.fail(node, "python-call", f"'{what}' has no argument '{key}'", "write (shape, dtype)")
            given[key] = self.expression(one)
        shape = given["shape"]
        shape = (shape,) if isinstance(shape, Affine) else shape
        if not isinstance(shape, tuple) or not shape or not all(is_number(e) and not isinstance(e, float)
                                                                for e in shape):
            self.fail(node, "python-type", f"'{what}' takes a list of integers, the shape",
                      "write pimento.Tensor.zero([x.size(0), 64])")
        extents = [int(number(e)) for e in shape]
        if min(extents) < 1:
            self.fail(node, "python-type", f"a tensor of shape {extents} has no elements", "use extents of 1 or more")
        type = given["dtype"] if isinstance(given["dtype"], DType) else None
        if given["dtype"] is not None and type is None:
            self.fail(node, "python-type", f"the dtype of '{what}' is {kind_of(given['dtype'])}",
                      f"use one of {', '.join('pimento.' + t for t in DTYPES)}")
        around = [self.nest.loops[l]["extent"] for l in self.loops]
        buffer = self.nest.buffer(name or "tensor", "local", type or self.dtype, around + extents, self.at(node))
        ref = TensorRef(buffer, [Affine(0, {l: 1}) for l in self.loops], None, len(around))
        if is_zero:
            self.fill(ref, extents, node)
        return ref

    def fill(self, ref, extents, node):
        loops = list(self.loops)
        index = list(ref.index)
        for d, extent in enumerate(extents):
            loop = self.nest.loop(f"d{d}", extent, self.at(node))
            self.loops.append(loop)
            index.append(Affine(0, {loop: 1}))
        self.store(TensorRef(ref.buffer, index), self.nest.constant(ref.buffer.type, 0), node)
        self.loops[:] = loops

    def math(self, operation, node):
        (x,) = self.arguments(node, 1)
        if not is_scalar(x):
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' is {kind_of(x)}", "use an element: x[i]")
        if is_number(x):
            value = float(number(x))
            try:
                return max(value, 0.0) if operation == "relu" else getattr(math, operation)(value)
            except (ValueError, OverflowError) as e:
                self.fail(node, "python-type", f"'{self.source(node)}' has no value: {e}", "change the number")
        x = self.typed(x, node)
        if not x.type.is_float:
            if operation == "relu":
                return self.nest.op("max", x.type, x, self.nest.constant(x.type, 0))
            self.fail(node, "python-type", f"{operation} takes floats, not {x.type.name}",
                      f"convert it: pimento.{operation}(pimento.f32(x))")
        return self.nest.op(operation, x.type, x)

    def least(self, node, op):
        if node.keywords or len(node.args) < 2:
            self.fail(node, "python-call", f"'{op}' takes two or more scalars", f"write {op}(a, b)")
        values = []
        self.held.append(values)
        for a in node.args:
            values.append(self.expression(a))
        self.held.pop()
        for value, a in zip(values, node.args):
            if not is_scalar(value):
                self.fail(a, "python-type", f"'{self.source(a)}' is {kind_of(value)}, not a scalar", "use an element")
        if all(map(is_number, values)):
            return self.lift((min if op == "min" else max)(map(number, values)), node)
        if all(isinstance(v, Affine) for v in values):
            return Bound(op, values)
        made = values[0]
        for other in values[1:]:
            a, b = self.unified(made, other, node)
            a, b = self.typed(a, node), self.typed(b, node)
            made = self.nest.op(op, a.type, a, b)
        return made

    def absolute(self, node):
        (x,) = self.arguments(node, 1)
        if not is_scalar(x):
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' is {kind_of(x)}", "use an element: x[i]")
        if is_number(x):
            return self.lift(abs(number(x)), node)
        x = self.typed(x, node)
        return x if not x.type.is_signed else self.nest.op("abs", x.type, x)

    def inline(self, function, node):
        if function in (f.function.python for f in self.frames):
            self.fail(node, "python-recursion", f"'{function.__name__}' calls itself",
                      "kernels are inlined: write a loop")
        if len(self.frames) >= MOST_CALLS:
            self.fail(node, "python-recursion", "calls are nested too deeply", "kernels are inlined: write a loop")
        if (function.__module__ or "").split(".")[0] in ("pimento", "numpy", "torch"):
            self.fail(node, "python-call", f"'{self.source(node.func)}' cannot be called in a kernel",
                      self.instead_of(function, node))
        try:
            text = self.text_of(function)
        except Error as e:
            self.fail(node, "python-call", f"'{function.__name__}' cannot be inlined: {e.message}", e.hint)
        values = []
        self.held.append(values)
        for a in node.args:
            values.append(self.expression(a))
        keywords = [k.arg for k in node.keywords]
        for k in node.keywords:
            values.append(self.expression(k.value))
        self.held.pop()
        names = [a.arg for a in all_arguments(text.tree)]
        positional = len(node.args)
        if positional > len(names) or None in keywords or text.tree.args.vararg or text.tree.args.kwarg:
            self.fail(node, "python-call", f"'{function.__name__}' takes {len(names)} arguments",
                      "pass them one by one; '*' and '**' are not supported")
        given = dict(zip(names, values[:positional]))
        for key, value in zip(keywords, values[positional:]):
            if key not in names or key in given:
                self.fail(node, "python-call", f"'{function.__name__}' has no argument '{key}', or has it twice",
                          f"its arguments: {', '.join(names)}")
            given[key] = value
        frame = Frame(text, len(self.loops), len(self.conditions))
        for name, default in defaults_of(text):
            if name not in given:
                given[name] = self.lift(default, node, name)
        missing = [n for n in names if n not in given]
        if missing:
            self.fail(node, "python-call", f"'{function.__name__}' needs '{missing[0]}'",
                      f"its arguments: {', '.join(names)}")
        frame.names = given
        self.frames.append(frame)
        self.block(text.tree.body)
        self.frames.pop()
        return frame.result
