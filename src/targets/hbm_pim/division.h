// Graphs for HBM-PIM whose kernels have parts that the unit cannot compute: those parts become kernels of their own.
#pragma once

#include <optional>
#include <vector>

#include "pimento/kernel/rounds.h"
#include "pimento/machine/machine.h"

namespace pimento::targets::hbm_pim {

/// The graph with every kernel that the unit cannot run, but parts of it, as those parts; also a relu that is written
/// as a maximum or a choice as that operation (which differs for NaN alone), and an expression that needs more
/// registers or instructions than a unit has as several. Nothing if that changes nothing. `isFixed`, by kernel: stays
/// as it is.
std::optional<kernel::Unrolled> divided(const kernel::Graph &graph, const machine::Machine &machine,
                                        const std::vector<bool> &isFixed);

}  // namespace pimento::targets::hbm_pim
