#include "pimento/kernel/notation_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/text.h"

namespace pimento::kernel {

using Kind = SyntaxNode::Kind;

StatementIndices::StatementIndices(const SyntaxTree &tree, const Statement &statement, const std::string &file)
    : tree_(tree), file_(file) {
  collectNames(statement.target, false, true);
  collectNames(statement.value, false, false);
  collectReferences(statement.value, false);
  collectReferences(statement.target, true);
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
  if (here.kind == Kind::kName && isInBrackets && find(here.text) < 0) {
    names_.push_back({here.text, isOnLeft, here.line, here.column});
  }
  const bool isInside = isInBrackets || here.kind == Kind::kElement;
  for (const int child : here.children) collectNames(child, isInside, isOnLeft);
}

void StatementIndices::collectReferences(int n, bool isTarget) {
  const SyntaxNode &here = node(n);
  if (here.kind == Kind::kElement) {
    TensorReference reference{n, here.text, isTarget, {}};
    for (const int child : here.children) reference.index.push_back(affine(child));
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
      result.coefficients[static_cast<std::size_t>(find(here.text))] = 1;
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
      fail("non-affine-index", here, fmt::format("the index depends on the data of '{}'", here.text),
           "index notation has no indirect access; the kernel 'hst' of the zoo shows one");
      return zero();
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
    fail("non-affine-index", at, fmt::format("'{}' is not an integer that an index can hold", at.text),
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
  if (isOverflown) fail("too-large", at, "the index leaves 64 bits", "use smaller numbers");
  return result;
}

Affine StatementIndices::product(const SyntaxNode &at, const Affine &a, const Affine &b) {
  auto isConstant = [](const Affine &x) {
    return std::all_of(x.coefficients.begin(), x.coefficients.end(), [](std::int64_t c) { return c == 0; });
  };
  if (isConstant(a)) return combine(at, b, a.constant, zero(), 0);
  if (isConstant(b)) return combine(at, a, b.constant, zero(), 0);
  fail("non-affine-index", at, "the product of two indices is not affine", "multiply an index by a number only");
  return zero();
}

}  // namespace pimento::kernel
