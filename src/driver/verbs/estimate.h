// `estimate`: time and energy by exact fast-forward.
#pragma once

#include "pimento/driver/option_table.h"
#include "pimento/driver/verbs/evaluated.h"

namespace pimento::driver {

Result<Evaluated> estimate(const Options &options);

/// Estimates `options.input` on one target; `verb`: what the run is of.
Result<Evaluated> estimateOn(VerbId verb, const Options &options, const std::string &target);

}  // namespace pimento::driver
