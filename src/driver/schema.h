// `pimento targets --schema`: the keys of machine files, from the table that also drives their checks.
#pragma once

#include "pimento/driver/options.h"

namespace pimento::driver {

/// Every key with its kind, units or choices, bounds, whether it must be there, and its meaning; `isJson` as rows.
Outcome schema(const Options &options);

}  // namespace pimento::driver
