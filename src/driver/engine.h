// `--engine`: how a time is found, and for `tune` how mappings are compared.
#pragma once

#include <optional>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/evaluate/choices.h"

namespace pimento::driver {

enum class Engine : std::uint8_t {
  kSimulate,
  kFastForward,
  kTwoSlice,
  // tune's
  kExact,
  kPredictor,
  kPredictorOnly,
};

/// "simulate", "fast-forward", "two-slice", "exact", "predictor", "predictor-only".
std::string_view name(Engine e);

/// What the user asks for, or `usual`. Diagnostics: unknown-engine; `allowed` are the verb's.
Result<Engine> engineOf(const Options &options, Engine usual, const std::vector<Engine> &allowed);

/// `--alpha` is in its range. Diagnostics: bad-alpha.
Status checkAlpha(const Options &options);

/// What two-slice extrapolation needs, where it was asked for.
std::optional<evaluate::TwoSlice> twoSliceOf(const Options &options, Engine engine);

}  // namespace pimento::driver
