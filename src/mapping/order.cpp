#include <algorithm>
#include <cstddef>
#include <utility>

#include "pimento/mapping/mapping.h"
#include "pimento/mapping/reduction.h"
#include "pimento/mapping/regions.h"

namespace pimento::mapping {

namespace {

using kernel::Accumulation;
using kernel::Terms;

/// Neighbours pairwise, then pairs of pairs; one without a partner moves up as it is.
Accumulation balancedTree(std::vector<Accumulation> nodes, DType type) {
  while (nodes.size() > 1) {
    std::vector<Accumulation> above;
    for (std::size_t i = 0; i + 1 < nodes.size(); i += 2) {
      Accumulation pair{type, {}, {}};
      pair.children.push_back(std::move(nodes[i]));
      pair.children.push_back(std::move(nodes[i + 1]));
      above.push_back(std::move(pair));
    }
    if (nodes.size() % 2 != 0) above.push_back(std::move(nodes.back()));
    nodes = std::move(above);
  }
  return std::move(nodes.front());
}

/// The accumulation of one output within one subspace.
class SubspaceTree {
 public:
  SubspaceTree(const PlacedMapping &placed, int subspace, const kernel::Kernel &kernel, const machine::Machine &machine,
               const AccumulationRules &rules)
      : unit_(placed, subspace, kernel, machine), rules_(rules) {}

  Accumulation build(int level = 0) {
    if (level == unit_.levels()) return moved(leaf());
    const std::int64_t n = unit_.instances(level);
    if (n == 1) return build(level + 1);
    Accumulation node{rules_.mergeType, {}, {}};
    if (level + 1 == unit_.levels() && rules_.merged > 1) {
      for (std::int64_t i = 0; i < n; i += rules_.merged) {
        Accumulation merged{rules_.unitType, {}, {}};
        for (std::int64_t k = i; k < std::min(i + rules_.merged, n); ++k) {
          unit_.choose(level, k);
          merged.children.push_back(leaf());
        }
        node.children.push_back(moved(std::move(merged)));
      }
      unit_.choose(level, 0);
      return node;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      unit_.choose(level, i);
      node.children.push_back(build(level + 1));
    }
    unit_.choose(level, 0);
    return node;
  }

 private:
  struct Stretch {
    std::int64_t begin, end;
  };

  Accumulation leaf() const { return rules_.tree > 0 ? buildTrees() : buildUnit(); }

  /// The unit's local positions in the order visited.
  std::vector<Stretch> visited() const {
    const std::int64_t tile = rules_.evenOddTile, all = unit_.positions();
    // Pieces are counted over the padded range, so with both rules the padding between the passes matters.
    const std::int64_t end = tile > 0 && rules_.spill > 0 ? all : unit_.usedPositions();
    if (tile <= 0) return {{0, end}};
    std::vector<Stretch> stretches;
    for (const std::int64_t first : {std::int64_t{0}, tile}) {
      for (std::int64_t at = first; at < end; at += 2 * tile) stretches.push_back({at, std::min(at + tile, all)});
    }
    return stretches;
  }

  Accumulation moved(Accumulation sum) const {
    if (!rules_.movedType) return sum;
    Accumulation rounded{*rules_.movedType, {}, {}};
    rounded.children.push_back(std::move(sum));
    return rounded;
  }

  Accumulation buildTrees() const {
    Accumulation sum{rules_.unitType, {}, {}};
    sum.children.push_back({rules_.unitType, {}, {}});
    for (std::int64_t at = 0, end = unit_.usedPositions(); at < end; at += rules_.tree) {
      std::vector<Accumulation> slots;
      for (std::int64_t slot = at; slot < at + rules_.tree; ++slot) {
        slots.push_back({rules_.unitType, {}, {}});
        if (slot < end) unit_.append(slot, slot + 1, slots.back().terms);
      }
      sum.children.push_back(balancedTree(std::move(slots), rules_.unitType));
    }
    return sum;
  }

  Accumulation buildUnit() const {
    std::vector<Accumulation> pieces(1, Accumulation{rules_.unitType, {}, {}});
    std::int64_t room = rules_.spill;  // positions until the next piece starts
    for (Stretch stretch : visited()) {
      while (stretch.begin < stretch.end) {
        if (rules_.spill > 0 && room == 0) {
          pieces.push_back({rules_.unitType, {}, {}});
          room = rules_.spill;
        }
        const std::int64_t length = stretch.end - stretch.begin;
        const std::int64_t n = rules_.spill > 0 ? std::min(room, length) : length;
        unit_.append(stretch.begin, stretch.begin + n, pieces.back().terms);
        stretch.begin += n;
        room -= n;
      }
    }
    while (pieces.size() > 1 && pieces.back().terms.empty()) pieces.pop_back();
    return balancedTree(std::move(pieces), rules_.mergeType);
  }

  UnitReduction unit_;
  const AccumulationRules &rules_;
};

}  // namespace

kernel::Order accumulationOrder(const PlacedMapping &placed, const kernel::Kernel &kernel,
                                const machine::Machine &machine, const AccumulationRules &rules) {
  const auto isReduction = [](const kernel::Dim &dim) { return dim.kind == kernel::DimKind::kReduction; };
  if (std::none_of(kernel.dims.begin(), kernel.dims.end(), isReduction)) return {};

  std::vector<Accumulation> trees;
  for (std::size_t s = 0; s < placed.boxes.size(); ++s) {
    trees.push_back(SubspaceTree(placed, static_cast<int>(s), kernel, machine, rules).build());
  }
  kernel::Order order;
  for (const Region &region : regionsOf(placed, kernel)) {
    kernel::OrderRegion out;
    out.lower = region.box.lower;
    out.upper = region.box.lower;
    for (std::size_t d = 0; d < out.upper.size(); ++d) out.upper[d] += region.box.size[d];
    out.sum.type = rules.mergeType;
    for (const int s : region.subspaces) out.sum.children.push_back(trees[static_cast<std::size_t>(s)]);
    if (out.sum.children.size() == 1) {
      Accumulation only = std::move(out.sum.children.front());
      out.sum = std::move(only);
    }
    order.regions.push_back(std::move(out));
  }
  return order;
}

}  // namespace pimento::mapping
