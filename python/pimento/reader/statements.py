"""Statements: assignments, conditions, returns."""

import ast

from ..nest import Affine, Value
from ..dtypes import DTYPES, DType
from .expressions import OPERATORS, SIGNS
from .text import is_none
from .values import Cell, Lost, TensorRef, is_scalar, kind_of, same_place


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


class Statements:
    """A part of Reader."""

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
        op = OPERATORS.get(type(s.op))
        if op is None:
            self.fail(s, "python-type", "this operator is not supported", "use + - * / // % & | ^ << >>")
        if isinstance(s.target, ast.Name):
            old = self.name(s.target)
            if isinstance(old, TensorRef):
                self.fail(s, "python-type", f"'{s.target.id}' is a tensor; '{SIGNS[type(s.op)]}=' takes elements",
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
