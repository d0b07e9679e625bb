"""Pieces of random C functions: loops that may be empty, several statements per level, rounds, updates in place, and
what data index. Each takes the function that it becomes a part of (random_c_kernels.py) and adds its lines.

In a piece all arrays have one type, and floating values are added, halved and compared, not multiplied.
"""


def kind_of(f):
    if f.family == "half":
        return "_Float16"
    return f.r.choice(["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"]
                      if f.family == "int" or f.family == "mixed" and f.r.random() < 0.5 else ["float", "double"])


def is_float(kind):
    return kind in ("float", "double", "_Float16")


def shared(f, shape, kind, isWritten=False):
    """An array of this shape; sometimes one that another piece has."""
    same = [a for a in f.arrays if a.shape == shape and a.kind == kind and a not in f.mine]
    a = f.r.choice(same) if same and f.r.random() < 0.5 else f.array(shape, kind)
    f.mine.append(a)
    if isWritten:
        f.written.add(a.name)
    return a


def begin(f):
    """The sizes that pieces of a function share, so that they can share arrays, and this piece's type."""
    if not hasattr(f, "n"):
        f.n, f.m = f.r.randint(4, 9), f.r.randint(2, 7)
    f.mine = []
    return f.n, f.m, kind_of(f)


def half(kind):
    return {"float": "0.5f", "double": "0.5", "_Float16": "(_Float16)0.5"}[kind]


def term(f, kind, leaves):
    """A value of the piece's type."""
    r = f.r
    a, b = r.choice(leaves), r.choice(leaves)
    if is_float(kind):
        return r.choice([a, f"({a} + {b})", f"({a} - {b})", f"{a} * {half(kind)}", f"({a} < {b} ? {a} : {b})", f"-{a}"])
    if kind in ("int64_t", "uint64_t") or f.family == "mixed":
        return r.choice([a, f"({a} + {b})", f"({a} - {b})", f"{a} * {r.randint(2, 5)}", f"{a} * {b}", f"({a} ^ {b})"])
    return f"({f.expression(leaves, 2)})"


def constant(f, kind):
    return half(kind) if is_float(kind) and f.r.random() < 0.3 else str(f.r.choice([0, 0, 0, 1, 2, 5]))


def loop(i, low, high):
    return f"for (int {i} = {low}; {i} < {high}; {i}++)"


def inner_bounds(f, i, n):
    """Bounds of a loop inside loop `i` (0 to n - 1), within 0 to n - 1; most are empty at one of its ends."""
    return f.r.choice([("0", i), ("0", f"{n} - {i} - 1"), (f"{i} + 1", n), (f"{n} - {i}", n), (i, n), ("0", f"{i} + 1"),
                       (f"{i} + 2", n), ("0", f"{i} - 1"), ("2", i), (f"2 * {i}", n), ("1", f"{n} - 2 * {i}")])


def update(f, kind, to, value):
    if not is_float(kind):
        value = f"({kind})({value})"
    choices = [f"{to} += {value};", f"{to} += {value};", f"{to} -= {value};", f"{to} = {value} + {to};",
               f"if ({value} > {to}) {to} = {value};", f"{to} = {to} < {value} ? {to} : {value};"]
    if not is_float(kind):
        choices.append(f"{to} *= {value};")
    return f.r.choice(choices)


