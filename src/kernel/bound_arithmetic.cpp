#include "pimento/kernel/bound_arithmetic.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDoubleUnit = 0x1p-53;

/// What rounding to a floating type can do.
struct Precision {
  double unit;      ///< unit roundoff
  double smallest;  ///< half the distance of subnormal numbers
  double largest;   ///< finite
};

Precision precision(DType t) {
  switch (t) {
    case DType::kF64:
      return {0x1p-53, 0x1p-1074, std::numeric_limits<double>::max()};
    case DType::kF32:
      return {0x1p-24, 0x1p-150, static_cast<double>(std::numeric_limits<float>::max())};
    case DType::kF16:
      return {0x1p-11, 0x1p-25, 65504.0};
    case DType::kBF16:
      return {0x1p-8, 0x1p-134, 0x1.fep127};
    case DType::kF8E4M3:
      return {0x1p-4, 0x1p-10, 448.0};
    default:
      PIMENTO_CHECK(t == DType::kF8E5M2);
      return {0x1p-3, 0x1p-17, 57344.0};
  }
}

bool isClaim(const Bounded &x) {
  return std::isfinite(x.value) && std::isfinite(x.bound);
}

Bounded noClaim(double value) {
  return {value, kInfinity, 0};
}

/// `value` with an error of `inherited` before it is rounded to `type`.
Bounded rounded(DType type, double value, double inherited) {
  const Precision p = precision(type);
  const double reach = std::fabs(value) + inherited;
  if (!(reach * (1 + 2 * p.unit) <= p.largest)) return noClaim(value);
  const double own = (p.unit + 4 * kDoubleUnit) * reach + p.smallest;
  return {value, (inherited + own) * (1 + 8 * kDoubleUnit), 0};
}

Bounded inexactInteger(DType type, double value, double bound) {
  const double low = isSigned(type) ? static_cast<double>(integerIdentity(Combine::kMax, type)) : 0.0;
  const double high = integerToDouble(type, integerIdentity(Combine::kMin, type));
  if (!(value - bound >= low && value + bound <= high)) return noClaim(value);  // it may wrap
  return {value, bound * (1 + 8 * kDoubleUnit), 0};
}

double productError(const Bounded &a, const Bounded &b) {
  return std::fabs(a.value) * b.bound + std::fabs(b.value) * a.bound + a.bound * b.bound;
}

/// Error of the exact operation on inexact arguments; infinite where nothing can be said.
double propagated(Op op, double result, const Bounded &a, const Bounded &b) {
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
      return a.bound + b.bound;
    case Op::kMul:
      return productError(a, b);
    case Op::kDiv: {
      const double least = std::fabs(b.value) - b.bound;
      return least > 0 ? (a.bound + std::fabs(result) * b.bound) / least : kInfinity;
    }
    case Op::kMin:
    case Op::kMax:
      return std::max(a.bound, b.bound);
    case Op::kNeg:
    case Op::kAbs:
    case Op::kRelu:
    case Op::kTanh:
      return a.bound;
    case Op::kExp:
      return result * std::expm1(a.bound);
    case Op::kLog:
      return a.value - a.bound > 0 ? -std::log1p(-a.bound / a.value) : kInfinity;
    case Op::kSqrt:
      return a.value - a.bound >= 0 ? result - std::sqrt(a.value - a.bound) : kInfinity;
    default:
      return a.bound == 0 && b.bound == 0 ? 0.0 : kInfinity;
  }
}

Bounded integerNode(Op op, DType type, const Bounded &a, const Bounded &b) {
  if (a.bound == 0 && b.bound == 0) {
    return Bounded::exactInteger(type, integerOperation(op, type, a.integer, b.integer));
  }
  if (!isClaim(a) || !isClaim(b) || op == Op::kDiv) return noClaim(0);
  const bool isArithmetic = op == Op::kAdd || op == Op::kSub || op == Op::kMul || op == Op::kMin || op == Op::kMax ||
                            op == Op::kNeg || op == Op::kAbs || op == Op::kRelu;
  if (!isArithmetic) return noClaim(0);
  const double value = floatOperation(op, a.value, b.value);
  return inexactInteger(type, value, propagated(op, value, a, b));
}

Bounded comparison(Op op, DType type, const Bounded &a, const Bounded &b) {
  const bool isExact = a.bound == 0 && b.bound == 0;
  const bool isTrue =
      isExact && !isFloat(type) ? compareIntegers(op, type, a.integer, b.integer) : compare(op, a.value, b.value);
  Bounded result = Bounded::exactInteger(DType::kU8, isTrue ? 1 : 0);
  const bool isCertain = isExact || std::fabs(a.value - b.value) > (a.bound + b.bound) * (1 + 4 * kDoubleUnit);
  if (!isCertain) result.bound = 1;
  return result;
}

