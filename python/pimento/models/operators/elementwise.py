"""Functions that compute each element by itself, and casts."""

import torch

from ..trace import ONNX_TYPES, Traced, Unknown
from .table import common_type, is_tensor, operator_of, reshape, same


def _unary(op, *names):
    @operator_of(*names)
    def call(m, y, input=None, *, inplace=False, self=None, out=None):
        return same(m, y, op, self if input is None else input)


for _op, *_names in (("Relu", "relu"), ("Tanh", "tanh"), ("Sigmoid", "sigmoid"), ("Exp", "exp"), ("Log", "log"),
                     ("Sqrt", "sqrt"), ("Abs", "abs"), ("Neg", "neg", "negative"), ("Erf", "erf"), ("Sin", "sin"),
                     ("Cos", "cos"), ("Floor", "floor"), ("Ceil", "ceil"), ("Round", "round"), ("Silu", "silu"),
                     ("Reciprocal", "reciprocal"), ("HardSwish", "hardswish")):
    _unary(_op, *_names)


@operator_of("rsqrt")
def _rsqrt(m, y, input=None, *, self=None):
    return same(m, y, "Reciprocal", same(m, y, "Sqrt", self if input is None else input))


@operator_of("square")
def _square(m, y, input=None, *, self=None):
    x = self if input is None else input
    return same(m, y, "Mul", x, x)


@operator_of("logical_not", "bitwise_not", "invert")
def _not(m, y, input=None, *, self=None):
    x = self if input is None else input
    if x.dtype != torch.bool:
        raise Unknown("'not' of numbers")
    return same(m, y, "Not", x)


def scaled(m, y, x, alpha):
    if alpha in (None, 1):
        return x
    return x * alpha if not isinstance(x, Traced) else same(m, y, "Mul", m.cast(x, y.dtype), alpha)


def _two(op, *names, is_swapped=False):
    @operator_of(*names)
    def call(m, y, input=None, other=None, *, alpha=None, self=None, out=None):
        input = self if input is None else input
        if y.dtype == torch.bool:
            op_of = {"Add": "Or", "Mul": "And"}.get(op)
            if op_of is None:
                raise Unknown(f"{op} of truth values")
            return same(m, y, op_of, input, other)
        other = scaled(m, y, other, alpha)
        return same(m, y, op, *((other, input) if is_swapped else (input, other)))


_two("Add", "add", "radd")
_two("Sub", "sub", "subtract")
_two("Sub", "rsub", is_swapped=True)
_two("Mul", "mul", "multiply", "rmul")
_two("Max", "maximum")
_two("Min", "minimum")


@operator_of("div", "divide", "true_divide", "truediv", "floordiv", "floor_divide")
def _div(m, y, input=None, other=None, *, rounding_mode=None, self=None):
    if rounding_mode is not None or not y.dtype.is_floating_point:
        raise Unknown("a division that rounds")
    return same(m, y, "Div", self if input is None else input, other)


@operator_of("rtruediv", "rdiv")
def _rdiv(m, y, input, other):
    return same(m, y, "Div", other, input)


@operator_of("pow", "float_power")
def _pow(m, y, input=None, exponent=None, *, self=None):
    input = self if input is None else input
    if is_tensor(exponent) or not isinstance(input, Traced):
        raise Unknown("a power whose exponent is not a number")
    if exponent != int(exponent) and abs(exponent) != 0.5 or abs(exponent) > 16:
        raise Unknown(f"a power to {exponent}")
    return m.operator("Pow", [m.named(m.cast(input, y.dtype)), m.named(torch.tensor(exponent, dtype=y.dtype))], y.shape,
                      y.dtype)


def _comparison(op, *names, is_negated=False):
    @operator_of(*names)
    def call(m, y, input=None, other=None, *, self=None):
        input = self if input is None else input
        of = common_type(input, other)
        made = m.operator(op, [m.named(m.cast(x, of), of) for x in (input, other)], y.shape, torch.bool)
        return m.operator("Not", [made.name], y.shape, torch.bool) if is_negated else made


_comparison("Equal", "eq")
_comparison("Equal", "ne", "not_equal", is_negated=True)
_comparison("Less", "lt", "less")
_comparison("LessOrEqual", "le", "less_equal")
_comparison("Greater", "gt", "greater")
_comparison("GreaterOrEqual", "ge", "greater_equal")


def _logical(op, *names):
    @operator_of(*names)
    def call(m, y, input=None, other=None, *, self=None):
        input = self if input is None else input
        if y.dtype != torch.bool or any(x.dtype != torch.bool for x in (input, other) if is_tensor(x)):
            raise Unknown("bits of numbers")
        return same(m, y, op, input, other)


