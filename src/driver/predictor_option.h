// `--engine predictor`: which predictor, where it is kept, and what it is taught before it is asked.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pimento/driver/engine.h"
#include "pimento/driver/options.h"

namespace pimento::tune {
class Predictor;
}

namespace pimento::driver {

struct Job;
struct KernelProblem;

/// `--engine` of tune. Diagnostics: unknown-engine, engine-option (an option that another engine has).
Result<Engine> tuneEngineOf(const Options &options);

/// A predictor that is fitted for the objective, and what it was taught for that.
struct Taught {
  std::shared_ptr<tune::Predictor> predictor;
  std::string file;  ///< empty: it is kept nowhere
  std::int64_t newShapes = 0, newDrafts = 0;
  bool isChanged = false;
  double seconds = 0;  ///< of running drafts and fitting trees
};

/// The predictor of `--model`. It is taught the shapes of `--train`; without these, where it knows a kernel not at all
/// on this machine, shapes around the given one; and with `--retrain` drafts of the given shape. `options`: without an
/// engine. Diagnostics: those of Predictor, what --train's shapes are refused with, interrupted.
Result<Taught> taughtPredictor(const Options &options, const Job &job, const std::vector<KernelProblem> &problems);

/// Writes it to its file, if it has one and was taught something. Diagnostic: unwritable-file.
Status keepPredictor(const Taught &taught);

}  // namespace pimento::driver
