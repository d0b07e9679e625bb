#include "pimento/kernel/notation_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/base/text.h"

namespace pimento::kernel {

using Kind = SyntaxNode::Kind;

StatementIndices::StatementIndices(const SyntaxTree &tree, const Statement &statement, const std::string &file,
                                   const std::vector<Counter> &counters,
                                   const std::map<std::string, std::int64_t> &numbers)
    : tree_(tree), file_(file), counters_(counters), numbers_(numbers) {
  for (const Counter &counter : counters) names_.push_back({counter.name, true, statement.line, statement.column});
  const std::array<int, 3> targets{statement.target, statement.count, statement.withTarget};
  const std::array<int, 3> values{statement.value, statement.predicate, statement.withValue};
  const auto isOfData = [&](const Statement::Range &r) { return dependsOnData(r.low) || dependsOnData(r.high); };
  for (const Statement::Range &range : statement.ranges)
    if (isOfData(range))
      for (const int n : {range.low, range.high, range.index}) collectNames(n, n == range.index, false);
  for (const int n : targets)
    if (n >= 0) collectNames(n, false, n == statement.target);
  for (const int n : values)
    if (n >= 0) collectNames(n, false, false);
  for (const Statement::Range &range : statement.ranges) collectNames(range.index, true, false);
  for (const int n : values)
    if (n >= 0) collectReferences(n, false);
  for (const Statement::Range &range : statement.ranges) collectRange(range);
  for (const int condition : statement.conditions) collectGuard(condition);
  for (std::size_t t = targets.size(); t-- > 0;)
    if (targets[t] >= 0) collectReferences(targets[t], true);
}

const TensorReference &StatementIndices::at(int node) const {
  const auto found =
      std::find_if(references_.begin(), references_.end(), [node](const auto &r) { return r.node == node; });
  PIMENTO_CHECK(found != references_.end());
  return *found;
}

std::int64_t StatementIndices::startOf(int name) const {
  const auto n = static_cast<std::size_t>(name);
  return n < counters_.size() ? counters_[n].start : 0;
}

Affine StatementIndices::bound(int node) {
  return affine(node);
}

int StatementIndices::find(const std::string &name) const {
  const auto found = std::find_if(names_.begin(), names_.end(), [&](const IndexName &i) { return i.name == name; });
  return found == names_.end() ? -1 : static_cast<int>(found - names_.begin());
}

void StatementIndices::fail(const char *code, const SyntaxNode &at, const std::string &message, std::string hint) {
  if (!failure_) failure_ = error(code, {file_, at.line, at.column}, message, std::move(hint));
}

void StatementIndices::collectNames(int n, bool isInBrackets, bool isOnLeft) {
  const SyntaxNode &here = node(n);
  if (here.kind == Kind::kName && isInBrackets) {
    const int known = find(here.text);
    if (known < 0) names_.push_back({here.text, isOnLeft, here.line, here.column});
    if (known >= 0 && isOnLeft) names_[static_cast<std::size_t>(known)].isOnLeft = true;
  }
  const bool isInside = isInBrackets || here.kind == Kind::kElement;
  // What the index of an index runs over tells no elements apart.
  for (const int child : here.children)
    collectNames(child, isInside, isOnLeft && !(here.kind == Kind::kElement && dependsOnData(child)));
}

/// Whether an index expression reads a tensor.
bool StatementIndices::dependsOnData(int n) const {
  const SyntaxNode &here = node(n);
  if (here.kind == Kind::kElement) return true;
  return std::any_of(here.children.begin(), here.children.end(), [this](int child) { return dependsOnData(child); });
}

/// low <= index < high: guards, as far as they read no data.
void StatementIndices::collectRange(const Statement::Range &range) {
  const Affine index = affine(range.index);
  if (failure_) return;
  IndexBounds bounds{find(node(range.index).text), -1, -1};
  const auto isTwice = [&](const IndexBounds &b) { return b.name == bounds.name; };
  if (std::any_of(bounds_.begin(), bounds_.end(), isTwice) || static_cast<std::size_t>(bounds.name) < counters_.size())
    return fail("duplicate-name", node(range.index), fmt::format("'{}' already has bounds", node(range.index).text),
                "give an index one range: for e in p[i]..p[i+1]");
  if (dependsOnData(range.low)) {
    bounds.low = range.low;
    collectReferences(range.low, false);
  } else {
    guards_.push_back(combine(node(range.low), index, 1, affine(range.low), -1));
  }
  if (dependsOnData(range.high)) {
    bounds.high = range.high;
    collectReferences(range.high, false);
  } else {
    guards_.push_back(combine(node(range.high), affine(range.high), 1, index, -1));
    --guards_.back().constant;
  }
  if (bounds.low >= 0 || bounds.high >= 0) bounds_.push_back(bounds);
}

/// A condition between sums of indices, counters and numbers.
void StatementIndices::collectGuard(int n) {
  const SyntaxNode &here = node(n);
  static constexpr std::array<std::string_view, 5> kComparisons{"<", "<=", ">", ">=", "=="};
  if (here.kind != Kind::kBinary || dependsOnData(n) ||
      std::find(kComparisons.begin(), kComparisons.end(), here.text) == kComparisons.end()) {
    fail("non-affine-condition", here, "a condition after 'where' must compare sums of indices",
         "write, for example, 'where i > k, j <= i + 1'; for conditions on data use c ? a : b");
    return;
  }
  const Affine left = affine(here.children[0]), right = affine(here.children[1]);
  if (failure_) return;
  const bool isLess = here.text[0] == '<';
  Affine difference = combine(here, left, isLess ? -1 : 1, right, isLess ? 1 : -1);
  if (here.text == "==") guards_.push_back(combine(here, left, -1, right, 1));
  if (here.text.size() == 1) --difference.constant;
  guards_.push_back(std::move(difference));
}

void StatementIndices::collectReferences(int n, bool isTarget) {
  const SyntaxNode &here = node(n);
  if (here.kind == Kind::kElement) {
    TensorReference reference{n, here.text, isTarget, {}};
    for (const int child : here.children) {
      if (!dependsOnData(child)) {
        reference.index.push_back(affine(child));
        continue;
      }
      if (reference.indirectAt >= 0)
        fail("non-affine-index", node(child), fmt::format("two indices of '{}' depend on data", here.text),
             "only one index may: x[idx[i], j]");
      reference.indirectAt = static_cast<int>(reference.index.size());
      reference.indirectNode = child;
      reference.index.push_back(zero());
      collectReferences(child, false);
    }
    references_.push_back(std::move(reference));
    return;
  }
  if (here.kind == Kind::kName && (isTarget || find(here.text) < 0)) {
    references_.push_back({n, here.text, isTarget, {}});
  }
  for (const int child : here.children) collectReferences(child, isTarget);
}

Affine StatementIndices::affine(int n) {
  const SyntaxNode &here = node(n);
  switch (here.kind) {
    case Kind::kNumber:
      return number(here);
    case Kind::kName: {
      Affine result = zero();
      const int name = find(here.text);
      if (name >= 0) {
        result.coefficients[static_cast<std::size_t>(name)] = 1;
        result.constant = startOf(name);
      } else if (const auto known = numbers_.find(here.text); known != numbers_.end()) {
        result.constant = known->second;
      } else {
        fail("unknown-extent", here, fmt::format("'{}' is unknown", here.text),
             fmt::format("use an index of the statement, or give a number: --size {}=N", here.text));
      }
      return result;
    }
    case Kind::kUnary:
      return combine(here, affine(here.children[0]), here.text == "-" ? -1 : 1, zero(), 0);
    case Kind::kBinary: {
      const Affine a = affine(here.children[0]), b = affine(here.children[1]);
      if (here.text == "+") return combine(here, a, 1, b, 1);
      if (here.text == "-") return combine(here, a, 1, b, -1);
      if (here.text == "*") return product(here, a, b);
      fail("non-affine-index", here, fmt::format("'{}' is not allowed in an index", here.text),
           "an index is a sum of integers times index names, like 2*i + j - 1");
      return zero();
    }
    case Kind::kElement:
    case Kind::kCall:
    case Kind::kChoice:
      break;
  }
  fail("non-affine-index", here, fmt::format("'{}' is not allowed in an index", here.text),
       "an index is a sum of integers times index names, like 2*i + j - 1");
  return zero();
}

Affine StatementIndices::number(const SyntaxNode &at) {
  Affine result = zero();
  const auto value = parseInteger(at.text);
  if (!value) {
    fail("non-affine-index", at, fmt::format("'{}' is not an integer in the range of an index", at.text),
         "use a small whole number");
    return result;
  }
  result.constant = *value;
  return result;
}

Affine StatementIndices::combine(const SyntaxNode &at, const Affine &a, std::int64_t factorA, const Affine &b,
                                 std::int64_t factorB) {
  Affine result = zero();
  bool isOverflown = false;
  auto sum = [&](std::int64_t x, std::int64_t y) {
    std::int64_t total = 0;
    isOverflown |= __builtin_mul_overflow(x, factorA, &x) || __builtin_mul_overflow(y, factorB, &y) ||
                   __builtin_add_overflow(x, y, &total);
    return total;
  };
  result.constant = sum(a.constant, b.constant);
  for (std::size_t d = 0; d < names_.size(); ++d) {
    result.coefficients[d] = sum(a.coefficients[d], b.coefficients[d]);
  }
  if (isOverflown) fail("too-large", at, "the index exceeds 64 bits", "use smaller numbers");
  return result;
}

Affine StatementIndices::product(const SyntaxNode &at, const Affine &a, const Affine &b) {
  auto isConstant = [](const Affine &x) {
    return std::all_of(x.coefficients.begin(), x.coefficients.end(), [](std::int64_t c) { return c == 0; });
  };
  if (isConstant(a)) return combine(at, b, a.constant, zero(), 0);
  if (isConstant(b)) return combine(at, a, b.constant, zero(), 0);
  fail("non-affine-index", at, "the product of two indices is not affine", "multiply an index only by a number");
  return zero();
}

}  // namespace pimento::kernel
