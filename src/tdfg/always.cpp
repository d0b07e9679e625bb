#include "pimento/tdfg/always.h"

#include <algorithm>
#include <tuple>

namespace pimento::tdfg {

namespace {

/// Factors beyond this are not looked at: products of two fit 64 bits.
constexpr std::int64_t kMostFactor = std::int64_t{1} << 30;

bool isSmall(const Form &form) {
  const auto fits = [](std::int64_t x) { return x > -kMostFactor && x < kMostFactor; };
  return fits(form.constant) && std::ranges::all_of(form.terms, [&](const Term &t) { return fits(t.factor); });
}

/// `form` with `by` in place of a name, times `divisor`.
Form substituted(const Form &form, int name, const Form &by, std::int64_t divisor = 1) {
  Form rest = form;
  std::int64_t factor = 0;
  std::erase_if(rest.terms, [&](const Term &t) {
    if (t.name == name) factor = t.factor;
    return t.name == name;
  });
  return plus(times(rest, divisor), times(by, factor));
}

std::int64_t factorOf(const Form &form, int name) {
  const auto at = std::ranges::find(form.terms, name, &Term::name);
  return at == form.terms.end() ? 0 : at->factor;
}

bool isBefore(const Form &a, const Form &b) {
  const auto key = [](const Form &f) {
    std::vector<std::int64_t> k;
    for (const Term &t : f.terms) k.insert(k.end(), {t.name, t.factor});
    k.push_back(f.constant);
    return k;
  };
  return key(a) < key(b);
}

}  // namespace

/// Its least value is 0 or more. Loops are replaced by their bounds, inner ones first, then quotients by what they are
/// quotients of, then sizes by their least.
bool Always::isPositive(const Form &form) const {
  Form rest = form;
  for (std::size_t k = region_.rounds.size(); k-- > 0 && isSmall(rest);) {
    const Round &round = region_.rounds[k];
    const std::int64_t factor = factorOf(rest, round.name);
    if (factor == 0) continue;
    const Form bound = factor > 0 ? round.range.lows.front() : plus(round.range.highs.front(), constantForm(-1));
    rest = substituted(rest, round.name, bound);
  }
  for (std::size_t k = program_.loops.size(); k-- > 0 && isSmall(rest);) {
    const Loop &loop = program_.loops[k];
    const std::int64_t factor = factorOf(rest, loop.name);
    if (factor != 0) rest = substituted(rest, loop.name, factor > 0 ? Form{} : plus(loop.extent, constantForm(-1)));
  }
  for (std::size_t n = program_.names.size(); n-- > 0 && isSmall(rest);) {
    const Name &name = program_.names[n];
    const std::int64_t factor = factorOf(rest, static_cast<int>(n));
    if (factor == 0) continue;
    if (name.kind == Name::Kind::kLoop) return false;
    if (name.kind == Name::Kind::kQuotient) {
      // of - divisor + 1 <= divisor * quotient <= of
      if (name.divisor >= kMostFactor) return false;
      const Form bound = factor > 0 ? plus(name.of, constantForm(1 - name.divisor)) : name.of;
      rest = substituted(rest, static_cast<int>(n), bound, name.divisor);
    } else {
      if (factor < 0) return false;
      rest = substituted(rest, static_cast<int>(n), constantForm(std::min(program_.leastSize, kMostFactor)));
    }
  }
  return isSmall(rest) && rest.isConstant() && rest.constant >= 0;
}

bool Always::isAtMost(const Form &a, const Form &b) const {
  return a == b || (isSmall(a) && isSmall(b) && isPositive(minus(b, a)));
}

bool Always::covers(const Range &whole, const Range &part) const {
  if (whole.stride != 1 && (whole.stride != part.stride || whole.lows != part.lows)) return false;
  const bool isAbove = std::ranges::all_of(whole.lows, [&](const Form &low) {
    return std::ranges::any_of(part.lows, [&](const Form &other) { return isAtMost(low, other); });
  });
  return isAbove && std::ranges::all_of(whole.highs, [&](const Form &high) {
           return std::ranges::any_of(part.highs, [&](const Form &other) { return isAtMost(other, high); });
         });
}

bool Always::covers(const Box &whole, const Box &part) const {
  if (whole.size() != part.size()) return false;
  for (std::size_t d = 0; d < whole.size(); ++d)
    if (!covers(whole[d], part[d])) return false;
  return true;
}

Form Always::plain(Form form) const {
  for (std::size_t k = region_.rounds.size(); k-- > 0;) {
    const Range &range = region_.rounds[k].range;
    if (range.lows.size() == 1 && range.highs.size() == 1 && range.highs[0] == plus(range.lows[0], constantForm(1)))
      form = substituted(form, region_.rounds[k].name, range.lows[0]);
  }
  for (std::size_t k = program_.loops.size(); k-- > 0;)
    if (program_.loops[k].extent == constantForm(1)) form = substituted(form, program_.loops[k].name, Form{});
  return form;
}

Range Always::plain(Range range) const {
  for (Form &form : range.lows) form = plain(std::move(form));
  for (Form &form : range.highs) form = plain(std::move(form));
  const auto reduce = [](std::vector<Form> &forms, auto isImplied) {
    std::ranges::sort(forms, isBefore);
    forms.erase(std::ranges::unique(forms).begin(), forms.end());
    for (std::size_t k = 0; k < forms.size() && forms.size() > 1;)
      if (std::ranges::any_of(forms,
                              [&](const Form &other) { return !(other == forms[k]) && isImplied(forms[k], other); }))
        forms.erase(forms.begin() + static_cast<std::ptrdiff_t>(k));
      else
        ++k;
  };
  reduce(range.lows, [&](const Form &low, const Form &other) { return isAtMost(low, other); });
  reduce(range.highs, [&](const Form &high, const Form &other) { return isAtMost(other, high); });
  return range;
}

Box Always::plain(Box box) const {
  for (Range &range : box) range = plain(std::move(range));
  return box;
}

std::optional<Range> Always::meet(const Range &a, const Range &b) const {
  Range both = a;
  both.highs.insert(both.highs.end(), b.highs.begin(), b.highs.end());
  if (a.stride != 1 || b.stride != 1) {
    // Which cells a stride meets hangs on where it begins.
    const bool isA = a.stride != 1;
    const Range &strided = isA ? a : b, &other = isA ? b : a;
    const bool isSame = a.stride == b.stride && plain(a).lows == plain(b).lows;
    const bool isAfter = other.stride == 1 && std::ranges::all_of(other.lows, [&](const Form &low) {
                           return std::ranges::any_of(strided.lows, [&](const Form &l) { return isAtMost(low, l); });
                         });
    if (!isSame && !isAfter) return std::nullopt;
    both.lows = strided.lows;
    both.stride = strided.stride;
    return plain(std::move(both));
  }
  both.lows.insert(both.lows.end(), b.lows.begin(), b.lows.end());
  return plain(std::move(both));
}

std::optional<Box> Always::meet(const Box &a, const Box &b) const {
  if (a.size() != b.size()) return std::nullopt;
  Box both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    auto range = meet(a[d], b[d]);
    if (!range) return std::nullopt;
    both.push_back(std::move(*range));
  }
  return both;
}

