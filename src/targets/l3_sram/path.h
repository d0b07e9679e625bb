// Where every kernel of a program runs on a chip: the path through its states that takes least.
//
// A state is what lies where (chip_state.h). From each state each place leads to another one, at the cost of what the
// kernel takes there, moving and lowering included; of paths to one state the shortest stays. States beyond a number
// are dropped, longest first, and in programs of many runs those that are longer than another one by more than what
// lies where can be worth; all of a program in one place is always among the paths that are compared.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/evaluate/target.h"
#include "pimento/targets/l3_sram/chip.h"

namespace pimento::targets::l3_sram {

/// What the path that takes least takes, all kernels together. `runs` as in choosePath.
Result<ChipRun> totalOfPath(const std::vector<const ChipKernel *> &runs, const ChipState &idle,
                            const machine::Machine &machine, Cache *shared);

/// `runs`: kernels one after the other; null: the host's.
Result<std::vector<evaluate::Target::Step>> choosePath(const std::vector<const ChipKernel *> &runs,
                                                       const ChipState &idle, const machine::Machine &machine,
                                                       Cache *shared);

}  // namespace pimento::targets::l3_sram
