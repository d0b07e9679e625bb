"""Element types, the class that kernels call Tensor, and the operations that kernels call by name.

Nothing here computes: kernels are read, not run (reader.py). The exception is a type called outside a kernel, which
converts arrays: `pimento.bf16.encode(a)`.
"""

import math

from .errors import misuse


class DType:
    """An element type: `pimento.f16`, `pimento.i32`, ...

    In a kernel, `pimento.f32(x)` converts a scalar. As an annotation, `x: pimento.f16` gives a parameter's type.

    Attributes:
        name: its name on the command line, "f16".
        bits: size of an element.
        is_float, is_signed: what it holds.
    """

    def __init__(self, name, bits, is_float, is_signed, numpy):
        self.name, self.bits, self.is_float, self.is_signed = name, bits, is_float, is_signed
        self.numpy_name = numpy

    def __repr__(self):
        return f"pimento.{self.name}"

    def __reduce__(self):
        return dtype, (self.name,)

    @property
    def numpy(self):
        """NumPy's type of arrays with such elements; bf16 and the 8-bit floats travel as u16 and u8 bit patterns."""
        import numpy

        return numpy.dtype(self.numpy_name)

    @property
    def is_bits(self):
        """Whether arrays hold bit patterns, since NumPy has no such type."""
        return self.name in ("bf16", "f8e4m3", "f8e5m2")

    @property
    def low(self):
        """The least value of an integer type."""
        return -(1 << (self.bits - 1)) if self.is_signed else 0

    @property
    def high(self):
        """The greatest value of an integer type."""
        return (1 << (self.bits - self.is_signed)) - 1

    def __call__(self, value):
        raise misuse("python-outside", f"pimento.{self.name}(...) converts scalars inside kernels",
                     f"convert an array with numpy.asarray(a, {self.numpy_name!r})")

    def encode(self, array):
        """The nearest values of this type (ties to even), as an array for a kernel: bit patterns of bf16 and the 8-bit
        floats (of `self.numpy`), values of other types."""
        import numpy

        if not self.is_bits:
            return numpy.asarray(array).astype(self.numpy)
        return _encode(self, numpy.asarray(array, numpy.float64))

    def decode(self, array):
        """The values that `array`, of `self.numpy`, holds: f64 for bf16 and the 8-bit floats."""
        import numpy

        if not self.is_bits:
            return numpy.asarray(array)
        return _values(self)[numpy.asarray(array, self.numpy)]


_TABLES = {}


def _values(of):
    """The value of every bit pattern."""
    import numpy

    if of.name not in _TABLES:
        exponent, mantissa = {"bf16": (8, 7), "f8e4m3": (4, 3), "f8e5m2": (5, 2)}[of.name]
        bits = numpy.arange(1 << of.bits)
        e = (bits >> mantissa) & ((1 << exponent) - 1)
        m = bits & ((1 << mantissa) - 1)
        bias = (1 << (exponent - 1)) - 1
        value = numpy.where(e == 0, m * 2.0 ** (1 - bias - mantissa),
                            numpy.ldexp(1 + m * 2.0**-mantissa, e - bias))
        top = e == (1 << exponent) - 1
        if of.name == "f8e4m3":  # no infinity: one NaN for each sign
            value = numpy.where(top & (m == 7), numpy.nan, value)
        else:
            value = numpy.where(top, numpy.where(m == 0, numpy.inf, numpy.nan), value)
        _TABLES[of.name] = numpy.where(bits >> (of.bits - 1) == 1, -value, value)
    return _TABLES[of.name]


def _encode(of, x):
    """Round to nearest, ties to even: among the finite values, which ascend with their bit patterns."""
    import numpy

    half = _values(of)[: 1 << (of.bits - 1)]
    finite = half[numpy.isfinite(half)]
    last = len(finite) - 1
    # What lies half a step above the largest finite value overflows.
    step = finite[last] - finite[last - 1]
    overflow = last + 1  # infinity of e5m2 and bf16, NaN of e4m3
    size = numpy.abs(x)
    above = numpy.clip(numpy.searchsorted(finite, size), 1, last)
    low, high = finite[above - 1], finite[above]
    down, up = size - low, high - size
    bits = numpy.where((down < up) | ((down == up) & (above % 2 == 1)), above - 1, above)
    bits = numpy.where(size >= finite[last] + step / 2, overflow, bits)
    nan = {"bf16": 0x7FC0, "f8e4m3": 0x7F, "f8e5m2": 0x7E}[of.name]
    bits = numpy.where(numpy.signbit(x), bits | (1 << (of.bits - 1)), bits)
    return numpy.where(numpy.isnan(x), nan, bits).astype(of.numpy)


