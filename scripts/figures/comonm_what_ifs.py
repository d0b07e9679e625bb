"""Figure 15 of the CoMoNM paper: hypothetical machines, as numbers of the machine file.

The paper states kernels, sizes and 16 tasklets per DPU, and no mappings. Ours spread the work over 2,048 DPUs (16 DIMMs,
as the paper's machine), once with the programs of published measurements (the mapping "reference") and once with those that
Pimento compiles.
"""

from dataclasses import dataclass, field

from tables import table

DPUS = 2048
RANKS = 32
PROGRAMS = {"reference": "published", "compiled": "compiled"}
TASKLETS = 16


@dataclass
class WhatIf:
    about: str
    kernel: str
    size: str
    change: list
    maps: dict  # program: mapping on upmem, mapping on the modelled machine
    data: str = ""
    published: str = ""  # key of the paper's number
    quick: str = ""  # a size that runs at once on one DPU; empty: left out of quick runs
    quick_change: list = field(default_factory=list)


def same(mapping):
    return (mapping, mapping)


REFERENCE = f"reference;dpus={DPUS}"
GEMM_REFERENCE = "reference;dpus=64"  # 1,024 rows, one per tasklet
GEMM = "M1:{(32,1,1),(2,32,1),(16,1,1),(1,32,1024)}"
MULTIPLIER = ["dpu.multiplier=44"]

WHAT_IFS = {
    "dma-ports": WhatIf("16 concurrent transfers between MRAM and WRAM, all of constant time", "va", "n=4294967296",
                        ["dpu.dma.ports=16", "dpu.mram_model=constant"],
                        {"reference": same(REFERENCE), "compiled": same("M1:{(32),(64),(16),(131072)}")},
                        published="dma-ports", quick="n=65536"),
    "pipeline": WhatIf("a tasklet issues every 4 cycles, 4 tasklets instead of 16", "gemv", "m=32768,n=16384",
                       ["dpu.issue_interval=4"],
                       {"reference": (REFERENCE, REFERENCE + ";tasklets=4"),
                        "compiled": ("M1:{(32,1),(64,1),(16,1),(1,16384)}", "M1:{(32,1),(64,1),(4,1),(4,16384)}")},
                       data="const:3", published="pipeline", quick="m=64,n=64"),
    "pipeline, 4 tasklets": WhatIf("a tasklet issues every 4 cycles, 4 tasklets on both machines", "gemv",
                                   "m=32768,n=16384", ["dpu.issue_interval=4"],
                                   {"reference": same(REFERENCE + ";tasklets=4"),
                                    "compiled": same("M1:{(32,1),(64,1),(4,1),(4,16384)}")}, data="const:3"),
    "multiplier, 2 bits": WhatIf("a multiplier of 44 cycles; factors of 3, whose products take 110 cycles on UPMEM",
                                 "gemm", "m=1024,n=1024,k=1024", MULTIPLIER,
                                 {"reference": same(GEMM_REFERENCE), "compiled": same(GEMM)}, data="const:3",
                                 published="multiplier", quick="m=16,n=16,k=16"),
    "multiplier, 6 bits": WhatIf("a multiplier of 44 cycles; factors of 32", "gemm", "m=1024,n=1024,k=1024",
                                 MULTIPLIER, {"reference": same(GEMM_REFERENCE), "compiled": same(GEMM)},
                                 data="const:32", published="multiplier"),
    "wram": WhatIf("128 KiB of WRAM, the reference program with buffers of 2 KiB instead of 1 KiB", "red", "n=4294967296",
                   ["dpu.wram=128KiB"],
                   {"reference": (REFERENCE, REFERENCE + ";buffer=512"), "compiled": same("M1:{(32),(64),(16),(131072)}")},
                   published="wram", quick="n=65536"),
    "mram": WhatIf("128 MiB of MRAM", "hst", "n=2147483648", ["dpu.mram=128MiB"],
                   {"reference": same(REFERENCE), "compiled": same("M1:{(32),(64),(16),(65536)}")}, data="const:4095",
                   published="mram", quick="n=16384"),
}

# How much larger buffers give a reduction, from the smallest transfer on: elements of 4 bytes.
BUFFERS = (2, 4, 8, 16, 32, 64, 128, 256)


def arguments(kernel, size, mapping, data, sets):
    out = ["estimate", kernel, "--target", "upmem", "--dtype", "i32", "--size", size, "--map", mapping]
    if data:
        out += ["--data", data]
    for s in sets:
        out += ["--set", s]
    return out