std::optional<Box> Always::hull(const Box &a, const Box &b) const {
  if (a.size() != b.size()) return std::nullopt;
  Box both;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const Range &x = a[d], &y = b[d];
    if (covers(x, y)) {
      both.push_back(x);
    } else if (covers(y, x)) {
      both.push_back(y);
    } else {
      if (x.stride != 1 || y.stride != 1 || x.lows.size() * y.lows.size() * x.highs.size() * y.highs.size() != 1)
        return std::nullopt;
      Range range;
      const bool isLow = isAtMost(x.lows[0], y.lows[0]), isHigh = isAtMost(y.highs[0], x.highs[0]);
      if ((!isLow && !isAtMost(y.lows[0], x.lows[0])) || (!isHigh && !isAtMost(x.highs[0], y.highs[0])))
        return std::nullopt;
      range.lows = isLow ? x.lows : y.lows;
      range.highs = isHigh ? x.highs : y.highs;
      both.push_back(std::move(range));
    }
  }
  return both;
}

std::vector<std::optional<Range>> Always::bounding() const {
  const auto rank = static_cast<std::size_t>(region_.lattice);
  // By dim, upper bounds of what takes part: one of each list is the largest.
  std::vector<std::vector<std::vector<Form>>> extents(rank);
  const auto addArray = [&](int array) {
    const std::vector<Form> &shape = program_.arrays[static_cast<std::size_t>(array)].shape;
    for (std::size_t d = 0; d < std::min(rank, shape.size()); ++d) extents[d].push_back({shape[shape.size() - 1 - d]});
  };
  const auto addBox = [&](const Box &box) {
    for (std::size_t d = 0; d < std::min(rank, box.size()); ++d) extents[d].push_back(box[d].highs);
  };
  for (const Node &node : region_.nodes) {
    if (node.kind == NodeKind::kTensor) addArray(node.array);
    if (node.kind == NodeKind::kStrm) addBox(node.box);
  }
  for (const Output &output : region_.outputs) output.isStream ? addBox(output.box) : addArray(output.array);
  std::vector<std::optional<Range>> box;
  for (std::vector<std::vector<Form>> &dim : extents) {
    dim.push_back({constantForm(1)});
    box.emplace_back();
    const auto most = std::ranges::find_if(dim, [&](const std::vector<Form> &forms) {
      return forms.size() == 1 && std::ranges::all_of(dim, [&](const std::vector<Form> &others) {
               return std::ranges::any_of(others, [&](const Form &other) { return isAtMost(other, forms[0]); });
             });
    });
    if (most == dim.end()) continue;
    box.back().emplace();
    box.back()->highs = *most;
  }
  return box;
}

Range shifted(Range range, const Form &by) {
  for (Form &low : range.lows) low = plus(low, by);
  for (Form &high : range.highs) high = plus(high, by);
  return range;
}

}  // namespace pimento::tdfg
