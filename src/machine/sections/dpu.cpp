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
      row::integer("system.ranks_per_dimm", "count", 1, 8, "ranks of one module", true),
      row::integer("system.dpus", "count", 1, 1024, "DPUs of one rank", true),
      row::section("dpu", "a multithreaded core beside its own DRAM bank"),
      row::integer("dpu.tasklets", "count", 1, 24, "hardware threads", true),
      row::integer("dpu.atomic_bits", "count", 1, 256, "bits of acquire and release", true),
      row::integer("dpu.instructions", "count", 1, 65536, "instructions that IRAM holds", true),
      row::integer("dpu.wram", "B|KiB|MiB", 1024, 16777216, "working memory", true),
      row::integer("dpu.mram", "B|KiB|MiB|GiB", 1024, 2147483648.0, "DRAM bank", true),
      row::integer("dpu.issue_interval", "cycle", 1, 63, "from one instruction of a tasklet to its next", true),
      row::integer(
          "dpu.multiplier", "cycle", 0, row::kMostCycles,
          "from a 32-bit product of a hardware multiplier to the tasklet's next instruction; 0: steps, as in hardware",
          false),
      row::choice("dpu.register_hazard", {"none", "even-odd"},
                  "none, or the operand-fetch penalty of uPIMulator, which hardware does not show"),
      row::choice("dpu.mram_model", {"table", "constant", "dram-rows"},
                  "transfer times from the table, the same for any transfer, or from a row buffer"),
      row::section("dpu.dma", "transfers between MRAM and WRAM", true),
      row::integer("dpu.dma.unit", "B", 8, 2048, "sizes and addresses are multiples of it", true),
      row::integer("dpu.dma.largest", "B|KiB", 8, 2048, "bytes of the largest transfer", true),
      row::integer("dpu.dma.ports", "count", 1, 24, "transfers under way at once; a transfer takes the first free port",
                   false),
      row::real("dpu.dma.constant", "cycle", 0, row::kMostCycles, "of any transfer, where mram_model is constant",
                false),
      row::integer("dpu.dma.ticks", "count", 1, 1024, "steps of a cycle that transfer times are rounded to", true),
      row::integer("dpu.dma.refresh_interval", "cycle|ns", 0, row::kMostCycles,
                   "between two refreshes of MRAM; 0: none", false),
      row::integer("dpu.dma.refresh_time", "cycle|ns", 0, row::kMostCycles, "that a refresh keeps MRAM busy", false),
      row::section("dpu.dma.read", "transfers from MRAM to WRAM, by size", true),
      row::section("dpu.dma.read.*", "one size; sizes between two of them are interpolated"),
      row::integer("dpu.dma.read.*.size", "B|KiB", 8, 2048, "bytes", true),
      row::real("dpu.dma.read.*.latency", "cycle", 0, row::kMostCycles,
                "a lone one: from the issue of its instruction to the tasklet's next"),
      row::real("dpu.dma.read.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one to the next when the engine never waits"),
      row::section("dpu.dma.write", "transfers from WRAM to MRAM, by size", true),
      row::section("dpu.dma.write.*", "one size; sizes between two of them are interpolated"),
      row::integer("dpu.dma.write.*.size", "B|KiB", 8, 2048, "bytes", true),
      row::real("dpu.dma.write.*.latency", "cycle", 0, row::kMostCycles,
                "a lone one: from the issue of its instruction to the tasklet's next"),
      row::real("dpu.dma.write.*.occupancy", "cycle", 0, row::kMostCycles,
                "from one to the next when the engine never waits"),
      row::section("dpu.dma.rows", "the row model, in place of the tables"),
      row::integer("dpu.dma.rows.row", "B|KiB", 8, 65536, "bytes of a row", true),
      row::integer("dpu.dma.rows.column", "B", 8, 2048, "bytes of a column access", true),
      row::real("dpu.dma.rows.overhead", "cycle", 0, row::kMostCycles, "of any transfer"),
      row::real("dpu.dma.rows.column_time", "cycle", 0, row::kMostCycles, "of a column access; they do not overlap"),
      row::real("dpu.dma.rows.row_miss", "cycle", 0, row::kMostCycles, "more, where a row has to be opened"),
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
    c.report("missing-section", "dpu", "DPUs need the section 'system'", "it says how many there are");
  checkTransfers(c, "dpu.dma.read", d.reads, d.transferUnit.value);
  checkTransfers(c, "dpu.dma.write", d.writes, d.transferUnit.value);
  if (d.refreshInterval.value != 0 && d.refreshTime >= d.refreshInterval)
    c.impossible("dpu.dma.refresh_time", "MRAM would be refreshed all the time",
                 "refresh_time must be below refresh_interval");
  if (d.mramModel == "constant" && !c.has("dpu.dma.constant"))
    c.report("missing-key", "dpu.mram_model", "'constant' needs the number 'dpu.dma.constant'",
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