def empty_inner(f):
    """One result for each i, from loops that may have no iteration."""
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    x, y = shared(f, [n], kind), shared(f, [n], kind, True)
    first = r.choice([constant(f, kind), constant(f, kind), x.at(["0"]), x.at([i])])
    if r.random() < 0.25:
        z, k = shared(f, [n], kind, True), f.fresh("k")
        f.lines += [f"{loop(k, 0, n)} {z.at([k])} = {y.at([k])};"]
    style = r.choice(["scalar", "scalar", "array", "given", "two", "constant"])
    f.lines += [loop(i, 0, n) + " {"]
    to = y.at([i])
    if style in ("scalar", "two"):
        to = f.fresh("s")
        f.lines += [f"{kind} {to} = {first};"]
    elif style == "array":
        f.lines += [f"{to} = {first};"]
    elif style == "constant":
        f.lines += [f"{to} = 0;"]
    for _ in range(r.choice([1, 1, 1, 2])):
        low, high = inner_bounds(f, i, n)
        one = update(f, kind, to, term(f, kind, [x.at([j])]))
        f.lines += [f"{loop(j, low, high)} {one}"]
    if style in ("scalar", "two"):
        f.lines += [f"{y.at([i])} {r.choice(['=', '=', '=', '+='])} {to};"]
    if style == "two":
        z = shared(f, [n], kind, True)
        f.lines += [f"{z.at([i])} = {r.choice([to, y.at([i]), f'{to} + {x.at([i])}'])};"]
    f.lines += ["}"]


def triangle(f):
    """Elements that exist only where the loop runs, in one or two dimensions."""
    r = f.r
    n, m, kind = begin(f)
    i, j, k = f.fresh("i"), f.fresh("j"), f.fresh("k")
    x = shared(f, [n], kind)
    low, high, at = r.choice([("0", i, f"{i} - 1"), (i, n, f"{n} - 1 - {i}"), ("0", f"{n} - {i}", i)])
    isFlat = r.random() < 0.6
    y = shared(f, [n] if isFlat else r.choice([[n, m], [m, n]]), kind, True)
    to = y.at([at] if isFlat else [at, k] if y.shape == [n, m] else [k, at])
    one = update(f, kind, to, term(f, kind, r.choice([[x.at([j])], [x.at([j]), x.at([at])]])))
    if r.random() < 0.2:
        one = f"if ({j} {r.choice(['!=', '>', '<='])} {k if not isFlat else n // 2}) {one}"
    f.lines += [f"for (int {i} = 0; {i} <= {n}; {i}++)"] + ([] if isFlat else [loop(k, 0, m)])
    f.lines += [f"{loop(j, low, high)} {one}"]


def levels(f):
    """Several statements at each level, values handed from one to the next."""
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    a, b = shared(f, [n, m], kind), shared(f, [n, m], kind, True)
    x, y, z = shared(f, [n], kind), shared(f, [n], kind, True), shared(f, [m], kind, True)
    f.lines += [loop(i, 0, n) + " {"]
    if r.random() < 0.7:
        f.lines += [f"{y.at([i])} = {term(f, kind, [x.at([i])])};"]
    inner = [f"{b.at([i, j])} = {term(f, kind, [a.at([i, j]), x.at([i]), y.at([i])])};",
             f"{y.at([i])} += {a.at([i, j])};", f"{z.at([j])} += {term(f, kind, [a.at([i, j]), x.at([i])])};"]
    chosen = sorted(r.sample(range(3), r.randint(2, 3)))
    if {0, 1} <= set(chosen):  # b reads what y accumulates: another element of the list would run in order
        inner[0] = f"{b.at([i, j])} = {term(f, kind, [a.at([i, j]), x.at([i])])};"
    f.lines += [loop(j, 0, m) + " {"] + [inner[c] for c in chosen] + ["}"]
    if r.random() < 0.5:
        f.lines += [f"{y.at([i])} = {y.at([i])} + {x.at([i])};"]
    f.lines += ["}"]


def two_fills(f):
    """A scalar from 0 before a loop that fills two things."""
    r = f.r
    n, m, kind = begin(f)
    i, k, t = f.fresh("i"), f.fresh("k"), f.fresh("t")
    b, c = shared(f, [n], kind), shared(f, [n], kind, True)
    f.lines += [loop(i, 0, n) + " {", f"{kind} {t} = {constant(f, kind)};", loop(k, *inner_bounds(f, i, n)) + " {",
                f"{c.at([k])} {r.choice(['+=', '-='])} {b.at([i])};", f"{t} += {b.at([k])};", "}",
                f"{c.at([i])} = {r.choice([c.at([i]) + ' + ' + t, t, c.at([i]) + ' - ' + t])};", "}"]


