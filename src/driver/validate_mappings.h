// `validate mappings`: the CoMoNM paper's own validation. Random mappings of random iteration spaces, each simulated,
// fast-forwarded and extrapolated by two slices on the same knowledge of the data.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/emit/mapping_suite.h"

namespace pimento::driver {

/// Draws `options.count` legal mappings per kernel; what is drawn depends on target, kernel, seed and count alone.
/// Where data decide the time, operands hold one constant, drawn as well. Diagnostics: those of machine, kernels and
/// backend; no-mapping (a kernel of which none of many draws is legal).
Result<emit::MappingSuite> validateMappings(const Options &options);

}  // namespace pimento::driver
