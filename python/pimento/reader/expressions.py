"""Expressions: numbers, sums of loops, and typed scalars."""

import ast
import builtins
import types as python

from .. import dtypes
from ..nest import Affine, Value
from ..dtypes import DTYPES, DType, is_array
from .values import Bound, Cell, Lost, TensorRef, article, is_number, is_scalar, kind_of, number

I64, U8 = DTYPES["i64"], DTYPES["u8"]


OPERATORS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
              ast.Mod: "mod", ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor",
              ast.LShift: "shl", ast.RShift: "shr"}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
          ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>"}
_COMPARISONS = {ast.Eq: "cmp_eq", ast.NotEq: "cmp_ne", ast.Lt: "cmp_lt", ast.LtE: "cmp_le", ast.Gt: "cmp_gt",
                ast.GtE: "cmp_ge"}
_COMPARE = {"cmp_eq": lambda a, b: a == b, "cmp_ne": lambda a, b: a != b, "cmp_lt": lambda a, b: a < b,
            "cmp_le": lambda a, b: a <= b, "cmp_gt": lambda a, b: a > b, "cmp_ge": lambda a, b: a >= b}
_FOLD = {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / b,
         "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b, "pow": lambda a, b: a**b,
         "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b,
         "shr": lambda a, b: a >> b}
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


class Expressions:
    """A part of Reader."""

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
        """A scalar in a type. Python's numbers take any type that holds them; a float becomes an integer only where
        that is asked for."""
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
            type = dtypes.promoted(a.type, b.type)
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
        op = OPERATORS.get(type(node.op))
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
                what = f"the {side} side of '{SIGNS[type(sign)]}' is {kind_of(value)}"
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
            self.fail(node, "python-call",
                      f"'{self.source(node)}' has loops or stores, and is evaluated under a condition",
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
