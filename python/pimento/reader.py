"""Reads a Python function as loop nests.

The function's text is parsed with `ast` and run on symbols: loop variables and sizes are sums of loops, elements are
loads, other scalars are expressions over them, and each store is a statement of a nest (nest.py). Nothing of the
function is executed. Helper functions are inlined; what they do at module level is not looked at.

A scalar that a loop carries lives in a buffer, with one element for each iteration of the loops around it if the loop
does no more than accumulate, else with one for each of its own iterations as well.
"""

import ast
import builtins
import math
import types as python

from . import types
from .errors import Error, diagnostic
from .nest import Affine, Nest, Value
from .types import DTYPES, DType, is_array

I64, U8 = DTYPES["i64"], DTYPES["u8"]
_MOST_DEPTH = 64

_OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
              ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
              ast.LShift: "shl", ast.RShift: "shr"}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
          ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
_COMPARISONS = {ast.Eq: "cmp_eq", ast.NotEq: "cmp_ne", ast.Lt: "cmp_lt", ast.LtE: "cmp_le", ast.Gt: "cmp_gt",
                ast.GtE: "cmp_ge"}
_COMPARE = {"cmp_eq": lambda a, b: a == b, "cmp_ne": lambda a, b: a != b, "cmp_lt": lambda a, b: a < b,
            "cmp_le": lambda a, b: a <= b, "cmp_gt": lambda a, b: a > b, "cmp_ge": lambda a, b: a >= b}
_FOLD = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
         "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b, "pow": lambda a, b: a**b,
         "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b,
         "shr": lambda a, b: a >> b}

_STATEMENTS = {
    ast.While: ("'while' has no bounds that are known before it runs", "write for i in range(start, end, step)"),
    ast.Break: ("'break' leaves a loop early", "let the loop run to its end, and put the work into an if"),
    ast.Continue: ("'continue' skips the rest of an iteration", "put the rest into the other branch of the if"),
    ast.Try: ("a kernel handles no exceptions", "remove 'try': mistakes are reported before the kernel runs"),
    ast.Raise: ("a kernel raises no exceptions", "check arguments before the call"),
    ast.With: ("a kernel has no context managers", "remove 'with'"),
    ast.FunctionDef: ("a function is defined inside a kernel", "define it at module level; kernels inline it"),
    ast.ClassDef: ("a class is defined inside a kernel", "kernels consist of loops, conditions and assignments"),
    ast.Global: ("a kernel cannot change globals", "return the value"),
    ast.Nonlocal: ("a kernel cannot change variables of the function around", "return the value"),
    ast.Delete: ("a kernel deletes nothing", "remove 'del'"),
    ast.Assert: ("a kernel asserts nothing", "check arguments before the call"),
    ast.Import: ("a kernel imports nothing", "import at module level"),
    ast.ImportFrom: ("a kernel imports nothing", "import at module level"),
}
_EXPRESSIONS = {
    ast.Lambda: ("a lambda is no value in a kernel", "define a function at module level; kernels inline it"),
    ast.ListComp: ("a comprehension builds a list", "write a for loop that stores to a tensor"),
    ast.GeneratorExp: ("a generator is no value in a kernel", "write a for loop that accumulates"),
    ast.DictComp: ("a comprehension builds a dict", "write a for loop that stores to a tensor"),
    ast.SetComp: ("a comprehension builds a set", "write a for loop that stores to a tensor"),
    ast.Await: ("a kernel awaits nothing", "remove 'await'"),
    ast.Yield: ("a kernel yields nothing", "store to a tensor and return it"),
    ast.JoinedStr: ("a text is no value in a kernel", "kernels compute with numbers"),
    ast.Dict: ("a dict is no value in a kernel", "use tensors and scalars"),
    ast.Set: ("a set is no value in a kernel", "use tensors and scalars"),
    ast.NamedExpr: ("':=' assigns inside an expression", "assign on a line of its own"),
    ast.Starred: ("'*' unpacks a sequence", "write the arguments one by one"),
}


class TensorRef:
    """A tensor, or a part of one: the first indices are given."""

    __slots__ = ("buffer", "index", "data", "own")

    def __init__(self, buffer, index=(), data=None, own=0):
        self.buffer, self.index, self.data = buffer, tuple(index), data
        self.own = own  # leading dimensions that loops around the declaration give

    @property
    def shape(self):
        return self.buffer.shape[len(self.index):]


class Cell:
    """A scalar in memory, while a loop carries it."""

    __slots__ = ("buffer", "index", "conditions")

    def __init__(self, buffer, index, conditions):
        self.buffer, self.index, self.conditions = buffer, index, conditions


class Lost:
    """A name whose value is not known: the reason, and what to do."""

    __slots__ = ("why", "hint")

    def __init__(self, why, hint):
        self.why, self.hint = why, hint


class Bound:
    """The least or greatest of several sums of loops: an end of a range, or a value."""

    __slots__ = ("op", "forms")

    def __init__(self, op, forms):
        self.op, self.forms = op, forms


class Function:
    """The text of a Python function."""

    def __init__(self, function):
        import inspect
        import textwrap

        self.python = function
        self.name = function.__name__
        self.file = inspect.getsourcefile(function) or function.__code__.co_filename
        first = function.__code__.co_firstlineno
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise Error([diagnostic("python-source", f"the text of '{self.name}' is not available",
                                    "define it in a file or in a notebook cell", file=self.file, line=first)]) from None
        text = "".join(lines)
        plain = textwrap.dedent(text)
        self.column = len(text) - len(text.lstrip(" \t")) if text != plain else 0
        self.line = first - 1
        try:
            self.tree = ast.parse(plain).body[0]
        except SyntaxError as e:
            raise Error([diagnostic("python-source", f"the text of '{self.name}' cannot be read on its own: {e.msg}",
                                    "define the function with 'def', on lines of its own", file=self.file,
                                    line=first)]) from None
        if not isinstance(self.tree, ast.FunctionDef):
            raise Error([diagnostic("python-source", f"'{self.name}' is not defined with 'def'",
                                    "write def, one function at a time; not a lambda, not async", file=self.file,
                                    line=first)])

    def __repr__(self):
        return f"<text of {self.name}>"


class Frame:
    """A call that is being read."""

    def __init__(self, function, loops=0, conditions=0):
        self.function = function
        self.names = {}
        self.result = None
        self.has_returned = False
        self.loops, self.conditions = loops, conditions  # around the call


class Parameter:
    """A tensor that the caller gives. `shape` is () for a scalar."""

    __slots__ = ("name", "type", "shape", "buffer")

    def __init__(self, name, type, shape, buffer):
        self.name, self.type, self.shape, self.buffer = name, type, shape, buffer


class Reading:
    """What a function came to: the nest, its tensors in the order of the parameters, and what it returns.

    `results`: a list of (buffer name, shape), and `is_tuple` whether the function returns a tuple of them. A parameter
    that is returned has its own name there.
    """

    def __init__(self, nest, parameters, results, is_tuple):
        self.nest, self.parameters, self.results, self.is_tuple = nest, parameters, results, is_tuple


