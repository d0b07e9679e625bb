"""What a model does, recorded: tensors that stand for values, and the recorder of what is done with them.

A Traced takes the place of a tensor in PyTorch's own functions (`__torch_function__`). Shapes are numbers: each function
also runs on tensors without contents (device "meta"), so that what a model asks of shapes has an answer.
"""

import functools
import inspect
import os
import sys

import torch

from ..errors import NOT_THE_USERS, Error, diagnostic
from .text import ModelText

NOT_THE_USERS.append(os.path.dirname(os.path.abspath(torch.__file__)) + os.sep)

TYPES = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64",
         torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8", torch.bool: "u8"}


class Unknown(Exception):
    """This call is no operator that kernels compute: the reason."""


def place():
    """(file, line) of the model's own text that is running now, or None."""
    frame = sys._getframe(1)
    while frame is not None:
        file = os.path.abspath(frame.f_code.co_filename)
        is_made = frame.f_code.co_filename.startswith("<")
        if not is_made and not file.startswith(tuple(NOT_THE_USERS)):
            return frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    return None


def model_error(code, message, hint, kind="unsupported", at=None):
    """An Error at a line of the model: `at`, else the one that is running."""
    file, line = at or place() or ("", 0)
    return Error([diagnostic(code, message, hint, file=file, line=line, kind=kind)])


class Traced:
    """A value of the model: a name, a shape and a type."""

    def __init__(self, recorder, name, shape, dtype, is_view=False):
        self._recorder, self.name, self.shape, self.dtype = recorder, name, torch.Size(shape), dtype
        self._is_view = is_view

    device, requires_grad, is_cuda, is_sparse, is_quantized, is_nested, layout = \
        torch.device("cpu"), False, False, False, False, False, torch.strided
    is_mkldnn = is_meta = is_complex_ = False
    grad = None

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        recorder = next(t._recorder for t in leaves((args, kwargs)) if isinstance(t, Traced))
        return recorder.apply(function.__name__, function, args, kwargs)

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def T(self):
        return self.permute(*reversed(range(self.ndim)))

    @property
    def mT(self):
        return self.transpose(-2, -1)

    @property
    def data(self):
        return self

    def size(self, dim=None):
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        return len(self.shape)

    def numel(self):
        return self.shape.numel()

    nelement, ndimension = numel, dim

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return False

    def get_device(self):
        return -1

    def is_contiguous(self, *arguments, **named):
        return True

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        return iter(self.unbind(0))

    def __repr__(self):
        return f"<{self.name}: {TYPES.get(self.dtype, self.dtype)} {list(self.shape)}>"

    def _asks_contents(self, *arguments, **named):
        raise model_error("model-trace", f"the model asks what '{self.name}' contains, which is known only when it runs",
                          "decide by shapes and constants, or pass the parts between such decisions",
                          at=self._recorder.place)

    __bool__ = __int__ = __float__ = __index__ = item = tolist = numpy = _asks_contents

    def __array__(self, *arguments):
        self._asks_contents()

    def __setitem__(self, where, value):
        raise model_error("model-trace", f"the model changes a part of '{self.name}'",
                          "write it with torch.cat or torch.where, which make new tensors", at=self._recorder.place)

    def __getattr__(self, name):
        if name.startswith("__") or not callable(getattr(torch.Tensor, name, None)):
            raise AttributeError(f"a traced tensor has no '{name}'")
        method = getattr(torch.Tensor, name)
        return lambda *arguments, **named: self._recorder.apply(name, method, (self, *arguments), named)

    def _become(self, other):
        """What was done in place."""
        self.name, self.shape, self.dtype = other.name, other.shape, other.dtype


def _add_operators():
    def add(name):
        def call(self, *arguments):
            return self._recorder.apply(name.strip("_"), getattr(torch.Tensor, name), (self, *arguments), {})

        setattr(Traced, name, call)

    for name in ("add", "radd", "iadd", "sub", "rsub", "isub", "mul", "rmul", "imul", "truediv", "rtruediv", "itruediv",
                 "floordiv", "pow", "rpow", "matmul", "rmatmul", "mod", "neg", "abs", "invert", "and", "or", "xor", "eq",
                 "ne", "lt", "le", "gt", "ge", "getitem"):
        if hasattr(torch.Tensor, f"__{name}__"):
            add(f"__{name}__")
    Traced.__hash__ = object.__hash__


_add_operators()


