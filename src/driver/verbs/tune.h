// `tune`: the best mapping of a kernel, or of each kernel of a graph, found exactly, run on data and kept.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/emit/tune.h"

namespace pimento::driver {

/// Diagnostics: those of the input and of tune::explore, wrong-answer and wrong-cycles (bugs of ours), what the store
/// says.
Result<emit::Tuning> tuneMappings(const Options &options);
Outcome show(const emit::Tuning &found, const Options &options);

}  // namespace pimento::driver
