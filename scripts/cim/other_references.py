"""What lcs, astar, hmmer, mcf and h264ref of kernels/cim must print, computed in other ways than they do (see
graph_references.py)."""

import heapq
import math
import re
from operator import sub

from .graph_references import shortest
from .inputs import checksum


def lcs(rng, length, pairs):
    """By rows of bits (Crochemore et al., IPL 2001): a row's differences are one long integer."""
    texts = [[rng.below(4) for _ in range(length)] for _ in range(2 * pairs)]
    lengths, mask = [], (1 << length) - 1
    for a, b in zip(texts[::2], texts[1::2]):
        places = [sum(1 << i for i, letter in enumerate(a) if letter == which) for which in range(4)]
        row = mask
        for letter in b:
            matched = row & places[letter]
            row = ((row + matched) | (row - matched)) & mask
        lengths.append(length - row.bit_count())
    return [" ".join(map(str, ["lengths", *lengths])), f"sum {sum(lengths)}"]


def astar(rng, width, queries, output):
    """Costs by Dijkstra. Paths are the program's where they lead to the goal for that cost, as many do."""
    ground = [0] * (width * width)
    for y in range(1, width - 1):
        for x in range(1, width - 1):
            is_wall, slowness = rng.below(5) == 0, 1 + rng.below(5)
            ground[y * width + x] = 0 if is_wall else slowness
    ground[width + 1] = 1
    places = []
    while len(places) < 2 * queries:
        cell = rng.below(width * width)
        if ground[cell]:
            places.append(cell)
    lines, steps = [], {"R": 1, "L": -1, "D": width, "U": -width}
    for q, (start, goal) in enumerate(zip(places[::2], places[1::2])):
        cost = shortest(width, ground, start).get(goal)
        if cost is None:
            lines.append(f"from {start} to {goal} no path")
            continue
        path = output[q].split(" path ")[-1] if q < len(output) else ""
        cell, paid = start, 0
        for letter, run in re.findall(r"([RLDU])(\d+)", path):
            for _ in range(min(int(run), width)):
                cell += steps[letter]
                paid += (ground[cell] if 0 <= cell < len(ground) else 0) or math.inf
        is_right = re.fullmatch(r"([RLDU]\d+)*\.", path) and (cell, paid) == (goal, cost)
        lines.append(f"from {start} to {goal} cost {cost} path " + (path if is_right else "of that cost"))
    return lines


def hmmer(rng, states, length, sequences):
    """The best path in a graph of states, which knows nothing of profiles: those with letters, then silent ones."""
    consensus, match, insert, begin, end, steps = [], [], [], [], [], []
    for k in range(states):
        consensus.append(rng.below(20))
        scores = [(rng.between(-3000, 0), rng.between(-500, 100)) for _ in range(20)]
        match.append([m for m, _ in scores])
        insert.append([i for _, i in scores])
        match[k][consensus[k]] = rng.between(2000, 4000)
        begin.append(rng.between(-9000, -1000 if k == 0 else -7000))
        end.append(0 if k == states - 1 else rng.between(-9000, -7000))
        ranges = {"MM": (-100, -10), "MI": (-7000, -4000), "MD": (-7000, -4000), "IM": (-900, -300),
                  "II": (-2500, -1000), "DM": (-900, -300), "DD": (-2500, -1000)}
        if k < states - 1:
            steps.append({name: rng.between(*limits) for name, limits in ranges.items()})
    # Edges (from, score) from the letter before, and from the same one: states are numbered in the order of the latter.
    number = {}
    for k in range(states):
        for kind in "MDI":
            number[kind, k] = len(number)
    for name in "ENJCB":
        number[name] = len(number)
    before = [[] for _ in number]
    same = [[] for _ in number]
    letters = [None] * len(number)
    for k in range(states):
        letters[number["M", k]], letters[number["I", k]] = match[k], insert[k]
        before[number["M", k]].append((number["B"], begin[k]))
        same[number["E"]].append((number["M", k], end[k]))
        if k == states - 1:
            continue
        for kind in "MID":
            before[number["M", k + 1]].append((number[kind, k], steps[k][kind + "M"]))
        for kind in "MI":
            before[number["I", k]].append((number[kind, k], steps[k][kind + "I"]))
        for kind in "MD":
            same[number["D", k + 1]].append((number[kind, k], steps[k][kind + "D"]))
    for name in "NJC":
        before[number[name]].append((number[name], -8))
    for name in "JC":
        same[number[name]].append((number["E"], -1000))
    for name in "NJ":
        same[number["B"]].append((number[name], -7400))
    plan = list(zip(before, same, letters))

    def score(sequence):
        row = [-math.inf] * len(number)
        row[number["N"]], row[number["B"]] = 0, -7400
        for letter in sequence:
            following = []
            for edges_before, edges_same, emitted in plan:
                best = max([row[source] + value for source, value in edges_before]
                           + [following[source] + value for source, value in edges_same], default=-math.inf)
                following.append(best + emitted[letter] if emitted else best)
            row = following
        return row[number["C"]] - 7400

    scores = []
    for s in range(sequences):
        place, sequence = rng.below(states), []
        for _ in range(length):
            letter, draw = rng.below(20), rng.below(32)
            sequence.append(consensus[place] if s % 2 and draw >= 4 else letter)
            place = (place + (0 if draw == 3 else 2 if draw == 2 else 1)) % states
        scores.append(score(sequence))
    return [" ".join(map(str, ["scores", *scores]))]


