#!/usr/bin/env python3
"""Measures the kernels of language models on the GPU of this machine, as a table that `model: table` of a host reads.

usage: gpu_times.py [--models llms/models.csv] [--gpus 1,2,4,8] [--seconds 480] > TABLE.csv

Needs PyTorch with CUDA. Each shape runs in a graph of launches on operands that do not fit into the L2 cache together;
the time is the median over graphs, divided by the launches, so it holds what the GPU needs between two kernels and not
what the processor needs to launch them. Two lines of the head say what that adds: an empty kernel in such a graph, and
launched one by one. Sizes between those measured are interpolated by the reader.
"""

import argparse
import csv
import math
import statistics
import subprocess
import sys
import time
from fractions import Fraction

import torch
from torch.nn import functional as F

ROWS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]
LENGTHS = [128, 256, 512, 1024, 2048, 4096]
PROMPTS = [128, 256, 512, 1024, 2048]
COUNTS = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048]
MOST_BYTES = 6 << 30  # of the operands of one shape
CACHE = 160 << 20  # operands of consecutive launches together exceed it


def query(what):
    done = subprocess.run(["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"], capture_output=True, text=True)
    return done.stdout.strip().splitlines()[0] if done.returncode == 0 else "unknown"


def measured(make, bytes_each):
    """Nanoseconds of a launch. `make()` gives operands and what runs on them."""
    copies = max(1, min(64, math.ceil(CACHE / max(bytes_each, 1))))
    runs = [make() for _ in range(copies)]
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for run in runs:
            run()
        torch.cuda.synchronize()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for run in runs:
            run()
        end.record()
        torch.cuda.synchronize()
        once = begin.elapsed_time(end) / copies  # ms, launches by the processor included
        launches = max(copies, min(200, int(2.0 / max(once, 0.004))))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream):
            for n in range(launches):
                runs[n % copies]()
        times = []
        graph.replay()
        for _ in range(5):
            begin.record()
            graph.replay()
            end.record()
            torch.cuda.synchronize()
            times.append(begin.elapsed_time(end) * 1e6 / launches)
    return statistics.median(times)


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.float16) * 0.1


def launch_times():
    """ns of an empty kernel: in a graph, and launched one by one."""
    x = torch.zeros(1, device="cuda", dtype=torch.float16)
    in_graph = measured(lambda: lambda: x.add_(0), CACHE)
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(2000):
        x.add_(0)
    torch.cuda.synchronize()
    return in_graph, (time.perf_counter() - begin) / 2000 * 1e9


def shapes(models, gpus):
    """(kernel, m, n, k, count), those of generation first."""
    linear, hidden, wide, gated = set(), set(), set(), set()
    for model in models:
        d, heads, kv, head = (int(model[c]) for c in ("hidden", "heads", "kv_heads", "head_dim"))
        ff, vocabulary = Fraction(model["ff"]), int(model["vocabulary"])
        hidden.add(d)
        for g in gpus:
            if heads % g or kv % g:
                continue
            up = float(ff / g)
            linear |= {((heads + 2 * kv) * head // g, d), (d, heads * head // g), (up, d), (d, up), (vocabulary / g, d)}
            (gated if model["gated"] == "yes" else wide).add(up)
    for m in ROWS:
        yield from (("linear", m, n, k, 1) for n, k in sorted(linear))
        yield from (("norm", m, n, 1, 1) for n in sorted(hidden))
        yield from (("activation", m, n, 1, 1) for n in sorted(wide))
        yield from (("gated", m, n, 1, 1) for n in sorted(gated))
    for m, lengths in [(q, LENGTHS) for q in (1, 4, 8)] + [(p, PROMPTS) for p in PROMPTS]:
        for length in lengths:
            for count in COUNTS if m <= 8 else COUNTS[1:9]:
                yield "products", m, length, 128, count
                yield "products", m, 128, length, count
                yield "softmax", m, length, 1, count


def prepared(kernel, m, n, k, count):
    """(bytes, what makes a run). Fractions of a size are rounded up, as a real layer has whole ones."""
    n, k = math.ceil(n), math.ceil(k)
    if kernel == "linear":
        def make():
            x, w, y = random(m, k), random(n, k), torch.empty(m, n, device="cuda", dtype=torch.float16)
            return lambda: torch.mm(x, w.t(), out=y)
        return 2 * (m * k + n * k + m * n), make
    if kernel == "products":
        def make():
            a, b = random(count, m, k), random(count, n, k)
            y = torch.empty(count, m, n, device="cuda", dtype=torch.float16)
            return lambda: torch.bmm(a, b.transpose(1, 2), out=y)
        return 2 * count * (m * k + n * k + m * n), make
    if kernel == "softmax":
        def make():
            x = random(count * m, n)
            return lambda: torch.softmax(x, -1)
        return 4 * count * m * n, make
    if kernel == "norm":
        def make():
            x, w, b = random(m, n), random(n), random(n)
            return lambda: F.layer_norm(x, (n,), w, b)
        return 4 * m * n, make
    if kernel == "activation":
        def make():
            x = random(m, n)
            return lambda: F.gelu(x)
        return 4 * m * n, make
    def make():
        x, gate = random(m, n), random(m, n)
        y = torch.empty_like(x)
        return lambda: torch.mul(F.silu(gate), x, out=y)
    return 6 * m * n, make


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", default="llms/models.csv")
    parser.add_argument("--gpus", default="1,2,4,8")
    parser.add_argument("--seconds", type=float, default=480, help="measure no further shape after this time")
    arguments = parser.parse_args()
    with open(arguments.models, encoding="utf-8") as file:
        models = list(csv.DictReader(line for line in file if not line.startswith("#")))
    start = time.monotonic()
    # Clocks are read under load.
    a = random(8192, 8192)
    for _ in range(200):
        torch.mm(a, a)
    clock, memory = query("clocks.sm"), query("clocks.mem")
    torch.cuda.synchronize()
    del a
    in_graph, alone = launch_times()
    print("# Kernels of language models, measured by scripts/gpu_times.py: medians of 5 graphs of launches, operands larger")
    print("# than the L2 cache together, f16.")
    for key, value in (("gpu", query("name")), ("clock", clock), ("memory clock", memory), ("driver", query("driver_version")),
                       ("cuda", torch.version.cuda), ("torch", torch.__version__),
                       ("empty kernel in a graph", f"{in_graph:.0f} ns"), ("empty kernel launched alone", f"{alone:.0f} ns")):
        print(f"# {key}: {value}")
    print("kernel,bytes,m,n,k,count,time_ns")
    left, seen = 0, set()
    for kernel, m, n, k, count in shapes(models, [int(g) for g in arguments.gpus.split(",")]):
        if (kernel, m, n, k, count) in seen:
            continue
        seen.add((kernel, m, n, k, count))
        size, make = prepared(kernel, m, n, k, count)
        if size > MOST_BYTES or time.monotonic() - start > arguments.seconds:
            left += time.monotonic() - start > arguments.seconds
            continue
        ns = measured(make, size)
        print(f"{kernel},2,{m},{n:.10g},{k:.10g},{count},{ns:.1f}", flush=True)
    print(f"{time.monotonic() - start:.0f} s; {left} shapes left out", file=sys.stderr)


if __name__ == "__main__":
    main()
