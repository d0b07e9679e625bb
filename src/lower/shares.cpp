#include "pimento/lower/shares.h"

#include <algorithm>

#include "pimento/base/diagnostics.h"
#include "pimento/base/integer.h"

namespace pimento::lower {

std::int64_t Axis::units() const {
  std::int64_t n = 1;
  for (std::size_t l = 0; l + 1 < factors.size(); ++l) n = multiplySaturated(n, factors[l]);
  return n;
}

std::int64_t Axis::perUnit() const {
  return multiplySaturated(threads(), range);
}

std::int64_t Axis::padded() const {
  return multiplySaturated(units(), perUnit());
}

Shares::Shares(const kernel::Kernel &kernel, const mapping::PlacedMapping &placed, int subspace,
               const machine::Machine &machine)
    : instances(machine.levels.size(), 1) {
  const mapping::Subspace &part = placed.mapping.subspaces[static_cast<std::size_t>(subspace)];
  const mapping::Box &box = placed.boxes[static_cast<std::size_t>(subspace)];
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    const kernel::Dim &dim = kernel.dims[d];
    Axis a{dim.name, dim.kind, dim.extent, box.lower[d], box.size[d], {}, {}};
    a.range = a.tile = part.range(static_cast<int>(d));
    std::int64_t inside = part.extent(static_cast<int>(d));
    for (std::size_t l = 0; l < instances.size(); ++l) {
      const std::int64_t factor = part.factors[l][d];
      inside /= factor;
      const auto cyclic = placed.mapping.cyclic.find(machine.levels[l].name);
      a.factors.push_back(factor);
      a.chunks.push_back(cyclic == placed.mapping.cyclic.end() ? inside : std::min(cyclic->second, inside));
      instances[l] = multiplySaturated(instances[l], factor);
    }
    if (d < placed.tiles.size()) a.borders = placed.tiles[d];
    axes.push_back(std::move(a));
  }
  bordered = machine::unitLevels(machine.levels);
  threads = instances.back();
  for (std::size_t l = 0; l + 1 < instances.size(); ++l) units = multiplySaturated(units, instances[l]);
}

namespace {

template <typename Get>
PerDim collect(const std::vector<Axis> &axes, Get &&get) {
  PerDim out;
  for (const Axis &a : axes) out.push_back(get(a));
  return out;
}

}  // namespace

PerDim Shares::sizesPerUnit() const {
  return collect(axes, [](const Axis &a) { return a.perUnit(); });
}
PerDim Shares::sizesPerThread() const {
  return collect(axes, [](const Axis &a) { return a.range; });
}
PerDim Shares::sizesPerTile() const {
  return collect(axes, [](const Axis &a) { return a.tile; });
}

PerDim Shares::shareOf(std::int64_t unit) const {
  PerDim share(axes.size(), 0), weight(axes.size(), 1);
  for (std::size_t l = instances.size() - 1; l-- > 0;)
    for (std::size_t d = axes.size(); d-- > 0; unit /= axes[d].factors[l]) {
      share[d] += unit % axes[d].factors[l] * weight[d];
      weight[d] *= axes[d].factors[l];
    }
  return share;
}

PerDim Shares::baseOf(std::int64_t unit) const {
  PerDim base = shareOf(unit);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Axis &a = axes[d];
    PIMENTO_CHECK(a.borders.empty() || bordered + 1 == instances.size());
    base[d] = a.borders.empty() ? base[d] * a.perUnit() : a.borders[static_cast<std::size_t>(base[d])].first;
  }
  return base;
}

PerDim Shares::lowOf(std::int64_t thread) const {
  PerDim low(axes.size());
  for (std::size_t d = axes.size(); d-- > 0; thread /= axes[d].threads())
    low[d] = thread % axes[d].threads() * axes[d].range;
  return low;
}

PerDim Shares::firstOf(std::int64_t unit, std::int64_t thread) const {
  PerDim first = baseOf(unit);
  const PerDim low = lowOf(thread);
  for (std::size_t d = 0; d < first.size(); ++d) first[d] += low[d];
  return first;
}

PerDim Shares::validOf(std::int64_t unit) const {
  PerDim valid = shareOf(unit);
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Axis &a = axes[d];
    PIMENTO_CHECK(a.borders.empty() || bordered + 1 == instances.size());
    valid[d] = a.borders.empty() ? std::clamp<std::int64_t>(a.extent - valid[d] * a.perUnit(), 0, a.perUnit())
                                 : a.borders[static_cast<std::size_t>(valid[d])].count();
  }
  return valid;
}

bool Shares::isBordered() const {
  return std::ranges::any_of(axes, [](const Axis &a) { return !a.borders.empty(); });
}

