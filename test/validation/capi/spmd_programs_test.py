"""Programs in UPMEM's C interface, as their users build and run them: with their own Makefiles, which call the commands of
a build folder, on several numbers of DPUs and tasklets. Their host halves compare all results with plain C.

usage: spmd_programs_test.py BIN PROGRAMS DPUSxTASKLETS... [--only NAME] [--every N]

--every: in the order of their names, the first of each N programs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def command(words, folder, environment):
    """Exit status and everything printed."""
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=600, check=False)
    except subprocess.TimeoutExpired as stopped:
        return 124, (stopped.stdout or b"").decode(errors="replace") + "still running after 600 s"
    return done.returncode, done.stdout.decode(errors="replace")


def variants(folder, environment):
    """The settings of every variant of a program, as arguments of make."""
    status, printed = command(["make", "-s", "variants"], folder, environment)
    if status != 0:
        raise SystemExit(f"{folder.name}: {printed}")
    return [line.split(",") for line in printed.splitlines()] or [[]]


def failure(folder, settings, environment):
    """What went wrong with one variant of a program; empty: nothing."""
    status, printed = command(["make", "-s", "clean", "all", *settings], folder, environment)
    if status != 0 or "warning:" in printed:
        return "the build says\n" + printed
    status, printed = command(["./bin/host_code"], folder, environment)
    if status != 0 or "[OK]" not in printed:
        return f"exit status {status}\n{printed}"
    return ""


def main(bin_folder, programs, shapes, only, every):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PIMENTO_", "UPMEM_"))}
    environment["PATH"] = f"{bin_folder}:{environment['PATH']}"
    runs, wrong = 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / "programs"
        shutil.copytree(programs, copy)
        folders = sorted(path.parent for path in copy.glob("*/Makefile"))[::every]
        for folder in folders:
            if only not in (None, folder.name):
                continue
            for chosen in variants(folder, environment):
                for shape in shapes:
                    dpus, tasklets = shape.split("x")
                    said = failure(folder, [f"NR_DPUS={dpus}", f"NR_TASKLETS={tasklets}", *chosen], environment)
                    runs += 1
                    if said:
                        wrong += 1
                        print(f"{folder.name} {' '.join(chosen)}, {dpus} DPUs x {tasklets} tasklets: {said}", flush=True)
    print(f"{len(folders)} programs, {runs} runs, {wrong} wrong")
    return 1 if wrong or not runs else 0


if __name__ == "__main__":
    arguments = sys.argv[1:]
    chosen = {"--only": None, "--every": "1"}
    for option in chosen:
        if option in arguments:
            at = arguments.index(option)
            chosen[option] = arguments[at + 1]
            del arguments[at:at + 2]
    if len(arguments) < 3:
        raise SystemExit(__doc__)
    sys.exit(main(Path(arguments[0]).resolve(), Path(arguments[1]), arguments[2:], chosen["--only"],
                  int(chosen["--every"])))
