#include "pimento/guest/rv64/float.h"

#include <algorithm>
#include <limits>

namespace pimento::guest::rv64 {

namespace {

__extension__ using Wide = unsigned __int128;

constexpr int kTop = 63;  ///< the leading bit of a significand

/// A number apart: significand * 2^(exponent - 63), the significand with its highest bit set.
struct Parts {
  enum class Kind : std::uint8_t { kZero, kFinite, kInfinite, kNan };
  Kind kind = Kind::kZero;
  bool isNegative = false;
  int exponent = 0;
  std::uint64_t significand = 0;

  bool is(Kind k) const { return kind == k; }
};
using Kind = Parts::Kind;

template <typename Bits>
constexpr int kBias = (1 << (8 * static_cast<int>(sizeof(Bits)) - kPrecision<Bits> - 1)) - 1;

template <typename Bits>
Parts partsOf(Bits a) {
  constexpr int kFraction = kPrecision<Bits> - 1;
  Parts out;
  out.isNegative = (a & kSign<Bits>) != 0;
  const std::uint64_t fraction = a & ((Bits{1} << kFraction) - 1);
  const int exponent = static_cast<int>((a & ~kSign<Bits>) >> kFraction);
  if (exponent == 2 * kBias<Bits> + 1) {
    out.kind = fraction != 0 ? Kind::kNan : Kind::kInfinite;
  } else if (exponent != 0) {
    out.kind = Kind::kFinite;
    out.exponent = exponent - kBias<Bits>;
    out.significand = (fraction | std::uint64_t{1} << kFraction) << (kTop - kFraction);
  } else if (fraction != 0) {
    const int zeros = std::countl_zero(fraction);
    out.kind = Kind::kFinite;
    out.exponent = 1 - kBias<Bits> - kFraction + kTop - zeros;
    out.significand = fraction << zeros;
  }
  return out;
}

/// Shifts right; a one that leaves stays as the lowest bit.
template <typename T>
T shiftSticky(T value, int by) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(T));
  if (by <= 0) return value;
  if (by >= kBits) return value != 0 ? 1 : 0;
  return (value >> by) | ((value & ((T{1} << by) - 1)) != 0 ? 1 : 0);
}

bool roundsUp(Rounding rounding, bool isNegative, bool isOdd, std::uint64_t rest, std::uint64_t half) {
  switch (rounding) {
    case Rounding::kNearest:
      return rest > half || (rest == half && isOdd);
    case Rounding::kDown:
      return isNegative && rest != 0;
    case Rounding::kUp:
      return !isNegative && rest != 0;
    case Rounding::kAway:
      return rest >= half;
    case Rounding::kToZero:
    case Rounding::kDynamic:
      break;
  }
  return false;
}

template <typename Bits>
Bits signedBits(bool isNegative, Bits magnitude) {
  return magnitude | (isNegative ? kSign<Bits> : Bits{0});
}

template <typename Bits>
Bits overflowed(bool isNegative, Rounding rounding, std::uint8_t &flags) {
  flags |= kOverflow | kInexact;
  const bool isFinite = rounding == Rounding::kToZero || rounding == (isNegative ? Rounding::kUp : Rounding::kDown);
  return signedBits<Bits>(isNegative, isFinite ? kInfinity<Bits> - 1 : kInfinity<Bits>);
}

