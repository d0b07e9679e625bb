"""What the graph programs of kernels/cim must print, computed in other ways than they do.

A reference takes a seeded generator and the program's sizes, and returns the lines; where a program's numbers are
rounded, it returns a Near in place of the number.
"""

import heapq
import math
from collections import Counter
from fractions import Fraction

from .inputs import checksum, grid, kronecker

PAIRS_UP_TO = 512  # vertices: more are too many for counting the paths of all pairs


class Near(int):
    """A number that may be off by one in the last digit printed."""


def bfs(rng, scale, per_vertex, sources):
    """Sets of vertices, one per distance, in place of a queue."""
    graph = kronecker(rng, scale, per_vertex << scale, False)
    ends = graph.ends()
    lines = [f"arcs {graph.arcs}"]
    for source in [rng.below(1 << scale) for _ in range(sources)]:
        depths = levels_from(ends, source)
        reached = [depth for depth in depths if depth >= 0]
        lines.append(f"source {source} reached {len(reached)} deepest {max(reached)} depths {checksum(depths)}")
    return lines


def levels_from(ends, source):
    depths = [-1] * len(ends)
    level, depth, unseen = {source}, 0, set(range(len(ends)))
    while level:
        for v in level:
            depths[v] = depth
        unseen -= level
        level = {end for v in level for end in ends[v]} & unseen
        depth += 1
    return depths


def dfs(rng, scale, per_vertex):
    """By recursion; the kinds of arcs afterwards, from the times as intervals."""
    graph = kronecker(rng, scale, per_vertex << scale, True)
    ends = graph.ends()
    found, finished, tree = [0] * len(ends), [0] * len(ends), set()
    time = deepest = 0

    def visit(v, depth):
        nonlocal time, deepest
        deepest = max(deepest, depth)
        time += 1
        found[v] = time
        for end in ends[v]:
            if not found[end]:
                tree.add((v, end))
                visit(end, depth + 1)
        time += 1
        finished[v] = time

    trees = 0
    for v in range(len(ends)):
        if not found[v]:
            trees += 1
            visit(v, 1)
    kinds = Counter()
    for v, targets in enumerate(ends):
        for end in targets:
            if (v, end) in tree:
                kinds["tree"] += 1
            elif found[end] < found[v] and finished[v] < finished[end]:
                kinds["back"] += 1
            elif found[v] < found[end] and finished[end] < finished[v]:
                kinds["forward"] += 1
            else:
                kinds["cross"] += 1
    return [f"arcs {graph.arcs} trees {trees} deepest {deepest}",
            " ".join(f"{kind} {kinds[kind]}" for kind in ("tree", "back", "forward", "cross")),
            f"found {checksum(found)} finished {checksum(finished)}"]


def count_paths(ends, source):
    """Per vertex its depth, and the number of shortest paths, level by level."""
    depths, paths = {source: 0}, {source: 1}
    level = [source]
    while level:
        following = Counter()
        for v in level:
            for end in ends[v]:
                if end not in depths:
                    following[end] += paths[v]
        for end, count in following.items():
            depths[end], paths[end] = depths[level[0]] + 1, count
        level = list(following)
    return depths, paths


def by_pairs(ends, sources):
    """The definition: of the shortest paths between a source and each vertex, the share that leads through v."""
    from_each = [count_paths(ends, v) for v in range(len(ends))]
    centrality = [Fraction(0)] * len(ends)
    for source in sources:
        depths, paths = from_each[source]
        for v in depths:
            if v == source:
                continue
            onward_depths, onward_paths = from_each[v]
            for end, onward in onward_paths.items():
                if end != v and depths[v] + onward_depths[end] == depths[end]:
                    centrality[v] += Fraction(paths[v] * onward, paths[end])
    return centrality


def by_successors(ends, sources):
    """Each vertex gathers from those one deeper; sums without rounding errors between."""
    terms = [[] for _ in ends]
    for source in sources:
        depths, paths = count_paths(ends, source)
        dependency = {}
        for v in sorted(depths, key=depths.get, reverse=True):
            dependency[v] = math.fsum(paths[v] / paths[end] * (1 + dependency[end])
                                      for end in ends[v] if depths[end] == depths[v] + 1)
            if v != source:
                terms[v].append(dependency[v])
        inner = sum(depth - 1 for depth in depths.values() if depth > 0)  # vertices within paths, one path per pair
        counted = math.fsum(value for v, value in dependency.items() if v != source)
        assert abs(counted - inner) < 1e-6 * (1 + inner)
    return list(map(math.fsum, terms))


