// What `estimate` and `simulate` answer.
#pragma once

#include "pimento/driver/options.h"
#include "pimento/emit/run.h"
#include "pimento/evaluate/report.h"

namespace pimento::driver {

/// A report, and the run that made it.
struct Evaluated {
  evaluate::Report report;
  emit::RunText run;
};

/// A fault of a program is the user's mistake; what happened up to there is shown all the same.
Outcome show(const Evaluated &done, const Options &options);

}  // namespace pimento::driver
