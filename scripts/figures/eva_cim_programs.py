"""Eva-CiM's benchmarks on every choice of caches, cells and levels: one run of each program gives all of them."""

import concurrent.futures
import os
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
sys.path.append(str(SOURCE / "scripts"))  # behind our own folder, which has a module of the same name as one there
from cim import mpeg2, toolchain  # noqa: E402
from cim.benchmarks import BENCHMARKS, SEED  # noqa: E402

ISA = "a32"
CACHES = {"32 + 256 KB": "32KiB/4+256KiB/8", "64 + 256 KB": "64KiB/4+256KiB/8", "64 KB + 2 MB": "64KiB/4+2MiB/8"}
LEVELS = {"L1 alone": "l1d", "L2 alone": "l2", "both": "l1d+l2"}
CELLS = {"SRAM": "sram", "FeFET": "fefet"}
ACCOUNTS = ("paper, low", "paper, high", "resimulated", "ideal")
RELEASE = "release"  # without a time
# What figures show: Table VI's machine, and what differs from it in one thing.
USUAL = ("32 + 256 KB", "SRAM", "both")
CHOICES = [USUAL, *((c, "SRAM", "both") for c in list(CACHES)[1:]), *(("32 + 256 KB", "SRAM", v) for v in list(LEVELS)[:2]),
           ("32 + 256 KB", "FeFET", "both")]
QUICK = ("nb", "bfs")


def command_of(benchmark, folder, is_quick):
    """(program and options, arguments), or why there is none."""
    if benchmark is None:
        clip, _ = mpeg2.make_clip(folder / mpeg2.NAME)
        program, root = mpeg2.fetch(ISA)
        return [str(program), *(["--sysroot", str(root)] if root else [])], ["-o", "null", str(clip)]
    program = toolchain.build(benchmark, ISA, folder)
    sizes = benchmark.small if is_quick else benchmark.usual
    return [str(program), "--start", "region_begin", "--stop", "region_end"], [str(n) for n in (SEED, *sizes)]


def numbers_of(account):
    return {k: account[k] for k in ("cycles", "speedup", "energy_pj", "energy_improvement", "share_processor", "share_caches")}


def accounts_of(choice):
    paper = choice["accounts"]["paper"]
    found = [paper["low"], paper["high"], choice["accounts"]["resimulated"], choice["accounts"]["ideal"]]
    as_it_is = {"cycles": choice["cycles"], "energy_pj": choice["energy_pj"]}
    release = {RELEASE: numbers_of(choice["accounts"]["release"])} if "release" in choice["accounts"] else {}
    return {"as it is": as_it_is, **{name: numbers_of(a) for name, a in zip(ACCOUNTS, found)}, **release}


def collect(runner, options):
    """{paper's name: numbers}, and what was not run."""
    folder = runner.folder / "programs"
    chosen = [b for b in BENCHMARKS if not options.is_quick or b.name in QUICK]
    missing = toolchain.ISAS[ISA].missing()
    if missing:
        return {"programs": {}, "partly_run": f"not run here: there is no {missing} (scripts/install-deps.sh --with guests)"}
    jobs = [(b.paper, b) for b in chosen] + ([] if options.is_quick else [("M2D", None)])

    def one(job):
        name, benchmark = job
        try:
            program, arguments = command_of(benchmark, folder, options.is_quick)
        except mpeg2.NotHere as reason:
            return {"refused": str(reason)}
        found = {}
        # Choices that share caches are one run.
        for caches, shape in CACHES.items():
            of_caches = [c for c in CHOICES if c[0] == caches]
            cells = list(dict.fromkeys(c[1] for c in of_caches))
            levels = list(dict.fromkeys(c[2] for c in of_caches))
            answer = runner.json(f"{name}-{shape.replace('/', '-')}", [
                "profile", *program, "--caches", shape, "--technology", ",".join(CELLS[c] for c in cells), "--levels",
                ",".join(LEVELS[v] for v in levels), "--set", "cim.moves=copy", "--stdout", "/dev/null", "--quiet", "--", *arguments])
            every = answer["choices"] or [answer]
            for i, (cell, level) in enumerate((c, v) for c in cells for v in levels):
                if (caches, cell, level) in CHOICES:
                    found[" | ".join((caches, cell, level))] = accounts_of(every[i])
            if caches == USUAL[0]:  # whose first choice is the usual one
                whole = {"instructions": answer["instructions"], "cpi": answer["cpi"], "macr": answer["macr"]["paper"], "macr_l1":
                         answer["macr"]["l1"], "candidates": answer["candidates"], "operations": answer["operations_offloaded"], "lost": answer["lost"]}
        return {**whole, "accounts": found}

    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        found = dict(zip([name for name, _ in jobs], pool.map(one, jobs)))
    refused = {name: f["refused"] for name, f in found.items() if "refused" in f}
    result = {"programs": {n: f for n, f in found.items() if n not in refused}}
    if refused:
        result["partly_run"] = "; ".join(f"{n}: not run here: {why}" for n, why in refused.items())
    return result
