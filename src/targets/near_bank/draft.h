// A tiling draft of the published study: how many groups (channels) and cores (banks) each dim is spread over, and the
// tile that is left.
#pragma once

#include <cstdint>
#include <vector>

namespace pimento::targets::near_bank {

struct DraftDim {
  std::int64_t groups = 1, cores = 1, tile = 1;

  bool operator==(const DraftDim &) const = default;
};

/// 3D: batch * heads, dhead, length. 2D: batch, length.
struct Draft {
  std::vector<DraftDim> dims;

  bool isCube() const { return dims.size() == 3; }
  std::int64_t groups() const;
  std::int64_t cores() const;
  std::int64_t tile(std::size_t dim) const { return dims[dim].tile; }

  bool operator==(const Draft &) const = default;
};

/// As the study runs it: groups and cores become the next powers of two, where these are at most `mostGroups` and
/// `mostCores`; the patterns of its baselines stay as drafted.
Draft rounded(Draft draft, std::int64_t mostGroups, std::int64_t mostCores);

}  // namespace pimento::targets::near_bank