def carried(f):
    """A scalar that statements of a level hand on, from iteration to iteration or within one."""
    r = f.r
    n, m, kind = begin(f)
    i, j, s = f.fresh("i"), f.fresh("j"), f.fresh("s")
    x, y = shared(f, [n], kind), shared(f, [n], kind, True)
    if r.random() < 0.5:
        f.lines += [f"{kind} {s} = {x.at(['0'])};", loop(i, 1, n) + " {",
                    f"{kind} {s}b = {term(f, kind, [x.at([i]), s])};", f"{y.at([i])} = {s}b - {s};", f"{s} = {s}b;", "}"]
        return
    a, z = shared(f, [n, m], kind), shared(f, [n], kind, True)
    f.lines += [loop(i, 0, n) + " {", f"{kind} {s} = {constant(f, kind)};", f"{loop(j, 0, m)} {s} += {a.at([i, j])};",
                f"{y.at([i])} = {s};", f"{s} = {s} {r.choice(['+', '-'])} {x.at([i])};", f"{z.at([i])} = {s};", "}"]


def rounds(f):
    """A 5-point stencil, from one array into another and back."""
    r = f.r
    n, m, kind = begin(f)
    t, i, j = f.fresh("t"), f.fresh("i"), f.fresh("j")
    n, m = max(n, 3), max(m, 3)
    a, b = shared(f, [n, m], kind, True), shared(f, [n, m], kind, True)

    def sweep(to, of):
        near = [of.at([i, j]), of.at([i + " - 1", j]), of.at([i + " + 1", j]), of.at([i, j + " - 1"]), of.at([i, j + " + 1"])]
        total = " + ".join(near[: r.randint(2, 5)])
        if is_float(kind):
            total = f"({total}) * {half(kind)} * {half(kind)}"
        return [loop(i, 1, f"{n} - 1"), f"{loop(j, 1, f'{m} - 1')} {to.at([i, j])} = {total};"]

    back = sweep(a, b) if r.random() < 0.5 else [loop(i, 1, f"{n} - 1"), f"{loop(j, 1, f'{m} - 1')} {a.at([i, j])} = {b.at([i, j])};"]
    f.lines += [f"for (int {t} = 0; {t} < {r.randint(1, 3)}; {t}++) {{"] + sweep(b, a) + back + ["}"]


def broadcast(f):
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    y, x, z = shared(f, [n, m], kind, True), shared(f, [n], kind), shared(f, [m], kind)
    value = r.choice([x.at([i]), z.at([j]), x.at(["0"]), constant(f, kind), term(f, kind, [x.at([i]), z.at([j])])])
    f.lines += [loop(i, 0, n), f"{loop(j, 0, m)} {y.at([i, j])} {r.choice(['=', '+='])} {value};"]


def strides(f):
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    style = r.randint(0, 4)
    if style == 0:
        x, y = shared(f, [3 * n], kind), shared(f, [2 * n], kind, True)
        f.lines += [f"{loop(i, 0, n)} {y.at([f'2 * {i} + {r.randint(0, 1)}'])} = {x.at([f'3 * {i} + {r.randint(0, 2)}'])};"]
    elif style == 1:
        x, y = shared(f, [n], kind), shared(f, [n], kind, True)
        f.lines += [f"{loop(i, 0, n)} {y.at([f'{n} - 1 - {i}'])} {r.choice(['=', '+='])} {x.at([i])};"]
    elif style == 2:
        x, y = shared(f, [n, m], kind), shared(f, [m, n], kind, True)
        f.lines += [loop(i, 0, n), f"{loop(j, 0, m)} {y.at([j, i])} {r.choice(['=', '-='])} {x.at([i, j])};"]
    elif style == 3:
        x, y = shared(f, [n], kind), shared(f, [n, n], kind, True)
        f.lines += [f"{loop(i, 0, n)} {y.at([i, i])} {r.choice(['=', '+='])} {x.at([i])};"]
    else:
        x, y = shared(f, [n], kind), shared(f, [n], kind, True)
        step = r.randint(2, 3)
        f.lines += [f"for (int {i} = {r.randint(0, 2)}; {i} < {n}; {i} += {step}) {y.at([i])} = {term(f, kind, [x.at([i])])};"]


