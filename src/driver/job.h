// Everything an evaluation needs, loaded once from the options: machine, input, mappings.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/driver/input.h"
#include "pimento/evaluate/evaluator.h"

namespace pimento::driver {

struct Job {
  machine::Machine machine;
  Input input;
  std::vector<mapping::MapSpec> maps;
  evaluate::Offload offload = evaluate::Offload::kAll;
  std::optional<evaluate::TwoSlice> twoSlice;         ///< instead of fast-forward
  KnownData data;                                     ///< on targets whose time depends on it
  std::shared_ptr<program::DpuCompiler> dpuCompiler;  ///< null where Pimento was built without LLVM

  evaluate::Tools tools() const { return {dpuCompiler.get()}; }

  /// The variant of the device's programs; one of the kernel alone ("measured") needs no program of its own.
  std::string deviceVariant(const Options &options) const;
  /// The job must outlive it.
  evaluate::Request request(const Options &options) const;
};

/// Diagnostics: those of machine, input, --map, --offload and --engine.
Result<Job> loadJob(const Options &options, const std::string &target);

/// Fills in what names the input.
void nameReport(evaluate::Report &report, const Input &input);

/// What operands are filled with unless told: some kernels of the zoo need values in a range.
std::string defaultData(const Options &options);

}  // namespace pimento::driver
