// Graph + mapping + machine -> Report: the two evaluators and the choice of mappings.
//
// `estimate` fast-forwards, `simulate` issues every command; both give the same cycles, time, energy, breakdown and
// counts. A simulation with data runs the device's functional model and compares every output bit for bit with the
// reference interpreter, evaluated in the mapping's order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/backend.h"
#include "pimento/evaluate/report.h"

namespace pimento::evaluate {

/// What to evaluate and how.
struct Request {
  const kernel::Graph *graph = nullptr;
  const machine::Machine *machine = nullptr;
  std::vector<mapping::MapSpec> maps;  ///< one for all kernels, or one per kernel
  std::string variant = "plain";
  bool isSimulation = false;        ///< every command; otherwise fast-forward
  kernel::DataSet *data = nullptr;  ///< simulation: inputs; outputs are added. Null: timing only, unchecked
  sim::dram::CommandObserver *observer = nullptr;  ///< simulation: sees the device commands of one channel
  int jobs = 1;                                    ///< threads for the choice of `auto` mappings
};

/// A graph whose kernels all have a mapping and a program.
struct CompiledGraph {
  std::vector<mapping::Mapping> mappings;
  std::vector<std::unique_ptr<CompiledKernel>> kernels;
};

/// Resolves `reference` and `auto`, compiles every kernel. Diagnostics of mapping and lowering.
Result<CompiledGraph> compile(const Request &request);

/// Compiles and runs. The report is complete except for the fields that name the input (kernel, sizes, dtype).
Result<Report> evaluate(const Request &request);

/// Runs a device program that has no kernel behind it (a .llvcnm file): time, energy and counts, nothing checked.
/// `places`: where its commands stand, for messages.
Result<Report> evaluateProgram(const program::Program &program, const machine::Machine &machine, bool isSimulation,
                               sim::dram::CommandObserver *observer, const program::Places *places = nullptr);

/// Number of legal mappings that `auto` looks at, and how many of them it estimates.
inline constexpr int kAutoCandidates = 2048, kAutoEstimated = 24;

}  // namespace pimento::evaluate
