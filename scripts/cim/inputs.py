"""Inputs of the programs in kernels/cim, drawn as bench.h and graph.h draw them, and the same checksums."""

MASK = (1 << 64) - 1


class Rng:
    """SplitMix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return z ^ (z >> 31)

    def below(self, bound):
        return ((self.bits() >> 32) * bound) >> 32

    def between(self, low, high):
        return low + self.below(high - low + 1)


def checksum(words):
    """FNV-1a over 32-bit words, as it is printed."""
    value = 0xCBF29CE484222325
    for word in words:
        value = (value ^ (word & 0xFFFFFFFF)) * 0x100000001B3 & MASK
    return f"{value:016x}"


class Graph:
    """Of arcs (from, to, weight): `next[v]` holds (to, weight) by ascending `to`. Loops are dropped; of arcs with both
    ends the same, the first one counts."""

    def __init__(self, vertices, arcs):
        found = [{} for _ in range(vertices)]
        for start, end, weight in arcs:
            if start != end:
                found[start].setdefault(end, weight)
        self.next = [sorted(ends.items()) for ends in found]
        self.arcs = sum(map(len, self.next))

    def ends(self):
        """Per vertex its neighbours alone."""
        return [[end for end, _ in arcs] for arcs in self.next]


def kronecker(rng, scale, edges, is_directed):
    names = list(range(1 << scale))
    for i in range(len(names) - 1, 0, -1):
        j = rng.below(i + 1)
        names[i], names[j] = names[j], names[i]
    quadrant = bytes(0 if draw < 37355 else 1 if draw < 49807 else 2 if draw < 62259 else 3 for draw in range(1 << 16))
    arcs = []
    for _ in range(edges):
        start = end = bits = 0
        for level in range(scale):
            if level % 4 == 0:
                bits = rng.bits()
            chosen = quadrant[bits & 0xFFFF]
            bits >>= 16
            start, end = 2 * start + (chosen >> 1), 2 * end + (chosen & 1)
        arcs.append((names[start], names[end], 1))
        if not is_directed:
            arcs.append((names[end], names[start], 1))
    return Graph(1 << scale, arcs)


def grid(rng, width, height, longest):
    arcs = []
    for here in range(width * height):
        x, y = here % width, here // width
        for there, is_inside in ((here + 1, x + 1 < width), (here + width, y + 1 < height)):
            if not is_inside:
                continue
            is_open = rng.below(16) != 0
            length = 1 + rng.below(longest)
            if is_open:
                arcs += [(here, there, length), (there, here, length)]
    return Graph(width * height, arcs)
