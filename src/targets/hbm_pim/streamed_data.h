// Data layout of streamed sums and products: gathering the operands of every term, merging partial results.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/microkernel.h"

namespace pimento::targets::hbm_pim {

class StreamedData final : public DataPlan {
 public:
  static constexpr std::int64_t kColumns = 8;  ///< columns of a tile (AAM: column bits 2..0)

  /// One subspace: its tiles and where its regions lie. A region is one operand's, or the result.
  struct Part {
    lower::Shares shares;
    std::int64_t tiles = 0;   ///< of positions: outputs times pieces
    std::int64_t pieces = 1;  ///< of an output's terms in a unit, side by side
    std::int64_t length = 1;  ///< terms of a piece
    struct Region {
      std::int64_t firstRow = 0;
      bool isPerTerm = false;  ///< else one value serves all terms of a position
    };
    std::vector<Region> regions;  ///< by operand; the result last
    std::int64_t crfBurst = 0, crfBursts = 0;
    ElementwiseCode code;
  };

  StreamedData(const kernel::Graph &graph, int kernel, Streamed pattern, std::vector<int> outputDims,
               std::vector<int> reductionDims, const machine::Machine &machine)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        pattern_(std::move(pattern)),
        outputDims_(std::move(outputDims)),
        reductionDims_(std::move(reductionDims)),
        machine_(machine) {}

  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const override;
  void place(const kernel::DataSet &data, sim::pim::PimDevice &device) const override;
  void collect(sim::pim::PimDevice &device, kernel::DataSet &data) const override;

  std::int64_t groupsPerRow() const { return machine_.dram->organization.columns / kColumns; }

  std::vector<Part> parts;  ///< in execution order

 private:
  kernel::Affine elementOf(const kernel::Access &access) const;
  void fill(const Part &part, std::size_t region, sim::pim::Half value, sim::pim::PimDevice &device) const;
  void placeRegion(const Part &part, std::size_t region, const kernel::DataSet &data,
                   sim::pim::PimDevice &device) const;
  sim::pim::Half &placeOf(const Part &part, std::size_t region, const std::array<const lower::Spot *, 2> &point,
                          sim::pim::PimDevice &device) const;
  float unitResult(const Part &part, const lower::Spot &at, sim::pim::PimDevice &device) const;
  float merged(float a, float b) const { return pattern_.isProduct ? a * b : a + b; }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  Streamed pattern_;
  std::vector<int> outputDims_, reductionDims_;
  const machine::Machine &machine_;
};

}  // namespace pimento::targets::hbm_pim