def bc(rng, scale, per_vertex, sources):
    graph = kronecker(rng, scale, per_vertex << scale, False)
    ends = graph.ends()
    chosen = [rng.below(1 << scale) for _ in range(sources)]
    centrality = (by_pairs if len(ends) <= PAIRS_UP_TO else by_successors)(ends, chosen)
    sums = [sum(centrality[i::16]) for i in range(16)]
    best = max(range(len(ends)), key=lambda v: (centrality[v], -v))
    return [f"arcs {graph.arcs}", ["sums", *(Near(value * 1000 + Fraction(1, 2)) for value in sums)],
            ["best", best, "with", Near(centrality[best] * 1000 + Fraction(1, 2))]]


def sssp(rng, width, sources):
    """Bellman and Ford: distances of changed vertices are handed on in rounds, in any order."""
    graph = grid(rng, width, width, 100)
    lines = [f"arcs {graph.arcs}"]
    for source in [rng.below(width * width) for _ in range(sources)]:
        distances = [0xFFFFFFFF] * (width * width)
        distances[source] = 0
        changed = {source}
        while changed:
            following = set()
            for v in changed:
                base = distances[v]
                for end, length in graph.next[v]:
                    if base + length < distances[end]:
                        distances[end] = base + length
                        following.add(end)
            changed = following
        reached = [d for d in distances if d != 0xFFFFFFFF]
        lines.append(f"source {source} reached {len(reached)} farthest {max(reached)} distances {checksum(distances)}")
    return lines


def ccomp(rng, scale, per_vertex):
    """Union and find."""
    graph = kronecker(rng, scale, per_vertex << scale, False)
    parent = list(range(1 << scale))

    def root(v):
        while parent[v] != v:
            parent[v] = parent[parent[v]]
            v = parent[v]
        return v

    for v, ends in enumerate(graph.ends()):
        for end in ends:
            a, b = root(v), root(end)
            parent[max(a, b)] = min(a, b)
    labels = [root(v) for v in range(1 << scale)]
    sizes = Counter(labels)
    alone = sum(size == 1 for size in sizes.values())
    return [f"arcs {graph.arcs} components {len(sizes)} alone {alone} largest {max(sizes.values())}",
            f"labels {checksum(labels)}"]


def prank(rng, scale, per_vertex, rounds):
    """Vertices push what the program's gather; the ranks must be near those without rounding."""
    graph = kronecker(rng, scale, per_vertex << scale, False)
    ends = graph.ends()
    count, one = len(ends), 1 << 30
    ranks, exact = [one // count] * count, [1 / count] * count
    for _ in range(rounds):
        gathered, exactly = [0] * count, [0.0] * count
        stray = exactly_stray = 0
        for v, targets in enumerate(ends):
            if not targets:
                stray += ranks[v]
                exactly_stray += exact[v]
            for end in targets:
                gathered[end] += ranks[v] // len(targets)
                exactly[end] += exact[v] / len(targets)
        for_all = (one - one * 871 // 1024) // count + stray * 871 // 1024 // count
        ranks = [for_all + value * 871 // 1024 for value in gathered]
        exact = [(153 / 1024 + exactly_stray * 871 / 1024) / count + value * 871 / 1024 for value in exactly]
    # A round loses less than one unit per division, and hands on 871/1024 of what was lost before.
    lost = (graph.arcs + 4 * count) / one * 1024 / 153
    assert sum(abs(a / one - b) for a, b in zip(ranks, exact)) <= lost, "fixed point is too coarse"
    best = max(range(count), key=lambda v: (ranks[v], -v))
    return [f"arcs {graph.arcs} sum {sum(ranks)}", f"best {best} with {ranks[best]} ranks {checksum(ranks)}"]


def shortest(width, ground, start):
    """Costs of the cheapest paths from one cell to all, by Dijkstra without a goal."""
    costs, heap = {start: 0}, [(0, start)]
    while heap:
        cost, cell = heapq.heappop(heap)
        if cost > costs[cell]:
            continue
        for end in (cell + 1, cell - 1, cell + width, cell - width):
            if ground[end] and cost + ground[end] < costs.get(end, math.inf):
                costs[end] = cost + ground[end]
                heapq.heappush(heap, (costs[end], end))
    return costs
