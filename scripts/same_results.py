#!/usr/bin/env python3
"""Do two builds of the tool give the same results? Runs every documented command, and the list of result_commands.py, on
both, and compares what they print and write.

usage: same_results.py OLD NEW [--all] [--only PATTERN] [--allow FILE] [--jobs N] [--source DIR] [--list] [--times]

OLD and NEW are `pimento` binaries, or build folders that hold bin/pimento. Each uses the machines and reference points of
its own build; other inputs come from this tree. The sets of commands (a page, a group of the list) run in fresh folders,
one per build, with equal names in them.

Compared: exit status, standard output, messages, and files written. JSON is compared value by value, everything else as
text. A command of a verb that knows --json also runs with it. Left out is what docs/cli.md lets differ: `wall_us`,
`compile_us`, seconds by the clock, `run.version`. A key that only NEW has is no difference: such keys are listed with the
number of results that have them.

Differences that are meant stand in the file of --allow, one per line:

    COMMAND PATTERN :: KEY PATTERN :: WHY

A key is written as in the report (`stages.0.cycles`; `status`, `output` and `messages` for a change of these as text); in
patterns `*` stands for anything. A line that allows nothing is named at the end.

The exit status is 1 if there are differences that are not allowed, 2 if the builds or the arguments are wrong.
"""

import argparse
import fnmatch
import functools
import json
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import documented
import result_commands
from documented import Command

# Keys that the clock or the release decides.
VOLATILE = ("*wall_us", "*compile_us", "*seconds", "*run.version")
MODELLED = ("*device_seconds",)
# What a text says by the clock: numbers become `#`.
BY_THE_CLOCK = re.compile(
    r"(?<=explored in )[\d.]+ s, [\d,]+(?= per second)|(?<=took )[\d.]+(?= s)|(?<= points in )[\d.]+(?= s)"
    r"|[\d.]+(?= +[\d,]+ (?:simulated|fast-forwarded|sampled|extrapolated))"  # validate --engine
    r"|(?:(?<=\d{3} s)|^(?=\S+ +(?:[\d.]+ s +){5})).*"  # validate mappings: rows of times
    r"|(?<=<dt>Took</dt><dd>)[^<]*", re.MULTILINE)
MOST_SHOWN = 20
LONGEST = 600  # seconds per command


@dataclass
class Difference:
    command: str
    key: str
    old: str
    new: str


@dataclass
class Outcome:
    """What came of one set of commands."""

    commands: int = 0
    differences: list = field(default_factory=list)
    added: list = field(default_factory=list)  # (command, key)
    skipped: list = field(default_factory=list)
    times: list = field(default_factory=list)  # (seconds, command)


def is_volatile(key):
    return any(fnmatch.fnmatchcase(key, p) for p in VOLATILE) and not any(fnmatch.fnmatchcase(key, p) for p in MODELLED)


def short(value):
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 100 else text[:97] + "..."


def changes(old, new, key=""):
    """(key, old, new) of every value that is not the same; old is None for a key that only `new` has."""
    below = f"{key}." if key else ""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in [*old, *(n for n in new if n not in old)]:
            at = below + name
            if is_volatile(at):
                continue
            if name not in old:
                yield at, None, short(new[name])
            elif name not in new:
                yield at, short(old[name]), "(no such key)"
            else:
                yield from changes(old[name], new[name], at)
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield key, f"{len(old)} items", f"{len(new)} items"
        for i, (a, b) in enumerate(zip(old, new)):
            yield from changes(a, b, f"{below}{i}")
    elif type(old) is not type(new) or old != new:
        yield key, short(old), short(new)


def masked(text, folder):
    """The text without the name of the folder and numbers by the clock, whose widths move the rest of a table."""
    text = text.replace(str(folder), "FOLDER")
    without = BY_THE_CLOCK.sub("#", text)
    return text if without == text else re.sub(r" {2,}", " ", re.sub(r"-{2,}", "--", without))


def text_changes(key, old, new):
    """The first line that differs."""
    if old == new:
        return
    a, b = old.split("\n"), new.split("\n")
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    shown = [lines[at] if at < len(lines) else "(end)" for lines in (a, b)]
    yield key, f"line {at + 1}: {short(shown[0])}", f"line {at + 1}: {short(shown[1])}"


def as_json(text):
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def output_changes(key, old, new):
    """JSON by its values, other texts by their lines."""
    parsed = as_json(old), as_json(new)
    if None in parsed:
        return text_changes(key, old, new)
    return changes(*parsed)


