// A kernel compiled for UPMEM, and its runs: on data, on what is known of the data, or on a sample.
//
// DPUs run apart from one another; a launch lasts as long as the slowest. Where data do not decide the time one DPU
// stands for all. Where they do, a run needs them: real ones (runOn), constants (every DPU's memory is filled), or a
// way to make them, in which case short runs are done on the data themselves and long ones are extrapolated from a
// sample (upmem_sample.h).
#pragma once

#include <memory>

#include "pimento/evaluate/backend.h"
#include "pimento/lower/upmem/lower.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::evaluate {

class UpmemKernel final : public CompiledKernel {
 public:
  UpmemKernel(const kernel::Graph &graph, int kernel, const machine::Machine &machine, lower::upmem::Lowered lowered,
              std::shared_ptr<const sim::dpu::Image> image);

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  /// Integers wrap: any order gives the same.
  kernel::Order order() const override { return {}; }
  lower::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override;
  Result<DeviceRun> run(const RunMode &mode) const override;
  Result<std::unique_ptr<Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;
  Result<DeviceRun> runOn(kernel::DataSet &data, const Observers &observers, int jobs) const override;
  std::vector<std::string> assembly() const override;

 private:
  std::int64_t dpus() const { return lowered_.layout->dpus(); }
  /// A DPU with program and arguments in it, and no operands.
  sim::dpu::Dpu loaded() const;
  Result<DeviceRun> runKnown(double value, bool isFastForward, sim::dpu::Observer *observer) const;
  Result<DeviceRun> runGenerated(const RunMode &mode) const;
  /// All DPUs, on data made as `mode` says.
  Result<DeviceRun> runMade(const RunMode &mode) const;
  /// Do values that are not there decide the time? The run if they do not.
  std::optional<sim::dpu::RunResult> estimateUnknown() const;
  bool readsInputsAlone() const;
  /// All operands, where they are known one by one; else null.
  const kernel::DataSet *contentsOf(const RunMode &mode) const;

  const kernel::Graph &graph_;
  int kernel_;
  const machine::Machine &machine_;
  lower::upmem::Lowered lowered_;
  std::shared_ptr<const sim::dpu::Image> image_;
};

}  // namespace pimento::evaluate
