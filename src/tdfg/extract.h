// Streams become tensor graphs: box streams are unrolled into tensors, moves, broadcasts and element-wise operations;
// what is no box, or lies across the lattice, stays a stream and says why. Infinity Stream, section 3.2.
//
// Not here: optimisation of the graph, schedules, layouts.
#pragma once

#include "pimento/tdfg/tdfg.h"

namespace pimento::tdfg {

/// Gives every region of streams its graph, or the reason why it has none; then hints for layouts. Floating-point sums
/// keep the order of the source, apart from the tiles of a reduction node.
void extract(Program &program);

}  // namespace pimento::tdfg
