#include "pimento/kernel/box.h"

#include <algorithm>
#include <limits>

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
  for (const Affine &guard : guards_) {
    Affine difference = affine;
    bool isOverflown = __builtin_sub_overflow(affine.constant, guard.constant, &difference.constant);
    for (std::size_t d = 0; d < dims_.size(); ++d) {
      isOverflown |= __builtin_sub_overflow(affine.coefficients[d], guard.coefficients[d], &difference.coefficients[d]);
    }
    if (isOverflown) continue;
    if (const auto rest = range(difference); rest && rest->low >= 0) return true;
  }
  return false;
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
  for (const Affine &guard : kernel.guards) {
    Affine kept = guard, other = nothing;
    for (std::size_t d = 0; d < dims; ++d)
      if (!isKept[d]) std::swap(kept.coefficients[d], other.coefficients[d]);
    const auto most = box.range(other), all = box.range(kept);
    if (!most || !all || __builtin_add_overflow(kept.constant, most->high, &kept.constant)) continue;
    if (kept.constant + (all->low - guard.constant) < 0) conditions.push_back(std::move(kept));
  }
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
