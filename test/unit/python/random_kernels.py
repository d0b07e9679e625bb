#!/usr/bin/env python3
"""Random affine kernels in Python: executed, with the results of Python itself, or refused for a true reason.

usage: random_kernels.py [COUNT [SEED]]

Every kernel is a text. Pimento reads it; Python runs the same text on NumPy scalars of the same types, where each index
is checked. Numbers are small integers, or f32 whose every operation is rounded, so that the two agree in every bit. A
kernel that is refused must be refused in one of its lines; an index out of bounds is one that Python saw too.
"""

import importlib.util
import random
import sys
import tempfile
import types
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from support import has_llvm, np, pimento  # noqa: E402

# What a kernel may be refused for though Python runs it: the dependences of its loops, and indices from data.
DEPENDENCES = {"loop-dependence", "self-dependence", "duplicate-write", "unsupported-access", "python-loop",
               "uninitialized", "python-name", "use-before-definition", "bad-form"}


class Checked(np.ndarray):
    """An array for Python's own run: no index wraps around. What is outside is noted, and 0."""

    outside = 0

    def size(self, d=None):
        return self.shape if d is None else self.shape[d]

    def _is_inside(self, index):
        index = index if isinstance(index, tuple) else (index,)
        is_inside = all(0 <= int(i) < n for i, n in zip(index, self.shape))
        Checked.outside += not is_inside
        return is_inside

    def __getitem__(self, index):
        if self._is_inside(index):
            return super().__getitem__(index)
        return np.zeros(self.shape[1:], self.dtype).view(Checked) if self.ndim > 1 and not isinstance(index, tuple) \
            else self.dtype.type(0)

    def __setitem__(self, index, value):
        if self._is_inside(index):
            super().__setitem__(index, value)


def python_module(of):
    """What `pimento` is when Python runs a kernel."""
    made = types.SimpleNamespace(**{t: getattr(np, n) for t, n in (("i32", "int32"), ("f32", "float32"))})
    made.Tensor = types.SimpleNamespace(zero=lambda shape, dtype=of: np.zeros(shape, dtype).view(Checked))
    made.relu = lambda x: x if x > 0 else type(x)(0)
    made.kernel = lambda f: f
    return made


