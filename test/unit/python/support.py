"""What tests of the Python package share: NumPy, or the exit status that says "not run here"; and the package."""

import os
import sys
from pathlib import Path

NOT_RUN = 77

try:
    import numpy as np
except ImportError:
    print("not run here: this Python has no NumPy")
    sys.exit(NOT_RUN)

if not os.environ.get("PIMENTO_INSTALLED"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
import pimento  # noqa: E402

rng = np.random.default_rng(1)


def has_llvm():
    """Whether the library compiles C, and with it code for DPUs."""
    from pimento.library import library

    return bool(library().pimento_has(b"c"))


__all__ = ["np", "pimento", "rng", "has_llvm", "NOT_RUN"]
