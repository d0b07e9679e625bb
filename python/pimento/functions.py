"""Python functions that are marked as kernels: what they say, at some sizes."""

import json
import os

from .dtypes import DType, _TensorOf, dtype as dtype_of, is_array
from .errors import Error, misuse, suggestion
from .library import Query


class KernelFunction:
    """A Python function marked with @pimento.kernel. It is read, never run.

    Pass it to init_kernel, estimate, simulate, compare, explore, tune or explain, with the sizes of its parameters.
    """

    def __init__(self, function):
        self.pimento_function = function
        self.__name__, self.__qualname__ = function.__name__, function.__qualname__
        self.__doc__, self.__module__, self.__wrapped__ = function.__doc__, function.__module__, function
        self._texts = {}

    def __repr__(self):
        return f"<pimento kernel {self.__name__}>"

    def __call__(self, *arrays, **named):
        raise misuse("python-not-initialized", f"kernel '{self.__name__}' is not bound to sizes and a machine",
                     f"k = pimento.init_kernel({self.__name__}, [shape of each parameter]); then k(...)")

    def nest(self, sizes=None, dtype=None):
        """The function's loop nests as text, at these sizes: what the library reads. Raises Error."""
        return self._read(sizes, dtype_of(dtype) if dtype else None, lambda: dtype_of("f32")).nest.text()

    def cnm(self, sizes=None, dtype=None, target="hbm-pim"):
        """The kernels that the function becomes, as CNM IR without mappings (docs/how-to/cnm-ir.md). Raises Error."""
        query = Query({"emit": "cnm", "map": "host", "target": target}, self._text(sizes, dtype, target)[0])
        return json.loads(query.run("compile").json)

    def _text(self, sizes, dtype, target):
        """((language, text, name), Reading)."""
        reading = self._read(sizes, dtype_of(dtype) if dtype else None, lambda: native_dtype(target))
        return ("nest", reading.nest.text(), self.__name__), reading

    def _read(self, sizes, dtype, usual):
        """`dtype`: of what states none; None: that of the first array among the sizes, else what `usual` gives."""
        from .reader import Reader  # and with it ast: only who has kernels in Python pays for them

        reader = Reader(self.pimento_function, self._texts, dtype)
        arguments = self._arguments(reader, sizes, usual)
        reader.dtype = reader.dtype or usual()
        return reader.read(arguments)

    def _arguments(self, reader, sizes, usual):
        from .reader.text import all_arguments, defaults_of

        text = reader.frames[0].function
        parameters = all_arguments(text.tree)
        names = [p.arg for p in parameters]
        given = {}
        if isinstance(sizes, dict):
            given = dict(sizes)
        elif sizes is not None:
            if len(sizes) > len(names):
                raise misuse("python-sizes", f"'{self.__name__}' has {len(names)} parameters, {len(sizes)} sizes are "
                             "given", f"give one for each of {', '.join(names)}")
            given = dict(zip(names, sizes))
        for name in given:
            if name not in names:
                raise misuse("python-sizes", f"'{self.__name__}' has no parameter '{name}'", suggestion(name, names))
        for name, value in defaults_of(text):
            given.setdefault(name, value)
        types = {}
        arguments = {}
        for p in parameters:
            if p.arg not in given:
                reader.fail(p, "python-sizes", f"the size of '{p.arg}' is not known",
                            f"init_kernel({self.__name__}, sizes): give a shape, an array or a number for each of "
                            f"{', '.join(names)}")
            annotated = self._annotation(reader, p)
            size, of_array = self._size(reader, p, given[p.arg])
            if reader.dtype is not None and reader.dtype.is_bits and of_array is not None and \
                    of_array.numpy_name == reader.dtype.numpy_name:
                of_array = None  # bit patterns of a type that NumPy lacks
            if isinstance(size, tuple):
                types[p.arg] = annotated or of_array
                if types[p.arg] is not None and annotated is None:
                    reader.dtype = reader.dtype or of_array
            arguments[p.arg] = size
        for name, size in arguments.items():
            if isinstance(size, tuple):
                arguments[name] = (size, types[name] or reader.dtype or usual())
        return arguments

    def _annotation(self, reader, p):
        """The DType that a parameter's annotation names, if any."""
        found = self.pimento_function.__annotations__.get(p.arg)
        if isinstance(found, str):
            try:
                found = eval(found, self.pimento_function.__globals__)  # the user's own text, as Python would
            except Exception:
                found = None
        if isinstance(found, _TensorOf):
            return found.dtype
        return found if isinstance(found, DType) else None

    def _size(self, reader, p, value):
        """(shape or number, DType or None)."""
        if isinstance(value, (bool, int, float)):
            return value, None
        if is_array(value):
            shape, of = tuple(value.shape), None
            try:
                of = dtype_of(value.dtype)
            except Error:
                pass
        else:
            try:
                shape, of = tuple(int(n) for n in value), None
            except (TypeError, ValueError):
                raise misuse("python-sizes", f"{value!r} is not a size of '{p.arg}'",
                             "give a shape such as (64, 128), an array, or a number for a constant") from None
        for d, n in enumerate(shape):
            if n < 1:
                reader.fail(p, "python-sizes", f"dimension {d} of '{p.arg}' has {n} elements",
                            "use sizes of 1 or more; skip the call for empty arrays")
        return shape, of