Bounded selection(const Bounded &condition, const Bounded &yes, const Bounded &no) {
  const bool takesYes = condition.bound == 0 ? condition.integer != 0 : condition.value != 0;
  const Bounded &taken = takesYes ? yes : no, &other = takesYes ? no : yes;
  const bool isCertain = condition.bound == 0 || std::fabs(condition.value) > condition.bound;
  if (isCertain) return taken;
  if (!isClaim(taken) || !isClaim(other)) return noClaim(taken.value);
  const double apart = std::fabs(taken.value - other.value) + other.bound;
  return {taken.value, std::max(taken.bound, apart) * (1 + 4 * kDoubleUnit), 0};
}

}  // namespace

Bounded Bounded::exactInteger(DType type, std::int64_t x) {
  return {integerToDouble(type, x), 0, x};
}

Bounded evaluateBounded(const Value &node, DType argumentType, const Bounded &a, const Bounded &b, const Bounded &c) {
  if (node.op == Op::kSelect) return selection(a, b, c);
  if (node.op == Op::kCast) return convertBounded(argumentType, node.type, a);
  const bool isUnary = argumentCount(node.op) == 1;
  const Bounded &second = isUnary ? a : b;
  if (isComparison(node.op)) return comparison(node.op, argumentType, a, b);
  if (!isFloat(node.type)) return integerNode(node.op, node.type, a, second);
  const double value = floatOperation(node.op, a.value, second.value);
  if (!isClaim(a) || !isClaim(second) || !std::isfinite(value)) return noClaim(value);
  const double inherited = propagated(node.op, value, a, second);
  const bool isExactOperation =
      node.op == Op::kMin || node.op == Op::kMax || node.op == Op::kNeg || node.op == Op::kAbs || node.op == Op::kRelu;
  if (isExactOperation) return {value, inherited, 0};
  return rounded(node.type, value, inherited);
}

Bounded convertBounded(DType from, DType to, const Bounded &x) {
  if (from == to) return x;
  const bool isExact = x.bound == 0;
  if (isFloat(to)) return isClaim(x) ? rounded(to, x.value, x.bound) : noClaim(x.value);
  if (isFloat(from)) {
    if (isExact && std::isfinite(x.value)) return Bounded::exactInteger(to, doubleToInteger(to, x.value));
    return isClaim(x) ? inexactInteger(to, std::trunc(x.value), x.bound + 1) : noClaim(0);
  }
  if (isExact) return Bounded::exactInteger(to, wrapInteger(to, x.integer));
  return inexactInteger(to, x.value, x.bound);
}

BoundedAccumulation::BoundedAccumulation(Combine combine, DType type, DType termType)
    : combine_(combine), type_(type), termType_(termType) {
  value_ = isFloat(type) ? Bounded::exact(floatIdentity(combine))
                         : Bounded::exactInteger(type, integerIdentity(combine, type));
  magnitude_ = combine == Combine::kMul ? 1 : 0;
}

void BoundedAccumulation::add(const Bounded &term) {
  ++count_;
  if (!isFloat(type_)) {
    value_ = integerNode(opOf(combine_), type_, value_, term);
    return;
  }
  value_.value = floatOperation(opOf(combine_), value_.value, term.value);
  if (!isClaim(term)) {
    errors_ = kInfinity;
    return;
  }
  const double reach = std::fabs(term.value) + term.bound;
  peak_ *= std::max(1.0, reach);
  if (combine_ == Combine::kMul) {
    magnitude_ *= reach;
  } else if (combine_ == Combine::kAdd) {
    magnitude_ += reach;
    errors_ += term.bound;
  } else {
    magnitude_ = std::max(magnitude_, reach);
    errors_ = std::max(errors_, term.bound);
  }
}

Bounded BoundedAccumulation::result() const {
  if (!isFloat(type_)) return value_;
  if (count_ == 0) return std::isfinite(value_.value) ? value_ : noClaim(value_.value);
  return floatResult();
}

Bounded BoundedAccumulation::floatResult() const {
  const Precision to = precision(type_);
  const Precision from = isFloat(termType_) ? precision(termType_) : to;
  const double unit = std::max(to.unit, from.unit) + 4 * kDoubleUnit;
  const double smallest = std::max(to.smallest, from.smallest), largest = std::min(to.largest, from.largest);
  // The initial value, the merge with it and the last rounding come on top of the terms.
  const auto n = static_cast<double>(count_ + 3);
  double bound = 0, reach = 0;
  switch (combine_) {
    case Combine::kAdd:
      reach = magnitude_ * (1 + n * unit);
      bound = errors_ + n * unit * magnitude_ + n * smallest;
      break;
    case Combine::kMul:
      reach = peak_ * std::pow(1 + unit, n);
      bound = errors_ + magnitude_ - std::fabs(value_.value) + magnitude_ * std::expm1(n * unit) + n * smallest * peak_;
      break;
    default:
      reach = magnitude_ * (1 + unit);
      bound = errors_ + unit * magnitude_ + smallest;
      break;
  }
  if (!(reach <= largest) || !std::isfinite(value_.value) || !std::isfinite(bound)) return noClaim(value_.value);
  return {value_.value, bound * (1 + n * 8 * kDoubleUnit), 0};
}

}  // namespace pimento::kernel
