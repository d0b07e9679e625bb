// What a target must offer to be evaluated: compile a kernel, run it with or without data.
//
// One implementation per machine family, listed in the table backends(); adding a target adds its files and one line
// there. A CompiledKernel knows its program, its host work and how to run itself on the engines; reports, checking,
// graphs and the choice of mappings are written once, above this interface (evaluator.h).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/energy/actions.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/kernel.h"
#include "pimento/lower/host_work.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"
#include "pimento/program/program.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::evaluate {

/// What a run of the device did.
struct DeviceRun {
  Cycles cycles, cyclesSimulated;
  bool isStuck = false;                        ///< the program cannot come to its end (hand-written ones only)
  energy::ActionCounts actions;                ///< device totals
  std::map<std::string, std::int64_t> counts;  ///< for the report, device totals
  std::int64_t identicalChannels = 1;          ///< channels one simulated channel stands for
};

/// How to run the device.
struct RunMode {
  bool isFastForward = false;
  sim::dram::CommandObserver *observer = nullptr;  ///< sees the commands of one channel; excludes fast-forward
};

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
  virtual DeviceRun run(const RunMode &mode) const = 0;
  /// Without running: cycles and actions that no run is below (never fitted; `counts` stay empty).
  virtual DeviceRun bound() const = 0;
  /// Runs every command on real data: reads inputs and temporaries from `data`, writes outputs into it.
  virtual DeviceRun runOn(kernel::DataSet &data, sim::dram::CommandObserver *observer) const = 0;
  /// Readable device code, one text per subspace (`compile --emit asm`).
  virtual std::vector<std::string> assembly() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  virtual std::string_view family() const = 0;
  /// Variants a kernel may ask for besides "plain".
  virtual std::vector<std::string> variants() const = 0;
  /// Device memory there is for operands and results.
  virtual Bytes capacity(const machine::Machine &machine) const = 0;
  /// The mapping published results used, with `spec`'s extensions.
  virtual Result<mapping::Mapping> reference(const kernel::Graph &graph, int kernel, const machine::Machine &machine,
                                             const mapping::MapSpec &spec) const = 0;
  /// `graph` and `machine` must outlive the result.
  virtual Result<std::unique_ptr<CompiledKernel>> compile(const kernel::Graph &graph, int kernel,
                                                          const mapping::Mapping &mapping,
                                                          const machine::Machine &machine,
                                                          std::string_view variant) const = 0;
};

/// All backends.
const std::vector<const Backend *> &backends();
/// The backend of the machine's family; a diagnostic names the families there are.
Result<const Backend *> backendFor(const machine::Machine &machine);

}  // namespace pimento::evaluate
