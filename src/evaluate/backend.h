// What a target must offer to be evaluated: compile a kernel, run it with or without data.
//
// Engines differ in what they show an observer and in what decides their time: commands of a DRAM channel go their way
// whatever the data are, programs of a DPU branch on them. Both stand here once, for all targets: Observers holds one
// observer per kind of engine, RunMode says what is known of the data (decision 8).
//
// One implementation per machine family, listed in the table backends(); adding a target adds its files and one line
// there. A CompiledKernel knows its program, its host work and how to run itself on the engines; reports, checking,
// graphs and the choice of mappings are written once, above this interface (evaluator.h).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/evaluate/report.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "pimento/lower/host_work.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/dpu_compiler.h"
#include "pimento/program/program.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::evaluate {

/// What a run of the device did.
struct DeviceRun {
  Cycles cycles, cyclesSimulated;
  bool isStuck = false;  ///< the program cannot come to its end: hand-written, or on a machine that makes no sense
  energy::ActionCounts actions;                ///< device totals
  std::map<std::string, std::int64_t> counts;  ///< for the report, device totals
  std::string_view unit = "channel";           ///< what is simulated: "channel", "DPU"
  std::int64_t units = 1, unitsSimulated = 1;  ///< identical units, and how many of them ran; these stand for all
  std::optional<Interval> interval;            ///< of the cycles, where they were sampled
  bool isExtrapolated = false;                 ///< from pieces, without a bound on the error (two_slice.h)
  std::vector<std::string> warnings;
};

/// Who sees what one unit does, by engine. An engine ignores observers of the others.
struct Observers {
  sim::dram::CommandObserver *commands = nullptr;  ///< of a DRAM channel
  sim::dpu::Observer *dpu = nullptr;               ///< issues and transfers of a DPU

  bool any() const { return commands != nullptr || dpu != nullptr; }
};

/// How to run the device.
struct RunMode {
  bool isFastForward = false;
  Observers observers = {};  ///< of one unit; exclude fast-forward
  /// What the operands hold, where that decides the time. Null: nothing is known of them.
  const kernel::DataSpec *values = nullptr;
  /// All operands, where they come from files; read on targets whose time depends on them, instead of `values`.
  const kernel::DataSet *contents = nullptr;
  int jobs = 1;  ///< threads
};

/// The engine of two_slice.h: how far the time of its second piece may be from twice that of the first, as a part of
/// the first. The paper leaves it open.
struct TwoSlice {
  double alpha = 0.05;
};

class Slices;

class CompiledKernel {
 public:
  virtual ~CompiledKernel() = default;

  virtual const program::Program &program() const = 0;
  virtual const mapping::PlacedMapping &placed() const = 0;
  /// The order in which the mapping accumulates, from the mapping (not from the program).
  virtual kernel::Order order() const = 0;
  virtual lower::HostWork hostWork() const = 0;
  /// Device memory that its layout spans, constants included.
  virtual Bytes footprint() const = 0;
  /// Without computing: time and counts. Diagnostics: "data-decide-time" (values that are not known decide them).
  virtual Result<DeviceRun> run(const RunMode &mode) const = 0;
  /// Pieces of what `run` would do with what `mode` knows of the data (slices.h). Diagnostics: "no-slices", and those
  /// of `run`.
  virtual Result<std::unique_ptr<Slices>> slices(const RunMode &mode) const;
  /// Without running: cycles and actions that no run is below (never fitted; `counts` stay empty). Null: whatever the
  /// operands hold; else no run on these.
  virtual DeviceRun bound(const kernel::DataSpec *values) const = 0;
  DeviceRun bound() const { return bound(nullptr); }
  /// A guess at `bound`, at once and seldom above it, where that takes its time: searches bound the least first.
  virtual Cycles guess() const { return {}; }
  /// Runs every command on real data: reads inputs and temporaries from `data`, writes outputs into it; on `jobs`
  /// threads where several units differ. Diagnostics: those of programs that fault on their data.
  virtual Result<DeviceRun> runOn(kernel::DataSet &data, const Observers &observers, int jobs) const = 0;
  /// Readable device code, one text per subspace (`compile --emit asm`).
  virtual std::vector<std::string> assembly() const = 0;
  /// What it chose beyond the mapping, and why: a sentence each.
  virtual std::vector<std::string> choices() const { return {}; }
  /// The device's half as C, where there is one (`compile --emit c`); else empty.
  virtual std::string source() const { return {}; }
};

/// What `driver` hands in, since rooms below it cannot know it.
struct Tools {
  program::DpuCompiler *dpuCompiler = nullptr;  ///< null: Pimento was built without LLVM
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view family() const = 0;
  /// Does compiling make machine code? Its time is then reported as such, not as part of the evaluation; and the time
  /// of what it makes may depend on data (RunMode).
  virtual bool generatesCode() const { return false; }
  /// Variants a kernel may ask for besides "plain".
  virtual std::vector<std::string> variants() const = 0;
  /// Device memory there is for operands and results.
  virtual Bytes capacity(const machine::Machine &machine) const = 0;
  /// The mapping published results used, with `spec`'s extensions.
  virtual Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                             const mapping::MapSpec &spec, const Tools &tools) const = 0;
  /// The mappings that searches look at, best guesses first, where they are others than mapping::MappingSpace gives;
  /// empty: those. `spec`: what the user asked for besides.
  virtual std::vector<mapping::Mapping> mappings(const kernel::Graph & /*graph*/, int /*kernel*/,
                                                 const machine::Machine & /*machine*/,
                                                 const mapping::MapSpec & /*spec*/, const Tools & /*tools*/) const {
    return {};
  }
  /// `graph` and `machine` must outlive the result.
  virtual Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                          const mapping::Mapping &mapping,
                                                          const machine::Machine &machine, std::string_view variant,
                                                          const Tools &tools) const = 0;
};

/// All backends.
const std::vector<const Backend *> &backends();
/// The backend of the machine's family; a diagnostic names the families there are.
Result<const Backend *> backendFor(const machine::Machine &machine);

}  // namespace pimento::evaluate
