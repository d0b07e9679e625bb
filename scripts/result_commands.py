"""The list of commands that same_results.py runs beside the documented ones: every target, kernel of the zoo and kind of
input through every verb, at sizes that take a moment.

Kernels and targets are those that the tool lists; so a new one is compared without an entry here.
"""

import json

from documented import Command

DTYPES = ("f64", "f32", "f16", "bf16", "i64", "i32", "i16", "i8", "u64", "u32", "u16", "u8")
STAGES = ("kernel", "mapping", "cnm", "llvcnm", "commands", "asm", "c", "host", "ir", "mlir")


class List:
    """Sets of commands under their names."""

    def __init__(self):
        self.sections = []

    def add(self, name, *commands, is_slow=False):
        self.sections.append((name, [Command(text, is_long=is_slow) for text in commands]))


def size_of(sizes):
    """A small size of a kernel of the zoo: arrays of thousands, products of hundreds."""
    small = {name: 1 if name == "batch" else 256 if name == "bins" else 4 if name == "heads" else 64 for name in sizes}
    if "n" in sizes and not {"m", "k", "hidden"} & set(sizes):
        small["n"] = 10000
    return ",".join(f"{name}={extent}" for name, extent in small.items())


def add_kernels(out, kernels, targets):
    """Every kernel of the zoo on every target, by each verb."""
    for target in targets:
        for kernel in kernels:
            run = f"{kernel['name']} --size {size_of(kernel['sizes'])} --target {target}"
            commands = [f"pimento {verb} {run} --map {how}" for verb in ("estimate", "simulate") for how in ("reference", "auto")]
            commands += [f"pimento estimate {run} --variant {v} --json" for v in kernel["variants"][1:]]
            commands += [f"pimento estimate {run} --engine two-slice --json", f"pimento simulate {run} --data const:3 --json",
                         f"pimento simulate {run} --data none --json", f"pimento estimate {run} --offload best --json",
                         f"pimento explain {run}", f"pimento explore {run} --limit 20"]
            out.add(f"zoo: {run}", *commands)
            out.add(f"stages: {run}", *(f"pimento compile {run} --emit {stage}" for stage in STAGES),
                    *(f"pimento compile {run} --map reference --emit {e} -o k.{e}" for e in ("cnm", "llvcnm", "mlir")),
                    "pimento estimate k.cnm", "pimento estimate k.llvcnm", "pimento estimate k.mlir --target " + target)


def add_types(out, targets):
    for target in targets:
        for kernel, size in (("va", "n=5000"), ("gemv", "m=64,n=64"), ("red", "n=5000")):
            run = f"{kernel} --size {size} --target {target}"
            out.add(f"types: {run}", *(f"pimento simulate {run} --dtype {d} --json" for d in DTYPES))


def add_numbers(out, ask, targets):
    """explain, number by number."""
    for target in targets:
        for kernel, size in (("gemv", "m=128,n=128"), ("va", "n=10000")):
            run = f"{kernel} --size {size} --target {target}"
            known = json.loads(ask("estimate", *run.split(), "--json") or "{}")
            names = [k for k, v in known.items() if isinstance(v, (int, float)) and not isinstance(v, bool)]
            names += [f"{k}.{n}" for k, v in known.items() if isinstance(v, dict) and k != "run"
                      for n, x in v.items() if isinstance(x, (int, float))]
            out.add(f"numbers: {run}", *(f"pimento explain {run} --number {n} --json" for n in names if not n.endswith("_us")))


