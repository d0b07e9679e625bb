#!/usr/bin/env python3
"""Checks every #include of the project against layers.toml.

usage: check_layers.py [--root DIR]

Prints one line per offence, FILE:LINE: error: WHY, and exits with 1 if there is any, 2 if layers.toml itself is wrong.
Checked: rooms include only rooms they may; project headers are included as "pimento/ROOM/NAME.h" and exist; libraries
stay in their corner; the DEPENDS of a room's pimento_room() say nothing that layers.toml does not allow; what headers
reach through others ([headers]); texts that no branch may read ([spellings]).
"""

import argparse
import re
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

SUFFIXES = {".h", ".cpp"}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
BLOCK_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ROOM_CALL = re.compile(r"pimento_room\(\s*(\w+)(.*?)\)", re.DOTALL)
KEYWORDS = {"LIBS", "PRIVATE_LIBS", "SOURCES"}
SPELLED_IN = ("src", "capi", "tools")
# A comment, or a literal, in which `//` begins none.
COMMENT_OR_LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def line_ends(match):
    return "\n" * match.group().count("\n")


def includes(text):
    """(line, opening quote, path) of every #include outside block comments."""
    blanked = BLOCK_COMMENT.sub(line_ends, text)
    for m in INCLUDE.finditer(blanked):
        yield blanked.count("\n", 0, m.start()) + 1, m.group(1), m.group(2)


def without_comments(text):
    """The same lines with comments left out."""
    return COMMENT_OR_LITERAL.sub(lambda m: m.group() if m.group()[0] == '"' else line_ends(m), text)


def source_files(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in SUFFIXES and p.is_file())


class Headers:
    """Which headers of the project a header reaches."""

    def __init__(self, root):
        self.src = root / "src"
        self.direct = {}

    def includes_of(self, header):
        """(line, header) of what a header of src/ includes of the project itself."""
        if header not in self.direct:
            path = self.src / header
            text = path.read_text(encoding="utf-8") if path.is_file() else ""
            self.direct[header] = [(line, name.removeprefix("pimento/")) for line, _, name in includes(text)
                                   if name.startswith("pimento/")]
        return self.direct[header]

    def reached(self, header):
        """Every header reached, nearest first, with the chain of (line, header) that leads there."""
        chains, ahead = {header: []}, [header]
        for at in ahead:  # grows below
            for line, name in self.includes_of(at):
                if name not in chains:
                    chains[name] = [*chains[at], (line, name)]
                    ahead.append(name)
        del chains[header]
        return chains


def folders_of(header):
    """"a/b/c.h" lies in a and in a/b."""
    return [p.as_posix() for p in Path(header).parents][:-1]


