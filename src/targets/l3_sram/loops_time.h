// What a kernel's loops take on the cores, or as streams beside the L3.
//
// Loops of many iterations are sampled: two windows of them run, one twice as long, on private caches with what the
// iterations before left there; the time of the others follows from their difference. Of sums in registers and in
// memory (vector_code.h) the faster ones count. Lines that come from memory once and that no window sees cost memory's
// time where that is longer. Where windows miss lines again that stay in the L3 once they are there, two more run with
// all lines there, and each line that is not there at first costs besides what the first ones take longer. The margin
// is what the windows disagree by, and a tenth at least, or half where windows are short or lines are missed in some
// iterations alone.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/uncore/uncore.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/l3_sram/chip_run.h"

namespace pimento::targets::l3_sram {

/// What of the chip's state loops meet.
struct LoopsState {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> present;  ///< address ranges in the L3
  struct Transposed {
    std::uint64_t first = 0, end = 0;
    int bits = 32;  ///< of an element
  };
  std::vector<Transposed> transposed;  ///< of these, in arrays
  std::int64_t coldLines = 0;          ///< that the kernel touches and the L3 does not have
  bool isReserved = false;             ///< arrays have their ways of the L3
  std::int64_t bytes = 0;              ///< of all that the kernel touches
};

/// Iterations of the innermost loop, of each thread, that are simulated at most in a window; a stream's are groups of
/// lanes. Loops of four windows or fewer are simulated as a whole.
struct LoopsBudget {
  std::int64_t core = 64, stream = 64;
};
inline constexpr LoopsBudget kWholeLoops{INT64_MAX, INT64_MAX};

/// The slices of a machine, less the ways that arrays have.
sim::uncore::Slices slicesOf(const machine::Machine &machine, bool isReserved);

/// Place: kCore or kNearL3. `threads`: those that the loops are shared by.
ChipRun timeOfLoops(const chip::ChipNest &nest, const chip::Addresses &addresses, const machine::Machine &machine,
                    Place place, std::int64_t threads, const LoopsState &state, const LoopsBudget &budget = {});

}  // namespace pimento::targets::l3_sram