class Reader:
    """Runs one function on symbols. `texts` keeps parsed functions between readings."""

    def __init__(self, function, texts, dtype):
        self.texts, self.dtype = texts, dtype
        text = self.text_of(function)
        self.frames = [Frame(text)]
        self.nest = Nest(text.name, [1, 1])
        self.nest.at = self.at(text.tree)
        self.loops, self.guards, self.conditions = [], [], []
        self.stored = set()  # buffers
        self.held = []  # lists of values in the middle of an expression

    # --- the function ---

    def read(self, arguments):
        """`arguments`: name -> (shape, DType) of a tensor, or a number, a constant."""
        frame = self.frames[0]
        parameters = []
        for name in parameter_names(self, frame.function):
            node = next(a for a in all_arguments(frame.function.tree) if a.arg == name)
            given = arguments[name]
            if isinstance(given, (bool, int, float)):
                frame.names[name] = self.lift(given, node, name)
                continue
            shape, type = given
            buffer = self.nest.buffer(name, "argument", type, shape or (1,), self.at(node))
            parameters.append(Parameter(name, type, shape, buffer))
            zero = (Affine(0),)
            frame.names[name] = TensorRef(buffer) if shape else self.nest.load(buffer, zero, self.at(node))
        self.block(frame.function.tree.body)
        results, is_tuple = self.results(frame)
        return Reading(self.nest, parameters, results, is_tuple)

    def results(self, frame):
        value = frame.result
        is_tuple = isinstance(value, tuple)
        results = []
        for one in value if is_tuple else () if value is None else (value,):
            results.append(self.result_of(one))
        return results, is_tuple

    def result_of(self, value):
        node = self.frames[0].function.tree
        if isinstance(value, TensorRef):
            if value.index:
                self.fail(node, "python-return", "the kernel returns a part of a tensor",
                          "return the whole tensor, or store the part to a tensor that is returned")
            if value.buffer.kind == "local":
                value.buffer.kind = "result"
            return value.buffer.name, value.buffer.shape
        if not is_scalar(value):
            self.fail(node, "python-return", f"the kernel returns {kind_of(value)}", "return tensors or scalars")
        scalar = self.typed(value, node)
        buffer = self.nest.buffer("result", "result", scalar.type, (1,), self.nest.at)
        self.store(TensorRef(buffer, (Affine(0),)), scalar, node)
        return buffer.name, ()

    def text_of(self, function):
        found = self.texts.get(function)
        if found is None:
            found = self.texts[function] = Function(function)
        return found

    # --- places and mistakes ---

    def at(self, node):
        text = self.frames[-1].function
        place = [node.lineno + text.line, node.col_offset + 1 + text.column]
        n = self.nest.file(text.file)
        return place + [n] if n else place

    def fail(self, node, code, message, hint=""):
        text = self.frames[-1].function
        raise Error([diagnostic(code, message, hint, file=text.file, line=node.lineno + text.line,
                                column=node.col_offset + 1 + text.column,
                                kind="unsupported" if code in _UNSUPPORTED else "input")])

    def source(self, node):
        """The text of an expression, shortened."""
        text = ast.unparse(node)
        return text if len(text) <= 40 else text[:37] + "..."

    @property
    def names(self):
        """Of the function that is being read; conditions and trials replace the dict."""
        return self.frames[-1].names

    # --- statements ---

    def block(self, body):
        frame = self.frames[-1]
        for statement in body:
            if frame.has_returned:
                self.fail(statement, "python-control-flow", "this statement comes after 'return' and never runs",
                          "remove it")
            self.statement(statement)

    def statement(self, s):
        method = {ast.Assign: self.assign, ast.AugAssign: self.augmented, ast.AnnAssign: self.annotated,
                  ast.For: self.loop, ast.If: self.branch, ast.Return: self.back, ast.Expr: self.bare,
                  ast.Pass: lambda s: None}.get(type(s))
        if method is not None:
            return method(s)
        why, hint = _STATEMENTS.get(type(s), (f"'{type(s).__name__}' is not supported in a kernel",
                                              "kernels consist of for loops, if, assignments and calls"))
        self.fail(s, "python-statement", why, hint)

    def bare(self, s):
        if isinstance(s.value, ast.Constant) and (isinstance(s.value.value, str) or s.value.value is ...):
            return
        if not isinstance(s.value, ast.Call):
            self.fail(s, "python-statement", f"'{self.source(s.value)}' computes a value that nothing uses",
                      "assign it, or remove it")
        self.call(s.value)

    def back(self, s):
        frame = self.frames[-1]
        if len(self.loops) != frame.loops:
            self.fail(s, "python-control-flow", "the function returns from inside a loop",
                      "let the loop run to its end and return after it")
        if len(self.conditions) != frame.conditions:
            self.fail(s, "python-control-flow", "the function returns in one branch of a condition",
                      "assign in both branches, and return once at the end")
        frame.result = None if s.value is None else self.expression(s.value)
        if frame.result is None and s.value is not None and not is_none(s.value):
            self.fail(s, "python-return", "the function that is called returns nothing", "return a tensor or a scalar")
        frame.has_returned = True

    def assign(self, s):
        if len(s.targets) > 1:
            self.fail(s, "python-statement", "several targets are assigned at once", "write one assignment per line")
        target = s.targets[0]
        if isinstance(target, (ast.Tuple, ast.List)):
            return self.unpack(target, s)
        name = target.id if isinstance(target, ast.Name) else None
        value = self.expression(s.value, name=name)
        if value is None:
            self.fail(s.value, "python-type", f"'{self.source(s.value)}' has no value", "call it on a line of its own")
        self.put(target, value, s)

    def unpack(self, target, s):
        value = self.expression(s.value)
        if not isinstance(value, tuple) or len(value) != len(target.elts):
            self.fail(s, "python-type", f"{len(target.elts)} names cannot take {kind_of(value)}",
                      "assign as many values as there are names, for example m, n = x.size()")
        self.held.append(list(value))
        for k, one in enumerate(target.elts):
            self.put(one, self.held[-1][k], s)
        self.held.pop()

    def annotated(self, s):
        if s.value is None:
            self.fail(s, "python-statement", "a declaration without a value", "assign a value")
        wanted = self.expression(s.annotation)
        value = self.expression(s.value)
        if isinstance(wanted, DType) and is_scalar(value):
            value = self.convert(value, wanted, s.value, is_asked=True)
        self.put(s.target, value, s)

    def put(self, target, value, s):
        if isinstance(target, ast.Name):
            return self.bind(target, value, s)
        if isinstance(target, ast.Subscript):
            self.held.append([value])
            ref = self.element(target)
            value = self.held.pop()[0]
            return self.store(ref, self.stored_value(ref, value, s), s)
        self.fail(target, "python-statement", f"'{self.source(target)}' cannot be assigned to",
                  "assign to a name or to an element of a tensor")

    def bind(self, target, value, s):
        names = self.frames[-1].names
        old = names.get(target.id)
        if isinstance(old, Cell):
            if not is_scalar(value):
                self.fail(s, "python-type", f"'{target.id}' holds a scalar, and is assigned {kind_of(value)}",
                          "use another name")
            ref = TensorRef(old.buffer, old.index)
            return self.store(ref, self.stored_value(ref, value, s), s, old.conditions)
        if not (is_scalar(value) or isinstance(value, (TensorRef, tuple, DType))):
            self.fail(s, "python-type", f"'{target.id}' is assigned {kind_of(value)}",
                      "assign a number, a scalar or a tensor")
        names[target.id] = value

    def augmented(self, s):
        op = _OPERATORS.get(type(s.op))
        if op is None:
            self.fail(s, "python-type", "this operator is not supported", "use + - * / // % & | ^ << >>")
        if isinstance(s.target, ast.Name):
            old = self.name(s.target)
            if isinstance(old, TensorRef):
                self.fail(s, "python-type", f"'{s.target.id}' is a tensor; '{_SIGNS[type(s.op)]}=' takes elements",
                          "write the loops: for i in range(x.size(0)): x[i] += ...")
            self.held.append([old])
            value = self.expression(s.value)
            old = self.held.pop()[0]
            cell = self.frames[-1].names.get(s.target.id)
            if isinstance(cell, Cell):
                value = self.operand(value, cell.buffer.type, s.value)
            return self.bind(s.target, self.binary(op, old, value, s, s.op), s)
        if not isinstance(s.target, ast.Subscript):
            self.fail(s.target, "python-statement", f"'{self.source(s.target)}' cannot be assigned to",
                      "assign to a name or to an element of a tensor")
        ref = self.element(s.target)
        self.held.append([self.load(ref, s.target), ref])
        value = self.operand(self.expression(s.value), ref.buffer.type, s.value)
        old, ref = self.held.pop()
        self.store(ref, self.stored_value(ref, self.binary(op, old, value, s, s.op), s), s)

    def operand(self, value, type, node):
        """What an augmented assignment adds: in the type of the target, as devices accumulate."""
        if not is_scalar(value):
            self.fail(node, "python-type", f"'{self.source(node)}' is {kind_of(value)}, not a scalar", "use an element")
        return self.convert(value, type, node)

    def stored_value(self, ref, value, s):
        if len(ref.index) != len(ref.buffer.shape):
            self.fail(s, "python-subscript",
                      f"'{ref.buffer.name}' has {len(ref.buffer.shape) - ref.own} dimensions, "
                      f"{len(ref.index) - ref.own} indices are given", "store to one element at a time, in loops")
        if not is_scalar(value):
            self.fail(s, "python-type", f"an element is assigned {kind_of(value)}", "assign a scalar")
        return self.convert(value, ref.buffer.type, s)

    # --- memory ---

    def load(self, ref, node):
        if len(ref.index) != len(ref.buffer.shape):
            self.fail(node, "python-subscript",
                      f"'{self.source(node)}' is a tensor with {len(ref.shape)} more dimensions, not a scalar",
                      "give all its indices")
        return self.nest.load(ref.buffer, ref.index, self.at(node), ref.data)

    def store(self, ref, value, node, conditions=0, keeps=True):
        """`conditions`: how many of those around need not be asked, since the value counts only where they hold.
        `keeps`: values that were read from the tensor before are needed as they were."""
        self.stored.add(ref.buffer.id)
        if keeps:
            self.keep(frozenset((ref.buffer.id,)), node)
        statement = {"buffer": ref.buffer.id, "index": [f.text() for f in ref.index], "value": value.id,
                     "loops": list(self.loops), "guards": [g.text() for g in self.guards],
                     "if": [c.id for c in self.conditions[conditions:]], "at": self.at(node),
                     "in": self.frames[-1].function.name}
        if ref.data is not None:
            statement["data"] = [ref.data[0], ref.data[1].id]
        self.nest.statements.append(statement)

    def keep(self, buffers, node):
        """Before `buffers` change: values that were read from them go into a place of their own."""
        kept = {}

        def old(value):
            if isinstance(value, TensorRef) and value.data is not None:
                return TensorRef(value.buffer, value.index, (value.data[0], old(value.data[1])), value.own)
            if isinstance(value, tuple):
                return tuple(map(old, value))
            if not isinstance(value, Value) or not value.reads & buffers:
                return value
            if value.id not in kept:
                kept[value.id] = self.spill("kept", value, node)
            made = kept[value.id]
            return Value(made.id, made.type, made.reads, value.is_truth)

        for frame in self.frames:
            for name, value in frame.names.items():
                frame.names[name] = old(value)
        self.conditions[:] = map(old, self.conditions)
        for values in self.held:
            values[:] = map(old, values)

    def spill(self, kind, value, node):
        """Stores a value in a place of its own, with an element for each iteration of the loops around."""
        extents = [self.nest.loops[l]["extent"] for l in self.loops] or [1]
        index = [Affine(0, {l: 1}) for l in self.loops] or [Affine(0)]
        buffer = self.nest.buffer(kind, kind, value.type, extents, self.at(node))
        self.nest.statements.append(
            {"buffer": buffer.id, "index": [f.text() for f in index], "value": value.id, "loops": list(self.loops),
             "guards": [g.text() for g in self.guards], "if": [], "at": self.at(node),
             "in": self.frames[-1].function.name})
        return self.nest.load(buffer, index, self.at(node))

    # --- loops ---

    def loop(self, s):
        if s.orelse:
            self.fail(s.orelse[0], "python-statement", "'for' has an 'else'", "write it after the loop")
        if not isinstance(s.target, ast.Name):
            self.fail(s.target, "python-loop", "a loop has one variable", "write for i in range(...)")
        start, ends, step = self.range_of(s.iter)
        trip = self.trip(start, ends, step)
        assigned = assigned_names(s.body) | {s.target.id}
        if trip is None:  # it never runs
            for name in assigned - set(self.names):
                self.names[name] = Lost(f"'{name}' is assigned in a loop that never runs", "assign it before the loop")
            return
        extent, guards = trip
        carried = [n for n in sorted(assigned - {s.target.id}) if self.is_carried(n, s.body)]
        for name in carried:
            if not is_scalar(self.names[name]):
                self.fail(s, "python-loop", f"'{name}' is {kind_of(self.names[name])} before the loop and assigned in it",
                          "use one name for each tensor")
        types_of = self.try_body(s, extent, guards, start, step, carried)
        for name in [n for n in carried if n not in types_of]:  # an inner loop leaves it without a value
            carried.remove(name)
            self.names[name] = self.lost_in(name, s)
        self.run_body(s, extent, guards, start, step, carried, types_of)
        for name in assigned:
            if name not in carried and not isinstance(self.names.get(name), Cell):
                self.names[name] = self.lost_in(name, s)

    @staticmethod
    def lost_in(name, s):
        return Lost(f"'{name}' is assigned in the loop over '{s.target.id}', and read after it",
                    "assign it before the loop as well, or use it inside")

    def range_of(self, node):
        is_range = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and \
            self.look_up(node.func) is range
        if not is_range:
            self.fail(node, "python-loop", f"'{self.source(node)}' is not a range",
                      "write for i in range(end), range(start, end) or range(start, end, step)")
        if node.keywords or not 1 <= len(node.args) <= 3:
            self.fail(node, "python-loop", "range takes one to three arguments", "write range(start, end, step)")
        values = [self.expression(a) for a in node.args]
        for value, a in zip(values, node.args):
            if not isinstance(value, (Affine, Bound)):
                why = "depends on data" if isinstance(value, Value) and value.reads else f"is {kind_of(value)}"
                self.fail(a, "python-loop", f"'{self.source(a)}' {why}, so the loop has no known bounds",
                          "use sizes, numbers and sums of the loops around; put conditions on data into an if")
        start, end, step = (Affine(0), values[0], Affine(1)) if len(values) == 1 else \
            (values[0], values[1], values[2] if len(values) == 3 else Affine(1))
        if not isinstance(step, Affine) or not step.is_number or step.constant == 0:
            self.fail(node.args[2], "python-loop", "the step of a range is not a number other than 0",
                      "use a number, or a size")
        step = step.constant
        wanted = "min" if step > 0 else "max"
        if isinstance(start, Bound) or (isinstance(end, Bound) and end.op != wanted):
            self.fail(node, "python-loop", "this range does not start at a sum of loops, or ends at a "
                      f"'{'max' if step > 0 else 'min'}'", f"start at a sum; end at a sum or a {wanted}() of sums")
        return start, end.forms if isinstance(end, Bound) else [end], step

    def trip(self, start, ends, step):
        """(most iterations, [what must be >= 0 of a loop counting from 0: a function of it]), or None: it never runs."""
        most, open_ends = None, []
        for end in ends:
            span = end.plus(start, -1) if step > 0 else start.plus(end, -1)
            low, high = self.nest.range(span)
            count = -(-high // abs(step))
            if count <= 0:
                return None
            most = count if most is None else min(most, count)
            if low != high or len(ends) > 1:
                open_ends.append(span.plus(Affine(-1)))  # span - 1 - |step| * loop >= 0
        return most, open_ends

    def enter(self, s, extent, guards, start, step):
        loop = self.nest.loop(s.target.id, extent, self.at(s.target))
        if len(self.loops) >= 31:
            self.fail(s, "python-loop", "loops are nested too deeply", "use at most 31 nested loops")
        self.loops.append(loop)
        for span in guards:
            self.guards.append(span.plus(Affine(0, {loop: abs(step)}), -1))
        self.frames[-1].names[s.target.id] = start.plus(Affine(0, {loop: step}))
        return loop

    def leave(self, guards):
        self.loops.pop()
        if guards:
            del self.guards[-len(guards):]

    def is_carried(self, name, body):
        value = self.names.get(name)
        if value is None or isinstance(value, (Lost, Cell)):
            return False
        return first_use(body, name) != "store"

    def try_body(self, s, extent, guards, start, step, carried):
        """Looks at the body once for what it stores and what types carried scalars have. Values from before the loop
        that are read from what it stores get a place of their own."""
        live = [v for f in self.frames for v in f.names.values() if isinstance(v, Value) and v.reads]
        if not carried and not live and not any(c.reads for c in self.conditions):
            return {}
        state = self.save()
        stored, self.stored = self.stored, set()
        self.enter(s, extent, guards, start, step)
        before = {name: self.names[name] for name in carried}
        self.block(s.body)
        after = {name: self.names.get(name) for name in carried}
        self.leave(guards)
        seen, self.stored = self.stored, stored
        self.restore(state)
        self.keep(frozenset(seen), s)
        found = {}
        for name in carried:
            if is_scalar(after[name]):
                found[name] = self.common_type(before[name], after[name], s)
        return found

    def common_type(self, a, b, node):
        a, b = self.typed_or_weak(a), self.typed_or_weak(b)
        if isinstance(a, Value) and isinstance(b, Value):
            both = types.promoted(a.type, b.type)
            if both is None:
                self.fail(node, "python-type", f"a variable is {a.type.name} before the loop and {b.type.name} in it",
                          f"convert it: pimento.{b.type.name}(...)")
            return both
        typed, weak = (a, b) if isinstance(a, Value) else (b, a)
        if isinstance(typed, Value):
            if isinstance(weak, float) and not typed.type.is_float:
                self.fail(node, "python-type", f"a variable is the float {weak} before the loop, and "
                          f"{typed.type.name} in it", "start from an integer")
            return typed.type
        return DTYPES["f32"] if isinstance(a, float) or isinstance(b, float) else DTYPES["i32"]

    def run_body(self, s, extent, guards, start, step, carried, types_of):
        timed = []
        outer = [Affine(0, {l: 1}) for l in self.loops]
        extents = [self.nest.loops[l]["extent"] for l in self.loops]
        for name in carried:
            type = types_of[name]
            first = self.convert(self.names[name], type, s)
            if accumulates(s.body, name):
                buffer = self.nest.buffer(name, "carried", type, extents or [1], self.at(s))
                index = outer or [Affine(0)]
                self.initial(buffer, index, first, s)
                self.names[name] = Cell(buffer, index, len(self.conditions))
            else:
                if guards:
                    self.fail(s, "python-loop", f"'{name}' goes from one iteration to the next in a loop whose number "
                              "of iterations depends on another loop", "store it in a tensor, one element for each "
                              "iteration")
                buffer = self.nest.buffer(name, "carried", type, extents + [extent + 1], self.at(s))
                self.initial(buffer, outer + [Affine(0)], first, s)
                timed.append((name, buffer))
        loop = self.enter(s, extent, guards, start, step)
        at = Affine(0, {loop: 1})
        for name, buffer in timed:
            self.names[name] = self.nest.load(buffer, outer + [at], self.at(s))
        depth = len(self.conditions)
        self.block(s.body)
        # What an iteration reads of these is the element before the one that it stores.
        for name, buffer in timed:
            ref = TensorRef(buffer, outer + [at.plus(Affine(1))])
            self.store(ref, self.convert(self.names[name], buffer.type, s), s, depth, keeps=False)
        self.leave(guards)
        for name in carried:
            cell = self.names[name]
            if isinstance(cell, Cell):
                self.names[name] = self.nest.load(cell.buffer, cell.index, self.at(s))
        for name, buffer in timed:
            self.names[name] = self.nest.load(buffer, outer + [Affine(extent)], self.at(s))

    def initial(self, buffer, index, value, s):
        self.store(TensorRef(buffer, index), value, s, len(self.conditions), keeps=False)

    def save(self):
        return ([dict(f.names) for f in self.frames], list(self.conditions), len(self.nest.statements),
                len(self.nest.buffers), [list(h) for h in self.held])

    def restore(self, state):
        names, conditions, statements, buffers, held = state
        for frame, saved in zip(self.frames, names):
            frame.names = dict(saved)
        self.conditions[:] = conditions
        del self.nest.statements[statements:]
        self.nest.forget(buffers)
        for values, saved in zip(self.held, held):
            values[:] = saved

    # --- conditions ---

    def branch(self, s):
        truth = self.condition(s.test)
        if isinstance(truth, bool):
            return self.block(s.body if truth else s.orelse)
        frame = self.frames[-1]
        before = dict(frame.names)
        self.conditions.append(truth)
        self.block(s.body)
        truth = self.conditions.pop()
        first, frame.names = frame.names, before
        otherwise = self.nest.truth(truth, False)
        self.conditions.append(otherwise)
        self.block(s.orelse)
        kept = self.conditions.pop()
        if kept is not otherwise:  # the else branch stored what the condition is made of
            truth = self.nest.truth(kept, False)
        frame.names = self.merged(truth, first, frame.names, s)

    def merged(self, truth, first, second, s):
        """Names after a condition: `first` where it held, else `second`."""
        names = {}
        for name in {**first, **second}:
            a, b = first.get(name), second.get(name)
            if a is b or (isinstance(a, Cell) and isinstance(b, Cell)):
                names[name] = a
            elif a is None or b is None or isinstance(a, Lost) or isinstance(b, Lost):
                names[name] = Lost(f"'{name}' is assigned in one branch of the condition in line "
                                   f"{s.lineno + self.frames[-1].function.line} only",
                                   "assign it before the if, or in both branches")
            elif is_scalar(a) and is_scalar(b):
                names[name] = self.select(truth, a, b, s)
            elif same_place(a, b):
                names[name] = a
            else:
                names[name] = Lost(f"'{name}' is one tensor or another after the condition in line "
                                   f"{s.lineno + self.frames[-1].function.line}",
                                   "store in both branches to one tensor")
        return names

    def select(self, truth, a, b, node):
        if isinstance(a, Value) and isinstance(b, Value) and a.id == b.id:
            return a
        if isinstance(a, Affine) and isinstance(b, Affine) and a.text() == b.text():
            return a
        a, b = self.unified(a, b, node)
        if not isinstance(a, Value):
            type = DTYPES["f32"] if isinstance(a, float) else DTYPES["i32"]
            a, b = self.convert(a, type, node), self.convert(b, type, node)
        return self.nest.op("select", a.type, truth, a, b)

    def condition(self, node):
        """A bool that is known, or a condition."""
        value = self.expression(node)
        if isinstance(value, bool):
            return value
        if isinstance(value, Affine) and value.is_number:
            return value.constant != 0
        if isinstance(value, float):
            return value != 0
        if not is_scalar(value):
            self.fail(node, "python-type", f"'{self.source(node)}' is {kind_of(value)}, not a condition",
                      "compare numbers or elements")
        value = self.typed(value, node)
        return value if value.is_truth else self.nest.truth(value)

    # --- expressions ---

    def expression(self, node, name=None):
        """A number, scalar, tensor, type, tuple or function."""
        if isinstance(node, ast.Constant):
            return self.lift(node.value, node)
        if isinstance(node, ast.Name):
            return self.name(node)
        if isinstance(node, ast.BinOp):
            return self.binary_expression(node)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.BoolOp):
            return self.logic(node)
        if isinstance(node, ast.IfExp):
            return self.choice(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Call):
            return self.call(node, name)
        if isinstance(node, (ast.Tuple, ast.List)):
            self.held.append([])
            for e in node.elts:
                self.held[-1].append(self.expression(e))
            return tuple(self.held.pop())
        why, hint = _EXPRESSIONS.get(type(node), (f"'{self.source(node)}' is not supported in a kernel",
                                                  "use numbers, elements of tensors, + - * /, min, max and calls"))
        self.fail(node, "python-expression", why, hint)

    def lift(self, value, node, name=None):
        """A Python object as a value."""
        what = f"'{name}'" if name else f"'{self.source(node)}'"
        if isinstance(value, bool) or value is None or isinstance(value, float):
            return value
        if isinstance(value, int):
            if not -(1 << 63) <= value < 1 << 64:
                self.fail(node, "python-type", f"{what} does not fit 64 bits", "use a smaller number")
            return Affine(value)
        if isinstance(value, str):
            self.fail(node, "python-type", f"{what} is a text", "kernels compute with numbers; types are pimento.f16")
        if isinstance(value, (tuple, list)) and all(isinstance(v, (int, float)) for v in value):
            return tuple(self.lift(v, node) for v in value)
        if isinstance(value, (DType, python.ModuleType, python.FunctionType, python.BuiltinFunctionType, type)):
            return value
        if hasattr(value, "pimento_function"):
            return value.pimento_function
        if is_array(value):
            if getattr(value, "shape", None) == () and hasattr(value, "item"):
                return self.lift(value.item(), node, name)
            self.fail(node, "python-closure", f"{what} is an array from outside the kernel",
                      "pass it as a parameter: kernels read no arrays of the surrounding scope")
        self.fail(node, "python-type", f"{what} is {article(type(value).__name__)}, which kernels cannot use",
                  "use numbers, tensors that are parameters, and functions")

    def look_up(self, node):
        """The object of a name: of the function, its closure, its module or Python."""
        frame = self.frames[-1]
        if node.id in frame.names:
            return frame.names[node.id]
        function = frame.function.python
        if node.id in function.__code__.co_freevars:
            cell = function.__closure__[function.__code__.co_freevars.index(node.id)]
            try:
                return cell.cell_contents
            except ValueError:
                pass
        if node.id in function.__globals__:
            return function.__globals__[node.id]
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        if node.id in function.__code__.co_varnames:
            self.fail(node, "python-name", f"'{node.id}' is read before it is assigned", "assign it first")
        import difflib

        near = difflib.get_close_matches(node.id, [*frame.names, *function.__code__.co_varnames], 1)
        self.fail(node, "python-name", f"unknown name '{node.id}'",
                  f"did you mean '{near[0]}'?" if near else "define it, or pass it as a parameter")

    def name(self, node):
        value = self.look_up(node)
        if isinstance(value, Lost):
            self.fail(node, "python-name", value.why, value.hint)
        if isinstance(value, Cell):
            return self.nest.load(value.buffer, value.index, self.at(node))
        if isinstance(value, (Affine, Value, TensorRef, Bound, tuple, float, bool, DType)) and \
                node.id in self.frames[-1].names:
            return value
        return self.lift(value, node, node.id)

    def typed_or_weak(self, value):
        return self.nest.load(value.buffer, value.index, self.nest.at) if isinstance(value, Cell) else value

    def typed(self, value, node):
        """A scalar with a type: i64 of sums of loops, f32 of floats."""
        if isinstance(value, Value):
            return value
        if isinstance(value, bool):
            made = self.nest.constant(U8, int(value))
            return Value(made.id, made.type, made.reads, True)
        if isinstance(value, float):
            return self.nest.constant(DTYPES["f32"], value)
        if isinstance(value, Affine):
            return self.nest.index(I64, value)
        if isinstance(value, Bound):
            made = self.typed(value.forms[0], node)
            for form in value.forms[1:]:
                made = self.nest.op(value.op, I64, made, self.typed(form, node))
            return made
        self.fail(node, "python-type", f"'{self.source(node)}' is {kind_of(value)}, not a scalar",
                  "use an element: x[i]")

    def convert(self, value, type, node, is_asked=False):
        """A scalar in a type. Python's numbers take any type that holds them; a float becomes an integer only where that
        is asked for."""
        if isinstance(value, bool):
            return self.nest.constant(type, int(value))
        if isinstance(value, (Affine, Bound)):
            return self.convert_form(value, type, node)
        if isinstance(value, float):
            if type.is_float:
                return self.nest.constant(type, value)
            if is_asked and abs(value) < 2.0**63:
                return self.nest.constant(type, int(value))
            self.fail(node, "python-type", f"{value} is a float, and {type.name} holds integers",
                      f"write an integer, or convert: pimento.{type.name}(...)")
        value = self.typed(value, node)
        if value.type is type:
            return value
        if value.type.is_float and not type.is_float and not is_asked:
            self.fail(node, "python-type", f"'{self.source_of(node)}' is {value.type.name}, and {type.name} holds "
                      "integers", f"convert it: pimento.{type.name}(...) truncates")
        return self.nest.op("cast", type, value)

    def source_of(self, node):
        return self.source(getattr(node, "value", node) if isinstance(node, ast.stmt) else node)

    def convert_form(self, form, type, node):
        if isinstance(form, Bound):
            return self.nest.op("cast", type, self.typed(form, node)) if type is not I64 else self.typed(form, node)
        if type.is_float:
            if form.is_number:
                return self.nest.constant(type, form.constant)
            return self.nest.op("cast", type, self.nest.index(I64, form))
        low, high = self.nest.range(form)
        if low < type.low or high > type.high:
            said = f"{form.constant}" if form.is_number else f"'{self.source_of(node)}' runs over {low}..{high}, which"
            self.fail(node, "python-type", f"{said} does not fit {type.name}",
                      f"{type.name} holds {type.low}..{type.high}; use a wider type")
        return self.nest.index(type, form)

    def unified(self, a, b, node, sign=""):
        """Two scalars in one type, or as they are where neither has one."""
        a_typed, b_typed = isinstance(a, Value), isinstance(b, Value)
        if not a_typed and not b_typed:
            if isinstance(a, float) or isinstance(b, float):
                fixed = [isinstance(x, float) or (isinstance(x, Affine) and x.is_number) or isinstance(x, bool)
                         for x in (a, b)]
                if all(fixed):
                    return number(a), number(b)
                return self.convert(a, DTYPES["f32"], node), self.convert(b, DTYPES["f32"], node)
            return a, b
        if a_typed and b_typed:
            type = types.promoted(a.type, b.type)
            if type is None:
                self.fail(node, "python-type", f"no type holds {a.type.name} and {b.type.name}",
                          f"convert one of them: pimento.{a.type.name}(...)")
            return self.convert(a, type, node), self.convert(b, type, node)
        typed = a if a_typed else b
        type = typed.type
        if typed.is_truth:
            type = DTYPES["i32"]
        return (self.convert(a, type, node, False), self.convert(b, type, node, False))

    def binary_expression(self, node):
        op = _OPERATORS.get(type(node.op))
        if op is None:
            self.fail(node, "python-expression", f"'{self.source(node)}': this operator is not supported",
                      "write products as loops that accumulate" if isinstance(node.op, ast.MatMult) else
                      "use + - * / // % & | ^ << >>")
        self.held.append([self.expression(node.left)])
        right = self.expression(node.right)
        left = self.held.pop()[0]
        return self.binary(op, left, right, node, node.op)

    def binary(self, op, a, b, node, sign):
        for value, side in ((a, "left"), (b, "right")):
            if not is_scalar(value):
                what = f"the {side} side of '{_SIGNS[type(sign)]}' is {kind_of(value)}"
                hint = "write the loops: for i in range(x.size(0)): y[i] = x[i] + ..." \
                    if isinstance(value, TensorRef) else "use numbers and elements"
                self.fail(node, "python-type", what, hint)
        folded = self.fold(op, a, b, node)
        if folded is not None:
            return folded
        if op == "pow":
            self.fail(node, "python-expression", "'**' is computed for numbers only", "write x * x")
        a, b = self.unified(a, b, node)
        if not isinstance(a, Value):  # sums of loops whose result is none
            a, b = self.typed(a, node), self.typed(b, node)
        if isinstance(a, Value) and a.is_truth and a.type is U8 and op not in ("and", "or", "xor"):
            a, b = self.convert(a, DTYPES["i32"], node), self.convert(b, DTYPES["i32"], node)
        return self.arithmetic(op, a, b, node)

    def fold(self, op, a, b, node):
        """Numbers, and sums of loops where the result is one."""
        a_number = number(a) if is_number(a) else None
        b_number = number(b) if is_number(b) else None
        if a_number is not None and b_number is not None:
            if op in ("pow", "shl") and abs(b_number) > 64:
                self.fail(node, "python-type", f"'{self.source_of(node)}' does not fit 64 bits", "use a smaller number")
            try:
                return self.lift(_FOLD[op](a_number, b_number), node)
            except (ArithmeticError, TypeError, ValueError) as e:
                self.fail(node, "python-type", f"'{self.source_of(node)}' has no value: {e}", "change the numbers")
        if not isinstance(a, Affine) or not isinstance(b, Affine):
            return None
        if op in ("add", "sub"):
            return a.plus(b, 1 if op == "add" else -1)
        if op == "mul" and (a.is_number or b.is_number):
            return a.times(b.constant) if b.is_number else b.times(a.constant)
        return None

    def arithmetic(self, op, a, b, node):
        type = a.type
        if op in ("and", "or", "xor", "shl", "shr", "floordiv", "mod") and type.is_float:
            self.fail(node, "python-type", f"'{self.source_of(node)}': this operator takes integers, not {type.name}",
                      "use / for a quotient of floats")
        if op == "div" and not type.is_float:
            self.fail(node, "python-type", f"'/' of integers ({type.name}) gives a float",
                      "use // for the integer quotient, or convert: pimento.f32(x) / y")
        if op in ("floordiv", "mod"):
            return self.floor(op, a, b)
        made = self.nest.op(op, type, a, b)
        return Value(made.id, made.type, made.reads, a.is_truth and b.is_truth and op in ("and", "or", "xor"))

    def floor(self, op, a, b):
        """Python rounds quotients down; the division of kernels rounds them towards 0."""
        nest, type = self.nest, a.type
        rest = nest.op("rem", type, a, b)
        if not type.is_signed:
            return rest if op == "mod" else nest.op("div", type, a, b)
        zero = nest.constant(type, 0)
        is_off = nest.op("and", U8, nest.compare("cmp_ne", rest, zero),
                         nest.compare("cmp_ne", nest.compare("cmp_lt", rest, zero), nest.compare("cmp_lt", b, zero)))
        if op == "mod":
            return nest.op("select", type, is_off, nest.op("add", type, rest, b), rest)
        quotient = nest.op("div", type, a, b)
        return nest.op("select", type, is_off, nest.op("sub", type, quotient, nest.constant(type, 1)), quotient)

    def unary(self, node):
        value = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            truth = self.condition(node.operand)
            return not truth if isinstance(truth, bool) else self.nest.truth(truth, False)
        if not is_scalar(value):
            self.fail(node, "python-type", f"'{self.source(node.operand)}' is {kind_of(value)}", "use an element")
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(node.op, ast.USub):
            if is_number(value):
                return self.lift(-number(value), node)
            if isinstance(value, Affine):
                return value.times(-1)
            value = self.typed(value, node)
            return self.nest.op("neg", value.type, value)
        if is_number(value) and not isinstance(value, float):
            return self.lift(~int(number(value)), node)
        value = self.typed(value, node)
        if value.type.is_float:
            self.fail(node, "python-type", f"'~' takes integers, not {value.type.name}", "use - for the negative")
        if value.is_truth:
            return self.nest.truth(value, False)
        ones = self.nest.constant(value.type, -1 if value.type.is_signed else value.type.high)
        return self.nest.op("xor", value.type, value, ones)

    def comparison(self, node):
        values = []
        self.held.append(values)
        for one in (node.left, *node.comparators):
            values.append(self.expression(one))
        self.held.pop()
        truth = True
        for op, a, b in zip(node.ops, values, values[1:]):
            name = _COMPARISONS.get(type(op))
            if name is None:
                self.fail(node, "python-expression", f"'{self.source(node)}': 'in' and 'is' are not supported",
                          "compare numbers with == != < <= > >=")
            truth = self.both("and", truth, self.compare(name, a, b, node), node)
        return truth

    def compare(self, name, a, b, node):
        if isinstance(a, DType) and isinstance(b, DType) and name in ("cmp_eq", "cmp_ne"):
            return _COMPARE[name](a, b)
        if isinstance(a, tuple) and isinstance(b, tuple) and all(map(is_number, a + b)) and \
                name in ("cmp_eq", "cmp_ne"):
            return _COMPARE[name](tuple(map(number, a)), tuple(map(number, b)))
        for value in (a, b):
            if not is_scalar(value):
                self.fail(node, "python-type", f"'{self.source(node)}' compares {kind_of(value)}",
                          "compare numbers and elements")
        if is_number(a) and is_number(b):
            return _COMPARE[name](number(a), number(b))
        a, b = self.unified(a, b, node)
        return self.nest.compare(name, self.typed(a, node), self.typed(b, node))

    def both(self, op, a, b, node):
        """Two conditions, either of which may be known."""
        if isinstance(a, bool):
            return b if a == (op == "and") else a
        if isinstance(b, bool):
            return a if b == (op == "and") else b
        made = self.nest.op(op, U8, a, b)
        return Value(made.id, made.type, made.reads, True)

    def logic(self, node):
        op = "and" if isinstance(node.op, ast.And) else "or"
        truth = op == "and"
        for one in node.values:
            if isinstance(truth, bool) and truth != (op == "and"):
                return truth
            self.held.append([truth])
            value = self.without_stores(self.condition, one)
            truth = self.both(op, self.held.pop()[0], value, node)
        return truth

    def without_stores(self, evaluate, node):
        """Of an operand that Python evaluates only under a condition."""
        before = len(self.nest.statements)
        value = evaluate(node)
        if len(self.nest.statements) > before:
            self.fail(node, "python-call", f"'{self.source(node)}' has loops or stores, and is evaluated under a condition",
                      "call it in an if statement")
        return value

    def choice(self, node):
        truth = self.condition(node.test)
        if isinstance(truth, bool):
            return self.expression(node.body if truth else node.orelse)
        self.held.append([truth])
        self.held[-1].append(self.without_stores(self.expression, node.body))
        b = self.without_stores(self.expression, node.orelse)
        truth, a = self.held.pop()
        for value in (a, b):
            if not is_scalar(value):
                self.fail(node, "python-type", f"'{self.source(node)}' chooses {kind_of(value)}", "choose elements")
        return self.select(truth, a, b, node)

    # --- elements ---

    def subscript(self, node):
        base = self.expression(node.value)
        if isinstance(base, tuple):
            return self.entry(base, node)
        ref = self.part(base, node)
        return self.load(ref, node) if len(ref.index) == len(ref.buffer.shape) else ref

    def element(self, node):
        """Where a subscript stores to."""
        return self.part(self.expression(node.value), node)

    def entry(self, base, node):
        at = self.expression(node.slice)
        if not is_number(at) or isinstance(at, float) or not -len(base) <= number(at) < len(base):
            self.fail(node, "python-subscript", f"'{self.source(node.slice)}' is not a number of {len(base)} entries",
                      f"use 0 to {len(base) - 1}")
        return base[int(number(at))]

    def part(self, base, node):
        if not isinstance(base, TensorRef):
            what = "a scalar" if is_scalar(base) else kind_of(base)
            self.fail(node, "python-subscript", f"'{self.source(node.value)}' is {what}, which has no elements",
                      "index a tensor")
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(indices) > len(base.shape):
            self.fail(node, "python-subscript",
                      f"'{base.buffer.name}' has {len(base.buffer.shape) - base.own} dimensions, "
                      f"{len(base.index) - base.own + len(indices)} indices are given", "remove the last indices")
        index, data = list(base.index), base.data
        for one in indices:
            form, value = self.index(one, base.buffer, len(index), data)
            if value is not None:
                data = (len(index), value)
            index.append(form)
        return TensorRef(base.buffer, index, data, base.own)

    def index(self, node, buffer, dim, data):
        if isinstance(node, ast.Slice):
            self.fail(node if hasattr(node, "lineno") else node, "python-subscript",
                      "a slice is not an index", "write a loop: for i in range(start, end)")
        value = self.expression(node)
        extent = buffer.shape[dim]
        if isinstance(value, Affine):
            if value.is_number and value.constant < 0:
                value = value.plus(Affine(extent))
            low, high = self.nest.range(value)
            if not self.conditions and not self.guards and (low < 0 or high >= extent):
                said = f"is {value.constant}" if value.is_number else f"runs over {low}..{high}"
                self.fail(node, "python-subscript", f"index {dim} of '{buffer.name}', '{self.source(node)}', {said}, "
                          f"but its extent is {extent}", f"legal: 0..{extent - 1}; change the range, or add an if")
            return value, None
        if isinstance(value, Value) and value.reads and not value.type.is_float and not value.is_truth:
            if data is not None:
                self.fail(node, "python-subscript", "two indices of one element come from data",
                          "use one index from data at a time")
            return Affine(0), value
        if isinstance(value, float) or (isinstance(value, Value) and value.type.is_float):
            self.fail(node, "python-subscript", f"'{self.source(node)}' is a float, not an index",
                      "use an integer; // divides integers")
        what = "is not a sum of loops and numbers" if is_scalar(value) else f"is {kind_of(value)}"
        self.fail(node, "python-subscript", f"the index '{self.source(node)}' {what}, so it is not affine",
                  "legal: loop variables times numbers, sizes and sums of these, or an element of an integer tensor")

    def attribute(self, node):
        base = self.expression(node.value)
        if isinstance(base, TensorRef):
            if node.attr == "shape":
                return tuple(map(Affine, base.shape))
            if node.attr == "ndim":
                return Affine(len(base.shape))
            if node.attr == "dtype":
                return base.buffer.type
            if node.attr in ("size", "dim"):
                return (base, node.attr)
            self.fail(node, "python-name", f"a tensor has no '{node.attr}' in a kernel",
                      "use x.size(d), x.size(), x.shape, x.ndim, x.dtype and elements x[i]")
        if isinstance(base, Value) and node.attr == "to":
            return (base, "to")
        if isinstance(base, Value) and node.attr == "dtype":
            return base.type
        if isinstance(base, (python.ModuleType, type)):
            if not hasattr(base, node.attr):
                from .errors import suggestion

                self.fail(node, "python-name", f"'{base.__name__}' has no '{node.attr}'",
                          suggestion(node.attr, [n for n in dir(base) if not n.startswith("_")][:60]))
            return self.lift(getattr(base, node.attr), node)
        self.fail(node, "python-name", f"'{self.source(node.value)}' is {kind_of(base)}, which has no '{node.attr}'",
                  "use x.size(d), x.shape and x.dtype of tensors")

    # --- calls ---

    def call(self, node, name=None):
        function = self.expression(node.func)
        if isinstance(function, tuple) and len(function) == 2 and isinstance(function[1], str):
            return self.method(function[0], function[1], node)
        if isinstance(function, DType):
            (x,) = self.arguments(node, 1)
            return self.convert(x, function, node.args[0], is_asked=True)
        if function is types.Tensor or function is types.Tensor.zero:
            return self.new_tensor(node, function is not types.Tensor, name)
        operation = None
        try:
            operation = types.OPERATIONS.get(function)
        except TypeError:
            pass
        if operation is not None:
            return self.math(operation, node)
        if function in (min, max):
            return self.least(node, function.__name__)
        if function is abs:
            return self.absolute(node)
        if function is len:
            (x,) = self.arguments(node, 1)
            if isinstance(x, TensorRef) and x.shape:
                return Affine(x.shape[0])
            if isinstance(x, tuple):
                return Affine(len(x))
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' has no length", "use a tensor")
        if isinstance(function, python.FunctionType):
            return self.inline(function, node)
        self.fail(node, "python-call", f"'{self.source(node.func)}' cannot be called in a kernel",
                  self.instead_of(function, node))

    def instead_of(self, function, node):
        of_types = {int: "i32", float: "f32", bool: "u8"}
        if isinstance(function, type) and function in of_types:
            return f"use a type of Pimento: pimento.{of_types[function]}(x)"
        if function is sum:
            return "write a loop that accumulates"
        if function is range:
            return "range belongs into 'for i in range(...)'"
        if function is print:
            return "kernels print nothing: return the value"
        return "use min, max, abs, len, pimento.exp, log, sqrt, tanh, relu, types and functions with loops"

    def arguments(self, node, count):
        if node.keywords or len(node.args) != count:
            self.fail(node, "python-call", f"'{self.source(node.func)}' takes {count} argument"
                      f"{'s' if count > 1 else ''}", "pass them in order")
        return [self.expression(a) for a in node.args]

    def method(self, base, name, node):
        if name == "to":
            (type,) = self.arguments(node, 1)
            if not isinstance(type, DType):
                self.fail(node, "python-type", "x.to(...) takes an element type", "write x.to(pimento.f32)")
            return self.convert(base, type, node, is_asked=True)
        if name == "dim" or not node.args:
            self.arguments(node, 0)
            return Affine(len(base.shape)) if name == "dim" else tuple(map(Affine, base.shape))
        (dim,) = self.arguments(node, 1)
        if not is_number(dim) or isinstance(dim, float) or not -len(base.shape) <= number(dim) < len(base.shape):
            self.fail(node, "python-subscript", f"'{self.source(node.args[0])}' is not one of the {len(base.shape)} "
                      f"dimensions of '{base.buffer.name}'", f"use 0 to {len(base.shape) - 1}")
        return Affine(base.shape[int(number(dim))])

    def new_tensor(self, node, is_zero, name):
        what = self.source(node.func)
        given = {"shape": None, "dtype": None}
        for key, one in [*zip(given, node.args), *((k.arg, k.value) for k in node.keywords)]:
            if key not in given:
                self.fail(node, "python-call", f"'{what}' has no argument '{key}'", "write (shape, dtype)")
            given[key] = self.expression(one)
        shape = given["shape"]
        shape = (shape,) if isinstance(shape, Affine) else shape
        if not isinstance(shape, tuple) or not shape or not all(is_number(e) and not isinstance(e, float)
                                                                for e in shape):
            self.fail(node, "python-type", f"'{what}' takes a list of integers, the shape",
                      "write pimento.Tensor.zero([x.size(0), 64])")
        extents = [int(number(e)) for e in shape]
        if min(extents) < 1:
            self.fail(node, "python-type", f"a tensor of shape {extents} has no elements", "use extents of 1 or more")
        type = given["dtype"] if isinstance(given["dtype"], DType) else None
        if given["dtype"] is not None and type is None:
            self.fail(node, "python-type", f"the dtype of '{what}' is {kind_of(given['dtype'])}",
                      f"use one of {', '.join('pimento.' + t for t in DTYPES)}")
        around = [self.nest.loops[l]["extent"] for l in self.loops]
        buffer = self.nest.buffer(name or "tensor", "local", type or self.dtype, around + extents, self.at(node))
        ref = TensorRef(buffer, [Affine(0, {l: 1}) for l in self.loops], None, len(around))
        if is_zero:
            self.fill(ref, extents, node)
        return ref

    def fill(self, ref, extents, node):
        loops = list(self.loops)
        index = list(ref.index)
        for d, extent in enumerate(extents):
            loop = self.nest.loop(f"d{d}", extent, self.at(node))
            self.loops.append(loop)
            index.append(Affine(0, {loop: 1}))
        self.store(TensorRef(ref.buffer, index), self.nest.constant(ref.buffer.type, 0), node)
        self.loops[:] = loops

    def math(self, operation, node):
        (x,) = self.arguments(node, 1)
        if not is_scalar(x):
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' is {kind_of(x)}", "use an element: x[i]")
        if is_number(x):
            value = float(number(x))
            try:
                return max(value, 0.0) if operation == "relu" else getattr(math, operation)(value)
            except (ValueError, OverflowError) as e:
                self.fail(node, "python-type", f"'{self.source(node)}' has no value: {e}", "change the number")
        x = self.typed(x, node)
        if not x.type.is_float:
            if operation == "relu":
                return self.nest.op("max", x.type, x, self.nest.constant(x.type, 0))
            self.fail(node, "python-type", f"{operation} takes floats, not {x.type.name}",
                      f"convert it: pimento.{operation}(pimento.f32(x))")
        return self.nest.op(operation, x.type, x)

    def least(self, node, op):
        if node.keywords or len(node.args) < 2:
            self.fail(node, "python-call", f"'{op}' takes two or more scalars", f"write {op}(a, b)")
        values = []
        self.held.append(values)
        for a in node.args:
            values.append(self.expression(a))
        self.held.pop()
        for value, a in zip(values, node.args):
            if not is_scalar(value):
                self.fail(a, "python-type", f"'{self.source(a)}' is {kind_of(value)}, not a scalar", "use an element")
        if all(map(is_number, values)):
            return self.lift((min if op == "min" else max)(map(number, values)), node)
        if all(isinstance(v, Affine) for v in values):
            return Bound(op, values)
        made = values[0]
        for other in values[1:]:
            a, b = self.unified(made, other, node)
            a, b = self.typed(a, node), self.typed(b, node)
            made = self.nest.op(op, a.type, a, b)
        return made

    def absolute(self, node):
        (x,) = self.arguments(node, 1)
        if not is_scalar(x):
            self.fail(node, "python-type", f"'{self.source(node.args[0])}' is {kind_of(x)}", "use an element: x[i]")
        if is_number(x):
            return self.lift(abs(number(x)), node)
        x = self.typed(x, node)
        return x if not x.type.is_signed else self.nest.op("abs", x.type, x)

    def inline(self, function, node):
        if function in (f.function.python for f in self.frames):
            self.fail(node, "python-recursion", f"'{function.__name__}' calls itself",
                      "kernels are inlined: write a loop")
        if len(self.frames) >= _MOST_DEPTH:
            self.fail(node, "python-recursion", "calls are nested too deeply", "kernels are inlined: write a loop")
        if getattr(function, "__module__", "").split(".")[0] == "pimento" or function.__code__.co_filename == "<string>":
            self.fail(node, "python-call", f"'{self.source(node.func)}' cannot be called in a kernel",
                      self.instead_of(function, node))
        try:
            text = self.text_of(function)
        except Error as e:
            self.fail(node, "python-call", f"'{function.__name__}' cannot be inlined: {e.message}", e.hint)
        values = []
        self.held.append(values)
        for a in node.args:
            values.append(self.expression(a))
        keywords = [k.arg for k in node.keywords]
        for k in node.keywords:
            values.append(self.expression(k.value))
        self.held.pop()
        names = [a.arg for a in all_arguments(text.tree)]
        positional = len(node.args)
        if positional > len(names) or None in keywords or text.tree.args.vararg or text.tree.args.kwarg:
            self.fail(node, "python-call", f"'{function.__name__}' takes {len(names)} arguments",
                      "pass them one by one; '*' and '**' are not supported")
        given = dict(zip(names, values[:positional]))
        for key, value in zip(keywords, values[positional:]):
            if key not in names or key in given:
                self.fail(node, "python-call", f"'{function.__name__}' has no argument '{key}', or has it twice",
                          f"its arguments: {', '.join(names)}")
            given[key] = value
        frame = Frame(text, len(self.loops), len(self.conditions))
        for name, default in defaults_of(text):
            if name not in given:
                given[name] = self.lift(default, node, name)
        missing = [n for n in names if n not in given]
        if missing:
            self.fail(node, "python-call", f"'{function.__name__}' needs '{missing[0]}'",
                      f"its arguments: {', '.join(names)}")
        frame.names = given
        self.frames.append(frame)
        self.block(text.tree.body)
        self.frames.pop()
        return frame.result


