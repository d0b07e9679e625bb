#!/usr/bin/env python3
"""Do two builds of the tool give the same results? Runs every documented command, and the list of result_commands.py, on
both, and compares what they print and write.

usage: same_results.py OLD NEW [--documented] [--all] [--texts] [--only PATTERN] [--allow FILE] [--jobs N] [--source DIR]
                       [--fresh] [--list] [--times]

OLD and NEW are `pimento` binaries, or build folders that hold bin/pimento. Each uses the machines and reference points of
its own build; other inputs come from this tree. The sets of commands (a page, a group of the list) run in fresh folders,
one per build, with equal names in them.

Compared: exit status, standard output, messages, and files written. JSON is compared value by value, everything else as
text. A documented command of a verb that knows --json runs as it stands and with --json; one of the list with --json alone
(and as it stands where it writes a file, or with --texts). Left out is what docs/cli.md lets differ: `wall_us`,
`compile_us`, seconds by the clock, `run.version`. A key that only NEW has is no difference: such keys are listed with the
number of results that have them.

What a set of commands gave is kept in build/same-results of this tree, under the tool's and the inputs' contents: a build
that has not changed since is not run again (--fresh runs it). A build that is compared with itself runs twice.

Differences that are meant stand in the file of --allow, one per line:

    COMMAND PATTERN :: KEY PATTERN :: WHY

A key is written as in the report (`stages.0.cycles`; `status`, `output` and `messages` for a change of these as text); in
patterns `*` stands for anything. A line that allows nothing is named at the end.

The exit status is 1 if there are differences that are not allowed, 2 if the builds or the arguments are wrong.
"""

import argparse
import dataclasses
import fnmatch
import functools
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
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
    r"|(?:(?<=\d{3} s)(?= )|^(?=\S+ +(?:[\d.]+ s +){5})).*"  # validate mappings: rows of times
    r"|(?<=<dt>Took</dt><dd>)[^<]*", re.MULTILINE)
MOST_SHOWN = 20
LONGEST = 600  # seconds per command
KEPT_TOOLS = 4  # whose results are kept
TIMED_OUT = "timed out"


@dataclass
class Difference:
    command: str
    key: str
    old: str
    new: str


@dataclass
class Ran:
    """What one tool made of one command; texts masked."""

    text: str
    status: int | str
    output: str
    messages: str
    seconds: float = 0


@dataclass
class Record:
    """What one tool made of one set of commands, and the files that are there afterwards: name to masked text, or to
    {"bytes": length, "sha256": digest}."""

    ran: list = field(default_factory=list)
    files: dict = field(default_factory=dict)


@dataclass
class Outcome:
    """What came of one set of commands."""

    name: str = ""
    commands: int = 0
    differences: list = field(default_factory=list)
    added: list = field(default_factory=list)  # (command, key)
    skipped: list = field(default_factory=list)
    times: list = field(default_factory=list)  # (seconds, command)

    def note(self, command, found):
        for key, old, new in found:
            if old is None:
                self.added.append((command, key))
            else:
                self.differences.append(Difference(command, key, old, new))


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

    def digest(self, source):
        """Of everything that its results depend on: the tool, its library for host programs, all inputs."""
        names = [self.path, *sorted(self.path.parent.glob("dpu-*"))]
        names += sorted((self.path.parent.parent / "lib").glob("libpimento_dpu.so.*.*"))
        for _, folder in sorted(self.inputs(source).items()):
            names += sorted(p for p in folder.resolve().rglob("*") if p.is_file())
        whole = hashlib.sha256()
        for path in names:
            data = path.read_bytes()
            whole.update(f"{path.name} {len(data)} ".encode() + data)
        return whole.hexdigest()[:20]


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


def writes_nothing(text, json_text):
    """Whether the command is all there is in its form with --json: that one left out no file."""
    return shlex.split(text) + ["--json"] == shlex.split(json_text)


