"""Models of PyTorch: layers that run on a machine, whole models as graphs, TorchScript. The only part that needs torch
(python3-torch 1.13 or newer)."""

from ..errors import misuse


def need_torch():
    """Raises Error where PyTorch is missing."""
    try:
        import torch.fx  # noqa: F401
    except ImportError as e:
        raise misuse("python-torch", f"PyTorch is needed here: {e}",
                     "install python3-torch (scripts/install-deps.sh --with torch), or use the Python that has it") from None
