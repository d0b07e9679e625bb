"""Functions that sum: products, convolutions, pooling, reductions."""

import math

from ..trace import Unknown, leaves
from .elementwise import scaled
from .table import axes_of, integers, is_tensor, numbers, operator_of, reshape, same, transpose, view


def _product(m, y, a, b):
    return m.operator("MatMul", [m.named(m.cast(a, y.dtype)), m.named(m.cast(b, y.dtype))], y.shape, y.dtype)


@operator_of("matmul", "mm", "bmm", "mv", "dot", "__matmul__")
def _matmul(m, y, input=None, other=None, *, mat2=None, vec=None, tensor=None, self=None, out=None):
    others = [x for x in (other, mat2, vec, tensor) if x is not None]
    return _product(m, y, self if input is None else input, others[0])


@operator_of("rmatmul")
def _rmatmul(m, y, input, other):
    return _product(m, y, other, input)


@operator_of("linear")
def _linear(m, y, input=None, weight=None, bias=None):
    if len(input.shape) == 2 and bias is not None:
        return m.operator("Gemm", [m.named(x) for x in (input, weight, bias)], y.shape, y.dtype, transB=1)
    made = _product(m, y, input, transpose(m, weight, [1, 0] if len(weight.shape) == 2 else [0]))
    return made if bias is None else same(m, y, "Add", bias, made)


@operator_of("addmm")
def _addmm(m, y, input=None, mat1=None, mat2=None, *, beta=1, alpha=1, self=None):
    input = self if input is None else input
    return m.operator("Gemm", [m.named(x) for x in (mat1, mat2, input)], y.shape, y.dtype, alpha=float(alpha),
                      beta=float(beta))


@operator_of("baddbmm")
def _baddbmm(m, y, input=None, batch1=None, batch2=None, *, beta=1, alpha=1, self=None):
    input = self if input is None else input
    product = scaled(m, y, _product(m, y, batch1, batch2), alpha)
    return product if beta == 0 else same(m, y, "Add", scaled(m, y, input, beta), product)


@operator_of("einsum")
def _einsum(m, y, equation, *operands):
    """Two operands, as one product of matrices between transposes."""
    operands = list(leaves(operands))
    equation = equation.replace(" ", "")
    if len(operands) != 2 or "->" not in equation or "." in equation:
        raise Unknown(f"einsum '{equation}'")
    left, right = equation.split("->")
    a, b = left.split(",")
    if any(len(set(s)) != len(s) for s in (a, b, right)):
        raise Unknown(f"einsum '{equation}', which repeats an index")
    batch = [i for i in right if i in a and i in b]
    rows = [i for i in a if i not in b]
    columns = [i for i in b if i not in a]
    inner = [i for i in a if i in b and i not in right]
    if any(i not in right for i in rows + columns):
        raise Unknown(f"einsum '{equation}', which sums one operand")
    size = dict(zip(a, operands[0].shape)) | dict(zip(b, operands[1].shape))
    count = lambda letters: math.prod(size[i] for i in letters)
    lead = [size[i] for i in batch]
    x = transpose(m, operands[0], [a.index(i) for i in batch + rows + inner])
    x = reshape(m, x, lead + [count(rows), count(inner)])
    z = transpose(m, operands[1], [b.index(i) for i in batch + inner + columns])
    z = reshape(m, z, lead + [count(inner), count(columns)])
    made = m.operator("MatMul", [m.named(x), m.named(z)], lead + [count(rows), count(columns)], y.dtype)
    order = batch + rows + columns
    made = reshape(m, made, [size[i] for i in order])
    return transpose(m, made, [order.index(i) for i in right])


