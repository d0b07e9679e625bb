#include "pimento/targets/near_bank/published_drafts.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::targets::near_bank {

namespace {

constexpr std::int64_t kGroups = 16, kCores = 64, kLeastTile = 16, kMostCoresLeft = 4;

class Enumeration {
 public:
  explicit Enumeration(std::span<const std::int64_t> sizes)
      : sizes_(sizes), draft_{std::vector<DraftDim>(sizes.size())} {}

  std::vector<Draft> run() {
    walk(0, kGroups, kCores);
    addBaselines();
    return std::move(out_);
  }

 private:
  bool isFlat() const { return sizes_.size() == 2; }

  void walk(std::size_t dim, std::int64_t groups, std::int64_t cores) {
    if (dim == sizes_.size()) return leaf(groups, cores);
    const auto isPower = [](std::int64_t n) { return std::has_single_bit(static_cast<std::uint64_t>(n)); };
    // Over two dims powers of two come first: of equal tiles theirs are kept.
    for (const bool powers : {true, false}) {
      if (!isFlat() && !powers) return;
      for (std::int64_t g = 1; g <= groups; ++g)
        for (std::int64_t c = 1; c <= cores && g * c <= sizes_[dim]; ++c) {
          if (isFlat() && (isPower(g) && isPower(c)) != powers) continue;
          set(dim, g, c);
          walk(dim + 1, groups / g, cores / c);
        }
    }
  }
  void set(std::size_t dim, std::int64_t g, std::int64_t c) { draft_.dims[dim] = {g, c, ceilDiv(sizes_[dim], g * c)}; }

  bool isBaseline() const {
    const std::vector<DraftDim> &d = draft_.dims;
    if (isFlat()) return d[0].groups == kGroups && d[1].cores == kCores;
    return d[0].groups == kGroups && d[1].cores == 4 && d[2].cores == 16;
  }
  void leaf(std::int64_t groups, std::int64_t cores) {
    if (groups != 1 || cores > (isFlat() ? kMostCoresLeft : 1)) return;
    std::vector<std::int64_t> tiles;
    for (const DraftDim &d : draft_.dims) tiles.push_back(d.tile);
    const bool isWide = isFlat() || tiles[1] >= kLeastTile;
    if (!(isWide && !seen_.contains(tiles)) && !isBaseline()) return;
    seen_.insert(std::move(tiles));
    out_.push_back(draft_);
  }

  /// With fewer heads (rows) than groups: one in each, and the groups that are left share the other dims.
  void addBaselines() {
    const std::int64_t rows = sizes_[0];
    if (rows >= kGroups) return;
    const auto add = [this] {
      if (std::find(out_.begin(), out_.end(), draft_) == out_.end()) out_.push_back(draft_);
    };
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

  std::span<const std::int64_t> sizes_;
  Draft draft_;
  std::vector<Draft> out_;
  std::set<std::vector<std::int64_t>> seen_;  // tiles
};

}  // namespace

std::vector<Draft> publishedDrafts(std::span<const std::int64_t> sizes) {
  PIMENTO_CHECK(sizes.size() == 2 || sizes.size() == 3);
  return Enumeration(sizes).run();
}

}  // namespace pimento::targets::near_bank
