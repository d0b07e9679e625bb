// Data layout of element-wise kernels: gathering operands into banks, scattering results back.
#pragma once

#include <functional>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/microkernel.h"

namespace pimento::targets::hbm_pim {

class ElementwiseData final : public DataPlan {
 public:
  static constexpr std::int64_t kColumns = 8;  ///< columns of a tile (AAM: column bits 2..0)
  /// Rows between operand regions in the vendor's simulator (docs/models/hbm-pim.md).
  static constexpr std::int64_t kReferenceRegionRows = 128;

  /// One subspace: its tiles and where its regions lie.
  struct Part {
    lower::Shares shares;
    std::int64_t tiles = 0, firstRow = 0, regionRows = 0;
    std::int64_t crfBurst = 0, crfBursts = 0;
    ElementwiseCode code;
  };

  ElementwiseData(const kernel::Graph &graph, int kernel, const machine::Machine &machine)
      : graph_(graph), kernel_(graph.kernels[static_cast<std::size_t>(kernel)]), machine_(machine) {}

  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const override;
  void place(const kernel::DataSet &data, sim::pim::PimDevice &device) const override;
  void collect(sim::pim::PimDevice &device, kernel::DataSet &data) const override;

  std::vector<Part> parts;  ///< in execution order

 private:
  /// Calls `visit` with the place in region number `region`, and the element of `access`, of every point of the part
  /// that lies in a computed tile and passes the kernel's guards.
  void forEachPoint(const Part &part, std::size_t region, const kernel::Access &access, sim::pim::PimDevice &device,
                    const std::function<void(sim::pim::Half &place, std::int64_t element)> &visit) const;
  void fillUnwritten(kernel::DataSet &data) const;

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  const machine::Machine &machine_;
};

}  // namespace pimento::targets::hbm_pim
