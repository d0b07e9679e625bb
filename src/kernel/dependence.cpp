#include "pimento/kernel/dependence.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "pimento/base/integer.h"

namespace pimento::kernel {

namespace {

/// a + factor * b; none where that leaves 64 bits.
std::optional<Affine> sum(const Affine &a, const Affine &b, std::int64_t factor) {
  Affine total = a;
  const auto add = [factor](std::int64_t &to, std::int64_t x) {
    std::int64_t term = 0;
    return !__builtin_mul_overflow(x, factor, &term) && !__builtin_add_overflow(to, term, &to);
  };
  bool fits = add(total.constant, b.constant);
  for (std::size_t d = 0; d < b.coefficients.size(); ++d) fits &= add(total.coefficients[d], b.coefficients[d]);
  return fits ? std::optional(std::move(total)) : std::nullopt;
}

/// Number of a variable with coefficient 1 or -1; -1: there is none.
int unitOf(const Affine &form) {
  for (std::size_t d = 0; d < form.coefficients.size(); ++d)
    if (form.coefficients[d] == 1 || form.coefficients[d] == -1) return static_cast<int>(d);
  return -1;
}

bool isConstant(const Affine &form) {
  return std::all_of(form.coefficients.begin(), form.coefficients.end(), [](std::int64_t c) { return c == 0; });
}

/// The greatest common divisor of the coefficients; 1 where there is none to be had.
std::int64_t divisorOf(const Affine &form) {
  std::int64_t divisor = 0;
  for (const std::int64_t c : form.coefficients) {
    if (c == INT64_MIN) return 1;
    divisor = std::gcd(divisor, c);
  }
  return std::max<std::int64_t>(1, divisor);
}

/// The constraints without their equations: each is solved for a variable where one has coefficient 1 or -1, whose
/// interval then becomes two inequalities.
class Solver {
 public:
  Solver(const std::vector<Interval> &variables, std::vector<Affine> zeros, std::vector<Affine> nonNegative)
      : variables_(variables), zeros_(std::move(zeros)), nonNegative_(std::move(nonNegative)) {}

  bool isEmpty() {
    while (!zeros_.empty()) {
      Affine zero = std::move(zeros_.back());
      zeros_.pop_back();
      if (isConstant(zero) && zero.constant == 0) continue;
      const std::int64_t divisor = divisorOf(zero);
      if (isConstant(zero) || zero.constant % divisor != 0) return true;
      for (std::int64_t &c : zero.coefficients) c /= divisor;
      zero.constant /= divisor;
      if (const int d = unitOf(zero); d >= 0 && substitute(zero, static_cast<std::size_t>(d))) continue;
      Affine negative{std::vector<std::int64_t>(zero.coefficients.size(), 0), 0};
      if (const auto minus = sum(negative, zero, -1)) nonNegative_.push_back(*minus);
      nonNegative_.push_back(zero);
    }
    for (Affine &form : nonNegative_) tighten(form);
    const Box box(variables_, nonNegative_);
    if (box.isEmpty()) return true;
    // Two constraints whose sum is negative everywhere: i >= k + 1 and k >= i. Or a sum of multiples, in which a
    // variable is gone: s >= t + 1 and 8 t + 7 >= 8 s.
    const auto isNegative = [&box](const std::optional<Affine> &form) {
      const auto range = form ? box.range(*form) : std::nullopt;
      return range && range->high < 0;
    };
    for (std::size_t i = 0; i < nonNegative_.size(); ++i) {
      for (std::size_t j = i; j < nonNegative_.size(); ++j) {
        const Affine &a = nonNegative_[i], &b = nonNegative_[j];
        if (isNegative(sum(a, b, 1))) return true;
        for (std::size_t d = 0; d < variables_.size(); ++d) {
          const std::int64_t x = a.coefficients[d], y = b.coefficients[d];
          if (x == INT64_MIN || y == INT64_MIN || x == 0 || y == 0 || (x < 0) == (y < 0) || x == -y) continue;
          const Affine none{std::vector<std::int64_t>(variables_.size(), 0), 0};
          const auto first = sum(none, a, std::abs(y));
          if (first && isNegative(sum(*first, b, std::abs(x)))) return true;
        }
      }
    }
    return false;
  }

 private:
  /// Of whole numbers 8 s - 8 t >= 1 is s - t >= 1.
  static void tighten(Affine &form) {
    const std::int64_t divisor = divisorOf(form);
    if (divisor <= 1) return;
    for (std::int64_t &c : form.coefficients) c /= divisor;
    form.constant = form.constant / divisor - (form.constant % divisor < 0 ? 1 : 0);
  }

  /// Everywhere else, variable `d` as the equation says; false, with nothing changed, where that leaves 64 bits.
  bool substitute(const Affine &zero, std::size_t d) {
    const std::int64_t unit = zero.coefficients[d];
    std::vector<Affine> zeros = zeros_, nonNegative = nonNegative_;
    // low <= variable <= high, to be rewritten like all others.
    Affine low{std::vector<std::int64_t>(zero.coefficients.size(), 0), 0}, high = low;
    low.coefficients[d] = 1;
    high.coefficients[d] = -1;
    high.constant = variables_[d].high;
    if (__builtin_sub_overflow(std::int64_t{0}, variables_[d].low, &low.constant)) return false;
    nonNegative.push_back(low);
    nonNegative.push_back(high);
    for (std::vector<Affine> *list : {&zeros, &nonNegative}) {
      for (Affine &form : *list) {
        if (form.coefficients[d] == 0) continue;
        std::int64_t factor = 0;
        if (__builtin_mul_overflow(form.coefficients[d], -unit, &factor)) return false;
        const auto next = sum(form, zero, factor);
        if (!next) return false;
        form = *next;
      }
    }
    zeros_ = std::move(zeros);
    nonNegative_ = std::move(nonNegative);
    return true;
  }

