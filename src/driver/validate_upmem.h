// `validate upmem`: measured times of one DPU, replayed with the reference programs on data of the measured kind.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/driver/points.h"

namespace pimento::driver {

struct UpmemReplay {
  double ms = 0;       ///< around a launch of the reference program, ours
  double speedup = 0;  ///< its cycles over those of our compiled program; 0: there is no compiler
};

/// Both answers are checked against the interpreter.
Result<UpmemReplay> replayUpmem(const Options &options, const Point &point);

}  // namespace pimento::driver
