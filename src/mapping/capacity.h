// What a mapping makes each instance of a level hold of each tensor, against what it can hold.
//
// Counted from the affine accesses over the box of points an instance runs, padding included, since devices store
// it. Per tensor dimension: the span the index takes, and at most one element per point; exact for the usual indices
// (one dim, or sums such as a convolution's x + r on contiguous pieces), else an upper bound: strided indices pack,
// cyclic pieces share no halo, accesses of one tensor with different coefficients share nothing.
// Not here: double buffers, alignment, addresses (see `lower`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Elements of one tensor that one instance holds.
struct Footprint {
  int tensor = -1;
  std::int64_t elements = 0;
  Bytes bytes;
};

/// Per tensor that `kernel` touches, ascending: what one instance of level number `level` needs for subspace number
/// `subspace`; the innermost level gives one unit, -1 the whole subspace. Indirect targets count whole.
std::vector<Footprint> footprints(const PlacedMapping &placed, int subspace, int level, const kernel::Graph &graph,
                                  const kernel::Kernel &kernel, const machine::Machine &machine);

/// Sum of bytes, saturated.
Bytes totalBytes(const std::vector<Footprint> &footprints);

/// Fails with mapping-capacity where an instance of `level` needs more than `limit` for one of the subspaces; says by
/// how much and which tensors. `memory` names what is too small ("MRAM").
Status checkCapacity(const PlacedMapping &placed, int level, Bytes limit, const std::string &memory,
                     const kernel::Graph &graph, const kernel::Kernel &kernel, const machine::Machine &machine);

}  // namespace pimento::mapping
