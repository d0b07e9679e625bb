"""Pieces of random C functions with the control flow that programs have: stores under conditions from data, values that
branches choose, local arrays, products in every order of loops, padding by conditions, sorting by neighbours.

As in random_c_pieces.py: a piece has one type, and floating values are added, halved and compared, not multiplied.
"""

from random_c_pieces import begin, half, is_float, loop, shared, term


def compare(f, a, b):
    return f"{a} {f.r.choice(['<', '>', '<=', '>=', '!=', '=='])} {b}"


def level(f, kind):
    """A number that random values lie on both sides of."""
    return f.r.choice(["0", half(kind) if is_float(kind) else "3", "1"])


def kept(f):
    """What an iteration stores under a condition stays until another one stores."""
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    a, y = shared(f, [n, m], kind), shared(f, [n], kind, True)
    first = r.choice([[], [f"{y.at([i])} = {r.choice(['0', '2', a.at([i, '0'])])};"]])
    new = r.choice([a.at([i, j]), f"({kind}){j}", term(f, kind, [a.at([i, j]), y.at([i])])])
    condition = compare(f, a.at([i, j]), r.choice([level(f, kind), y.at([i])]))
    body = r.choice([[f"if ({condition}) {y.at([i])} = {new};"],
                     [f"if (!({condition})) continue;", f"{y.at([i])} = {new};"],
                     [f"{y.at([i])} = {condition} ? {new} : {y.at([i])};"]])
    f.lines += [loop(i, 0, n) + " {", *first, loop(j, r.choice(["0", "1"]), m) + " {", *body, "}", "}"]


def branches(f):
    """Several values that one condition chooses, some of them in locals."""
    r = f.r
    n, m, kind = begin(f)
    i, s, t = f.fresh("i"), f.fresh("s"), f.fresh("t")
    x, y, z = shared(f, [n], kind), shared(f, [n], kind, True), shared(f, [n], kind, True)
    condition = compare(f, x.at([i]), level(f, kind))
    inner = compare(f, y.at([i]), x.at([i]))
    f.lines += [loop(i, 0, n) + " {", f"{kind} {s} = {x.at([i])}, {t} = {r.choice(['0', '1', x.at(['0'])])};"]
    f.lines += r.choice([
        [f"if ({condition}) {{", f"{s} = {term(f, kind, [y.at([i]), s])};", f"{t} = {s};", "}"],
        [f"if ({condition}) {{", f"if ({inner}) {s} = {y.at([i])};", f"else {t} = {y.at([i])};", "}"],
        [f"if ({condition}) {s} = {t};", f"else if ({inner}) {t} = {s};", f"else {s} = {y.at([i])};"]])
    f.lines += [f"{y.at([i])} = {s};", r.choice([f"{z.at([i])} = {t};", f"if ({condition}) {z.at([i])} = {t};"]), "}"]


def stored_branches(f):
    """Branches that store, to one element or to several, in both or in one of them."""
    r = f.r
    n, m, kind = begin(f)
    i = f.fresh("i")
    x, y, z = shared(f, [n], kind), shared(f, [n], kind, True), shared(f, [n], kind, True)
    first, second = compare(f, x.at([i]), level(f, kind)), compare(f, x.at([i]), r.choice(["0", "1"]))
    stores = [f"{to.at([i])} = {value};" for to, value in
              [(y, x.at([i])), (y, f"({kind}){i}"), (z, term(f, kind, [x.at([i])])), (z, "1"), (y, y.at([i])), (z, y.at([i]))]]
    block = lambda: " ".join(r.sample(stores, r.randint(1, 2)))
    f.lines += [loop(i, 0, n) + " {"]
    f.lines += r.choice([[f"if ({first}) {{ {block()} }}", f"else {{ {block()} }}"],
                         [f"if ({first}) {{ {block()} }}", f"else if ({second}) {{ {block()} }}", f"else {{ {block()} }}"],
                         [f"if ({first}) {{ {block()} }}", f"if ({second}) {{ {block()} }}"],
                         [f"if ({first}) {{ if ({second}) {{ {block()} }} else {{ {block()} }} }}"]])
    f.lines += [r.choice(["", f"{z.at([i])} += {y.at([i])};"]), "}"]


