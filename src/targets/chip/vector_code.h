// A kernel's loops as vector code of one thread: what a compiler makes of them with leave to reorder sums.
//
// Every value of the body is computed at the outermost level at which all that it hangs on is known. Sums stand in
// registers while the reduction dims run innermost, or in memory, in the order of the source. In registers several
// iterations of a parallel dim along which a load does not move are summed side by side (block_rows and block_columns
// of the machine, as far as its registers reach). A product that is added is one operation. Branches of loops are
// guessed right. Iterations that a guard leaves out run with a mask, and take the same time.
//
// Not here: values.
#pragma once

#include "pimento/machine/machine.h"
#include "pimento/sim/core/loop_code.h"
#include "pimento/targets/chip/chip_nest.h"

namespace pimento::targets::chip {

/// A part of a thread's iterations, for samples: the first `count` of a level, of the levels around it one, beginning
/// at iteration `first` of each of those.
struct Window {
  std::size_t level = 0;
  std::int64_t count = -1;  ///< -1: all of everything
  double at = 0;            ///< where in the levels up to it, as a share
};

/// Where sums stand while they grow.
enum class Sums : std::uint8_t {
  kInRegisters,  ///< loops along which is summed run innermost, where the kernel allows it
  kInMemory,     ///< loops stay in their order
};
/// Whether the two make different code: a compiler takes the faster one.
bool hasChoiceOfSums(const ChipNest &nest);

/// Code of thread number `thread` of `threads`. Levels: LoopCode::extents.
sim::core::LoopCode vectorCode(const ChipNest &nest, const Addresses &addresses, const machine::Machine &machine,
                               std::int64_t thread, std::int64_t threads, const Window &window = {},
                               Sums sums = Sums::kInRegisters);

}  // namespace pimento::targets::chip
