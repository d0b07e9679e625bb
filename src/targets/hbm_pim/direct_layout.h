// Products whose resident factor is read at sums of output and reduction dims, as convolutions read their image: each
// element lies in a lane's banks once, not once per point that reads it.
//
// A lane keeps the part of the tensor that its outputs reach, its borders included. The eight slots of a tile have
// outputs a chunk apart, the eight bursts are neighbours of a reduction dim that alone gives an index (the channels of
// a convolution), so tile addresses are affine in all other dims. Streams and accumulation are those of matvec.h. What
// lies beyond the tensor is 0, which is what guards at the edges of a padded convolution ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pimento/lower/shares.h"
#include "pimento/targets/hbm_pim/pattern.h"
#include "pimento/targets/hbm_pim/stream.h"

namespace pimento::targets::hbm_pim {

/// Where one subspace's resident factor lies.
struct DirectLayout {
  /// An index of the tensor, as far as it moves in a lane: `extent` values, `step` apart.
  struct Axis {
    std::size_t index = 0;
    std::int64_t extent = 1, step = 1;
    std::int64_t stride = 1;  ///< in positions
  };
  struct Loop {
    int dim = -1;
    std::int64_t trip = 1;
  };

  int slotDim = -1;         ///< output dim that the slots share
  std::int64_t chunk = 1;   ///< of it, per slot
  int burstDim = -1;        ///< reduction dim
  std::int64_t bursts = 0;  ///< values of it in a lane: an even number of tiles
  std::vector<Axis> axes;
  std::int64_t positions = 1;                ///< in a lane and slot, each of all bursts
  std::vector<Loop> groups, outputs, terms;  ///< row-major; without burstDim
  std::vector<std::int64_t> steps;           ///< by dim: positions from one value to the next

  std::int64_t outputTiles() const;
  /// Tile and slot of an output, by its number in the lane's range.
  std::pair<std::int64_t, std::int64_t> placeOf(std::int64_t output) const;
  /// Tiles of a position in each bank.
  std::int64_t tilesPerBank() const;

  std::vector<std::int64_t> outputRanges{};  ///< of the lane, row-major, for placeOf()
  std::vector<int> outputDims{};
};

/// Whether elements can lie once: gives `pattern` as such a product.
std::optional<MatVec> asDirect(const kernel::Graph &graph, const kernel::Kernel &kernel, const MatVec &pattern);

/// Diagnostic "illegal-mapping": the innermost reduction dim is another, splits it so that tiles are not whole, or
/// deals it out cyclically.
Result<DirectLayout> directLayout(const kernel::Kernel &kernel, const MatVec &pattern, const lower::Shares &shares,
                                  const mapping::Mapping &mapping);

}  // namespace pimento::targets::hbm_pim