/// Rounds; the lowest bit of the significand stands for all below it.
template <typename Bits>
Bits rounded(bool isNegative, int exponent, std::uint64_t significand, Rounding rounding, std::uint8_t &flags) {
  constexpr int kDropped = 64 - kPrecision<Bits>, kLowest = 1 - kBias<Bits>;
  constexpr std::uint64_t kHalf = std::uint64_t{1} << (kDropped - 1), kRest = 2 * kHalf - 1;
  const auto shortened = [&](std::uint64_t s) {
    return (s >> kDropped) + (roundsUp(rounding, isNegative, (s >> kDropped & 1) != 0, s & kRest, kHalf) ? 1U : 0U);
  };
  std::uint64_t kept = shortened(significand);
  const bool isCarried = kept >> kPrecision<Bits> != 0;
  if (exponent < kLowest) {
    // Tiny is what is below the least normal number after rounding to full precision.
    const bool isTiny = !(isCarried && exponent == kLowest - 1);
    const std::uint64_t lower = shiftSticky(significand, kLowest - exponent);
    if ((lower & kRest) != 0) flags |= isTiny ? kInexact | kUnderflow : kInexact;
    return signedBits<Bits>(isNegative, static_cast<Bits>(shortened(lower)));
  }
  if (isCarried) {
    kept >>= 1;
    ++exponent;
  }
  if (exponent > kBias<Bits>) return overflowed<Bits>(isNegative, rounding, flags);
  if ((significand & kRest) != 0) flags |= kInexact;
  const std::uint64_t biased = static_cast<std::uint64_t>(exponent + kBias<Bits> - 1) << (kPrecision<Bits> - 1);
  return signedBits<Bits>(isNegative, static_cast<Bits>(biased + kept));  // the leading bit adds one to the exponent
}

/// A wide significand, whose highest bit would be of weight 2^exponent.
template <typename Bits>
Bits roundedWide(bool isNegative, int exponent, Wide significand, Rounding rounding, std::uint8_t &flags) {
  const auto high = static_cast<std::uint64_t>(significand >> 64);
  const int zeros = high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<std::uint64_t>(significand));
  significand <<= zeros;
  return rounded<Bits>(isNegative, exponent - zeros, static_cast<std::uint64_t>(shiftSticky<Wide>(significand, 64)),
                       rounding, flags);
}

template <typename Bits>
Bits zeroOf(bool isNegative) {
  return signedBits<Bits>(isNegative, 0);
}

/// A zero that is the sum of unlike ones.
template <typename Bits>
Bits cancelled(Rounding rounding) {
  return zeroOf<Bits>(rounding == Rounding::kDown);
}

/// A significand of 127 bits, its highest one of weight 2^exponent.
struct Term {
  bool isNegative = false;
  int exponent = 0;
  Wide significand = 0;
};

template <typename Bits>
Bits sum(Term a, Term b, Rounding rounding, std::uint8_t &flags) {
  if (b.exponent > a.exponent || (b.exponent == a.exponent && b.significand > a.significand)) std::swap(a, b);
  const Wide lower = shiftSticky(b.significand, a.exponent - b.exponent);
  const Wide total = a.isNegative == b.isNegative ? a.significand + lower : a.significand - lower;
  if (total == 0) return cancelled<Bits>(rounding);
  return roundedWide<Bits>(a.isNegative, a.exponent + 1, total, rounding, flags);
}

Term termOf(const Parts &p) {
  return {p.isNegative, p.exponent, Wide{p.significand} << kTop};
}

template <typename Bits>
Bits invalid(std::uint8_t &flags) {
  flags |= kInvalid;
  return kNan<Bits>;
}

/// Whether one of them is NaN; signaling ones are invalid.
template <typename Bits, typename... More>
bool anyNan(std::uint8_t &flags, Bits a, More... more) {
  if ((isSignaling(a) || ... || isSignaling(more))) flags |= kInvalid;
  return (isNan(a) || ... || isNan(more));
}

/// The root of at least 2^126, rounded down; `isExact`: of a square.
std::uint64_t rootOf(Wide square, bool &isExact) {
  std::uint64_t root = 0;
  Wide rest = 0;
  for (int i = 0; i < 64; ++i) {
    rest = rest << 2 | (square >> 126);
    square <<= 2;
    const Wide next = (Wide{root} << 2) + 1;
    root <<= 1;
    if (rest < next) continue;
    rest -= next;
    root |= 1;
  }
  isExact = rest == 0;
  return root;
}

}  // namespace

