// `simulate`: every command, on data unless `--data none`; `--trace` writes a timeline.
#pragma once

#include "pimento/driver/option_table.h"
#include "pimento/driver/verbs/evaluated.h"

namespace pimento::driver {

Result<Evaluated> simulate(const Options &options);

/// Simulates `options.input` on `options.target`; `verb`: what the run is of.
Result<Evaluated> simulateOn(VerbId verb, const Options &options);

}  // namespace pimento::driver
