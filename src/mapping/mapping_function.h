// Mapping functions: by which function of a loop variable a tensor dimension is walked, and how a dimension that is cut
// into equal stretches cuts the loop.
//
// DCC, section 4.2: a reference A[b+1][i*2] gives F(b) = b + 1 for dimension A0 and F(i) = 2 i for A1. A data tile is a
// stretch of a dimension; its compute tile is the values of the loop that F maps into it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pimento::mapping {

/// F(v) = scale * v + offset.
struct MappingFunction {
  std::int64_t scale = 1, offset = 0;

  bool operator==(const MappingFunction &) const = default;
};
/// As the paper writes it: "b", "b+1", "i*2", "i*2-3".
std::string print(const MappingFunction &f, const std::string &variable);
/// As the mapping notation does: "b", "b+1", "2*i", "-i+7".
std::string spell(const MappingFunction &f, const std::string &variable);

/// The numbers from `first` up to below `end`, every `step`-th.
struct Stretch {
  std::int64_t first = 0, end = 0, step = 1;

  std::int64_t count() const { return first >= end ? 0 : (end - 1 - first) / step + 1; }
  bool operator==(const Stretch &) const = default;
};
/// "[0:3]", "[0:6:2]", "[4]", "[]".
std::string print(const Stretch &s);

/// Of one set, in one unit.
struct SetTile {
  Stretch data;     ///< of the representative's dimension
  Stretch compute;  ///< of the loop variable

  bool operator==(const SetTile &) const = default;
};
/// A dimension of `size` elements in `units` stretches of size / units elements, rounded up: the last ones may be short
/// or empty. With each the values of a loop from 0 to below `extent` that `f` maps into it. f.scale is not 0.
std::vector<SetTile> tilesBy(const MappingFunction &f, std::int64_t size, std::int64_t extent, std::int64_t units);

}  // namespace pimento::mapping
