#include "pimento/driver/option_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "pimento/base/overloaded.h"
#include "pimento/base/text.h"
#include "pimento/driver/verbs.h"

namespace pimento::driver {

namespace {

using V = VerbId;
using G = OptionGroup;

constexpr VerbSet kRuns = {V::kEstimate, V::kSimulate, V::kExplain};
constexpr VerbSet kKernelVerbs = kRuns | VerbSet{V::kCompile, V::kCompare, V::kExplore, V::kTune};
constexpr VerbSet kMachineVerbs = kKernelVerbs | VerbSet{V::kTargets, V::kCalibrate, V::kValidate};
constexpr VerbSet kExplore = {V::kExplore}, kSearches = {V::kExplore, V::kTune}, kValidate = {V::kValidate},
                  kCompare = {V::kCompare}, kLlm = {V::kLlm}, kServe = {V::kServe};
constexpr VerbSet kLlms = kLlm | kServe, kStores = VerbSet{V::kTune} | kLlms;
constexpr double kMostJobs = 1024, kMostLaunches = 1e6, kMostInstructions = 1e15, kMostMappings = 1e8, kMostGpus = 1024,
                 kMostTokens = 1e6;

// clang-format off
constexpr auto kRows = std::to_array<OptionRow>({
  {.name = {}, .field = &Options::input, .apiKey = "kernel"},
  {.name = {}, .field = &Options::machinePath, .help = "folders with machine files",
   .apiKey = "machines"},
  {.name = {}, .field = &Options::inputs, .apiKey = "files"},
  {.name = "size", .field = &Options::sizes, .value = "NAME=N,...", .verbs = kKernelVerbs | VerbSet{V::kKernels},
   .help = "extents, as in m=4096,n=1024, or of a whole tensor, A=64x128; kernels of the zoo name their sizes, notation and C use the names in the text, "
           "MLIR has d0, d1, ... or ARG:DIM; repeatable",
   .group = G::kKernel, .runKey = "sizes", .apiKey = "size"},
  {.name = "dtype", .field = &Options::dtype, .value = "TYPE", .verbs = kKernelVerbs | VerbSet{V::kKernels},
   .help = "element type of zoo kernels and notation: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u64 u32 u16 u8",
   .group = G::kKernel, .runKey = "dtype", .apiKey = "dtype", .usual = "the machine's native type"},
  {.name = "dtype", .field = &Options::dtype, .value = "TYPE", .verbs = kLlms,
   .help = "element type of weights, keys and values: f16, bf16 or f8e4m3", .page = "how-to/llm.md", .runKey = "dtype",
   .usual = "f16"},
  {.name = "convert", .field = &Options::converts, .value = "FROM=TO,...", .verbs = kKernelVerbs,
   .help = "run a kernel of one floating type in another, or in i8 with scales, as in f32=f16, f32=i8 or f32=i8:0.05; "
           "the report states the numeric error; repeatable",
   .page = "how-to/convert.md", .group = G::kKernel, .runKey = "convert", .isAlwaysInRun = false, .apiKey = "convert"},
  {.name = "variant", .field = &Options::variant, .value = "NAME", .verbs = kKernelVerbs | VerbSet{V::kKernels},
   .help = "variant of the kernel: plain, tree or measured",
   .group = G::kKernel, .runKey = "variant", .apiKey = "variant", .usual = "plain"},
  {.name = "function", .field = &Options::function, .value = "NAME", .verbs = kKernelVerbs | VerbSet{V::kKernels},
   .help = "function to read from an MLIR or C file with several",
   .group = G::kKernel, .runKey = "function", .apiKey = "function"},
  {.name = "include", .letter = 'I', .field = &Options::includes, .value = "FOLDER",
   .verbs = kKernelVerbs | VerbSet{V::kKernels}, .help = "folder with headers of a C file; repeatable",
   .page = "how-to/c-kernels.md", .group = G::kKernel, .runKey = "includes", .isAlwaysInRun = false,
   .apiKey = "include"},
  {.name = "define", .letter = 'D', .field = &Options::defines, .value = "NAME[=VALUE]",
   .verbs = kKernelVerbs | VerbSet{V::kKernels}, .help = "macro of a C file; repeatable",
   .page = "how-to/c-kernels.md", .group = G::kKernel, .runKey = "defines", .isAlwaysInRun = false,
   .apiKey = "define"},
  {.name = "target", .field = &Options::target, .value = "NAME|FILE.yaml",
   .verbs = kRuns | VerbSet{V::kCompile} | kSearches,
   .help = "machine: a name that `pimento targets` lists, or a machine file",
   .runKey = "target", .alsoInRunOf = kCompare,
   .usual = "hbm-pim; upmem for DPU programs; for .cnm, .dcc and .llvcnm files the one they name"},
  {.name = "target", .field = &Options::target, .value = "NAME|FILE.yaml", .verbs = kValidate,
   .help = "mappings: the machine", .usual = "hbm-pim"},
  {.name = "target", .field = &Options::target, .value = "NAME|FILE.yaml", .verbs = {V::kProfile},
   .help = "machine with a core that runs programs", .page = "models/cim.md", .usual = "cim-a9"},
  {.name = "target", .field = &Options::target, .value = "NAME|FILE.yaml|none", .verbs = kLlms,
   .help = "machine of a PIM device; none: GPUs alone", .page = "how-to/llm.md", .runKey = "target",
   .usual = "the host's gpu.device; attacc-published for published schedules"},
  {.name = "baseline", .field = &Options::baseline, .value = "NAME", .verbs = kCompare,
   .help = "one of the targets: the others' speedup and energy efficiency over it",
   .page = "how-to/compare.md"},
  {.name = "targets", .field = &Options::targets, .value = "NAME,...", .verbs = kCompare,
   .help = "machines to compare, or all", .apiKey = "target", .separator = ',', .usual = "all"},
  {.name = "set", .field = &Options::sets, .value = "PATH=VALUE", .verbs = kMachineVerbs | VerbSet{V::kProfile} | kLlms,
   .help = "override a number of the machine; channels=, ranks=, dpus= and tasklets= are short names; repeatable",
   .page = "how-to/machine-file.md", .runKey = "sets", .apiKey = "set"},
  {.name = "map", .field = &Options::maps, .value = "SPEC", .verbs = kLlms,
   .help = "mapping of layers on PIM devices: reference or auto", .page = "how-to/llm.md", .runKey = "map",
   .usual = "llm: auto for products of weights, reference for attention; serve: reference"},
  {.name = "host", .field = &Options::host, .value = "NAME|FILE.yaml", .verbs = kLlms,
   .help = "GPU: a host that comes with Pimento, or a machine file with a section gpu", .page = "how-to/llm.md",
   .runKey = "host"},
  {.name = "gpus", .field = &Options::gpus, .value = "N", .verbs = kLlms, .help = "GPUs that share the model's layers",
   .page = "how-to/llm.md", .runKey = "gpus", .low = 1, .high = kMostGpus},
  {.name = "devices", .field = &Options::devices, .value = "N", .verbs = kLlms, .help = "PIM devices of each GPU",
   .page = "how-to/llm.md", .runKey = "devices", .low = 0, .high = kMostGpus, .usual = "the host's gpu.devices"},
  {.name = "batch", .field = &Options::batch, .value = "N", .verbs = kLlm, .help = "requests that run together",
   .page = "how-to/llm.md", .runKey = "batch", .low = 1, .high = kMostTokens},
  {.name = "batch", .field = &Options::mostRequests, .value = "N", .verbs = kServe,
   .help = "most requests that run together", .page = "how-to/llm.md#serve-requests", .runKey = "batch", .low = 1,
   .high = kMostTokens},
  {.name = "requests", .field = &Options::requests, .value = "FILE.csv", .verbs = kServe,
   .help = "requests: columns arrival_s (or arrival_ms, arrival_us), prompt and output",
   .page = "how-to/llm.md#serve-requests", .runKey = "requests"},
  {.name = "tables", .field = &Options::tables, .value = "FILE.csv", .verbs = kServe,
   .help = "write the time and energy of each layer that was needed, for other simulators",
   .page = "how-to/llm.md#serve-requests"},
  {.name = "trace", .field = &Options::trace, .value = "FILE", .verbs = kServe,
   .help = "write a timeline of requests and devices for Perfetto"},
  {.name = "prompt", .field = &Options::prompt, .value = "N", .verbs = kLlm, .help = "tokens of each prompt",
   .page = "how-to/llm.md", .runKey = "prompt", .low = 1, .high = kMostTokens},
  {.name = "generate", .field = &Options::generate, .value = "N", .verbs = kLlm,
   .help = "tokens that each request generates; the prompt gives the first", .page = "how-to/llm.md",
   .runKey = "generate", .low = 1, .high = kMostTokens},
  {.name = "schedule", .field = &Options::schedule, .value = "HOW", .verbs = kLlm,
   .help = "sound (no device does two things at once, nothing is read before it is there), or the overlap that the "
           "published study assumes: published-base, published-full; with its compiler's mappings: published-dcc-base, "
           "published-dcc-full",
   .page = "how-to/llm.md#published-schedules", .runKey = "schedule"},
  {.name = "map", .field = &Options::maps, .value = "SPEC", .verbs = kKernelVerbs,
   .help = "mapping: reference, auto, host, or one in full such as 'M1:{(64,1),(8,1),(1,16),(8,256)}'; '|' separates "
           "the kernels of a graph",
   .page = "cli.md#mappings", .group = G::kKernel, .runKey = "map", .apiKey = "map",
   .usual = "that of the file, else auto"},
  {.name = "pass", .field = &Options::passes, .value = "-NAME", .verbs = kKernelVerbs,
   .help = "leave out a pass of the near-bank optimiser ('compile --emit passes' lists them); repeatable",
   .page = "how-to/optimiser-pass.md", .group = G::kMappings, .runKey = "passes", .isAlwaysInRun = false,
   .apiKey = "pass"},
  {.name = "fp", .field = &Options::fp, .value = "HOW", .verbs = kKernelVerbs,
   .help = "how tensor graphs of computing SRAM are rewritten: strict (every bit stays) or reassociate (floating-point sums and "
           "products in other orders, too); 'compile --emit tdfg' shows the result",
   .page = "tdfg.md#rewriting-graphs", .group = G::kKernel, .runKey = "fp", .isAlwaysInRun = false,
   .apiKey = "fp", .usual = "as the machine's sram.rewrite"},
  {.name = "objective", .field = &Options::objective, .value = "WHAT", .verbs = kKernelVerbs,
   .help = "what auto mappings minimise: time (in total), energy, or kernel (cycles of the device kernel alone; also compute); "
           "explore: only that, instead of time and energy together; tune: what it minimises",
   .page = "cli.md#mappings", .group = G::kKernel, .runKey = "objective", .isAlwaysInRun = false,
   .apiKey = "objective", .usual = "time"},
  {.name = "data", .field = &Options::data, .value = "SPEC", .verbs = kKernelVerbs,
   .help = "operands: random, none (timing only, nothing is checked), zero, one, const:V, uniform:A,B or "
           "FILE.npy[,NAME=FILE.npy]; on UPMEM their values affect the time",
   .runKey = "data", .apiKey = "data", .usual = "random"},
  {.name = "seed", .field = &Options::seed, .value = "N", .verbs = kKernelVerbs | kValidate,
   .help = "seed of random data and of random mappings",
   .runKey = "seed", .apiKey = "seed"},
  {.name = "offload", .field = &Options::offload, .value = "WHAT", .verbs = kKernelVerbs,
   .help = "kernels of a graph that run on the device: all (an error if one cannot), possible (all that can), some "
           "(all that can, at least one; a part that the device cannot compute is left to the host), or best (those that "
           "are faster there than on the host)",
   .page = "networks.md", .group = G::kKernel, .runKey = "offload", .apiKey = "offload",
   .usual = "best for networks, else some on HBM-PIM and all on others"},
  {.name = "constant", .field = &Options::constants, .value = "TENSOR,...", .verbs = kKernelVerbs | VerbSet{V::kKernels},
   .help = "inputs that are the same in every run (weights): placed once, before the first run; not included in the "
           "totals",
   .runKey = "constants", .apiKey = "constant", .separator = ','},
  {.name = "engine", .field = &Options::engine, .value = "NAME", .verbs = {V::kEstimate, V::kCompare},
   .help = "fast-forward (exact), or two-slice (extrapolates as CoMoNM does); compare: also simulate (every target "
           "computes on data, and its answer is checked)",
   .page = "how-to/engines.md", .runKey = "engine", .isAlwaysInRun = false, .apiKey = "engine",
   .usual = "fast-forward"},
  {.name = "engine", .field = &Options::engine, .value = "NAME", .verbs = kValidate,
   .help = "simulate, fast-forward or two-slice", .page = "how-to/engines.md",
   .usual = "simulate on upmem, else fast-forward"},
  {.name = "engine", .field = &Options::engine, .value = "NAME", .verbs = {V::kTune},
   .help = "exact (proves the optimum), predictor (a learned model compares all drafts, and the best 16 by it are run) or "
           "predictor-only (the best by it)",
   .page = "tune.md#the-predictor", .group = G::kMappings, .runKey = "engine", .isAlwaysInRun = false,
   .usual = "exact"},
  {.name = "engine", .field = &Options::engine, .value = "NAME", .verbs = {V::kProfile},
   .help = "what runs the program: qemu, interpreter (static programs for RISC-V 64), or auto (QEMU where it is installed)",
   .page = "how-to/profile.md#without-qemu", .usual = "auto"},
  {.name = "alpha", .field = &Options::alpha, .value = "A", .verbs = VerbSet{V::kEstimate} | kValidate,
   .help = "two-slice: allowed deviation from the second piece taking twice as long as the first",
   .page = "decisions/0013-two-slice.md", .runKey = "alpha", .isAlwaysInRun = false, .low = 1e-9, .high = 1,
   .usual = "0.05"},
  {.name = "in", .field = &Options::ins, .value = "PLACE=DATA", .verbs = kRuns,
   .help = "DPU programs: data before the launch, as in PLACE=FILE or PLACE=u32:1,2*8; repeatable",
   .page = "how-to/dpu-program.md", .group = G::kDpuProgram, .runKey = "in", .alsoInRunOf = kCompare},
  {.name = "out", .field = &Options::outs, .value = "TENSOR=FILE|PLACE:WHAT[=FILE]",
   .verbs = {V::kSimulate},
   .help = "kernels: a result as a file, as in y=y.npy; DPU programs: data after the last launch, as in PLACE:u32[8], "
           "PLACE:BYTES=FILE or PLACE:u32[8]=FILE.npy; repeatable",
   .page = "how-to/data.md", .runKey = "out",
   .alsoInRunOf = {V::kEstimate, V::kCompare}},
  {.name = "launches", .field = &Options::launches, .value = "N", .verbs = kRuns,
   .help = "DPU programs: number of consecutive launches", .page = "how-to/dpu-program.md",
   .group = G::kDpuProgram, .runKey = "launches", .alsoInRunOf = kCompare, .low = 1, .high = kMostLaunches},
  {.name = "max-instructions", .field = &Options::maxInstructions, .value = "N", .verbs = kRuns,
   .help = "DPU programs: stop a launch after this many instructions", .page = "how-to/dpu-program.md",
   .group = G::kDpuProgram, .runKey = "max_instructions", .isAlwaysInRun = false, .low = 1, .high = kMostInstructions},
  {.name = "profile", .field = &Options::isProfile, .verbs = kRuns,
   .help = "DPU programs: show the time of functions and source lines", .page = "how-to/dpu-program.md",
   .group = G::kDpuProgram},
  {.name = "sysroot", .field = &Options::sysroot, .value = "FOLDER", .verbs = {V::kProfile, V::kCompile},
   .help = "folder with the loader and the libraries of a dynamic program", .page = "how-to/profile.md"},
  {.name = "stdout", .field = &Options::stdoutFile, .value = "FILE", .verbs = {V::kProfile, V::kCompile},
   .help = "where the program's output goes", .page = "how-to/profile.md", .usual = "standard error"},
  {.name = "locality", .field = &Options::locality, .value = "HOW", .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "how near operands must lie for a cache to compute with them: level, bank (of one level) or bitline (of one "
           "bank)",
   .page = "models/cim.md", .group = G::kHost, .runKey = "locality", .isAlwaysInRun = false, .usual = "the machine's cim.locality"},
  {.name = "levels", .field = &Options::levels, .value = "NAMES", .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "caches that compute, joined by + where they do so together; profile: several choices, as in l1d,l2,l1d+l2",
   .page = "how-to/profile.md#choices", .group = G::kHost, .runKey = "levels", .isAlwaysInRun = false, .usual = "the machine's cim.levels"},
  {.name = "rows", .field = &Options::sharesRows, .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "operations on neighbouring words of a line, asked for one after the other, are one on the row (the paper has "
           "each apart)",
   .page = "models/cim.md#rows", .group = G::kHost, .runKey = "rows", .isAlwaysInRun = false},
  {.name = "technology", .field = &Options::technology, .value = "CELLS", .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "cells of the data caches: sram, fefet, stt-mram, reram or a file; profile: several choices, with commas",
   .page = "models/arrays.md", .group = G::kHost, .runKey = "technology", .isAlwaysInRun = false, .usual = "the machine's energies"},
  {.name = "arrays", .field = &Options::arrays, .value = "SETS", .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "whose numbers price the data caches: release-constants, destiny, cacti7, mcpat, table3 or a file; profile: "
           "several choices, with commas",
   .page = "models/arrays.md", .group = G::kHost, .runKey = "arrays", .isAlwaysInRun = false, .usual = "with --technology release-constants, destiny for cells that it lacks"},
  {.name = "caches", .field = &Options::caches, .value = "SIZES", .verbs = {V::kProfile, V::kCompile, V::kExplore},
   .help = "sizes of the caches on the way of data, with ways or without, as in 64KiB/4+2MiB; profile: several choices, "
           "with commas",
   .page = "how-to/profile.md#choices", .group = G::kHost, .runKey = "caches", .isAlwaysInRun = false, .usual = "the machine's caches"},
  {.name = "start", .field = &Options::start, .value = "PLACE[:N]", .verbs = {V::kProfile, V::kCompile},
   .help = "begin at a function or an address (0x...), when it is reached for the Nth time",
   .page = "how-to/profile.md#a-part-of-a-run", .usual = "the program's first instruction"},
  {.name = "stop", .field = &Options::stop, .value = "PLACE[:N]", .verbs = {V::kProfile, V::kCompile},
   .help = "end before a function or an address, when it is reached for the Nth time after the start",
   .page = "how-to/profile.md#a-part-of-a-run", .usual = "the program's end"},
  {.name = "skip", .field = &Options::skip, .value = "N", .verbs = {V::kProfile, V::kCompile},
   .help = "leave out so many instructions from the start on", .page = "how-to/profile.md#a-part-of-a-run",
   .low = 0, .high = kMostInstructions},
  {.name = "max-instructions", .field = &Options::maxInstructions, .value = "N", .verbs = {V::kProfile},
   .help = "end after so many instructions", .page = "how-to/profile.md#a-part-of-a-run", .low = 1,
   .high = kMostInstructions},
  {.name = "max-instructions", .field = &Options::maxInstructions, .value = "N", .verbs = {V::kCompile},
   .help = "programs of a host: end after so many instructions", .page = "how-to/profile.md#what-it-executes", .low = 1,
   .high = kMostInstructions, .usual = "10,000, or all with -o"},
  {.name = "sample", .field = &Options::isSampled, .verbs = {V::kProfile},
   .help = "run windows at random places (--seed), and estimate the whole from them",
   .page = "how-to/profile.md#sampling"},
  {.name = "seed", .field = &Options::seed, .value = "N", .verbs = {V::kProfile}, .help = "seed of the windows' places"},
  {.name = "save", .field = &Options::save, .value = "FILE.ptrace", .verbs = {V::kProfile},
   .help = "save what ran as a trace, which can be profiled again without QEMU and the program",
   .page = "how-to/profile.md#saved-traces"},
  {.name = "save-values", .field = &Options::savesValues, .verbs = {V::kProfile},
   .help = "--save: with what every access loads or stores", .page = "how-to/profile.md#saved-traces"},
  {.name = "save-reshaped", .field = &Options::saveReshaped, .value = "FILE.ptrace", .verbs = {V::kProfile},
   .help = "save what is left once caches compute as a trace", .page = "how-to/profile.md#the-reshaped-program"},
  {.name = "check-reshaped", .field = &Options::checksReshaped, .verbs = {V::kProfile},
   .help = "execute what is left once caches compute, each on the bytes that it has, and compare output, status and "
           "memory with the program's (static programs for RISC-V 64)",
   .page = "how-to/profile.md#the-reshaped-program"},
  {.name = "bridge", .field = &Options::isBridged, .verbs = {V::kProfile},
   .help = "simulate one effect of computing in caches after the other: what lies between the paper's account and the "
           "simulated one",
   .page = "how-to/profile.md#the-reshaped-program"},
  {.name = "lines", .field = &Options::isLined, .verbs = {V::kProfile},
   .help = "show what functions, inlined calls and source lines take, what caches save there, and what keeps the rest on "
           "the core",
   .page = "how-to/profile.md#functions-and-lines"},
  {.name = "top", .field = &Options::top, .value = "N", .verbs = {V::kProfile},
   .help = "rows of the tables of functions and lines", .page = "how-to/profile.md#functions-and-lines", .low = 1,
   .high = 1e6},
  {.name = "sources", .field = &Options::sourceFolders, .value = "FOLDER", .verbs = {V::kProfile},
   .help = "look for source files here, too; repeatable", .page = "how-to/profile.md#functions-and-lines"},
  {.name = "source-map", .field = &Options::sourceMaps, .value = "OLD=NEW", .verbs = {V::kProfile},
   .help = "sources whose folder was OLD when the program was built are now below NEW; repeatable",
   .page = "how-to/profile.md#functions-and-lines"},
  {.name = "check", .field = &Options::check, .value = "HOW", .verbs = {V::kSimulate},
   .help = "reference for the results of a C or MLIR file: text (the source, compiled for this computer), "
           "or interpreter (the imported kernel only)",
   .page = "checking.md", .runKey = "check", .isAlwaysInRun = false, .usual = "text"},
  {.name = "trace", .field = &Options::trace, .value = "FILE", .verbs = {V::kSimulate},
   .help = "write a timeline for Perfetto"},
  {.name = "trace", .field = &Options::trace, .value = "FILE", .verbs = {V::kProfile},
   .help = "write the pipeline of the first 100,000 instructions as a timeline for Perfetto",
   .page = "how-to/profile.md#the-pipeline"},
  {.name = "emit", .field = &Options::emit, .value = "STAGE", .verbs = {V::kCompile},
   .help = "stage to print: kernel, mapping, dims, drafts, passes, cnm, dcc, llvcnm, commands, asm, c, host, ir, mlir, sdfg, tdfg or inf; of a program: trace, istate, "
           "idg, candidates, reshaped, release or pipeline"},
  {.name = "sweep", .field = &Options::sweeps, .value = "PATH=VALUES", .verbs = kExplore,
   .help = "vary a machine number or a kernel size: tRP=10..20, timing.tRCDRD=10,14, channels=1..64*2, "
           "size.m=64,128; repeatable",
   .page = "explore.md", .runKey = "sweeps"},
  {.name = "chunks", .field = &Options::chunks, .value = "SPEC", .verbs = kExplore,
   .help = "cyclic chunks to try: none, or channel=16,32;block=8",
   .page = "explore.md", .group = G::kMappings, .runKey = "chunks",
   .usual = "those that change the program or the host's work"},
  {.name = "orders", .field = &Options::orders, .value = "none|all", .verbs = kExplore,
   .help = "loop orders to try", .page = "explore.md", .group = G::kMappings, .runKey = "orders",
   .usual = "those that change the program or the host's work"},
  {.name = "exhaustive", .field = &Options::isExhaustive, .verbs = kSearches,
   .help = "estimate every mapping, including those proved to be no better",
   .page = "explore.md", .group = G::kMappings, .runKey = "exhaustive"},
  {.name = "no-bounds", .field = &Options::isUnbounded, .verbs = kExplore,
   .help = "do not discard mappings by lower bounds; estimate each",
   .page = "explore.md", .group = G::kMappings, .runKey = "bounds", .runText = "none"},
  {.name = "space", .field = &Options::space, .value = "own|factors|published", .verbs = kSearches,
   .help = "own: the mappings that the target proposes; factors: every split of every dim; published: those of the "
           "published study of a near-bank machine",
   .page = "explore.md", .group = G::kMappings, .runKey = "space", .usual = "own"},
  {.name = "rules", .field = &Options::rules, .value = "N,...", .verbs = {V::kTune},
   .help = "leave out drafts by these rules: 1 (cut alike), 2 (tiles that are no multiple of the lanes), 3 (equal "
           "largest tiles) or 3-rounded (as the paper compares them); 2 and 3 may lose the best one",
   .page = "drafts.md#drafts", .group = G::kMappings, .runKey = "rules", .isAlwaysInRun = false, .separator = ',',
   .usual = "none"},
  {.name = "kernel", .field = &Options::kernels, .value = "NAME,...", .verbs = kSearches,
   .help = "kernels of a graph to search", .page = "explore.md", .runKey = "kernels", .separator = ',', .usual = "all"},
  {.name = "kernels", .field = &Options::kernels, .value = "NAME,...", .verbs = kValidate,
   .help = "mappings: kernels of the zoo", .separator = ',', .usual = "those of the CoMoNM paper"},
  {.name = "limit", .field = &Options::limit, .value = "N", .verbs = kExplore,
   .help = "maximum number of mappings per kernel; a larger space is sampled evenly; 0: no limit",
   .page = "explore.md", .runKey = "limit", .low = 0, .high = kMostMappings},
  {.name = "budget", .field = &Options::budget, .value = "N", .verbs = kSearches,
   .help = "maximum number of mappings to estimate per kernel, smallest lower bounds first; the result states what this "
           "proves; 0: no limit",
   .page = "explore.md", .group = G::kMappings, .runKey = "budget", .low = 0, .high = kMostMappings},
  {.name = "no-check", .field = &Options::isUnchecked, .verbs = kSearches,
   .help = "do not run the best mappings on data", .page = "explore.md", .runKey = "check", .runText = "none"},
  {.name = "store", .field = &Options::store, .value = "FILE.db", .verbs = kExplore,
   .help = "keep results in this file; the same command continues from it", .page = "explore.md"},
  {.name = "store", .field = &Options::store, .value = "FILE.db", .verbs = kStores,
   .help = "keep results in this file; none: nowhere", .page = "tune.md",
   .usual = "$PIMENTO_STORE, else pimento/results.db in the user's cache folder"},
  {.name = "share", .field = &Options::share, .value = "I/N", .verbs = kSearches,
   .help = "compute only each N-th candidate or point, beginning with the I-th, into the store: one of N tasks; 'store merge' "
           "brings their stores together",
   .page = "how-to/cluster.md", .usual = "all"},
  {.name = "model", .field = &Options::model, .value = "FILE.predictor", .verbs = {V::kTune},
   .help = "the predictor's file, which is made where there is none; none: nowhere", .page = "tune.md#the-predictor",
   .runKey = "model", .isAlwaysInRun = false, .usual = "the store's name with the ending .predictor"},
  {.name = "train", .field = &Options::trains, .value = "SIZES", .verbs = {V::kTune},
   .help = "teach the predictor the kernel in these sizes first, as in batch=1,n=1024; repeatable",
   .page = "tune.md#the-predictor", .runKey = "train", .isAlwaysInRun = false,
   .usual = "sizes around the given ones, if it does not know the kernel on this machine"},
  {.name = "retrain", .field = &Options::retrain, .value = "N", .verbs = {V::kTune},
   .help = "run this many drafts of the given sizes first, and teach them to the predictor",
   .page = "tune.md#the-predictor", .runKey = "retrain", .isAlwaysInRun = false, .low = 0, .high = kMostMappings,
   .usual = "0"},
  {.name = "number", .field = &Options::number, .value = "KEY", .verbs = {V::kExplain},
   .help = "number to explain, by its JSON key: breakdown.merge, counts.activates", .page = "explain.md"},
  {.name = "number", .field = &Options::number, .value = "KEY", .verbs = kLlm,
   .help = "number to explain: token, or a layer of it such as token.qkv",
   .page = "how-to/llm.md#where-times-come-from"},
  {.name = "depth", .field = &Options::depth, .value = "N", .verbs = {V::kExplain}, .help = "levels to show",
   .page = "explain.md", .low = -1, .high = 64, .usual = "2; 5 for one number"},
  {.name = "depth", .field = &Options::depth, .value = "N", .verbs = kLlm, .help = "levels of --number to show",
   .page = "how-to/llm.md#where-times-come-from", .low = -1, .high = 64, .usual = "4"},
  {.name = "points", .field = &Options::points, .value = "FILE|DIR", .verbs = VerbSet{V::kCalibrate} | kValidate,
   .help = "a CSV file or a folder of them"},
  {.name = "count", .field = &Options::count, .value = "N", .verbs = kValidate,
   .help = "mappings: random mappings of each kernel", .low = 1, .high = 1e6},
  {.name = "schema", .field = &Options::isSchema, .verbs = {V::kTargets},
   .help = "list the keys of machine files, with kinds and units", .page = "how-to/machine-file.md"},
  {.name = "jobs", .field = &Options::jobs, .value = "N",
   .verbs = kKernelVerbs | VerbSet{V::kCalibrate, V::kValidate} | kLlms, .help = "threads", .apiKey = "jobs", .low = 0,
   .high = kMostJobs, .usual = "all processors"},
  {.name = "json", .field = &Options::isJson,
   .verbs = kRuns | VerbSet{V::kTargets, V::kKernels, V::kCompare, V::kExplore, V::kTune, V::kStore, V::kCalibrate, V::kValidate, V::kProfile, V::kLlm, V::kServe, V::kOptions},
   .help = "print one JSON object and nothing else on standard output"},
  {.name = "output", .letter = 'o', .field = &Options::output, .value = "FILE", .verbs = VerbSet::all(),
   .help = "write the result to a file"},
  {.name = "quiet", .field = &Options::isQuiet, .verbs = VerbSet::all(), .help = "print no warnings and no progress"},
});
// clang-format on

std::string_view nameOf(const OptionRow &row) {
  return row.name.empty() ? row.apiKey : row.name;
}

Diagnostic badValue(const OptionRow &row, std::string_view text, const char *kind) {
  return usageError("option-value", std::string(row.name.empty() ? "" : "--") + std::string(nameOf(row)),
                    fmt::format("'{}' is not a value of {}", text,
                                row.name.empty() ? fmt::format("'{}'", row.apiKey) : fmt::format("--{}", row.name)),
                    row.low == std::numeric_limits<double>::lowest()
                        ? fmt::format("it takes {}", kind)
                        : fmt::format("it takes {} from {} to {}", kind, numberText(row.low), numberText(row.high)));
}

template <typename Integer>
Status setInteger(const OptionRow &row, std::string_view text, Integer &out) {
  Integer value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || static_cast<double>(value) < row.low ||
      static_cast<double>(value) > row.high)
    return badValue(row, text, "an integer");
  out = value;
  return okStatus();
}

Status setNumber(const OptionRow &row, std::string_view text, std::optional<double> &out) {
  const std::optional<double> value = parseNumber(text);
  if (!value || !(*value >= row.low && *value <= row.high)) return badValue(row, text, "a number");
  out = value;
  return okStatus();
}

}  // namespace

