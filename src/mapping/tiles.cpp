#include "pimento/mapping/tiles.h"

#include <algorithm>
#include <cstdlib>

#include "pimento/base/diagnostics.h"

namespace pimento::mapping {

std::vector<Stretch> stretchesOf(const std::vector<std::int64_t> &rising) {
  std::vector<Stretch> out;
  for (std::size_t i = 0; i < rising.size();) {
    std::size_t j = i + 1;
    // Two numbers are a stretch of their own only if they are neighbours: else the second may begin a longer one.
    const std::int64_t step = j < rising.size() ? rising[j] - rising[i] : 1;
    while (j < rising.size() && rising[j] - rising[j - 1] == step) ++j;
    if (j - i == 2 && step != 1) j = i + 1;
    out.push_back({rising[i], rising[j - 1] + 1, j - i == 1 ? 1 : step});
    i = j;
  }
  return out;
}

std::vector<SetTile> tilesOf(const DimensionSet &set, const DraftPart &part) {
  const std::int64_t units = part.groups * part.cores;
  if (part.representative.member < 0) {
    PIMENTO_CHECK(units == 1);
    return {{{0, set.extent}, {0, set.extent}}};
  }
  const SetMember &m = set.members[static_cast<std::size_t>(part.representative.member)];
  const MappingFunction &f = m.functions[static_cast<std::size_t>(part.representative.function)];
  return tilesBy(f, m.size, set.extent, units);
}

std::int64_t TensorTile::count() const {
  std::int64_t n = 0;
  for (const Stretch &s : needed) n += s.count();
  return n;
}

TensorTile tensorTile(const SetMember &member, const Stretch &compute) {
  if (compute.count() == 0) return {};
  std::vector<Stretch> of;
  for (const MappingFunction &f : member.functions) {
    const std::int64_t a = f.scale * compute.first + f.offset, b = f.scale * (compute.end - 1) + f.offset;
    of.push_back({std::min(a, b), std::max(a, b) + 1, std::max<std::int64_t>(1, std::abs(f.scale))});
  }
  TensorTile tile;
  tile.whole = {of.front().first, of.front().end};
  for (const Stretch &s : of) tile.whole = {std::min(tile.whole.first, s.first), std::max(tile.whole.end, s.end)};
  if (of.size() == 1) {
    if (of.front().count() == 1) of.front().step = 1;
    tile.needed = std::move(of);
    return tile;
  }
  std::vector<std::int64_t> indices;
  for (const Stretch &s : of)
    for (std::int64_t i = s.first; i < s.end; i += s.step) indices.push_back(i);
  std::sort(indices.begin(), indices.end());
  indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  tile.needed = stretchesOf(indices);
  return tile;
}

}  // namespace pimento::mapping
