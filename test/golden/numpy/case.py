"""A function of one op in MLIR, its operands, and what NumPy says that it computes. Shares nothing with Pimento."""

import numpy as np

MLIR_TYPES = {"float64": "f64", "float32": "f32", "float16": "f16", "int64": "i64", "int32": "i32", "int16": "i16",
              "int8": "i8", "uint8": "i8", "uint16": "i16", "uint32": "i32", "bool": "i1"}


def type_of(array):
    """tensor<2x3xf32>"""
    return "tensor<" + "".join(f"{n}x" for n in array.shape) + MLIR_TYPES[array.dtype.name] + ">"


def ints(values):
    return ", ".join(str(int(v)) for v in values)


class Case:
    """`results`: what NumPy computes, in the order of the function's results. Floats may differ by `tolerance` of the
    largest term, which `magnitude` gives (default: the largest result)."""

    def __init__(self, arguments, body, results, tolerance=2e-6, magnitude=None, attributes=""):
        self.arguments = arguments
        self.results = results
        self.tolerance = tolerance
        self.magnitude = magnitude
        names = ", ".join(f"%{name}: {type_of(a)}" for name, a in arguments.items())
        types = ", ".join(type_of(r) for r in results)
        self.text = f"{attributes}func.func @main({names}) -> ({types}) {{\n{body}}}\n"

    def complaint(self, got):
        """What is wrong with the results; None if nothing is."""
        for number, (is_, was) in enumerate(zip(got, self.results)):
            if is_.shape != was.shape:
                return f"result {number} has shape {is_.shape}, not {was.shape}"
            if was.dtype.kind != "f":
                wrong = is_.astype(was.dtype) != was
            else:
                most = self.magnitude if self.magnitude is not None else np.max(np.abs(was[np.isfinite(was)]), initial=0)
                with np.errstate(invalid="ignore"):
                    near = np.abs(is_.astype(np.float64) - was) <= self.tolerance * max(most, 1e-30)
                wrong = ~(near | (is_ == was) | (np.isnan(is_) & np.isnan(was)))
            if np.any(wrong):
                at = tuple(int(i) for i in np.argwhere(wrong)[0])
                return f"result {number} is {is_[at]} at {at}, not {was[at]} ({int(np.sum(wrong))} of {wrong.size} differ)"
        return None


class Draw:
    """Random shapes and contents."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def size(self, low=1, high=6):
        return int(self.random.integers(low, high + 1))

    def sizes(self, count, low=1, high=6):
        return [self.size(low, high) for _ in range(count)]

    def choice(self, options):
        return options[int(self.random.integers(len(options)))]

    def array(self, shape, dtype=np.float32, low=None, high=None):
        dtype = np.dtype(dtype)
        if dtype.kind == "f":
            return self.random.uniform(-2 if low is None else low, 2 if high is None else high, shape).astype(dtype)
        info = np.iinfo(dtype)
        bound = min(info.max, 1000)
        low = (0 if dtype.kind == "u" else -bound) if low is None else low
        return self.random.integers(low, (bound if high is None else high) + 1, shape).astype(dtype)

    def element(self):
        return self.choice([np.float32, np.float32, np.int32, np.int16, np.int64])


def zeros(name, array):
    """Lines that define %name as zeros of the array's type."""
    of = type_of(array)
    zero, element = ("0.0" if array.dtype.kind == "f" else "0"), MLIR_TYPES[array.dtype.name]
    return (f"  %{name}_z = arith.constant {zero} : {element}\n  %{name}_e = tensor.empty() : {of}\n"
            f"  %{name} = linalg.fill ins(%{name}_z : {element}) outs(%{name}_e : {of}) -> {of}\n")


def empty(name, array):
    return f"  %{name} = tensor.empty() : {type_of(array)}\n"


def linalg(op, inputs, output, result="r", attributes="", operands=None):
    """One named op: `inputs` is {name: array}, `output` a pair of them."""
    names = ", ".join("%" + n for n in inputs)
    types = ", ".join(a if isinstance(a, str) else type_of(a) for a in inputs.values())
    name, array = output
    return (f"  %{result} = linalg.{op} {attributes}{' ' if attributes else ''}ins({names} : {types}) "
            f"outs(%{name} : {type_of(array)}) -> {type_of(array)}\n")


def returned(*results):
    """`results`: pairs of name and array."""
    return f"  return {', '.join('%' + n for n, _ in results)} : {', '.join(type_of(a) for _, a in results)}\n"


def wide(array):
    """For reference computations: f64, or i64, which wraps as narrower integers do once cast back."""
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
