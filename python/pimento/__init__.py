"""Pimento: compile, check, time and tune kernels for memory-centric machines.

    import numpy, pimento

    @pimento.kernel
    def gemv(A, x):
        y = pimento.Tensor.zero([A.size(0)])
        for i in range(A.size(0)):
            for j in range(A.size(1)):
                y[i] += A[i, j] * x[j]
        return y

    k = pimento.init_kernel(gemv, [(1024, 512), (512,)], target="hbm-pim")
    y = k(A, x)                      # computed by the simulated device, and checked
    k.time_ns, k.energy_pj, k.report

    print(pimento.compare("gemv", {"m": 4096, "n": 1024}, targets=["hbm-pim", "upmem"]))

Functions: kernel, init_kernel, preload; estimate, simulate, compare, explore, tune, explain.
Classes: Tensor, DType, Kernel, Handle, Best, Result, Error. Element types: f16, i32, ...
Guide: docs/how-to/python.md.
"""

from .errors import Error, InternalError
from .functions import KernelFunction, kernel
from .handles import Handle
from .kernels import Best, Kernel, init_kernel, preload
from .results import Comparison, Exploration, Result, Tuning
from .dtypes import (DType, Tensor, bf16, dtype, exp, f8e4m3, f8e5m2, f16, f32, f64, i8, i16, i32, i64, log, relu, sqrt,
                    tanh, u8, u16, u32, u64)
from .verbs import compare, estimate, explain, explore, simulate, tune

__version__ = "0.1.0"

# What needs PyTorch is loaded when it is asked for.
_OF_TORCH = {"Layer": "layers", "set_model": "layers", "save": "script"}


def __getattr__(name):
    if name not in _OF_TORCH:
        raise AttributeError(f"module 'pimento' has no attribute '{name}'")
    from importlib import import_module

    from .models import need_torch

    need_torch()
    return getattr(import_module(f".models.{_OF_TORCH[name]}", __name__), name)


def __dir__():
    return sorted({*globals(), *_OF_TORCH})


def version():
    """The version of the library that the package runs on."""
    from .library import library

    return library().pimento_version().decode()


__all__ = [
    "kernel", "init_kernel", "preload", "estimate", "simulate", "compare", "explore", "tune", "explain", "version",
    "Tensor", "DType", "dtype", "Kernel", "KernelFunction", "Handle", "Best", "Result", "Comparison", "Exploration",
    "Tuning", "Error", "InternalError", "f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8",
    "u64", "u32", "u16", "u8", "exp", "log", "sqrt", "tanh", "relu",
]
