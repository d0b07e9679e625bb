#include "pimento/tdfg/form.h"

#include <algorithm>
#include <numeric>

namespace pimento::tdfg {

Form constantForm(std::int64_t constant) {
  Form form;
  form.constant = constant;
  return form;
}

Form nameForm(int name, std::int64_t factor) {
  Form form;
  if (factor != 0) form.terms.push_back({name, factor});
  return form;
}

namespace {

/// Numbers that no program means wrap, so that forms need no failure; valueOf() reports values that do not fit.
std::int64_t wrappingAdd(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrappingMultiply(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

Form plus(const Form &a, const Form &b) {
  Form sum;
  sum.constant = wrappingAdd(a.constant, b.constant);
  std::size_t i = 0, j = 0;
  while (i < a.terms.size() || j < b.terms.size()) {
    Term term;
    if (j == b.terms.size() || (i < a.terms.size() && a.terms[i].name < b.terms[j].name)) {
      term = a.terms[i++];
    } else if (i == a.terms.size() || b.terms[j].name < a.terms[i].name) {
      term = b.terms[j++];
    } else {
      term = {a.terms[i].name, wrappingAdd(a.terms[i].factor, b.terms[j].factor)};
      ++i, ++j;
    }
    if (term.factor != 0) sum.terms.push_back(term);
  }
  return sum;
}

Form times(const Form &a, std::int64_t factor) {
  Form product;
  if (factor == 0) return product;
  product.constant = wrappingMultiply(a.constant, factor);
  for (const Term &term : a.terms) {
    const std::int64_t f = wrappingMultiply(term.factor, factor);
    if (f != 0) product.terms.push_back({term.name, f});
  }
  return product;
}

std::optional<std::int64_t> valueOf(const Form &form, const Values &values) {
  std::int64_t sum = form.constant;
  for (const Term &term : form.terms) {
    std::int64_t product = 0;
    if (__builtin_mul_overflow(term.factor, values[static_cast<std::size_t>(term.name)], &product) ||
        __builtin_add_overflow(sum, product, &sum)) {
      return std::nullopt;
    }
  }
  return sum;
}

namespace {

/// The first element is `low`; `high` is one behind the last.
BoundRange trimmed(std::int64_t low, std::int64_t high, std::int64_t stride) {
  if (high <= low) return {low, low, stride};
  const auto distance = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) - 1;
  return {low, low + static_cast<std::int64_t>(distance - distance % static_cast<std::uint64_t>(stride)) + 1, stride};
}

}  // namespace

bool BoundRange::covers(const BoundRange &other) const {
  if (other.count() == 0) return true;
  if (!contains(other.low) || !contains(other.high - 1)) return false;
  return other.count() == 1 || other.stride % stride == 0;
}

bool isEmpty(const BoundBox &box) {
  return std::any_of(box.begin(), box.end(), [](const BoundRange &r) { return r.count() == 0; });
}

std::int64_t elementsOf(const BoundBox &box) {
  std::int64_t elements = 1;
  for (const BoundRange &range : box) elements *= range.count();
  return elements;
}

bool covers(const BoundBox &box, const BoundBox &other) {
  if (isEmpty(other)) return true;
  for (std::size_t d = 0; d < box.size(); ++d)
    if (!box[d].covers(other[d])) return false;
  return true;
}

namespace {

BoundRange intersect(const BoundRange &a, const BoundRange &b) {
  const std::int64_t low = std::max(a.low, b.low), high = std::min(a.high, b.high);
  const BoundRange nothing{low, low, 1};
  if (low >= high) return nothing;
  if (a.stride == 1 && b.stride == 1) return {low, high, 1};
  // At most lcm / max steps of the coarser range until both meet.
  const BoundRange &coarse = a.stride >= b.stride ? a : b;
  const BoundRange &fine = a.stride >= b.stride ? b : a;
  std::int64_t x = coarse.low + (low - coarse.low + coarse.stride - 1) / coarse.stride * coarse.stride;
  const std::int64_t meetings = fine.stride / std::gcd(fine.stride, coarse.stride);
  std::int64_t stride = 1;
  // Where both meet once at most, a smaller stride says the same, and the next product does not overflow.
  constexpr std::int64_t kLarge = std::int64_t{1} << 32;
  if (__builtin_mul_overflow(meetings, coarse.stride, &stride) || stride > std::max(high - low, kLarge))
    stride = high - low;
  for (std::int64_t step = 0; step < meetings && x < high; ++step, x += coarse.stride)
    if ((x - fine.low) % fine.stride == 0) return trimmed(x, high, stride);
  return nothing;
}

}  // namespace

BoundBox intersect(const BoundBox &a, const BoundBox &b) {
  BoundBox shared(a.size());
  for (std::size_t d = 0; d < a.size(); ++d) shared[d] = intersect(a[d], b[d]);
  return shared;
}

std::optional<BoundRange> bindRange(const Range &range, const Values &values) {
  std::optional<std::int64_t> low, high;
  for (const Form &form : range.lows) {
    const auto x = valueOf(form, values);
    if (!x) return std::nullopt;
    low = low ? std::max(*low, *x) : *x;
  }
  for (const Form &form : range.highs) {
    const auto x = valueOf(form, values);
    if (!x) return std::nullopt;
    high = high ? std::min(*high, *x) : *x;
  }
  constexpr std::int64_t kMost = kMostCoordinate;
  if (!low || !high || *low < -kMost || *low > kMost || *high < -kMost || *high > kMost) return std::nullopt;
  return trimmed(*low, *high, range.stride);
}

std::optional<BoundBox> bindBox(const Box &box, const Values &values) {
  BoundBox bound;
  for (const Range &range : box) {
    const auto r = bindRange(range, values);
    if (!r) return std::nullopt;
    bound.push_back(*r);
  }
  return bound;
}

std::string print(const Form &form, const std::vector<Name> &names) {
  std::string s;
  const auto add = [&s](std::int64_t factor, const std::string &what) {
    const std::uint64_t magnitude =
        factor < 0 ? 0 - static_cast<std::uint64_t>(factor) : static_cast<std::uint64_t>(factor);
    s += s.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ");
    if (what.empty() || magnitude != 1) s += std::to_string(magnitude);
    if (!what.empty()) s += (magnitude == 1 ? "" : "*") + what;
  };
  for (const Term &term : form.terms) add(term.factor, names[static_cast<std::size_t>(term.name)].name);
  if (form.constant != 0 || s.empty()) add(form.constant, "");
  return s;
}

namespace {

std::string printBound(const std::vector<Form> &forms, const char *function, const std::vector<Name> &names) {
  if (forms.size() == 1) return print(forms[0], names);
  std::string s = std::string(function) + "(";
  for (std::size_t i = 0; i < forms.size(); ++i) s += (i == 0 ? "" : ", ") + print(forms[i], names);
  return s + ")";
}

}  // namespace

std::string print(const Range &range, const std::vector<Name> &names) {
  const std::string s = printBound(range.lows, "max", names) + ":" + printBound(range.highs, "min", names);
  return range.stride == 1 ? s : s + ":" + std::to_string(range.stride);
}

std::string print(const Box &box, const std::vector<Name> &names) {
  std::string s = "[";
  for (std::size_t d = 0; d < box.size(); ++d) s += (d == 0 ? "" : ", ") + print(box[d], names);
  return s + "]";
}

}  // namespace pimento::tdfg
