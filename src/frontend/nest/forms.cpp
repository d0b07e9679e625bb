#include "pimento/frontend/nest/forms.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace pimento::frontend {

using kernel::Affine;

std::int64_t coefficient(const Affine &form, int loop) {
  const auto l = static_cast<std::size_t>(loop);
  return l < form.coefficients.size() ? form.coefficients[l] : 0;
}

std::optional<Affine> plus(const Affine &a, const Affine &b, std::int64_t factor) {
  Affine sum = a;
  sum.coefficients.resize(std::max(a.coefficients.size(), b.coefficients.size()), 0);
  const auto add = [factor](std::int64_t &to, std::int64_t x) {
    std::int64_t term = 0;
    return !__builtin_mul_overflow(x, factor, &term) && !__builtin_add_overflow(to, term, &to);
  };
  bool fits = add(sum.constant, b.constant);
  for (std::size_t l = 0; l < b.coefficients.size(); ++l) fits = add(sum.coefficients[l], b.coefficients[l]) && fits;
  return fits ? std::optional<Affine>(std::move(sum)) : std::nullopt;
}

std::optional<FormRange> rangeOf(const Affine &form, const std::vector<std::int64_t> &extents) {
  FormRange range{form.constant, form.constant};
  for (std::size_t l = 0; l < form.coefficients.size() && l < extents.size(); ++l) {
    std::int64_t span = 0;
    if (__builtin_mul_overflow(form.coefficients[l], extents[l] - 1, &span)) return std::nullopt;
    std::int64_t &end = span < 0 ? range.low : range.high;
    if (__builtin_add_overflow(end, span, &end)) return std::nullopt;
  }
  return range;
}

namespace {

std::vector<int> loopsIn(const Affine &form) {
  std::vector<int> loops;
  for (std::size_t l = 0; l < form.coefficients.size(); ++l) {
    if (form.coefficients[l] != 0) loops.push_back(static_cast<int>(l));
  }
  return loops;
}

/// |x|, at most the largest number.
std::int64_t magnitude(std::int64_t x) {
  return x == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : std::abs(x);
}

/// Whether the value of the form tells each of `loops` apart: sorted, every coefficient exceeds what the smaller reach.
bool isPositional(const Affine &form, std::vector<int> loops, const std::vector<std::int64_t> &extents) {
  const auto size = [&](int l) { return magnitude(coefficient(form, l)); };
  std::sort(loops.begin(), loops.end(), [&](int a, int b) { return size(a) < size(b); });
  std::int64_t reach = 0;
  for (const int l : loops) {
    const std::int64_t extent = extents[static_cast<std::size_t>(l)];
    if (extent == 1) continue;
    std::int64_t span = 0;
    if (size(l) <= reach || __builtin_mul_overflow(size(l), extent - 1, &span)) return false;
    if (__builtin_add_overflow(reach, span, &reach)) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> determined(const std::vector<Affine> &index, const std::vector<int> &loops,
                             const std::vector<std::int64_t> &extents) {
  std::vector<bool> isKnown(extents.size());
  for (bool hasChanged = true; std::exchange(hasChanged, false);) {
    for (const Affine &form : index) {
      std::vector<int> open = loopsIn(form);
      std::erase_if(open, [&](int l) { return isKnown[static_cast<std::size_t>(l)]; });
      if (open.empty() || !isPositional(form, open, extents)) continue;
      for (const int l : open) isKnown[static_cast<std::size_t>(l)] = hasChanged = true;
    }
  }
  std::vector<bool> known;
  for (const int l : loops) {
    known.push_back(isKnown[static_cast<std::size_t>(l)] || extents[static_cast<std::size_t>(l)] == 1);
  }
  return known;
}

}  // namespace pimento::frontend