namespace exact {

template <typename Bits>
Bits add(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return kNan<Bits>;
  const Parts p = partsOf(a), q = partsOf(b);
  if (p.is(Kind::kInfinite) && q.is(Kind::kInfinite) && p.isNegative != q.isNegative) return invalid<Bits>(flags);
  if (p.is(Kind::kInfinite)) return a;
  if (q.is(Kind::kInfinite)) return b;
  if (p.is(Kind::kZero) && q.is(Kind::kZero)) return p.isNegative == q.isNegative ? a : cancelled<Bits>(rounding);
  if (p.is(Kind::kZero)) return b;
  if (q.is(Kind::kZero)) return a;
  return sum<Bits>(termOf(p), termOf(q), rounding, flags);
}

template <typename Bits>
Bits multiply(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return kNan<Bits>;
  const Parts p = partsOf(a), q = partsOf(b);
  const bool isNegative = p.isNegative != q.isNegative;
  const bool isZero = p.is(Kind::kZero) || q.is(Kind::kZero);
  if (p.is(Kind::kInfinite) || q.is(Kind::kInfinite))
    return isZero ? invalid<Bits>(flags) : signedBits<Bits>(isNegative, kInfinity<Bits>);
  if (isZero) return zeroOf<Bits>(isNegative);
  return roundedWide<Bits>(isNegative, p.exponent + q.exponent + 1, Wide{p.significand} * q.significand, rounding,
                           flags);
}

template <typename Bits>
Bits multiplyAdd(Bits a, Bits b, Bits c, Rounding rounding, std::uint8_t &flags) {
  const Parts p = partsOf(a), q = partsOf(b), r = partsOf(c);
  const bool isZero = p.is(Kind::kZero) || q.is(Kind::kZero);
  const bool isInfinite = p.is(Kind::kInfinite) || q.is(Kind::kInfinite);
  if (isZero && isInfinite) {
    anyNan(flags, c);
    return invalid<Bits>(flags);
  }
  if (anyNan(flags, a, b, c)) return kNan<Bits>;
  const bool isNegative = p.isNegative != q.isNegative;
  if (isInfinite && r.is(Kind::kInfinite) && isNegative != r.isNegative) return invalid<Bits>(flags);
  if (isInfinite) return signedBits<Bits>(isNegative, kInfinity<Bits>);
  if (r.is(Kind::kInfinite)) return c;
  if (isZero && r.is(Kind::kZero)) return isNegative == r.isNegative ? c : cancelled<Bits>(rounding);
  if (isZero) return c;
  Wide product = Wide{p.significand} * q.significand;
  int exponent = p.exponent + q.exponent + 1;
  if (product >> 127 == 0) {
    product <<= 1;
    --exponent;
  }
  if (r.is(Kind::kZero)) return roundedWide<Bits>(isNegative, exponent, product, rounding, flags);
  // Significands have their lowest bits clear, so nothing is lost.
  return sum<Bits>({isNegative, exponent, product >> 1}, termOf(r), rounding, flags);
}

template <typename Bits>
Bits divide(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return kNan<Bits>;
  const Parts p = partsOf(a), q = partsOf(b);
  const bool isNegative = p.isNegative != q.isNegative;
  if (p.kind == q.kind && !p.is(Kind::kFinite)) return invalid<Bits>(flags);
  if (p.is(Kind::kInfinite)) return signedBits<Bits>(isNegative, kInfinity<Bits>);
  if (p.is(Kind::kZero) || q.is(Kind::kInfinite)) return zeroOf<Bits>(isNegative);
  if (q.is(Kind::kZero)) {
    flags |= kDivideByZero;
    return signedBits<Bits>(isNegative, kInfinity<Bits>);
  }
  const Wide dividend = Wide{p.significand} << kTop;
  const Wide quotient = dividend / q.significand, rest = dividend % q.significand;
  // The quotient has its highest bit at 62 or 63; the remainder lies below all its bits.
  return roundedWide<Bits>(isNegative, p.exponent - q.exponent + 1, (quotient << kTop) | (rest != 0 ? 1 : 0), rounding,
                           flags);
}

template <typename Bits>
Bits squareRoot(Bits a, Rounding rounding, std::uint8_t &flags) {
  if (anyNan(flags, a)) return kNan<Bits>;
  const Parts p = partsOf(a);
  if (p.is(Kind::kZero)) return a;
  if (p.isNegative) return invalid<Bits>(flags);
  if (p.is(Kind::kInfinite)) return a;
  const bool isOdd = (p.exponent & 1) != 0;
  bool isExact = false;
  const std::uint64_t root = rootOf(Wide{p.significand} << (isOdd ? kTop + 1 : kTop), isExact);
  return rounded<Bits>(false, (p.exponent - (isOdd ? 1 : 0)) / 2, root | (isExact ? 0 : 1), rounding, flags);
}

std::uint32_t narrow(std::uint64_t a, Rounding rounding, std::uint8_t &flags) {
  if (anyNan(flags, a)) return kNan<std::uint32_t>;
  const Parts p = partsOf(a);
  if (p.is(Kind::kZero)) return zeroOf<std::uint32_t>(p.isNegative);
  if (p.is(Kind::kInfinite)) return signedBits(p.isNegative, kInfinity<std::uint32_t>);
  return rounded<std::uint32_t>(p.isNegative, p.exponent, p.significand, rounding, flags);
}

}  // namespace exact

