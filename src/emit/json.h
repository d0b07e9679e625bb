// Results as JSON, with the keys of the command line's contract (docs/cli.md), always all of them.
//
// One object per text, indented, ended by a line feed. Numbers are the shortest decimals that read back exactly, so
// equal results give equal bytes. Not a parser.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/emit/run.h"
#include "pimento/emit/suite.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit {

/// A report. Besides the contract's keys: the energy's range, totals, coverage and note, channels, stages.
/// `energy_breakdown` has one entry per priced term; their `pj` sum to `energy_pj`, which is of the whole run.
/// `energy_kernel_pj` is of the device kernel alone. `run`: the options it was made with, where they are known.
std::string toJson(const evaluate::Report &report, const RunText *run = nullptr);

/// {"rows": [...]}: reports with `"error": null`, or `target` and `error` alone where there is none.
std::string toJson(const std::vector<ComparisonRow> &rows);

/// {"suite", "points", "kernels": {name: {"rows", "exact", ...}}, "warnings"}.
std::string toJson(const SuiteResult &result);

/// A list of {"severity", "kind", "code", "file", "line", "column", "message", "hint", "text"}.
std::string toJson(const Diagnostics &diagnostics);

}  // namespace pimento::emit
