#!/usr/bin/env python3
"""Explorations and tunings on workers of dask.distributed: the same answers as in one process; lost workers; mistakes."""

import json
import os
import sys
import tempfile
import unittest

from support import NOT_RUN, pimento  # first: says "not run here" without NumPy
import kernels as K
from pimento.library import Query

try:
    import distributed
except ImportError:
    print("not run here: no dask.distributed (scripts/install-deps.sh --with mpi)")
    sys.exit(NOT_RUN)

GEMV = {"m": 256, "n": 256}
TIMES = ("seconds", "compile_seconds", "simulation_seconds", "wall_us", "compile_us")


def lines(result):
    """All that a result says, but for how long it took."""
    def stable(value):
        if isinstance(value, dict):
            return {k: stable(v) for k, v in value.items() if k not in TIMES}
        return [stable(v) for v in value] if isinstance(value, list) else value

    return json.dumps(stable(result.to_dict()), indent=1)


def die_once(folder, *arguments):
    """A share whose first worker dies."""
    from pathlib import Path
    from pimento import cluster

    mark = Path(folder) / "dead"
    if not mark.exists():
        mark.touch()
        os._exit(1)
    return cluster.share(*arguments)


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Workers are processes, which find the package where this one does.
        package = os.path.dirname(os.path.dirname(pimento.__file__))
        os.environ["PYTHONPATH"] = os.pathsep.join([package, os.path.dirname(os.path.abspath(__file__))])
        cls.folder = tempfile.TemporaryDirectory()
        cls.local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                             local_directory=cls.folder.name)
        cls.client = distributed.Client(cls.local)

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.local.close()
        cls.folder.cleanup()

    def test_sweeps_are_those_of_one_process(self):
        asked = dict(sweep="tRP=10..16", map="reference")
        self.assertEqual(lines(pimento.explore("gemv", GEMV, client=self.client, **asked)),
                         lines(pimento.explore("gemv", GEMV, **asked)))

    def test_mappings_are_those_of_one_process(self):
        for exhaustive in (True, None):
            asked = dict(exhaustive=exhaustive)
            self.assertEqual(lines(pimento.explore("gemv", GEMV, client=self.client, shares=5, **asked)),
                             lines(pimento.explore("gemv", GEMV, **asked)))

    def test_python_kernels_travel(self):
        asked = dict(sweep="tRP=10..13", map="reference")
        sizes = [(64, 128), (128,)]
        self.assertEqual(lines(pimento.explore(K.gemv, sizes, client=self.client, **asked)),
                         lines(pimento.explore(K.gemv, sizes, **asked)))

    def test_files_are_found_from_the_workers_folders(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                with open("mine.cnm", "w", encoding="utf-8") as file:
                    file.write(K.gemv.cnm([(64, 128), (128,)]))
                asked = dict(sweep="tRP=10..12", map="reference")
                self.assertEqual(lines(pimento.explore("mine.cnm", client=self.client, **asked)),
                                 lines(pimento.explore("mine.cnm", **asked)))
            finally:
                os.chdir(before)

    def test_tunings_are_those_of_one_process(self):
        with tempfile.TemporaryDirectory() as folder:
            answers = []
            for client in (self.client, None):
                store = os.path.join(folder, "results.db")
                answers.append(lines(pimento.tune("gemv", {"m": 64, "n": 256}, store=store, client=client)))
                os.unlink(store)
            self.assertEqual(*answers)

    def test_results_stay_in_the_store_and_are_used_again(self):
        with tempfile.TemporaryDirectory() as folder:
            store = os.path.join(folder, "sweep.db")
            asked = dict(map="reference", store=store)
            pimento.explore("gemv", GEMV, sweep="tRP=10..13", client=self.client, **asked)
            more = pimento.explore("gemv", GEMV, sweep="tRP=10..16", client=self.client, **asked)
            self.assertEqual(len(more), 7)
            self.assertEqual(os.listdir(folder), ["sweep.db"])
            # Both were shared by two, and nothing was left to compute here.
            kept = json.loads(Query({"kernel": "show", "files": [store]}).run("store").json)
            for problem in kept["problems"]:
                self.assertEqual(problem["plans"], [{"of": 2, "done": [1, 2], "begun": [], "missing": []}])

    def test_a_share_of_a_lost_worker_is_computed_by_another(self):
        from pimento import cluster

        with tempfile.TemporaryDirectory() as folder:
            real, asked = cluster.share, dict(sweep="tRP=10..16", map="reference")

            class Client:  # one of the shares kills its worker
                def __getattr__(self, name):
                    return getattr(Cluster.client, name)

                def submit(self, function, *arguments, **options):
                    assert function is real
                    return Cluster.client.submit(die_once, folder, *arguments, **options)

            self.assertEqual(lines(pimento.explore("gemv", GEMV, client=Client(), **asked)),
                             lines(pimento.explore("gemv", GEMV, **asked)))
            self.assertTrue(os.listdir(folder))

    def test_mistakes_are_said(self):
        def fails(text, **options):
            with self.assertRaisesRegex(pimento.Error, text) as raised:
                pimento.explore("gemv", GEMV, **{"sweep": "tRP=10..12", "map": "reference", **options})
            return raised.exception

        fails("python-argument", client=3)
        fails("pass 'client'", shares=3)
        fails("not a number of tasks", client=self.client, shares=0)
        fails("'share' is for one process", client=self.client, share="1/2")
        found = fails("unknown number 'nonsense'", client=self.client, sweep="nonsense=1")
        self.assertEqual((found.code, found.file), ("sweep-unknown", __file__))

    def test_workers_of_another_version_are_refused(self):
        from pimento import cluster

        before, cluster._version = cluster._version, lambda: "9.9.9"
        try:
            with self.assertRaisesRegex(pimento.Error, r"a worker has Pimento \S+, this process 9\.9\.9 \[python-cluster\]"):
                pimento.explore("gemv", GEMV, sweep="tRP=10..12", map="reference", client=self.client)
        finally:
            cluster._version = before


if __name__ == "__main__":
    unittest.main()
