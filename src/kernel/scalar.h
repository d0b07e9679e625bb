// One scalar operation in each of the three forms the interpreter computes in: float, double and 64-bit integer.
//
// The definition of the corners that kernel.h lists. A small floating format (f16, bf16, fp8) is computed in float
// and rounded to its format afterwards: for +, -, *, / and sqrt that equals a single rounding, since 24 >= 2p + 2
// (Figueroa 1995). Integers of every width are computed in 64 bits and wrapped afterwards, except where
// signedness matters (u64). For whoever computes with values of a Kernel: the interpreter, merges on a host, constants
// that a front end folds.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "pimento/base/dtype.h"
#include "pimento/kernel/kernel.h"

namespace pimento::kernel {

/// In which form values of a type are computed.
enum class LaneClass : std::uint8_t { kFloat, kDouble, kInteger };

constexpr LaneClass laneClass(DType t) {
  if (t == DType::kF64) return LaneClass::kDouble;
  return isFloat(t) ? LaneClass::kFloat : LaneClass::kInteger;
}

template <typename F>
F floatMin(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

template <typename F>
F floatMax(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

inline std::int64_t integerDivide(DType t, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (!isSigned(t)) return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) / static_cast<std::uint64_t>(b));
  if (b == -1) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(a));  // the lowest number wraps
  return a / b;
}

inline std::int64_t integerRemainder(DType t, std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (!isSigned(t)) return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) % static_cast<std::uint64_t>(b));
  return b == -1 ? 0 : a % b;
}

inline bool integerLess(DType t, std::int64_t a, std::int64_t b) {
  return isSigned(t) ? a < b : static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b);
}

inline std::int64_t integerShiftLeft(DType t, std::int64_t a, std::int64_t count) {
  const auto width = static_cast<std::uint64_t>(8 * sizeOf(t).value);
  const auto n = static_cast<std::uint64_t>(count);
  return n >= width ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << n);
}

inline std::int64_t integerShiftRight(DType t, std::int64_t a, std::int64_t count) {
  const auto width = static_cast<std::uint64_t>(8 * sizeOf(t).value);
  const auto n = static_cast<std::uint64_t>(count);
  if (isSigned(t)) return a >> (n >= width ? 63 : n);
  return n >= width ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) >> n);
}

/// A 64-bit integer of type `t` as a double that rounds to any floating type narrower than f32's 24 bits, and f32, as
/// the integer itself would: bits below the 53 that fit are folded into the last one (rounding to odd).
inline double integerToDoubleOdd(DType t, std::int64_t x) {
  const bool isNegative = isSigned(t) && x < 0;
  std::uint64_t magnitude = isNegative ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  if (magnitude >> 53) magnitude = ((magnitude >> 11) | ((magnitude & 0x7ff) ? 1 : 0)) << 11;
  const double d = static_cast<double>(magnitude);
  return isNegative ? -d : d;
}

/// The nearest double, ties to even.
inline double integerToDouble(DType t, std::int64_t x) {
  return isSigned(t) ? static_cast<double>(x) : static_cast<double>(static_cast<std::uint64_t>(x));
}

/// Truncated; NaN gives 0; outside 64 bits saturated; then wrapped to `t`.
inline std::int64_t doubleToInteger(DType t, double x) {
  if (x != x) return 0;
  if (t == DType::kU64 && x >= 0x1p63) {
    return static_cast<std::int64_t>(x >= 0x1p64 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(x));
  }
  if (x >= 0x1p63) return wrapInteger(t, std::numeric_limits<std::int64_t>::max());
  if (x < -0x1p63) return wrapInteger(t, std::numeric_limits<std::int64_t>::min());
  return wrapInteger(t, static_cast<std::int64_t>(x));
}

