// A saved result of `estimate` or `simulate`: the run that made it, and its numbers.
//
// Reads what emit/json.h writes. Only the run is needed to repeat it; the numbers are for comparing.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pimento/driver/options.h"
#include "pimento/emit/run.h"

namespace pimento::driver {

/// Every number of a result by its path ("breakdown.merge", "stages[2].cycles"), those of `run` left out.
using ResultNumbers = std::map<std::string, double>;

struct ResultFile {
  emit::RunText run;
  ResultNumbers numbers;
};

/// Reads a result. Diagnostics: "bad-json", "not-a-result" (also: several results in one file; one without a run),
/// "bad-run".
Result<ResultFile> parseResult(std::string_view json, const std::string &file);

/// The options as the run recorded them; `options` gives what is no part of a run (jobs, folders, output).
Options optionsOf(const emit::RunText &run, const Options &options);

/// The run that `verb` makes of `options` on `machine`.
emit::RunText runOf(const char *verb, const Options &options, const machine::Machine &machine);

/// Says which numbers of `saved` are others now, and why that may be. Diagnostic: "result-changed".
Status compareNumbers(const ResultFile &saved, const ResultNumbers &now, const emit::RunText &run,
                      const std::string &file);

}  // namespace pimento::driver
