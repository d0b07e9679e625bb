// The execution engine of the CoMoNM paper (Algorithm 1): two pieces are simulated, the rest is taken to be alike.
//
// Pieces of c and of 2c times the smallest (slices.h) are simulated, for c = 1, 2, ..., until the second takes twice
// as long as the first but for `alpha`; its time is then multiplied by how much larger the whole is. That is exact
// where time is proportional to iterations. What happens once (prologues, filling a pipeline) and what happens
// meanwhile (refreshes, outer loops, waiting for the slowest tasklet) is scaled as if it were part of the pieces, so
// the result is not exact: fast_forward.h is. It is here to be compared with (decision 13).
#pragma once

#include "pimento/evaluate/choices.h"
#include "pimento/evaluate/slices.h"

namespace pimento::evaluate {

/// Cycles, counts and actions of the whole, all multiplied by size of the whole / size of the larger piece and rounded;
/// energy follows from the actions. Pieces that round up to whole outer iterations need not be one twice the other:
/// their times are compared per size. A whole that is no larger than the second piece is simulated, and the result is
/// that simulation. `cyclesSimulated`: of all pieces together, which may be more than there are. Diagnostics: those of
/// Slices::simulate.
Result<DeviceRun> extrapolate(const Slices &slices, const TwoSlice &options);

}  // namespace pimento::evaluate
