// A kernel as one of the measured programs. Samples and pieces of it have fewer rounds, or are parts of rounds where
// these are long: a row of a matrix, the columns of a tile, a chunk along the sum.
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
  std::vector<Way> ways() const override;
  std::int64_t granule(int dim) const override;
  bool areDpusAlike() const override { return true; }
  Shortened shortened(std::int64_t dpu, const lower::PerDim &ranges, const lower::PerDim &valid) const override;
  bool isWholeCheapOnConstants() const override { return true; }

  std::shared_ptr<const Layout> layout_;
};

}  // namespace pimento::targets::upmem::measured
