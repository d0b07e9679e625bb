#include "pimento/machine/sections/compute.h"

#include <algorithm>
#include <map>
#include <utility>

#include "pimento/base/dtype.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"
#include "pimento/machine/sections/transfers.h"

namespace pimento::machine {

namespace {

/// Virtual instructions, as program::operationNames() has them, but for "loop".
std::vector<std::string> operationList() {
  return {"set",  "index", "test", "load",   "store",  "move",   "add",    "sub",    "mul",    "div",    "rem",
          "min",  "max",   "and",  "or",     "xor",    "shl",    "shr",    "neg",    "abs",    "exp",    "log",
          "sqrt", "tanh",  "relu", "cmp_eq", "cmp_ne", "cmp_lt", "cmp_le", "cmp_gt", "cmp_ge", "select", "cast"};
}

std::vector<std::string> dtypeList() {
  std::vector<std::string> names;
  for (const DType t : allDTypes()) names.emplace_back(name(t));
  return names;
}

row::Rows rows() {
  return {
      row::section("compute", "how a unit executes virtual instructions"),
      row::choice("compute.mode", {"pipeline", "vector"},
                  "threads share one pipeline in turn, or are lanes of a vector in lock step"),
      row::integer("compute.threads", "count", 1, 4096,
                   "threads of a unit, or lanes (machines with DPUs: dpu.tasklets)", false),
      row::integer("compute.issue_interval", "cycle", 1, 63,
                   "from one issue slot of a thread to its next (machines with DPUs: dpu.issue_interval)", false),
      row::integer("compute.loop", "count", 0, 1024, "issue slots per loop iteration, for counter and branch", false),
      row::section("compute.operations", "cost of each operation and element type", true),
      row::section("compute.operations.*", "operations with the same cost"),
      row::list("compute.operations.*.operations", "which", operationList(), true),
      row::list("compute.operations.*.types", "element types", dtypeList(), true),
      row::integer("compute.operations.*.slots", "count", 0, 1048576, "issue slots", true),
      row::integer("compute.operations.*.latency", "cycle", 0, row::kMostCycles,
                   "from its last slot to the thread's next slot", false),
      row::section("memories", "memories of a unit"),
      row::section("memories.bank", "its DRAM bank", true),
      row::integer("memories.bank.size", "B|KiB|MiB|GiB", 1024, 1099511627776.0, "bytes", true),
      row::choice("memories.bank.access", {"blocking", "non-blocking"},
                  "during an access, the whole unit waits, or only the requesting thread"),
      row::integer("memories.bank.ports", "count", 1, 65536, "concurrent accesses; 1 if omitted", false),
      row::integer("memories.bank.unit", "B", 1, 65536, "granularity of access sizes", true),
      row::integer("memories.bank.largest", "B|KiB", 1, 65536, "bytes of the largest access; larger ones are split",
                   true),
      row::integer("memories.bank.ticks", "count", 1, 1024,
                   "fractions of a cycle that times are rounded to; 1 if omitted", false),
      row::section("memories.bank.read", "reads, by size", true),
      row::section("memories.bank.read.*", "one size; times of sizes in between are interpolated"),
      row::integer("memories.bank.read.*.size", "B|KiB", 1, 65536, "bytes", true),
      row::real("memories.bank.read.*.latency", "cycle", 0, row::kMostCycles, "of an access alone"),
      row::real("memories.bank.read.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one access to the next at a saturated bank"),
      row::section("memories.bank.write", "writes, by size", true),
      row::section("memories.bank.write.*", "one size; times of sizes in between are interpolated"),
      row::integer("memories.bank.write.*.size", "B|KiB", 1, 65536, "bytes", true),
      row::real("memories.bank.write.*.latency", "cycle", 0, row::kMostCycles, "of an access alone"),
      row::real("memories.bank.write.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one access to the next at a saturated bank"),
      row::section("memories.scratchpad", "working memory between bank and registers, if any"),
      row::integer("memories.scratchpad.size", "B|KiB|MiB", 64, 1073741824, "bytes", true),
      row::integer("memories.scratchpad.slots", "count", 1, 1024, "issue slots per load or store", true),
  };
}

/// A DPU is a unit too: its threads and memories stand in `dpu`.
UnitMemory memoryOf(const Dpu &d) {
  UnitMemory u;
  u.size = d.mram;
  u.unit = d.transferUnit;
  u.largest = d.transferMax;
  u.ticksPerCycle = d.ticksPerCycle;
  u.reads = d.reads;
  u.writes = d.writes;
  u.ports = d.transferPorts;
  u.refreshInterval = d.refreshInterval;
  u.refreshTime = d.refreshTime;
  u.scratchpad = d.wram;
  if (d.mramModel == "constant") u.reads = u.writes = {{u.unit, d.constantTransfer, d.constantTransfer}};
  return u;
}

UnitMemory memoryOf(const Contents &c) {
  UnitMemory u;
  u.size = c.bytes("memories.bank.size");
  u.isBlocking = c.text("memories.bank.access") == "blocking";
  u.ports = c.integer("memories.bank.ports", 1);
  u.unit = c.bytes("memories.bank.unit");
  u.largest = c.bytes("memories.bank.largest");
  u.ticksPerCycle = c.integer("memories.bank.ticks", 1);
  u.reads = transfers(c, "memories.bank.read");
  u.writes = transfers(c, "memories.bank.write");
  u.scratchpad = c.bytes("memories.scratchpad.size");
  u.scratchpadSlots = c.integer("memories.scratchpad.slots", 1);
  return u;
}

void build(const Contents &c, Machine &m) {
  if (!c.has("compute")) return;
  Compute x;
  x.mode = c.text("compute.mode") == "vector" ? Compute::Mode::kVector : Compute::Mode::kPipeline;
  x.loopSlots = c.integer("compute.loop");
  x.threads = m.dpu ? m.dpu->maxTasklets : c.integer("compute.threads");
  x.issueInterval = m.dpu ? m.dpu->issueInterval : c.cycles("compute.issue_interval");
  for (const Entry &e : c.entries("compute.operations")) {
    const std::string at = "compute.operations." + e.key + ".";
    if (c.get(at + "slots") == nullptr) continue;  // source and confidence of the section
    Compute::Operation o{e.key, c.list(at + "operations"), {}, c.integer(at + "slots"), c.cycles(at + "latency")};
    for (const std::string &t : c.list(at + "types"))
      if (const auto type = parseDType(t)) o.types.push_back(*type);
    x.operations.push_back(std::move(o));
  }
  m.compute = std::move(x);
  m.unitMemory = m.dpu ? memoryOf(*m.dpu) : memoryOf(c);
}

/// Each operation on each type once.
void checkOperations(const Contents &c, const Compute &compute) {
  std::map<std::pair<std::string, DType>, std::string> seen;
  for (const Compute::Operation &o : compute.operations)
    for (const std::string &operation : o.operations)
      for (const DType t : o.types) {
        const auto [at, isNew] = seen.emplace(std::pair{operation, t}, o.name);
        if (!isNew)
          c.report("duplicate-operation", "compute.operations." + o.name,
                   "'" + operation + "' on " + std::string(name(t)) + " is already listed in '" + at->second + "'",
                   "list each operation once per type");
      }
}

void check(const Contents &c, const Machine &m) {
  if (!m.compute) return;
  const Compute &x = *m.compute;
  const UnitMemory &u = *m.unitMemory;
  checkOperations(c, x);
  if (m.dpu) {
    if (c.has("memories") || c.has("compute.threads") || c.has("compute.issue_interval"))
      c.report("unknown-key", "compute", "threads and memories of a machine with DPUs belong in its section 'dpu'",
               "remove them here");
    return;
  }
  for (const char *needed : {"compute.threads", "compute.issue_interval", "memories"})
    if (!c.has(needed))
      return c.report("missing-key", "compute", "'" + std::string(needed) + "' is missing",
                      "a unit without DPUs needs its threads and memories specified");
  if (m.levels.size() < 2 || m.levels.back().count != x.threads)
    c.report("wrong-levels", "levels",
             "the innermost level must count compute.threads, with a level of units around it",
             "for example 'thread: {count: compute.threads}'");
  checkTransfers(c, "memories.bank.read", u.reads, u.unit.value);
  checkTransfers(c, "memories.bank.write", u.writes, u.unit.value);
  if (u.largest.value % u.unit.value != 0)
    c.impossible("memories.bank.largest", "the largest access is not a multiple of the unit", "choose a multiple");
}

}  // namespace

const Compute::Operation *Compute::costOf(std::string_view operation, DType type) const {
  for (const Operation &o : operations)
    if (std::find(o.operations.begin(), o.operations.end(), operation) != o.operations.end() &&
        std::find(o.types.begin(), o.types.end(), type) != o.types.end())
      return &o;
  return nullptr;
}

Section section::compute() {
  return {rows, build, check};
}

}  // namespace pimento::machine
