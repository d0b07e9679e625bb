"""What tests of the Python package share: NumPy, or the exit status that says "not run here"; and the package."""

import os
import re
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


def numbered(cnm):
    """CNM IR with its tensors and kernels numbered in order, and without its name: equal texts are equal graphs."""
    text = cnm.split("\n", 1)[1]
    names = {}
    for name in re.findall(r"^\s*(?:operand|kernel)\s+(\S+)", text, re.MULTILINE):
        names.setdefault(name, f"#{len(names)}")
    text = re.sub(r"[A-Za-z_]\w*(?=\[)", lambda m: names.get(m.group(0), m.group(0)), text)
    return re.sub(r"^(\s*(?:operand|kernel)\s+)(\S+)", lambda m: m.group(1) + names[m.group(2)], text, flags=re.MULTILINE)


__all__ = ["np", "pimento", "rng", "has_llvm", "numbered", "NOT_RUN"]