std::span<const OptionRow> optionTable() {
  return kRows;
}

const OptionRow *optionOf(VerbId verb, std::string_view name) {
  const auto at = std::ranges::find_if(kRows, [&](const OptionRow &r) { return r.name == name && r.verbs.has(verb); });
  return at == kRows.end() || name.empty() ? nullptr : &*at;
}

const OptionRow *optionOfApi(std::string_view key) {
  const auto at = std::ranges::find(kRows, key, &OptionRow::apiKey);
  return at == kRows.end() || key.empty() ? nullptr : &*at;
}

bool isList(const OptionRow &row) {
  return std::holds_alternative<std::vector<std::string> Options::*>(row.field);
}

std::string usualText(const OptionRow &row) {
  if (!row.usual.empty() || isList(row)) return std::string(row.usual);
  const std::vector<std::string> usual = words(row, Options());
  return usual.empty() ? std::string() : usual.front();
}

std::string helpOf(const OptionRow &row) {
  const std::string usual = usualText(row);
  return std::string(row.help) + (usual.empty() ? "" : fmt::format(" (default: {})", usual));
}

bool isUsual(const OptionRow &row, const Options &options) {
  static const Options usual;
  return std::visit([&](auto field) { return options.*field == usual.*field; }, row.field);
}

void reset(const OptionRow &row, Options &options) {
  static const Options usual;
  std::visit([&](auto field) { options.*field = usual.*field; }, row.field);
}