class Tool:
    """One of the two builds."""

    def __init__(self, name):
        path = Path(name)
        path = path / "bin" / "pimento" if path.is_dir() else path
        if not path.is_file():
            sys.exit(f"same_results: no tool at '{path}'")
        self.path = path.resolve()

    def ask(self, *arguments):
        return subprocess.run([self.path, *arguments], capture_output=True, text=True, check=False).stdout

    @functools.cache
    def knows_json(self, verb):
        return "--json" in self.ask(verb, "--help")

    def inputs(self, source):
        """Folder name to where it lies: machines and points of the build, the rest of the tree."""
        own = self.path.parent.parent / "share" / "pimento"
        folders = {**documented.inputs_of(source), "seeds": source / "test" / "fuzz" / "seeds"}
        return {name: own / name if (own / name).is_dir() else path for name, path in folders.items()}


def with_json(text, knows_json):
    """The command with --json and without files, or None where it has --json already, or is more than one command."""
    words = list(shlex.shlex(text, posix=True, punctuation_chars=True))
    if words[0] != "pimento" or any(re.fullmatch(r"[();<>|&]+", w) for w in words):
        return None
    words = shlex.split(text)
    if len(words) < 2 or "--json" in words or not knows_json(words[1]):
        return None
    for option in ("-o", "--output", "--store", "--trace"):
        while option in words:
            at = words.index(option)
            del words[at : at + 2]
    return shlex.join([*words, "--json"])


def run(text, folder, environment):
    """(status, output, messages), texts masked."""
    try:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=folder, env=environment, check=False,
                              capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "timed out", "", ""
    return done.returncode, *(masked(s.decode("utf-8", "replace"), folder) for s in (done.stdout, done.stderr))


def files_in(folder):
    return {p.relative_to(folder).as_posix(): p for p in Path(folder).rglob("*")
            if p.is_file() and p.relative_to(folder).parts[0] != ".bin" and p.suffix != ".db"}


def file_changes(folders):
    """What commands wrote: (name, key, old, new)."""
    old, new = map(files_in, folders)
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            yield name, "file", *("written" if name in files else "not written" for files in (old, new))
            continue
        data = [files[name].read_bytes() for files in (old, new)]
        if data[0] == data[1]:
            continue
        try:
            texts = [masked(d.decode("utf-8"), f) for d, f in zip(data, folders)]
        except UnicodeDecodeError:
            yield name, "file", f"{len(data[0])} bytes", f"{len(data[1])} other bytes"
            continue
        for change in output_changes("file", *texts):
            yield name, *change


class Comparison:
    def __init__(self, old, new, options):
        self.tools = old, new
        self.options = options

    def is_wanted(self, name, command):
        pattern = self.options.only
        return not pattern or pattern in command.text or fnmatch.fnmatch(command.text, pattern) or pattern == name

    def sections(self):
        """(name, steps) of every set of commands, in order."""
        source = self.options.source
        pages = [*documented.pages(source), *documented.examples(source)]
        found = [(p.relative_to(source).as_posix(), documented.steps_of_page(p)) for p in pages]
        found += result_commands.sections(self.tools[0].ask, source)
        for name, steps in found:
            # What a page does builds on what it did before: all of it, or nothing.
            if any(isinstance(s, Command) and self.is_wanted(name, s) for s in steps):
                yield name, steps

    def compare_command(self, text, places, outcome):
        began = time.monotonic()
        old, new = (run(text, folder, environment) for folder, environment in places)
        outcome.times.append((time.monotonic() - began, text))
        outcome.commands += 1
        found = [("status", str(old[0]), str(new[0]))] if old[0] != new[0] else []
        found += output_changes("output", old[1], new[1])
        found += text_changes("messages", old[2], new[2])
        self.note(text, found, outcome)

    def note(self, text, found, outcome):
        for key, old, new in found:
            if old is None:
                outcome.added.append((text, key))
            else:
                outcome.differences.append(Difference(text, key, old, new))

    def compare(self, section):
        name, steps = section
        outcome = Outcome()
        source = self.options.source
        with documented.workplace(self.tools[0].path, self.tools[0].inputs(source)) as old, \
             documented.workplace(self.tools[1].path, self.tools[1].inputs(source)) as new:
            for step in steps:
                if not isinstance(step, Command):
                    for folder, _ in (old, new):
                        step.write(folder)
                    continue
                why = documented.reason_to_skip(step.text)
                if why is None and step.is_long and not self.options.all:
                    why = "slow: --all runs it"
                if why:
                    outcome.skipped.append(f"{step.text} ({why})")
                    continue
                json_text = with_json(step.text, self.tools[0].knows_json)
                for text in filter(None, (json_text, step.text)):
                    self.compare_command(text, (old, new), outcome)
            for file, *change in file_changes([old[0], new[0]]):
                self.note(f"{name}: file {file}", [change], outcome)
        if sys.stderr.isatty():
            print(f"{name}: {outcome.commands} commands, {len(outcome.differences)} differences", file=sys.stderr)
        return outcome