def counting_conditions(f):
    """Loops that count in their conditions, and do loops; the variable is used after them."""
    r = f.r
    n, m, kind = begin(f)
    i = f.fresh("i")
    x, y, z = shared(f, [n], kind), shared(f, [n], kind, True), shared(f, [2], "int32_t", True)
    body = f"{y.at([i])} {r.choice(['=', '+='])} {x.at([i])};"
    f.lines += r.choice([[f"int {i} = {n};", f"while ({i}-- > 0) {body}"],
                         [f"int {i} = {n};", f"while ({i}--) {{ {body} }}"],
                         [f"int {i} = -1;", f"while (++{i} < {n}) {body}"],
                         [f"long {i} = {n};", f"for (; --{i} >= 0;) {body}"],
                         [f"int {i} = 0;", f"do {{ {body} }} while (++{i} < {n});"],
                         [f"int {i} = 0;", f"do {{ {body} {i} += 1; }} while ({i} < {n});"],
                         [f"int {i} = {n} - 1;", f"do {body} while ({i}-- > 0 && {i} >= 0);"],
                         [f"int {i} = {n} - 1;", f"do {body} while (++{i} < {n});"]])
    f.lines += [f"{z.at(['0'])} = (int){i};"]


def local_rows(f):
    """A local array in every iteration."""
    r = f.r
    n, m, kind = begin(f)
    i, j, k, t = f.fresh("i"), f.fresh("j"), f.fresh("k"), f.fresh("t")
    a, b = shared(f, [n, m], kind), shared(f, [n, m], kind, True)
    f.lines += [loop(i, 0, n) + " {", f"{kind} {t}[{m}];", f"{loop(j, 0, m)} {t}[{j}] = {term(f, kind, [a.at([i, j])])};"]
    if r.random() < 0.5:
        f.lines += [f"{loop(j, 1, m)} {t}[{j}] {r.choice(['+=', '-='])} {t}[{j} - 1];"]
    f.lines += [f"{loop(k, 0, m)} {b.at([i, k])} {r.choice(['=', '+='])} {t}[{r.choice([k, f'{m} - 1 - {k}'])}];", "}"]


def product(f):
    """A product of matrices, its loops in any order; integers, or sums of floating values."""
    r = f.r
    n, m, kind = begin(f)
    i, j, k = f.fresh("i"), f.fresh("j"), f.fresh("k")
    a, b, c = shared(f, [n, m], kind), shared(f, [m, n], kind), shared(f, [n, n], kind, True)
    value = f"{a.at([i, k])} {'+' if is_float(kind) else '*'} {b.at([k, j])}"
    bounds = {i: n, j: n, k: m}
    order = r.sample([i, j, k], 3)
    to = c.at([i, j])
    f.lines += [f"{loop(i, 0, n)} {loop(j, 0, n)} {to} = {r.choice(['0', '1', to])};"]
    f.lines += [f"{' '.join(loop(o, 0, bounds[o]) for o in order)} {to} {r.choice(['+=', '-='])} {value};"]


def padded(f):
    """A convolution whose edges are conditions."""
    r = f.r
    n, m, kind = begin(f)
    i, k, s = f.fresh("i"), f.fresh("k"), f.fresh("s")
    x, w, y = shared(f, [n], kind), shared(f, [3], kind), shared(f, [n], kind, True)
    at = f"{i} + {k} - 1"
    value = f"{x.at([at])} {'+' if is_float(kind) else '*'} {w.at([k])}"
    inside = r.choice([f"{at} >= 0 && {at} < {n}", f"!({at} < 0 || {at} >= {n})"])
    f.lines += [loop(i, 0, n) + " {", f"{kind} {s} = 0;", loop(k, 0, 3) + " {"]
    f.lines += r.choice([[f"if ({inside}) {s} += {value};"], [f"if (!({inside})) continue;", f"{s} += {value};"],
                         [f"{s} += ({inside}) ? {value} : 0;"]])
    f.lines += ["}", f"{y.at([i])} = {s};", "}"]


def image_sum(f):
    """Sums of all that lies above and to the left."""
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    x, y = shared(f, [n, m], kind), shared(f, [n, m], kind, True)
    old = f.r.choice([f"{y.at([f'{i} - 1', j])} - {y.at([i, f'{j} - 1'])}", f"{y.at([f'{i} - 1', f'{j} - 1'])}",
                      f"({y.at([f'{i} - 1', j])} < {y.at([i, f'{j} - 1'])} ? {y.at([f'{i} - 1', j])} : {y.at([i, f'{j} - 1'])})"])
    f.lines += [f"{loop(i, 1, n)} {loop(j, 1, m)} {y.at([i, j])} = {x.at([i, j])} + {old};"]