def _convolution(m, y, x, weight, bias, stride, padding, dilation, groups):
    rank = len(weight.shape) - 2
    kernel = [int(n) for n in weight.shape[2:]]
    stride, dilation = numbers(stride, rank), numbers(dilation, rank)
    if isinstance(padding, str):
        total = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel)]
        before = [t // 2 for t in total]
        pads = before + [t - b for t, b in zip(total, before)]
    else:
        pads = numbers(padding, rank) * 2
    is_single = len(x.shape) == rank + 1
    if is_single:
        x = view(m, "Unsqueeze", x, [1, *x.shape], [integers(m, [0])])
    shape = [1, *y.shape] if is_single else y.shape
    made = m.operator("Conv", [m.named(x), m.named(weight), "" if bias is None else m.named(bias)], shape, y.dtype,
                      kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation, group=int(groups))
    return view(m, "Squeeze", made, y.shape, [integers(m, [0])]) if is_single else made


@operator_of("conv1d", "conv2d", "conv3d")
def _conv(m, y, input=None, weight=None, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolution(m, y, input, weight, bias, stride, padding, dilation, groups)


@operator_of("_convolution", "convolution")
def _any_convolution(m, y, input=None, weight=None, bias=None, stride=1, padding=0, dilation=1, transposed=False,
                     output_padding=0, groups=1, *more, **named):
    if transposed:
        raise Unknown("a transposed convolution")
    return _convolution(m, y, input, weight, bias, stride, padding, dilation, groups)


def _pooled(m, y, op, x, rank, kernel, stride, padding, more):
    kernel = numbers(kernel, rank)
    stride = kernel if stride is None or stride == [] or stride == () else numbers(stride, rank)
    pads = numbers(padding, rank)
    is_single = len(x.shape) == rank + 1
    if is_single:
        x = view(m, "Unsqueeze", x, [1, *x.shape], [integers(m, [0])])
    shape = [1, *y.shape] if is_single else y.shape
    made = m.operator(op, [m.named(x)], shape, y.dtype, kernel_shape=kernel, strides=stride, pads=pads * 2, **more)
    return view(m, "Squeeze", made, y.shape, [integers(m, [0])]) if is_single else made


def _max_pool(rank):
    @operator_of(f"max_pool{rank}d", f"_max_pool{rank}d", f"boolean_dispatch_max_pool{rank}d")
    def call(m, y, input=None, kernel_size=None, stride=None, padding=0, dilation=1, ceil_mode=False,
             return_indices=False, *, self=None):
        if return_indices:
            raise Unknown("pooling that gives indices")
        return _pooled(m, y, "MaxPool", self if input is None else input, rank, kernel_size, stride, padding,
                       {"dilations": numbers(dilation, rank), "ceil_mode": int(ceil_mode)})


def _avg_pool(rank):
    @operator_of(f"avg_pool{rank}d")
    def call(m, y, input=None, kernel_size=None, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
             divisor_override=None, *, self=None):
        if divisor_override is not None or ceil_mode:
            raise Unknown("average pooling with a divisor of its own or rounded up")
        return _pooled(m, y, "AveragePool", self if input is None else input, rank, kernel_size, stride, padding,
                       {"count_include_pad": int(count_include_pad)})


def _adaptive(rank, kind):
    @operator_of(f"adaptive_{kind}_pool{rank}d")
    def call(m, y, input=None, output_size=None, return_indices=False, *, self=None):
        input = self if input is None else input
        if return_indices or isinstance(y, tuple):
            raise Unknown("pooling that gives indices")
        given, wanted = list(input.shape)[-rank:], list(y.shape)[-rank:]
        op = {"avg": "AveragePool", "max": "MaxPool"}[kind]
        if all(n == 1 for n in wanted) and len(input.shape) == rank + 2:
            return m.operator("Global" + op, [m.named(input)], y.shape, y.dtype)
        if any(a % b for a, b in zip(given, wanted)):
            raise Unknown("adaptive pooling to windows of several sizes")
        return _pooled(m, y, op, input, rank, [a // b for a, b in zip(given, wanted)], None, 0, {})


for _rank in (1, 2, 3):
    _max_pool(_rank)
    _avg_pool(_rank)
    _adaptive(_rank, "avg")
    _adaptive(_rank, "max")


def _reduced(m, y, op, x, dim, keepdim):
    axes = axes_of(dim, len(x.shape))
    if not axes:
        return x
    return m.operator(op, [m.named(m.cast(x, y.dtype))], y.shape, y.dtype, axes=axes, keepdims=int(bool(keepdim)))


def _reduction(op, *names):
    @operator_of(*names)
    def call(m, y, input=None, dim=None, keepdim=False, *, dtype=None, keepdims=None, axis=None, self=None):
        dim = axis if dim is None else dim
        return _reduced_op(m, y, op, self if input is None else input, dim, keepdim if keepdims is None else keepdims)


def _reduced_op(m, y, op, x, dim, keepdim):
    # Sums as an input of the operator since operator set 13.
    axes = axes_of(dim, len(x.shape))
    if op == "ReduceSum" and axes:
        return m.operator(op, [m.named(m.cast(x, y.dtype)), integers(m, axes)], y.shape, y.dtype,
                          keepdims=int(bool(keepdim)))
    return _reduced(m, y, op, x, dim, keepdim)


_reduction("ReduceSum", "sum")
_reduction("ReduceMean", "mean")
_reduction("ReduceMax", "amax")
_reduction("ReduceMin", "amin")


@operator_of("prod")
def _prod(m, y, input=None, dim=None, keepdim=False, *, dtype=None, self=None):
    return _reduced(m, y, "ReduceProd", self if input is None else input, dim, keepdim)


def _extreme(op, two, name):
    @operator_of(name)
    def call(m, y, input=None, dim=None, keepdim=False, *, other=None, self=None):
        input = self if input is None else input
        if is_tensor(dim) or other is not None:
            return same(m, y, two, input, dim if other is None else other)
        if dim is None:
            return _reduced(m, y, op, input, None, False)
        raise Unknown(f"'{name}' that gives indices")


_extreme("ReduceMax", "Max", "max")
_extreme("ReduceMin", "Min", "min")


@operator_of("norm", "linalg_vector_norm", "linalg_norm")
def _norm(m, y, input=None, p=2, dim=None, keepdim=False, dtype=None, *, ord=None, self=None, out=None):
    if ord is not None:
        p = ord
    if p not in (2, 2.0, None, "fro"):
        raise Unknown(f"a norm of order {p}")
    return _reduced(m, y, "ReduceL2", self if input is None else input, dim, keepdim)


@operator_of("var")
def _var(m, y, input=None, dim=None, unbiased=None, keepdim=False, *, correction=None, self=None):
    input = self if input is None else input
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    axes = axes_of(dim, len(input.shape))
    count = math.prod(input.shape[d] for d in axes)
    less = (1 if correction is None else correction) if unbiased in (None, True) else 0
    kept = [1 if d in axes else n for d, n in enumerate(input.shape)]
    mean = m.operator("ReduceMean", [m.named(input)], kept, y.dtype, axes=axes, keepdims=1)
    away = m.operator("Sub", [m.named(input), mean.name], input.shape, y.dtype)
    square = m.operator("Mul", [away.name, away.name], input.shape, y.dtype)
    made = m.operator("ReduceMean", [square.name], y.shape, y.dtype, axes=axes, keepdims=int(bool(keepdim)))
    return made if less == 0 else same(m, y, "Mul", made, count / (count - less))
