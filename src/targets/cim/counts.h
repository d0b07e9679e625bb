// What a run of a program on a core counts, in the order of its table; energy formulas name the counts.
#pragma once

#include <array>
#include <cstdint>

#include "pimento/evaluate/counts.h"

namespace pimento::targets::cim {

/// Caches on the way of data that have rows of their own.
inline constexpr int kPlaces = 3;

/// Rows of the table, in its order.
enum Row : std::uint8_t {
  kInstructions,
  kBranches,
  kWrongGuesses,
  kLoads,
  kStores,
  kForwarded,
  kIntegerOperations,
  kComplexOperations,
  kFloatOperations,
  kVectorOperations,
  kRegisterReads,
  kRegisterWrites,
  kL1iReads,
  kL1dReads,
  kL1dWrites,
  kL2Reads,
  kL2Writes,
  kL3Reads,
  kL3Writes,
  kDramActivates,
  kDramReads,
  kDramWrites,
  // Of accounts alone: what caches compute, five rows for each cache on the way of data.
  kFirstCim,
  kRows = kFirstCim + 5 * kPlaces,
};

using Totals = std::array<std::int64_t, kRows>;

/// What a cache does beyond reading and writing, in the order of its rows.
enum class CimCount : std::uint8_t { kRead, kOr, kAnd, kXor, kAdd };
/// `place`: 0 for the first data cache, 1 for the one behind it.
constexpr std::size_t rowOf(int place, CimCount count) {
  return static_cast<std::size_t>(kFirstCim + 5 * place + static_cast<int>(count));
}
constexpr std::size_t readsOf(int place) {
  return static_cast<std::size_t>(kL1dReads + 2 * place);
}
constexpr std::size_t writesOf(int place) {
  return readsOf(place) + 1;
}

const evaluate::CountTable &countTable();

}  // namespace pimento::targets::cim
