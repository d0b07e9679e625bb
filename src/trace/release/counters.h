// What the released analyzer of Eva-CiM counts in its trees: loads and operations moved into caches, and what the
// pipeline no longer does.
//
// All trees are one list. A load that is served at an enabled level is moved there, and with it one operation, of the
// kind of whatever comes next in the list. Every operation, move and comparison of the list vanishes from the pipeline
// while the level of the last load is enabled, L1 to begin with; with or without a load in its tree.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/release/trees.h"

namespace pimento::trace::release {

/// Levels whose loads move: the analyzer's `--conf`.
enum class Configuration : std::uint8_t { kAll, kL1, kL2AndDram, kL3 };
inline constexpr int kConfigurations = 4;
bool isEnabled(Configuration configuration, Level level);

/// What one instruction does in the pipeline, in the order of a PipeProbe record.
struct PipeCounts {
  std::int64_t renameReads = 0, renameWrites = 0, windowReads = 0, windowWrites = 0, registerReads = 0,
               registerWrites = 0, integerAlu = 0, robReads = 0, robWrites = 0;

  PipeCounts &operator+=(const PipeCounts &other);
};

/// Operations that a level runs, by kind.
struct CimCounts {
  std::int64_t add = 0, bitAnd = 0, bitXor = 0;
};
/// What comes behind a load in the list of all trees counts as an operation of its kind, comparisons as sums.
void countOne(CimCounts &counts, Kind kind);
/// Whether the pipeline no longer does it.
constexpr bool vanishes(Kind kind) {
  return isCim(kind) || kind == Kind::kMove || kind == Kind::kCompare;
}

struct Counters {
  std::array<std::int64_t, kLevels> loads{};  ///< by level: moved
  std::array<CimCounts, kLevels> cim{};
  PipeCounts removed;

  std::int64_t movedLoads() const;
  /// By the analyzer's names ("dcache_access", "compute_l2_logic_and", "ROB_writes").
  std::map<std::string, std::int64_t> byName() const;
};

/// `pipe`: of every record.
Counters count(const std::vector<Tree> &trees, const std::vector<Record> &records, const std::vector<PipeCounts> &pipe,
               Configuration configuration);

/// Inputs of McPAT that the analyzer changes: names of its XML file, without the path ("total_instructions").
using McpatCounters = std::map<std::string, std::int64_t>;

/// Subtracts and adds as the analyzer does: instructions and loads less those moved from L1, L2, L3 (not what
/// vanishes); operations at DRAM count as L2's. What is not in `before` counts as 0.
McpatCounters changed(McpatCounters before, const Counters &counters);

}  // namespace pimento::trace::release
