#include "pimento/mapping/published_drafts.h"

#include <algorithm>
#include <bit>
#include <set>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::mapping {

namespace {

constexpr std::int64_t kGroups = 16, kCores = 64, kLeastTile = 16, kMostCoresLeft = 4;

struct Enumeration {
  std::vector<std::int64_t> sizes;
  std::vector<PublishedDraft> out;
  std::set<std::array<std::int64_t, 3>> seen;  ///< tiles
  PublishedDraft draft;

  bool isFlat() const { return sizes.size() == 2; }

  void walk(std::size_t dim, std::int64_t groups, std::int64_t cores) {
    if (dim == sizes.size()) return leaf(groups, cores);
    const auto isPower = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
    // Over two dims powers of two come first: of equal tiles theirs are kept.
    for (const bool powers : {true, false}) {
      if (!isFlat() && !powers) return;
      for (std::int64_t g = 1; g <= groups; ++g)
        for (std::int64_t c = 1; c <= cores && g * c <= sizes[dim]; ++c) {
          if (isFlat() && (isPower(g) && isPower(c)) != powers) continue;
          set(dim, g, c);
          walk(dim + 1, groups / g, cores / c);
        }
    }
  }
  void set(std::size_t dim, std::int64_t g, std::int64_t c) {
    draft.groups[dim] = g;
    draft.cores[dim] = c;
    draft.tile[dim] = ceilDiv(sizes[dim], g * c);
  }

  bool isBaseline() const {
    if (isFlat()) return draft.groups[0] == kGroups && draft.cores[1] == kCores;
    return draft.groups[0] == kGroups && draft.cores[1] == 4 && draft.cores[2] == 16;
  }
  void leaf(std::int64_t groups, std::int64_t cores) {
    if (groups != 1 || cores > (isFlat() ? kMostCoresLeft : 1)) return;
    const bool isWide = isFlat() || draft.tile[1] >= kLeastTile;
    if ((isWide && !seen.contains(draft.tile)) || isBaseline()) keep();
  }
  void keep() {
    seen.insert(draft.tile);
    out.push_back(draft);
  }

  /// With fewer heads (rows) than groups: one in each, and the groups that are left share the other dims.
  void addBaselines() {
    const std::int64_t rows = sizes[0];
    if (rows >= kGroups) return;
    const auto add = [this] {
      if (std::find(out.begin(), out.end(), draft) == out.end()) out.push_back(draft);
    };
    draft = {};
    set(0, rows, 1);
    if (isFlat()) {
      set(1, kGroups / rows, kCores);
      return add();
    }
    set(1, 1, 4);
    set(2, kGroups / rows, 16);
    add();
    set(1, kGroups / rows, 4);
    set(2, 1, 16);
    add();
  }
};

}  // namespace

std::vector<PublishedDraft> publishedDrafts(std::span<const std::int64_t> sizes) {
  PIMENTO_CHECK(sizes.size() == 2 || sizes.size() == 3);
  Enumeration e;
  e.sizes.assign(sizes.begin(), sizes.end());
  e.walk(0, kGroups, kCores);
  e.addBaselines();
  return std::move(e.out);
}

}  // namespace pimento::mapping
