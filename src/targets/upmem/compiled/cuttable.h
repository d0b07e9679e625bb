// Along which dims a run can be cut into parts that take the same together as the whole.
//
// Points of such a dim hang on no point before them: nothing is handed on from one to the next that decides how long it
// takes. A running maximum does: the more points it has seen, the more seldom it changes; and so does a floating-point
// sum, whose exponent grows. Integer sums take the same whatever they hold. Nor does the index itself take part: a
// point may then be run in another's place.
#pragma once

#include "pimento/targets/upmem/compiled/scheme.h"

namespace pimento::targets::upmem::compiled {

/// Do values, guards or addresses chosen by data hang on where along the dim a point is?
bool usesIndex(const kernel::Kernel &kernel, std::size_t dim);

bool isCuttable(const Scheme &scheme, int dim);

}  // namespace pimento::targets::upmem::compiled
