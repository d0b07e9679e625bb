// Where each point of a kernel goes on HBM-PIM: channel, block, lane and position inside the unit.
//
// Written against the definition in mapping.h but on its own, so that programs and accumulation orders come from
// different code. Positions are precomputed per dim; a point's channel, block and lane are mixed-radix numbers over
// the kernel's dims, so contributions of dims add up.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::targets::hbm_pim {

/// Contribution of one coordinate (or of several dims' coordinates together).
struct Place {
  std::int32_t channel = 0, block = 0, lane = 0;
  std::int64_t local = 0;     ///< position within the unit's range over the same dims, row-major
  std::int64_t offsets[3]{};  ///< contribution to the element offsets of up to three accesses
};

/// One subspace of a placed mapping, with the levels channel, block and lane.
class Layout {
 public:
  Layout(const kernel::Kernel &kernel, const machine::Machine &machine, const mapping::PlacedMapping &placed,
         int subspace);

  /// Instances used of a level (0 channel, 1 block, 2 lane), all dims together or of `dims` alone.
  std::int64_t instances(int level, const std::vector<int> &dims) const;
  /// Positions inside one unit over `dims`: the product of ranges.
  std::int64_t range(const std::vector<int> &dims) const;
  /// Contributions of all points of the box over `dims`, row-major; `accesses` fill Place::offsets (element offsets in
  /// their tensors; constants are left out).
  std::vector<Place> places(const std::vector<int> &dims, const std::vector<const kernel::Access *> &accesses,
                            const std::vector<kernel::Tensor> &tensors) const;
  /// What a level instance number of `dims` contributes to the machine's instance number, for each combination.
  std::vector<std::int32_t> instanceOffsets(int level, const std::vector<int> &dims) const;

  const mapping::Box &box() const { return placed_.boxes[subspace_]; }
  const mapping::Subspace &subspace() const { return placed_.mapping.subspaces[subspace_]; }

 private:
  std::int64_t factor(int level, int dim) const {
    return subspace().factors[static_cast<std::size_t>(level)][static_cast<std::size_t>(dim)];
  }
  Place position(int dim, std::int64_t x) const;

  const mapping::PlacedMapping &placed_;
  std::size_t subspace_;
  std::vector<std::vector<std::int64_t>> chunk_;   // [level][dim]
  std::vector<std::vector<std::int64_t>> weight_;  // [level][dim]: place value in the instance number
  int dims_;
};

/// Element offset of an access: its constant part, and the factor of each kernel dim.
std::int64_t accessBase(const kernel::Access &access, const kernel::Tensor &tensor);
std::vector<std::int64_t> accessStrides(const kernel::Access &access, const kernel::Tensor &tensor, std::size_t dims);

}  // namespace pimento::targets::hbm_pim
