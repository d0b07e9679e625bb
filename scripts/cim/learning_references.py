"""What the machine-learning programs of kernels/cim must print, computed in other ways than they do (see
graph_references.py): exactly, with integers and fractions."""

from collections import Counter
from fractions import Fraction
from functools import lru_cache

from .graph_references import Near
from .inputs import checksum


@lru_cache(maxsize=None)
def fixed_log2(n):
    """floor(4096 * log2(n)): the length of n's 4096th power."""
    return (n ** 4096).bit_length() - 1


def nb(rng, training, tests, features):
    classes, values = 4, 8
    typical = [[rng.below(values) for _ in range(features)] for _ in range(classes)]
    samples = []
    for _ in range(training + tests):
        label = rng.below(classes)
        sample = []
        for f in range(features):
            draw = rng.below(8 * values)
            sample.append(typical[label][f] if draw < 3 * values else draw % values)
        samples.append((label, tuple(sample)))
    in_class = Counter(label for label, _ in samples[:training])
    seen = Counter((label, f, v) for label, sample in samples[:training] for f, v in enumerate(sample))
    prior = [fixed_log2(training + classes) - fixed_log2(in_class[c] + 1) for c in range(classes)]
    price = {(c, f, v): fixed_log2(in_class[c] + values) - fixed_log2(seen[c, f, v] + 1)
             for c in range(classes) for f in range(features) for v in range(values)}
    found, cost = [], 0
    for _, sample in samples[training:]:
        best = min((prior[c] + sum(price[c, f, v] for f, v in enumerate(sample)), c) for c in range(classes))
        cost += best[0]
        found.append(best[1])
    right = sum(label == c for (label, _), c in zip(samples[training:], found))
    return [f"right {right} of {tests} cost {cost}", " ".join(["classes"] + [str(found.count(c)) for c in range(4)]),
            f"found {checksum(found)}"]


def impurity(labels):
    """Gini's, times the number of labels."""
    return len(labels) - Fraction(sum(n * n for n in Counter(labels).values()), len(labels))


def best_split(members, features):
    """(feature, threshold), or None where no split is better than none: thresholds from sorted samples."""
    best, split = impurity([label for _, label in members]), None
    for f in range(features):
        ordered = sorted((sample[f], label) for sample, label in members)
        all_right = Counter(label for _, label in ordered)
        left = Counter()
        for i in range(len(ordered) - 1):
            value, label = ordered[i]
            left[label] += 1
            if ordered[i + 1][0] == value:
                continue
            counts = i + 1, len(ordered) - i - 1
            squares = sum(n * n for n in left.values()), sum((all_right[c] - left[c]) ** 2 for c in all_right)
            both = len(ordered) - Fraction(squares[0], counts[0]) - Fraction(squares[1], counts[1])
            if both < best:
                best, split = both, (f, value)
    return split


def dt(rng, training, tests, features):
    data = []
    for _ in range(training + tests):
        sample = [rng.below(32) for _ in range(features)]
        a, b = sample[0] > 20, sample[1 % features] > 11
        c = sample[2 % features] + sample[3 % features] > 30
        is_wrong = rng.below(8) == 0
        data.append((sample, rng.below(4) if is_wrong else (2 + b if a else 2 * b + c) % 4))
    nodes = [None]  # (feature, threshold, left) or a label

    def grow(at, members, depth):
        counts = Counter(label for _, label in members)
        nodes[at] = min(counts, key=lambda label: (-counts[label], label))
        if depth == 8 or len(members) < 8:
            return
        split = best_split(members, features)
        if not split:
            return
        f, threshold = split
        left = len(nodes)
        nodes[at] = (f, threshold, left)
        nodes.extend([None, None])
        grow(left, [m for m in members if m[0][f] <= threshold], depth + 1)
        grow(left + 1, [m for m in members if m[0][f] > threshold], depth + 1)

    def classify(sample, at=0):
        if isinstance(nodes[at], int):
            return nodes[at]
        f, threshold, left = nodes[at]
        return classify(sample, left if sample[f] <= threshold else left + 1)

    grow(0, data[:training], 0)
    found = [classify(sample) for sample, _ in data[training:]]
    right = sum(label == c for (_, label), c in zip(data[training:], found))
    shape = checksum(32 * 32 + node if isinstance(node, int) else node[0] * 32 + node[1] for node in nodes)
    return [f"nodes {len(nodes)} tree {shape}", f"right {right} of {tests} found {checksum(found)}"]


def solved(matrix, right):
    """Gauss and Jordan, exactly; the matrix must be regular."""
    rows = [[Fraction(v) for v in row] + [Fraction(value)] for row, value in zip(matrix, right)]
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [v / rows[i][i] for v in rows[i]]
        for r in range(len(rows)):
            if r != i and rows[r][i] != 0:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i])]
    return [row[-1] for row in rows]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def svm_samples(rng, count, features):
    centre = [rng.between(-8, 8) for _ in range(features)]
    data = []
    for _ in range(count):
        label = 1 if rng.below(2) else -1
        data.append(([label * c + rng.between(-16, 16) for c in centre] + [32], label))
    return data