_UNSUPPORTED = {"python-statement", "python-expression", "python-loop", "python-control-flow", "python-recursion",
                "python-closure", "python-call"}


# --- what texts say ---


def all_arguments(tree):
    return [*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs]


def parameter_names(reader, text):
    """Of a kernel's function."""
    for rest in (text.tree.args.vararg, text.tree.args.kwarg):
        if rest is not None:
            reader.fail(rest, "python-parameter", f"'{rest.arg}' takes any number of arguments",
                        "name every parameter")
    return [a.arg for a in all_arguments(text.tree)]


def defaults_of(text):
    """(name, value) of parameters with defaults."""
    function, tree = text.python, text.tree
    positional = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)]
    values = function.__defaults__ or ()
    found = list(zip(positional[len(positional) - len(values):], values))
    return found + list((function.__kwdefaults__ or {}).items())


def assigned_names(body):
    """Names that statements assign, loops inside included."""
    found = set()
    for s in body:
        for node in ast.walk(s):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
    return found


def reads_name(node, name):
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load) for n in ast.walk(node))


def first_use(body, name):
    """'store' if the statements assign the name before they read it, 'load' if they may read it first, '': neither."""
    for s in body:
        if isinstance(s, (ast.Assign, ast.AnnAssign)):
            if s.value is not None and reads_name(s.value, name):
                return "load"
            targets = s.targets if isinstance(s, ast.Assign) else [s.target]
            if any(reads_name(t, name) for t in targets):
                return "load"
            if name in assigned_names([s]):
                return "store"
        elif isinstance(s, ast.If):
            if reads_name(s.test, name):
                return "load"
            uses = {first_use(s.body, name), first_use(s.orelse, name)}
            if uses == {"store"}:
                return "store"
            if uses != {""}:
                return "load"  # on one path it is the value from before
        elif isinstance(s, ast.For):
            if reads_name(s.iter, name):
                return "load"
            if isinstance(s.target, ast.Name) and s.target.id == name:
                return "store"
            if first_use(s.body, name) == "load":
                return "load"
            if name in assigned_names(s.body):
                return "load"  # a loop may run never
        elif name in assigned_names([s]) or reads_name(s, name):
            return "load"
    return ""