def run(text, folder, environment):
    began = time.monotonic()
    try:
        done = subprocess.run(["bash", "-o", "pipefail", "-c", text], cwd=folder, env=environment, check=False,
                              capture_output=True, timeout=LONGEST, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return Ran(text, TIMED_OUT, "", "", LONGEST)
    texts = (masked(s.decode("utf-8", "replace"), folder) for s in (done.stdout, done.stderr))
    return Ran(text, done.returncode, *texts, time.monotonic() - began)


def files_in(folder):
    """What lies there now: see Record."""
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        name = path.relative_to(folder)
        if not path.is_file() or name.parts[0] == ".bin" or path.suffix == ".db":
            continue
        data = path.read_bytes()
        try:
            found[name.as_posix()] = masked(data.decode("utf-8"), folder)
        except UnicodeDecodeError:
            found[name.as_posix()] = {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    return found


def file_changes(old, new):
    """Files that are not the same: (name, key, old, new)."""
    for name in sorted({*old, *new}):
        if name not in old or name not in new:
            yield name, "file", *("written" if name in files else "not written" for files in (old, new))
        elif isinstance(old[name], str) and isinstance(new[name], str):
            for change in output_changes("file", old[name], new[name]):
                yield name, *change
        elif old[name] != new[name]:
            sizes = [f["bytes"] if isinstance(f, dict) else len(f) for f in (old[name], new[name])]
            yield name, "file", f"{sizes[0]} bytes", f"{sizes[1]} other bytes"


class Kept:
    """Records of earlier runs, in a folder per tool."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, digest, plan):
        key = hashlib.sha256(json.dumps(plan).encode()).hexdigest()[:20]
        return self.folder / digest / key

    def read(self, path):
        try:
            kept = json.loads(zlib.decompress(path.read_bytes()))
            return Record([Ran(**r) for r in kept["ran"]], kept["files"])
        except (OSError, ValueError, TypeError, KeyError, zlib.error):
            return None

    def write(self, path, record):
        if any(r.status == TIMED_OUT for r in record.ran):
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(zlib.compress(json.dumps(dataclasses.asdict(record)).encode(), 1))
        os.replace(file.name, path)

    def forget_old_tools(self, digests):
        """Keeps those of these tools and of the last others."""
        for digest in digests:
            (self.folder / digest).mkdir(parents=True, exist_ok=True)
            os.utime(self.folder / digest)
        for folder in sorted(self.folder.iterdir(), key=lambda p: p.stat().st_mtime, reverse=True)[KEPT_TOOLS:]:
            shutil.rmtree(folder, ignore_errors=True)


class Comparison:
    def __init__(self, old, new, options):
        self.tools = old, new
        self.options = options
        self.kept = Kept(options.source / "build" / "same-results")
        self.digests = [tool.digest(options.source) for tool in self.tools]
        # What reads a record: of a build that is compared with itself, the second run says whether results repeat.
        self.may_read = [not options.fresh, not options.fresh and self.digests[0] != self.digests[1]]
        self.inputs = [tool.inputs(options.source) for tool in self.tools]
        self.given = [self.files_given(inputs) for inputs in self.inputs]

    @staticmethod
    def files_given(inputs):
        """Names of the input files; those that commands leave as they are need not be looked at."""
        return {(Path(name) / p.relative_to(folder)).as_posix(): p.read_bytes()
                for name, folder in inputs.items() for p in folder.rglob("*") if p.is_file()}

    def is_wanted(self, name, command):
        pattern = self.options.only
        return not pattern or pattern in command.text or fnmatch.fnmatch(command.text, pattern) or pattern == name

    def sections(self):
        """(name, steps) of every set of commands, in order."""
        source = self.options.source
        pages = [*documented.pages(source), *documented.examples(source)]
        found = [(p.relative_to(source).as_posix(), documented.steps_of_page(p)) for p in pages]
        if not self.options.documented:
            found += result_commands.sections(self.tools[0].ask, source)
        for name, steps in found:
            # What a page does builds on what it did before: all of it, or nothing.
            if any(isinstance(s, Command) and self.is_wanted(name, s) for s in steps):
                yield name, steps

    def plan(self, section):
        """(what both tools do, in order: [name, text] of a file or [None, command]; commands left out, with the reason)."""
        name, steps = section
        is_page = (self.options.source / name).is_file()
        todo, skipped = [], []
        for step in steps:
            if not isinstance(step, Command):
                todo.append([step.name, step.text])
                continue
            why = documented.reason_to_skip(step.text)
            if why is None and step.is_long and not self.options.all:
                why = "slow: --all runs it"
            if why:
                skipped.append(f"{step.text} ({why})")
                continue
            json_text = with_json(step.text, self.tools[0].knows_json)
            if json_text:
                todo.append([None, json_text])
            if not json_text or is_page or self.options.texts or not writes_nothing(step.text, json_text):
                todo.append([None, step.text])
        return todo, skipped

    def record(self, which, plan):
        """What one of the tools makes of a plan."""
        kept = self.kept.path(self.digests[which], plan)
        found = self.kept.read(kept) if self.may_read[which] else None
        if found:
            return found
        record = Record()
        with documented.workplace(self.tools[which].path, self.inputs[which]) as (folder, environment):
            for name, text in plan:
                if name:
                    documented.File(name, text).write(folder)
                else:
                    record.ran.append(run(text, folder, environment))
            for name, data in self.given[which].items():
                path = Path(folder) / name
                if path.is_file() and path.read_bytes() == data:
                    path.unlink()
            record.files = files_in(folder)
        self.kept.write(kept, record)
        return record

    def compare(self, section):
        """Both records of one set of commands, and what differs."""
        plan, skipped = self.plan(section)
        return self.outcome(section[0], skipped, *(self.record(which, plan) for which in (0, 1)))

    @staticmethod
    def outcome(name, skipped, old, new):
        outcome = Outcome(name, len(old.ran), skipped=skipped)
        for a, b in zip(old.ran, new.ran):
            outcome.times.append((a.seconds + b.seconds, a.text))
            found = [("status", str(a.status), str(b.status))] if a.status != b.status else []
            if a.status == b.status == TIMED_OUT:
                outcome.skipped.append(f"{a.text} (took more than {LONGEST} s)")
            found += output_changes("output", a.output, b.output)
            found += text_changes("messages", a.messages, b.messages)
            outcome.note(a.text, found)
        for file, *change in file_changes(old.files, new.files):
            outcome.note(f"{name}: file {file}", [change])
        return outcome

    def outcomes(self, sections):
        """Those of all sets, as they come: sets run at the same time, both builds of each, too."""
        plans = [self.plan(s) for s in sections]
        with ThreadPoolExecutor(self.options.jobs) as pool:
            running = [[pool.submit(self.record, which, plan) for which in (0, 1)] for plan, _ in plans]
            for (name, _), (_, skipped), records in zip(sections, plans, running):
                yield self.outcome(name, skipped, *(r.result() for r in records))
                records.clear()


class Progress:
    """How far it is, on the standard error: on a terminal all the time, elsewhere twice a minute."""

    def __init__(self, total):
        self.total, self.done, self.differences = total, 0, 0
        self.began = self.shown = time.monotonic()
        self.is_terminal = sys.stderr.isatty()

    def note(self, outcome):
        self.done += 1
        self.differences += len(outcome.differences)
        now = time.monotonic()
        for d in outcome.differences[:1]:
            start = "\r\033[K" if self.is_terminal else ""
            print(f"{start}{outcome.name}: {d.command}: {d.key}: {d.old} -> {d.new}", file=sys.stderr, flush=True)
        if not self.is_terminal and now - self.shown < 30 and self.done < self.total:
            return
        self.shown = now
        took = now - self.began
        text = (f"{self.done} of {self.total} sets, {self.differences} differences, {took:.0f} s, "
                f"about {took / self.done * (self.total - self.done):.0f} s to go")
        end = "" if self.is_terminal and self.done < self.total else "\n"
        print(f"\r\033[K{text}" if self.is_terminal else text, end=end, file=sys.stderr, flush=True)


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
    slow = [s for o in outcomes for s in o.skipped if "(took more" in s]
    print(*(f"not compared: {s}" for s in slow), sep="\n", end="\n" if slow else "")
    skipped = sum(len(o.skipped) for o in outcomes)
    print(f"same_results: {sum(o.commands for o in outcomes)} commands, {skipped} left out, {len(differences)} differences in "
          f"{len(by_command)} commands")
    return len(differences)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Tool, metavar="OLD", help="a `pimento` binary, or a build folder with bin/pimento")
    parser.add_argument("new", type=Tool, metavar="NEW", help="the same, of the other build")
    parser.add_argument("--documented", action="store_true", help="the commands of README, docs and examples alone")
    parser.add_argument("--all", action="store_true", help="slow commands, too")
    parser.add_argument("--texts", action="store_true", help="commands of the list as they stand, too, not only with --json")
    parser.add_argument("--only", metavar="PATTERN", help="sets with a command that matches, or holds the text")
    parser.add_argument("--allow", type=Path, metavar="FILE", help="differences that are meant")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2, help="sets of commands at a time (one per processor)")
    parser.add_argument("--source", type=Path, default=Path(__file__).resolve().parent.parent, metavar="DIR",
                        help="the tree whose pages and inputs are used (this one)")
    parser.add_argument("--fresh", action="store_true", help="run everything, whatever earlier runs have found")
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
    comparison.kept.forget_old_tools(comparison.digests)
    progress, outcomes = Progress(len(sections)), []
    for outcome in comparison.outcomes(sections):
        outcomes.append(outcome)
        progress.note(outcome)  # with the first difference of each set, allowed or not
    if options.times:
        for seconds, text in sorted((t for o in outcomes for t in o.times), reverse=True)[:60]:
            print(f"{seconds:7.2f} s  {text}")
    return 1 if report(outcomes, allowed) else 0


if __name__ == "__main__":
    sys.exit(main())
