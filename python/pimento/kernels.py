"""The life of a kernel: a marked function, bound to sizes and a machine, run on arrays."""

import json
import threading

from .dtypes import dtype as dtype_of, is_array
from .errors import InternalError, diagnostic, misuse, suggestion
from .functions import input_of
from .handles import Handle
from .library import Query
from .results import result_of

_MODES = {"simulate": b"simulate", "estimate": b"estimate"}


class Best:
    """The mapping that a kernel runs with, handed to its update callback.

    Attributes:
        kernel: the Kernel; `best.kernel.preload(...)` places tensors for this mapping.
        mapping: as --map takes it.
        target: the machine.
        estimate: a Result with the time and energy of one call, computed when it is first asked for.
        time_ns, energy_pj, cycles: of it.
    """

    def __init__(self, kernel, mapping):
        self.kernel, self.mapping, self.target = kernel, mapping, kernel.target
        self._estimate = None

    def __repr__(self):
        return f"<best mapping on {self.target}: {self.mapping}>"

    @property
    def estimate(self):
        if self._estimate is None:
            self._estimate = result_of("estimate", self.kernel._query(self.kernel.constants).run("estimate"))
        return self._estimate

    @property
    def time_ns(self):
        return self.estimate["time_ns"]

    @property
    def energy_pj(self):
        return self.estimate["energy_pj"]

    @property
    def cycles(self):
        return self.estimate["cycles"]


def init_kernel(kernel, sizes=None, *, target="hbm-pim", dtype=None, map="tune", constants=(), mode="simulate",
                update=None, objective=None, offload=None, set=None, budget=None, store=None, jobs=None, machines=None,
                convert=None):
    """Binds a kernel to sizes and a machine, and finds its mapping.

    Args:
        kernel: a function marked with @pimento.kernel; or a name of the zoo, index notation or a file, as on the
            command line.
        sizes: of a Python kernel, for each parameter a shape, an array (whose shape and type count) or a number, which
            is then a constant: a list in order, or a dict by name; `()` is the shape of a scalar. Of others a dict of
            named sizes.
        target: a machine, by name or file.
        dtype: element type of tensors that have none from an annotation or array (default: the machine's native one).
        map: "tune": the best mapping, found by `pimento tune` or kept from an earlier time (PIMENTO_STORE names the
            file that keeps them); "auto", "reference", or a mapping.
        constants: names of parameters that will be preloaded: the mapping is the best for calls that do not place them.
        mode: of calls that say none; see Kernel.
        update: called with a Best once the mapping is known.
        objective: "time", "energy" or "kernel".
        offload: "all" (an error if the machine cannot run a part), "possible", "some" or "best".
        set: numbers of the machine, a dict or a list of "PATH=VALUE".
        budget, store, jobs, machines, convert: as on the command line.

    Returns a Kernel. Raises Error: with a place in the Python text if the function is no kernel or the machine cannot
    run it; also if memory is exceeded. Ctrl-C ends a search early; what it finished is kept.
    """
    options, text, reading = input_of(kernel, sizes, dtype, target)
    options.update(target=target, objective=objective, offload=offload, set=set, machines=machines, convert=convert)
    return Kernel(kernel, options, text, reading, map, constants, mode, update,
                  {"budget": budget, "store": store, "jobs": jobs})


class _Tensor:
    """A tensor of a kernel's interface."""

    __slots__ = ("name", "type", "shape", "numpy", "nbytes", "is_scalar")

    def __init__(self, name, type, shape):
        self.name, self.type = name, type
        self.is_scalar = not shape
        self.shape = tuple(shape) or (1,)
        self.numpy = type.numpy
        count = 1
        for n in self.shape:
            count *= n
        self.nbytes = count * type.bits // 8