def leaves(x):
    """What lists, tuples and dicts hold, in order."""
    if isinstance(x, (list, tuple)):
        for entry in x:
            yield from leaves(entry)
    elif isinstance(x, dict):
        yield from leaves(list(x.values()))
    elif isinstance(x, slice):
        yield from leaves((x.start, x.stop, x.step))
    else:
        yield x


def mapped(x, f):
    """x with f of each Traced and tensor in it."""
    if isinstance(x, (Traced, torch.Tensor)):
        return f(x)
    if isinstance(x, torch.Size):
        return x
    if isinstance(x, (list, tuple)):
        made = [mapped(entry, f) for entry in x]
        return type(x)(*made) if hasattr(x, "_fields") else type(x)(made)
    if isinstance(x, dict):
        return {key: mapped(value, f) for key, value in x.items()}
    return x


@functools.cache
def _signature(operator):
    return inspect.signature(operator)


def _takes(operator, args, kwargs):
    """Whether an entry of the table has these arguments."""
    try:
        _signature(operator).bind(None, None, *args, **kwargs)
    except TypeError:
        return False
    return True


class Recorder:
    """Turns calls of PyTorch's functions into operators of a ModelText.

    `as_inputs`: tensors (parameters, buffers) that become inputs of the model, {id: name}; others are constants.
    """

    def __init__(self, name, as_inputs=None, names=None):
        self.text = ModelText(name)
        self._as_inputs, self._names = as_inputs or {}, dict(names or {})
        self._known = {}  # names of tensors that stand in the text, by id; the tensors, so that ids stay
        self._used, self._kept = set(), []
        self.place = None  # where the model's text makes what comes, if that is known beforehand
        self.hosts = []  # (operator, reason)
        self.given = {}  # names of inputs that are parameters: those in the model

    # --- values ---

    def input(self, name, shape, dtype):
        name = self._unique(name)
        self.text.input(name, self.type_of(dtype), shape)
        return Traced(self, name, shape, dtype)

    def output(self, values):
        """Results, in order; None and numbers are left out."""
        for value in leaves(values):
            if isinstance(value, (Traced, torch.Tensor)):
                name = self.named(value)
                if name in self.text.outputs or isinstance(value, torch.Tensor):
                    name = self.operator("Identity", [name], value.shape, value.dtype).name
                self.text.outputs.append(name)

    def type_of(self, dtype):
        if dtype not in TYPES:
            raise model_error("model-type", f"kernels do not compute with {dtype}", f"use {', '.join(TYPES.values())}",
                              at=self.place)
        return TYPES[dtype]

    def _unique(self, name):
        """In the text of a model, and in that of a graph, where only letters, digits and _ count."""
        name = "".join(c if c.isascii() and c.isalnum() else "_" for c in name).strip("_") or "v"
        name = name if not name[0].isdigit() else f"v{name}"
        unique, n = name, 1
        while unique in self._used:
            n += 1
            unique = f"{name}_{n}"
        self._used.add(unique)
        return unique

    def named(self, x, dtype=None):
        """The name of a value: a Traced, a tensor, or a number of type `dtype`."""
        if isinstance(x, Traced):
            return x.name
        if not isinstance(x, torch.Tensor):
            x = torch.tensor(x, dtype=dtype)
            return self._constant(x, "number")
        key = (id(x), tuple(x.shape))
        if key not in self._known:
            given = self._as_inputs.get(id(x))
            if given is not None:
                name = self._unique(given)
                self.given[name] = given
                self.text.input(name, self.type_of(x.dtype), x.shape)
            else:
                name = self._constant(x, self._names.get(id(x), "constant"))
            self._known[key] = (name, x)
        return self._known[key][0]

    def _constant(self, x, name):
        x = x.detach().cpu().contiguous()
        name = self._unique(name)
        contents = x.view(torch.int16) if x.dtype == torch.bfloat16 else x
        self.text.constant(name, self.type_of(x.dtype), x.shape, contents.numpy().tobytes())
        return name

    def is_constant(self, x):
        """Whether it is a tensor whose contents stand in the text."""
        return isinstance(x, torch.Tensor) and id(x) not in self._as_inputs

    def derived(self, x, made):
        """A constant that is made of another one, and has its name."""
        self._kept.append(made)  # so that its id stays
        self._names[id(made)] = self._names.get(id(x), "constant")
        return made

    def cast(self, x, dtype):
        """x as `dtype`, if it is a tensor; a number stays one."""
        if not isinstance(x, (Traced, torch.Tensor)) or x.dtype == dtype:
            return x
        if isinstance(x, torch.Tensor):
            return x.to(dtype)
        return self.operator("Cast", [x.name], x.shape, dtype, to=ONNX_TYPES[dtype])

    # --- operators ---

    def operator(self, op, inputs, shape, dtype, *, is_view=False, **attributes):
        """An operator of ONNX with one result. Inputs: names, "" for what is left out."""
        return self.operators(op, inputs, [(shape, dtype)], is_view=is_view, **attributes)[0]

    def operators(self, op, inputs, results, *, is_view=False, **attributes):
        """Likewise, with several: [(shape, dtype)...]."""
        made = [Traced(self, self._unique(op.lower() if len(results) == 1 else f"{op.lower()}_{n}"), shape, dtype, is_view)
                for n, (shape, dtype) in enumerate(results)]
        inputs = list(inputs)
        while inputs and not inputs[-1]:
            inputs.pop()
        self.text.operator(op, inputs, [t.name for t in made], attributes, self.place or place())
        return made

    def apply(self, name, function, args, kwargs):
        """A call of PyTorch's `function`, whose name is `name`."""
        from .operators import INPLACE, OPERATORS

        if not any(isinstance(t, Traced) for t in leaves((args, kwargs))):
            return function(*args, **kwargs)
        name = name.strip("_") if name.startswith("__") else name
        target = None
        if name in INPLACE or (name.endswith("_") and not name.endswith("__")) or \
                (name.startswith("i") and name[1:] in INPLACE):
            target = args[0]
            name = INPLACE.get(name, name.rstrip("_"))
            if target._is_view:
                raise model_error("model-trace", f"{name}_ changes '{target.name}' through a view",
                                  f"use {name}, which makes a new tensor", at=self.place)
        elif kwargs.get("inplace"):
            target = args[0]
        shapes = self._shapes(name, function, args, kwargs)
        mark = len(self.text.operators)
        try:
            if name not in OPERATORS:
                raise Unknown(f"'{name}' is no operator that kernels compute")
            if not _takes(OPERATORS[name], args, kwargs):
                raise Unknown(f"'{name}' has arguments here that no operator has")
            made = OPERATORS[name](self, shapes, *args, **kwargs)
        except Unknown as why:
            del self.text.operators[mark:]
            made = self._host(name, str(why), shapes, args, kwargs)
        if isinstance(made, Traced) and isinstance(shapes, torch.Tensor):
            assert tuple(made.shape) == tuple(shapes.shape), (name, made.shape, shapes.shape)
        if target is not None:
            target._become(made)
            return target
        return made

    def _shapes(self, name, function, args, kwargs):
        """What the function gives, on tensors without contents."""
        def empty(t):
            return torch.empty(tuple(t.shape), dtype=t.dtype, device="meta")

        kwargs = {k: v for k, v in kwargs.items() if k != "inplace"}
        try:
            return function(*mapped(args, empty), **mapped(kwargs, empty))
        except NotImplementedError:
            zeros = lambda t: torch.zeros(tuple(t.shape), dtype=t.dtype)
            return function(*mapped(args, zeros), **mapped(kwargs, zeros))
        except (RuntimeError, IndexError, ValueError, TypeError) as e:
            shown = ", ".join(str(list(t.shape)) for t in leaves((args, kwargs)) if isinstance(t, (Traced, torch.Tensor)))
            raise model_error("model-shape", f"{name} of {shown}: {str(e).splitlines()[0]}",
                              "the example inputs do not fit the model", kind="input", at=self.place) from None

    def _host(self, name, why, shapes, args, kwargs):
        """What no kernel computes stays on the host."""
        self.hosts.append((name, why))
        inputs = [self.named(t) for t in leaves((args, kwargs)) if isinstance(t, (Traced, torch.Tensor))]
        results = [t for t in leaves(shapes) if isinstance(t, torch.Tensor)]
        made = [Traced(self, self._unique(name if len(results) == 1 else f"{name}_{n}"), t.shape, t.dtype)
                for n, t in enumerate(results)]
        self.text.operator(name, inputs, [t.name for t in made], {}, self.place or place(),
                           made=[(self.type_of(t.dtype), t.shape) for t in made])
        given = iter(made)
        return mapped(shapes, lambda t: next(given)) if not isinstance(shapes, torch.Tensor) else made[0]


ONNX_TYPES = {torch.float32: 1, torch.uint8: 2, torch.int8: 3, torch.int16: 5, torch.int32: 6, torch.int64: 7,
              torch.bool: 9, torch.float16: 10, torch.float64: 11, torch.bfloat16: 16}
