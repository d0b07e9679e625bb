// A kernel's loops as strands of streams beside an L3: a piece of the shared dim for each tile's core.
//
// Loads of the body become load streams, each store the consumer of strands of its own. A sum whose element does not
// move with the inner loops stays in the engine and is written once; one that moves is an update; one that every strand
// has a part of is a reduction. What the engines compute of a group takes the longest chain of operations.
#pragma once

#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/stream/engine.h"
#include "pimento/targets/chip/chip_nest.h"
#include "pimento/targets/chip/vector_code.h"

namespace pimento::targets::chip {

/// Strands of all `threads` tiles, by store; those of stores that follow another go with it.
std::vector<std::vector<sim::stream::Strand>> strandsOf(const ChipNest &nest, const Addresses &addresses,
                                                        const machine::Machine &machine, std::int64_t threads,
                                                        const Window &window = {});
/// Streams of a core that they take at most.
int streamsOf(const kernel::Kernel &kernel);

}  // namespace pimento::targets::chip
