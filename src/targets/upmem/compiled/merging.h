// Partial results that tasklets of one DPU share: who merges them, and the text where the DPU does.
//
// After all tiles the tasklets meet, and each takes slices of the array: element by element over all that have a part,
// in ascending order, so that floating-point numbers come out as the mapping's order says. Arrays that lie in WRAM as a
// whole are merged there, others by way of MRAM. Only merged arrays go back to the host. Internal to compiled/.
#pragma once

#include <string>
#include <vector>

#include "pimento/targets/upmem/compiled/context.h"
#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// Decides for every operand, once tiles are known: what `wanted` says, else whatever is estimated to take less time.
void chooseMerging(Scheme &scheme, const machine::Machine &machine, mapping::MergeAt wanted);

/// Names for the text around it: the tasklet's place along a split dim is in `part_DIM`.
std::string partOf(const Axis &axis);
/// The number of an operand's array that is this tasklet's, as C.
std::string numberOfArray(const Context &context, const Operand &o);

/// Writes what follows the tiles. `valid`: name of a variable with how many values of a dim the DPU has.
void writeMerging(Context &context, const std::function<std::string(int dim)> &valid);

}  // namespace pimento::targets::upmem::compiled