std::uint64_t widen(std::uint32_t a, std::uint8_t &flags) {
  if (anyNan(flags, a)) return kNan<std::uint64_t>;
  return std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(a)));
}

template <typename Integer, typename Bits>
Integer toInteger(Bits a, Rounding rounding, std::uint8_t &flags) {
  using Limits = std::numeric_limits<Integer>;
  constexpr int kWidest = 64;
  const Parts p = partsOf(a);
  const Integer limit = p.isNegative && !p.is(Kind::kNan) ? Limits::min() : Limits::max();
  const auto outside = [&flags, limit] {
    flags |= kInvalid;
    return limit;
  };
  if (p.is(Kind::kZero)) return 0;
  if (!p.is(Kind::kFinite) || p.exponent >= kWidest) return outside();
  const Wide fixed = shiftSticky(Wide{p.significand} << 64, kTop - p.exponent);
  Wide whole = fixed >> 64;
  const auto rest = static_cast<std::uint64_t>(fixed);
  if (roundsUp(rounding, p.isNegative, (whole & 1) != 0, rest, std::uint64_t{1} << kTop)) ++whole;
  const Wide most = p.isNegative ? Wide{Limits::min() == 0 ? 0 : std::uint64_t(Limits::max()) + 1}
                                 : Wide{std::uint64_t(Limits::max())};
  if (whole > most) return outside();
  if (rest != 0) flags |= kInexact;
  const auto magnitude = static_cast<std::uint64_t>(whole);
  return static_cast<Integer>(p.isNegative ? 0 - magnitude : magnitude);
}

template <typename Bits, typename Integer>
Bits fromInteger(Integer value, Rounding rounding, std::uint8_t &flags) {
  if (value == 0) return 0;
  const bool isNegative = value < 0;
  const std::uint64_t magnitude =
      isNegative ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  const int zeros = std::countl_zero(magnitude);
  return rounded<Bits>(isNegative, kTop - zeros, magnitude << zeros, rounding, flags);
}

namespace {

/// Of numbers; -0 is below +0.
template <typename Bits>
bool isBelow(Bits a, Bits b) {
  const bool isNegative = (a & kSign<Bits>) != 0, isOther = (b & kSign<Bits>) != 0;
  if (isNegative != isOther) return isNegative;
  return isNegative ? a > b : a < b;
}

template <typename Bits>
bool areZeros(Bits a, Bits b) {
  return ((a | b) & ~kSign<Bits>) == 0;
}

}  // namespace

