// `report FILE...`: results in `inputs` as one HTML page; with an output that ends in `.svg`, the chart of one figure.
#pragma once

#include <string>

#include "pimento/driver/options.h"

namespace pimento::driver {

Result<std::string> report(const Options &options);

}  // namespace pimento::driver
