"""Runs of the tool under mpirun, for tests; without Open MPI they say "not run here"."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ENVIRONMENT = {**os.environ, "PIMENTO_STORE": "none", "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
# What may differ between two runs of one process: how long it took, and how ranks shared it.
TIMES = {"seconds", "compile_seconds", "simulation_seconds", "device_seconds", "wall_us", "compile_us", "ranks"}


def need_mpi(tool):
    module = Path(tool).resolve().parent.parent / "lib"
    if not shutil.which("mpirun") or not list(module.glob("**/PimentoMpi.so")):
        print("not run here: no Open MPI")
        sys.exit(0)


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if k not in TIMES}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def command(tool, ranks, arguments, flags=()):
    """`ranks`: 0 is one process without mpirun."""
    return ([] if ranks == 0 else ["mpirun", *flags, "-np", str(ranks)]) + [tool, *arguments]


def run(tool, ranks, arguments, flags=()):
    done = subprocess.run(command(tool, ranks, arguments, flags), env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=1800)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} on {ranks} ranks: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def answer(tool, ranks, arguments):
    """The JSON of a run, as text without times; and what it says of ranks."""
    got = json.loads(run(tool, ranks, [*arguments, "--json", "--jobs", "1"]))
    return json.dumps(without_times(got), indent=1), got.get("ranks")


def folder():
    return tempfile.TemporaryDirectory(prefix="pimento_mpi_")