def svm_optimum(data):
    """Weights and multipliers of the exact optimum. Which multipliers lie between 0 and 1 is found in floating point;
    then a system of equations gives all of them, and the conditions of Karush, Kuhn and Tucker prove them."""
    signed = [[label * v / 32 for v in sample] for sample, label in data]
    squares = [dot(row, row) for row in signed]
    multipliers, weights = [0.0] * len(data), [0.0] * len(signed[0])
    for _ in range(20000):
        largest = 0.0
        for i, row in enumerate(signed):
            wanted = min(1.0, max(0.0, multipliers[i] + (1 - dot(weights, row)) / squares[i]))
            step = wanted - multipliers[i]
            if step:
                multipliers[i] = wanted
                weights = [w + step * v for w, v in zip(weights, row)]
                largest = max(largest, abs(step))
        if largest < 1e-10:
            break
    exact = [[Fraction(label * v, 32) for v in sample] for sample, label in data]
    free = [i for i, a in enumerate(multipliers) if 1e-7 < a < 1 - 1e-7]
    full = [i for i, a in enumerate(multipliers) if a >= 1 - 1e-7]
    fixed = [sum(exact[i][f] for i in full) for f in range(len(weights))]
    inner = solved([[dot(exact[i], exact[j]) for j in free] for i in free], [1 - dot(exact[i], fixed) for i in free])
    best = [w + sum(a * exact[i][f] for i, a in zip(free, inner)) for f, w in enumerate(fixed)]
    assert all(0 < a < 1 for a in inner), "no optimum"
    for i, row in enumerate(exact):
        margin = dot(best, row)
        assert margin == 1 if i in free else margin <= 1 if i in full else margin >= 1, "no optimum"
    return best, len(free) + len(full)


def svm(rng, training, tests, features, output):
    """The program's weights must be near the exact ones; what it finds must follow from its weights."""
    data = svm_samples(rng, training + tests, features)
    best, vectors = svm_optimum(data[:training])
    weights = [int(word) for word in output[1].split()[1:]]
    if len(weights) != len(best) or any(abs(w - 2 ** 25 * b) > 2 ** 12 for w, b in zip(weights, best)):
        weights = [round(2 ** 25 * b) for b in best]
    found = [int(dot(sample, weights) > 0) for sample, _ in data[training:]]
    right = sum(f == (label > 0) for f, (_, label) in zip(found, data[training:]))
    return [["vectors", Near(vectors)], " ".join(map(str, ["weights", *weights])),
            f"right {right} of {tests} found {checksum(found)}"]


def lir(rng, count, features):
    """The normal equations, solved exactly."""
    factors = [rng.between(-9, 9) for _ in range(features + 1)]
    samples, targets = [], []
    for _ in range(count):
        target = rng.between(-64, 64)
        sample = [rng.between(-64, 64) for _ in range(features)] + [64]
        samples.append(sample)
        targets.append(target + dot(sample, factors))
    columns = list(zip(*samples))
    weights = solved([[dot(a, b) for b in columns] for a in columns], [dot(a, targets) for a in columns])
    squares = dot(targets, targets) - sum(w * dot(column, targets) for w, column in zip(weights, columns))
    errors = squares / (count * 64 * 64)
    return [["error", near_millionths(squares / (count * 64 * 64))], ["weights", *map(near_millionths, weights)]]


def near_millionths(value):
    return Near(round(value * 10 ** 6))


def km(rng, points, clusters, dimensions):
    """Distances as |p|^2 - 2 p.c + |c|^2, points grouped by cluster."""
    places = [[rng.between(40, 215) for _ in range(dimensions)] for _ in range(clusters)]
    values = []
    for _ in range(points):
        place = places[rng.below(clusters)]
        values.append([v + rng.between(-40, 40) for v in place])
    centres, of_points, rounds = [list(v) for v in values[:clusters]], None, 0
    while rounds < 100:
        rounds += 1
        norms = [dot(c, c) for c in centres]
        nearest = [min((norm - 2 * dot(p, c), i) for i, (c, norm) in enumerate(zip(centres, norms)))[1] for p in values]
        if nearest == of_points:
            break
        of_points = nearest
        groups = [[p for p, c in zip(values, nearest) if c == i] for i in range(clusters)]
        centres = [[sum(column) // len(group) for column in zip(*group)] if group else centre
                   for group, centre in zip(groups, centres)]
    error = sum(dot(p, p) - 2 * dot(p, centres[c]) + dot(centres[c], centres[c]) for p, c in zip(values, of_points))
    return [f"rounds {rounds} error {error}",
            f"centres {checksum(v for c in centres for v in c)} clusters {checksum(of_points)}"]
