#!/usr/bin/env python3
"""Random C functions of loop nests, as one C file: each function, its text, of which kinds its pieces are, and a way to
call it by tensor names.

usage: random_c_kernels.py COUNT SEED FILE

Every function keeps its indices within its arrays and its floating values far from overflow, so that the host's compiler
and the reference interpreter must agree bit for bit (signed overflow wraps: -fwrapv). Floating values become integers of
64 bits alone: what does not fit into an integer has no value in C.
"""

import random
import sys

import random_c_control
import random_c_pieces

INTEGERS = ["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t", "uint64_t"]
FLOATS = ["float", "double"]


class Array:
    def __init__(self, name, kind, shape, style):
        self.name, self.kind, self.shape, self.style = name, kind, shape, style

    def parameter(self, const):
        kind = ("const " if const else "") + self.kind
        if self.style == "array" or len(self.shape) > 1 and self.style != "flat":
            first = "restrict " + str(self.shape[0])
            return f"{kind} {self.name}[{first}]" + "".join(f"[{e}]" for e in self.shape[1:])
        return f"{kind} *restrict {self.name}"

    def at(self, index):
        if self.style == "flat" and len(self.shape) > 1:
            text = index[0]
            for e, i in zip(self.shape[1:], index[1:]):
                text = f"({text}) * {e} + ({i})"
            return f"{self.name}[{text}]"
        return self.name + "".join(f"[{i}]" for i in index)


