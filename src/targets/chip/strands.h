// A kernel's loops as strands of streams beside an L3: a piece of the shared dim for each tile's core.
//
// Loads of the body become load streams, each store a strand's consumer; strands of several stores run one after the
// other's configuration, side by side. A sum whose element does not move with the inner loops stays in the engine and
// is written once; one that moves is an update; one that every strand has a part of is a reduction. What the engines
// compute of a group takes the longest chain of operations.
#pragma once

#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/stream/engine.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/chip/vector_code.h"

namespace pimento::targets::chip {

/// Strands of all `threads` tiles. `isCore`: the streams bring everything to the cores, which compute.
std::vector<sim::stream::Strand> strandsOf(const ChipNest &nest, const Addresses &addresses,
                                           const machine::Machine &machine, std::int64_t threads, bool isCore,
                                           const Window &window = {});

}  // namespace pimento::targets::chip
