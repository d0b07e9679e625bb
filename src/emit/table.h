// Results as text for a terminal, at most 100 characters wide.
//
// Views only: every number stands in the Report, and JSON carries it in full.
#pragma once

#include <string>
#include <vector>

#include "pimento/emit/suite.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit {

/// One result: what was run, time and its parts, energy and its parts, counts, caveats; with `hasProfile` the profile
/// of a machine-code program.
std::string toTable(const evaluate::Report &report, bool hasProfile = false);

/// One row per target; a target without a report has its `error`.
std::string toTable(const std::vector<ComparisonRow> &rows);

/// One row per kernel.
std::string toTable(const SuiteResult &result);

}  // namespace pimento::emit