def accumulates(body, name):
    """Whether statements do nothing with the name but add to it, multiply it, or take a minimum or maximum, in one way."""
    ways = set()

    def way(s):
        if isinstance(s, ast.AugAssign) and isinstance(s.target, ast.Name) and s.target.id == name:
            return None if reads_name(s.value, name) else type(s.op).__name__.replace("Sub", "Add")
        if not (isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name)
                and s.targets[0].id == name):
            return ""
        v = s.value
        if isinstance(v, ast.BinOp) and isinstance(v.op, (ast.Add, ast.Sub, ast.Mult)):
            left, right = is_name(v.left, name), is_name(v.right, name)
            if left != right and not reads_name(v.right if left else v.left, name) and \
                    (left or not isinstance(v.op, ast.Sub)):
                return type(v.op).__name__.replace("Sub", "Add")
        if isinstance(v, ast.Call) and isinstance(v.func, ast.Name) and v.func.id in ("min", "max") and \
                len(v.args) == 2 and not v.keywords:
            left, right = is_name(v.args[0], name), is_name(v.args[1], name)
            if left != right and not reads_name(v.args[1 if left else 0], name):
                return v.func.id
        return None

    def see(statements):
        for s in statements:
            if isinstance(s, ast.For):
                if reads_name(s.iter, name) or not see(s.body):
                    return False
            elif isinstance(s, ast.If):
                if reads_name(s.test, name) or not see(s.body) or not see(s.orelse):
                    return False
            else:
                how = way(s)
                if how is None or (how == "" and (reads_name(s, name) or name in assigned_names([s]))):
                    return False
                ways.add(how)
        return True

    return see(body) and len(ways - {""}) == 1 and ways - {""} <= {"Add", "Mult", "min", "max"}


