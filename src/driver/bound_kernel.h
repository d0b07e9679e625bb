// A kernel compiled once for one machine that runs on arrays of the caller, any number of times.
//
// What `simulate` and `estimate` do, without the parts that make operands and print: for faces whose users hold their
// own data (the C and Python interfaces).
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "pimento/driver/options.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"

namespace pimento::evaluate {
struct Evaluation;
struct Report;
struct Request;
}  // namespace pimento::evaluate

namespace pimento::driver {

struct Evaluated;
struct Job;

enum class BoundMode : std::uint8_t {
  kSimulate,  ///< the device computes, command by command; results are compared with the interpreter's, bit for bit
  kEstimate,  ///< the interpreter computes in the mapping's order, which gives the same bits; times are fast-forwarded
};

/// Whether the mapping is to come from `tune`: BoundKernel::make takes that verb's options then.
bool isTuned(const Options &options);

class BoundKernel {
 public:
  /// Loads the input of `options`, resolves its mappings on `options.target` and compiles. `options.maps` may be
  /// {"tune"}: what `tune` finds, or has kept; or {"kept"}: only the latter, and null if there is none. Diagnostics:
  /// those of loadJob, tunedMap and evaluate::compile, "bound-program" (the input is a device program).
  static Result<std::unique_ptr<BoundKernel>> make(const Options &options);
  ~BoundKernel();

  /// The user's tensors, in the graph's order: all but temporaries and constants whose contents the input has.
  const std::vector<kernel::Tensor> &tensors() const { return tensors_; }
  const std::string &target() const;
  /// What `--map` says: as it was given, or what `tune` found.
  std::string map() const;
  /// Of each part of the graph: kernels, the mapping, or the reason why it stays on the host.
  struct Part {
    std::string kernel, mapping, why;
    bool isOnHost = false;
  };
  const std::vector<Part> &parts() const { return parts_; }
  /// Of the device's memory, constants included: what the largest part spans, and what there is.
  Bytes footprint() const { return footprint_; }
  Bytes capacity() const;

  /// Runs on `arrays`, one per tensor, row-major elements of its type: inputs are read, outputs written, in-outs both.
  /// Outputs are written only if the run succeeds. Several threads may call it at once, and take turns. Diagnostics:
  /// those of the run.
  Result<Evaluated> run(BoundMode mode, std::span<void *const> arrays);

 private:
  BoundKernel(Options options, std::unique_ptr<Job> job);
  void describe();
  /// Into `last_`; what that has compiled serves again.
  Status compileAndRun(const evaluate::Request &request);
  Result<Evaluated> simulate(kernel::DataSet &data);
  Result<Evaluated> estimate(kernel::DataSet &data);
  Status interpret(kernel::DataSet &data) const;
  Evaluated answer(const evaluate::Report &report) const;

  Options options_;
  std::unique_ptr<Job> job_;
  std::vector<kernel::Tensor> tensors_;
  std::vector<std::size_t> numbers_;  ///< of tensors_ in the graph
  kernel::DataSet given_;             ///< contents of constants that the input has; empty: none
  std::vector<Part> parts_;
  Bytes footprint_;
  std::mutex mutex_;                                   ///< of what follows
  std::unique_ptr<evaluate::Evaluation> last_;         ///< what was compiled, and the report of the last run
  std::unique_ptr<const evaluate::Report> estimated_;  ///< where no data decide the time: of every call
};

}  // namespace pimento::driver
