#include "pimento/mapping/reduction.h"

#include <algorithm>
#include <cstddef>

#include "pimento/base/integer.h"

namespace pimento::mapping {

using kernel::Terms;

void appendTerms(std::vector<Terms> &list, Terms next) {
  if (next.count <= 0) return;
  if (next.count == 1) next.step = 1;
  if (!list.empty()) {
    Terms &last = list.back();
    const std::int64_t gap = next.first - (last.first + last.step * (last.count - 1));
    const bool lastFits = last.count == 1 || last.step == gap, nextFits = next.count == 1 || next.step == gap;
    if (gap > 0 && lastFits && nextFits) {
      last.step = gap;
      last.count += next.count;
      return;
    }
  }
  list.push_back(next);
}

std::vector<Terms> throughLevel(const std::vector<Terms> &list, std::int64_t factor, std::int64_t chunk,
                                std::int64_t instance) {
  std::vector<Terms> out;
  const auto map = [&](std::int64_t x) { return (x / chunk * factor + instance) * chunk + x % chunk; };
  for (Terms terms : list) {
    const std::int64_t last = terms.first + terms.step * (terms.count - 1);
    if (terms.first / chunk == last / chunk) {
      appendTerms(out, {map(terms.first), terms.step, terms.count});
    } else if (terms.step % chunk == 0) {
      appendTerms(out, {map(terms.first), terms.step * factor, terms.count});
    } else {
      while (terms.count > 0) {
        const std::int64_t n = std::min(terms.count, (chunk - 1 - terms.first % chunk) / terms.step + 1);
        appendTerms(out, {map(terms.first), terms.step, n});
        terms.first += terms.step * n;
        terms.count -= n;
      }
    }
  }
  return out;
}

Stretch UnitReduction::Axis::shared() const {
  if (tiles.empty()) return {0, size};
  std::int64_t tile = 0;
  for (std::size_t l = 0; l < outside; ++l) tile = tile * factor[l] + instance[l];
  return tiles[static_cast<std::size_t>(tile)];
}

std::int64_t UnitReduction::Axis::global(std::int64_t local) const {
  std::int64_t x = local;
  for (std::size_t l = factor.size(); l-- > outside;)
    x = (x / chunk[l] * factor[l] + instance[l]) * chunk[l] + x % chunk[l];
  return shared().first + x;
}

std::vector<Terms> UnitReduction::Axis::globals(std::int64_t begin, std::int64_t end) const {
  std::vector<Terms> list;
  appendTerms(list, {begin, 1, end - begin});
  for (std::size_t l = factor.size(); l-- > outside;) {
    if (factor[l] > 1) list = throughLevel(list, factor[l], chunk[l], instance[l]);
  }
  for (Terms &terms : list) terms.first += shared().first;
  return list;
}

void UnitReduction::Axis::countUsed() {
  // global() ascends, so the coordinates inside what is shared come first.
  const std::int64_t end = shared().end;
  std::int64_t low = 0, high = range;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (global(middle) < end) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  used = low;
}

UnitReduction::UnitReduction(const PlacedMapping &placed, int subspace, const kernel::Kernel &kernel,
                             const machine::Machine &machine)
    : levels_(machine.levels.size()) {
  const Mapping &mapping = placed.mapping;
  const Subspace &part = mapping.subspaces[static_cast<std::size_t>(subspace)];
  const Box &box = placed.boxes[static_cast<std::size_t>(subspace)];
  std::vector<std::string> names;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    if (kernel.dims[d].kind != kernel::DimKind::kReduction) continue;
    const int dim = static_cast<int>(d);
    Axis axis;
    axis.range = part.range(dim);
    axis.lower = box.lower[d];
    axis.size = box.size[d];
    for (std::size_t l = 0; l < levels_; ++l) {
      axis.factor.push_back(part.factors[l][d]);
      axis.chunk.push_back(chunkAt(mapping, part, machine.levels, static_cast<int>(l), dim));
      axis.instance.push_back(0);
    }
    if (d < placed.tiles.size() && !placed.tiles[d].empty()) {
      axis.tiles = placed.tiles[d];
      axis.outside = machine::unitLevels(machine.levels);
    }
    axis.countUsed();
    for (Axis &outer : axes_) outer.stride *= kernel.dims[d].extent;
    nesting_.push_back(axes_.size());
    axes_.push_back(std::move(axis));
    names.push_back(kernel.dims[d].name);
  }
  if (!mapping.order.empty()) {
    const auto depth = [&](std::size_t axis) {
      return std::find(mapping.order.begin(), mapping.order.end(), names[axis]) - mapping.order.begin();
    };
    std::sort(nesting_.begin(), nesting_.end(), [&](std::size_t a, std::size_t b) { return depth(a) < depth(b); });
  }
  inside_.assign(nesting_.size(), 1);
  for (std::size_t n = nesting_.size(); n-- > 1;) inside_[n - 1] = inside_[n] * axes_[nesting_[n]].range;
}

std::int64_t UnitReduction::instances(int level) const {
  std::int64_t n = 1;
  for (const Axis &axis : axes_) n *= axis.factor[static_cast<std::size_t>(level)];
  return n;
}

void UnitReduction::choose(int level, std::int64_t i) {
  for (std::size_t a = axes_.size(); a-- > 0;) {
    Axis &axis = axes_[a];
    const std::int64_t factor = axis.factor[static_cast<std::size_t>(level)];
    axis.instance[static_cast<std::size_t>(level)] = i % factor;
    axis.countUsed();
    i /= factor;
  }
}

std::int64_t UnitReduction::positions() const {
  return inside_.front() * axes_[nesting_.front()].range;
}

std::int64_t UnitReduction::usedPositions() const {
  std::int64_t last = 0;
  for (std::size_t n = 0; n < nesting_.size(); ++n) {
    if (axes_[nesting_[n]].used == 0) return 0;
    last += (axes_[nesting_[n]].used - 1) * inside_[n];
  }
  return last + 1;
}

void UnitReduction::append(std::int64_t begin, std::int64_t end, std::vector<Terms> &out) const {
  const Axis &inner = axes_[nesting_.back()];
  for (std::int64_t at = begin; at < end;) {
    std::int64_t offset = 0, next = (at / inner.range + 1) * inner.range;
    bool isPadding = false;
    for (std::size_t n = 0; n + 1 < nesting_.size() && !isPadding; ++n) {
      const Axis &axis = axes_[nesting_[n]];
      const std::int64_t local = at / inside_[n] % axis.range;
      isPadding = local >= axis.used;
      if (isPadding) next = (at / (inside_[n] * axis.range) + 1) * inside_[n] * axis.range;
      offset += isPadding ? 0 : (axis.lower + axis.global(local)) * axis.stride;
    }
    if (!isPadding) {
      const std::int64_t from = at % inner.range, to = std::min({from + (end - at), inner.used, inner.range});
      for (const Terms &terms : inner.globals(from, to)) {
        appendTerms(out, {offset + (inner.lower + terms.first) * inner.stride, terms.step * inner.stride, terms.count});
      }
    }
    at = next;
  }
}

}  // namespace pimento::mapping