def pair(runner, name, what, program, options):
    maps = what.maps[program]
    sizes, ranks, dpus = what.size, [f"ranks={RANKS}"], DPUS
    if options.is_quick:
        maps = tuple(m.replace(f";dpus={DPUS}", "").replace(";dpus=64", "") for m in maps)
        sizes, ranks, dpus = what.quick, ["ranks=1"], 1
    slug = name.replace(", ", "-").replace(" ", "-")
    commands = [arguments(what.kernel, sizes, m, what.data, ranks + change)
                for m, change in zip(maps, ([], what.change))]
    found = []
    for side, command in zip(("upmem", "modelled"), commands):
        report = runner.json(f"what-if-{slug}-{program}-{side}", command)
        used = 64 if "dpus=64" in command[command.index("--map") + 1] else dpus
        found.append({"cycles": report["cycles"], "exact": report["exact"], "command": runner.command(command),
                      "issue_pct": 100 * report["counts"]["instructions"] / (used * report["cycles"])})
    return {"upmem": found[0], "modelled": found[1], "speedup": found[0]["cycles"] / found[1]["cycles"]}


def collect(runner, options):
    found = {}
    for name, what in WHAT_IFS.items():
        if options.is_quick and not what.quick:
            continue
        programs = ("reference",) if options.is_quick else tuple(what.maps)
        found[name] = {program: pair(runner, name, what, program, options) for program in programs}
    sizes = ("n=65536", "reference", ["ranks=1"]) if options.is_quick else ("n=4294967296", REFERENCE, [f"ranks={RANKS}"])
    buffers = {}
    for elements in BUFFERS[-2:] if options.is_quick else BUFFERS:
        command = arguments("red", sizes[0], f"{sizes[1]};buffer={elements}", "", sizes[2])
        buffers[str(4 * elements)] = runner.json(f"what-if-buffer-{4 * elements}", command)["cycles"]
    return {"what_ifs": found, "red_by_buffer_bytes": buffers}


def draw(result, published):
    bars, rows, machines = [], [], []
    for name, programs in result["what_ifs"].items():
        what = WHAT_IFS[name]
        paper = published["speedups"].get(what.published)
        label = f"{name} ({what.kernel})"
        for program, r in programs.items():
            bars.append({"label": label, "note": f"{r['speedup']:.2f}x", "series": 0 if program == "reference" else 1,
                         "value": r["speedup"]})
            label = ""
            rows.append([name, f"{what.kernel} {what.size}", PROGRAMS[program], r["upmem"]["cycles"], r["modelled"]["cycles"],
                         r["upmem"]["issue_pct"], r["modelled"]["issue_pct"], float(f"{r['speedup']:.4g}"),
                         paper["text"] if paper else None])
        if paper:
            bars.append({"label": "", "note": paper["text"], "series": 2, "value": paper["value"]})
        machines.append([name, what.about, " ".join(f"--set {c}" for c in what.change), *what.maps["reference"]])
    columns = ["what if", "kernel", "program", ("cycles, upmem", "count"), ("cycles, modelled", "count"),
               ("issue slots used, upmem", "percent"), ("modelled", "percent"), ("speed-up", "plain"), "the paper's"]
    sizes = list(result["red_by_buffer_bytes"].items())
    buffer_rows = [[int(size), cycles, float(f"{cycles / after[1]:.3g}") if after else None]
                   for (size, cycles), after in zip(sizes, [*sizes[1:], None])]
    return {
        "title": "Figure 15: hypothetical UPMEM hardware",
        "about": "Speed-up of five modelled machines over UPMEM: the published programs, our compiled ones, and the paper's",
        "text": [f"Speed-up of the device kernel on a modelled machine over UPMEM, {TASKLETS} tasklets per DPU, {DPUS:,} DPUs (16 "
                 f"DIMMs). A DPU has one issue slot per cycle; the share in use shows what limits a kernel.",
                 f"Theirs: {published['source']}."],
        "chart": {"axis": "speed-up over UPMEM", "quantity": "plain",
                  "series": ["Pimento, published program", "Pimento, compiled program", "CoMoNM"], "bars": bars},
        "tables": [table("Speed-up of modelled machines, ours and the paper's", columns, rows),
                   table("The modelled machines", ["what if", "what changes", "settings", "mapping on upmem", "modelled"],
                         machines),
                   table("Cycles of the published reduction on the standard machine, by size of its buffers, and what twice "
                         "the size gives", [("buffer in bytes", "count"), ("cycles", "count"), ("speed-up of the next", "plain")],
                         buffer_rows)],
        "notes": [],
    }
