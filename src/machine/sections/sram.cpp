#include "pimento/machine/sections/sram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

constexpr Word<Sram::Rewrite> kRewrites[] = {
    {"none", Sram::Rewrite::kNone}, {"strict", Sram::Rewrite::kStrict}, {"reassociate", Sram::Rewrite::kReassociate}};
constexpr Word<Sram::Mode> kModes[] = {{"bits", Sram::Mode::kBits}, {"words", Sram::Mode::kWords}};
constexpr Word<Sram::Times> kTimes[] = {
    {"counted", Sram::Times::kCounted}, {"artifact", Sram::Times::kArtifact}, {"paper", Sram::Times::kPaper}};
constexpr Word<SramClass> kClasses[] = {{"constant", SramClass::kConstant},
                                        {"int_alu", SramClass::kIntAlu},
                                        {"int_mul", SramClass::kIntMul},
                                        {"int_div", SramClass::kIntDiv},
                                        {"float", SramClass::kFloat}};
// Banks and arrays as sets of bits, bitlines of a tile as words of 64.
constexpr double kMostMesh = 16, kMostWays = 64, kMostArrays = 1024, kMostLines = 4096;

void appendTable(row::Rows &rows, const std::string &path, const std::string &meaning) {
  rows.push_back(row::section(path, meaning, true));
  for (const Word<SramClass> &w : kClasses) {
    const std::string at = path + "." + std::string(w.text);
    rows.push_back(row::section(at, "cycles of a command on n-bit elements: square * n^2 + linear * n", true));
    rows.push_back(row::real(at + ".square", "cycle", 0, 1024, "per square of the bits", false));
    rows.push_back(row::real(at + ".linear", "cycle", 0, 1024, "per bit", false));
  }
}

row::Rows controlRows() {
  return {
      row::section("sram.control", "what runs commands and keeps arrays of programs transposed"),
      row::integer("sram.control.all_ways", "count", 1, kMostWays, "ways of a bank, those that compute included", true),
      row::integer("sram.control.bank", "B", 64, row::kMostCount, "a bank, all its ways", true),
      row::integer("sram.control.command", "B", 1, 4096, "a command", true),
      row::integer("sram.control.command_cache", "B", 1, row::kMostCount, "of a bank's controller", true),
      row::integer("sram.control.prepare", "cycle", 0, row::kMostCycles, "a controller makes masks of a command", true),
      row::integer("sram.control.outstanding", "count", 1, 65536, "lines that the fetch of a slice waits for", true),
      row::integer("sram.control.release_requests", "count", 0, row::kMostCount,
                   "a region goes back after more normal requests than these", true),
      row::integer("sram.control.release_timer", "cycle", 1, row::kMostCycles, "or longer than this", true),
      row::integer("sram.control.miss_window", "count", 1, 1 << 24, "or when of so many accesses of the L3", true),
      row::integer("sram.control.release_misses", "count", 0, 1 << 24, "more than these missed", true),
      row::real("sram.control.lowering_base", "cycle", 0, row::kMostCycles, "a core lowers an instance of a region"),
      row::real("sram.control.lowering_per_command", "cycle", 0, row::kMostCycles, "and for each of its commands"),
      row::real("sram.control.lowering_to_banks", "cycle", 0, row::kMostCycles,
                "and for each of them, to find the banks that run it"),
      row::flag("sram.control.overlapped_lowering", "lowering goes on while data are fetched"),
      row::flag("sram.control.bank_filter", "banks find the commands that are theirs: no lowering_to_banks"),
  };
}

row::Rows rows() {
  row::Rows rows = {
      row::section("sram", "SRAM arrays of a shared cache that compute on their bitlines"),
      row::integer("sram.mesh_columns", "count", 1, kMostMesh, "nodes of the mesh from west to east, a bank each",
                   true),
      row::integer("sram.mesh_rows", "count", 1, kMostMesh, "nodes of the mesh from north to south", true),
      row::integer("sram.ways", "count", 1, kMostWays, "ways of a bank that compute", true),
      row::integer("sram.arrays_per_way", "count", 1, kMostArrays, "arrays of a way, leaves of a binary H tree", true),
      row::integer("sram.wordlines", "count", 64, kMostLines, "wordlines of an array", true),
      row::integer("sram.bitlines", "count", 64, kMostLines, "bitlines of an array", true),
      row::integer("sram.leaf_bits", "bit/cycle", 1, kMostLines, "what a leaf of the H tree moves per cycle", true),
      row::integer("sram.line", "B", 8, 4096, "cache line", true),
      row::integer("sram.packet", "B", 8, 4096, "data of one packet of the mesh", true),
      row::integer("sram.router", "cycle", 0, 1000, "a router's stages", true),
      row::integer("sram.link", "cycle", 0, 1000, "a link between routers", true),
      row::integer("sram.most_per_bitline", "count", 1, 256, "elements of one value that may share a bitline", true),
      row::integer("sram.regions", "count", 1, 1024, "arrays of a program that may be transposed at a time", true),
      row::flag("sram.parallel_intra_array_shift", "a shift inside arrays takes one bitline's time, however far"),
      row::flag("sram.parallel_inter_array_shift", "subtrees of a way shift side by side"),
      row::flag("sram.parallel_way_read", "arrays of a way leave it as one"),
      row::choice("sram.rewrite", choicesOf(kRewrites),
                  "graphs become cheaper ones before they are lowered: not, keeping every bit, or with floating-point "
                  "sums and products in other orders",
                  false),
      row::choice("sram.mode", choicesOf(kModes), "what is executed: micro-operations on wordlines, or whole elements"),
      row::choice("sram.times", choicesOf(kTimes),
                  "cycles of compute commands: counted from micro-programs, or one of the tables below"),
  };
  appendTable(rows, "sram.artifact", "cycles that the published simulator charges");
  appendTable(rows, "sram.paper", "cycles that the paper names");
  row::append(rows, controlRows());
  return rows;
}

