// How the host merges the pieces that one unit has stored of a sum or product.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace pimento::targets::hbm_pim {

/// Neighbours pairwise, then pairs of pairs; a piece without a partner moves up as it is. At least one piece.
template <typename Merge>
float mergeTree(std::vector<float> pieces, const Merge &merge) {
  while (pieces.size() > 1) {
    std::vector<float> next;
    for (std::size_t i = 0; i < pieces.size(); i += 2)
      next.push_back(i + 1 < pieces.size() ? merge(pieces[i], pieces[i + 1]) : pieces[i]);
    pieces = std::move(next);
  }
  return pieces[0];
}

}  // namespace pimento::targets::hbm_pim