def in_place(f):
    """Elements from their neighbours in the same array."""
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    n = max(n, 4)
    y = shared(f, [n], kind, True)
    style = r.randint(0, 5)
    if style == 0:
        x = shared(f, [n], kind)
        f.lines += [f"{loop(i, 0, n)} {y.at([i])} = {term(f, kind, [y.at([i]), x.at([i])])};"]
    elif style == 1:
        f.lines += [f"{loop(i, 1, n)} {y.at([i])} = {y.at([i])} {r.choice('+-')} {y.at([i + ' - 1'])};"]
    elif style == 2:
        f.lines += [f"{loop(i, 0, f'{n} - 1')} {y.at([i])} = {y.at([i])} {r.choice('+-')} {y.at([i + ' + 1'])};"]
    elif style == 3:  # lifting: the odd ones from the even ones, then the other way round
        f.lines += [f"for (int {i} = 1; {i} < {n} - 1; {i} += 2) {y.at([i])} -= {y.at([i + ' - 1'])} + {y.at([i + ' + 1'])};",
                    f"for (int {j} = 2; {j} < {n} - 1; {j} += 2) {y.at([j])} += {y.at([j + ' - 1'])} + {y.at([j + ' + 1'])};"]
    elif style == 4:  # a row from the one above
        a = shared(f, [n, m], kind, True)
        f.lines += [loop(i, 1, n), f"{loop(j, 0, m)} {a.at([i, j])} {r.choice(['+=', '-='])} {a.at([i + ' - 1', j])};"]
    else:  # a sum of those before, some of which are new
        f.lines += [loop(i, 1, n), f"{loop(j, 0, i)} {y.at([i])} {r.choice(['+=', '-='])} {y.at([j])};"]


def outer(f):
    """A loop around several nests whose bounds it takes part in."""
    r = f.r
    n, m, kind = begin(f)
    if is_float(kind):
        kind = "int32_t"
    k, i, j = f.fresh("k"), f.fresh("i"), f.fresh("j")
    count = r.choice([n, n, 70])
    a = shared(f, [count, count], kind, True)
    x = shared(f, [count], kind, True)
    f.lines += [f"for (int {k} = 0; {k} < {count} - 1; {k}++) {{",
                f"{loop(i, f'{k} + 1', count)} {x.at([i])} = {a.at([i, k])} {r.choice('+-')} {a.at([k, k])};",
                loop(i, f"{k} + 1", count),
                f"{loop(j, k, count)} {a.at([i, j])} -= {x.at([i])} * {a.at([k, j])};", "}"]


def gather(f):
    n, m, kind = begin(f)
    i = f.fresh("i")
    x, y, at = shared(f, [8], kind), shared(f, [n], kind, True), shared(f, [n], "uint32_t")
    x.style = "array"  # with its extent
    f.lines += [f"{loop(i, 0, n)} {y.at([i])} {f.r.choice(['=', '+='])} {x.at([f'{at.at([i])} & 7'])};"]


def scatter(f):
    n, m, kind = begin(f)
    i = f.fresh("i")
    x, y, at = shared(f, [n], kind), shared(f, [8], kind, True), shared(f, [n], "uint32_t")
    y.style = "array"
    f.lines += [f"{loop(i, 0, n)} {y.at([f'{at.at([i])} & 7'])} {f.r.choice(['=', '+=', '+=', '-='])} {x.at([i])};"]


def extreme(f, x, least, best, value, isStrict=False):
    """Takes over x where it is less (more) than what is there, and with it a value."""
    r = f.r
    sign = r.choice(["<", ">"] if isStrict or r.random() < 0.7 else ["<=", ">="])
    test = r.choice([f"{x} {sign} {least}", f"{least} {sign} {x}", f"{value} != 2 && {x} {sign} {least}"])
    both = [f"{least} = {x};", f"{best} = {value};"]
    return [f"if ({test}) {{"] + (both if r.random() < 0.6 else both[::-1]) + ["}"]


