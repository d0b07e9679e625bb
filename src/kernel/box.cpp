#include "pimento/kernel/box.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace pimento::kernel {

namespace {

/// Sums that remember whether they left 64 bits.
struct Checked {
  std::int64_t value = 0;
  bool isOverflown = false;

  void addProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    isOverflown |= __builtin_mul_overflow(a, b, &product);
    isOverflown |= __builtin_add_overflow(value, product, &value);
  }
};

/// a + b, or a - b; none where that leaves 64 bits.
std::optional<Affine> combined(const Affine &a, const Affine &b, bool isDifference) {
  Affine sum = a;
  bool isOverflown = false;
  const auto add = [&](std::int64_t &to, std::int64_t x) {
    isOverflown |= isDifference ? __builtin_sub_overflow(to, x, &to) : __builtin_add_overflow(to, x, &to);
  };
  add(sum.constant, b.constant);
  for (std::size_t d = 0; d < sum.coefficients.size(); ++d) add(sum.coefficients[d], b.coefficients[d]);
  return isOverflown ? std::nullopt : std::optional(std::move(sum));
}

/// A sum of one to three different guards.
struct GuardSum {
  Affine form;
  std::vector<std::size_t> guards;
};

/// Smaller sums first, while `see` wants more; of many guards only themselves and pairs.
void forEachSum(const std::vector<Affine> &guards, const std::function<bool(const GuardSum &sum)> &see) {
  constexpr std::array<std::size_t, 3> kMostGuards = {SIZE_MAX, 64, 16};
  std::vector<GuardSum> sums = {{}}, longer;
  for (const std::size_t most : kMostGuards) {
    if (guards.size() > most) return;
    for (const GuardSum &sum : sums)
      for (std::size_t g = sum.guards.empty() ? 0 : sum.guards.back() + 1; g < guards.size(); ++g) {
        auto form = sum.guards.empty() ? std::optional(guards[g]) : combined(sum.form, guards[g], false);
        if (!form) continue;
        longer.push_back({std::move(*form), sum.guards});
        longer.back().guards.push_back(g);
        if (!see(longer.back())) return;
      }
    sums = std::exchange(longer, {});
  }
}

std::int64_t floorDiv(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

}  // namespace

namespace {

std::vector<Interval> intervalsOf(const Kernel &kernel) {
  std::vector<Interval> dims;
  for (const Dim &dim : kernel.dims) dims.push_back({0, dim.extent - 1});
  return dims;
}

}  // namespace

Box::Box(const Kernel &kernel) : Box(intervalsOf(kernel), kernel.guards) {}

Box::Box(std::vector<Interval> dims, std::vector<Affine> guards) : dims_(std::move(dims)), guards_(std::move(guards)) {
  // Each pass can feed the next; a few suffice for the chains that occur, and stopping early is safe.
  constexpr int kPasses = 4;
  for (int pass = 0; pass < kPasses && !isEmpty_; ++pass) {
    bool hasChanged = false;
    for (const Affine &guard : guards_) hasChanged |= tighten(guard);
    if (!hasChanged) break;
  }
}

bool Box::tighten(const Affine &guard) {
  const auto whole = range(guard);
  if (!whole || isEmpty_) return false;
  if (whole->high < 0) {
    isEmpty_ = true;
    return false;
  }
  bool hasChanged = false;
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const std::int64_t c = guard.coefficients[d];
    if (c == 0 || dims_[d].low == dims_[d].high) continue;
    // c * x >= -(the most the rest of the guard can give)
    const auto current = range(guard);
    const std::int64_t own = c > 0 ? dims_[d].high : dims_[d].low;
    std::int64_t needed = 0, ownPart = 0;
    if (!current || __builtin_mul_overflow(c, own, &ownPart) ||
        __builtin_sub_overflow(ownPart, current->high, &needed) || needed == std::numeric_limits<std::int64_t>::min()) {
      continue;
    }
    Interval &x = dims_[d];
    const Interval before = x;
    if (c > 0) {
      x.low = std::max(x.low, -floorDiv(-needed, c));  // rounded up
    } else {
      x.high = std::min(x.high, floorDiv(needed, c));
    }
    if (x.low > x.high) {
      x = before;
      isEmpty_ = true;
      return false;
    }
    hasChanged |= x.low != before.low || x.high != before.high;
  }
  return hasChanged;
}

std::optional<Interval> Box::range(const Affine &affine) const {
  Checked low{affine.constant}, high{affine.constant};
  for (std::size_t d = 0; d < dims_.size(); ++d) {
    const std::int64_t c = affine.coefficients[d];
    low.addProduct(c, c > 0 ? dims_[d].low : dims_[d].high);
    high.addProduct(c, c > 0 ? dims_[d].high : dims_[d].low);
  }
  if (low.isOverflown || high.isOverflown) return std::nullopt;
  return Interval{low.value, high.value};
}

bool Box::isNeverNegative(const Affine &affine) const {
  if (isEmpty_) return true;
  if (const auto whole = range(affine); whole && whole->low >= 0) return true;
  bool isProved = false;
  forEachSum(guards_, [&](const GuardSum &sum) {
    const auto difference = combined(affine, sum.form, true);
    const auto rest = difference ? range(*difference) : std::nullopt;
    isProved = rest && rest->low >= 0;
    return !isProved;
  });
  return isProved;
}

std::vector<Affine> projectedGuards(const Kernel &kernel, const std::vector<bool> &isKept) {
  std::vector<Affine> conditions;
  if (kernel.guards.empty()) return conditions;
  const std::size_t dims = kernel.dims.size();
  const Affine nothing{std::vector<std::int64_t>(dims, 0), 0};
  const Box box(kernel);
  if (box.isEmpty()) {
    conditions.push_back(nothing);
    conditions.back().constant = -1;
    return conditions;
  }
  // What a sum says beyond its guards, it says of dims that they have with opposite signs.
  const auto saysMore = [&](const GuardSum &sum) {
    for (std::size_t d = 0; d < dims; ++d) {
      bool isUp = false, isDown = false;
      for (const std::size_t g : sum.guards) {
        isUp |= kernel.guards[g].coefficients[d] > 0;
        isDown |= kernel.guards[g].coefficients[d] < 0;
      }
      if (!isKept[d] && isUp && isDown) return true;
    }
    return sum.guards.size() == 1;
  };
  forEachSum(kernel.guards, [&](const GuardSum &sum) {
    if (!saysMore(sum)) return true;
    Affine kept = sum.form, other = nothing;
    for (std::size_t d = 0; d < dims; ++d)
      if (!isKept[d]) std::swap(kept.coefficients[d], other.coefficients[d]);
    const auto most = box.range(other), all = box.range(kept);
    if (!most || !all || __builtin_add_overflow(kept.constant, most->high, &kept.constant)) return true;
    const bool isKnown = std::ranges::find(conditions, kept) != conditions.end();
    if (kept.constant + (all->low - sum.form.constant) < 0 && !isKnown) conditions.push_back(std::move(kept));
    return true;
  });
  for (std::size_t d = 0; d < dims; ++d) {
    if (!isKept[d]) continue;
    const Interval x = box.dims()[d];
    Affine above = nothing, below = nothing;
    above.coefficients[d] = 1;
    above.constant = -x.low;
    below.coefficients[d] = -1;
    below.constant = x.high;
    if (x.low > 0) conditions.push_back(std::move(above));
    if (x.high < kernel.dims[d].extent - 1) conditions.push_back(std::move(below));
  }
  return conditions;
}

}  // namespace pimento::kernel
