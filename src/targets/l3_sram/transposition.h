// What moving a whole tensor into arrays takes, or out of them to memory, line by line (sim/sram/transposer.h).
//
// Large ones are sampled: two parts of them, one twice as large.
#pragma once

#include <cstdint>

#include "pimento/kernel/kernel.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/machine/machine.h"
#include "pimento/targets/l3_sram/chip_run.h"

namespace pimento::targets::l3_sram {

enum class Way : std::uint8_t { kInFromMemory, kInFromL3, kOut };

/// `layout`: of the region that the tensor is in. `shared`: of runs of one graph; null: none.
ChipRun transposition(const kernel::Tensor &tensor, const lower::l3_sram::Layout &layout,
                      const machine::Machine &machine, Way way, Cache *shared);

/// Cycles in which memory moves so many bytes, at its peak.
std::int64_t memoryCycles(const machine::Machine &machine, std::int64_t bytes);

}  // namespace pimento::targets::l3_sram
