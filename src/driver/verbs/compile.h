// `compile`: the stage that `--emit` names, as text.
#pragma once

#include <string>

#include "pimento/driver/options.h"

namespace pimento::driver {

Result<std::string> compile(const Options &options);

}  // namespace pimento::driver
