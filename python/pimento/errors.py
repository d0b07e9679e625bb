"""What users are told when something is wrong: one exception class, with the diagnostics of the library."""

import os
import sys

# Folders whose files are not the user's: the package, and PyTorch where it is in use.
NOT_THE_USERS = [os.path.dirname(os.path.abspath(__file__)) + os.sep]


class Error(Exception):
    """A mistake in a kernel, an array, an option or a machine.

    Its text is `FILE:LINE:COLUMN: error: MESSAGE [CODE]` and a line `  hint: ...`; several mistakes are several such
    pairs. FILE is the Python source for kernels written in Python, and the caller's for wrong arguments.

    Attributes:
        diagnostics: list of dicts with the keys severity, kind, code, file, line, column, message, hint, text.
        code, file, line, column, message, hint: of the first of them.
    """

    def __init__(self, diagnostics):
        self.diagnostics = diagnostics
        first = diagnostics[0] if diagnostics else {}
        for key, usual in (("code", ""), ("file", ""), ("line", 0), ("column", 0), ("message", ""), ("hint", "")):
            setattr(self, key, first.get(key, usual))
        super().__init__("\n".join(d["text"] for d in diagnostics) or "no message")

    def __reduce__(self):
        return type(self), (self.diagnostics,)


class InternalError(Error):
    """A bug in Pimento. Please report it with the kernel and the sizes."""


def diagnostic(code, message, hint="", *, file="", line=0, column=0, kind="input"):
    """One entry of Error.diagnostics."""
    place = ":".join([file, *(str(n) for n in (line, column) if n)]) if file else ""
    text = f"{place}: " if place else ""
    text += f"error: {message} [{code}]"
    if hint:
        text += f"\n  hint: {hint}"
    return {"severity": "error", "kind": kind, "code": code, "file": file, "line": line, "column": column,
            "message": message, "hint": hint, "text": text}


def caller():
    """(file, line) of the user's program that called the package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(tuple(NOT_THE_USERS)):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno


def misuse(code, message, hint=""):
    """An Error at the line of the user's program that called the package."""
    file, line = caller()
    return Error([diagnostic(code, message, hint, file=file, line=line, kind="usage")])


def located(found, place):
    """A diagnostic of the library that is about an option, at the line that gave it: `place` is that of caller()."""
    option = found["file"]
    if option and not option.startswith("--"):
        return found
    message = f"{option[2:].replace('-', '_')}: {found['message']}" if option else found["message"]
    return diagnostic(found["code"], message, found["hint"], file=place[0], line=place[1], kind=found["kind"])


def suggestion(name, choices):
    """'did you mean ...?' or the choices."""
    import difflib

    lower = {c.lower(): c for c in choices}
    near = difflib.get_close_matches(name.lower(), lower, 1)
    if near:
        return f"did you mean '{lower[near[0]]}'? choices: {', '.join(choices)}"
    return f"choices: {', '.join(choices)}"
