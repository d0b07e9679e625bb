"""The benchmarks of kernels/cim: their inputs and references, and how they are built and run (cim_benchmarks.py)."""
