"""Reads a Python function as loop nests.

The function's text is parsed with `ast` and run on symbols: loop variables and sizes are sums of loops, elements are
loads, other scalars are expressions over them, and each store is a statement of a nest (../nest.py). Nothing of the
function is executed. Helper functions are inlined; what they do at module level is not looked at.
"""

import ast

from ..errors import Error, diagnostic
from ..nest import Affine, Nest
from .calls import Calls
from .elements import Elements
from .expressions import Expressions
from .loops import Loops
from .memory import Memory
from .statements import Statements
from .text import Function, all_arguments, parameter_names
from .values import Frame, TensorRef, is_scalar, kind_of

# Legal Python that kernels do not say; other codes are mistakes.
_UNSUPPORTED = {"python-statement", "python-expression", "python-loop", "python-control-flow", "python-recursion",
                "python-closure", "python-call"}


class Parameter:
    """A tensor that the caller gives. `shape` is () for a scalar."""

    __slots__ = ("name", "type", "shape", "buffer")

    def __init__(self, name, type, shape, buffer):
        self.name, self.type, self.shape, self.buffer = name, type, shape, buffer


class Reading:
    """What a function came to: the nest, its tensors in the order of the parameters, and what it returns.

    `results`: a list of (buffer name, shape), and `is_tuple` whether the function returns a tuple of them. A parameter
    that is returned has its own name there.
    """

    def __init__(self, nest, parameters, results, is_tuple):
        self.nest, self.parameters, self.results, self.is_tuple = nest, parameters, results, is_tuple


class Reader(Statements, Loops, Memory, Expressions, Elements, Calls):
    """Runs one function on symbols. `texts` keeps parsed functions between readings."""

    def __init__(self, function, texts, dtype):
        self.texts, self.dtype = texts, dtype
        text = self.text_of(function)
        self.frames = [Frame(text)]
        self.nest = Nest(text.name, [1, 1])
        self.nest.at = self.at(text.tree)
        self.loops, self.guards, self.conditions = [], [], []
        self.stored = set()  # buffers
        self.held = []  # lists of values in the middle of an expression

    def read(self, arguments):
        """`arguments`: name -> (shape, DType) of a tensor, or a number, a constant."""
        frame = self.frames[0]
        parameters = []
        for name in parameter_names(self, frame.function):
            node = next(a for a in all_arguments(frame.function.tree) if a.arg == name)
            given = arguments[name]
            if isinstance(given, (bool, int, float)):
                frame.names[name] = self.lift(given, node, name)
                continue
            shape, type = given
            buffer = self.nest.buffer(name, "argument", type, shape or (1,), self.at(node))
            parameters.append(Parameter(name, type, shape, buffer))
            zero = (Affine(0),)
            frame.names[name] = TensorRef(buffer) if shape else self.nest.load(buffer, zero, self.at(node))
        self.block(frame.function.tree.body)
        results, is_tuple = self.results(frame)
        return Reading(self.nest, parameters, results, is_tuple)

    def results(self, frame):
        value = frame.result
        is_tuple = isinstance(value, tuple)
        results = []
        for one in value if is_tuple else () if value is None else (value,):
            results.append(self.result_of(one))
        return results, is_tuple

    def result_of(self, value):
        node = self.frames[0].function.tree
        if isinstance(value, TensorRef):
            if value.index:
                self.fail(node, "python-return", "the kernel returns a part of a tensor",
                          "return the whole tensor, or store the part to a tensor that is returned")
            if value.buffer.kind == "local":
                value.buffer.kind = "result"
            return value.buffer.name, value.buffer.shape
        if not is_scalar(value):
            self.fail(node, "python-return", f"the kernel returns {kind_of(value)}", "return tensors or scalars")
        scalar = self.typed(value, node)
        buffer = self.nest.buffer("result", "result", scalar.type, (1,), self.nest.at)
        self.store(TensorRef(buffer, (Affine(0),)), scalar, node)
        return buffer.name, ()

    def text_of(self, function):
        found = self.texts.get(function)
        if found is None:
            found = self.texts[function] = Function(function)
        return found

    def at(self, node):
        text = self.frames[-1].function
        place = [node.lineno + text.line, node.col_offset + 1 + text.column]
        n = self.nest.file(text.file)
        return place + [n] if n else place

    def fail(self, node, code, message, hint=""):
        text = self.frames[-1].function
        raise Error([diagnostic(code, message, hint, file=text.file, line=node.lineno + text.line,
                                column=node.col_offset + 1 + text.column,
                                kind="unsupported" if code in _UNSUPPORTED else "input")])

    def source(self, node):
        """The text of an expression, shortened."""
        text = ast.unparse(node)
        return text if len(text) <= 40 else text[:37] + "..."

    @property
    def names(self):
        """Of the function that is being read; conditions and trials replace the dict."""
        return self.frames[-1].names
