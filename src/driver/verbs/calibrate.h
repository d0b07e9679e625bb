// `calibrate TARGET`: times of DPUs from micro-benchmark tables, with residuals.
#pragma once

#include <string>

#include "pimento/driver/options.h"
#include "pimento/tune/calibrate.h"

namespace pimento::driver {

struct CalibrateAnswer {
  tune::Calibration found;
  tune::Residuals residuals;
  std::string machine;  ///< the text of its file
};

/// `options.input` holds the machine to begin with.
Result<CalibrateAnswer> calibrate(const Options &options);
/// Writes the machine file to `options.output`.
Outcome show(const CalibrateAnswer &answer, const Options &options);

}  // namespace pimento::driver
