"""What tests of the Python package share: NumPy, or the exit status that says "not run here"; and the package."""

import sys
from pathlib import Path

NOT_RUN = 77

try:
    import numpy as np
except ImportError:
    print("not run here: this Python has no NumPy")
    sys.exit(NOT_RUN)

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
import pimento  # noqa: E402, F401