Status set(const OptionRow &row, std::string_view text, Options &options) {
  const auto value = overloaded{
      [&](std::string &s) {
        s = text;
        return okStatus();
      },
      [&](std::vector<std::string> &list) {
        list.emplace_back(text);
        return okStatus();
      },
      [&](bool &b) -> Status {
        if (text != "true" && text != "false") return badValue(row, text, "true or false");
        b = text == "true";
        return okStatus();
      },
      [&](int &n) { return setInteger(row, text, n); },
      [&](std::int64_t &n) { return setInteger(row, text, n); },
      [&](std::uint64_t &n) { return setInteger(row, text, n); },
      [&](std::optional<double> &x) { return setNumber(row, text, x); },
  };
  return std::visit([&](auto field) { return value(options.*field); }, row.field);
}

std::vector<std::string> words(const OptionRow &row, const Options &options) {
  using Words = std::vector<std::string>;
  const auto text = overloaded{
      [](const std::string &s) { return Words{s}; },
      [](const std::vector<std::string> &list) { return list; },
      [](bool) { return Words{}; },
      [](const std::optional<double> &x) { return x ? Words{numberText(*x)} : Words{}; },
      [](auto n) { return Words{std::to_string(n)}; },
  };
  return std::visit([&](auto field) { return text(options.*field); }, row.field);
}