def is_name(node, name):
    return isinstance(node, ast.Name) and node.id == name


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def is_scalar(value):
    return isinstance(value, (Affine, Value, Bound, float, bool))


def is_number(value):
    return isinstance(value, (float, bool)) or (isinstance(value, Affine) and value.is_number)


def number(value):
    return value.constant if isinstance(value, Affine) else value


def same_place(a, b):
    return isinstance(a, TensorRef) and isinstance(b, TensorRef) and a.buffer is b.buffer and \
        [f.text() for f in a.index] == [f.text() for f in b.index] and a.data is b.data


def article(word):
    return f"an {word}" if word[:1].lower() in "aeiou" else f"a {word}"


def kind_of(value):
    """What a value is called in messages."""
    if value is None:
        return "nothing"
    if isinstance(value, TensorRef):
        return f"a tensor of shape {list(value.shape)}"
    if isinstance(value, tuple):
        return "a tuple" if not (len(value) == 2 and isinstance(value[1], str)) else f"the method '{value[1]}'"
    if isinstance(value, DType):
        return f"the type {value.name}"
    if isinstance(value, python.ModuleType):
        return f"the module '{value.__name__}'"
    if callable(value):
        return f"the function '{getattr(value, '__name__', value)}'"
    if isinstance(value, (Value, Bound)):
        return "a scalar"
    if isinstance(value, Affine):
        return "an integer"
    return article(type(value).__name__)
