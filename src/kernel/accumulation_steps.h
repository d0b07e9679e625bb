// An accumulation whose leaves have one term each, as steps: which leaf's value is merged onto which other one's.
//
// Trees of tiles have as many leaves as a sum has terms. Evaluated as a tree, each leaf is a run of one point; as
// steps, all terms of an output are one block's lanes. Same results. Internal to the room.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pimento/kernel/lanes.h"
#include "pimento/kernel/order.h"

namespace pimento::kernel {

class AccumulationSteps {
 public:
  /// Of `points` reduction points. Nothing: a leaf has more than one term, or types differ.
  static std::optional<AccumulationSteps> of(const Accumulation &sum, std::int64_t points);

  /// By reduction point, its leaf; -1: none has it.
  std::span<const int> leaves() const { return leaves_; }
  /// The root's value from those of the leaves, which change.
  Scalar run(Combine combine, std::span<Scalar> values) const;

 private:
  bool add(const Accumulation &node);

  DType type_ = DType::kF32;
  int count_ = 0;  ///< leaves so far
  std::vector<int> leaves_;
  std::vector<std::pair<int, int>> steps_;  ///< the second leaf's value onto the first one's
};

}  // namespace pimento::kernel
