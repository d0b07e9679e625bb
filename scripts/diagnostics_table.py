#!/usr/bin/env python3
"""Every diagnostic code in src/, with what its messages say and the test that shows it, as a Markdown page.

A code is the first argument, after the kind if there is one, of a call of `error` or of one of the functions that pass
theirs on to it (REPORTERS); the message is put together from the literals of the other arguments, with ... for what depends on the input.

usage: diagnostics_table.py [--check] [SOURCE_DIR]

--check: only says which codes no test names ("code" or [code]); status 1 if there are any.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

# Functions whose first argument is the code of a diagnostic; BUILDERS are those of src/base, where no file has its own.
BUILDERS = ("error", "usageError", "capacityError")
REPORTERS = (*BUILDERS, "unsupported", "report", "refuse", "fail", "failInput", "wrong",
             "warning", "say", "reject", "enterPhase")
CODE = r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
CALL = re.compile(r"(?<![\w\"])(\w+)\(\s*(?=[^\"();{}]*\")")
# A file's own function that puts a word before its codes: error("program-" + code, ...).
PREFIX = re.compile(r'(?:error|unsupported)\((?:kind, )?(?:fmt::format\()?"([a-z]+-)(?:" \+ code|\{\}", code\))')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def arguments(text, begin):
    """The arguments of the call whose ( is just before `begin`."""
    found, depth, start, at = [], 0, begin, begin
    while at < len(text):
        c = text[at]
        if c == '"':
            at = LITERAL.match(text, at).end() if LITERAL.match(text, at) else at + 1
            continue
        if c == "'":
            at += 4 if text[at + 1] == "\\" else 3
            continue
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                return found + [text[start:at]]
            depth -= 1
        elif c == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
        at += 1
    return found


def form_of(argument):
    """The literals of a message, in order; what lies between them, and {}, is ..."""
    text, last = "", 0
    literals = list(LITERAL.finditer(argument))
    for literal in literals:
        between = argument[last : literal.start()].strip()
        if last and between:
            text += "..."
        text += literal.group(1)
        last = literal.end()
    text = re.sub(r"\{\}|\{:[^}]*\}", "...", text.replace('\\"', '"').replace("\\n", " "))
    return re.sub(r"(\.\.\.)+(?: \.\.\.)*", "...", text).strip()


def without_comments(text):
    return re.sub(r"//[^\n]*", lambda m: " " * len(m.group(0)), text)


def codes(source):
    """code -> [(file, line, message form)]"""
    found = defaultdict(list)
    for path in sorted((source / "src").rglob("*.cpp")):
        text = without_comments(path.read_text(encoding="utf-8"))
        prefixes = PREFIX.findall(text)
        family = path.with_name(path.stem.split("_")[0] + ".cpp")
        if not prefixes and family != path and family.exists():  # verify_unit.cpp reports through verify.cpp
            prefixes = PREFIX.findall(without_comments(family.read_text(encoding="utf-8")))
        for call in CALL.finditer(text):
            if call.group(1) not in REPORTERS and not (call.group(1) == "add" and "emit" in path.parts):
                continue
            parts = arguments(text, call.end())
            if call.group(1) == "wrong" or parts[0].strip().startswith("DiagnosticKind::"):
                parts = parts[1:]  # what is wrong with that; the kind
            if len(parts) < 2:
                continue
            named = re.fullmatch(rf'\s*(?:.*\?\s*"({CODE})"\s*:\s*)?"({CODE})"\s*', parts[0], re.DOTALL)
            if not named:
                continue
            # The message is the first text; the last of several arguments is the hint.
            forms = [form_of(p) for p in (parts[1:-1] if len(parts) > 3 else parts[1:])]
            message = next((m for m in forms if " " in m), "")
            is_own = call.group(1) not in BUILDERS and (call.group(1) != "unsupported" or "unsupported-" in prefixes)
            prefix = prefixes[0] if prefixes and is_own else ""
            for code in (c if prefix and c.startswith(prefix) else prefix + c for c in named.groups() if c):
                place = (str(path.relative_to(source)), text.count("\n", 0, call.start()) + 1, message)
                found[code].append(place)
    return found


def tests_of(source, wanted):
    """code -> the first test file that names it; error tests first."""
    files = [p for p in sorted((source / "test").rglob("*")) if p.suffix in (".cpp", ".h", ".py", ".txt", ".sh")]
    files.sort(key=lambda p: "/test/error/" not in p.as_posix())
    shown = {}
    for path in files:
        for code in set(re.findall(rf"(?<=[\"\[])({CODE})(?=[\"\]@])", path.read_text(encoding="utf-8"))) & wanted:
            shown.setdefault(code, path.relative_to(source).as_posix())
    return shown


def cell(text):
    return text.replace("|", "\\|").replace("<", "&lt;")


def page(found, shown):
    lines = [
        "# Diagnostics",
        "",
        "What is wrong with an input is said as `FILE:LINE:COL: error: MESSAGE [CODE]`, with a hint below. The codes are",
        "stable, messages may get better. This table is made from the source; `...` stands for what depends on the input.",
        "",
        "| code | message | room | test |",
        "|---|---|---|---|",
    ]
    for code in sorted(found):
        messages = list(dict.fromkeys(m for _, _, m in found[code] if m))
        more = f" (and {len(messages) - 3} more)" if len(messages) > 3 else ""
        rooms = ", ".join(dict.fromkeys(f.split("/")[1] for f, _, _ in found[code]))
        lines.append(f"| <a id=\"{code}\"></a>`{code}` | {'; '.join(map(cell, messages[:3]))}{more} | {rooms} | "
                     f"{Path(shown.get(code, '')).name} |")
    return "\n".join(lines) + "\n"


def main():
    words = [a for a in sys.argv[1:] if not a.startswith("--")]
    source = Path(words[0] if words else Path(__file__).parents[1]).resolve()
    found = codes(source)
    shown = tests_of(source, set(found))
    if "--check" not in sys.argv:
        print(page(found, shown), end="")
        return 0
    wrong = [f"{p}:{n}: no test shows the diagnostic '{c}'" for c in sorted(found) if c not in shown for p, n, _ in found[c][:1]]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"diagnostics: {len(found)} codes, {len(wrong)} without a test")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
