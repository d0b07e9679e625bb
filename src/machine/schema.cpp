// The one table of what a machine file may hold: it drives the reader's checks, unit conversion, hints and the docs.
#include "pimento/machine/machine.h"

namespace pimento::machine {

namespace {

// Bounds that keep arithmetic and memory sane; they describe no device.
constexpr double kAny = 1e15;
constexpr double kMostCount = 1e9;
constexpr double kMostCycles = 1e9;

/// Virtual instructions, as program::operationNames() has them, but for "loop".
std::vector<std::string> operationList() {
  return {"set",  "index", "test", "load",   "store",  "move",   "add",    "sub",    "mul",    "div",    "rem",
          "min",  "max",   "and",  "or",     "xor",    "shl",    "shr",    "neg",    "abs",    "exp",    "log",
          "sqrt", "tanh",  "relu", "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge", "select", "cast"};
}

SchemaRow section(std::string path, std::string meaning, bool isRequired = false) {
  return {std::move(path), ValueKind::kSection, {}, std::move(meaning), isRequired, 0, 0, false, {}};
}
SchemaRow text(std::string path, std::string meaning, bool isRequired = false) {
  return {std::move(path), ValueKind::kText, {}, std::move(meaning), isRequired, 0, 0, false, {}};
}
SchemaRow list(std::string path, std::string meaning, std::vector<std::string> choices = {}, bool isRequired = false) {
  return {std::move(path), ValueKind::kTextList, {}, std::move(meaning), isRequired, 0, 0, false, std::move(choices)};
}
SchemaRow flag(std::string path, std::string meaning) {
  return {std::move(path), ValueKind::kFlag, {}, std::move(meaning), false, 0, 0, false, {}};
}
SchemaRow choice(std::string path, std::vector<std::string> choices, std::string meaning, bool isRequired = true) {
  return {std::move(path), ValueKind::kChoice, {}, std::move(meaning), isRequired, 0, 0, false, std::move(choices)};
}
SchemaRow dtype(std::string path, std::string meaning) {
  return {std::move(path), ValueKind::kDType, {}, std::move(meaning), true, 0, 0, false, {}};
}
SchemaRow integer(std::string path, std::string unit, double low, double high, std::string meaning, bool isRequired) {
  return {std::move(path), ValueKind::kNumber, std::move(unit), std::move(meaning), isRequired, low, high, true, {}};
}
SchemaRow count(std::string path, std::string meaning, bool isRequired = true) {
  return integer(std::move(path), "count", 1, kMostCount, std::move(meaning), isRequired);
}
SchemaRow index(std::string path, std::string unit, std::string meaning) {
  return integer(std::move(path), std::move(unit), 0, kMostCount, std::move(meaning), true);
}
SchemaRow real(std::string path, std::string unit, double low, double high, std::string meaning,
               bool isRequired = true) {
  return {std::move(path), ValueKind::kNumber, std::move(unit), std::move(meaning), isRequired, low, high, false, {}};
}
SchemaRow formula(std::string path, std::string unit, double low, double high, std::string meaning,
                  bool isRequired = true) {
  return {std::move(path), ValueKind::kFormula, std::move(unit), std::move(meaning), isRequired, low, high, true, {}};
}

using Rows = std::vector<SchemaRow>;

std::vector<std::string> dtypeList() {
  std::vector<std::string> names;
  for (const DType t : allDTypes()) names.emplace_back(name(t));
  return names;
}

Rows anywhere() {
  return {
      text("**.source", "where the numbers below come from; inner ones win"),
      choice("**.confidence", {"measured", "datasheet", "paper", "assumed"}, "how far they can be trusted", false),
      text("**.value", "a number in mapping form: {value: 14 cycle, range: [12, 16], source: ..., confidence: ...}"),
      list("**.range", "lowest and highest value that sources give, in the unit of the value"),
      text("**.note", "a remark on a number"),
  };
}

Rows identity() {
  return {
      text("name", "name of the preset, as --target takes it", true),
      text("family", "which lowering serves it: hbm-pim, upmem, ...", true),
      text("about", "what the preset is and is not", true),
      list("notes", "caveats that every report repeats"),
      text("extends", "another preset or file that this one is put on top of; null removes one of its keys"),
      dtype("native_type", "element type a kernel gets by default"),
      section("aliases", "short names for --set"),
      text("aliases.*", "path of the number that the name stands for"),
      section("clock", "clocks", true),
      real("clock.device", "GHz|MHz", 1e-3, 1e3, "clock of the device cycle"),
      section("levels", "compute hierarchy, outermost first", true),
      section("levels.*", "one level"),
      formula("levels.*.count", "count", 1, kMostCount, "instances inside one instance of the level above"),
      flag("levels.*.splits_reduction", "partial results of its instances can be merged"),
      text("levels.*.merge", "who merges them: host, or the name of an outer level"),
      flag("levels.*.must_fill", "instances work in lock step: a mapping must name them all"),
  };
}

Rows dram() {
  return {
      section("organization", "how the DRAM device is built"),
      integer("organization.channels", "count", 1, 65536, "independent channels (HBM: pseudo channels); power of two",
              true),
      count("organization.channels_per_stack", "channels of one stack or module", false),
      integer("organization.ranks", "count", 1, 64, "ranks per channel", true),
      integer("organization.bank_groups", "count", 1, 64, "bank groups per rank", true),
      integer("organization.banks_per_group", "count", 1, 64, "banks per bank group", true),
      count("organization.rows", "rows per bank"),
      integer("organization.columns", "count", 1, 65536, "bursts per row", true),
      integer("organization.burst", "B|KiB", 1, 65536, "bytes one column command moves", true),
      list("organization.address_map",
           "fields of a physical address, least significant first: offset channel bank bankgroup column row rank; each "
           "takes the bits its count needs unless given: 'rank 0 bit'",
           {}, true),
      section("timing", "timing parameters, names as in the datasheet"),
      integer("timing.*", "cycle|ns", 0, kMostCycles, "a parameter; times are rounded up to cycles", false),
      section("commands", "commands of the device"),
      section("commands.*", "one command"),
      choice("commands.*.kind", {"activate", "precharge", "read", "write", "refresh"}, "what it does"),
      choice("commands.*.scope", {"bank", "rank"}, "what it acts on"),
      section("constraints", "after any `preceding` at a node of `level`, each `following` there waits `latency`"),
      section("constraints.*", "one constraint"),
      choice("constraints.*.level", {"channel", "rank", "bankgroup", "bank"}, "at whose nodes it holds"),
      list("constraints.*.preceding", "commands that start the wait", {}, true),
      list("constraints.*.following", "commands that wait", {}, true),
      formula("constraints.*.latency", "cycle", 0, kMostCycles, "how long"),
      integer("constraints.*.window", "count", 1, 64,
              "latency counts from the n-th last preceding command (tFAW: 4); 1 if left out", false),
      section("completion", "issue of a command to its end"),
      formula("completion.read", "cycle", 0, kMostCycles, "read: last data at the host"),
      formula("completion.write", "cycle", 0, kMostCycles, "write: last data in the device"),
      formula("completion.precharge", "cycle", 0, kMostCycles, "precharge: bank idle"),
      formula("completion.refresh", "cycle", 0, kMostCycles, "refresh: banks idle"),
      section("refresh", "how refresh is served"),
      formula("refresh.interval", "cycle", 1, kMostCycles, "between two refreshes of a rank"),
      choice("refresh.policy", {"single-slot", "per-rank", "none"},
             "one pending rank per channel (a second request replaces it), one slot per rank, or no refresh"),
      flag("refresh.waits_for_precharge", "REF waits until precharged banks are idle (tRP)"),
      section("controller", "policies of the memory controller"),
      integer("controller.transaction_queue", "count", 1, 65536, "entries of the queue in front of the scheduler",
              true),
      integer("controller.command_queue", "count", 1, 4096, "entries the scheduler chooses from", true),
      choice("controller.scheduler", {"fr-fcfs-barrier"}, "first ready first served, within barrier groups"),
      choice("controller.precharge", {"eager", "conflict"},
             "close rows that the current barrier group does not need, or only when another row is needed"),
      flag("controller.loses_barrier_on_full_queue", "a barrier on an exactly full transaction queue is dropped"),
      integer("controller.fence", "cycle|ns", 0, kMostCycles, "what a barrier costs the host before it goes on", true),
      formula("controller.command_latency", "cycle", 0, kMostCycles, "issue to arrival at the device"),
  };
}

Rows pim() {
  return {
      section("pim", "units beside the banks"),
      integer("pim.blocks", "count", 1, 64, "units per rank", true),
      integer("pim.lanes", "count", 1, 4096, "lanes of a unit", true),
      integer("pim.banks_per_block", "count", 1, 64, "banks that a unit serves", true),
      integer("pim.grf_entries", "count", 1, 4096, "vector registers in each of GRF_A and GRF_B, one burst each", true),
      integer("pim.srf_entries", "count", 1, 4096, "scalars in each of SRF_M and SRF_A", true),
      integer("pim.crf_words", "count", 1, 4096, "instructions the unit holds", true),
      dtype("pim.type", "element type of the lanes"),
      integer("pim.ranks", "count", 1, 64, "ranks per channel that have units, the first ones", true),
      index("pim.first_control_row", "row", "rows from here on are control or parking rows, never data"),
      section("pim.rows", "rows with a meaning", true),
      index("pim.rows.park", "row", "read to leave all banks in a known state"),
      index("pim.rows.enter_all_bank", "row", "switches to all-bank mode"),
      index("pim.rows.leave_all_bank", "row", "switches to single-bank mode"),
      index("pim.rows.registers", "row", "the register map"),
      section("pim.columns", "columns of those rows, in bursts", true),
      index("pim.columns.mode", "column", "column that mode switches use"),
      index("pim.columns.control", "column", "control register"),
      index("pim.columns.srf", "column", "scalar registers"),
      index("pim.columns.crf", "column", "first column of the instructions"),
      index("pim.columns.grf_a", "column", "first column of GRF_A"),
      index("pim.columns.grf_b", "column", "first column of GRF_B"),
      section("modes", "mode changes: once `command` for `row` has arrived at every bank of `banks`"),
      section("modes.*", "one mode change"),
      choice("modes.*.from", {"single-bank", "all-bank", "all-bank-pim"}, "mode before"),
      choice("modes.*.to", {"single-bank", "all-bank", "all-bank-pim"}, "mode after"),
      choice("modes.*.command", {"activate", "precharge", "read", "write", "refresh"}, "command that counts"),
      formula("modes.*.row", "row", 0, kMostCount, "its row"),
      {"modes.*.banks",
       ValueKind::kNumbers,
       "bank",
       "flat bank numbers: '0 1 8 9 bank'",
       true,
       0,
       kMostCount,
       true,
       {}},
      formula("modes.*.column", "column", 0, kMostCount, "writes: column that must match", false),
      integer("modes.*.value", "byte", 0, 255, "writes: value of byte 0 that must match", false),
  };
}

Rows dpu() {
  return {
      section("system", "how many DPUs there are"),
      integer("system.ranks", "count", 1, 4096, "ranks", true),
      integer("system.ranks_per_dimm", "count", 1, 8, "ranks of one module", true),
      integer("system.dpus", "count", 1, 1024, "DPUs of one rank", true),
      section("dpu", "a multithreaded core beside its own DRAM bank"),
      integer("dpu.tasklets", "count", 1, 24, "hardware threads", true),
      integer("dpu.atomic_bits", "count", 1, 256, "bits of acquire and release", true),
      integer("dpu.instructions", "count", 1, 65536, "instructions that IRAM holds", true),
      integer("dpu.wram", "B|KiB|MiB", 1024, 16777216, "working memory", true),
      integer("dpu.mram", "B|KiB|MiB|GiB", 1024, 2147483648.0, "DRAM bank", true),
      integer("dpu.issue_interval", "cycle", 1, 63, "from one instruction of a tasklet to its next", true),
      integer(
          "dpu.multiplier", "cycle", 0, kMostCycles,
          "from a 32-bit product of a hardware multiplier to the tasklet's next instruction; 0: steps, as in hardware",
          false),
      choice("dpu.register_hazard", {"none", "even-odd"},
             "none, or the operand-fetch penalty of uPIMulator, which hardware does not show"),
      choice("dpu.mram_model", {"table", "constant", "dram-rows"},
             "transfer times from the table, the same for any transfer, or from a row buffer"),
      section("dpu.dma", "transfers between MRAM and WRAM", true),
      integer("dpu.dma.unit", "B", 8, 2048, "sizes and addresses are multiples of it", true),
      integer("dpu.dma.largest", "B|KiB", 8, 2048, "bytes of the largest transfer", true),
      integer("dpu.dma.ports", "count", 1, 24, "transfers under way at once; a transfer takes the first free port",
              false),
      real("dpu.dma.constant", "cycle", 0, kMostCycles, "of any transfer, where mram_model is constant", false),
      integer("dpu.dma.ticks", "count", 1, 1024, "steps of a cycle that transfer times are rounded to", true),
      integer("dpu.dma.refresh_interval", "cycle|ns", 0, kMostCycles, "between two refreshes of MRAM; 0: none", false),
      integer("dpu.dma.refresh_time", "cycle|ns", 0, kMostCycles, "that a refresh keeps MRAM busy", false),
      section("dpu.dma.read", "transfers from MRAM to WRAM, by size", true),
      section("dpu.dma.read.*", "one size; sizes between two of them are interpolated"),
      integer("dpu.dma.read.*.size", "B|KiB", 8, 2048, "bytes", true),
      real("dpu.dma.read.*.latency", "cycle", 0, kMostCycles,
           "a lone one: from the issue of its instruction to the tasklet's next"),
      real("dpu.dma.read.*.occupancy", "cycle", 0, kMostCycles, "from one to the next when the engine never waits"),
      section("dpu.dma.write", "transfers from WRAM to MRAM, by size", true),
      section("dpu.dma.write.*", "one size; sizes between two of them are interpolated"),
      integer("dpu.dma.write.*.size", "B|KiB", 8, 2048, "bytes", true),
      real("dpu.dma.write.*.latency", "cycle", 0, kMostCycles,
           "a lone one: from the issue of its instruction to the tasklet's next"),
      real("dpu.dma.write.*.occupancy", "cycle", 0, kMostCycles, "from one to the next when the engine never waits"),
      section("dpu.dma.rows", "the row model, in place of the tables"),
      integer("dpu.dma.rows.row", "B|KiB", 8, 65536, "bytes of a row", true),
      integer("dpu.dma.rows.column", "B", 8, 2048, "bytes of a column access", true),
      real("dpu.dma.rows.overhead", "cycle", 0, kMostCycles, "of any transfer"),
      real("dpu.dma.rows.column_time", "cycle", 0, kMostCycles, "of a column access; they do not overlap"),
      real("dpu.dma.rows.row_miss", "cycle", 0, kMostCycles, "more, where a row has to be opened"),
  };
}

Rows compute() {
  return {
      section("compute", "how a unit executes virtual instructions"),
      choice("compute.mode", {"pipeline", "vector"},
             "threads take turns in one pipeline, or are lanes of a vector in lock step"),
      integer("compute.threads", "count", 1, 4096, "threads of a unit, or lanes (machines with DPUs: dpu.tasklets)",
              false),
      integer("compute.issue_interval", "cycle", 1, 63,
              "from one issue slot of a thread to its next (machines with DPUs: dpu.issue_interval)", false),
      integer("compute.loop", "count", 0, 1024, "issue slots of an iteration of a loop: counter, branch", false),
      section("compute.operations", "what operations cost, on which types", true),
      section("compute.operations.*", "operations that cost the same"),
      list("compute.operations.*.operations", "which", operationList(), true),
      list("compute.operations.*.types", "on which element types", dtypeList(), true),
      integer("compute.operations.*.slots", "count", 0, 1048576, "issue slots", true),
      integer("compute.operations.*.latency", "cycle", 0, kMostCycles, "from its last slot to the thread's next",
              false),
      section("memories", "memories of a unit"),
      section("memories.bank", "its DRAM bank", true),
      integer("memories.bank.size", "B|KiB|MiB|GiB", 1024, 1099511627776.0, "bytes", true),
      choice("memories.bank.access", {"blocking", "non-blocking"},
             "while one is under way the unit waits, or only the thread that asked"),
      integer("memories.bank.ports", "count", 1, 64, "accesses at a time; 1 if left out", false),
      integer("memories.bank.unit", "B", 1, 65536, "sizes of accesses are multiples of it", true),
      integer("memories.bank.largest", "B|KiB", 1, 65536, "bytes of the largest access; longer ones are split", true),
      integer("memories.bank.ticks", "count", 1, 1024, "steps of a cycle that times are rounded to; 1 if left out",
              false),
      section("memories.bank.read", "reads, by size", true),
      section("memories.bank.read.*", "one size; sizes between two of them are interpolated"),
      integer("memories.bank.read.*.size", "B|KiB", 1, 65536, "bytes", true),
      real("memories.bank.read.*.latency", "cycle", 0, kMostCycles, "of a lone one"),
      real("memories.bank.read.*.occupancy", "cycle", 0, kMostCycles, "from one to the next at one port"),
      section("memories.bank.write", "writes, by size", true),
      section("memories.bank.write.*", "one size; sizes between two of them are interpolated"),
      integer("memories.bank.write.*.size", "B|KiB", 1, 65536, "bytes", true),
      real("memories.bank.write.*.latency", "cycle", 0, kMostCycles, "of a lone one"),
      real("memories.bank.write.*.occupancy", "cycle", 0, kMostCycles, "from one to the next at one port"),
      section("memories.scratchpad", "working memory between bank and registers, where there is one"),
      integer("memories.scratchpad.size", "B|KiB|MiB", 64, 1073741824, "bytes", true),
      integer("memories.scratchpad.slots", "count", 1, 1024, "issue slots of a load or store", true),
  };
}

Rows dpuLink() {
  return {
      section("host.dpus", "how the host reaches many DPUs"),
      real("host.dpus.launch", "ns|us|ms|ps", 0, kAny, "launch of all DPUs, and learning that they are done"),
      real("host.dpus.write_latency", "ns|us|ms|ps", 0, kAny, "of a phase of transfers to DPUs"),
      real("host.dpus.read_latency", "ns|us|ms|ps", 0, kAny, "of a phase of transfers from DPUs"),
      section("host.dpus.write", "to all DPUs of a rank at once, equally much each", true),
      section("host.dpus.write.*", "one number of DPUs; between two of them: interpolated in logarithms"),
      integer("host.dpus.write.*.dpus", "count", 1, 1024, "DPUs of the rank", true),
      real("host.dpus.write.*.rate", "GB/s|TB/s|MB/s", 1e-9, kAny, "of all of them together"),
      section("host.dpus.read", "from all DPUs of a rank at once, equally much each", true),
      section("host.dpus.read.*", "one number of DPUs; between two of them: interpolated in logarithms"),
      integer("host.dpus.read.*.dpus", "count", 1, 1024, "DPUs of the rank", true),
      real("host.dpus.read.*.rate", "GB/s|TB/s|MB/s", 1e-9, kAny, "of all of them together"),
      real("host.dpus.write_limit", "GB/s|TB/s|MB/s", 1e-9, kAny, "of all ranks together"),
      real("host.dpus.read_limit", "GB/s|TB/s|MB/s", 1e-9, kAny, "of all ranks together"),
      real("host.dpus.serial_write", "GB/s|TB/s|MB/s", 1e-9, kAny, "to one DPU after the other"),
      real("host.dpus.serial_read", "GB/s|TB/s|MB/s", 1e-9, kAny, "from one DPU after the other"),
      real("host.dpus.broadcast", "GB/s|TB/s|MB/s", 1e-9, kAny, "one copy for all, bytes counted for each DPU"),
  };
}

Rows energyAndHost() {
  return {
      section("energy", "priced actions, by name", true),
      text("energy.covers", "the chips a total covers, and at which level (device, board, wall)", true),
      real("energy.*", "pJ|nJ|fJ|pJ/bit|mW|W|uW", 0, kAny,
           "cost per unit of the count that `action` gives (pJ/bit: `action` counts bits); a power is background",
           false),
      text("energy.*.action", "formula over action counts and numbers of the file; left out for powers"),
      choice("energy.*.component", {"pim", "dram", "link", "host"}, "part of the machine it belongs to"),
      formula("energy.*.instances", "count", 1, kMostCount, "powers: how many of what it is the power of", false),
      text("energy.*.covers", "what one unit covers, in words", true),
      section("host", "the host beside the device", true),
      text("host.name", "which host", true),
      real("host.link_bandwidth", "GB/s|TB/s|MB/s|B/cycle", 1e-9, kAny, "peak of one link; B/cycle: device cycles"),
      formula("host.links", "count", 1, kMostCount, "links to the device; 1 if left out", false),
      real("host.write_efficiency", "ratio|%", 1e-6, 1, "share of the peak that writing operands reaches"),
      real("host.read_efficiency", "ratio|%", 1e-6, 1, "share of the peak that reading results reaches"),
      real("host.link_latency", "ns|us|ms|ps", 0, kAny, "before the first byte of a transfer phase"),
      real("host.memory_bandwidth", "GB/s|TB/s|MB/s", 1e-9, kAny, "host memory, for rearranging"),
      real("host.merge_rate", "Gop/s", 1e-9, kAny, "additions of partial results"),
      real("host.peak", "GFLOP/s|TFLOP/s", 1e-9, kAny, "roofline of the host in the native type"),
  };
}

Rows allRows() {
  Rows all = anywhere();
  for (Rows part : {identity(), dram(), pim(), dpu(), compute(), energyAndHost(), dpuLink()}) {
    for (SchemaRow &r : part) all.push_back(std::move(r));
  }
  return all;
}

}  // namespace

const std::vector<SchemaRow> &schema() {
  static const std::vector<SchemaRow> kRows = allRows();
  return kRows;
}

}  // namespace pimento::machine
