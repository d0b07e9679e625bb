// Graph + mapping + machine -> Report: the two evaluators and the choice of mappings.
//
// `estimate` fast-forwards, `simulate` issues every command; both give the same cycles, time, energy, breakdown and
// counts. A third way extrapolates and gives others (two_slice.h). A simulation with data runs the device's functional
// model and compares every output bit for bit with the reference interpreter, evaluated in the mapping's order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/evaluate/backend.h"
#include "pimento/evaluate/host_layer.h"
#include "pimento/evaluate/report.h"

namespace pimento::evaluate {

/// Which kernels of a graph run on the device.
enum class Offload : std::uint8_t {
  kAll,       ///< all; one that cannot is an error
  kPossible,  ///< all that can; the host runs the others
  kBest,      ///< those that take less time there than on the host, moving their data included
};

/// What to evaluate and how.
struct Request {
  const kernel::Graph *graph = nullptr;
  const machine::Machine *machine = nullptr;
  std::vector<mapping::MapSpec> maps;  ///< one for all kernels, or one per kernel
  std::string variant = "plain";
  Offload offload = Offload::kAll;
  bool isSimulation = false;  ///< every command; otherwise fast-forward
  /// Timing only, instead of fast-forward. `auto` mappings are chosen by fast-forward all the same.
  std::optional<TwoSlice> twoSlice = {};
  kernel::DataSet *data = nullptr;  ///< simulation: inputs; outputs are added. Null: timing only, unchecked
  /// Timing only: what the operands hold, on targets where that decides the time. Nothing: not known.
  std::optional<kernel::DataSpec> values = {};
  const kernel::DataSet *contents = nullptr;  ///< timing only: the operands, where they are known one by one
  Observers observers = {};                   ///< simulation: see what one unit of the device does
  Tools tools = {};                           ///< what compiling may use
  int jobs = 1;                               ///< threads: for the choice of `auto` mappings, for units that differ

  const mapping::MapSpec &mapOf(std::size_t kernel) const { return maps.size() > 1 ? maps[kernel] : maps.front(); }
};

/// As many mappings as Request::mapOf needs. Diagnostics: map-count.
Status checkMaps(const Request &request);

/// A kernel of a graph with its mapping and program, or the reason why it stays on the host.
struct PlannedKernel {
  mapping::Mapping mapping;
  std::unique_ptr<CompiledKernel> compiled;  ///< null: on the host
  std::string why;                           ///< on the host
  std::string mappingWhy;                    ///< who chose the mapping, and among how many
  std::optional<Cycles> offloadedCycles;     ///< on the device, where that was estimated
  std::int64_t compileUs = 0;                ///< what making machine code took
};

/// One entry per kernel.
using CompiledGraph = std::vector<PlannedKernel>;

/// Resolves `reference` and `auto`, compiles every kernel and decides which of them run on the device. Diagnostics of
/// mapping and lowering.
Result<CompiledGraph> compile(const Request &request);

/// What a stage's numbers were made from, for explanations.
struct StageRecord {
  DeviceRun run;                 ///< on the device
  lower::HostWork work;          ///< around it
  HostLayer layer;               ///< were it on the host
  bool placesConstants = false;  ///< first of the stages that read these constants
};

/// A report with what it was made from.
struct Evaluation {
  Report report;
  CompiledGraph compiled;
  std::vector<StageRecord> records;  ///< by stage
};
Result<Evaluation> evaluateRecorded(const Request &request);

/// Compiles and runs. The report is complete except for the fields that name the input (kernel, sizes, dtype).
Result<Report> evaluate(const Request &request);

/// Runs a device program that has no kernel behind it (a .llvcnm file): time, energy and counts, nothing checked.
/// `places`: where its commands stand, for messages. `twoSlice`: by pieces, instead of fast-forward.
Result<Report> evaluateProgram(const program::Program &program, const machine::Machine &machine, bool isSimulation,
                               const Observers &observers, const program::Places *places = nullptr,
                               const std::optional<TwoSlice> &twoSlice = {});

/// The report of a run with no kernel behind it, one stage; `work` is what the host did around it. The fields that name
/// the input are left to the caller.
Report reportProgram(const program::Process &process, const DeviceRun &run, const lower::HostWork &work,
                     const machine::Machine &machine);

/// Number of legal mappings that `auto` looks at, how many of them it may estimate, and how many at a time.
inline constexpr int kAutoCandidates = 2048, kAutoEstimated = 24, kAutoBatch = 4;

}  // namespace pimento::evaluate
