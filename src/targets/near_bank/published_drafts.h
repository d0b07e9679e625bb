// The drafts that DCC's artifact enumerates and keeps, and its baselines: what its published figures are the optima of.
// It has no dimension sets; it cuts loops, first dim first, and of drafts with equal tiles it keeps the first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pimento/targets/near_bank/draft.h"

namespace pimento::targets::near_bank {

/// Of a kernel over batch * heads, dhead and length (three sizes), or over batch and length (two), on 16 groups of 64
/// cores. Each leaves no group over and no core (two dims: four at most), and gives dhead tiles of 16 at least; the
/// baselines are among them whatever they leave.
std::vector<Draft> publishedDrafts(std::span<const std::int64_t> sizes);

}  // namespace pimento::targets::near_bank
