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
    axes.push_back(std::move(a));
  }
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

PerDim Shares::baseOf(std::int64_t unit) const {
  PerDim base(axes.size(), 0), inside = sizesPerUnit();
  for (std::size_t l = instances.size() - 1; l-- > 0;)
    for (std::size_t d = axes.size(); d-- > 0; unit /= axes[d].factors[l]) {
      base[d] += unit % axes[d].factors[l] * inside[d];
      inside[d] *= axes[d].factors[l];
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
  PerDim valid = baseOf(unit);
  for (std::size_t d = 0; d < axes.size(); ++d)
    valid[d] = std::clamp<std::int64_t>(axes[d].extent - valid[d], 0, axes[d].perUnit());
  return valid;
}

bool Shares::isIdle(const PerDim &valid, std::int64_t thread) const {
  const PerDim low = lowOf(thread);
  for (std::size_t d = 0; d < low.size(); ++d)
    if (low[d] >= valid[d]) return true;
  return false;
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

std::vector<Spot> Shares::spots(const std::vector<int> &dims, const kernel::Affine &form) const {
  PIMENTO_CHECK(instances.size() <= Spot::kMostLevels);
  std::vector<Spot> all(1);
  for (const int dim : dims) {
    const auto d = static_cast<std::size_t>(dim);
    const Axis &a = axes[d];
    std::vector<Spot> own, next;
    for (std::int64_t x = 0; x < a.size; ++x) {
      Spot s{{}, x, form.coefficients[d] * (a.lower + x)};
      for (std::size_t l = 0; l < instances.size(); ++l) {
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
