// Element-wise kernels on HBM-PIM: streams and data layout.
//
// Local positions of a unit alternate between the even and the odd bank of its block; a tile is eight columns of both
// banks. Each operand and each result has a region of rows, the same in all banks; for every tile the host streams one
// pass of eight-column steps over the even banks, then one over the odd banks.
#pragma once

#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

Result<Lowered> lowerElementwise(const kernel::Graph &graph, int kernel, const Elementwise &pattern,
                                 mapping::PlacedMapping placed, const machine::Machine &machine);

}  // namespace pimento::targets::hbm_pim
