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

  kernel::Order order() const override;
  Result<std::unique_ptr<evaluate::Slices>> slices(const RunMode &mode) const override;
  DeviceRun bound(const kernel::DataSpec *values) const override;
  Cycles guess() const override;
  std::vector<std::string> choices() const override;

 private:
  std::vector<Kind> kinds(bool isFilled) const override;
  Dpu loaded(std::int64_t dpu) const override;
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

  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Cache> cache_;
};

}  // namespace pimento::targets::upmem::compiled
