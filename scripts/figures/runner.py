"""Runs the tool for figures: one JSON per command, kept beside the figures, so that each can be looked at."""

import json
import os
import resource
import shlex
import subprocess
import sys


class Failed(Exception):
    """A command ended with an error."""


class Runner:
    def __init__(self, tool, folder, points=None, is_quiet=False):
        """`points`: a folder with validation/ in it, for reference points that the project does not have."""
        self.tool, self.folder, self.points, self.is_quiet = tool, folder, points, is_quiet
        self.results = {}
        self.store = None  # a file where the tool keeps what it tuned
        self.last_seconds = 0.0  # processor time of the last command

    def command(self, arguments):
        """As one would type it."""
        return shlex.join(["pimento", *arguments])

    def json(self, name, arguments, may_refuse=False):
        """The result of `pimento ARGUMENTS --json`, kept in raw/NAME.json. What several figures need is run once. `may_refuse`:
        an error is an answer, {"refused": message}."""
        if name in self.results:
            return json.loads(self.results[name])
        path = self.folder / "raw" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        # What follows -- is a program's.
        end = arguments.index("--") if "--" in arguments else len(arguments)
        done = self.run([*arguments[:end], "--json", *arguments[end:]], may_refuse)
        if done.returncode != 0:
            return {"refused": done.stderr.strip().splitlines()[0].rpartition("error: ")[2]}
        self.results[name] = done.stdout
        path.write_text(done.stdout, encoding="utf-8")
        return json.loads(done.stdout)

    def text(self, name, arguments):
        """What `pimento ARGUMENTS` prints."""
        if name not in self.results:
            self.results[name] = self.run(arguments).stdout
        return self.results[name]

    def run(self, arguments, may_refuse=False):
        if not self.is_quiet:
            print(f"  {self.command(arguments)}", file=sys.stderr, flush=True)
        environment = {k: v for k, v in os.environ.items() if k != "PIMENTO_POINTS"}
        if self.points:
            environment["PIMENTO_POINTS"] = str(self.points)
        if self.store:
            environment["PIMENTO_STORE"] = str(self.store)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([str(self.tool), *arguments], capture_output=True, text=True, env=environment, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.last_seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        if done.returncode != 0 and not may_refuse:
            raise Failed(f"{self.command(arguments)}\n  ended with status {done.returncode}\n  {done.stderr.strip()}")
        return done