std::int64_t Shares::fullest() const {
  std::int64_t unit = 0;
  PerDim share;  // of each dim the longest; the first of equals
  for (const Axis &a : axes)
    share.push_back(std::ranges::max_element(a.borders, {}, &mapping::Stretch::count) - a.borders.begin());
  for (std::size_t l = 0; l + 1 < instances.size(); ++l)
    for (const Axis &a : axes) {
      std::int64_t inside = 1;
      for (std::size_t m = l + 1; m + 1 < instances.size(); ++m) inside *= a.factors[m];
      const auto d = static_cast<std::size_t>(&a - axes.data());
      unit = unit * a.factors[l] + share[d] / inside % a.factors[l];
    }
  return unit;
}

PerDim Shares::validOf(const PerDim &valid, std::int64_t thread) const {
  PerDim mine = lowOf(thread);
  for (std::size_t d = 0; d < mine.size(); ++d)
    mine[d] = std::clamp<std::int64_t>(valid[d] - mine[d], 0, axes[d].range);
  return mine;
}

bool Shares::isIdle(const PerDim &valid, std::int64_t thread) const {
  const PerDim mine = validOf(valid, thread);
  return std::find(mine.begin(), mine.end(), 0) != mine.end();
}

std::int64_t Shares::instancesOf(std::size_t level, const std::vector<int> &dims) const {
  std::int64_t n = 1;
  for (const int d : dims) n *= axis(d).factors[level];
  return n;
}

std::int64_t Shares::rangeOf(const std::vector<int> &dims) const {
  std::int64_t n = 1;
  for (const int d : dims) n *= axis(d).range;
  return n;
}

/// From one instance along `dim` to the next.
std::int64_t Shares::weightOf(std::size_t level, std::size_t dim) const {
  std::int64_t weight = 1;
  while (++dim < axes.size()) weight *= axes[dim].factors[level];
  return weight;
}

namespace {

/// Of each value the number of the share that by(...) puts it in.
std::vector<std::int64_t> sharesAlong(const Axis &a) {
  std::vector<std::int64_t> shares;
  if (a.borders.empty()) return shares;
  shares.resize(static_cast<std::size_t>(a.size));
  for (std::size_t n = 0; n < a.borders.size(); ++n)
    for (std::int64_t x = a.borders[n].first; x < a.borders[n].end; ++x)
      shares[static_cast<std::size_t>(x)] = static_cast<std::int64_t>(n);
  return shares;
}

}  // namespace

std::vector<Spot> Shares::spots(const std::vector<int> &dims, const kernel::Affine &form) const {
  PIMENTO_CHECK(instances.size() <= Spot::kMostLevels);
  std::vector<Spot> all(1);
  for (const int dim : dims) {
    const auto d = static_cast<std::size_t>(dim);
    const Axis &a = axes[d];
    std::vector<Spot> own, next;
    const std::vector<std::int64_t> shares = sharesAlong(a);
    for (std::int64_t x = 0; x < a.size; ++x) {
      Spot s{{}, x, form.coefficients[d] * (a.lower + x)};
      std::size_t outside = 0;
      if (!shares.empty()) {
        std::int64_t share = shares[static_cast<std::size_t>(x)];
        s.local -= a.borders[static_cast<std::size_t>(share)].first;
        for (std::size_t l = outside = bordered; l-- > 0; share /= a.factors[l])
          s.instance[l] = static_cast<std::int32_t>(share % a.factors[l] * weightOf(l, d));
      }
      for (std::size_t l = outside; l < instances.size(); ++l) {
        const std::int64_t f = a.factors[l], c = a.chunks[l];
        s.instance[l] = static_cast<std::int32_t>(s.local / c % f * weightOf(l, d));
        s.local = s.local / (c * f) * c + s.local % c;
      }
      own.push_back(std::move(s));
    }
    next.reserve(all.size() * own.size());
    for (const Spot &outer : all)
      for (const Spot &inner : own) {
        Spot &s = next.emplace_back(inner);
        for (std::size_t l = 0; l < instances.size(); ++l) s.instance[l] += outer.instance[l];
        s.local += outer.local * a.range;
        s.value += outer.value;
      }
    all = std::move(next);
  }
  return all;
}

std::vector<std::int32_t> Shares::numbers(std::size_t level, const std::vector<int> &dims) const {
  std::vector<std::int32_t> all{0};
  for (const int dim : dims) {
    std::vector<std::int32_t> next;
    for (const std::int32_t outer : all)
      for (std::int64_t i = 0; i < axis(dim).factors[level]; ++i)
        next.push_back(outer + static_cast<std::int32_t>(i * weightOf(level, static_cast<std::size_t>(dim))));
    all = std::move(next);
  }
  return all;
}

}  // namespace pimento::lower
