"""Runs the tool for figures: one JSON per command, kept beside the figures, so that each can be looked at."""

import json
import os
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

    def command(self, arguments):
        """As one would type it."""
        return shlex.join(["pimento", *arguments])

    def json(self, name, arguments):
        """The result of `pimento ARGUMENTS --json`, kept in raw/NAME.json. What several figures need is run once."""
        if name in self.results:
            return json.loads(self.results[name])
        path = self.folder / "raw" / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self.is_quiet:
            print(f"  {self.command(arguments)}", file=sys.stderr, flush=True)
        environment = {k: v for k, v in os.environ.items() if k != "PIMENTO_POINTS"}
        if self.points:
            environment["PIMENTO_POINTS"] = str(self.points)
        done = subprocess.run([str(self.tool), *arguments, "--json"], capture_output=True, text=True, env=environment,
                              check=False)
        if done.returncode != 0:
            raise Failed(f"{self.command(arguments)}\n  ended with status {done.returncode}\n  {done.stderr.strip()}")
        self.results[name] = done.stdout
        path.write_text(done.stdout, encoding="utf-8")
        return json.loads(done.stdout)