  const std::vector<Interval> &variables_;
  std::vector<Affine> zeros_, nonNegative_;
};

/// Whether the form is a number and its loops are the digits: every value comes about in one way.
bool areDigits(const Affine &form, const std::vector<std::int64_t> &extents) {
  std::vector<std::pair<std::int64_t, std::int64_t>> digits;  // weight, largest
  for (std::size_t d = 0; d < std::min(form.coefficients.size(), extents.size()); ++d) {
    if (form.coefficients[d] == INT64_MIN) return false;
    if (form.coefficients[d] != 0) digits.emplace_back(std::abs(form.coefficients[d]), extents[d] - 1);
  }
  std::ranges::sort(digits);
  std::int64_t below = 0;  // the largest value of smaller digits
  for (const auto &[weight, largest] : digits) {
    if (weight <= below) return false;
    below = addSaturated(below, multiplySaturated(weight, std::max<std::int64_t>(0, largest)));
  }
  return true;
}

Meeting::Side sideOf(const Kernel &kernel, const Access &access, std::vector<std::int64_t> extents) {
  return {std::move(extents), kernel.guards, &access.index, access.indirectAt};
}

}  // namespace

Affine Constraints::padded(Affine form) const {
  form.coefficients.resize(variables_.size(), 0);
  return form;
}

void Constraints::requireZero(Affine form) {
  zeros_.push_back(padded(std::move(form)));
}

void Constraints::requireNonNegative(Affine form) {
  nonNegative_.push_back(padded(std::move(form)));
}

bool Constraints::isEmpty() const {
  return Solver(variables_, zeros_, nonNegative_).isEmpty();
}

Meeting::Meeting(const Side &first, const Side &second, std::size_t shared)
    : first_(first.extents.size()), shared_(shared), variables_(first_ + second.extents.size()), constraints_([&] {
        std::vector<Interval> variables;
        for (const Side *side : {&first, &second})
          for (const std::int64_t extent : side->extents) variables.push_back({0, extent - 1});
        return Constraints(std::move(variables));
      }()) {
  const auto moved = [this](const Affine &form) {
    Affine out{std::vector<std::int64_t>(variables_, 0), form.constant};
    std::copy(form.coefficients.begin(), form.coefficients.end(),
              out.coefficients.begin() + static_cast<std::ptrdiff_t>(first_));
    return out;
  };
  for (const Affine &guard : first.guards) constraints_.requireNonNegative(guard);
  for (const Affine &guard : second.guards) constraints_.requireNonNegative(moved(guard));
  for (std::size_t i = 0; i < std::min(first.index->size(), second.index->size()); ++i) {
    if (static_cast<int>(i) == first.skipped || static_cast<int>(i) == second.skipped) continue;
    Affine left = (*first.index)[i];
    left.coefficients.resize(variables_, 0);
    if (const auto equal = sum(left, moved((*second.index)[i]), -1)) constraints_.requireZero(*equal);
    // Of digits each is that of the other.
    if ((*first.index)[i] == (*second.index)[i] && first.extents == second.extents && shared_ == first_ &&
        areDigits((*first.index)[i], first.extents))
      for (std::size_t d = 0; d < shared_; ++d)
        if ((*first.index)[i].coefficients[d] != 0) constraints_.requireZero(difference(d));
  }
}

/// q - p in a shared loop.
Affine Meeting::difference(std::size_t d) const {
  Affine form{std::vector<std::int64_t>(variables_, 0), 0};
  form.coefficients[d] = -1;
  form.coefficients[first_ + d] = 1;
  return form;
}

bool Meeting::isPossible(std::size_t d, int sign, std::size_t equal) const {
  Constraints with = constraints_;
  for (std::size_t e = 0; e < equal; ++e) with.requireZero(difference(e));
  Affine form = difference(d);
  if (sign == 0) {
    with.requireZero(std::move(form));
  } else {
    for (std::int64_t &c : form.coefficients) c *= sign;
    form.constant = -1;
    with.requireNonNegative(std::move(form));
  }
  return !with.isEmpty();
}

bool Meeting::mayBeLater(std::size_t equal) const {
  for (std::size_t d = equal; d < shared_; ++d)
    if (isPossible(d, -1, d)) return true;
  return false;
}

bool Meeting::mayCoincideIn(std::size_t loops) const {
  Constraints with = constraints_;
  for (std::size_t d = 0; d < loops; ++d) with.requireZero(difference(d));
  return !with.isEmpty();
}

bool isCarried(const Kernel &kernel, std::size_t d) {
  std::vector<std::int64_t> extents;
  for (const Dim &dim : kernel.dims) extents.push_back(dim.extent);
  std::size_t counters = 0;
  while (counters < kernel.dims.size() && kernel.dims[counters].kind == DimKind::kCounter) ++counters;
  const auto meet = [&](const Access &a, const Access &b) {
    if (a.tensor != b.tensor) return false;
    const Meeting m(sideOf(kernel, a, extents), sideOf(kernel, b, extents), extents.size());
    return m.isPossible(d, 1, counters) || m.isPossible(d, -1, counters);
  };
  for (const Store &store : kernel.stores) {
    for (const Access &load : kernel.loads)
      if (meet(store.target, load)) return true;
    if (store.combine == Combine::kAssign && store.follows < 0 && meet(store.target, store.target)) return true;
  }
  return false;
}

}  // namespace pimento::kernel
