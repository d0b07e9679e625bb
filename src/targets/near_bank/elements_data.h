// Where an element-wise kernel's operands and results lie on near-bank units (elements.h).
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/targets/near_bank/elements.h"

namespace pimento::targets::near_bank {

/// One subspace: its shares, and where they begin. Columns count bursts.
struct ElementsPart {
  lower::Shares shares;
  std::int64_t elements = 1;  ///< of a unit
  std::int64_t firstColumn = 0;
};

/// Knows the layout of an element-wise kernel.
class ElementsData final : public KernelData {
 public:
  ElementsData(const kernel::Graph &graph, int kernel, const Elements &elements, const machine::Machine &machine);

  std::int64_t groups() const { return groups_; }
  std::int64_t banksPerGroup() const { return banksPerGroup_; }
  std::int64_t banksPerMove() const { return banksPerMove_; }
  /// Columns that a part takes in each of its banks.
  std::int64_t columnsOf(const ElementsPart &p) const;

  /// First and second operand; of sums the scale, and the number of columns where machines set it.
  std::vector<sim::pim::ImageData> images(const kernel::DataSet &data) const override;
  void collect(sim::pim::NearBankDevice &device, kernel::DataSet &data) const override;

  std::vector<ElementsPart> parts;  ///< in execution order
  std::int64_t columns = 0, banks = 1;

 private:
  using Half = sim::pim::Half;
  using ImageData = sim::pim::ImageData;
  using NearBankDevice = sim::pim::NearBankDevice;
  using Spot = lower::Spot;

  kernel::Affine elementOf(const kernel::Access &access) const;
  void put(Half *burst, std::int64_t lane, double x) const;
  /// Of products: the group that a unit's share is dealt to, and the column of an element there.
  std::int64_t groupOf(const Spot &s) const { return s.instance[1] % groups_; }
  std::int64_t columnOf(const ElementsPart &p, const Spot &s) const;
  /// `visit(spot, bits)` for every point of a part.
  template <typename Visit>
  void forEach(const ElementsPart &p, const kernel::DataSet &data, const ElementOperand &o, const Visit &visit) const;
  void fillProduct(const kernel::DataSet &data, const ElementOperand &o, ImageData &image) const;
  /// `isPreload`: a burst has an element of each unit; else a burst of the unit has it in lane 0.
  void fillSums(const kernel::DataSet &data, const ElementOperand &o, ImageData &image, bool isPreload) const;
  std::uint64_t productAt(NearBankDevice &device, const ElementsPart &p, const Spot &s) const;
  std::uint64_t sumAt(NearBankDevice &device, const ElementsPart &p, const Spot &s) const;

  const kernel::Graph &graph_;
  const kernel::Kernel &kernel_;
  Elements elements_;
  const machine::NearBankUnit &unit_;
  std::int64_t banksPerGroup_, groups_, banksPerMove_ = 1;
  std::vector<int> dims_;
};

}  // namespace pimento::targets::near_bank
