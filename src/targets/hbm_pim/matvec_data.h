// Data layout of matrix-vector products: placing weights, broadcasting inputs, merging lanes.
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/hbm_pim/direct_layout.h"
#include "pimento/targets/hbm_pim/lower.h"
#include "pimento/targets/hbm_pim/pattern.h"

namespace pimento::targets::hbm_pim {

class MatVecData final : public DataPlan {
 public:
  static constexpr std::int64_t kSlots = 8;   ///< outputs per lane group in a tile (AAM: column bits 2..0)
  static constexpr std::int64_t kBursts = 8;  ///< input bursts in a tile (GRF_A entries)
  /// Row of zeros and CRF bursts of the tree variant in the vendor's simulator (docs/models/hbm-pim.md).
  static constexpr std::int64_t kReferenceZeroRow = 1000, kTreeCrfBursts = 2;

  /// One subspace: its tiles and where they lie.
  struct Part {
    lower::Shares shares;
    std::int64_t outputTiles = 0, inputTiles = 0, evenTiles = 0, oddTiles = 0, batch = 1, groups = 1;
    std::int64_t weightRow = 0, resultRow = 0, resultsPerOutput = 1;
    std::int64_t inputBurst = 0, crfBurst = 0, crfBursts = 0;
    bool isInputPerChannel = false;
    std::optional<DirectLayout> direct;

    /// Tile and slot of an output, by its number in the lane's range.
    std::pair<std::int64_t, std::int64_t> placeOf(std::int64_t output) const {
      return direct ? direct->placeOf(output) : std::pair(output / kSlots, output % kSlots);
    }
    /// Loops around that over output tiles.
    int outerDepth() const { return groups > 1 ? 1 : 0; }
  };

  MatVecData(const kernel::Graph &graph, int kernel, MatVec pattern, const machine::Machine &machine, bool isTree)
      : graph_(graph),
        kernel_(graph.kernels[static_cast<std::size_t>(kernel)]),
        pattern_(std::move(pattern)),
        machine_(machine),
        isTree_(isTree) {}

  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const override;
  void place(const kernel::DataSet &data, sim::pim::PimDevice &device) const override;
  void collect(sim::pim::PimDevice &device, kernel::DataSet &data) const override;
  Status check(const kernel::DataSet &data) const override;

  /// Whether the inputs are broadcast as their tensor holds them, groups and batches one after the other.
  bool isInputInOrder() const;

  std::vector<Part> parts;  ///< in execution order
  std::int64_t inputBursts = 0;
  bool isInputPerChannel = false;
  std::vector<std::vector<program::hbm_pim::Instruction>> microkernels;

 private:
  kernel::Affine elementOf(const kernel::Access &access) const;
  void placeDirect(const Part &part, const kernel::TensorData &w, sim::pim::PimDevice &device) const;
  void placeOne(const Part &part, const std::array<std::int64_t, 3> &at, std::int64_t position, std::int64_t burst,
                sim::pim::Half value, sim::pim::PimDevice &device) const;
  void placePart(const Part &part, const kernel::TensorData &w, const kernel::Affine &element,
                 sim::pim::PimDevice &device) const;
  void collectPart(const Part &part, sim::pim::PimDevice &device, std::vector<float> &sums,
                   std::vector<bool> &isStarted) const;
  float unitSum(const Part &part, sim::pim::PimDevice &device, const lower::Spot &at, std::int64_t slot,
                std::int64_t result) const;
  const kernel::Access &load(int number) const { return kernel_.loads[static_cast<std::size_t>(number)]; }

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  MatVec pattern_;
  const machine::Machine &machine_;
  bool isTree_;
};

/// CRF words as the bursts that load them, eight words each, `bursts` in all; the control image (off, on).
sim::pim::ImageData crfImage(const std::vector<program::hbm_pim::Instruction> &code, std::int64_t bursts);
sim::pim::ImageData controlImage();

}  // namespace pimento::targets::hbm_pim
