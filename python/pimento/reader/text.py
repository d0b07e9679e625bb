"""The text of a Python function, and what can be asked of it before it is run on symbols."""

import ast

from ..errors import Error, diagnostic


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
    """Whether all that statements do with the name is to add to it, multiply it, or take a minimum or a maximum."""
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
