// How a kernel is cut: what of each dim every instance of the machine's levels has.
//
// Read off one subspace of a placed mapping, as mapping.h defines it but by code of its own: programs and accumulation
// orders (mapping/order.cpp) come from different code. Instances of a level count row-major over the dims, those of
// several levels with the outermost slowest. A unit is an instance of all levels but the innermost, whose instances are
// threads (tasklets, lanes); what a thread has may be cut on into tiles. Where by(...) of a mapping puts the borders of
// units into a tensor, units have shares of several lengths, all in room for the longest. Not here: what elements a
// share touches (operand.h), where they lie (tensor_place.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/kernel.h"
#include "pimento/machine/machine.h"
#include "pimento/mapping/mapping.h"

namespace pimento::lower {

/// A number per dim of the kernel.
using PerDim = std::vector<std::int64_t>;

/// A dim of the kernel.
struct Axis {
  std::string name;  ///< in the program
  kernel::DimKind kind = kernel::DimKind::kParallel;
  std::int64_t extent = 1;
  std::int64_t lower = 0, size = 1;            ///< of the subspace's box: its first value, and how many it has
  std::vector<std::int64_t> factors, chunks;   ///< per level, outermost first
  std::vector<mapping::Stretch> borders = {};  ///< of by(...): the values that each unit has; else empty
  std::int64_t range = 1;                      ///< of a thread
  std::int64_t tile = 1;                       ///< points of a tile; at most `range`
  bool isOrdered = false;                      ///< points run in ascending order
  bool isWhole = false;                        ///< may not be tiled

  std::int64_t threads() const { return factors.back(); }
  std::int64_t units() const;  ///< that share the dim
  std::int64_t perUnit() const;
  std::int64_t padded() const;
  bool isSplit() const { return units() * threads() > 1; }
  bool isPadded() const { return padded() > extent; }
  bool isTiled() const { return tile < range; }
};

/// Where the points over some dims lie: what they add to the number of an instance of each level, their position in the
/// range (row-major over the same dims), and what they add to an affine form. Spots of several dims add up, positions
/// aside.
struct Spot {
  static constexpr std::size_t kMostLevels = 4;

  std::array<std::int32_t, kMostLevels> instance{};
  std::int64_t local = 0, value = 0;
};

/// One subspace. Cyclic distributions, and by(...) where the innermost level is one of units, have spots alone: all
/// else speaks of contiguous shares.
struct Shares {
  std::vector<Axis> axes;
  std::vector<int> nest;                ///< dims, outermost loop of a thread first
  std::vector<std::int64_t> instances;  ///< per level, of one instance of the level around it
  std::int64_t units = 1, threads = 1;  ///< of the machine, of a unit
  std::size_t bordered = 0;             ///< levels that by(...) deals shares to

  Shares() = default;
  Shares(const kernel::Kernel &kernel, const mapping::PlacedMapping &placed, int subspace,
         const machine::Machine &machine);

  const Axis &axis(int d) const { return axes[static_cast<std::size_t>(d)]; }
  PerDim sizesPerUnit() const, sizesPerThread() const, sizesPerTile() const;
  /// First value of each dim: in unit number `unit`; in a thread, from its unit's first; in a thread of a unit.
  PerDim baseOf(std::int64_t unit) const, lowOf(std::int64_t thread) const;
  PerDim firstOf(std::int64_t unit, std::int64_t thread) const;
  /// How many values of each dim a unit has that are the kernel's, not padding; of these, a thread.
  PerDim validOf(std::int64_t unit) const, validOf(const PerDim &valid, std::int64_t thread) const;
  /// A unit that has most of every dim, and how many.
  std::int64_t fullest() const;
  PerDim mostOf() const { return validOf(fullest()); }
  /// Have units shares of several lengths?
  bool isBordered() const;
  /// Is a thread of a unit with so many of them without work?
  bool isIdle(const PerDim &valid, std::int64_t thread) const;

  /// Over `dims` alone: instances of a level, and positions in the range of a thread.
  std::int64_t instancesOf(std::size_t level, const std::vector<int> &dims) const;
  std::int64_t rangeOf(const std::vector<int> &dims) const;
  /// The spots of all points over `dims`, row-major, with what they add to `form`.
  std::vector<Spot> spots(const std::vector<int> &dims, const kernel::Affine &form) const;
  /// What each combination of instances of `dims` adds to the number of an instance of the level.
  std::vector<std::int32_t> numbers(std::size_t level, const std::vector<int> &dims) const;

 private:
  /// Of each dim the number of a unit's share.
  PerDim shareOf(std::int64_t unit) const;
  std::int64_t weightOf(std::size_t level, std::size_t dim) const;
};

}  // namespace pimento::lower
