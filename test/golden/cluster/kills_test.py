#!/usr/bin/env python3
"""kill -9 of a rank: nothing finished is lost, and the same command goes on from the store to the same bytes.

    kills_test.py TOOL [TIMES]

A random rank and the first one, TIMES times each (20): under mpirun as it is, which ends the job then, and with
--enable-recovery, where the others go on.
"""

import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from mpirun import ENVIRONMENT, command, folder, need_mpi, run

EXPLORE = ["explore", "va", "--size", "n=16777216", "--target", "upmem", "--dtype", "i32", "--set", "ranks=8", "--map",
           "auto;dpus=512", "--no-bounds", "--no-check", "--jobs", "1"]
RANKS = 3


def results(store):
    """What the store has, by key."""
    if not store.exists():
        return {}
    with sqlite3.connect(store) as db:
        try:
            return {(kind, name): value for kind, name, value in db.execute("SELECT kind, name, value FROM results")}
        except sqlite3.OperationalError:
            return {}  # it was killed before there were tables


def ranks_of(launcher, tool):
    """Process numbers of the ranks, the first one first; fewer while they start."""
    found = {}
    for pid in Path("/proc").iterdir():
        if not pid.name.isdigit():
            continue
        try:
            if int((pid / "stat").read_text().rsplit(")", 1)[1].split()[1]) != launcher:
                continue
            for entry in (pid / "environ").read_bytes().split(b"\0"):
                if entry.startswith(b"OMPI_COMM_WORLD_RANK="):
                    found[int(entry.split(b"=")[1])] = int(pid.name)
        except (OSError, ValueError):
            continue
    return [found[r] for r in sorted(found)] if len(found) == RANKS else []


def kill_one(tool, place, reference, rng, who, flags):
    store, out = Path(place) / "k.db", Path(place) / "k.csv"
    for old in Path(place).glob("k.*"):
        old.unlink()
    arguments = [*EXPLORE, "--store", str(store), "-o", str(out)]
    job = subprocess.Popen(command(tool, RANKS, arguments, flags), env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    end = time.monotonic() + 20
    while not (ranks := ranks_of(job.pid, tool)) and time.monotonic() < end:
        time.sleep(0.01)
    # Open MPI waits forever for a rank that dies while it starts, unless it ends the job: then later, in the middle of work.
    while flags and not results(store) and time.monotonic() < end:
        time.sleep(0.01)
    time.sleep(rng.uniform(0.0, 1.2))
    rank = 0 if who == "first" else rng.randrange(1, RANKS)
    try:
        subprocess.run(["kill", f"-{signal.SIGKILL.value}", str(ranks[rank])], stderr=subprocess.DEVNULL)
    except IndexError:
        raise AssertionError("ranks did not start") from None
    try:
        status = job.wait(timeout=60)
    except subprocess.TimeoutExpired:
        assert not flags, "others did not go on"
        for rank in ranks_of(job.pid, tool):  # the launcher waits for ranks that are gone: Open MPI, while they start
            subprocess.run(["kill", "-9", str(rank)], stderr=subprocess.DEVNULL)
        job.kill()
        status = job.wait()
    has_survived = out.exists() and out.read_bytes() == reference
    kept = results(store)
    run(tool, 2, arguments)
    assert out.read_bytes() == reference, "the rerun answers something else"
    after = results(store)
    assert all(after.get(key) == value for key, value in kept.items()), "a result was lost"
    return len(kept), status == 0 and has_survived


def main():
    tool, times = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    need_mpi(tool)
    rng = random.Random(1)
    with folder() as place:
        one = Path(place) / "one.csv"
        run(tool, 0, [*EXPLORE, "-o", str(one)])
        reference = one.read_bytes()
        for who, flags in (("other", ()), ("other", ("--enable-recovery",)), ("first", ())):
            runs = [kill_one(tool, place, reference, rng, who, flags) for _ in range(times)]
            kept = sorted(n for n, _ in runs)
            survived = sum(s for _, s in runs)
            print(f"{who} rank killed {times} times{' with ' + flags[0] if flags else ''}: {survived} jobs answered all "
                  f"the same; stores had {kept[0]} to {kept[-1]} results, all of them afterwards; reruns equal", flush=True)
            if flags:
                assert survived == times, "others did not go on"


main()
