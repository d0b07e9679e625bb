// What runs + machine -> Report: the two evaluators.
//
// `estimate` fast-forwards, `simulate` issues every command; both give the same cycles, time, energy, breakdown and
// counts. A third way extrapolates and gives others (two_slice.h). A simulation with data runs the device's functional
// model and compares every output bit for bit with the reference interpreter, evaluated in the mapping's order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/target.h"
#include "pimento/kernel/rounds.h"

namespace pimento::evaluate {

/// What to evaluate and how: a graph, or a program from a file.
struct Request {
  const machine::Machine *machine = nullptr;
  const Target *target = nullptr;  ///< of the machine's family
  /// Without loops: those of a graph with loops are kernel::unrolled's.
  const kernel::Graph *graph = nullptr;
  const kernel::Unrolled *rounds = nullptr;  ///< of a graph with loops: `graph` is its graph
  const Runnable *program = nullptr;         ///< instead of a graph
  std::vector<mapping::MapSpec> maps;        ///< one for all kernels, or one per kernel (of the graph with loops)
  std::string variant = "plain";
  Offload offload = Offload::kAll;
  Objective objective = Objective::kTime;  ///< of `auto` mappings
  bool isSimulation = false;               ///< every command; otherwise fast-forward
  /// Timing only, instead of fast-forward. `auto` mappings are chosen by fast-forward all the same.
  std::optional<TwoSlice> twoSlice = {};
  kernel::DataSet *data = nullptr;  ///< simulation: inputs; outputs are added. Null: timing only, unchecked
  /// Timing only: what the operands hold, on targets where that decides the time. Nothing: not known.
  std::optional<kernel::DataSpec> values = {};
  const kernel::DataSet *contents = nullptr;  ///< timing only: the operands, where they are known one by one
  Observer *observer = nullptr;               ///< simulation: sees what one unit of the device does
  Tools tools = {};                           ///< what compiling may use
  int jobs = 1;                               ///< threads: for the choice of `auto` mappings, for units that differ

  /// The kernel that the user wrote: several of `graph` may be it, at other counters.
  std::size_t originOf(std::size_t kernel) const {
    return rounds == nullptr ? kernel : static_cast<std::size_t>(rounds->origins[kernel]);
  }
  const mapping::MapSpec &mapOf(std::size_t kernel) const {
    return maps.size() > 1 ? maps[originOf(kernel)] : maps.front();
  }
};

/// As many mappings as Request::mapOf needs. Diagnostics: map-count.
Status checkMaps(const Request &request);

/// A part of a graph with its mapping and program, or the reason why it stays on the host.
struct PlannedPart {
  int first = 0, count = 1;  ///< kernels of the graph
  mapping::Mapping mapping;
  std::unique_ptr<CompiledPart> compiled;    ///< null: on the host
  std::string why = {};                      ///< on the host
  std::string mappingWhy = {};               ///< who chose the mapping, and among how many
  std::optional<MappingChoice> choice = {};  ///< of the mapping, where a search chose it
  std::optional<DeviceRun> timed = {};       ///< a run by searchMode(), where one took place
  std::optional<Cycles> offloadedCycles{};   ///< on the device, where that was estimated
  std::int64_t compileUs = 0;                ///< what making machine code took
  std::int64_t planUs = 0;                   ///< what all else took until it was there
};

/// All parts of a graph, in its order.
struct CompiledGraph : std::vector<PlannedPart> {
  std::shared_ptr<Cache> shared = nullptr;  ///< what choosing their mappings made and runs need again
  std::vector<TriedProgram> tried = {};     ///< where mappings were chosen together
};

/// Numbers of the parts (of `parts`) in the order they run.
std::vector<int> runsOf(const Request &request, std::size_t parts);

/// Resolves `reference` and `auto`, compiles every kernel once and decides which of them run on the device. Diagnostics
/// of mapping and lowering.
Result<CompiledGraph> compile(const Request &request);

/// What a stage's numbers were made from, for explanations.
struct StageRecord {
  DeviceRun run;                            ///< on the device; the first one, where a loop has several
  HostWork work;                            ///< around it
  HostLayer layer;                          ///< were it on the host
  bool placesConstants = false;             ///< first of the stages that read these constants
  std::optional<DeviceRun> placement = {};  ///< by commands, where it is
  // Of all runs, which may differ where data decide.
  std::map<std::string, std::int64_t> counts = {};
  energy::ActionCounts deviceActions = {}, hostActions = {};
};

/// A report with what it was made from.
struct Evaluation {
  Report report;
  CompiledGraph compiled;            ///< of a graph
  std::vector<StageRecord> records;  ///< by stage
};

/// Compiles (or takes what compile() made of the same request) and runs. The report is complete except for the fields
/// that name the input (kernel, sizes, dtype). Diagnostics: "no-target", those of compile(), and those of the run.
Result<Evaluation> evaluateRecorded(const Request &request);
Result<Evaluation> evaluateRecorded(const Request &request, CompiledGraph compiled);
Result<Report> evaluate(const Request &request);

}  // namespace pimento::evaluate
