// `validate upmem`: measured times of one DPU, replayed with the reference programs on data of the measured kind.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/driver/points.h"

namespace pimento::driver {

/// Milliseconds around a launch, ours. The answer is checked against the interpreter.
Result<double> replayUpmem(const Options &options, const Point &point);

}  // namespace pimento::driver
