// `simulate`: every command, on data unless `--data none`; `--trace` writes a timeline.
#pragma once

#include "pimento/driver/verbs/evaluated.h"

namespace pimento::driver {

Result<Evaluated> simulate(const Options &options);

}  // namespace pimento::driver
