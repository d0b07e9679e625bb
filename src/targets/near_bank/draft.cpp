#include "pimento/targets/near_bank/draft.h"

#include <bit>

namespace pimento::targets::near_bank {

namespace {

/// AttAcc's own spread of heads over channels, dhead over the banks of a group, length over groups of banks; and the
/// one of 2D kernels.
bool isBaseline(const Draft &d) {
  constexpr std::int64_t kBanksPerGroup = 4, kGroups = 16, kBanks = 64;
  if (d.isCube())
    return d.dims[0].cores == 1 && d.dims[1].groups == 1 && d.dims[1].cores == kBanksPerGroup &&
           d.dims[2].groups == 1 && d.dims[2].cores == kGroups;
  return d.dims[0].cores == 1 && d.dims[1].groups == 1 && d.dims[1].cores == kBanks;
}

}  // namespace

std::int64_t Draft::groups() const {
  std::int64_t n = 1;
  for (const DraftDim &d : dims) n *= d.groups;
  return n;
}

std::int64_t Draft::cores() const {
  std::int64_t n = 1;
  for (const DraftDim &d : dims) n *= d.cores;
  return n;
}

Draft rounded(Draft draft, std::int64_t mostGroups, std::int64_t mostCores) {
  if (isBaseline(draft)) return draft;
  const auto round = [](std::int64_t &n, std::int64_t most) {
    const auto up = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(n)));
    if (up <= most) n = up;
  };
  for (DraftDim &d : draft.dims) {
    round(d.groups, mostGroups);
    round(d.cores, mostCores);
  }
  return draft;
}

}  // namespace pimento::targets::near_bank
