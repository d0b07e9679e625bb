// A kernel with a program compiled for it, which follows any mapping. Samples and pieces of it are the same program on
// shares with fewer points of a dim.
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
  std::vector<std::string> choices() const override;

 private:
  std::vector<Kind> kinds(bool isFilled) const override;
  Dpu loaded(std::int64_t dpu) const override;
  std::vector<Way> ways() const override;
  std::int64_t granule(int dim) const override;
  std::int64_t tile(int dim) const override;
  bool areDpusAlike() const override;
  Shortened shortened(std::int64_t dpu, const lower::PerDim &ranges, const lower::PerDim &valid) const override;

  /// A bound of all programs, from what they move.
  DeviceRun boundByTransfers() const;
  std::shared_ptr<const Plan> plan_;
  std::shared_ptr<Cache> cache_;
};

}  // namespace pimento::targets::upmem::compiled
