// Values of one type as values of another: casts, and the narrower type that gives the same bits.
#include <cmath>
#include <cstdlib>

#include "pimento/frontend/nest/expression.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

int bits(DType t) {
  return static_cast<int>(8 * sizeOf(t).value);
}

/// Digits of the significand, the hidden one included.
int precision(DType t) {
  switch (t) {
    case DType::kF64:
      return 53;
    case DType::kF32:
      return 24;
    case DType::kF16:
      return 11;
    case DType::kBF16:
      return 8;
    default:
      return 4;
  }
}

}  // namespace

bool holdsAll(DType to, DType from) {
  if (to == from) return true;
  if (isFloat(from)) {
    const bool isIeee = to <= DType::kBF16 && from <= DType::kF16;
    return isIeee && to < from && to != DType::kBF16;
  }
  const int digits = bits(from) - (isSigned(from) ? 1 : 0);
  if (isFloat(to)) return to <= DType::kF32 && digits <= precision(to);
  if (isSigned(from) && !isSigned(to)) return false;
  return digits <= bits(to) - (isSigned(to) ? 1 : 0);
}

int ExpressionPool::castConstant(DType type, const Expression &c) {
  if (isFloat(c.type) && isFloat(type)) return real(type, c.real);
  if (isFloat(c.type)) {
    const bool isSafe = std::fabs(c.real) < 9.0e18;
    return isSafe ? integer(type, static_cast<std::int64_t>(c.real)) : -1;
  }
  if (!isFloat(type)) return integer(type, c.integer);
  const bool isExact = std::llabs(c.integer >> 1) < (std::int64_t{1} << 51);
  return isExact ? real(type, static_cast<double>(c.integer)) : -1;
}

std::optional<int> ExpressionPool::unwidened(DType type, int a) {
  const Expression node = (*this)[a];
  if (node.type == type) return a;
  if (node.op == Op::kCast && (*this)[node.args[0]].type == type && holdsAll(node.type, type)) return node.args[0];
  if (node.op != Op::kConstant || !holdsAll(node.type, type)) return std::nullopt;
  const int narrow = castConstant(type, node);
  if (narrow < 0) return std::nullopt;
  const int back = castConstant(node.type, (*this)[narrow]);
  return back == a ? std::optional(narrow) : std::nullopt;
}

/// `a` computed in the narrower integer `type`: sums, products and bitwise operations keep their low bits.
std::optional<int> ExpressionPool::narrowInteger(DType type, int a, int depth) {
  constexpr int kDeepest = 16;
  const Expression node = (*this)[a];
  if (isFloat(node.type) || depth > kDeepest) return std::nullopt;
  if (node.op == Op::kConstant) return integer(type, node.integer);
  if (node.op == Op::kCast) {
    const DType from = (*this)[node.args[0]].type;
    if (isFloat(from)) return std::nullopt;
    return cast(type, node.args[0]);
  }
  switch (node.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kNeg:
      break;
    case Op::kSelect: {
      const auto x = narrowInteger(type, node.args[1], depth + 1), y = narrowInteger(type, node.args[2], depth + 1);
      if (!x || !y) return std::nullopt;
      return op(Op::kSelect, type, node.args[0], *x, *y);
    }
    case Op::kMin:
    case Op::kMax: {
      const auto x = unwidened(type, node.args[0]), y = unwidened(type, node.args[1]);
      if (!x || !y) return std::nullopt;
      return op(node.op, type, *x, *y);
    }
    default:
      return std::nullopt;
  }
  const auto x = narrowInteger(type, node.args[0], depth + 1);
  const auto y = node.args[1] < 0 ? std::optional(-1) : narrowInteger(type, node.args[1], depth + 1);
  if (!x || !y) return std::nullopt;
  return op(node.op, type, *x, *y);
}

/// `a` computed in the narrower floating `type`, where one rounding after another gives what one rounding gives.
std::optional<int> ExpressionPool::narrowFloat(DType type, int a) {
  const Expression node = (*this)[a];
  if (!isFloat(node.type) || !holdsAll(node.type, type)) return std::nullopt;
  const auto arg = [&](std::size_t i) { return unwidened(type, node.args[i]); };
  switch (node.op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
      if (precision(node.type) < 2 * precision(type) + 2) return std::nullopt;
      break;
    case Op::kMin:
    case Op::kMax:
      break;
    case Op::kSqrt:
      if (precision(node.type) < 2 * precision(type) + 2) return std::nullopt;
      [[fallthrough]];
    case Op::kNeg:
    case Op::kAbs:
    case Op::kRelu: {
      const auto x = arg(0);
      return x ? std::optional(op(node.op, type, *x)) : std::nullopt;
    }
    case Op::kSelect: {
      const auto x = arg(1), y = arg(2);
      return x && y ? std::optional(op(Op::kSelect, type, node.args[0], *x, *y)) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
  const auto x = arg(0), y = arg(1);
  return x && y ? std::optional(op(node.op, type, *x, *y)) : std::nullopt;
}

int ExpressionPool::cast(DType type, int a) {
  const Expression node = (*this)[a];
  if (node.type == type) return a;
  if (node.op == Op::kConstant) {
    if (const int folded = castConstant(type, node); folded >= 0) return folded;
  }
  if (node.op == Op::kIndex && !isFloat(type) && (holdsAll(type, node.type) || fits_(node.form, type))) {
    return form(type, node.form);
  }
  if (node.op == Op::kCast && holdsAll(node.type, (*this)[node.args[0]].type)) return cast(type, node.args[0]);
  const bool isNarrowing = sizeOf(type).value <= sizeOf(node.type).value;
  if (isNarrowing && !isFloat(type)) {
    if (const auto narrow = narrowInteger(type, a, 0)) return *narrow;
  }
  if (isNarrowing && isFloat(type)) {
    if (const auto narrow = narrowFloat(type, a)) return *narrow;
  }
  Expression e;
  e.op = Op::kCast;
  e.type = type;
  e.args[0] = a;
  return add(std::move(e));
}

}  // namespace pimento::frontend
