// A kernel as one of the measured programs. Where data decide its time, long runs are extrapolated from samples of its
// rounds (sampler.h).
#pragma once

#include <memory>

#include "pimento/targets/upmem/kernel.h"
#include "pimento/targets/upmem/measured/lower.h"

namespace pimento::targets::upmem::measured {

class MeasuredKernel final : public DpuKernel {
 public:
  MeasuredKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered,
                 std::shared_ptr<const sim::dpu::Image> image);

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  /// Integers wrap: any order gives the same.
  kernel::Order order() const override { return {}; }
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override;
  Result<std::unique_ptr<evaluate::Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;

 private:
  std::int64_t dpus() const override { return lowered_.layout->dpus(); }
  std::vector<int> operandTensors() const override;
  std::vector<Kind> kinds(bool isFilled) const override;
  Dpu loaded(std::int64_t dpu) const override;
  std::vector<Block> operandsOf(std::int64_t dpu, const kernel::DataSet &data) const override {
    return lowered_.layout->operands(dpu, data);
  }
  std::vector<Fill> fillsOf(std::int64_t dpu, double value) const override {
    return lowered_.layout->fills(dpu, value);
  }
  std::vector<Block> emptyResults() const override { return lowered_.layout->results(); }
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;
  Status check(const kernel::DataSet &data) const override { return lowered_.layout->check(data); }
  Result<DeviceRun> runGenerated(const RunMode &mode) const override;

  Lowered lowered_;
  std::shared_ptr<const sim::dpu::Image> image_;
};

}  // namespace pimento::targets::upmem::measured
