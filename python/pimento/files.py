"""What the command line starts for files that Python reads: kernels (.py) and TorchScript (.pt).

    python3 -m pimento.files FILE [--function NAME] [--dtype TYPE] [--size NAME=N]...

Standard output: a line of JSON, {"kind": "nest" | "model"} or {"diagnostics": [...]}; behind it the text, for the first.
What the file prints itself goes to standard error.
"""

import argparse
import json
import os
import sys

from .errors import Error, diagnostic, suggestion


def read(file, function="", sizes=None, dtype=None):
    """(kind, text as bytes). Raises Error."""
    sizes = sizes or {}
    if file.endswith(".py"):
        return "nest", _kernel(file, function, sizes, dtype)
    from .models import need_torch

    try:
        need_torch()
    except Error as e:
        raise Error([{**e.diagnostics[0], "file": file, "line": 0}]) from None
    from .models.script import record

    return "model", record(file, sizes).text.data()


def _kernel(file, function, sizes, dtype):
    """The nest of a kernel in a file of Python, which is run as a module whose __name__ is not __main__."""
    import runpy

    from .functions import KernelFunction

    folder = os.path.dirname(os.path.abspath(file))
    sys.path.insert(0, folder)
    try:
        names = runpy.run_path(file, run_name="pimento_kernels")
    except Error:
        raise
    except SystemExit as e:
        raise _stopped(file, 0, f"it ended itself (exit status {e.code})") from None
    except SyntaxError as e:
        raise Error([diagnostic("python-syntax", e.msg, file=e.filename or file, line=e.lineno or 0,
                                column=e.offset or 0)]) from None
    except BaseException as e:
        line = 0
        trace = e.__traceback__
        while trace is not None:
            if os.path.abspath(trace.tb_frame.f_code.co_filename) == os.path.abspath(file):
                line = trace.tb_lineno
            trace = trace.tb_next
        raise _stopped(file, line, f"{type(e).__name__}: {e}") from None
    finally:
        sys.path.remove(folder)
    kernels = {n: k for n, k in names.items() if isinstance(k, KernelFunction)}
    own = {n: k for n, k in kernels.items()
           if os.path.abspath(k.pimento_function.__code__.co_filename) == os.path.abspath(file)} or kernels
    if not function and len(own) == 1:
        function = next(iter(own))
    if function not in kernels:
        if not kernels:
            raise Error([diagnostic("python-kernel", "no function in it is marked as a kernel",
                                    "write @pimento.kernel above a def", file=file)])
        raise Error([diagnostic("python-kernel", f"it has no kernel '{function}'" if function else
                                f"it has {len(own)} kernels", "--function NAME: " +
                                (suggestion(function, kernels) if function else ", ".join(own)), file=file)])
    kernel = kernels[function]
    return kernel.nest(_arguments(kernel, sizes), dtype).encode()


def _stopped(file, line, what):
    return Error([diagnostic("python-run", f"running the file failed: {what}",
                             "kernels are read after the file has run; what is under if __name__ == '__main__' is not run",
                             file=file, line=line)])


def _arguments(kernel, sizes):
    """Shapes and numbers of parameters from {"A_0": 64, "A_1": 128, "n": 5}."""
    import ast
    import inspect
    import textwrap

    function = kernel.pimento_function
    parameters = list(inspect.signature(function).parameters)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    tensors = {n.value.id for n in ast.walk(tree)
               if isinstance(n, (ast.Subscript, ast.Attribute)) and isinstance(n.value, ast.Name)}
    out, used = {}, set()
    defaults = {p.name for p in inspect.signature(function).parameters.values() if p.default is not p.empty}
    shown = [f"--size {p}=64x128" if p in tensors else f"--size {p}=64" for p in parameters]
    for name in parameters:
        shape = []
        while f"{name}_{len(shape)}" in sizes:
            used.add(f"{name}_{len(shape)}")
            shape.append(sizes[f"{name}_{len(shape)}"])
        if shape:
            out[name] = tuple(shape)
        elif name in sizes:
            used.add(name)
            out[name] = (sizes[name],) if name in tensors else sizes[name]
        elif name not in defaults:
            raise Error([diagnostic("python-sizes", f"the size of '{name}' is not known",
                                    f"add {' '.join(shown)} with your numbers; a vector of 64 is {name}=64",
                                    file=function.__code__.co_filename, line=function.__code__.co_firstlineno)])
    for name in sizes:
        if name not in used:
            raise Error([diagnostic("python-sizes", f"'{kernel.__name__}' has no size '{name}'",
                                    f"its parameters: {' '.join(shown)}", file="--size", kind="usage")])
    return out


def main():
    parser = argparse.ArgumentParser(prog="python3 -m pimento.files", description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--function", default="")
    parser.add_argument("--dtype")
    parser.add_argument("--size", action="append", default=[])
    arguments = parser.parse_args()
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        sizes = {name: int(n) for name, n in (s.rsplit("=", 1) for s in arguments.size)}
        kind, text = read(arguments.file, arguments.function, sizes, arguments.dtype)
        answer.write(json.dumps({"kind": kind}).encode() + b"\n" + text)
    except Error as e:
        answer.write(json.dumps({"diagnostics": e.diagnostics}).encode() + b"\n")
    answer.close()


if __name__ == "__main__":
    main()
