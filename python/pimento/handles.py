"""Tensors that lie in a device's memory, where calls of kernels find them."""

import threading

from .errors import misuse
from .results import result_of

_used = {}  # bytes that handles hold, by machine
_used_lock = threading.Lock()


class Handle:
    """A tensor in a device's memory. Made by preload(); calls of its kernel take it in place of an array.

    Attributes:
        kernel, parameter, target, mapping: what it was placed for.
        shape, dtype, nbytes.
        time_ns, energy_pj: what placing it took, computed when first asked for; an update is charged the share of its
            elements.
    """

    def __init__(self, kernel, tensor, value):
        self._array = None
        self.kernel, self._tensor, self.parameter = kernel, tensor, tensor.name
        self.target, self.mapping, self._machine = kernel.target, kernel.mapping, kernel._machine
        self.shape, self.dtype, self.nbytes = tensor.shape, tensor.type, tensor.nbytes
        if tensor.name in kernel._written:
            raise misuse("python-argument", f"'{kernel.name}' writes to '{tensor.name}'",
                         "preload inputs; pass arrays for what the kernel changes")
        contents = kernel._array(tensor, value).copy()
        capacity = kernel.description["capacity_bytes"]
        with _used_lock:
            used = _used.get(self._machine, 0)
            if used + self.nbytes > capacity:
                raise misuse("python-memory", f"'{tensor.name}' takes {self.nbytes:,} bytes, and {used:,} of the "
                             f"{capacity:,} of {kernel.target} hold preloaded tensors: "
                             f"{used + self.nbytes - capacity:,} too many", "free handles, or use a larger machine")
            _used[self._machine] = used + self.nbytes
        self._array = contents
        self._share = 1.0
        self._placed = None

    def __repr__(self):
        state = "freed" if self._array is None else f"{self.dtype.name}{list(self.shape)}"
        return f"<handle of '{self.parameter}' on {self.target}: {state}>"

    def __del__(self):
        self._release()

    def _release(self):
        if getattr(self, "_array", None) is None:
            return
        self._array = None
        with _used_lock:
            _used[self._machine] -= self.nbytes

    def free(self):
        """Gives the memory back; the handle cannot be used any more. Freeing twice is an Error."""
        self._alive()
        self._release()

    def update(self, tensor, offset):
        """Overwrites a part, as appending to a KV cache does.

        Args:
            tensor: an array of the handle's type with as many dimensions.
            offset: where its first element goes: an index in the first dimension, or one index per dimension.

        Raises Error if it does not fit.
        """
        import numpy

        self._alive()
        part = tensor if isinstance(tensor, numpy.ndarray) else self.kernel._seen(self._tensor, tensor)
        if part.dtype != self._tensor.numpy:
            raise misuse("python-dtype", f"'{self.parameter}' holds {self.dtype.name}, the array holds {part.dtype}",
                         f"pass a.astype({self.dtype.numpy_name!r})")
        at = tuple(offset) if isinstance(offset, (tuple, list)) else (offset,)
        at += (0,) * (len(self.shape) - len(at))
        fits = len(at) == len(self.shape) == part.ndim and part.size > 0 and \
            all(isinstance(o, int) and 0 <= o and o + n <= most for o, n, most in zip(at, part.shape, self.shape))
        if not fits:
            raise misuse("python-shape", f"an array of shape {list(part.shape)} at offset {list(at)} does not fit into "
                         f"'{self.parameter}' of shape {list(self.shape)}",
                         "offset + shape must be within the tensor in every dimension")
        self._array[tuple(slice(o, o + n) for o, n in zip(at, part.shape))] = part
        self._share = part.size / self._array.size

    def numpy(self):
        """What the device holds, as a copy."""
        self._alive()
        return self._array.copy()

    def _placement(self):
        self._alive()
        if self._placed is None:
            constant = frozenset((self.parameter,))
            self._placed = result_of("estimate", self.kernel._query(constant).run("estimate")).data
        return self._placed

    @property
    def time_ns(self):
        """What the last placement took: of the whole tensor, or its share in an update."""
        report = self._placement()
        cycles = report["total_cycles"] or 1
        return report["setup_cycles"] * report["time_ns"] / cycles * self._share

    @property
    def energy_pj(self):
        return self._placement()["setup_energy_pj"] * self._share

    def _alive(self):
        if self._array is None:
            raise misuse("python-handle", f"the handle of '{self.parameter}' was freed", "preload the tensor again")

    def _check(self, kernel, tensor):
        self._alive()
        if self._machine != kernel._machine:
            raise misuse("python-handle", f"the handle of '{self.parameter}' is of machine '{self.target}', the kernel "
                         f"runs on '{kernel.target}'" if self.target != kernel.target else
                         f"the handle of '{self.parameter}' is of a '{self.target}' with other numbers (set)",
                         "preload the tensor with this kernel")
        is_same = self.kernel is kernel or (self.kernel._text == kernel._text and self.mapping == kernel.mapping
                                            and self.kernel.name == kernel.name)
        if not is_same:
            raise misuse("python-handle", f"the handle of '{self.parameter}' is placed for kernel '{self.kernel.name}' "
                         f"with mapping {self.mapping}; '{kernel.name}' finds its data by {kernel.mapping}",
                         "preload the tensor with this kernel")
        if self.parameter != tensor.name:
            raise misuse("python-handle", f"the handle is of '{self.parameter}', and is passed for '{tensor.name}'",
                         "pass it for the parameter that it was preloaded for")
