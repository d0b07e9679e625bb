"""What names and expressions of a kernel stand for while it is read, besides numbers and typed scalars."""

import types as python

from ..nest import Affine, Value
from ..dtypes import DType


class TensorRef:
    """A tensor, or a part of one: the first indices are given."""

    __slots__ = ("buffer", "index", "data", "own")

    def __init__(self, buffer, index=(), data=None, own=0):
        self.buffer, self.index, self.data = buffer, tuple(index), data
        self.own = own  # leading dimensions that loops around the declaration give

    @property
    def shape(self):
        return self.buffer.shape[len(self.index):]


class Cell:
    """A scalar in memory, while a loop carries it."""

    __slots__ = ("buffer", "index", "conditions")

    def __init__(self, buffer, index, conditions):
        self.buffer, self.index, self.conditions = buffer, index, conditions


class Lost:
    """A name whose value is not known: the reason, and what to do."""

    __slots__ = ("why", "hint")

    def __init__(self, why, hint):
        self.why, self.hint = why, hint


class Bound:
    """The least or greatest of several sums of loops: an end of a range, or a value."""

    __slots__ = ("op", "forms")

    def __init__(self, op, forms):
        self.op, self.forms = op, forms


class Frame:
    """A call that is being read."""

    def __init__(self, function, loops=0, conditions=0):
        self.function = function
        self.names = {}
        self.result = None
        self.has_returned = False
        self.loops, self.conditions = loops, conditions  # around the call


def is_scalar(value):
    return isinstance(value, (Affine, Value, Bound, float, bool))


def is_number(value):
    return isinstance(value, (float, bool)) or (isinstance(value, Affine) and value.is_number)


def number(value):
    return value.constant if isinstance(value, Affine) else value


def same_place(a, b):
    return isinstance(a, TensorRef) and isinstance(b, TensorRef) and a.buffer is b.buffer and \
        [f.text() for f in a.index] == [f.text() for f in b.index] and a.data is b.data


def article(word):
    return f"an {word}" if word[:1].lower() in "aeiou" else f"a {word}"


def kind_of(value):
    """What a value is called in messages."""
    if value is None:
        return "nothing"
    if isinstance(value, TensorRef):
        return f"a tensor of shape {list(value.shape)}"
    if isinstance(value, tuple):
        return "a tuple" if not (len(value) == 2 and isinstance(value[1], str)) else f"the method '{value[1]}'"
    if isinstance(value, DType):
        return f"the type {value.name}"
    if isinstance(value, python.ModuleType):
        return f"the module '{value.__name__}'"
    if callable(value):
        return f"the function '{getattr(value, '__name__', value)}'"
    if isinstance(value, (Value, Bound)):
        return "a scalar"
    if isinstance(value, Affine):
        return "an integer"
    return article(type(value).__name__)
