#include "pimento/mapping/neighbours.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pimento/base/integer.h"

namespace pimento::mapping {

namespace {

std::vector<std::int64_t> primesOf(std::int64_t n) {
  constexpr std::int64_t kMost = 64;  // larger ones are steps that no level has room for
  std::vector<std::int64_t> out;
  for (std::int64_t p = 2; p <= std::min(n, kMost); ++p)
    if (n % p == 0) {
      out.push_back(p);
      while (n % p == 0) n /= p;
    }
  return out;
}

/// One subspace over the kernel's own dims, in shares of one size. Published streams take several kernels as one, in
/// dims of theirs.
bool isOver(const Mapping &mapping, const kernel::Kernel &kernel, const std::vector<machine::Level> &levels) {
  if (mapping.subspaces.size() != 1 || !mapping.by.empty()) return false;
  const auto &factors = mapping.subspaces[0].factors;
  return factors.size() == levels.size() + 1 &&
         std::ranges::all_of(factors, [&](const auto &level) { return level.size() == kernel.dims.size(); });
}

class Steps {
 public:
  Steps(const Mapping &mapping, const kernel::Kernel &kernel, const std::vector<machine::Level> &levels)
      : mapping_(mapping), kernel_(kernel), levels_(levels), factors_(mapping.subspaces[0].factors) {}

  std::vector<Mapping> all() {
    const std::size_t dims = kernel_.dims.size();
    for (std::size_t l = 0; l < levels_.size(); ++l)
      for (std::size_t d = 0; d < dims; ++d)
        for (const std::int64_t p : primesOf(factors_[l][d])) {
          tryStep({.l = l, .d = d, .p = p}, {});
          for (std::size_t e = 0; e < dims; ++e)
            if (e != d) tryStep({.l = l, .d = d, .p = p}, {.l = l, .d = e, .p = p});
          for (std::size_t m = 0; m < levels_.size(); ++m)
            if (m != l) tryStep({.l = l, .d = d, .p = p}, {.l = m, .d = d, .p = p});
        }
    for (std::size_t l = 0; l < levels_.size(); ++l)
      for (std::size_t d = 0; d < dims; ++d)
        for (const std::int64_t p : splitsOf(d)) tryStep({}, {.l = l, .d = d, .p = p});
    return std::move(out_);
  }

 private:
  struct Part {
    std::size_t l = 0, d = 0;
    std::int64_t p = 1;
  };

  /// What may split the range of dim `d` once more.
  std::vector<std::int64_t> splitsOf(std::size_t d) const {
    if (factors_.back()[d] < 2) return {};
    std::vector<std::int64_t> out = primesOf(factors_.back()[d]);
    if (std::ranges::find(out, 2) == out.end()) out.push_back(2);
    return out;
  }

  void tryStep(const Part &from, const Part &to) {
    Mapping m = mapping_;
    m.text.clear();
    auto &factors = m.subspaces[0].factors;
    factors[from.l][from.d] /= from.p;
    factors[to.l][to.d] *= to.p;
    std::int64_t count = 1;
    for (const std::int64_t f : factors[to.l]) count = multiplySaturated(count, f);
    if (count > levels_[to.l].count) return;
    for (const std::size_t d : {from.d, to.d}) {
      std::int64_t units = 1;
      for (std::size_t l = 0; l < levels_.size(); ++l) units = multiplySaturated(units, factors[l][d]);
      factors.back()[d] = ceilDiv(kernel_.dims[d].extent, units);
    }
    dropIdleInstances(m.subspaces[0], kernel_, levels_);
    if (factors != factors_) out_.push_back(std::move(m));
  }

  const Mapping &mapping_;
  const kernel::Kernel &kernel_;
  const std::vector<machine::Level> &levels_;
  const std::vector<std::vector<std::int64_t>> &factors_;
  std::vector<Mapping> out_;
};

}  // namespace

std::vector<Mapping> neighbours(const Mapping &mapping, const kernel::Kernel &kernel,
                                const std::vector<machine::Level> &levels) {
  if (!isOver(mapping, kernel, levels) || kernel.dims.empty()) return {};
  return Steps(mapping, kernel, levels).all();
}

std::optional<Mapping> fitted(Mapping mapping, const kernel::Kernel &kernel,
                              const std::vector<machine::Level> &levels) {
  if (!isOver(mapping, kernel, levels)) return std::nullopt;
  Subspace &s = mapping.subspaces[0];
  for (std::size_t d = 0; d < kernel.dims.size(); ++d) {
    std::int64_t &range = s.factors.back()[d], units = 1;
    const bool isEven = range % 2 == 0;
    for (std::size_t l = 0; l < levels.size(); ++l) units = multiplySaturated(units, s.factors[l][d]);
    range = ceilDiv(kernel.dims[d].extent, units);
    if (isEven && range > 1) range = ceilDiv(range, 2) * 2;
  }
  dropIdleInstances(s, kernel, levels);
  mapping.text = print(mapping);
  return mapping;
}

}  // namespace pimento::mapping
