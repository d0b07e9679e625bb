// From a draft to what each core computes and holds: data tiles, compute tiles, tensor tiles (DCC, section 4.2).
//
// A data tile is a core's stretch of the representative's dimension, its size over the number of cores rounded up: the
// last ones may be short or empty. The compute tile is the values of the loop that the representative maps into it.
// Tensor tiles are the indices, of each dimension of each tensor, that these values touch through all functions of it.
//
// Indices need not be neighbours. Strategy (i) holds the stretch from the first to the last of them, strategy (ii)
// these alone; both are given, per dimension, and what they hold. Tiles of neighbouring cores may overlap (a halo): an
// element that several hold is copied to each of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pimento/mapping/drafts.h"

namespace pimento::mapping {

/// Numbers in rising order, as the fewest stretches that a walk from below finds.
std::vector<Stretch> stretchesOf(const std::vector<std::int64_t> &rising);

/// `groups * cores` of them, groups slowest. The set is cut by the part's representative, or not at all.
std::vector<SetTile> tilesOf(const DimensionSet &set, const DraftPart &part);

/// The indices of one tensor dimension that a core needs.
struct TensorTile {
  Stretch whole;                ///< strategy (i): from the first to the last
  std::vector<Stretch> needed;  ///< strategy (ii)
  std::int64_t count() const;   ///< of (ii)
  /// (i) holds nothing that (ii) does not.
  bool isContiguous() const { return needed.size() <= 1 && (needed.empty() || needed.front().step == 1); }
};

/// Of a member, while the loop variable takes the values of `compute`.
TensorTile tensorTile(const SetMember &member, const Stretch &compute);

}  // namespace pimento::mapping