def add_files(out, source, targets):
    """Programs in files."""
    sizes = {"conv": "h=16,w=16", "gemm": "m=16,n=16,k=16", "mlp": "in=16,hidden=16,out=8", "stencil": "n=16"}
    for file in sorted((source / "kernels").glob("*.c")):
        text = file.read_text(encoding="utf-8")
        size = sizes.get(file.stem) or ("m=64,n=64" if "int m" in text else "n=4096")
        for target in targets:
            run = f"kernels/{file.name} --size {size} --target {target}"
            out.add(f"C: {run}", f"pimento estimate {run}", f"pimento simulate {run} --map reference --json",
                    f"pimento compile {run} --emit cnm")
    for file in sorted((source / "examples" / "ops").glob("*.mlir")):
        run = f"examples/ops/{file.name}"
        out.add(f"op: {run}", *(f"pimento estimate {run} --target {target} --json" for target in targets))
    for file in sorted((source / "kernels" / "upmem" / "measured").glob("*.s")):
        run = f"kernels/upmem/measured/{file.name}"
        out.add(f"DPU: {run}", f"pimento compile {run} --emit asm")
    for file in sorted((source / "examples" / "upmem" / "c").glob("*/dpu.c")):
        run = file.relative_to(source).as_posix()
        out.add(f"ELF: {run}", f"pimento upmem-cc -O2 -DNR_TASKLETS=8 -o p.elf {run}", "pimento compile p.elf --emit asm",
                "pimento estimate p.elf --set tasklets=8 --max-instructions 100000")
    seeds = source / "test" / "fuzz" / "seeds"
    for folder, ending, verb in (("program_fuzz", "llvcnm", "estimate"), ("mapping_cnm_fuzz", "cnm", "estimate"),
                                 ("dpu_elf_fuzz", "elf", "estimate"), ("frontend_mlir_fuzz", "mlir", "estimate"),
                                 ("driver_result_fuzz", "json", "explain")):
        for file in sorted((seeds / folder).glob(f"*.{ending}")):
            run = f"seeds/{folder}/{file.name}"
            out.add(f"seed: {run}", f"pimento {verb} {run}")
    for file in sorted((seeds / "emit_html_fuzz").glob("*.json")):
        out.add(f"page: {file.name}", f"pimento report seeds/emit_html_fuzz/{file.name} -o page.html")


def add_results(out, targets):
    """Results of results: timelines, pages, comparisons, sweeps, suites."""
    for target in targets:
        run = f"gemv --size m=128,n=128 --target {target}"
        out.add(f"pages: {target}", f"pimento simulate {run} --trace trace.json --json -o run.json",
                "pimento explain run.json", f"pimento explore {run} --limit 30 -o rows.json", f"pimento explore {run} --limit 30 -o rows.csv",
                f"pimento explore {run} --sweep size.m=64,128 -o sweep.html", "pimento report run.json trace.json rows.json -o page.html")
    for dtype in ("f16", "f32", "i32"):
        out.add(f"compare: {dtype}", *(f"pimento compare {kernel} --size {size} --dtype {dtype} --targets {','.join(targets)}"
                                       for kernel, size in (("gemv", "m=64,n=64"), ("va", "n=10000"), ("gemm", "m=16,n=16,k=16"))))


def add_samples(out):
    """Estimates from samples: data decide the time."""
    for kernel, size in (("sel", "n=4000000"), ("hst", "n=4000000"), ("mul", "n=4000000"), ("gemv", "m=4096,n=512")):
        for how in ("reference", "reference;dpus=64", "auto"):
            out.add(f"samples: {kernel} {how}",
                    f"pimento estimate {kernel} --size {size} --target upmem --map '{how}' --seed 3 --json")


def add_networks(out, networks, targets):
    for network in networks:
        for target in targets:
            for offload in ("best", "possible"):
                out.add(f"network: {network['name']} {target} {offload}",
                        f"pimento estimate {network['name']} --target {target} --offload {offload} --json")


def add_suites(out, targets):
    out.add("suites", "pimento validate hbm-pim", "pimento validate hbm-pim --engine simulate --json")
    for target in targets:
        out.add(f"mappings: {target}", f"pimento validate mappings --kernels va,gemv,relu --count 8 --target {target} --json")


def sections(ask, source):
    """(name, commands) of every set. `ask` runs the tool and gives what it prints."""
    kernels = json.loads(ask("kernels", "--json"))["kernels"]
    presets = [t["name"] for t in json.loads(ask("targets", "--json"))["targets"]]
    targets = presets + [f"examples/machines/{p.name}" for p in sorted((source / "examples" / "machines").glob("*.yaml"))]
    networks = [k for k in kernels if not {"m", "n", "len"} & set(k["sizes"])]
    small = [k for k in kernels if k not in networks]
    out = List()
    out.add("lists", "pimento targets", "pimento targets --schema", "pimento kernels",
            *(f"pimento targets {t}" for t in targets), *(f"pimento kernels {k['name']}" for k in kernels))
    add_kernels(out, small, targets)
    add_types(out, targets)
    add_numbers(out, ask, targets)
    add_files(out, source, targets)
    add_results(out, targets)
    add_samples(out)
    add_networks(out, networks, targets)
    add_suites(out, targets)
    return out.sections