def argmin(f):
    """The index of the least or the largest element, the first or the last one; of an array, or of every row."""
    r = f.r
    n, m, kind = begin(f)
    i, j, best, least = f.fresh("i"), f.fresh("j"), f.fresh("b"), f.fresh("l")
    start = r.choice(["1", "0", "20", half(kind) if is_float(kind) else "3"])
    if r.random() < 0.4:
        x, y = shared(f, [n], kind), shared(f, [1], "int32_t", True)
        start = r.choice([start, x.at(["0"])])
        f.lines += [f"int {best} = {r.choice(['0', '-1'])};", f"{kind} {least} = {start};", loop(i, r.choice([0, 1]), n) + " {"]
        f.lines += extreme(f, x.at([i]), least, best, i) + ["}", f"{y.at(['0'])} = {best};"]
        return
    a, y = shared(f, [n, m], kind), shared(f, [n], "int32_t", True)
    start = r.choice([start, a.at([i, "0"])])
    high = m if n > m or r.random() < 0.7 else i  # a loop of changing length accumulates, and does nothing else
    isDirect, isKept = r.random() < 0.4, r.random() < 0.4
    to = y.at([i]) if isDirect else best
    f.lines += [loop(i, 0, n) + " {", f"int {best} = {r.choice(['0', '-1'])};", f"{kind} {least} = {start};", loop(j, r.choice([0, 1]), high) + " {"]
    f.lines += extreme(f, a.at([i, j]), least, to, r.choice([j, j, f"{j} * 2 + {i}"]), high == i) + ["}"]
    if not isDirect:
        f.lines += [f"{y.at([i])} = {best};"]
    if isKept:
        z = shared(f, [n], kind, True)
        f.lines += [f"{z.at([i])} = {least};"]
    f.lines += ["}"]


def nearest(f):
    """Which of several rounds came closest, element by element."""
    r = f.r
    n, m, kind = begin(f)
    t, i = f.fresh("t"), f.fresh("i")
    a, least, who = shared(f, [m, n], kind), shared(f, [n], kind, True), shared(f, [n], "int32_t", True)
    f.lines += [loop(t, 0, m), loop(i, 0, n) + " {"]
    f.lines += extreme(f, a.at([t, i]), least.at([i]), who.at([i]), t) + ["}"]


def rows(f):
    """What holds of a row, in a list of its own, perhaps of no more than so many."""
    r = f.r
    n, m, kind = begin(f)
    i, j, c = f.fresh("i"), f.fresh("j"), f.fresh("c")
    x, counts = shared(f, [n, m], kind), shared(f, [n], r.choice(["int32_t", "int32_t", "int8_t", "uint16_t"]), True)
    limit = r.choice([0, 0, 1, 2, m])
    o = shared(f, [n, limit or m], kind, True)
    test = f"{x.at([i, j])} {r.choice(['>', '<=', '!='])} {constant(f, kind)}"
    value = r.choice([x.at([i, j]), x.at([i, j]), term(f, kind, [x.at([i, j])])])
    isLocal = r.random() < 0.6
    count = c if isLocal else counts.at([i])
    full = r.choice([f"{count} < {limit}", f"{limit} > {count}", f"{count} != {limit}"]) if limit else ""
    ask = f"if ({test})" if not limit else r.choice([f"if ({test} && {full})", f"if ({full} && {test})", f"if ({test}) if ({full})"])
    at = o.at([i, count])
    keep = r.choice([[f"{o.at([i, count + '++'])} = {value};"], [f"{at} = {value};", f"{count}++;"],
                     [f"{at} = {value};", f"{count} += 1;"]])
    if isLocal:
        f.lines += [loop(i, 0, n) + " {", f"int {c} = 0;", loop(j, 0, m) + " {", ask + " {"] + keep + ["}", "}", f"{counts.at([i])} = {c};", "}"]
        return
    k = f.fresh("k")
    f.lines += [f"{loop(k, 0, n)} {counts.at([k])} = 0;"] + r.choice([[loop(i, 0, n), loop(j, 0, m) + " {"], [loop(j, 0, m), loop(i, 0, n) + " {"]])
    f.lines += [ask + " {"] + keep + ["}", "}"]


