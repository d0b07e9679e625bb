// Where the tensors of a program lie on a chip between two kernels: in memory, in the L3, or transposed in its arrays.
//
// A tensor lies in one place as a whole. The L3 keeps those that were used last, as far as it has room; arrays keep
// theirs until another layout, another tensor or the rules of release take their place. Rows of DRAM are closed between
// kernels, and private caches empty.
//
// Not here: what moving takes (chip.h).
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pimento/base/units.h"
#include "pimento/evaluate/run.h"
#include "pimento/lower/l3_sram/layout.h"

namespace pimento::targets::l3_sram {

struct TensorState {
  enum class At : std::uint8_t { kMemory, kL3, kArrays } at = At::kMemory;
  bool isDirty = false;             ///< memory has not seen all of it
  std::int64_t used = 0;            ///< when it was used last: a turn
  lower::l3_sram::Layout layout{};  ///< kArrays
  int row = -1;                     ///< likewise: its first wordline
};

class ChipState final : public evaluate::Carried {
 public:
  explicit ChipState(std::size_t tensors) : tensors(tensors) {}

  std::unique_ptr<evaluate::Carried> copy() const override { return std::make_unique<ChipState>(*this); }
  std::string key() const override;

  bool hasArrays() const;
  /// Tensors that are there, least recently used first.
  std::vector<std::size_t> those(TensorState::At at) const;

  std::vector<TensorState> tensors;
  bool isReserved = false;  ///< arrays have their ways
  std::int64_t turn = 0;
  std::uint64_t lowered = 0;                        ///< a hash of `commands`
  std::set<std::pair<int, std::int64_t>> commands;  ///< by kernel and round: those that were lowered
};

}  // namespace pimento::targets::l3_sram
