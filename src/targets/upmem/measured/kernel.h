// A kernel as one of the measured programs. Where data decide its time, long runs are extrapolated from samples of its
// rounds (sampler.h).
#pragma once

#include <memory>

#include "pimento/targets/upmem/kernel.h"
#include "pimento/targets/upmem/measured/lower.h"

namespace pimento::targets::upmem::measured {

class MeasuredKernel final : public DpuKernel {
 public:
  MeasuredKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered);

  /// Integers wrap: any order gives the same.
  kernel::Order order() const override { return {}; }
  Result<std::unique_ptr<evaluate::Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;

 private:
  std::vector<Kind> kinds(bool isFilled) const override;
  Dpu loaded(std::int64_t dpu) const override;
  Result<DeviceRun> runGenerated(const RunMode &mode) const override;

  std::shared_ptr<const Layout> layout_;
};

}  // namespace pimento::targets::upmem::measured
