#include "pimento/machine/sections/dpu.h"

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"
#include "pimento/machine/sections/transfers.h"

namespace pimento::machine {

namespace {

row::Rows rows() {
  return {
      row::section("system", "how many DPUs there are"),
      row::integer("system.ranks", "count", 1, 4096, "ranks", true),
      row::integer("system.ranks_per_dimm", "count", 1, 8, "ranks per module", true),
      row::integer("system.dpus", "count", 1, 1024, "DPUs per rank", true),
      row::section("dpu", "a multithreaded core next to its own DRAM bank"),
      row::integer("dpu.tasklets", "count", 1, 24, "hardware threads", true),
      row::integer("dpu.atomic_bits", "count", 1, 256, "atomic bits, used by acquire and release", true),
      row::integer("dpu.instructions", "count", 1, 65536, "capacity of IRAM in instructions", true),
      row::integer("dpu.wram", "B|KiB|MiB", 1024, 16777216, "working memory", true),
      row::integer("dpu.mram", "B|KiB|MiB|GiB", 1024, 2147483648.0, "DRAM bank", true),
      row::integer("dpu.issue_interval", "cycle", 1, 63, "from one instruction of a tasklet to its next", true),
      row::integer("dpu.multiplier", "cycle", 0, row::kMostCycles,
                   "from a 32-bit product of a hardware multiplier to the tasklet's next instruction; 0: multiply "
                   "steps, as in hardware",
                   false),
      row::choice("dpu.register_hazard", {"none", "even-odd"},
                  "none, or uPIMulator's operand-fetch penalty, which hardware does not show"),
      row::choice("dpu.strict_dma", {"off", "on"},
                  "on: a transfer whose addresses are not multiples of dma.unit is a fault; off: their low bits are "
                  "ignored, as in hardware",
                  false),
      row::choice("dpu.mram_model", {"table", "constant", "dram-rows"},
                  "transfer times from a table, constant for all transfers, or from a row-buffer model"),
      row::section("dpu.dma", "transfers between MRAM and WRAM", true),
      row::integer("dpu.dma.unit", "B", 8, 2048, "granularity of sizes and addresses", true),
      row::integer("dpu.dma.largest", "B|KiB", 8, 2048, "bytes of the largest transfer", true),
      row::integer("dpu.dma.ports", "count", 1, 65536, "concurrent transfers; a transfer takes the first free one",
                   false),
      row::real("dpu.dma.constant", "cycle", 0, row::kMostCycles, "time of any transfer, if mram_model is constant",
                false),
      row::integer("dpu.dma.ticks", "count", 1, 1024, "fractions of a cycle that transfer times are rounded to", true),
      row::integer("dpu.dma.refresh_interval", "cycle|ns", 0, row::kMostCycles,
                   "between two refreshes of MRAM; 0: no refresh", false),
      row::integer("dpu.dma.refresh_time", "cycle|ns", 0, row::kMostCycles, "time a refresh keeps MRAM busy", false),
      row::section("dpu.dma.read", "transfers from MRAM to WRAM, by size", true),
      row::section("dpu.dma.read.*", "one size; times of sizes in between are interpolated"),
      row::integer("dpu.dma.read.*.size", "B|KiB", 8, 2048, "bytes", true),
      row::real("dpu.dma.read.*.latency", "cycle", 0, row::kMostCycles,
                "of a transfer alone: from the issue of its instruction to the tasklet's next"),
      row::real("dpu.dma.read.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one transfer to the next in a saturated engine"),
      row::section("dpu.dma.write", "transfers from WRAM to MRAM, by size", true),
      row::section("dpu.dma.write.*", "one size; times of sizes in between are interpolated"),
      row::integer("dpu.dma.write.*.size", "B|KiB", 8, 2048, "bytes", true),
      row::real("dpu.dma.write.*.latency", "cycle", 0, row::kMostCycles,
                "of a transfer alone: from the issue of its instruction to the tasklet's next"),
      row::real("dpu.dma.write.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one transfer to the next in a saturated engine"),
      row::section("dpu.dma.rows", "row-buffer model, replaces the tables"),
      row::integer("dpu.dma.rows.row", "B|KiB", 8, 65536, "bytes per row", true),
      row::integer("dpu.dma.rows.column", "B", 8, 2048, "bytes per column access", true),
      row::real("dpu.dma.rows.overhead", "cycle", 0, row::kMostCycles, "fixed time per transfer"),
      row::real("dpu.dma.rows.column_time", "cycle", 0, row::kMostCycles,
                "per column access; column accesses do not overlap"),
      row::real("dpu.dma.rows.row_miss", "cycle", 0, row::kMostCycles, "additional, if a row must be opened"),
  };
}

void build(const Contents &c, Machine &m) {
  if (!c.has("dpu")) return;
  Dpu d;
  d.maxTasklets = c.integer("dpu.tasklets");
  d.atomicBits = c.integer("dpu.atomic_bits");
  d.instructions = c.integer("dpu.instructions");
  d.wram = c.bytes("dpu.wram");
  d.mram = c.bytes("dpu.mram");
  d.issueInterval = c.cycles("dpu.issue_interval");
  d.multiplier = c.cycles("dpu.multiplier");
  d.registerHazard = c.text("dpu.register_hazard");
  d.hasStrictDma = c.text("dpu.strict_dma") == "on";
  d.mramModel = c.text("dpu.mram_model");
  d.transferPorts = c.integer("dpu.dma.ports", 1);
  d.constantTransfer = c.real("dpu.dma.constant");
  d.transferUnit = c.bytes("dpu.dma.unit");
  d.transferMax = c.bytes("dpu.dma.largest");
  d.ticksPerCycle = c.integer("dpu.dma.ticks", 1);
  d.refreshInterval = c.cycles("dpu.dma.refresh_interval");
  d.refreshTime = c.cycles("dpu.dma.refresh_time");
  d.reads = transfers(c, "dpu.dma.read");
  d.writes = transfers(c, "dpu.dma.write");
  d.rows = {c.bytes("dpu.dma.rows.row"), c.bytes("dpu.dma.rows.column"), c.real("dpu.dma.rows.overhead"),
            c.real("dpu.dma.rows.column_time"), c.real("dpu.dma.rows.row_miss")};
  m.dpu = std::move(d);
}

void check(const Contents &c, const Machine &m) {
  if (!m.dpu) return;
  const Dpu &d = *m.dpu;
  if (!c.has("system"))
    c.report("missing-section", "dpu", "DPUs need the section 'system'", "it gives the number of DPUs");
  checkTransfers(c, "dpu.dma.read", d.reads, d.transferUnit.value);
  checkTransfers(c, "dpu.dma.write", d.writes, d.transferUnit.value);
  if (d.refreshInterval.value != 0 && d.refreshTime >= d.refreshInterval)
    c.impossible("dpu.dma.refresh_time", "refresh would keep MRAM busy all the time",
                 "refresh_time must be below refresh_interval");
  if (d.mramModel == "constant" && !c.has("dpu.dma.constant"))
    c.report("missing-key", "dpu.mram_model", "'constant' needs the key 'dpu.dma.constant'",
             "add it, or write mram_model: table");
  if (d.mramModel == "dram-rows" && !c.has("dpu.dma.rows"))
    c.report("missing-section", "dpu.mram_model", "'dram-rows' needs the section 'dpu.dma.rows'",
             "add it, or write mram_model: table");
  if (d.wram.value % 8 != 0 || d.mram.value % 8 != 0)
    c.impossible("dpu.wram", "memories must be multiples of 8 bytes", "the DMA engine moves 8 bytes at a time");
}

}  // namespace

Section section::dpu() {
  return {rows, build, check};
}

}  // namespace pimento::machine
