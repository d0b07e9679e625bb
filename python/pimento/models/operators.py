"""PyTorch's functions as operators of ONNX.

Each takes the recorder, the result without contents (its shape and type), and the arguments of the function as PyTorch
names them (TorchScript's names of them too). What is no such operator raises Unknown: the host computes it.
"""

import math

import torch

from .trace import ONNX_TYPES, Traced, Unknown, leaves

OPERATORS = {}
# In-place forms whose names are not NAME_.
INPLACE = {"iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "truediv"}


def _named(*names):
    def add(function):
        for name in names:
            OPERATORS[name] = function
        return function

    return add


def _is_tensor(x):
    return isinstance(x, (Traced, torch.Tensor))


def _tuple(x, count):
    """A number for each dimension."""
    x = list(leaves(x)) if isinstance(x, (list, tuple)) else [x]
    return [int(n) for n in (x * count if len(x) == 1 else x)]


def _dims(dim, rank):
    """Axes, sorted; all of them for None."""
    if dim is None or dim == [] or dim == ():
        return list(range(rank))
    return sorted(int(d) % rank if rank else 0 for d in leaves(dim))


def _same(m, y, op, *operands, **attributes):
    """An element-wise operator of operands in the result's type."""
    names = [m.named(m.cast(x, y.dtype), y.dtype) for x in operands]
    return m.operator(op, names, y.shape, y.dtype, **attributes)


def _common(*operands):
    """The type that operands are compared in."""
    tensors = [x for x in operands if _is_tensor(x)]
    out = tensors[0].dtype
    for x in tensors[1:]:
        out = torch.promote_types(out, x.dtype)
    if not out.is_floating_point and any(isinstance(x, float) for x in operands):
        out = torch.float32
    return out


def _view(m, op, x, shape, more=(), **attributes):
    return m.operator(op, [m.named(x), *more], shape, x.dtype, is_view=isinstance(x, Traced), **attributes)


def _list(m, values):
    """A list of integers as a constant."""
    return m.named(torch.tensor(list(values), dtype=torch.int64))


def _reshape(m, x, shape):
    if tuple(x.shape) == tuple(shape):
        return x
    return _view(m, "Reshape", x, shape, [_list(m, shape)])


def _transpose(m, x, order):
    order = [int(d) % len(order) for d in order]
    if order == sorted(order):
        return x
    if m.is_constant(x):
        return m.derived(x, x.permute(order))
    return _view(m, "Transpose", x, [x.shape[d] for d in order], perm=order)


# --- element by element ---


def _unary(op, *names):
    @_named(*names)
    def call(m, y, input=None, *, inplace=False, self=None, out=None):
        return _same(m, y, op, self if input is None else input)


for _op, *_names in (("Relu", "relu"), ("Tanh", "tanh"), ("Sigmoid", "sigmoid"), ("Exp", "exp"), ("Log", "log"),
                     ("Sqrt", "sqrt"), ("Abs", "abs"), ("Neg", "neg", "negative"), ("Erf", "erf"), ("Sin", "sin"),
                     ("Cos", "cos"), ("Floor", "floor"), ("Ceil", "ceil"), ("Round", "round"), ("Silu", "silu"),
                     ("Reciprocal", "reciprocal"), ("HardSwish", "hardswish")):
    _unary(_op, *_names)


@_named("rsqrt")
def _rsqrt(m, y, input=None, *, self=None):
    return _same(m, y, "Reciprocal", _same(m, y, "Sqrt", self if input is None else input))


@_named("square")
def _square(m, y, input=None, *, self=None):
    x = self if input is None else input
    return _same(m, y, "Mul", x, x)


@_named("logical_not", "bitwise_not", "invert")
def _not(m, y, input=None, *, self=None):
    x = self if input is None else input
    if x.dtype != torch.bool:
        raise Unknown("'not' of numbers")
    return _same(m, y, "Not", x)


def _scaled(m, y, x, alpha):
    if alpha in (None, 1):
        return x
    return x * alpha if not isinstance(x, Traced) else _same(m, y, "Mul", m.cast(x, y.dtype), alpha)


def _two(op, *names, is_swapped=False):
    @_named(*names)
    def call(m, y, input=None, other=None, *, alpha=None, self=None, out=None):
        input = self if input is None else input
        if y.dtype == torch.bool:
            op_of = {"Add": "Or", "Mul": "And"}.get(op)
            if op_of is None:
                raise Unknown(f"{op} of truth values")
            return _same(m, y, op_of, input, other)
        other = _scaled(m, y, other, alpha)
        return _same(m, y, op, *((other, input) if is_swapped else (input, other)))


_two("Add", "add", "radd")
_two("Sub", "sub", "subtract")
_two("Sub", "rsub", is_swapped=True)
_two("Mul", "mul", "multiply", "rmul")
_two("Max", "maximum")
_two("Min", "minimum")


@_named("div", "divide", "true_divide", "truediv", "floordiv", "floor_divide")
def _div(m, y, input=None, other=None, *, rounding_mode=None, self=None):
    if rounding_mode is not None or not y.dtype.is_floating_point:
        raise Unknown("a division that rounds")
    return _same(m, y, "Div", self if input is None else input, other)


@_named("rtruediv", "rdiv")
def _rdiv(m, y, input, other):
    return _same(m, y, "Div", other, input)


@_named("pow", "float_power")
def _pow(m, y, input=None, exponent=None, *, self=None):
    input = self if input is None else input
    if _is_tensor(exponent) or not isinstance(input, Traced):
        raise Unknown("a power whose exponent is not a number")
    if exponent != int(exponent) and abs(exponent) != 0.5 or abs(exponent) > 16:
        raise Unknown(f"a power to {exponent}")
    return m.operator("Pow", [m.named(m.cast(input, y.dtype)), m.named(torch.tensor(exponent, dtype=y.dtype))], y.shape,
                      y.dtype)


def _comparison(op, *names, is_negated=False):
    @_named(*names)
    def call(m, y, input=None, other=None, *, self=None):
        input = self if input is None else input
        of = _common(input, other)
        made = m.operator(op, [m.named(m.cast(x, of), of) for x in (input, other)], y.shape, torch.bool)
        return m.operator("Not", [made.name], y.shape, torch.bool) if is_negated else made


_comparison("Equal", "eq")
_comparison("Equal", "ne", "not_equal", is_negated=True)
_comparison("Less", "lt", "less")
_comparison("LessOrEqual", "le", "less_equal")
_comparison("Greater", "gt", "greater")
_comparison("GreaterOrEqual", "ge", "greater_equal")


def _logical(op, *names):
    @_named(*names)
    def call(m, y, input=None, other=None, *, self=None):
        input = self if input is None else input
        if y.dtype != torch.bool or any(x.dtype != torch.bool for x in (input, other) if _is_tensor(x)):
            raise Unknown("bits of numbers")
        return _same(m, y, op, input, other)


_logical("And", "and", "logical_and", "bitwise_and")
_logical("Or", "or", "logical_or", "bitwise_or")
_logical("Xor", "xor", "logical_xor", "bitwise_xor")


@_named("gelu")
def _gelu(m, y, input=None, *, approximate="none", self=None):
    return _same(m, y, "Gelu", self if input is None else input, approximate=approximate)


@_named("leaky_relu")
def _leaky_relu(m, y, input=None, negative_slope=0.01, inplace=False, *, self=None):
    return _same(m, y, "LeakyRelu", self if input is None else input, alpha=float(negative_slope))


@_named("elu")
def _elu(m, y, input=None, alpha=1.0, inplace=False, *, scale=1, input_scale=1, self=None):
    if scale != 1 or input_scale != 1:
        raise Unknown("elu with scales")
    return _same(m, y, "Elu", self if input is None else input, alpha=float(alpha))


@_named("softplus")
def _softplus(m, y, input=None, beta=1, threshold=20, *, self=None):
    if beta != 1:
        raise Unknown("softplus with beta")
    return _same(m, y, "Softplus", self if input is None else input)


@_named("hardsigmoid")
def _hardsigmoid(m, y, input=None, inplace=False, *, self=None):
    return _same(m, y, "HardSigmoid", self if input is None else input, alpha=1 / 6, beta=0.5)


@_named("prelu")
def _prelu(m, y, input=None, weight=None, *, self=None):
    input = self if input is None else input
    if weight.numel() > 1:
        weight = _reshape(m, weight, [weight.numel()] + [1] * (len(y.shape) - 2))
    return _same(m, y, "PRelu", input, weight)


def _clipped(m, y, x, low, high):
    if any(_is_tensor(bound) for bound in (low, high)):
        raise Unknown("bounds that are tensors")
    names = ["" if bound is None else m.named(torch.tensor(bound, dtype=y.dtype)) for bound in (low, high)]
    return m.operator("Clip", [m.named(m.cast(x, y.dtype)), *names], y.shape, y.dtype)


@_named("clamp", "clip")
def _clamp(m, y, input=None, min=None, max=None, *, self=None):
    return _clipped(m, y, self if input is None else input, min, max)


@_named("clamp_min")
def _clamp_min(m, y, input=None, min=None, *, self=None):
    return _clipped(m, y, self if input is None else input, min, None)


@_named("clamp_max")
def _clamp_max(m, y, input=None, max=None, *, self=None):
    return _clipped(m, y, self if input is None else input, None, max)


@_named("hardtanh")
def _hardtanh(m, y, input=None, min_val=-1.0, max_val=1.0, inplace=False, *, self=None):
    return _clipped(m, y, self if input is None else input, min_val, max_val)


@_named("relu6")
def _relu6(m, y, input=None, inplace=False, *, self=None):
    return _clipped(m, y, self if input is None else input, 0.0, 6.0)


@_named("where")
def _where(m, y, condition=None, input=None, other=None, *, self=None, out=None):
    if isinstance(self, Traced) and input is None:
        input = self
    if input is None:
        raise Unknown("where of one argument")
    names = [m.named(condition)] + [m.named(m.cast(x, y.dtype), y.dtype) for x in (input, other)]
    return m.operator("Where", names, y.shape, y.dtype)


@_named("masked_fill")
def _masked_fill(m, y, input=None, mask=None, value=None, *, self=None):
    input = self if input is None else input
    names = [m.named(mask), m.named(m.cast(value, y.dtype), y.dtype), m.named(input)]
    return m.operator("Where", names, y.shape, y.dtype)


# --- types ---


def _cast(m, y, x):
    if x.dtype == y.dtype:
        return x
    if y.dtype not in ONNX_TYPES:
        raise Unknown(f"a cast to {y.dtype}")
    return m.cast(x, y.dtype)


@_named("to", "type", "type_as", "float", "half", "double", "int", "long", "short", "bool", "bfloat16", "_to_copy")
def _to(m, y, input=None, *arguments, self=None, **named):
    return _cast(m, y, self if input is None else input)


@_named("contiguous", "clone", "detach", "dropout", "feature_dropout", "alpha_dropout", "dropout2d", "identity", "cpu",
        "requires_grad", "alias", "lift_fresh")
def _identity(m, y, input=None, *arguments, self=None, **named):
    return self if input is None else input


# --- products ---


def _product(m, y, a, b):
    return m.operator("MatMul", [m.named(m.cast(a, y.dtype)), m.named(m.cast(b, y.dtype))], y.shape, y.dtype)


@_named("matmul", "mm", "bmm", "mv", "dot", "__matmul__")
def _matmul(m, y, input=None, other=None, *, mat2=None, vec=None, tensor=None, self=None, out=None):
    others = [x for x in (other, mat2, vec, tensor) if x is not None]
    return _product(m, y, self if input is None else input, others[0])


@_named("rmatmul")
def _rmatmul(m, y, input, other):
    return _product(m, y, other, input)


@_named("linear")
def _linear(m, y, input=None, weight=None, bias=None):
    if len(input.shape) == 2 and bias is not None:
        return m.operator("Gemm", [m.named(x) for x in (input, weight, bias)], y.shape, y.dtype, transB=1)
    made = _product(m, y, input, _transpose(m, weight, [1, 0] if len(weight.shape) == 2 else [0]))
    return made if bias is None else _same(m, y, "Add", bias, made)


@_named("addmm")
def _addmm(m, y, input=None, mat1=None, mat2=None, *, beta=1, alpha=1, self=None):
    input = self if input is None else input
    return m.operator("Gemm", [m.named(x) for x in (mat1, mat2, input)], y.shape, y.dtype, alpha=float(alpha),
                      beta=float(beta))


@_named("baddbmm")
def _baddbmm(m, y, input=None, batch1=None, batch2=None, *, beta=1, alpha=1, self=None):
    input = self if input is None else input
    product = _scaled(m, y, _product(m, y, batch1, batch2), alpha)
    return product if beta == 0 else _same(m, y, "Add", _scaled(m, y, input, beta), product)


@_named("einsum")
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
    x = _transpose(m, operands[0], [a.index(i) for i in batch + rows + inner])
    x = _reshape(m, x, lead + [count(rows), count(inner)])
    z = _transpose(m, operands[1], [b.index(i) for i in batch + inner + columns])
    z = _reshape(m, z, lead + [count(inner), count(columns)])
    made = m.operator("MatMul", [m.named(x), m.named(z)], lead + [count(rows), count(columns)], y.dtype)
    order = batch + rows + columns
    made = _reshape(m, made, [size[i] for i in order])
    return _transpose(m, made, [order.index(i) for i in right])


def _convolution(m, y, x, weight, bias, stride, padding, dilation, groups):
    rank = len(weight.shape) - 2
    kernel = [int(n) for n in weight.shape[2:]]
    stride, dilation = _tuple(stride, rank), _tuple(dilation, rank)
    if isinstance(padding, str):
        total = [d * (k - 1) if padding == "same" else 0 for d, k in zip(dilation, kernel)]
        before = [t // 2 for t in total]
        pads = before + [t - b for t, b in zip(total, before)]
    else:
        pads = _tuple(padding, rank) * 2
    is_single = len(x.shape) == rank + 1
    if is_single:
        x = _view(m, "Unsqueeze", x, [1, *x.shape], [_list(m, [0])])
    shape = [1, *y.shape] if is_single else y.shape
    made = m.operator("Conv", [m.named(x), m.named(weight), "" if bias is None else m.named(bias)], shape, y.dtype,
                      kernel_shape=kernel, strides=stride, pads=pads, dilations=dilation, group=int(groups))
    return _view(m, "Squeeze", made, y.shape, [_list(m, [0])]) if is_single else made


@_named("conv1d", "conv2d", "conv3d")
def _conv(m, y, input=None, weight=None, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolution(m, y, input, weight, bias, stride, padding, dilation, groups)


@_named("_convolution", "convolution")
def _any_convolution(m, y, input=None, weight=None, bias=None, stride=1, padding=0, dilation=1, transposed=False,
                     output_padding=0, groups=1, *more, **named):
    if transposed:
        raise Unknown("a transposed convolution")
    return _convolution(m, y, input, weight, bias, stride, padding, dilation, groups)


# --- pooling ---


def _pooled(m, y, op, x, rank, kernel, stride, padding, more):
    kernel = _tuple(kernel, rank)
    stride = kernel if stride is None or stride == [] or stride == () else _tuple(stride, rank)
    pads = _tuple(padding, rank)
    is_single = len(x.shape) == rank + 1
    if is_single:
        x = _view(m, "Unsqueeze", x, [1, *x.shape], [_list(m, [0])])
    shape = [1, *y.shape] if is_single else y.shape
    made = m.operator(op, [m.named(x)], shape, y.dtype, kernel_shape=kernel, strides=stride, pads=pads * 2, **more)
    return _view(m, "Squeeze", made, y.shape, [_list(m, [0])]) if is_single else made


def _max_pool(rank):
    @_named(f"max_pool{rank}d", f"_max_pool{rank}d", f"boolean_dispatch_max_pool{rank}d")
    def call(m, y, input=None, kernel_size=None, stride=None, padding=0, dilation=1, ceil_mode=False,
             return_indices=False, *, self=None):
        if return_indices:
            raise Unknown("pooling that gives indices")
        return _pooled(m, y, "MaxPool", self if input is None else input, rank, kernel_size, stride, padding,
                       {"dilations": _tuple(dilation, rank), "ceil_mode": int(ceil_mode)})


def _avg_pool(rank):
    @_named(f"avg_pool{rank}d")
    def call(m, y, input=None, kernel_size=None, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
             divisor_override=None, *, self=None):
        if divisor_override is not None or ceil_mode:
            raise Unknown("average pooling with a divisor of its own or rounded up")
        return _pooled(m, y, "AveragePool", self if input is None else input, rank, kernel_size, stride, padding,
                       {"count_include_pad": int(count_include_pad)})


def _adaptive(rank, kind):
    @_named(f"adaptive_{kind}_pool{rank}d")
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


# --- normalisation ---


@_named("softmax", "_softmax")
def _softmax(m, y, input=None, dim=None, *arguments, dtype=None, self=None, **named):
    input = self if input is None else input
    if dim is None:
        dim = 0 if len(y.shape) in (0, 1, 3) else 1
    return m.operator("Softmax", [m.named(m.cast(input, y.dtype))], y.shape, y.dtype, axis=int(dim))


@_named("log_softmax", "_log_softmax")
def _log_softmax(m, y, input=None, dim=None, *arguments, dtype=None, self=None, **named):
    input = self if input is None else input
    if dim is None:
        dim = 0 if len(y.shape) in (0, 1, 3) else 1
    return m.operator("LogSoftmax", [m.named(m.cast(input, y.dtype))], y.shape, y.dtype, axis=int(dim))


@_named("layer_norm")
def _layer_norm(m, y, input=None, normalized_shape=None, weight=None, bias=None, eps=1e-5, cudnn_enable=True):
    shape = [int(n) for n in leaves(normalized_shape)]
    scale = torch.ones(shape, dtype=y.dtype) if weight is None else weight
    names = [m.named(input), m.named(scale), "" if bias is None else m.named(bias)]
    return m.operator("LayerNormalization", names, y.shape, y.dtype, axis=-len(shape), epsilon=float(eps))


@_named("batch_norm")
def _batch_norm(m, y, input=None, running_mean=None, running_var=None, weight=None, bias=None, training=False,
                momentum=0.1, eps=1e-5, cudnn_enabled=True):
    if training or running_mean is None:
        raise Unknown("batch normalisation that learns: call model.eval()")
    channels = [input.shape[1]]
    weight = torch.ones(channels, dtype=y.dtype) if weight is None else weight
    bias = torch.zeros(channels, dtype=y.dtype) if bias is None else bias
    names = [m.named(x) for x in (input, weight, bias, running_mean, running_var)]
    return m.operator("BatchNormalization", names, y.shape, y.dtype, epsilon=float(eps))


@_named("group_norm")
def _group_norm(m, y, input=None, num_groups=1, weight=None, bias=None, eps=1e-5, cudnn_enabled=True):
    batch, channels = input.shape[:2]
    grouped = [batch, num_groups, input.numel() // (batch * num_groups)]
    ones, zeros = torch.ones(num_groups, dtype=y.dtype), torch.zeros(num_groups, dtype=y.dtype)
    made = m.operator("InstanceNormalization", [m.named(_reshape(m, input, grouped)), m.named(ones), m.named(zeros)],
                      grouped, y.dtype, epsilon=float(eps))
    made = _reshape(m, made, y.shape)
    per_channel = [channels] + [1] * (len(y.shape) - 2)
    if weight is not None:
        made = _same(m, y, "Mul", made, _reshape(m, weight, per_channel))
    return made if bias is None else _same(m, y, "Add", made, _reshape(m, bias, per_channel))


@_named("instance_norm")
def _instance_norm(m, y, input=None, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                   momentum=0.1, eps=1e-5, cudnn_enabled=True):
    if running_mean is not None:
        raise Unknown("instance normalisation with statistics of its own")
    channels = [input.shape[1]]
    weight = torch.ones(channels, dtype=y.dtype) if weight is None else weight
    bias = torch.zeros(channels, dtype=y.dtype) if bias is None else bias
    return m.operator("InstanceNormalization", [m.named(x) for x in (input, weight, bias)], y.shape, y.dtype,
                      epsilon=float(eps))


# --- reductions ---


def _reduced(m, y, op, x, dim, keepdim):
    axes = _dims(dim, len(x.shape))
    if not axes:
        return x
    return m.operator(op, [m.named(m.cast(x, y.dtype))], y.shape, y.dtype, axes=axes, keepdims=int(bool(keepdim)))


def _reduction(op, *names):
    @_named(*names)
    def call(m, y, input=None, dim=None, keepdim=False, *, dtype=None, keepdims=None, axis=None, self=None):
        dim = axis if dim is None else dim
        return _reduced_op(m, y, op, self if input is None else input, dim, keepdim if keepdims is None else keepdims)


def _reduced_op(m, y, op, x, dim, keepdim):
    # Sums as an input of the operator since operator set 13.
    axes = _dims(dim, len(x.shape))
    if op == "ReduceSum" and axes:
        return m.operator(op, [m.named(m.cast(x, y.dtype)), _list(m, axes)], y.shape, y.dtype,
                          keepdims=int(bool(keepdim)))
    return _reduced(m, y, op, x, dim, keepdim)


_reduction("ReduceSum", "sum")
_reduction("ReduceMean", "mean")
_reduction("ReduceMax", "amax")
_reduction("ReduceMin", "amin")


@_named("prod")
def _prod(m, y, input=None, dim=None, keepdim=False, *, dtype=None, self=None):
    return _reduced(m, y, "ReduceProd", self if input is None else input, dim, keepdim)


def _extreme(op, two, name):
    @_named(name)
    def call(m, y, input=None, dim=None, keepdim=False, *, other=None, self=None):
        input = self if input is None else input
        if _is_tensor(dim) or other is not None:
            return _same(m, y, two, input, dim if other is None else other)
        if dim is None:
            return _reduced(m, y, op, input, None, False)
        raise Unknown(f"'{name}' that gives indices")


_extreme("ReduceMax", "Max", "max")
_extreme("ReduceMin", "Min", "min")


@_named("norm", "linalg_vector_norm", "linalg_norm")
def _norm(m, y, input=None, p=2, dim=None, keepdim=False, dtype=None, *, ord=None, self=None, out=None):
    if ord is not None:
        p = ord
    if p not in (2, 2.0, None, "fro"):
        raise Unknown(f"a norm of order {p}")
    return _reduced(m, y, "ReduceL2", self if input is None else input, dim, keepdim)


@_named("var")
def _var(m, y, input=None, dim=None, unbiased=None, keepdim=False, *, correction=None, self=None):
    input = self if input is None else input
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    axes = _dims(dim, len(input.shape))
    count = math.prod(input.shape[d] for d in axes)
    less = (1 if correction is None else correction) if unbiased in (None, True) else 0
    kept = [1 if d in axes else n for d, n in enumerate(input.shape)]
    mean = m.operator("ReduceMean", [m.named(input)], kept, y.dtype, axes=axes, keepdims=1)
    away = m.operator("Sub", [m.named(input), mean.name], input.shape, y.dtype)
    square = m.operator("Mul", [away.name, away.name], input.shape, y.dtype)
    made = m.operator("ReduceMean", [square.name], y.shape, y.dtype, axes=axes, keepdims=int(bool(keepdim)))
    return made if less == 0 else _same(m, y, "Mul", made, count / (count - less))


# --- shapes ---


@_named("view", "reshape", "flatten", "unflatten", "ravel", "_unsafe_view", "view_as", "reshape_as")
def _view_of(m, y, input=None, *arguments, self=None, **named):
    input = self if input is None else input
    if any(isinstance(a, torch.dtype) for a in arguments):
        raise Unknown("a view as another type")
    return _reshape(m, input, y.shape)


@_named("squeeze")
def _squeeze(m, y, input=None, dim=None, *, self=None):
    input = self if input is None else input
    rank = len(input.shape)
    axes = [d for d in _dims(dim, rank) if input.shape[d] == 1]
    return _view(m, "Squeeze", input, y.shape, [_list(m, axes)]) if axes else input


@_named("unsqueeze")
def _unsqueeze(m, y, input=None, dim=None, *, self=None):
    return _view(m, "Unsqueeze", self if input is None else input, y.shape, [_list(m, [dim % len(y.shape)])])


@_named("transpose", "swapaxes", "swapdims")
def _swap(m, y, input=None, dim0=0, dim1=1, *, self=None):
    input = self if input is None else input
    order = list(range(len(input.shape)))
    order[dim0], order[dim1] = order[dim1], order[dim0]
    return _transpose(m, input, order)


@_named("permute")
def _permute(m, y, input=None, *dims, self=None, **named):
    return _transpose(m, self if input is None else input, list(leaves(named.get("dims", dims))))


@_named("t", "numpy_T", "matrix_H", "adjoint")
def _t(m, y, input=None, *, self=None):
    input = self if input is None else input
    order = list(range(len(input.shape)))
    return _transpose(m, input, order[:-2] + order[-2:][::-1])


@_named("movedim", "moveaxis")
def _movedim(m, y, input=None, source=None, destination=None, *, self=None):
    input = self if input is None else input
    rank = len(input.shape)
    at = {d % rank: s % rank for s, d in zip(_tuple(source, 1), _tuple(destination, 1))}
    rest = iter([d for d in range(rank) if d not in at.values()])
    return _transpose(m, input, [at[d] if d in at else next(rest) for d in range(rank)])


@_named("expand", "expand_as", "broadcast_to")
def _expand(m, y, input=None, *arguments, self=None, **named):
    input = self if input is None else input
    if tuple(input.shape) == tuple(y.shape):
        return input
    return _view(m, "Expand", input, y.shape, [_list(m, y.shape)])


@_named("cat", "concat", "concatenate")
def _cat(m, y, tensors=None, dim=0, *, axis=None, out=None):
    parts = [t for t in tensors if t.numel() or len(t.shape) > 1]
    parts = [m.named(m.cast(t, y.dtype)) for t in parts if t.numel()]
    return m.operator("Concat", parts, y.shape, y.dtype, axis=int(dim if axis is None else axis))


@_named("stack")
def _stack(m, y, tensors=None, dim=0, *, out=None):
    dim = dim % len(y.shape)
    parts = []
    for t in tensors:
        shape = list(t.shape)
        shape.insert(dim, 1)
        parts.append(m.named(_view(m, "Unsqueeze", m.cast(t, y.dtype), shape, [_list(m, [dim])])))
    return m.operator("Concat", parts, y.shape, y.dtype, axis=dim)


def _sliced(m, x, dim, first, end, step=1):
    """x[first:end:step] along one axis."""
    n = x.shape[dim]
    first, end, step = slice(first, end, step).indices(n)
    shape = list(x.shape)
    shape[dim] = len(range(first, end, step))
    if shape[dim] == n and step == 1:
        return x
    if shape[dim] == 0:
        raise Unknown("a slice without elements")
    more = [_list(m, [first]), _list(m, [end]), _list(m, [dim]), _list(m, [step])]
    return _view(m, "Slice", x, shape, more)


@_named("chunk", "split", "split_with_sizes", "tensor_split", "unsafe_chunk", "unsafe_split")
def _split(m, y, input=None, *arguments, self=None, dim=0, **named):
    input = self if input is None else input
    if len(arguments) > 1:
        dim = arguments[1]
    dim, at, parts = dim % len(input.shape), 0, []
    for part in y:
        parts.append(_sliced(m, input, dim, at, at + part.shape[dim]))
        at += part.shape[dim]
    return tuple(parts)


@_named("narrow")
def _narrow(m, y, input=None, dim=None, start=None, length=None, *, self=None):
    input = self if input is None else input
    if _is_tensor(start):
        raise Unknown("narrow at a place that is not known")
    dim = dim % len(input.shape)
    start = start % input.shape[dim] if start < 0 else start
    return _sliced(m, input, dim, start, start + length)


@_named("slice")
def _slice(m, y, input=None, dim=0, start=None, end=None, step=1, *, self=None):
    input = self if input is None else input
    return _sliced(m, input, dim % len(input.shape), start, end, step)


def _selected(m, x, dim, index):
    if _is_tensor(index):
        raise Unknown("an element that is not known")
    n = x.shape[dim]
    one = _sliced(m, x, dim, index % n, index % n + 1)
    shape = [size for d, size in enumerate(x.shape) if d != dim]
    return _view(m, "Squeeze", one, shape, [_list(m, [dim])])


@_named("select")
def _select(m, y, input=None, dim=0, index=0, *, self=None):
    input = self if input is None else input
    return _selected(m, input, dim % len(input.shape), index)


@_named("unbind")
def _unbind(m, y, input=None, dim=0, *, self=None):
    input = self if input is None else input
    dim = dim % len(input.shape)
    return tuple(_selected(m, input, dim, n) for n in range(input.shape[dim]))


@_named("getitem")
def _getitem(m, y, input, where):
    """Numbers, slices, None and ...; one tensor of integers on a single axis."""
    where = list(where) if isinstance(where, tuple) else [where]
    if isinstance(where[0], list) and len(where) == 1:
        where = [torch.tensor(where[0])]
    used = sum(1 for w in where if w is not None and w is not Ellipsis)
    if Ellipsis in [w for w in where if not _is_tensor(w)]:
        at = next(n for n, w in enumerate(where) if w is Ellipsis)
        where[at:at + 1] = [slice(None)] * (len(input.shape) - used)
    x, dim = input, 0
    for w in where:
        if w is None:
            shape = list(x.shape)
            shape.insert(dim, 1)
            x = _view(m, "Unsqueeze", x, shape, [_list(m, [dim])])
            dim += 1
        elif isinstance(w, slice):
            x = _sliced(m, x, dim, w.start, w.stop, 1 if w.step is None else w.step)
            dim += 1
        elif _is_tensor(w) and w.dtype not in (torch.bool, torch.uint8) and \
                sum(1 for o in where if _is_tensor(o)) == 1:
            x = _gathered(m, x, dim, w)
            dim += len(w.shape)
        elif isinstance(w, int) and not isinstance(w, bool):
            x = _selected(m, x, dim, w)
        else:
            raise Unknown("an index of truth values or of several tensors")
    return x


def _gathered(m, x, dim, index):
    shape = [*x.shape[:dim], *index.shape, *x.shape[dim + 1:]]
    return m.operator("Gather", [m.named(x), m.named(index)], shape, x.dtype, axis=dim)


@_named("embedding")
def _embedding(m, y, input=None, weight=None, padding_idx=None, *arguments, indices=None, **named):
    # TorchScript has the weight first, and calls the indices so.
    if indices is not None:
        input = indices
    return _gathered(m, weight, 0, input)


@_named("index_select")
def _index_select(m, y, input=None, dim=0, index=None, *, self=None):
    input = self if input is None else input
    return _gathered(m, input, dim % len(input.shape), index)


@_named("gather")
def _gather(m, y, input=None, dim=0, index=None, *, sparse_grad=False, self=None):
    input = self if input is None else input
    return m.operator("GatherElements", [m.named(input), m.named(index)], y.shape, y.dtype,
                      axis=dim % len(input.shape))


@_named("pad", "constant_pad_nd")
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
    names = [m.named(input), _list(m, before + after), m.named(torch.tensor(value or 0, dtype=y.dtype))]
    return m.operator("Pad", names, y.shape, y.dtype)


@_named("repeat", "tile")
def _repeat(m, y, input=None, *repeats, self=None, **named):
    """Each repeated axis as one more that nothing depends on."""
    input = self if input is None else input
    repeats = [int(n) for n in leaves(named.get("repeats", named.get("dims", repeats)))]
    shape = [1] * (len(repeats) - len(input.shape)) + list(input.shape)
    repeats = [1] * (len(shape) - len(repeats)) + repeats
    x = _reshape(m, input, [k for n in shape for k in (1, n)])
    wide = [k for n, r in zip(shape, repeats) for k in (r, n)]
    x = _view(m, "Expand", x, wide, [_list(m, wide)])
    return _reshape(m, x, y.shape)


@_named("repeat_interleave")
def _repeat_interleave(m, y, input=None, repeats=None, dim=None, *, output_size=None, self=None):
    input = self if input is None else input
    if _is_tensor(repeats) or dim is None:
        raise Unknown("repeat_interleave of several numbers")
    dim = dim % len(input.shape)
    shape = list(input.shape)
    one = shape[:dim + 1] + [1] + shape[dim + 1:]
    wide = shape[:dim + 1] + [int(repeats)] + shape[dim + 1:]
    x = _view(m, "Unsqueeze", input, one, [_list(m, [dim + 1])])
    return _reshape(m, _view(m, "Expand", x, wide, [_list(m, wide)]), y.shape)


# --- attention ---


@_named("scaled_dot_product_attention")
def _attention(m, y, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None, enable_gqa=False):
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * scale
    if is_causal:
        attn_mask = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool).tril()
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    return torch.matmul(torch.softmax(scores, -1), value)


@_named("multi_head_attention_forward")
def _multi_head(m, y, query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
                add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None,
                need_weights=True, attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None,
                v_proj_weight=None, static_k=None, static_v=None, average_attn_weights=True, is_causal=False):
    """(length, batch, width), as torch.nn.MultiheadAttention calls it; or without a batch."""
    if bias_k is not None or add_zero_attn or static_k is not None or static_v is not None or key_padding_mask is not None:
        raise Unknown("multi-head attention with extra keys or padding")
    linear = torch.nn.functional.linear
    is_single = len(query.shape) == 2
    if is_single:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
    length, batch, width = query.shape
    head = width // num_heads
    biases = in_proj_bias.chunk(3) if in_proj_bias is not None else (None, None, None)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else in_proj_weight.chunk(3)
    q, k, v = (linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))
    q, k, v = (x.contiguous().view(x.shape[0], batch, num_heads, head).permute(1, 2, 0, 3) for x in (q, k, v))
    scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(head)
    if attn_mask is not None:
        if attn_mask.dtype == torch.bool:
            attn_mask = torch.zeros(attn_mask.shape, dtype=q.dtype).masked_fill(attn_mask, -math.inf)
        if len(attn_mask.shape) == 3:
            attn_mask = attn_mask.view(batch, num_heads, length, -1)
        scores = scores + attn_mask
    weights = torch.softmax(scores, -1)
    mixed = torch.matmul(weights, v).permute(2, 0, 1, 3).reshape(length, batch, width)
    made = linear(mixed, out_proj_weight, out_proj_bias)
    if is_single:
        made = made.squeeze(1)
    if not need_weights:
        return made, None
    return made, weights.mean(1) if average_attn_weights else weights