def row_of(f, rows, i, total):
    """Where row `i` begins and ends, within 0 to `total`, whatever the data are."""
    bits = {4: 3, 8: 7, 16: 15}[total]
    style = f.r.randint(0, 3)
    if style == 0:
        return "0", f"({rows.at([i])} & {bits})"
    if style == 1:
        return f"({rows.at([i])} & {bits})", str(total)
    if style == 2:
        return f"({rows.at([i])} & {bits})", f"({rows.at([i + ' + 1'])} & {bits})"
    return f"({rows.at([i])} & {bits // 2})", f"({rows.at([i])} & {bits // 2}) + ({rows.at([i + ' + 1'])} & {bits // 2 + 1})"


def ragged(f):
    """Rows that data bound: sums, products with gathered elements, updates of what lies in them."""
    r = f.r
    n, m, kind = begin(f)
    total = r.choice([4, 8, 16])
    i, j, e = f.fresh("i"), f.fresh("j"), f.fresh("e")
    rows, v, x = shared(f, [n + 1], "int32_t"), shared(f, [total], kind), shared(f, [n], kind)
    v.style = rows.style = "array"  # with their extents
    low, high = row_of(f, rows, i, total)
    if r.random() < 0.3:
        s, t = f.fresh("s"), f.fresh("t")
        head, low, high = f"int {s} = {low}, {t} = {high};", s, t
    else:
        head = ""
    each = f"for (int {e} = {low}; {e} < {high}; {e}++)"
    style = r.randint(0, 5)
    value = f"({v.at([e])} + {term(f, kind, [v.at([e]), x.at([i])])})"
    f.lines += [loop(i, 0, n) + " {"] + ([head] if head else [])
    if style == 0:
        y, s = shared(f, [n], kind, True), f.fresh("s")
        f.lines += [f"{kind} {s} = {constant(f, kind)};", f"{each} {update(f, kind, s, value)}", f"{y.at([i])} = {s};"]
    elif style == 1:
        y = shared(f, [n], kind, True)
        f.lines += [f"{each} {update(f, kind, y.at([i]), value)}"]
    elif style == 2:
        y, at = shared(f, [8], kind, True), shared(f, [total], "uint32_t")
        y.style = at.style = "array"
        f.lines += [f"{each} {y.at([f'{at.at([e])} & 7'])} {r.choice(['+=', '-='])} {value};"]
    elif style == 3:
        y, b = shared(f, [n, m], kind, True), f.array([total, m], kind)
        b.style = "array"
        f.lines += [each, f"{loop(j, 0, m)} {y.at([i, j])} {r.choice(['+=', '-='])} ({v.at([e])} - {term(f, kind, [b.at([e, j]), v.at([e])])});"]
    elif style == 4:
        w = shared(f, [total], kind, True)
        w.style = "array"
        f.lines += [f"{each} {w.at([e])} {r.choice(['=', '+='])} {value};"]
    else:
        y, at = shared(f, [n], kind, True), shared(f, [total], "uint32_t")
        at.style = "array"
        f.lines += [f"{each} if ({at.at([e])} & 1) {y.at([i])} {r.choice(['=', '+='])} {value};"]
    f.lines += ["}"]


# What may be refused: no other piece shall be refused with it.
ALONE = {"gather", "outer"}
PIECES = {piece.__name__: piece
          for piece in (empty_inner, triangle, levels, two_fills, carried, rounds, broadcast, strides, in_place,
                        outer, gather, scatter, argmin, nearest, rows, ragged)}