/// The value `op` (one or two arguments, not a comparison or cast) gives before rounding to a type.
template <typename F>
F floatOperation(Op op, F a, F b) {
  const auto da = static_cast<double>(a);
  switch (op) {
    case Op::kAdd:
      return a + b;
    case Op::kSub:
      return a - b;
    case Op::kMul:
      return a * b;
    case Op::kDiv:
      return a / b;
    case Op::kRem:
      return std::fmod(a, b);
    case Op::kMin:
      return floatMin(a, b);
    case Op::kMax:
      return floatMax(a, b);
    case Op::kNeg:
      return -a;
    case Op::kAbs:
      return std::fabs(a);
    case Op::kSqrt:
      return std::sqrt(a);
    case Op::kRelu:
      return std::signbit(a) ? F{0} : a;
    case Op::kExp:
      return static_cast<F>(std::exp(da));
    case Op::kLog:
      return static_cast<F>(std::log(da));
    case Op::kTanh:
      return static_cast<F>(std::tanh(da));
    default:
      PIMENTO_CHECK(false && "a floating-point operation");
      return a;
  }
}

/// Same for integers of type `t`, wrapped.
inline std::int64_t integerOperation(Op op, DType t, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case Op::kAdd:
      return wrapInteger(t, static_cast<std::int64_t>(ua + ub));
    case Op::kSub:
      return wrapInteger(t, static_cast<std::int64_t>(ua - ub));
    case Op::kMul:
      return wrapInteger(t, static_cast<std::int64_t>(ua * ub));
    case Op::kDiv:
      return wrapInteger(t, integerDivide(t, a, b));
    case Op::kRem:
      return wrapInteger(t, integerRemainder(t, a, b));
    case Op::kMin:
      return integerLess(t, b, a) ? b : a;
    case Op::kMax:
      return integerLess(t, a, b) ? b : a;
    case Op::kAnd:
      return a & b;
    case Op::kOr:
      return a | b;
    case Op::kXor:
      return a ^ b;
    case Op::kShl:
      return wrapInteger(t, integerShiftLeft(t, a, b));
    case Op::kShr:
      return integerShiftRight(t, a, b);
    case Op::kNeg:
      return wrapInteger(t, static_cast<std::int64_t>(0 - ua));
    case Op::kAbs:
      return isSigned(t) && a < 0 ? wrapInteger(t, static_cast<std::int64_t>(0 - ua)) : a;
    case Op::kRelu:
      return isSigned(t) && a < 0 ? 0 : a;
    default:
      PIMENTO_CHECK(false && "an integer operation");
      return 0;
  }
}

/// `a op b` for a comparison of floating values.
template <typename F>
bool compare(Op op, F a, F b) {
  switch (op) {
    case Op::kCmpEq:
      return a == b;
    case Op::kCmpNe:
      return a != b;
    case Op::kCmpLt:
      return a < b;
    case Op::kCmpLe:
      return a <= b;
    case Op::kCmpGt:
      return a > b;
    case Op::kCmpGe:
      return a >= b;
    default:
      PIMENTO_CHECK(false && "a comparison");
      return false;
  }
}

/// Same for integers of type `t`.
inline bool compareIntegers(Op op, DType t, std::int64_t a, std::int64_t b) {
  if (isSigned(t)) return compare(op, a, b);
  return compare(op, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

constexpr bool isComparison(Op op) {
  return op >= Op::kCmpEq && op <= Op::kCmpGe;
}

/// Where an accumulation starts, as a number of type `t`: 0, 1, the largest or the smallest.
inline double floatIdentity(Combine c) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (c) {
    case Combine::kMul:
      return 1;
    case Combine::kMin:
      return kInfinity;
    case Combine::kMax:
      return -kInfinity;
    default:
      return 0;
  }
}

inline std::int64_t integerIdentity(Combine c, DType t) {
  const int width = static_cast<int>(8 * sizeOf(t).value);
  const std::uint64_t top = std::uint64_t{1} << (width - 1);
  switch (c) {
    case Combine::kMul:
      return 1;
    case Combine::kMin:
      return wrapInteger(t, static_cast<std::int64_t>(isSigned(t) ? top - 1 : top | (top - 1)));
    case Combine::kMax:
      return wrapInteger(t, static_cast<std::int64_t>(isSigned(t) ? top : 0));
    default:
      return 0;
  }
}

}  // namespace pimento::kernel
