// Random mappings of a kernel onto a machine: what they have to be correct, no wish for them to be good.
#pragma once

#include "pimento/base/rng.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// One subspace: at every level a number of instances (all where it must be full; else from 1 to all, small ones as
/// likely as large ones) dealt out to the dims it may split, the range as long as it has to be, at times cyclic chunks
/// and at times another order of the dims. What place() and the target say to it is for the caller to ask.
Mapping randomMapping(const kernel::Kernel &kernel, const machine::Machine &machine, Rng &rng);

/// From 1 to `most`, whose logarithm is spread evenly.
std::int64_t spreadEvenly(std::int64_t most, Rng &rng);

}  // namespace pimento::mapping