class Maker:
    """Writes one kernel."""

    def __init__(self, rng):
        self.rng = rng
        self.is_float = rng.random() < 0.3
        self.type = "f32" if self.is_float else "i32"
        self.extents = {"m": rng.randint(1, 7), "n": rng.randint(1, 7), "k": rng.randint(1, 5)}
        self.shapes = {"A": ("m", "n"), "B": ("n", "k"), "x": ("n",), "y": ("m",)}
        self.lines, self.depth = [], 1
        self.loops = []  # (name, extent name or None)
        self.scalars = []
        self.helpers = []
        self.writable = ["y"]

    def line(self, text):
        self.lines.append("    " * self.depth + text)

    def make(self):
        r = self.rng
        self.line("m = A.size(0)")
        self.line("n, k = B.size()")
        for t in range(r.randint(1, 2)):
            name = f"t{t}"
            shape = r.choice([("m",), ("m", "n"), ("n",), ("m", "k")])
            self.shapes[name] = shape
            self.writable.append(name)
            self.line(f"{name} = pimento.Tensor.zero([{', '.join(shape)}], pimento.{self.type})")
        for _ in range(r.randint(1, 3)):
            self.nest(r.randint(1, 3))
        results = [w for w in self.writable if w != "y"]
        self.line(f"return {', '.join(results)}")
        head = ["import pimento", ""]
        if self.rng.random() < 0.4:
            head += ["", "def helper(a, b):", "    c = a * b", "    return c + a", ""]
        else:
            self.lines = [l.replace("helper(", "max(") for l in self.lines]
        return "\n".join(head + ["", "@pimento.kernel", "def kernel(A, B, x, y):", *self.lines, ""])

    def nest(self, levels):
        r = self.rng
        name = f"i{len(self.loops)}"
        extent = r.choice(["m", "n", "k"])
        start, step = "0", 1
        end = extent
        if self.loops and r.random() < 0.2:
            start = self.loops[-1][0]
        elif r.random() < 0.15:
            start, step = "1", r.choice([1, 2])
        if self.loops and r.random() < 0.1:
            end = f"min({extent}, {self.loops[-1][0]} + 2)"
        ranged = f"range({extent} - 1, -1, -1)" if start == "0" and end == extent and r.random() < 0.1 else \
            f"range({start}, {end})" if step == 1 else f"range({start}, {end}, {step})"
        carried = None
        if r.random() < 0.35:
            carried = f"s{len(self.scalars)}"
            self.scalars.append(carried)
            self.line(f"{carried} = {self.number()}")
        self.line(f"for {name} in {ranged}:")
        self.depth += 1
        self.loops.append((name, extent))
        for _ in range(r.randint(1, 2) if levels > 1 else 1):
            if levels > 1 and r.random() < 0.8:
                self.nest(levels - 1)
            else:
                self.statement(carried)
        if carried and r.random() < 0.7:
            self.line(f"{carried} += {self.value(1)}" if r.random() < 0.8 else
                      f"{carried} = min({carried}, {self.value(1)})")
        self.loops.pop()
        self.depth -= 1
        if carried:
            self.scalars.remove(carried)
            if r.random() < 0.8:
                self.store(carried)

    def statement(self, carried):
        r = self.rng
        if r.random() < 0.25:
            self.line(f"if {self.condition()}:")
            self.depth += 1
            self.store()
            self.depth -= 1
            if r.random() < 0.4:
                self.line("else:")
                self.depth += 1
                self.store()
                self.depth -= 1
        elif r.random() < 0.2:
            name = f"u{r.randint(0, 1)}"
            self.line(f"{name} = {self.value(2)}")
            self.store(name)
        else:
            self.store()
        if carried and r.random() < 0.2:
            self.line(f"{carried} = {carried} + {self.value(1)}")

    def store(self, value=None):
        name = self.rng.choice(self.writable)
        value = value or self.value(2)
        op = self.rng.choice(["=", "=", "+=", "+=", "-="])
        if self.rng.random() < 0.1:
            target = self.element(name)
            self.line(f"{target} = max({target}, {value})")
        else:
            self.line(f"{self.element(name)} {op} {value}")

    def element(self, name):
        index = [self.index(e) for e in self.shapes[name]]
        return f"{name}[{', '.join(index)}]" if self.rng.random() < 0.8 else name + "".join(f"[{i}]" for i in index)

    def index(self, extent):
        r = self.rng
        own = [l for l, e in self.loops if e == extent]
        if own and r.random() < 0.93:
            form = r.choice(own)
            if r.random() < 0.025:
                form += r.choice([" + 1", " - 1"])
            elif r.random() < 0.04:
                form = f"{extent} - 1 - {form}"
            return form
        return "0"

    def number(self):
        n = self.rng.randint(-3, 3)
        return f"pimento.f32({n}.5)" if self.is_float else f"pimento.i32({n})"

    def value(self, depth):
        r = self.rng
        if depth == 0 or r.random() < 0.25:
            pick = r.random()
            if pick < 0.2:
                return self.number()
            if pick < 0.3 and self.loops:
                return f"pimento.{self.type}({r.choice(self.loops)[0]})"
            if pick < 0.42 and self.scalars:
                return r.choice(self.scalars)
            return self.element(r.choice([*self.shapes]))
        a, b = self.value(depth - 1), self.value(depth - 1)
        pick = r.random()
        if pick < 0.6:
            return f"({a} {r.choice(['+', '-', '*', '+'])} {b})"
        if pick < 0.75:
            return f"{r.choice(['min', 'max'])}({a}, {b})"
        if pick < 0.83:
            return f"pimento.relu({a})"
        if pick < 0.9:
            return f"helper({a}, {b})"
        return f"({a} if {self.condition()} else {b})"

    def condition(self):
        r = self.rng
        if self.loops and r.random() < 0.6:
            a = r.choice(self.loops)[0]
            b = r.choice([r.choice(self.loops)[0], "1", "2", "m - 1"])
            text = f"{a} {r.choice(['<', '<=', '==', '!=', '>'])} {b}"
        else:
            text = f"{self.element(r.choice([*self.shapes]))} {r.choice(['<', '>', '>='])} {self.number()}"
        if r.random() < 0.15:
            text = f"not ({text})"
        return text if r.random() < 0.8 else f"{text} and {r.choice([*self.extents])} > 1"


