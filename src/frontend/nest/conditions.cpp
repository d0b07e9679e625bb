#include "pimento/frontend/nest/conditions.h"

#include "pimento/frontend/nest/forms.h"
#include "pimento/kernel/scalar.h"

namespace pimento::frontend {

using kernel::Affine;
using kernel::Op;

namespace {

constexpr std::size_t kMostCases = 8;

using Conjunction = std::vector<Affine>;
using Cases = std::vector<Conjunction>;

/// a - b - less >= 0.
std::optional<Affine> atLeast(const Affine &a, const Affine &b, std::int64_t less) {
  auto form = plus(a, b, -1);
  if (!form || __builtin_sub_overflow(form->constant, less, &form->constant)) return std::nullopt;
  return trimmed(std::move(*form));
}

/// False where the conjunction never holds; forms that always hold are left out.
bool add(Conjunction &all, const Affine &form) {
  if (form.coefficients.empty()) return form.constant >= 0;
  all.push_back(form);
  return true;
}

std::optional<Cases> intersection(const Cases &a, const Cases &b) {
  Cases both;
  for (const Conjunction &x : a) {
    for (const Conjunction &y : b) {
      both.push_back(x);
      both.back().insert(both.back().end(), y.begin(), y.end());
    }
  }
  return both.size() <= kMostCases ? std::optional(both) : std::nullopt;
}

/// Everything but `cases`.
std::optional<Cases> complement(const Cases &cases) {
  std::optional<Cases> rest = Cases{{}};
  for (const Conjunction &all : cases) {
    Cases outside;
    Conjunction before;
    for (const Affine &form : all) {
      const auto fails = atLeast(Affine{}, form, 1);
      if (!fails) return std::nullopt;
      Conjunction piece = before;
      if (add(piece, *fails)) outside.push_back(piece);
      before.push_back(form);
    }
    rest = intersection(*rest, outside);
    if (!rest) return std::nullopt;
  }
  return rest;
}

std::optional<Cases> unite(const Cases &a, const Cases &b) {
  const auto outside = complement(a);
  if (!outside) return std::nullopt;
  auto second = intersection(b, *outside);
  if (!second) return std::nullopt;
  second->insert(second->begin(), a.begin(), a.end());
  return second->size() <= kMostCases ? second : std::nullopt;
}

std::optional<Cases> comparison(Op op, const Affine &a, const Affine &b) {
  const auto single = [](const std::optional<Affine> &form) -> std::optional<Cases> {
    if (!form) return std::nullopt;
    Conjunction all;
    if (!add(all, *form)) return Cases{};
    return Cases{all};
  };
  switch (op) {
    case Op::kCmpGe:
      return single(atLeast(a, b, 0));
    case Op::kCmpGt:
      return single(atLeast(a, b, 1));
    case Op::kCmpLe:
      return single(atLeast(b, a, 0));
    case Op::kCmpLt:
      return single(atLeast(b, a, 1));
    case Op::kCmpEq:
    case Op::kCmpNe: {
      const bool isEqual = op == Op::kCmpEq;
      const auto left = single(atLeast(a, b, isEqual ? 0 : 1)), right = single(atLeast(b, a, isEqual ? 0 : 1));
      if (!left || !right) return std::nullopt;
      if (isEqual) return intersection(*left, *right);
      Cases both = *left;
      both.insert(both.end(), right->begin(), right->end());
      return both;
    }
    default:
      return std::nullopt;
  }
}

std::optional<Cases> casesOf(const ExpressionPool &pool, int condition, int depth) {
  constexpr int kDeepest = 64;
  const Expression &node = pool[condition];
  if (const auto known = pool.integerOf(condition)) return *known != 0 ? Cases{{}} : Cases{};
  if (depth > kDeepest) return std::nullopt;
  if (node.op == Op::kAnd || node.op == Op::kOr) {
    const auto a = casesOf(pool, node.args[0], depth + 1), b = casesOf(pool, node.args[1], depth + 1);
    if (!a || !b) return std::nullopt;
    return node.op == Op::kAnd ? intersection(*a, *b) : unite(*a, *b);
  }
  if (!kernel::isComparison(node.op)) return std::nullopt;
  const auto a = pool.formOf(node.args[0]), b = pool.formOf(node.args[1]);
  if (a && b) return comparison(node.op, *a, *b);
  // !condition
  const bool isNot = node.op == Op::kCmpEq && b && b->coefficients.empty() && b->constant == 0 &&
                     pool[node.args[0]].type == DType::kU8;
  if (!isNot) return std::nullopt;
  const auto cases = casesOf(pool, node.args[0], depth + 1);
  const Expression &inner = pool[node.args[0]];
  if (inner.op == Op::kAnd && (!cases || cases->size() > 1)) {
    const auto x = casesOf(pool, inner.args[0], depth + 1), y = casesOf(pool, inner.args[1], depth + 1);
    const auto notX = x ? complement(*x) : std::nullopt, notY = y ? complement(*y) : std::nullopt;
    return notX && notY ? unite(*notX, *notY) : std::nullopt;
  }
  return cases ? complement(*cases) : std::nullopt;
}

}  // namespace

std::optional<std::vector<std::vector<Affine>>> disjointGuards(const ExpressionPool &pool, int condition) {
  return casesOf(pool, condition, 0);
}

}  // namespace pimento::frontend
