"""Functions that move elements, or look at them in another order."""

import torch

from ..trace import Unknown, leaves
from .table import axes_of, integers, is_tensor, numbers, operator_of, reshape, transpose, view


@operator_of("view", "reshape", "flatten", "unflatten", "ravel", "_unsafe_view", "view_as", "reshape_as")
def _view_of(m, y, input=None, *arguments, self=None, **named):
    input = self if input is None else input
    if any(isinstance(a, torch.dtype) for a in arguments):
        raise Unknown("a view as another type")
    return reshape(m, input, y.shape)


@operator_of("squeeze")
def _squeeze(m, y, input=None, dim=None, *, self=None):
    input = self if input is None else input
    rank = len(input.shape)
    axes = [d for d in axes_of(dim, rank) if input.shape[d] == 1]
    return view(m, "Squeeze", input, y.shape, [integers(m, axes)]) if axes else input


@operator_of("unsqueeze")
def _unsqueeze(m, y, input=None, dim=None, *, self=None):
    return view(m, "Unsqueeze", self if input is None else input, y.shape, [integers(m, [dim % len(y.shape)])])


@operator_of("transpose", "swapaxes", "swapdims")
def _swap(m, y, input=None, dim0=0, dim1=1, *, self=None):
    input = self if input is None else input
    order = list(range(len(input.shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return transpose(m, input, order)


@operator_of("permute")
def _permute(m, y, input=None, *dims, self=None, **named):
    return transpose(m, self if input is None else input, list(leaves(named.get("dims", dims))))


@operator_of("t", "numpy_T", "matrix_H", "adjoint")
def _t(m, y, input=None, *, self=None):
    input = self if input is None else input
    order = list(range(len(input.shape)))
    return transpose(m, input, order[:-2] + order[-2:][::-1])


@operator_of("movedim", "moveaxis")
def _movedim(m, y, input=None, source=None, destination=None, *, self=None):
    input = self if input is None else input
    rank = len(input.shape)
    at = {d % rank: s % rank for s, d in zip(numbers(source, 1), numbers(destination, 1))}
    rest = iter([d for d in range(rank) if d not in at.values()])
    return transpose(m, input, [at[d] if d in at else next(rest) for d in range(rank)])


@operator_of("expand", "expand_as", "broadcast_to")
def _expand(m, y, input=None, *arguments, self=None, **named):
    input = self if input is None else input
    if tuple(input.shape) == tuple(y.shape):
        return input
    return view(m, "Expand", input, y.shape, [integers(m, y.shape)])


@operator_of("cat", "concat", "concatenate")
def _cat(m, y, tensors=None, dim=0, *, axis=None, out=None):
    parts = [t for t in tensors if t.numel() or len(t.shape) > 1]
    parts = [m.named(m.cast(t, y.dtype)) for t in parts if t.numel()]
    return m.operator("Concat", parts, y.shape, y.dtype, axis=int(dim if axis is None else axis))


@operator_of("stack")
def _stack(m, y, tensors=None, dim=0, *, out=None):
    dim = dim % len(y.shape)
    parts = []
    for t in tensors:
        shape = list(t.shape)
        shape.insert(dim, 1)
        parts.append(m.named(view(m, "Unsqueeze", m.cast(t, y.dtype), shape, [integers(m, [dim])])))
    return m.operator("Concat", parts, y.shape, y.dtype, axis=dim)


def sliced(m, x, dim, first, end, step=1):
    """x[first:end:step] along one axis."""
    n = x.shape[dim]
    first, end, step = slice(first, end, step).indices(n)
    shape = list(x.shape)
    shape[dim] = len(range(first, end, step))
    if shape[dim] == n and step == 1:
        return x
    if shape[dim] == 0:
        raise Unknown("a slice without elements")
    more = [integers(m, [first]), integers(m, [end]), integers(m, [dim]), integers(m, [step])]
    return view(m, "Slice", x, shape, more)


@operator_of("chunk", "split", "split_with_sizes", "tensor_split", "unsafe_chunk", "unsafe_split")
def _split(m, y, input=None, *arguments, self=None, dim=0, **named):
    input = self if input is None else input
    if len(arguments) > 1:
        dim = arguments[1]
    dim, at, parts = dim % len(input.shape), 0, []
    for part in y:
        parts.append(sliced(m, input, dim, at, at + part.shape[dim]))
        at += part.shape[dim]
    return tuple(parts)


@operator_of("narrow")
def _narrow(m, y, input=None, dim=None, start=None, length=None, *, self=None):
    input = self if input is None else input
    if is_tensor(start):
        raise Unknown("narrow at a place that is not known")
    dim = dim % len(input.shape)
    start = start % input.shape[dim] if start < 0 else start
    return sliced(m, input, dim, start, start + length)


@operator_of("slice")
def _slice(m, y, input=None, dim=0, start=None, end=None, step=1, *, self=None):
    input = self if input is None else input
    return sliced(m, input, dim % len(input.shape), start, end, step)


def selected(m, x, dim, index):
    if is_tensor(index):
        raise Unknown("an element that is not known")
    n = x.shape[dim]
    one = sliced(m, x, dim, index % n, index % n + 1)
    shape = [size for d, size in enumerate(x.shape) if d != dim]
    return view(m, "Squeeze", one, shape, [integers(m, [dim])])


@operator_of("select")
def _select(m, y, input=None, dim=0, index=0, *, self=None):
    input = self if input is None else input
    return selected(m, input, dim % len(input.shape), index)


@operator_of("unbind")
def _unbind(m, y, input=None, dim=0, *, self=None):
    input = self if input is None else input
    dim = dim % len(input.shape)
    return tuple(selected(m, input, dim, n) for n in range(input.shape[dim]))


@operator_of("getitem")
def _getitem(m, y, input, where):
    """Numbers, slices, None and ...; one tensor of integers on a single axis."""
    where = list(where) if isinstance(where, tuple) else [where]
    if isinstance(where[0], list) and len(where) == 1:
        where = [torch.tensor(where[0])]
    used = sum(1 for w in where if w is not None and w is not Ellipsis)
    if Ellipsis in [w for w in where if not is_tensor(w)]:
        at = next(n for n, w in enumerate(where) if w is Ellipsis)
        where[at:at + 1] = [slice(None)] * (len(input.shape) - used)
    x, dim = input, 0
    for w in where:
        if w is None:
            shape = list(x.shape)
            shape.insert(dim, 1)
            x = view(m, "Unsqueeze", x, shape, [integers(m, [dim])])
            dim += 1
        elif isinstance(w, slice):
            x = sliced(m, x, dim, w.start, w.stop, 1 if w.step is None else w.step)
            dim += 1
        elif is_tensor(w) and w.dtype not in (torch.bool, torch.uint8) and \
                sum(1 for o in where if is_tensor(o)) == 1:
            x = gathered(m, x, dim, w)
            dim += len(w.shape)
        elif isinstance(w, int) and not isinstance(w, bool):
            x = selected(m, x, dim, w)
        else:
            raise Unknown("an index of truth values or of several tensors")
    return x


def gathered(m, x, dim, index):
    shape = [*x.shape[:dim], *index.shape, *x.shape[dim + 1:]]
    return m.operator("Gather", [m.named(x), m.named(index)], shape, x.dtype, axis=dim)


@operator_of("embedding")
def _embedding(m, y, input=None, weight=None, padding_idx=None, *arguments, indices=None, **named):
    # TorchScript has the weight first, and calls the indices so.
    if indices is not None:
        input = indices
    return gathered(m, weight, 0, input)


@operator_of("index_select")
def _index_select(m, y, input=None, dim=0, index=None, *, self=None):
    input = self if input is None else input
    return gathered(m, input, dim % len(input.shape), index)


@operator_of("gather")
def _gather(m, y, input=None, dim=0, index=None, *, sparse_grad=False, self=None):
    input = self if input is None else input
    return m.operator("GatherElements", [m.named(input), m.named(index)], y.shape, y.dtype,
                      axis=dim % len(input.shape))


@operator_of("pad", "constant_pad_nd")
def _pad(m, y, input=None, pad=None, mode="constant", value=None, *, self=None):
    input = self if input is None else input
    if not isinstance(mode, str):
        mode, value = "constant", mode
    if mode != "constant":
        raise Unknown(f"padding of mode {mode}")
    rank = len(input.shape)
    before, after = [0] * rank, [0] * rank
    pad = [int(n) for n in leaves(pad)]
    for n in range(len(pad) // 2):
        before[rank - 1 - n], after[rank - 1 - n] = pad[2 * n], pad[2 * n + 1]
    names = [m.named(input), integers(m, before + after), m.named(torch.tensor(value or 0, dtype=y.dtype))]
    return m.operator("Pad", names, y.shape, y.dtype)


@operator_of("repeat", "tile")
def _repeat(m, y, input=None, *repeats, self=None, **named):
    """Each repeated axis as one more that nothing depends on."""
    input = self if input is None else input
    repeats = [int(n) for n in leaves(named.get("repeats", named.get("dims", repeats)))]
    shape = [1] * (len(repeats) - len(input.shape)) + list(input.shape)
    repeats = [1] * (len(shape) - len(repeats)) + repeats
    x = reshape(m, input, [k for n in shape for k in (1, n)])
    wide = [k for n, r in zip(shape, repeats) for k in (r, n)]
    x = view(m, "Expand", x, wide, [integers(m, wide)])
    return reshape(m, x, y.shape)


@operator_of("repeat_interleave")
def _repeat_interleave(m, y, input=None, repeats=None, dim=None, *, output_size=None, self=None):
    input = self if input is None else input
    if is_tensor(repeats) or dim is None:
        raise Unknown("repeat_interleave of several numbers")
    dim = dim % len(input.shape)
    shape = list(input.shape)
    one = shape[:dim + 1] + [1] + shape[dim + 1:]
    wide = shape[:dim + 1] + [int(repeats)] + shape[dim + 1:]
    x = view(m, "Unsqueeze", input, one, [integers(m, [dim + 1])])
    return reshape(m, view(m, "Expand", x, wide, [integers(m, wide)]), y.shape)
