// `validate upmem`: measured times of one DPU, replayed with the reference programs on data of the measured kind.
#pragma once

#include "pimento/driver/engine.h"
#include "pimento/driver/options.h"
#include "pimento/driver/points.h"

namespace pimento::driver {

struct UpmemReplay {
  double ms = 0;       ///< around a launch of the reference program, ours
  double speedup = 0;  ///< its cycles over those of our compiled program; 0: there is no compiler
  evaluate::Exactness exact = evaluate::Exactness::kSimulated;
  double seconds = 0;  ///< that evaluating the reference program took
};

/// A simulation checks both answers against the interpreter; other engines only time the reference program, on as much
/// as the point says of its data.
Result<UpmemReplay> replayUpmem(const Options &options, const Point &point, Engine engine);

}  // namespace pimento::driver
