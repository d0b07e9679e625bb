#include "pimento/machine/sections/chip.h"

#include <bit>
#include <string>

#include "pimento/machine/sections/replacement.h"
#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<ChipKernels::Start> kStarts[] = {{"memory", ChipKernels::Start::kMemory},
                                                {"l3", ChipKernels::Start::kL3}};
constexpr Word<ChipKernels::Decision> kDecisions[] = {{"least-path", ChipKernels::Decision::kLeastPath},
                                                      {"equation-2", ChipKernels::Decision::kEquation2}};
constexpr double kMostCycles = 1e6, kMostLines = 1 << 20;

row::Rows rows() {
  return {
      row::section("l3", "a cache that the tiles of a chip share, a slice at each"),
      row::integer("l3.size", "B|KiB|MiB", 64, 1 << 30, "of a slice", true),
      row::integer("l3.ways", "count", 1, 64, "associativity", true),
      row::integer("l3.line", "B", 8, 4096, "bytes of a line; a power of two", true),
      row::integer("l3.interleave", "B|KiB", 1, 1 << 30, "bytes in one slice, before the next one's", true),
      row::integer("l3.latency", "cycle", 1, 10000, "of an access, tags included", true),
      row::integer("l3.ports", "count", 1, 64, "accesses that a slice takes per cycle", true),
      row::choice("l3.replacement", choicesOf(kReplacements), "which line goes"),
      row::integer("l3.long_every", "count", 1, kMostLines,
                   "bimodal-rrip: of so many lines one is predicted for the long future; 32 if omitted", false),
      row::section("streams", "engines that walk streams and compute, beside the slices of the L3"),
      row::integer("streams.of_core", "count", 1, 1 << 16, "streams that a core has at a time", true),
      row::integer("streams.of_slice", "count", 1, 1 << 16, "streams that a slice has at a time", true),
      row::integer("streams.buffer", "B|KiB", 64, 1 << 30, "of a slice, for its streams", true),
      row::integer("streams.compute_start", "cycle", 0, kMostCycles, "before an operation itself", true),
      row::integer("streams.in_flight", "count", 1, 1024, "groups of elements that a slice computes at a time", true),
      row::integer("streams.outstanding", "count", 2, kMostLines, "lines that a load stream is ahead of its consumer",
                   true),
      row::integer("streams.flow_lines", "count", 1, kMostLines, "lines between two messages to the core", true),
      row::integer("streams.broadcast", "count", 1, 4096, "cores whose equal streams go together", true),
      row::integer("streams.configuration", "B", 1, 4096, "of a message that configures a stream", true),
      row::integer("streams.element", "B", 1, 4096, "of an indirect access", true),
      row::section("kernels", "how the cores of a chip run kernels, and which other places of it do"),
      row::integer("kernels.threads", "count", 1, 4096, "cores that share a kernel", true),
      row::integer("kernels.vector", "B", 4, 1024, "of a vector register", true),
      row::integer("kernels.registers", "count", 4, 60, "vector registers that code may name", true),
      row::integer("kernels.block_rows", "count", 1, 1024, "of results that a core sums in registers", true),
      row::integer("kernels.block_columns", "count", 1, 1024, "likewise: columns", true),
      row::integer("kernels.barrier", "cycle", 0, kMostCycles, "the cores wait for each other", true),
      row::flag("kernels.on_cores", "cores run kernels that others could run, too"),
      row::flag("kernels.near_l3", "streams beside the L3 run kernels"),
      row::flag("kernels.in_l3", "arrays of the L3 run kernels"),
      row::choice("kernels.decision", choicesOf(kDecisions),
                  "where a region runs: where the whole program takes least, or as equation (2) of Infinity Stream"),
      row::choice(
          "kernels.start", choicesOf(kStarts),
          "where a program's arrays lie first: in memory, as after it was loaded, or in the L3; memory if omitted",
          false),
      row::section("area", "what computing near and in the L3 adds to the chip"),
      row::real("area.in_l3", "mm2", 0, 1e5, "of arrays that compute, and what runs them"),
      row::real("area.near_l3", "mm2", 0, 1e5, "of stream engines"),
      row::real("area.overhead", "ratio", 1e-6, 1, "of the whole chip's area"),
  };
}