class Allowed:
    """The lines of --allow."""

    def __init__(self, path):
        self.lines = []  # [command pattern, key pattern, why, differences allowed]
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n") if path else [], 1):
            if not line.strip() or line.startswith("#"):
                continue
            parts = [p.strip() for p in line.split("::")]
            if len(parts) != 3 or not all(parts):
                sys.exit(f"{path}:{number}: COMMAND PATTERN :: KEY PATTERN :: WHY")
            self.lines.append([*parts, 0])

    @staticmethod
    def matches(text, pattern):
        """`*` stands for anything, every other character for itself."""
        return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None

    def allows(self, difference):
        for line in self.lines:
            if self.matches(difference.command, line[0]) and self.matches(difference.key, line[1]):
                line[3] += 1
                return True
        return False


def report(outcomes, allowed):
    """Prints what was found; returns the number of differences that are not allowed."""
    differences = [d for o in outcomes for d in o.differences if not allowed.allows(d)]
    by_command = {}
    for d in differences:
        by_command.setdefault(d.command, []).append(d)
    shown = 0
    for command, found in by_command.items():
        if shown >= MOST_SHOWN:
            break
        print(command)
        for d in found[: MOST_SHOWN - shown]:
            print(f"  {d.key}: {d.old} -> {d.new}")
        shown += len(found[: MOST_SHOWN - shown])
    if len(differences) > shown:
        print(f"and {len(differences) - shown} more")
    added = {}
    for command, key in (a for o in outcomes for a in o.added):
        added.setdefault(re.sub(r"(?<=\.)\d+(?=\.)", "*", key), set()).add(command)
    if added:
        print("added keys: " + ", ".join(f"{key} ({len(commands)} results)" for key, commands in sorted(added.items())))
    for command, key, why, count in allowed.lines:
        print(f"allowed: {count} differences: {why}" if count else f"allows nothing: {command} :: {key}")
    skipped = sum(len(o.skipped) for o in outcomes)
    print(f"same_results: {sum(o.commands for o in outcomes)} commands, {skipped} left out, {len(differences)} differences in "
          f"{len(by_command)} commands")
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Tool, metavar="OLD", help="a `pimento` binary, or a build folder with bin/pimento")
    parser.add_argument("new", type=Tool, metavar="NEW", help="the same, of the other build")
    parser.add_argument("--all", action="store_true", help="slow commands, too")
    parser.add_argument("--only", metavar="PATTERN", help="sets with a command that matches, or holds the text")
    parser.add_argument("--allow", type=Path, metavar="FILE", help="differences that are meant")
    parser.add_argument("--jobs", type=int, default=2, help="sets of commands at a time (2)")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parent.parent, metavar="DIR",
                        help="the tree whose pages and inputs are used (this one)")
    parser.add_argument("--list", action="store_true", help="print the commands, run nothing")
    parser.add_argument("--times", action="store_true", help="the slowest commands, with the seconds of both builds")
    options = parser.parse_args()
    options.source = options.source.resolve()
    allowed = Allowed(options.allow)
    comparison = Comparison(options.old, options.new, options)
    sections = list(comparison.sections())
    if options.list:
        for name, steps in sections:
            print(name, *(f"  {s.text}{'  (slow)' if s.is_long else ''}" for s in steps if isinstance(s, Command)), sep="\n")
        return 0
    with ThreadPoolExecutor(options.jobs) as pool:
        outcomes = list(pool.map(comparison.compare, sections))
    if options.times:
        for seconds, text in sorted((t for o in outcomes for t in o.times), reverse=True)[:60]:
            print(f"{seconds:7.2f} s  {text}")
    return 1 if report(outcomes, allowed) else 0


if __name__ == "__main__":
    sys.exit(main())
