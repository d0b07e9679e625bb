// `auto`: the best mapping of one part by what its run is estimated to cost.
//
// The candidates are the reference mapping and those that the target proposes (Target::mappings), or the first ones of
// mapping::MappingSpace. Every one has a lower bound that is proved. Where compiling takes long (Target::outline), most
// candidates are compared by guesses and only the best of these are compiled. How many are estimated depends on counts
// of what was done, never on the clock: the choice is the same on any machine and at any number of threads.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pimento/evaluate/evaluator.h"
#include "pimento/search/search.h"

namespace pimento::evaluate {

/// Legal mappings that `auto` looks at where a target proposes none, and that it may estimate.
inline constexpr int kAutoCandidates = 2048, kAutoEstimated = 24;

/// A mapping, who chose it, and what it compiled to where the choice took that.
struct Choice {
  mapping::Mapping mapping;
  std::string why;
  std::unique_ptr<CompiledPart> compiled = nullptr;
  search::Proof proof = {};           ///< of the choice among many
  std::optional<DeviceRun> run = {};  ///< by searchMode()
  std::optional<MappingChoice> how = {};
};

/// What Request::objective says that a run costs.
double objectiveOf(const Request &request, const HostWork &host, const DeviceCost &run);

/// "program-stuck": `run` did not come to the end of its program.
Diagnostic stuckProgram(const DeviceRun &run);

/// How runs take place by which mappings are compared: estimates on what is known of the data; on random ones where
/// nothing is, or where other kernels make them.
RunMode searchMode(const Request &request);

/// The best mapping for Request::objective that agrees with `spec`, an `auto`; programs that do not come to their end
/// are none. Diagnostics: why the first candidate cannot run, where none can.
Result<Choice> chooseMapping(const Request &request, const GraphPart &part, const mapping::MapSpec &spec);

}  // namespace pimento::evaluate
