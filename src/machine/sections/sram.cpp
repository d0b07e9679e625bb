#include "pimento/machine/sections/sram.h"

#include <bit>
#include <cmath>
#include <string>

#include "pimento/machine/sections/rows.h"
#include "pimento/machine/sections/section.h"

namespace pimento::machine {

namespace {

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
      row::choice("sram.mode", choicesOf(kModes), "what is executed: micro-operations on wordlines, or whole elements"),
      row::choice("sram.times", choicesOf(kTimes),
                  "cycles of compute commands: counted from micro-programs, or one of the tables below"),
  };
  appendTable(rows, "sram.artifact", "cycles that the published simulator charges");
  appendTable(rows, "sram.paper", "cycles that the paper names");
  return rows;
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
  m.sram = s;
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
}

}  // namespace

Cycles Sram::Cost::of(int bits) const {
  const double n = bits;
  return Cycles(static_cast<std::int64_t>(std::ceil(square * n * n + linear * n)));
}

Section section::sram() {
  return {rows, build, check};
}

}  // namespace pimento::machine
