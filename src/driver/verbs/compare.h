// `compare`: one kernel on several targets; a target that cannot run it has diagnostics in its row.
#pragma once

#include <vector>

#include "pimento/driver/options.h"
#include "pimento/emit/suite.h"

namespace pimento::driver {

Result<std::vector<emit::ComparisonRow>> compare(const Options &options);
Outcome show(const std::vector<emit::ComparisonRow> &rows, const Options &options);

}  // namespace pimento::driver
