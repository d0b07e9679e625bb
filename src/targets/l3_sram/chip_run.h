// What a kernel takes on a chip, in one of its places: cycles by what they are spent on, and what is counted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "pimento/base/cache.h"
#include "pimento/base/units.h"
#include "pimento/evaluate/report.h"

namespace pimento::sim::uncore {
class Uncore;
}

namespace pimento::targets::l3_sram {

/// Where a kernel runs.
enum class Place : std::uint8_t { kCore, kNearL3, kInL3 };
inline constexpr int kPlaces = 3;
/// "cores", "near L3", "in L3".
std::string_view name(Place place);

/// What cycles are spent on; they sum to the kernel's (Infinity Stream, Fig. 14, and the cores').
enum class Spent : std::uint8_t {
  kMemory,       ///< moving data between memory and arrays, transposed on the way; and out of reserved ways
  kLowering,     ///< graphs to commands, where data are not awaited longer
  kMove,         ///< between bitlines, arrays and banks, barriers included
  kCompute,      ///< in arrays
  kFinalReduce,  ///< partial results of arrays, by streams
  kMix,          ///< other streams between commands of arrays
  kNearL3,       ///< streams alone
  kCore,
};
inline constexpr int kSpents = 8;
/// Name, and the part of a breakdown that it counts to.
struct SpentInfo {
  std::string_view name;  ///< "memory", "final reduce"
  evaluate::Part part;
};
const SpentInfo &infoOf(Spent spent);

enum class Count : std::uint8_t {
  kInstructions,
  kBranches,
  kLoads,
  kStores,
  kIntegers,
  kFloats,
  kComplexes,
  kL1Reads,
  kL1Writes,
  kL2Reads,
  kL2Writes,
  kL3Reads,
  kL3Writes,
  kL3Misses,
  kMemoryReads,
  kMemoryWrites,
  kActivates,
  kControl,  ///< flit-hops, from here on ...
  kData,
  kOffload,
  kInterTile,  ///< ... to here
  kStreamLines,
  kStreamMessages,
  kStreamGroups,
  kTransposed,  ///< lines through transpose units
  kCores,       ///< cycles of cores that run a kernel, all together
  kBitsInArrays,
  kBitsInBanks,
  kBitsBetweenBanks,
};
inline constexpr int kChipCounts = 29;

struct ChipRun {
  std::array<std::int64_t, kSpents> spent{};
  std::array<std::int64_t, kChipCounts> counts{};
  std::int64_t margin = 0;  ///< cycles by which it may be off: a part of it was sampled

  std::int64_t &operator[](Spent s) { return spent[static_cast<std::size_t>(s)]; }
  std::int64_t operator[](Spent s) const { return spent[static_cast<std::size_t>(s)]; }
  std::int64_t &operator[](Count c) { return counts[static_cast<std::size_t>(c)]; }
  std::int64_t operator[](Count c) const { return counts[static_cast<std::size_t>(c)]; }
  std::int64_t cycles() const {
    std::int64_t sum = 0;
    for (const std::int64_t s : spent) sum += s;
    return sum;
  }
  void add(const ChipRun &other);
  /// What the shared part of a chip has counted so far, `times` times.
  void count(const sim::uncore::Uncore &chip, std::int64_t times = 1);
};

/// a + (b - a) * share, of each number; none below 0.
ChipRun between(const ChipRun &a, const ChipRun &b, double share);

/// What `make()` gives, kept under `key`; `shared`: null: nothing is kept.
template <typename Make>
ChipRun cached(Cache *shared, const std::string &key, const Make &make) {
  if (shared == nullptr) return make();
  return *shared->get<ChipRun>(key, sizeof(ChipRun), make);
}

}  // namespace pimento::targets::l3_sram