class Checker:
    def __init__(self, root, layers):
        self.root = root
        self.rooms = layers["rooms"]
        self.faces = layers.get("faces", {})
        self.tests = layers.get("tests", {})
        self.libraries = layers.get("libraries", {})
        self.headers = layers.get("headers", {"rooms": [], "never": [], "most": 0})
        self.spellings = layers.get("spellings", {})
        self.offences = []

    def check_layers_file(self):
        """Offences of layers.toml against itself and against the tree."""
        out = []
        seen = []
        for room, allowed in self.rooms.items():
            for a in allowed:
                if a not in seen:
                    out.append(f"layers.toml: error: room '{room}' names '{a}', which does not stand before it")
            seen.append(room)
        for face, allowed in self.faces.items():
            out += [f"layers.toml: error: '{face}' names '{a}', which is no room" for a in allowed if a not in seen]
        for room, more in self.tests.items():
            out += [f"layers.toml: error: [tests] names '{a}', which is no room" for a in [room, *more] if a not in seen]
        out += [f"layers.toml: error: [headers] names '{a}', which is no room" for a in self.headers["rooms"] if a not in seen]
        src = self.root / "src"
        for folder in sorted(p for p in src.iterdir() if p.is_dir()):
            if folder.name not in self.rooms and any(source_files(folder)):
                out.append(f"layers.toml: error: room 'src/{folder.name}' is missing")
        return out

    def offend(self, path, line, why):
        self.offences.append(f"{path.relative_to(self.root)}:{line}: error: {why}")

    def check_file(self, path, who, allowed):
        """`allowed`: rooms the file may include; `who`: what it is, for messages."""
        relative = path.relative_to(self.root).as_posix()
        for line, quote, name in includes(path.read_text(encoding="utf-8")):
            parts = name.split("/")
            if parts[0] == "pimento":
                self.check_project_header(path, line, quote, name, who, allowed)
                continue
            library = next((k for k, v in self.libraries.items() if name.startswith(tuple(v["headers"]))), None)
            if library is not None:
                places = self.libraries[library]["paths"]
                if not any(relative.startswith(p + "/") for p in places):
                    where = ", ".join(places)
                    self.offend(path, line, f"'{name}': {library} headers may be included only in {where}")
            elif name.endswith(".inc") and "/" not in name:
                pass  # made by LLVM's TableGen while building
            elif quote == '"' and relative.startswith("src/"):
                self.offend(path, line, f'"{name}": headers of the project are included as "pimento/ROOM/NAME.h"')

    def check_project_header(self, path, line, quote, name, who, allowed):
        parts = name.split("/")
        room = parts[1] if len(parts) > 2 else ""
        if quote != '"':
            self.offend(path, line, f'<{name}>: headers of the project are included with quotes')
        if room not in self.rooms:
            self.offend(path, line, f"'{name}': layers.toml knows no room '{room}'")
        elif room not in allowed:
            self.offend(path, line, f"{who} may not include '{room}' (allowed: {', '.join(allowed) or 'no room'})")
        elif not (self.root / "src" / "/".join(parts[1:])).is_file():
            self.offend(path, line, f"'{name}': no such header")

    def check_cmake(self, room):
        """DEPENDS of pimento_room(): what a room links is what it may include, or a library of its own (ROOM_NAME)."""
        path = self.root / "src" / room / "CMakeLists.txt"
        if not path.is_file():
            return
        text = path.read_text(encoding="utf-8")
        for call in ROOM_CALL.finditer(text):
            words = call.group(2).split()
            if "DEPENDS" not in words:
                continue
            for word in words[words.index("DEPENDS") + 1 :]:
                if word in KEYWORDS:
                    break
                if word not in self.rooms[room] and not word.startswith(room + "_"):
                    line = text.count("\n", 0, call.start()) + 1
                    self.offend(path, line, f"room '{room}' may not depend on '{word}'")

    def check_headers(self):
        """[headers]: what headers of some rooms reach."""
        graph = Headers(self.root)
        for room in self.headers["rooms"]:
            for path in source_files(self.root / "src" / room):
                if path.suffix == ".h":
                    self.check_reached(path, room, graph)

    def check_reached(self, path, room, graph):
        header = path.relative_to(self.root / "src").as_posix()
        reached = graph.reached(header)
        for folder in self.headers["never"]:
            wrong = [n for n in reached if any(fnmatch(f, folder) for f in folders_of(n))]
            if wrong:
                chain = reached[wrong[0]]
                names = " -> ".join(name for _, name in chain)
                self.offend(path, chain[0][0], f"reaches '{folder}', headers of '{room}' may not: {names}")
        if len(reached) > self.headers["most"]:
            shares = sorted(((len(graph.reached(n)) + 1, line, n) for line, n in graph.includes_of(header)), reverse=True)
            listed = ", ".join(f"{n} {count}" for count, _, n in shares)
            self.offend(path, shares[0][1], f"reaches {len(reached)} headers, at most {self.headers['most']} allowed: {listed}")

    def check_spellings(self):
        """[spellings]: branches on a text that has a type."""
        sources = [p for folder in SPELLED_IN for p in source_files(self.root / folder)]
        for rule in self.spellings.values():
            found = re.compile("|".join(f"(?:{p})" for p in rule["patterns"]).replace(" ", r"\s*"))
            for path in sources:
                if any(fnmatch(path.relative_to(self.root).as_posix(), e) for e in rule["except"]):
                    continue
                text = without_comments(path.read_text(encoding="utf-8"))
                lines = {text.count("\n", 0, m.start()) + 1: m.group() for m in reversed(list(found.finditer(text)))}
                for line, words in sorted(lines.items()):
                    shown = " ".join(words.split())
                    self.offend(path, line, f"`{shown}` reads {rule['what']}: ask {rule['ask']}")

    def run(self):
        """Fills `offences`; returns the number of files checked."""
        files = 0
        every = list(self.rooms)
        for room, allowed in self.rooms.items():
            for path in source_files(self.root / "src" / room):
                self.check_file(path, f"room '{room}'", [*allowed, room])
                files += 1
            self.check_cmake(room)
        for face, allowed in self.faces.items():
            for path in source_files(self.root / face):
                self.check_file(path, f"'{face}'", allowed)
                files += 1
        for path in source_files(self.root / "test"):
            below = path.relative_to(self.root / "test").parts
            room = below[1] if len(below) > 2 and below[1] in self.rooms else None
            who = f"a test of room '{room}'" if room else "a test"
            self.check_file(path, who, [*self.rooms[room], room, *self.tests.get(room, [])] if room else every)
            files += 1
        for path in source_files(self.root / "bench"):
            self.check_file(path, "a benchmark", every)
            files += 1
        self.check_headers()
        self.check_spellings()
        return files


def main():
    parser = argparse.ArgumentParser(description="Checks every #include against layers.toml.")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    root = parser.parse_args().root.resolve()
    with open(root / "layers.toml", "rb") as f:
        checker = Checker(root, tomllib.load(f))
    wrong = checker.check_layers_file()
    if wrong:
        print("\n".join(wrong))
        return 2
    files = checker.run()
    print("\n".join(checker.offences + [f"check_layers: {files} files, {len(checker.offences)} offences"]))
    return 1 if checker.offences else 0


if __name__ == "__main__":
    sys.exit(main())
