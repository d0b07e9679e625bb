"""Explorations and tunings on the workers of dask.distributed: `pimento.explore(..., client=client)`.

The plan is cut into shares (`--share I/N` of the command line). Each is a task: it computes into a store of its own, whose
bytes come back and are merged here. Then the verb runs here as it would without a client, and finds its results in the store.
"""

import os
import shutil
import tempfile
from pathlib import Path

from .errors import Error, caller, diagnostic, misuse
from .library import Query, library

NOT_SHARED = ("share", "engine", "model", "train", "retrain")  # a predictor is taught by one process


def run(verb, given, text, client, shares):
    """The Answer of a verb, whose shares the workers of `client` have computed. `given`, `text`: of a Query."""
    if not hasattr(client, "submit") or not hasattr(client, "nthreads"):
        raise misuse("python-argument", f"client: {client!r} is not a client of dask.distributed",
                     "pass distributed.Client(...)")
    for option in NOT_SHARED:
        if given.get(option) is not None:
            raise misuse("python-argument", f"'{option}' is for one process", f"leave out '{option}' or 'client'")
    if shares is None:
        shares = sum(client.nthreads().values())
    if not isinstance(shares, int) or shares < 1:
        raise misuse("python-argument", f"shares: {shares!r} is not a number of tasks",
                     "give a positive number" if shares else "start workers, or give the number of shares")
    with tempfile.TemporaryDirectory(prefix="pimento-") as folder:
        store = _store(verb, given) or os.path.join(folder, "all.db")
        _compute(verb, _elsewhere(given), text, client, shares, store, Path(folder))
        return Query({**given, "store": store}, text).run(verb)


def _compute(verb, given, text, client, shares, store, folder):
    """Puts what the workers compute into `store`, share by share."""
    from distributed import as_completed  # where there is a client, there is the package

    known = None
    if os.path.exists(store):
        _merge(folder / "known.db", [store])  # a copy without the writes of other processes
        known = client.scatter((folder / "known.db").read_bytes(), broadcast=True)
    tasks = [client.submit(share, verb, given, text, i, shares, _version(), caller(), known,
                           pure=False)
             for i in range(1, shares + 1)]
    try:
        for number, (_, data) in enumerate(as_completed(tasks, with_results=True)):
            part = folder / f"share-{number}.db"
            part.write_bytes(data)
            _merge(store, [part])
            part.unlink()
    except ImportError as e:
        raise misuse("python-cluster", f"the workers cannot run Pimento: {e}",
                     "install the package for the workers' Python") from None
    finally:
        client.cancel(tasks)


def share(verb, given, text, number, of, version, place, known):
    """On a worker: the bytes of the store that share `number` computes, which begins as `known`. `version`, `place`: of
    the process that asks. Raises Error."""
    if _version() != version:
        raise Error([diagnostic("python-cluster", f"a worker has Pimento {_version()}, this process {version}",
                                "install one version everywhere", file=place[0], line=place[1], kind="usage")])
    folder = tempfile.mkdtemp(prefix="pimento-")
    try:
        store = os.path.join(folder, "share.db")
        if known is not None:
            Path(store).write_bytes(known)
        # As many shares as threads: each has one.
        Query({**given, "store": store, "share": f"{number}/{of}", "jobs": 1}, text, place).run(verb)
        return Path(store).read_bytes()
    finally:
        shutil.rmtree(folder)


def _version():
    return library().pimento_version().decode()


def _merge(into, stores):
    Query({"kernel": "merge", "files": [str(into), *map(str, stores)]}).run("store")


def _store(verb, given):
    """The store that the verb uses without a client; None: none."""
    store = given.get("store")
    if store is None and verb == "tune":
        store = os.environ.get("PIMENTO_STORE") or _usual_store()
    return None if store in (None, "none") else os.path.abspath(store)


def _usual_store():
    """As src/driver/store_option.cpp has it."""
    cache = os.environ.get("XDG_CACHE_HOME") or (os.environ.get("HOME") and os.path.join(os.environ["HOME"], ".cache"))
    if not cache:
        return None
    os.makedirs(os.path.join(cache, "pimento"), exist_ok=True)
    return os.path.join(cache, "pimento", "results.db")


def _elsewhere(given):
    """Options for processes that are in other folders."""
    return {key: os.path.abspath(value) if key in ("kernel", "target") and isinstance(value, str)
            and os.path.isfile(value) else value for key, value in given.items()}