f64 = DType("f64", 64, True, True, "float64")
f32 = DType("f32", 32, True, True, "float32")
f16 = DType("f16", 16, True, True, "float16")
bf16 = DType("bf16", 16, True, True, "uint16")
f8e4m3 = DType("f8e4m3", 8, True, True, "uint8")
f8e5m2 = DType("f8e5m2", 8, True, True, "uint8")
i64 = DType("i64", 64, False, True, "int64")
i32 = DType("i32", 32, False, True, "int32")
i16 = DType("i16", 16, False, True, "int16")
i8 = DType("i8", 8, False, True, "int8")
u64 = DType("u64", 64, False, False, "uint64")
u32 = DType("u32", 32, False, False, "uint32")
u16 = DType("u16", 16, False, False, "uint16")
u8 = DType("u8", 8, False, False, "uint8")

DTYPES = {t.name: t for t in (f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8)}
_OF_NUMPY = {t.numpy_name: t for t in DTYPES.values() if not t.is_bits}


def dtype(of):
    """The DType that `of` names: a DType, "f16", or a NumPy type. Raises Error."""
    if isinstance(of, DType):
        return of
    if isinstance(of, str) and of in DTYPES:
        return DTYPES[of]
    name = getattr(of, "name", None) or getattr(of, "__name__", None) or str(of)
    found = _OF_NUMPY.get(name.rsplit(".", 1)[-1])
    if found is None:
        raise misuse("python-dtype", f"{of!r} is not an element type", f"use one of {', '.join(DTYPES)}")
    return found


def is_array(value):
    """Whether NumPy can see `value` as an array."""
    return hasattr(value, "__array__") or hasattr(value, "__array_interface__") or hasattr(value, "__dlpack__")


def promoted(a, b):
    """The type of an operation on an `a` and a `b`: the float, else the wider; None where there is none."""
    if a is b:
        return a
    if a.is_float != b.is_float:
        return a if a.is_float else b
    if a.is_float:
        if a.bits != b.bits:
            return a if a.bits > b.bits else b
        return f32 if a.bits == 16 else f16  # f16 and bf16; the two 8-bit floats
    if a.is_signed == b.is_signed:
        return a if a.bits > b.bits else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    return {8: i16, 16: i32, 32: i64}.get(unsigned.bits)


class Tensor:
    """A dense array in a kernel.

    `pimento.Tensor.zero(shape, dtype)` is a temporary full of zeros, `pimento.Tensor(shape, dtype)` one without
    contents. `shape` is a list of integers; `dtype` defaults to that of `init_kernel`. As an annotation,
    `x: pimento.Tensor[pimento.f16]` gives a parameter's type. In a kernel a tensor has `x.size(d)`, `x.size()`,
    `x.shape`, `x.ndim`, `x.dtype`, `len(x)` and elements `x[i, j]`, also written `x[i][j]`.
    """

    def __init__(self, shape, dtype=None):
        raise misuse("python-outside", "pimento.Tensor(...) makes tensors inside kernels",
                     "pass NumPy arrays to kernels")

    @staticmethod
    def zero(shape, dtype=None):
        """A temporary tensor full of zeros, inside a kernel."""
        raise misuse("python-outside", "pimento.Tensor.zero(...) makes tensors inside kernels", "use numpy.zeros")

    def __class_getitem__(cls, item):
        return _TensorOf(dtype(item))


class _TensorOf:
    """Tensor[dtype], an annotation."""

    def __init__(self, of):
        self.dtype = of

    def __repr__(self):
        return f"pimento.Tensor[{self.dtype!r}]"


def _inside(name, of):
    def function(x):
        raise misuse("python-outside", f"pimento.{name}(x) is {of} inside kernels", "use NumPy on arrays")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{of[0].upper()}{of[1:]} of a scalar, inside a kernel."
    return function


exp = _inside("exp", "the exponential")
log = _inside("log", "the natural logarithm")
sqrt = _inside("sqrt", "the square root")
tanh = _inside("tanh", "the hyperbolic tangent")
relu = _inside("relu", "x where it is positive, else 0,")

OPERATIONS = {exp: "exp", log: "log", sqrt: "sqrt", tanh: "tanh", relu: "relu",
              math.exp: "exp", math.log: "log", math.sqrt: "sqrt", math.tanh: "tanh"}

__all__ = ["DType", "Tensor", "dtype", *DTYPES, "exp", "log", "sqrt", "tanh", "relu"]