def load(path, name, module):
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    saved = sys.modules.get("pimento")
    sys.modules["pimento"] = module
    try:
        spec.loader.exec_module(made)
    finally:
        sys.modules["pimento"] = saved
    return made.kernel


def run_one(seed, folder, counts):
    rng = random.Random(seed)
    maker = Maker(rng)
    text = maker.make()
    path = Path(folder) / f"kernel_{seed}.py"
    path.write_text(text)
    of = np.float32 if maker.is_float else np.int32
    e = maker.extents
    data = np.random.default_rng(seed)
    make = lambda *s: data.integers(-4, 5, s).astype(of)  # noqa: E731
    arrays = [make(e["m"], e["n"]), make(e["n"], e["k"]), make(e["n"]), make(e["m"])]

    mine = [a.copy().view(Checked) for a in arrays]
    wrong = None
    Checked.outside = 0
    with np.errstate(all="ignore"):
        try:
            wanted = load(path, "plain", python_module(of))(*mine)
            wrong = "out of bounds" if Checked.outside else None
        except UnboundLocalError:
            wrong = "unbound"
    # One in eight kernels of integers runs on a device that takes them, wherever that can.
    options = {"target": rng.choice(["hbm-pim", "attacc", "upmem"]), "map": "host"}
    if not maker.is_float and seed % 8 == 0 and has_llvm():
        options = {"target": "upmem", "map": "auto", "offload": "possible", "set": {"dpus": 4}}
    try:
        k = pimento.init_kernel(load(path, "marked", pimento), arrays, **options,
                                mode=rng.choice(["simulate", "estimate"]))
        got = k(*arrays)
    except pimento.InternalError as error:
        sys.exit(f"seed {seed}: a bug\n{text}\n{error}")
    except pimento.Error as error:
        first, last = text[: text.index("def kernel")].count("\n") + 1, text.count("\n")
        helper = text.index("def helper") if "def helper" in text else None
        lowest = text[:helper].count("\n") + 1 if helper is not None else first
        if error.file != str(path) or not lowest <= error.line <= last or not error.hint:
            sys.exit(f"seed {seed}: not located, or no hint\n{text}\n{error}")
        is_true = wrong is not None or error.code in DEPENDENCES
        if error.code in ("out-of-bounds", "python-subscript"):
            is_true = wrong == "out of bounds" or "- 1" in text or "+ 1" in text or "min(" in text
        if not is_true:
            sys.exit(f"seed {seed}: refused without reason\n{text}\n{error}")
        counts[error.code] = counts.get(error.code, 0) + 1
        return
    if wrong == "unbound":
        sys.exit(f"seed {seed}: executed, though it is {wrong} in Python\n{text}")
    # What lies outside may be read where it does not matter: then the results are those of any other value.
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = got if isinstance(got, tuple) else (got,)
    results = [(f"result {n}", a, b) for n, (a, b) in enumerate(zip(got, wanted))]
    if not all(np.isfinite(a).all() for a in (*mine, *wanted)):
        counts["not finite"] = counts.get("not finite", 0) + 1  # min and max of kernels skip NaN
        return
    for name, a, b in [*zip("ABxy", arrays, mine), *results]:
        b = np.asarray(b)
        if a.dtype != b.dtype or a.tobytes() != b.tobytes():
            sys.exit(f"seed {seed}: {name} differs on {k}\n{text}\ngot\n{a}\nPython has\n{b}")
    counts["executed"] = counts.get("executed", 0) + 1
    if any(p["where"] == "pim" for p in k.description["parts"]):
        counts["on a device"] = counts.get("on a device", 0) + 1


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            run_one(seed, folder, counts)
    print(", ".join(f"{name}: {n}" for name, n in sorted(counts.items(), key=lambda c: -c[1])))
    if counts.get("executed", 0) < count * 0.6:
        sys.exit("too few were executed")


if __name__ == "__main__":
    main()