Sram::Control controlOf(const Contents &c) {
  const std::string at = "sram.control.";
  Sram::Control k;
  k.allWays = c.integer(at + "all_ways");
  k.bank = c.bytes(at + "bank");
  k.command = c.bytes(at + "command");
  k.commandCache = c.bytes(at + "command_cache");
  k.prepare = c.cycles(at + "prepare");
  k.outstanding = c.integer(at + "outstanding");
  k.releaseRequests = c.integer(at + "release_requests");
  k.releaseTimer = c.cycles(at + "release_timer");
  k.missWindow = c.integer(at + "miss_window");
  k.releaseMisses = c.integer(at + "release_misses");
  k.loweringBase = c.real(at + "lowering_base");
  k.loweringPerCommand = c.real(at + "lowering_per_command");
  k.loweringToBanks = c.real(at + "lowering_to_banks");
  k.hasOverlappedLowering = c.flag(at + "overlapped_lowering");
  k.hasBankFilter = c.flag(at + "bank_filter");
  return k;
}

void build(const Contents &c, Machine &m) {
  if (!c.has("sram")) return;
  Sram s;
  s.meshColumns = c.integer("sram.mesh_columns");
  s.meshRows = c.integer("sram.mesh_rows");
  s.ways = c.integer("sram.ways");
  s.arraysPerWay = c.integer("sram.arrays_per_way");
  s.wordlines = c.integer("sram.wordlines");
  s.bitlines = c.integer("sram.bitlines");
  s.leafBits = c.integer("sram.leaf_bits");
  s.line = c.bytes("sram.line");
  s.packet = c.bytes("sram.packet");
  s.router = c.cycles("sram.router");
  s.link = c.cycles("sram.link");
  s.mostPerBitline = c.integer("sram.most_per_bitline");
  s.regions = c.integer("sram.regions");
  s.hasParallelIntraShift = c.flag("sram.parallel_intra_array_shift");
  s.hasParallelInterShift = c.flag("sram.parallel_inter_array_shift");
  s.hasParallelWayRead = c.flag("sram.parallel_way_read");
  if (c.has("sram.rewrite")) s.rewrite = enumOf(kRewrites, c.text("sram.rewrite"));
  s.mode = enumOf(kModes, c.text("sram.mode"));
  s.times = enumOf(kTimes, c.text("sram.times"));
  for (const Word<SramClass> &w : kClasses) {
    const auto cost = [&](const std::string &table) {
      const std::string at = "sram." + table + "." + std::string(w.text);
      return Sram::Cost{c.real(at + ".square"), c.real(at + ".linear")};
    };
    s.artifact[static_cast<std::size_t>(w.value)] = cost("artifact");
    s.paper[static_cast<std::size_t>(w.value)] = cost("paper");
  }
  if (c.has("sram.control")) s.control = controlOf(c);
  m.sram = s;
}

void checkControl(const Contents &c, const Sram &s) {
  const Sram::Control &k = *s.control;
  const auto number = [](std::int64_t n) { return std::to_string(n); };
  if (k.allWays < s.ways)
    return c.impossible("sram.control.all_ways", number(s.ways) + " ways compute, and a bank has " + number(k.allWays),
                        "use " + number(s.ways) + " or more");
  const std::int64_t way = s.arraysPerWay * s.wordlines * s.bitlines / 8;
  if (k.bank.value != way * k.allWays)
    c.impossible("sram.control.bank",
                 "arrays fill " + number(way) + " B of a way, which has " + number(k.bank.value / k.allWays) + " B",
                 "use " + number(way * k.allWays) + " B, or other arrays");
  if (k.commandCache.value < 2 * k.command.value)
    c.impossible("sram.control.command_cache", "a command cache without room for two commands",
                 "use " + number(2 * k.command.value) + " B or more: the next command is prepared during this one");
  if (k.releaseMisses > k.missWindow)
    c.impossible("sram.control.release_misses",
                 number(k.releaseMisses) + " misses of " + number(k.missWindow) + " accesses",
                 "use " + number(k.missWindow) + " at most");
}

void check(const Contents &c, const Machine &m) {
  if (!m.sram) return;
  const auto powerOfTwo = [&](const std::string &path, std::int64_t value) {
    if (!std::has_single_bit(static_cast<std::uint64_t>(value)))
      c.impossible(path, path + " is " + std::to_string(value) + ", not a power of two",
                   "use " + std::to_string(std::bit_floor(static_cast<std::uint64_t>(value))));
  };
  powerOfTwo("sram.arrays_per_way", m.sram->arraysPerWay);
  powerOfTwo("sram.bitlines", m.sram->bitlines);
  if (m.sram->control) checkControl(c, *m.sram);
}

}  // namespace

Cycles Sram::Cost::of(int bits) const {
  const double n = bits;
  return Cycles(static_cast<std::int64_t>(std::ceil(square * n * n + linear * n)));
}

Cycles Sram::Control::lowering(std::int64_t commands) const {
  const double each = loweringPerCommand + (hasBankFilter ? 0 : loweringToBanks);
  return Cycles(std::llround(loweringBase + each * static_cast<double>(commands)));
}

Cycles Sram::Control::preparation(std::int64_t commands, Cycles fetch) const {
  return hasOverlappedLowering ? std::max(lowering(commands), fetch) : lowering(commands) + fetch;
}

Section section::sram() {
  return {rows, build, check};
}

}  // namespace pimento::machine
