// Sums and products of element-wise expressions on HBM-PIM, all operands in the banks: streams.
//
// Output positions alternate between the even and the odd bank of a block, as element-wise ones do; a tile is eight
// columns of both banks. For every tile the host streams one pass over the even and one over the odd banks: an
// accumulator per column starts at the neutral element, takes one term per step of the reduction, and is stored. Where
// a unit has few outputs, it accumulates several stretches of their terms side by side, which the host merges.
#pragma once

#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

Result<Lowered> lowerStreamed(const kernel::Graph &graph, int kernel, const Streamed &pattern,
                              mapping::PlacedMapping placed, const machine::Machine &machine);

}  // namespace pimento::targets::hbm_pim