class Kernel:
    """A kernel on a machine: call it with NumPy arrays, with objects that NumPy can see as arrays without copying
    (`__array__`, `__dlpack__`: PyTorch's CPU tensors), or with handles of preload().

    `k(A, x)` returns the results as NumPy arrays: one, or a tuple. Parameters that the kernel writes to are changed in
    place. Arrays need the type and shape of their parameter and must be contiguous (C order); they are not copied.
    Types that NumPy lacks (bf16, f8e4m3, f8e5m2) travel as bit patterns; see DType.encode.

    `mode="simulate"`: the simulated device computes, command by command, and the result is compared with the reference
    interpreter, bit for bit. `mode="estimate"`: the interpreter computes the same bits at once, and time and energy
    come from exact fast-forward.

    Attributes:
        name, target, mapping, constants, mode.
        inputs, outputs: names, in the order of arguments and results.
        report: dict of the last call, with the keys of `pimento simulate --json`; result: the same as a Result.
        time_ns, energy_pj: of the last call.
        description: dict of tensors, parts and device memory.
    """

    def __init__(self, kernel, options, text, reading, map, constants, mode, update, search):
        self.name = getattr(kernel, "__name__", str(kernel))
        self.mode = self._mode(mode)
        self.constants = frozenset([constants] if isinstance(constants, str) else constants)
        self._options = {k: v for k, v in options.items() if v is not None}
        self._text, self._reading = text, reading
        self._variants, self._lock = {}, threading.Lock()
        self._answer = self._result = None
        if reading is not None:
            names = [p.name for p in reading.parameters]
            for name in self.constants:
                if name not in names:
                    raise misuse("python-argument", f"'{name}' is not a tensor parameter of '{self.name}'",
                                 suggestion(name, names))
        self.mapping = map
        search = {k: v for k, v in search.items() if v is not None} if map == "tune" else \
            {k: v for k, v in search.items() if k == "jobs" and v is not None}
        native = self._query(self.constants, search).kernel(is_search=map == "tune")
        self.description = native.description
        self.target = native.description["target"]
        self._machine = (self.target, json.dumps(self._options.get("set"), sort_keys=True, default=str))
        self.mapping = native.description["map"]
        parts = native.description["parts"]
        if self.mapping == "auto" and len(parts) == 1:  # what auto chose; it chooses again for calls with other handles
            self.mapping = parts[0]["mapping"] or "host"
        self._interface(native)
        self._variants[self.constants] = self._bound(native)
        self._update = update
        self.best = Best(self, self.mapping)
        self.update(self.best)

    def __repr__(self):
        return f"<pimento kernel {self.name} on {self.target}: {self.mapping}>"

    def update(self, best):
        """Called once the mapping is known, with a Best: calls what init_kernel was given as `update`."""
        if self._update is not None:
            self._update(best)

    def _query(self, constants, search=None):
        return Query({**self._asking(constants), **(search or {})}, self._text)

    def _asking(self, constants):
        return {**self._options, "map": self.mapping, "constant": sorted(constants)}

    @staticmethod
    def _mode(mode):
        if mode not in _MODES:
            raise misuse("python-argument", f"{mode!r} is not a mode", "use 'simulate' or 'estimate'")
        return mode

    # --- the interface ---

    def _interface(self, native):
        """Parameters and results, from the Python text or from the graph."""
        if self._reading is not None:
            r = self._reading
            self._parameters = [_Tensor(p.name, p.type, p.shape) for p in r.parameters]
            types = {b.name: b.type for b in r.nest.buffers}
            self._results = [_Tensor(name, types[name], shape) for name, shape in r.results]
            self._is_tuple, self._has_result = r.is_tuple, bool(r.results)
        else:
            made = [(_Tensor(t["name"], dtype_of(t["type"]), t["shape"]), t["role"]) for t in native.tensors]
            self._parameters = [t for t, role in made if role != "output"]
            self._results = [t for t, role in made if role == "output"]
            self._is_tuple, self._has_result = len(self._results) != 1, True
        self._at = {t.name: n for n, t in enumerate(self._parameters)}
        self.inputs = [t.name for t in self._parameters]
        self.outputs = [t.name for t in self._results]
        self._written = {t["name"] for t in native.tensors if t["role"] != "input"}
        self._changed = [n for n, t in enumerate(self._parameters) if t.name in self._written]
        # Results: arrays that are made, by number; or parameters that are returned.
        self._made = [t for t in self._results if t.name not in self._at]
        number = {t.name: n for n, t in enumerate(self._made)}
        self._returned = [(self._at.get(t.name), number.get(t.name), t.is_scalar) for t in self._results]

    def _bound(self, native):
        """(native, where the address of each of its tensors comes from: number of the parameter, or ~number of what is
        made)."""
        number = {t.name: n for n, t in enumerate(self._made)}
        sources = []
        for t in native.tensors:
            if t["name"] in self._at:
                sources.append(self._at[t["name"]])
            elif t["name"] in number:
                sources.append(~number[t["name"]])
            else:
                raise InternalError([diagnostic(
                    "python-interface", f"tensor '{t['name']}' is neither a parameter nor a result",
                    "this is a bug in Pimento; please report it", kind="ours")])
        return native, sources

    def _variant(self, constants):
        """The kernel compiled for calls in which these parameters are preloaded; with the same mapping."""
        found = self._variants.get(constants)
        if found is None:
            with self._lock:
                found = self._variants.get(constants)
                if found is None:
                    found = self._variants[constants] = self._bound(self._query(constants).kernel())
        return found

    # --- calls ---

    def __call__(self, *arguments, mode=None, **named):
        values = self._bind(arguments, named) if named or len(arguments) != len(self._parameters) else arguments
        arrays, preloaded = [], ()
        for tensor, value in zip(self._parameters, values):
            if isinstance(value, Handle):
                value._check(self, tensor)
                preloaded += (tensor.name,)
                arrays.append(value._array)
            else:
                arrays.append(self._array(tensor, value))
        if self._changed:
            self._check_overlap(arrays)
        constants = frozenset(preloaded)
        native, sources = self._variant(constants)
        made = [_empty(t.shape, t.numpy) for t in self._made]
        addresses = [(arrays[s] if s >= 0 else made[~s]).ctypes.data for s in sources]
        answer = native.run(_MODES[self.mode if mode is None else self._mode(mode)], addresses)
        self._answer, self._result, self._called = answer, None, constants
        if not self._has_result:
            return None
        out = []
        for parameter, number, is_scalar in self._returned:
            array = arrays[parameter] if parameter is not None else made[number]
            out.append(array[0] if is_scalar else array)
        return tuple(out) if self._is_tuple else out[0]

    def _check_overlap(self, arrays):
        """What a kernel changes is memory of its own: it was compiled for arrays that do not overlap."""
        from numpy import may_share_memory

        for n in self._changed:
            for other, array in enumerate(arrays):
                if other != n and may_share_memory(arrays[n], array):
                    raise misuse("python-layout", f"'{self.inputs[n]}', which the kernel changes, and "
                                 f"'{self.inputs[other]}' share memory", "pass a copy for one of them")

    def _bind(self, arguments, named):
        if len(arguments) > len(self._parameters):
            raise misuse("python-argument", f"'{self.name}' takes {len(self._parameters)} arrays, {len(arguments)} are "
                         "given", f"pass {', '.join(self.inputs) or 'none'}")
        given = dict(zip(self.inputs, arguments))
        for name, value in named.items():
            if name not in self._at:
                raise misuse("python-argument", f"'{self.name}' has no parameter '{name}'",
                             suggestion(name, self.inputs))
            if name in given:
                raise misuse("python-argument", f"'{name}' is given twice", "pass each parameter once")
            given[name] = value
        for name in self.inputs:
            if name not in given:
                raise misuse("python-argument", f"'{self.name}' needs '{name}'", f"pass {', '.join(self.inputs)}")
        return [given[name] for name in self.inputs]

    def _array(self, tensor, value):
        """`value` as an array that the library may read, and write if the kernel does: itself where it is right."""
        import numpy

        if type(value) is not numpy.ndarray:
            value = self._seen(tensor, value)
        if value.dtype != tensor.numpy:
            raise misuse("python-dtype", f"'{tensor.name}' holds {tensor.type.name}, the array holds {value.dtype}",
                         f"pass pimento.{tensor.type.name}.encode(a), or a.astype({tensor.type.numpy_name!r}), or give "
                         "init_kernel the array's type" if tensor.type.is_bits else
                         f"pass a.astype({tensor.type.numpy_name!r}), or give init_kernel the array's type")
        if value.shape != tensor.shape:
            shape = () if tensor.is_scalar else tensor.shape
            raise misuse("python-shape", f"'{tensor.name}' has shape {list(shape)}, the array has {list(value.shape)}",
                         "pass an array of that shape, or bind the kernel to other sizes")
        if not value.flags.c_contiguous:
            raise misuse("python-layout", f"the array for '{tensor.name}' is not contiguous in memory (C order)",
                         "pass numpy.ascontiguousarray(a)")
        if tensor.name in self._written and not value.flags.writeable:
            raise misuse("python-layout", f"the kernel writes to '{tensor.name}', and the array is read-only",
                         "pass a.copy()")
        return value

    def _seen(self, tensor, value):
        """Anything else as an array without a copy."""
        import numpy

        if tensor.is_scalar and isinstance(value, (int, float, numpy.generic)):
            return numpy.asarray(value).astype(tensor.numpy).reshape(1)
        if not is_array(value):
            raise misuse("python-argument", f"'{tensor.name}' is {value!r}, not an array" if len(repr(value)) < 60 else
                         f"'{tensor.name}' is a {type(value).__name__}, not an array",
                         "pass a NumPy array, an object with __array__ or __dlpack__, or a handle")
        try:
            seen = numpy.asarray(value) if hasattr(value, "__array__") else numpy.from_dlpack(value)
        except (TypeError, RuntimeError, ValueError, BufferError) as e:
            raise misuse("python-argument", f"'{tensor.name}' cannot be seen as an array: {e}",
                         "pass a NumPy array, or a tensor in CPU memory without gradient") from None
        return seen.reshape(1) if tensor.is_scalar and seen.shape == () else seen

    # --- what a call took ---

    @property
    def result(self):
        if self._answer is None:
            raise misuse("python-not-called", f"'{self.name}' has not been called yet", "call it first")
        if self._result is None:
            self._result = result_of("simulate", self._answer, self._asked)
        return self._result

    @property
    def _asked(self):
        return self._asking(self._called), self._text

    @property
    def report(self):
        return self.result.data

    @property
    def time_ns(self):
        return self.report["time_ns"]

    @property
    def energy_pj(self):
        return self.report["energy_pj"]

    # --- preloading ---

    def preload(self, tensor, parameter=None):
        """Places a tensor in the device's memory, where calls find it: returns a Handle.

        Args:
            tensor: an array as for a call; its contents are copied to the device.
            parameter: the parameter that it is for. It may be left out if only one has its shape and type.

        Raises Error, also if the device's memory is exceeded.
        """
        return Handle(self, self._parameter(tensor, parameter), tensor)

    def _parameter(self, tensor, name):
        if name is not None:
            if name not in self._at:
                raise misuse("python-argument", f"'{self.name}' has no parameter '{name}'",
                             suggestion(name, self.inputs))
            return self._parameters[self._at[name]]
        shape = tuple(getattr(tensor, "shape", ()))
        fits = [t for t in self._parameters if t.shape == shape and t.name not in self._written]
        fits = [t for t in fits if t.name in self.constants] or fits
        if len(fits) != 1:
            names = ", ".join(t.name for t in fits)
            raise misuse("python-argument", f"a tensor of shape {list(shape)} is for "
                         + (f"one of {names}" if fits else f"none of the inputs of '{self.name}'"),
                         "name the parameter: preload(tensor, 'NAME')")
        return fits[0]


_numpy_empty = None


def _empty(shape, dtype):
    global _numpy_empty
    if _numpy_empty is None:
        import numpy

        _numpy_empty = numpy.empty
    return _numpy_empty(shape, dtype)


def preload(tensor, kernel, parameter=None):
    """Places a tensor for `kernel` in the memory of its machine; see Kernel.preload. Returns a Handle."""
    if not isinstance(kernel, Kernel):
        raise misuse("python-argument", f"{kernel!r} is not a bound kernel", "pass what init_kernel returns")
    return kernel.preload(tensor, parameter)
