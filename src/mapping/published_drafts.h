// The drafts that DCC's artifact enumerates and keeps for a kernel over two or three dims, and its baselines: what its
// published figures are the optima of. It has no dimension sets and cuts loops, first dim first; of drafts with equal
// tiles the first is kept, which is its third rule.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace pimento::mapping {

struct PublishedDraft {
  /// By dim: groups, cores of a group, tile. Two dims: the third is 1, 1, 1.
  std::array<std::int64_t, 3> groups{1, 1, 1}, cores{1, 1, 1}, tile{1, 1, 1};

  bool operator==(const PublishedDraft &) const = default;
};

/// Of a kernel over batch * heads, dhead and length (three sizes), or over batch and length (two), on 16 groups of 64
/// cores. Each leaves no group over and no core (two dims: four at most), and gives dhead tiles of 16 at least; its
/// baselines are among them whatever they leave.
std::vector<PublishedDraft> publishedDrafts(std::span<const std::int64_t> sizes);

}  // namespace pimento::mapping
