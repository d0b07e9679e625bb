// What virtual instructions do to data: all threads of a unit on real arrays and registers.
//
// Threads share what they read alone and never wait for one another's results, so they execute side by side, one
// instruction for all of them, whatever the engine says of their times. Arithmetic is that of kernels (kernel/lanes.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/program/virtual.h"

namespace pimento::sim::cnm {

/// The arrays of one unit. Bytes are little endian, as in tensors; an array of its own for each thread lies thread
/// after thread.
class UnitMemory {
 public:
  explicit UnitMemory(const program::Unit &unit);

  std::vector<std::byte> &array(int a) { return arrays_[static_cast<std::size_t>(a)]; }
  const std::vector<std::byte> &array(int a) const { return arrays_[static_cast<std::size_t>(a)]; }

 private:
  std::vector<std::vector<std::byte>> arrays_;
};

/// Runs loops that verify: `parameters[p]` has the value of parameter p for every thread. Fails with
/// "index-out-of-range", a fault, where an index from data is not below its limit; arrays are then half done.
Status execute(const program::UnitLoops &loops, UnitMemory &memory,
               const std::vector<std::vector<std::int64_t>> &parameters);

}  // namespace pimento::sim::cnm
