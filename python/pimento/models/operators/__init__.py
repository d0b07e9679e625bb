"""PyTorch's functions as operators of ONNX: a table that the files beside this one fill in, as src/frontend/model
divides the operators."""

from . import attention, elementwise, layout, normalising, sums
from .table import INPLACE, OPERATORS

__all__ = ["INPLACE", "OPERATORS", "attention", "elementwise", "layout", "normalising", "sums"]
