// A kernel with a program compiled for it, which follows any mapping. A sample is the same program on shares that end
// earlier along one dim; how long it takes grows with the points it has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/targets/upmem/compiled/lower.h"
#include "pimento/targets/upmem/kernel.h"

namespace pimento::targets::upmem::compiled {

class CompiledKernel final : public DpuKernel {
 public:
  CompiledKernel(const GraphPart &part, const machine::Machine &machine, Lowered lowered, std::shared_ptr<Cache> cache);

  const program::Program &program() const override { return lowered_.program; }
  const mapping::PlacedMapping &placed() const override { return lowered_.placed; }
  kernel::Order order() const override;
  evaluate::HostWork hostWork() const override { return lowered_.host; }
  Bytes footprint() const override;
  Result<std::unique_ptr<evaluate::Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;
  Cycles guess() const override;
  std::vector<std::string> choices() const override;

 private:
  std::int64_t dpus() const override { return lowered_.plan->dpus(); }
  std::vector<int> operandTensors() const override { return lowered_.plan->tensors(); }
  std::vector<Kind> kinds(bool isFilled) const override;
  Dpu loaded(std::int64_t dpu) const override;
  std::vector<Block> operandsOf(std::int64_t dpu, const kernel::DataSet &data) const override {
    return lowered_.plan->operands(dpu, data);
  }
  std::vector<Fill> fillsOf(std::int64_t /*dpu*/, double value) const override { return lowered_.plan->fills(value); }
  std::vector<Block> emptyResults() const override { return lowered_.plan->results(); }
  std::unique_ptr<Results> collector(kernel::DataSet &data) const override;
  Result<DeviceRun> runGenerated(const RunMode &mode) const override;

  /// A bound of all programs, from the elements that are touched.
  DeviceRun boundByElements() const;
  /// The first DPU, without operands, with the arguments of Plan::shortened.
  Dpu shortened(const std::vector<std::int64_t> &ranges, const std::vector<std::int64_t> &valid) const;
  /// Fills its operands with the data of sample number `sample`.
  void fillMade(Dpu &dpu, const kernel::DataSpec &values, const std::string &sample) const;
  /// One DPU whose tasklets have `points` of dim `dim` alone, on the data of sample number `sample`.
  RunResult runSample(const kernel::DataSpec &values, int dim, std::int64_t points, std::int64_t sample) const;
  /// The dim that samples are cut along, or -1.
  int sampledDim() const;

  Lowered lowered_;
  std::shared_ptr<Cache> cache_;
};

}  // namespace pimento::targets::upmem::compiled