def mcf(rng, nodes, per_node):
    """Successive shortest paths, by Dijkstra with potentials. Costs are drawn from so many that the optimum is the
    only one."""
    most = 1 << 17
    links = []  # from, to, cost, capacity
    for v in range(nodes):
        links.append((v, (v + 1) % nodes, most + rng.below(most), 1 << 20))
        for _ in range(per_node):
            to, cost, capacity = rng.below(nodes), 1 + rng.below(most), rng.between(1, 60)
            if to != v:
                links.append((v, to, cost, capacity))
    left = [0] * nodes
    for v in range(nodes // 4):
        left[v] = rng.between(1, 80)
        left[nodes - 1 - v] = -left[v]
    flows = [0] * len(links)
    at = [[] for _ in range(nodes)]  # (link, other end, is forward)
    for i, (start, end, _, _) in enumerate(links):
        at[start].append((i, end, True))
        at[end].append((i, start, False))
    potential = [0] * nodes
    while any(supply > 0 for supply in left):
        distance = [math.inf] * nodes
        came, heap = [None] * nodes, []
        for v in range(nodes):
            if left[v] > 0:
                distance[v] = 0
                heap.append((0, v))
        while heap:
            far, v = heapq.heappop(heap)
            if far > distance[v]:
                continue
            for i, end, is_forward in at[v]:
                cost, capacity = links[i][2], links[i][3]
                if (flows[i] >= capacity) if is_forward else (flows[i] <= 0):
                    continue
                length = far + (cost if is_forward else -cost) + potential[v] - potential[end]
                if length < distance[end]:
                    distance[end], came[end] = length, (v, i, is_forward)
                    heapq.heappush(heap, (length, end))
        target = min((v for v in range(nodes) if left[v] < 0), key=lambda v: distance[v] + potential[v])
        path, v = [], target
        while came[v]:
            path.append(came[v])
            v = came[v][0]
        amount = min([left[v], -left[target]]
                     + [links[i][3] - flows[i] if is_forward else flows[i] for _, i, is_forward in path])
        for _, i, is_forward in path:
            flows[i] += amount if is_forward else -amount
        left[v] -= amount
        left[target] += amount
        potential = [p + min(d, distance[target]) for p, d in zip(potential, distance)]
    cost = sum(flow * link[2] for flow, link in zip(flows, links))
    return [f"links {len(links)} cost {cost} unmet 0", f"amount {sum(flows)} flows {checksum(flows)}"]


QUANTISE = [[13107, 5243, 8066], [11916, 4660, 7490], [10082, 4194, 6554],
            [9362, 3647, 5825], [8192, 3355, 5243], [7282, 2893, 4559]]
SCALE = [[10, 16, 13], [11, 18, 14], [13, 20, 16], [14, 23, 18], [16, 25, 20], [18, 29, 23]]
TRANSFORM = [[1, 1, 1, 1], [2, 1, -1, -2], [1, -1, -1, 1], [1, -2, 2, -1]]
TAPS = list(zip((1, -5, 20, 20, -5, 1), range(-2, 4)))


def clip(value, low=0, high=255):
    return max(low, min(high, value))


class Picture:
    """The reference picture, at any half pixel, as clause 8.4.2.2.1 of H.264 defines it."""

    def __init__(self, rows):
        self.rows, self.known = rows, {}
        self.height, self.width = len(rows), len(rows[0])

    def whole(self, x, y):
        return self.rows[clip(y, 0, self.height - 1)][clip(x, 0, self.width - 1)]

    def half(self, x, y):
        if (x, y) not in self.known:
            self.known[x, y] = self.computed(x >> 1, y >> 1, x & 1, y & 1)
        return self.known[x, y]

    def computed(self, x, y, is_right, is_below):
        if is_right and is_below:
            value = sum(a * b * self.whole(x + i, y + j) for a, i in TAPS for b, j in TAPS)
            return clip((value + 512) >> 10)
        if is_right:
            return clip((sum(a * self.whole(x + i, y) for a, i in TAPS) + 16) >> 5)
        if is_below:
            return clip((sum(a * self.whole(x, y + i) for a, i in TAPS) + 16) >> 5)
        return self.whole(x, y)

    def block(self, x, y, motion):
        """16 x 16 pixels, row by row."""
        if motion[0] % 2 == 0 and motion[1] % 2 == 0:
            left, top = x + motion[0] // 2, y + motion[1] // 2
            if left >= 0 and left + 16 <= self.width and top >= 0 and top + 16 <= self.height:
                return [v for row in self.rows[top:top + 16] for v in row[left:left + 16]]
        return [self.half(2 * (x + i) + motion[0], 2 * (y + j) + motion[1]) for j in range(16) for i in range(16)]


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def restored(rows):
    """One dimension of clause 8.5.12.2, on rows."""
    result = []
    for a, b, c, d in rows:
        e, f, g, h = a + c, a - c, (b >> 1) - d, b + (d >> 1)
        result.append([e + h, f + g, f - g, e - h])
    return result


def coded(block, quantiser):
    """Levels of a block of differences, and the differences that they stand for."""
    coefficients = product(product(TRANSFORM, block), list(zip(*TRANSFORM)))
    shift = 15 + quantiser // 6
    levels, scaled = [], []
    for i, row in enumerate(coefficients):
        kinds = [[0, 2, 0, 2], [2, 1, 2, 1]][i % 2]
        found = [(abs(v) * QUANTISE[quantiser % 6][k] + 2 ** shift // 6) // 2 ** shift for v, k in zip(row, kinds)]
        found = [n if v > 0 else -n for n, v in zip(found, row)]
        levels += found
        scaled.append([n * SCALE[quantiser % 6][k] << quantiser // 6 for n, k in zip(found, kinds)])
    turned = list(zip(*restored(scaled)))
    return levels, [[(v + 32) >> 6 for v in row] for row in zip(*restored(turned))]


def pictures(rng, width, height):
    across, down = (2 * width + 64) // 8 + 2, (2 * height + 64) // 8 + 2
    lattice = [[rng.below(256) for _ in range(across)] for _ in range(down)]
    regions = (width + 31) // 32, (height + 31) // 32
    motions = [[(rng.between(-12, 12), rng.between(-12, 12)) for _ in range(regions[0])] for _ in range(regions[1])]

    def texture(x, y):
        i, j, fx, fy = x // 8, y // 8, x % 8, y % 8
        return (lattice[j][i] * (8 - fx) * (8 - fy) + lattice[j][i + 1] * fx * (8 - fy)
                + lattice[j + 1][i] * (8 - fx) * fy + lattice[j + 1][i + 1] * fx * fy) // 64

    current = []
    for y in range(height):
        row = []
        for x in range(width):
            dx, dy = motions[y // 32][x // 32]
            row.append(clip(texture(32 + 2 * x + dx, 32 + 2 * y + dy) + rng.between(-2, 2)))
        current.append(row)
    return [[texture(32 + 2 * x, 32 + 2 * y) for x in range(width)] for y in range(height)], current


def best_motion(reference, wanted, x, y):
    """(error, motion): the first best one of all whole pixels, and then of its neighbours at half pixels."""
    def error(motion):
        return sum(map(abs, map(sub, wanted, reference.block(x, y, motion))))

    whole = min((error((2 * dx, 2 * dy)), dy, dx) for dy in range(-7, 8) for dx in range(-7, 8))
    centre = 2 * whole[2], 2 * whole[1]
    near = min((error((centre[0] + dx, centre[1] + dy)), (dx, dy) != (0, 0), dy, dx)
               for dy in (-1, 0, 1) for dx in (-1, 0, 1))
    return near[0], (centre[0] + near[3], centre[1] + near[2])


def h264ref(rng, width, height, quantiser):
    width, height = width // 16 * 16, height // 16 * 16
    rows, current = pictures(rng, width, height)
    reference = Picture(rows)
    pixels = [[0] * width for _ in range(height)]
    motions, levels, search = [], [], 0
    for y in range(0, height, 16):
        for x in range(0, width, 16):
            wanted = [v for row in current[y:y + 16] for v in row[x:x + 16]]
            error, motion = best_motion(reference, wanted, x, y)
            search += error
            motions += motion
            prediction = reference.block(x, y, motion)
            for part in range(16):
                top, left = part // 4 * 4, part % 4 * 4
                block = [[wanted[16 * (top + j) + left + i] - prediction[16 * (top + j) + left + i] for i in range(4)]
                         for j in range(4)]
                found, difference = coded(block, quantiser)
                levels += found
                for j in range(4):
                    for i in range(4):
                        guess = prediction[16 * (top + j) + left + i]
                        pixels[y + top + j][x + left + i] = clip(guess + difference[j][i])
    squares = sum((a - b) ** 2 for now, then in zip(pixels, current) for a, b in zip(now, then))
    return [f"search {search} motions {checksum(motions)}",
            f"coefficients {sum(n != 0 for n in levels)} levels {checksum(levels)}",
            f"squares {squares} pixels {checksum(v for row in pixels for v in row)}"]