template <typename Bits>
Bits least(Bits a, Bits b, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return !isNan(a) ? a : !isNan(b) ? b : kNan<Bits>;
  return isBelow(b, a) ? b : a;
}

template <typename Bits>
Bits greatest(Bits a, Bits b, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return !isNan(a) ? a : !isNan(b) ? b : kNan<Bits>;
  return isBelow(a, b) ? b : a;
}

template <typename Bits>
bool isEqual(Bits a, Bits b, std::uint8_t &flags) {
  if (anyNan(flags, a, b)) return false;
  return a == b || areZeros(a, b);
}

template <typename Bits>
bool isLess(Bits a, Bits b, std::uint8_t &flags) {
  if (isNan(a) || isNan(b)) {
    flags |= kInvalid;
    return false;
  }
  return isBelow(a, b) && !areZeros(a, b);
}

template <typename Bits>
bool isLessOrEqual(Bits a, Bits b, std::uint8_t &flags) {
  if (isNan(a) || isNan(b)) {
    flags |= kInvalid;
    return false;
  }
  return !isBelow(b, a) || areZeros(a, b);
}

template <typename Bits>
std::uint64_t classOf(Bits a) {
  enum : unsigned { kMinusInfinity, kMinusNormal, kMinusSubnormal, kMinusZero, kSignalingNan = 8, kQuietNan = 9 };
  constexpr unsigned kMirror = 7;  // of the positive ones
  if (isNan(a)) return 1U << (isSignaling(a) ? kSignalingNan : kQuietNan);
  const Bits magnitude = a & ~kSign<Bits>;
  const unsigned negative = magnitude == kInfinity<Bits>               ? kMinusInfinity
                            : magnitude == 0                           ? kMinusZero
                            : magnitude >> (kPrecision<Bits> - 1) == 0 ? kMinusSubnormal
                                                                       : kMinusNormal;
  return 1U << ((a & kSign<Bits>) != 0 ? negative : kMirror - negative);
}

// What hart.cpp uses.
#define PIMENTO_RV64_OF(Bits)                                                            \
  template Bits exact::add(Bits, Bits, Rounding, std::uint8_t &);                        \
  template Bits exact::multiply(Bits, Bits, Rounding, std::uint8_t &);                   \
  template Bits exact::multiplyAdd(Bits, Bits, Bits, Rounding, std::uint8_t &);          \
  template Bits exact::divide(Bits, Bits, Rounding, std::uint8_t &);                     \
  template Bits exact::squareRoot(Bits, Rounding, std::uint8_t &);                       \
  template Bits least(Bits, Bits, std::uint8_t &);                                       \
  template Bits greatest(Bits, Bits, std::uint8_t &);                                    \
  template bool isEqual(Bits, Bits, std::uint8_t &);                                     \
  template bool isLess(Bits, Bits, std::uint8_t &);                                      \
  template bool isLessOrEqual(Bits, Bits, std::uint8_t &);                               \
  template std::uint64_t classOf(Bits);                                                  \
  template std::int32_t toInteger<std::int32_t>(Bits, Rounding, std::uint8_t &);         \
  template std::uint32_t toInteger<std::uint32_t>(Bits, Rounding, std::uint8_t &);       \
  template std::int64_t toInteger<std::int64_t>(Bits, Rounding, std::uint8_t &);         \
  template std::uint64_t toInteger<std::uint64_t>(Bits, Rounding, std::uint8_t &);       \
  template Bits fromInteger<Bits, std::int64_t>(std::int64_t, Rounding, std::uint8_t &); \
  template Bits fromInteger<Bits, std::uint64_t>(std::uint64_t, Rounding, std::uint8_t &);
PIMENTO_RV64_OF(std::uint32_t)
PIMENTO_RV64_OF(std::uint64_t)
#undef PIMENTO_RV64_OF

}  // namespace pimento::guest::rv64