_logical("And", "and", "logical_and", "bitwise_and")
_logical("Or", "or", "logical_or", "bitwise_or")
_logical("Xor", "xor", "logical_xor", "bitwise_xor")


@operator_of("gelu")
def _gelu(m, y, input=None, *, approximate="none", self=None):
    return same(m, y, "Gelu", self if input is None else input, approximate=approximate)


@operator_of("leaky_relu")
def _leaky_relu(m, y, input=None, negative_slope=0.01, inplace=False, *, self=None):
    return same(m, y, "LeakyRelu", self if input is None else input, alpha=float(negative_slope))


@operator_of("elu")
def _elu(m, y, input=None, alpha=1.0, inplace=False, *, scale=1, input_scale=1, self=None):
    if scale != 1 or input_scale != 1:
        raise Unknown("elu with scales")
    return same(m, y, "Elu", self if input is None else input, alpha=float(alpha))


@operator_of("softplus")
def _softplus(m, y, input=None, beta=1, threshold=20, *, self=None):
    if beta != 1:
        raise Unknown("softplus with beta")
    return same(m, y, "Softplus", self if input is None else input)


@operator_of("hardsigmoid")
def _hardsigmoid(m, y, input=None, inplace=False, *, self=None):
    return same(m, y, "HardSigmoid", self if input is None else input, alpha=1 / 6, beta=0.5)


@operator_of("prelu")
def _prelu(m, y, input=None, weight=None, *, self=None):
    input = self if input is None else input
    if weight.numel() > 1:
        weight = reshape(m, weight, [weight.numel()] + [1] * (len(y.shape) - 2))
    return same(m, y, "PRelu", input, weight)


def _clipped(m, y, x, low, high):
    if any(is_tensor(bound) for bound in (low, high)):
        raise Unknown("bounds that are tensors")
    names = ["" if bound is None else m.named(torch.tensor(bound, dtype=y.dtype)) for bound in (low, high)]
    return m.operator("Clip", [m.named(m.cast(x, y.dtype)), *names], y.shape, y.dtype)


@operator_of("clamp", "clip")
def _clamp(m, y, input=None, min=None, max=None, *, self=None):
    return _clipped(m, y, self if input is None else input, min, max)


@operator_of("clamp_min")
def _clamp_min(m, y, input=None, min=None, *, self=None):
    return _clipped(m, y, self if input is None else input, min, None)


@operator_of("clamp_max")
def _clamp_max(m, y, input=None, max=None, *, self=None):
    return _clipped(m, y, self if input is None else input, None, max)


@operator_of("hardtanh")
def _hardtanh(m, y, input=None, min_val=-1.0, max_val=1.0, inplace=False, *, self=None):
    return _clipped(m, y, self if input is None else input, min_val, max_val)


@operator_of("relu6")
def _relu6(m, y, input=None, inplace=False, *, self=None):
    return _clipped(m, y, self if input is None else input, 0.0, 6.0)


@operator_of("where")
def _where(m, y, condition=None, input=None, other=None, *, self=None, out=None):
    if isinstance(self, Traced) and input is None:
        input = self
    if input is None:
        raise Unknown("where of one argument")
    names = [m.named(condition)] + [m.named(m.cast(x, y.dtype), y.dtype) for x in (input, other)]
    return m.operator("Where", names, y.shape, y.dtype)


@operator_of("masked_fill")
def _masked_fill(m, y, input=None, mask=None, value=None, *, self=None):
    input = self if input is None else input
    names = [m.named(mask), m.named(m.cast(value, y.dtype), y.dtype), m.named(input)]
    return m.operator("Where", names, y.shape, y.dtype)


def _cast(m, y, x):
    if x.dtype == y.dtype:
        return x
    if y.dtype not in ONNX_TYPES:
        raise Unknown(f"a cast to {y.dtype}")
    return m.cast(x, y.dtype)


@operator_of("to", "type", "type_as", "float", "half", "double", "int", "long", "short", "bool", "bfloat16", "_to_copy")
def _to(m, y, input=None, *arguments, self=None, **named):
    return _cast(m, y, self if input is None else input)


@operator_of("contiguous", "clone", "detach", "identity", "cpu", "requires_grad", "alias", "lift_fresh")
def _identity(m, y, input=None, *arguments, self=None, **named):
    return self if input is None else input


@operator_of("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_dropout",
             "feature_alpha_dropout")
def _dropout(m, y, input=None, p=0.5, training=True, inplace=False, *, train=None):
    if p > 0 and (training if train is None else train):
        raise Unknown("dropout that drops: pass training=self.training, and call model.eval()")
    return input
