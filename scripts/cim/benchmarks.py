"""The table of Eva-CiM's benchmarks (its Table IV): our programs with their sizes and references, and mpeg2dec."""

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

from . import graph_references as graphs
from . import learning_references as learning
from . import other_references as others
from .graph_references import Near
from .inputs import Rng

SOURCES = Path(__file__).resolve().parents[2] / "kernels" / "cim"
SEED = 1


@dataclass(frozen=True)
class Benchmark:
    """Sizes are the program's arguments after the seed: the usual ones, and small ones for quick checks."""

    name: str
    paper: str
    what: str
    sizes: dict
    small: tuple
    reference: Callable

    @property
    def source(self):
        return SOURCES / f"{self.name}.c"

    @property
    def usual(self):
        return tuple(self.sizes.values())


BENCHMARKS = [
    Benchmark("nb", "NB", "naive Bayes", {"training": 8192, "tests": 16384, "features": 16}, (300, 200, 5),
              learning.nb),
    Benchmark("dt", "DT", "decision tree", {"training": 4096, "tests": 16384, "features": 12}, (300, 200, 4),
              learning.dt),
    Benchmark("svm", "SVM", "support vector machine", {"training": 256, "tests": 8192, "features": 8}, (60, 200, 3),
              learning.svm),
    Benchmark("lir", "LiR", "linear regression", {"samples": 1536, "features": 6}, (100, 3), learning.lir),
    Benchmark("km", "KM", "k-means", {"points": 2048, "clusters": 10, "dimensions": 8}, (200, 5, 3), learning.km),
    Benchmark("lcs", "LCS", "longest common subsequence", {"length": 350, "pairs": 20}, (150, 3), others.lcs),
    Benchmark("bfs", "BFS", "breadth-first search", {"scale": 13, "edges": 12, "sources": 8}, (8, 6, 3), graphs.bfs),
    Benchmark("dfs", "DFS", "depth-first search", {"scale": 14, "edges": 16}, (8, 6), graphs.dfs),
    Benchmark("bc", "BC", "betweenness centrality", {"scale": 12, "edges": 12, "sources": 10}, (8, 6, 4), graphs.bc),
    Benchmark("sssp", "SSSP", "shortest paths", {"width": 128, "sources": 2}, (20, 2), graphs.sssp),
    Benchmark("ccomp", "CCOMP", "connected components", {"scale": 16, "edges": 2}, (8, 1), graphs.ccomp),
    Benchmark("prank", "PRANK", "page rank", {"scale": 12, "edges": 12, "rounds": 20}, (8, 6, 10), graphs.prank),
    Benchmark("astar", "astar", "cheapest paths on maps", {"width": 128, "queries": 6}, (24, 4), others.astar),
    Benchmark("h264ref", "h264ref", "motion search and transform", {"width": 176, "height": 144, "quantiser": 20},
              (48, 32, 20), others.h264ref),
    Benchmark("hmmer", "hmmer", "Viterbi in a profile", {"states": 100, "length": 250, "sequences": 16}, (20, 60, 6),
              others.hmmer),
    Benchmark("mcf", "mcf", "minimum-cost flow", {"nodes": 256, "arcs": 10}, (32, 4), others.mcf),
]


def complaints(benchmark, seed, sizes, output):
    """What is wrong with what a program printed; nothing: it is right."""
    lines = output.splitlines()
    known = {"output": lines} if "output" in inspect.signature(benchmark.reference).parameters else {}
    expected = benchmark.reference(Rng(seed), *sizes, **known)
    if len(lines) != len(expected):
        return [f"{len(lines)} lines, not {len(expected)}"]
    found = []
    for line, right in zip(lines, expected):
        words, wanted = line.split(" "), right.split(" ") if isinstance(right, str) else right
        if len(words) != len(wanted) or not all(map(is_same, words, wanted)):
            found.append(f"'{line}', not '{' '.join(map(str, wanted))}'")
    return found


def is_same(word, wanted):
    if not isinstance(wanted, Near):
        return word == str(wanted)
    return word.lstrip("-").isdigit() and abs(int(word) - wanted) <= 1
