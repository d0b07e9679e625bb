// The reduction points one innermost unit visits, as closed forms. Internal to the room.
//
// A unit counts its local reduction positions row-major over the ranges of the reduction dims, nested as the
// mapping's order says. Where the layout is regular a stretch of positions is one Terms, whatever its length.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/kernel/order.h"
#include "pimento/mapping/mapping.h"

namespace pimento::mapping {

/// Adds `next` behind `list`, as part of its last entry where one closed form says both.
void appendTerms(std::vector<kernel::Terms> &list, kernel::Terms next);

/// Takes a list of local coordinates through one level: coordinate x of instance `instance` out of `factor`, dealt in
/// chunks of `chunk`, as the level outside numbers it. Ascending lists stay ascending.
std::vector<kernel::Terms> throughLevel(const std::vector<kernel::Terms> &list, std::int64_t factor, std::int64_t chunk,
                                        std::int64_t instance);

/// One subspace's reduction dims, and the unit whose instances are chosen in `instance`.
class UnitReduction {
 public:
  UnitReduction(const PlacedMapping &placed, int subspace, const kernel::Kernel &kernel,
                const machine::Machine &machine);

  int levels() const { return static_cast<int>(levels_); }
  /// Instances that share the reduction dims at `level`.
  std::int64_t instances(int level) const;
  /// Chooses instance `i` of them, row-major in dim order.
  void choose(int level, std::int64_t i);

  /// Local positions of the padded range.
  std::int64_t positions() const;
  /// One past the last position that is no padding for the unit chosen; 0 if there is none.
  std::int64_t usedPositions() const;
  /// Appends the reduction points of positions [begin, end) in order, padding left out.
  void append(std::int64_t begin, std::int64_t end, std::vector<kernel::Terms> &out) const;

 private:
  struct Axis {
    std::int64_t range = 1, lower = 0, size = 0;        ///< of the unit; of the clipped box
    std::int64_t stride = 1;                            ///< in reduction points
    std::vector<std::int64_t> factor, chunk, instance;  ///< per level
    std::vector<Stretch> tiles;                         ///< of by(...): what units have
    std::size_t outside = 0;                            ///< levels that tiles are dealt to
    std::int64_t used = 0;                              ///< local coordinates that are no padding

    /// What the levels share: all of the box, or the tile chosen.
    Stretch shared() const;
    std::int64_t global(std::int64_t local) const;
    std::vector<kernel::Terms> globals(std::int64_t begin, std::int64_t end) const;
    void countUsed();
  };

  std::size_t levels_;
  std::vector<Axis> axes_;            ///< in dim order
  std::vector<std::size_t> nesting_;  ///< axis numbers, outermost first
  std::vector<std::int64_t> inside_;  ///< per nesting depth: positions of one step of it
};

}  // namespace pimento::mapping
