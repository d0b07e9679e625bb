// Everything an evaluation needs, loaded once from the options: machine, input, mappings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/data_option.h"
#include "pimento/driver/input.h"
#include "pimento/driver/tool_box.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {
class Runnable;
class Target;
struct Report;
struct Request;
}  // namespace pimento::evaluate

namespace pimento::kernel {
struct Unrolled;
}  // namespace pimento::kernel

namespace pimento::mapping {
struct MapSpec;
}

namespace pimento::driver {

struct Job {
  machine::Machine machine;
  const evaluate::Target *target = nullptr;  ///< of the machine's family
  Input input;
  std::shared_ptr<const kernel::Unrolled> rounds;  ///< of a graph with loops; else null
  std::vector<mapping::MapSpec> maps;
  evaluate::Offload offload = evaluate::Offload::kAll;
  evaluate::Objective objective = evaluate::Objective::kTime;  ///< of auto
  std::optional<evaluate::TwoSlice> twoSlice;                  ///< instead of fast-forward
  KnownData data;                                              ///< on targets whose time depends on it
  std::shared_ptr<const ToolBox> toolBox;
  std::shared_ptr<const evaluate::Runnable> program = nullptr;  ///< of an input that is a program

  /// The input's graph without loops.
  const kernel::Graph *graph() const;
  evaluate::Tools tools() const { return toolBox->tools(); }

  /// The variant of the device's programs; one of the kernel alone ("measured") needs no program of its own.
  std::string deviceVariant(const Options &options) const;
  /// The job must outlive it.
  evaluate::Request request(const Options &options) const;
};

/// `isSimulation`: of an input that is a program, what it is loaded for. Diagnostics: those of machine, input, --map,
/// --offload, --engine and Target::load, unknown-family, program-option.
Result<std::unique_ptr<Job>> loadJob(const Options &options, const std::string &target, bool isSimulation = false);

/// Fills in what names the input.
void nameReport(evaluate::Report &report, const Input &input);

}  // namespace pimento::driver
