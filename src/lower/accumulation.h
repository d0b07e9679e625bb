// How innermost units accumulate where a target leaves it to us: in which type, and from what on.
#pragma once

#include "pimento/kernel/kernel.h"
#include "pimento/mapping/mapping.h"

namespace pimento::lower {

/// Type in which a store's partial results are kept: small floating formats accumulate in f32.
DType accumulatorOf(DType tensor);
/// The accumulation order's rules for it.
mapping::AccumulationRules accumulationRules(const kernel::Graph &graph, const kernel::Kernel &kernel);

/// Does a store of kernel number `kernel` accumulate onto what is there already?
bool hasInitial(const kernel::Graph &graph, int kernel, const kernel::Store &store);

}  // namespace pimento::lower