const OptionRow *firstGiven(OptionGroup group, const Options &options) {
  const auto at =
      std::ranges::find_if(kRows, [&](const OptionRow &r) { return r.group == group && !isUsual(r, options); });
  return at == kRows.end() ? nullptr : &*at;
}

std::string namesOf(OptionGroup group) {
  std::vector<std::string> names;
  for (const OptionRow &r : kRows)
    if (r.group == group) names.push_back("--" + std::string(r.name));
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {}", join(names, ", "), last);
}

std::vector<std::string> commandLine(VerbId verb, const Options &options) {
  std::vector<std::string> line = {"pimento", std::string(verbOf(verb).name), options.input};
  for (const OptionRow &row : kRows) {
    if (!row.verbs.has(verb) || (row.runKey.empty() && row.name != "targets") || isUsual(row, options)) continue;
    const std::string name = "--" + std::string(row.name);
    const std::vector<std::string> values = words(row, options);
    if (std::holds_alternative<bool Options::*>(row.field)) line.push_back(name);
    const auto add = [&](const std::string &value) {
      if (value.starts_with('-'))
        line.push_back(name + "=" + value);
      else
        line.insert(line.end(), {name, value});
    };
    if (row.separator != 0)
      add(join(values, std::string_view(&row.separator, 1)));
    else
      std::ranges::for_each(values, add);
  }
  return line;
}

}  // namespace pimento::driver
