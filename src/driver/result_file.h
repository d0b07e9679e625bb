// A saved result of `estimate` or `simulate`: the run that made it, and its numbers.
//
// Reads what emit/json.h writes. Only the run is needed to repeat it; the numbers are for comparing.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "pimento/driver/option_table.h"

namespace pimento::emit {
struct RunText;
}

namespace pimento::driver {

/// Every number of a result by its path ("breakdown.merge", "stages[2].cycles"), those of `run` left out.
using ResultNumbers = std::map<std::string, double>;

struct ResultFile {
  VerbId verb = VerbId::kEstimate;
  Options run;                   ///< the options of the run, and of others the usual values
  std::string version, machine;  ///< as in emit::RunText
  ResultNumbers numbers;
};

/// Reads a result. Diagnostics: "bad-json", "not-a-result" (also: several results in one file; one without a run),
/// "bad-run".
Result<ResultFile> parseResult(std::string_view json, const std::string &file);

/// The options as the run recorded them; `options` gives what is not part of a run (jobs, folders, output).
Options optionsOf(const ResultFile &result, const Options &options);

/// The run that `verb` makes of `options` on `machine`.
emit::RunText runOf(VerbId verb, const Options &options, const machine::Machine &machine);

/// Says which numbers of `saved` are others now, and why that may be; `run`: of the numbers now. Diagnostic:
/// "result-changed".
Status compareNumbers(const ResultFile &saved, const ResultNumbers &now, const emit::RunText &run,
                      const std::string &file);

}  // namespace pimento::driver