class Function:
    def __init__(self, number, seed):
        self.r = random.Random(seed * 100003 + number)
        self.name = f"random_{number}"
        self.lines, self.arrays, self.written, self.helpers, self.kinds = [], [], set(), [], []
        self.family = self.r.choice(["int", "int", "float", "mixed", "half"])
        self.count = 0

    def kind(self):
        if self.family == "half":
            return "_Float16"
        if self.family == "int" or self.family == "mixed" and self.r.random() < 0.4:
            # What wraps in 64 bits may be too large to come back from a floating type.
            return self.r.choice(INTEGERS[:-1] if self.family == "mixed" else INTEGERS)
        return self.r.choice(FLOATS)

    def holding(self, kind):
        """`kind`, or the integer that holds the floating values which a mixed function may store."""
        return "int64_t" if self.family == "mixed" and kind in INTEGERS else kind

    def target(self, shape):
        """An array that values of other types are stored in."""
        return self.array(shape, self.holding(self.kind()))

    def array(self, shape, kind=None):
        style = self.r.choice(["array", "flat", "pointer"])
        a = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[len(self.arrays)], kind or self.kind(), shape, style)
        self.arrays.append(a)
        return a

    def fresh(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def expression(self, leaves, depth):
        """A value of the leaves; floating values stay small."""
        r = self.r
        if depth == 0 or r.random() < 0.2:
            return r.choice(leaves)
        a, b = self.expression(leaves, depth - 1), self.expression(leaves, depth - 1)
        if self.family == "int":
            op = r.choice(["+", "-", "*", "&", "|", "^", "?", "min", "shift", "cast", "~", "cmp", "/", "!"])
        else:
            product = ["*"] if self.family != "mixed" or depth == 1 else []
            op = r.choice(["+", "-", "?", "min", "neg", "abs", "cmp", "max", "relu"] + product)
        if op in "+-*&|^":
            return f"({a} {op} {b})"
        if op == "?":
            return f"({a} {r.choice(['<', '>', '<=', '>=', '==', '!='])} {b} ? {a} : {self.expression(leaves, depth - 1)})"
        if op == "min":
            return f"({a} < {b} ? {a} : {b})"
        if op == "max":
            return f"({a} > {b} ? {a} : {b})"
        if op == "relu":
            return f"({a} > 0 ? {a} : 0)"
        if op == "shift":
            return f"({a} {r.choice(['<<', '>>'])} {r.randint(0, 6)})"
        if op == "cast":
            return f"({r.choice(INTEGERS)})({a})"
        if op == "/":
            return f"({a} {r.choice(['/', '%'])} {r.randint(2, 9)})"
        if op == "cmp":
            return f"({a} {r.choice(['<', '!=', '>='])} {b})"
        if op == "!":
            return f"!{a}"
        if op == "abs":
            return f"(({a}) < 0 ? -({a}) : ({a}))"
        return f"({'~' if op == '~' else '-'}({a}))"

    def constant(self):
        if self.family == "int":
            return str(self.r.randint(-9, 9)) if self.r.random() < 0.8 else f"{self.r.randint(0, 9)}u"
        if self.family == "half":
            return f"(_Float16){self.r.choice(['0.5', '2', '-1.5', '0.25'])}"
        return self.r.choice(["0.5f", "0.25", "-1.5f", "2", "-1", "3"])

    def loop(self, name, extent):
        """A loop whose variable takes the values 0 to extent - 1 in some order, or a part of them."""
        return self.r.choice(
            [
                f"for (int {name} = 0; {name} < {extent}; {name}++)",
                f"for (int {name} = 0; {name} < {extent}; ++{name})",
                f"for (int {name} = 0; {name} <= {extent} - 1; {name} += 1)",
                f"for (int {name} = {extent} - 1; {name} >= 0; {name}--)",
                f"for (int {name} = 0; {name} != {extent}; {name}++)",
                f"for (long {name} = 0; {extent} > {name}; {name} = {name} + 1)",
                f"for (unsigned {name} = 0; {name} < {extent}; {name}++)",
                f"for (int {name} = 0; {name} < {extent}; {name} += 2)",
                f"for (int {name} = 1; {name} < {extent}; {name} += 3)",
            ]
        )

    def element_wise(self):
        r = self.r
        rank = r.randint(1, 3)
        shape = [r.randint(2, 7) for _ in range(rank)]
        loops = [self.fresh("i") for _ in shape]
        out = self.target(shape)
        ins = [self.array(shape) for _ in range(r.randint(1, 3))]
        body = self.expression([a.at(loops) for a in ins] + [self.constant()], 3)
        lines = [self.loop(i, e) + " {" for i, e in zip(loops, shape)]
        style = r.randint(0, 4)
        self.written.add(out.name)
        if style == 0:
            value = self.fresh("v")
            lines += [f"const {out.kind} {value} = {body};", f"{out.at(loops)} = {value};"]
        elif style == 1:
            lines += [f"if ({ins[0].at(loops)} > {self.constant()}) {out.at(loops)} = {body};"]
        elif style == 2:
            i = loops[0]
            lines += [f"if ({i} >= 1 && {i} < {shape[0]}) {out.at(loops)} = {body};", f"else {out.at(loops)} = {self.constant()};"]
        elif style == 3:
            lines += [f"{out.at(loops)} {r.choice(['+=', '-=', '*='])} {body};"]
        else:
            lines += [f"{out.at(loops)} = {body};"]
        self.lines += lines + ["}"] * len(loops)

    def reduction(self):
        r = self.r
        m, n = r.randint(2, 8), r.randint(2, 9)
        i, j, s = self.fresh("i"), self.fresh("j"), self.fresh("s")
        a, x, y = self.array([m, n]), self.array([n]), self.target([m])
        self.written.add(y.name)
        kind = r.choice([self.holding(a.kind), "int32_t" if self.family == "int" else "double" if self.family != "half" else "_Float16"])
        inner = r.choice([f"for (int {j} = 0; {j} < {n}; {j}++)", f"for (int {j} = {n} - 1; {j} >= 0; {j} -= 1)"])
        isTriangular = m <= n and r.random() < 0.6
        if isTriangular:
            kind = x.kind = a.kind  # loops of changing length may accumulate, and do nothing else
            inner = r.choice([f"for (int {j} = 0; {j} <= {i}; {j}++)", f"for (int {j} = {i}; {j} < {n}; {j}++)"])
        term = self.expression([a.at([i, j]), x.at([j])], 2)
        update = r.choice(
            [
                f"{s} += {term};",
                f"{s} -= {term};",
                f"{s} = {s} + {a.at([i, j])} * {x.at([j])};",
                f"if ({a.at([i, j])} > {s}) {s} = {a.at([i, j])};",
                f"{s} = {a.at([i, j])} < {s} ? {a.at([i, j])} : {s};",
                f"if ({x.at([j])} > {self.constant()}) {s} += {a.at([i, j])};",
            ]
            + ([] if isTriangular and self.family != "int" else [f"{s} = {s} + {a.at([i, j])} - {x.at([j])};"])
        )
        self.lines += [
            f"for (int {i} = 0; {i} < {m}; {i}++) {{",
            f"{kind} {s} = {r.choice(['0', '1', x.at(['0'])])};",
            f"{inner} {{",
            update,
            "}",
            f"{y.at([i])} = {r.choice([s, s, f'{s} + {self.constant()}'])};",
            "}",
        ]

    def total(self):
        r = self.r
        m, n = r.randint(2, 6), r.randint(2, 6)
        i, j = self.fresh("i"), self.fresh("j")
        a, y = self.array([m, n]), self.target([1])
        self.written.add(y.name)
        s = self.fresh("s")
        self.lines += [
            f"{y.kind} {s} = {r.choice(['0', y.at(['0'])])};",
            f"for (int {i} = 0; {i} < {m}; {i}++)",
            f"for (int {j} = 0; {j} < {n}; {j}++)",
            r.choice([f"{s} += {a.at([i, j])};", f"if ({i} != {j}) {s} += {a.at([i, j])};", f"{s} = {s} * 2 + {a.at([i, j])};"]),
            f"{y.at(['0'])} = {s};",
        ]

    def scan(self):
        r = self.r
        n = r.randint(3, 20)
        i, s = self.fresh("i"), self.fresh("s")
        x = self.target([n])
        y = self.array([n], x.kind)
        self.written.add(y.name)
        step = r.choice(
            [
                [f"{s} += {x.at([i])};", f"{y.at([i])} = {s};"],
                [f"{y.at([i])} = {s};", f"{s} += {x.at([i])};"],
                [f"{s} = {s} * {self.constant() if self.family == 'int' else '0.5f'} + {x.at([i])};", f"{y.at([i])} = {s};"],
                [f"if ({x.at([i])} > {s}) {s} = {x.at([i])};", f"{y.at([i])} = {s};"],
            ]
        )
        self.lines += [f"{x.kind} {s} = {x.at(['0'])};", f"for (int {i} = 0; {i} < {n}; {i}++) {{"] + step + ["}"]

    def stencil(self):
        r = self.r
        n, t, i = r.randint(5, 16), self.fresh("t"), self.fresh("i")
        a = self.array([n])
        b = self.array([n], a.kind)
        self.written |= {a.name, b.name}
        mean = f"{a.at([i + ' - 1'])} + {a.at([i])} - {a.at([i + ' + 1'])}"
        lines = [
            f"for (int {i} = 1; {i} < {n} - 1; {i}++) {b.at([i])} = {mean};",
            r.choice(
                [
                    f"for (int {i} = 1; {i} < {n} - 1; {i}++) {a.at([i])} = {b.at([i])};",
                    f"for (int {i} = 0; {i} < {n}; {i}++) {a.at([i])} = {i} > 0 ? {b.at([i + ' - 1'])} : {b.at([i])};",
                    f"for (int {i} = 2; {i} < {n}; {i}++) {a.at([i])} = {a.at([i + ' - 2'])} - {b.at([i])};",
                ]
            ),
        ]
        if r.random() < 0.5:
            lines = [f"for (int {t} = 0; {t} < {r.randint(1, 4)}; {t}++) {{"] + lines + ["}"]
        self.lines += lines

    def swap(self):
        n, i, v = self.r.randint(2, 12), self.fresh("i"), self.fresh("v")
        a = self.array([n])
        b = self.array([n], a.kind)
        self.written |= {a.name, b.name}
        self.lines += [
            f"for (int {i} = 0; {i} < {n}; {i}++) {{",
            f"{a.kind} {v} = {a.at([i])};",
            f"{a.at([i])} = {b.at([i])};",
            f"{b.at([i])} = {v};",
            "}",
        ]

    def walk(self):
        n, m, i, j, t = self.r.randint(2, 6), self.r.randint(2, 6), self.fresh("i"), self.fresh("j"), self.fresh("t")
        x, y = self.array([n, m]), self.target([n * m])
        x.style = "array"
        self.written.add(y.name)
        p = self.fresh("p")
        self.lines += self.r.choice(
            [
                [f"int {t} = 0;", f"for (int {i} = 0; {i} < {n}; {i}++)", f"for (int {j} = 0; {j} < {m}; {j}++)", f"{y.at([t + '++'])} = {x.at([i, j])};"],
                [f"for (int {i} = 0; {i} < {n}; {i}++) {{", f"const {x.kind} *{p} = {x.name}[{i}];", f"for (int {j} = 0; {j} < {m}; {j}++) {y.at([f'{i} * {m} + {j}'])} = *{p}++;", "}"],
            ]
        )

    def helper(self):
        n, i = self.r.randint(2, 12), self.fresh("i")
        x, y = self.target([n]), self.target([n])
        self.written.add(y.name)
        h = f"{self.name}_{self.fresh('h')}"
        self.helpers.append(
            f"static {y.kind} {h}({x.kind} a, int k) {{\n  if (k < {n // 2}) return a;\n  a = {self.expression(['a', self.constant()], 2)};\n  return a;\n}}\n"
        )
        self.lines += [f"for (int {i} = 0; {i} < {n}; {i}++) {y.at([i])} = {h}({x.at([i])}, {i});"]

    def make(self):
        own = [self.element_wise, self.reduction, self.total, self.scan, self.stencil, self.swap, self.walk, self.helper]
        pieces = [(piece.__name__, piece) for piece in own]
        modules = (random_c_pieces, random_c_control)
        pieces += [(name, lambda make=make: make(self)) for m in modules for name, make in m.PIECES.items()]
        alone = random_c_pieces.ALONE | random_c_control.ALONE
        for _ in range(self.r.choice([1, 1, 2, 3])):
            name, piece = self.r.choice(pieces)
            if name in alone and self.kinds:
                continue
            self.kinds.append(name)
            piece()
            if name in alone:
                break
        parameters = ", ".join(a.parameter(a.name not in self.written) for a in self.arrays)
        body, depth = "", 1
        for line in self.lines:
            depth -= line.startswith("}")
            body += "  " * depth + line + "\n"
            depth += line.endswith("{")
        return "#include <stdint.h>\n\n" + "".join(self.helpers) + f"void {self.name}({parameters}) {{\n{body}}}\n"


def main():
    count, seed, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    text, table = "#include <stddef.h>\n", ""
    for n in range(count):
        f = Function(n, seed)
        source = f.make()
        quoted = source.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        arguments = ", ".join(f"p[{k}]" for k in range(len(f.arrays)))
        text += f"\n{source}\nstatic void call_{n}(void **p) {{ {f.name}({arguments}); }}\n"
        arrays, kinds = "".join(a.name for a in f.arrays), " ".join(sorted(set(f.kinds)))
        table += f'    {{"{quoted}", "{arrays}", "{kinds}", call_{n}}},\n'
    text += "\nconst struct { const char *text, *arrays, *kinds; void (*call)(void **); } randomCKernels[] = {\n" + table + "    {0, 0, 0, 0}};\n"
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
