"""The table of PyTorch's functions, and what its entries share.

An entry takes the recorder, the result without contents (its shape and type), and the arguments of the function as
PyTorch names them (TorchScript's names of them too). What is no operator of ONNX raises Unknown: the host computes it.
"""

import torch

from ..trace import Traced, leaves

OPERATORS = {}
# In-place forms whose names are not NAME_.
INPLACE = {"iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "truediv"}


def operator_of(*names):
    def add(function):
        for name in names:
            OPERATORS[name] = function
        return function

    return add


def is_tensor(x):
    return isinstance(x, (Traced, torch.Tensor))


def numbers(x, count):
    """A number for each dimension."""
    x = list(leaves(x)) if isinstance(x, (list, tuple)) else [x]
    return [int(n) for n in (x * count if len(x) == 1 else x)]


def axes_of(dim, rank):
    """Axes, sorted; all of them for None."""
    if dim is None or dim == [] or dim == ():
        return list(range(rank))
    return sorted(int(d) % rank if rank else 0 for d in leaves(dim))


def same(m, y, op, *operands, **attributes):
    """An element-wise operator of operands in the result's type."""
    names = [m.named(m.cast(x, y.dtype), y.dtype) for x in operands]
    return m.operator(op, names, y.shape, y.dtype, **attributes)


def common_type(*operands):
    """The type that operands are compared in."""
    tensors = [x for x in operands if is_tensor(x)]
    out = tensors[0].dtype
    for x in tensors[1:]:
        out = torch.promote_types(out, x.dtype)
    if not out.is_floating_point and any(isinstance(x, float) for x in operands):
        out = torch.float32
    return out


def view(m, op, x, shape, more=(), **attributes):
    return m.operator(op, [m.named(x), *more], shape, x.dtype, is_view=isinstance(x, Traced), **attributes)


def integers(m, values):
    """A list of integers as a constant."""
    return m.named(torch.tensor(list(values), dtype=torch.int64))


def reshape(m, x, shape):
    if tuple(x.shape) == tuple(shape):
        return x
    return view(m, "Reshape", x, shape, [integers(m, shape)])


def transpose(m, x, order):
    order = [int(d) % len(order) for d in order]
    if order == sorted(order):
        return x
    if m.is_constant(x):
        return m.derived(x, x.permute(order))
    return view(m, "Transpose", x, [x.shape[d] for d in order], perm=order)