def kernel(function):
    """Marks a Python function as a kernel: @pimento.kernel.

    The body consists of `for` loops over `range(start, end, step)` whose bounds are sums of sizes, numbers and the
    loops around; of conditions; and of assignments to scalars and to elements of tensors. Functions with such bodies
    may be called, and are inlined. docs/how-to/python.md lists what is read.

    Returns a KernelFunction. Raises Error if `function` is not a function; its text is read with the sizes.
    """
    import types

    if isinstance(function, KernelFunction):
        return function
    if not isinstance(function, types.FunctionType):
        raise misuse("python-kernel", f"{function!r} is not a function", "write @pimento.kernel above a def")
    return KernelFunction(function)


_NATIVE = {}


def native_dtype(target):
    """The element type of `target` where nothing else says one: f16 on HBM-PIM. Raises Error."""
    key = (target, os.environ.get("PIMENTO_MACHINES"))
    if key not in _NATIVE:
        _NATIVE[key] = dtype_of(json.loads(Query({"kernel": target}).run("targets").json)["native_dtype"])
    return _NATIVE[key]


def input_of(kernel, sizes, dtype, target, language=None):
    """What names a kernel, as options and text of a query: (options, text, Reading or None). Models of PyTorch too, with
    an example of their inputs for `sizes`."""
    dtype = dtype_of(dtype) if dtype else None
    if isinstance(kernel, KernelFunction):
        if language is not None:
            raise misuse("python-argument", "a Python kernel has no 'language'", "leave it out")
        text, reading = kernel._text(sizes, dtype, target or "hbm-pim")
        return {}, text, reading
    if hasattr(kernel, "state_dict") and hasattr(kernel, "forward"):  # a torch.nn.Module
        return _input_of_model(kernel, sizes, dtype)
    if callable(kernel):
        raise misuse("python-kernel", f"{kernel!r} is not a kernel", "mark it with @pimento.kernel")
    if not isinstance(kernel, (str, os.PathLike)):
        raise misuse("python-kernel", f"{kernel!r} is not a kernel",
                     "pass a function marked with @pimento.kernel, a kernel's name, index notation or a file")
    options = {"size": sizes, "dtype": dtype.name if dtype else None}
    if sizes is not None and not isinstance(sizes, dict):
        raise misuse("python-sizes", f"sizes of '{kernel}' are given without names",
                     "pass a dict: {'m': 4096, 'n': 1024}")
    if language is not None:
        return options, (language, str(kernel), "kernel"), None
    return {**options, "kernel": os.fspath(kernel)}, None, None


def _input_of_model(model, example, dtype):
    from .models import need_torch

    need_torch()
    from .models.fx import record

    if dtype is not None:
        raise misuse("python-argument", "a model states its own types", f"leave dtype out; convert='f32={dtype.name}' "
                     "runs it in another type")
    recorder = record(model, example)
    return {}, ("model", recorder.text.data(), recorder.text.name), None