void build(const Contents &c, Machine &m) {
  if (c.has("l3")) {
    SharedCache l;
    l.size = c.bytes("l3.size");
    l.ways = static_cast<int>(c.integer("l3.ways"));
    l.line = c.bytes("l3.line");
    l.interleave = c.bytes("l3.interleave");
    l.latency = c.cycles("l3.latency");
    l.ports = static_cast<int>(c.integer("l3.ports"));
    l.replacement = enumOf(kReplacements, c.text("l3.replacement"));
    l.longEvery = static_cast<int>(c.integer("l3.long_every", 32));
    m.sharedCache = l;
  }
  if (c.has("streams")) {
    StreamEngines s;
    s.ofCore = static_cast<int>(c.integer("streams.of_core"));
    s.ofSlice = static_cast<int>(c.integer("streams.of_slice"));
    s.buffer = c.bytes("streams.buffer");
    s.computeStart = c.cycles("streams.compute_start");
    s.inFlight = static_cast<int>(c.integer("streams.in_flight"));
    s.outstanding = c.integer("streams.outstanding");
    s.flowLines = c.integer("streams.flow_lines");
    s.broadcast = c.integer("streams.broadcast");
    s.configuration = c.bytes("streams.configuration");
    s.element = c.bytes("streams.element");
    m.streams = s;
  }
  if (c.has("kernels")) {
    ChipKernels k;
    k.threads = static_cast<int>(c.integer("kernels.threads"));
    k.vector = c.bytes("kernels.vector");
    k.blockRows = c.integer("kernels.block_rows");
    k.blockColumns = c.integer("kernels.block_columns");
    k.registers = static_cast<int>(c.integer("kernels.registers"));
    k.barrier = c.cycles("kernels.barrier");
    k.isOnCores = c.flag("kernels.on_cores");
    k.isNearL3 = c.flag("kernels.near_l3");
    k.isInL3 = c.flag("kernels.in_l3");
    k.decision = enumOf(kDecisions, c.text("kernels.decision"));
    if (c.has("kernels.start")) k.start = enumOf(kStarts, c.text("kernels.start"));
    m.kernels = k;
  }
  if (c.has("area")) m.area = ChipArea{c.real("area.in_l3"), c.real("area.near_l3"), c.real("area.overhead")};
}

bool isPower(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}

void checkShared(const Contents &c, const Machine &m) {
  const SharedCache &l = *m.sharedCache;
  if (!m.noc) c.impossible("l3", "slices of an L3 without a section 'noc'", "add the mesh that they stand at");
  if (!m.dram) c.impossible("l3", "an L3 without memory behind it", "add the sections organization, timing, ...");
  if (!isPower(l.line.value))
    c.impossible("l3.line", "a line of " + std::to_string(l.line.value) + " B, not a power of two", "use 64 B");
  else if (l.size.value % (l.line.value * l.ways) != 0 || !isPower(l.size.value / (l.line.value * l.ways)))
    c.impossible("l3.size", "size / (ways * line) is not a power of two", "change size, ways or line");
  if (l.interleave.value < l.line.value || l.interleave.value % l.line.value != 0)
    c.impossible("l3.interleave", "slices take whole lines of " + std::to_string(l.line.value) + " B in turn",
                 "use a multiple of l3.line, such as 1 KiB");
  if (m.dram && m.dram->organization.burst.value != l.line.value)
    c.impossible("l3.line", "the memory's bursts are " + std::to_string(m.dram->organization.burst.value) + " B",
                 "make them as long as a line");
  for (const CacheLevel &level : m.caches)
    if (level.line != l.line)
      c.impossible("l3.line", "lines of " + level.name + " are " + std::to_string(level.line.value) + " B",
                   "make all lines as long");
  if (m.sram && m.sram->control && m.sram->control->allWays != l.ways)
    c.impossible("l3.ways", "sram.control.all_ways is " + std::to_string(m.sram->control->allWays), "make them equal");
}

void checkKernels(const Contents &c, const Machine &m) {
  const ChipKernels &k = *m.kernels;
  if (!m.core || !m.sharedCache)
    c.impossible("kernels", "cores run kernels, but there is no section " + std::string(m.core ? "'l3'" : "'core'"),
                 "add it");
  if (m.noc && k.threads > m.noc->nodes())
    c.impossible("kernels.threads", std::to_string(m.noc->nodes()) + " tiles have a core each",
                 "use " + std::to_string(m.noc->nodes()) + " or fewer");
  if (!isPower(k.vector.value))
    c.impossible("kernels.vector", "a vector of " + std::to_string(k.vector.value) + " B, not a power of two",
                 "use 64 B");
  if (k.isNearL3 && !m.streams)
    c.impossible("kernels.near_l3", "there is no section 'streams'", "add it, or set near_l3: false");
  if (k.isInL3 && (!m.sram || !m.sram->control))
    c.impossible("kernels.in_l3", "there is no section 'sram.control'", "add it, or set in_l3: false");
}

void check(const Contents &c, const Machine &m) {
  if (m.sharedCache) checkShared(c, m);
  if (m.streams && !m.sharedCache) c.impossible("streams", "stream engines without a section 'l3'", "add it");
  if (m.kernels) checkKernels(c, m);
}

}  // namespace

Section section::chip() {
  return {rows, build, check};
}

}  // namespace pimento::machine
