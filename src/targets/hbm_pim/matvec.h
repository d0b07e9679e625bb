// Matrix-vector products on HBM-PIM: streams and data layout.
//
// A tile is 8 output slots x 8 input bursts per lane group: 64 weight bursts in two consecutive rows of one bank,
// column 8 * burst + slot. Input tiles alternate between the even and the odd bank of each block; for every tile the
// host first broadcasts 8 input bursts into GRF_A. Partial sums stay in GRF_B and are stored as 8 bursts of lanes,
// which the host adds up. How outputs and inputs fall on channels, blocks and lanes is the mapping's business.
#pragma once

#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

Result<Lowered> lowerMatVec(const kernel::Graph &graph, int kernel, const MatVec &pattern,
                            mapping::PlacedMapping placed, const machine::Machine &machine, Variant variant);

}  // namespace pimento::targets::hbm_pim