def counted(f):
    """How many elements of a row a condition holds for, and where it first does."""
    r = f.r
    n, m, kind = begin(f)
    i, j, c, first = f.fresh("i"), f.fresh("j"), f.fresh("c"), f.fresh("p")
    a, y, z = shared(f, [n, m], kind), shared(f, [n], "int32_t", True), shared(f, [n], "int32_t", True)
    condition = compare(f, a.at([i, j]), level(f, kind))
    f.lines += [loop(i, 0, n) + " {", f"int {c} = 0, {first} = -1;", loop(j, 0, m) + " {"]
    f.lines += r.choice([[f"if ({condition}) {c}++;", f"if ({condition} && {first} < 0) {first} = {j};"],
                         [f"{c} += {condition};", f"if ({first} == -1 && {condition}) {first} = {j};"],
                         [f"if ({condition}) {{", f"{c}++;", f"{first} = {j};", "}"]])
    f.lines += ["}", f"{y.at([i])} = {c};", f"{z.at([i])} = {first};", "}"]


def neighbours(f):
    """Odd-even transposition: pairs that lie beside each other change places."""
    r = f.r
    n, m, kind = begin(f)
    t, v = f.fresh("t"), f.fresh("v")
    x = shared(f, [n], kind, True)
    f.lines += [loop(t, 0, r.randint(1, 3)) + " {"]
    for start in r.choice([("0",), ("0", "1")]):
        i = f.fresh("i")
        a, b = x.at([i]), x.at([f"{i} + 1"])
        step = "2" if r.random() < 0.8 else "1"
        f.lines += [f"for (int {i} = {start}; {i} + 1 < {n}; {i} += {step}) {{"]
        f.lines += r.choice([[f"if ({a} > {b}) {{", f"{kind} {v} = {a};", f"{a} = {b};", f"{b} = {v};", "}"],
                             [f"{kind} {v} = {a} < {b} ? {a} : {b};", f"{b} = {a} < {b} ? {b} : {a};", f"{a} = {v};"]])
        f.lines += ["}"]
    f.lines += ["}"]


def backwards(f):
    """A recurrence from the end, with sums of what lies behind."""
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    a, x = shared(f, [n, n], kind), shared(f, [n], kind, True)
    value = f"{a.at([i, j])} {'+' if is_float(kind) else '*'} {x.at([j])}"
    last = f.r.choice([[], [f"{x.at([i])} = {term(f, kind, [x.at([i]), a.at([i, i])])};"]])
    f.lines += [f"for (int {i} = {n} - 1; {i} >= 0; {i}--) {{",
                f"for (int {j} = {i} + 1; {j} < {n}; {j}++) {x.at([i])} -= {value};", *last, "}"]


def pointers(f):
    """Two pointers that walk."""
    r = f.r
    n, m, kind = begin(f)
    i, p, q = f.fresh("i"), f.fresh("p"), f.fresh("q")
    x, y = shared(f, [2 * n], kind), shared(f, [n], kind, True)
    f.lines += [f"const {kind} *{p} = {x.name};", f"{kind} *{q} = {y.name};"]
    f.lines += r.choice([[f"{loop(i, 0, n)} *{q}++ = *{p}++;"],
                         [loop(i, 0, n) + " {", f"*{q} {r.choice(['=', '+='])} {p}[1];", f"{q}++;", f"{p} += 2;", "}"],
                         [f"{p} += {n};", f"{loop(i, 0, n)} {q}[{i}] = *--{p};"]])


def scattered_rows(f):
    """Rows that data choose."""
    r = f.r
    n, m, kind = begin(f)
    i, j = f.fresh("i"), f.fresh("j")
    x, y, at = shared(f, [n, m], kind), shared(f, [4, m], kind, True), shared(f, [n], "uint32_t")
    y.style = x.style = "array"
    row = f"{at.at([i])} & 3"
    line = r.choice([f"{y.at([row, j])} += {x.at([i, j])};", f"{y.at([row, j])} = {x.at([i, j])};"])
    f.lines += [f"{loop(i, 0, n)} {loop(j, 0, m)} {line}"]


# What may be refused: no other piece shall be refused with it.
ALONE = {"scattered_rows"}
PIECES = {piece.__name__: piece
          for piece in (kept, branches, stored_branches, counting_conditions, local_rows, product, padded, image_sum, counted, neighbours, backwards, pointers,
                        scattered_rows)}
