// Arithmetic of RISC-V's F and D: IEEE 754 on bit patterns, with every rounding mode and exact flags.
//
// It is done in integers, since the host's rounding modes lack one and its flags cost more than its sums. Where the
// outcome cannot differ - to nearest, "inexact" already raised, a result far from overflow and underflow - the host's
// own operation gives the result, in the rounding that every thread starts with.
// Not here: registers, NaN boxing (hart.h).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace pimento::guest::rv64 {

/// As `frm` has them; kDynamic in instructions: `frm` says which.
enum class Rounding : std::uint8_t { kNearest, kToZero, kDown, kUp, kAway, kDynamic = 7 };

/// Of `fflags`.
inline constexpr std::uint8_t kInexact = 1, kUnderflow = 2, kOverflow = 4, kDivideByZero = 8, kInvalid = 16;

/// `Bits`: std::uint32_t or std::uint64_t, a number of single or double precision.
template <typename Bits>
inline constexpr int kPrecision = sizeof(Bits) == 4 ? 24 : 53;
template <typename Bits>
inline constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
template <typename Bits>
inline constexpr Bits kInfinity = (kSign<Bits> - 1) & ~((Bits{1} << (kPrecision<Bits> - 1)) - 1);
template <typename Bits>
inline constexpr Bits kNan = kInfinity<Bits> | Bits{1} << (kPrecision<Bits> - 2);
template <typename Bits>
using Host = std::conditional_t<sizeof(Bits) == 4, float, double>;

template <typename Bits>
constexpr bool isNan(Bits a) {
  return (a & ~kSign<Bits>) > kInfinity<Bits>;
}
template <typename Bits>
constexpr bool isSignaling(Bits a) {
  return isNan(a) && (a & Bits{1} << (kPrecision<Bits> - 2)) == 0;
}

namespace exact {
template <typename Bits>
Bits add(Bits a, Bits b, Rounding rounding, std::uint8_t &flags);
template <typename Bits>
Bits multiply(Bits a, Bits b, Rounding rounding, std::uint8_t &flags);
/// a * b + c, rounded once.
template <typename Bits>
Bits multiplyAdd(Bits a, Bits b, Bits c, Rounding rounding, std::uint8_t &flags);
template <typename Bits>
Bits divide(Bits a, Bits b, Rounding rounding, std::uint8_t &flags);
template <typename Bits>
Bits squareRoot(Bits a, Rounding rounding, std::uint8_t &flags);
std::uint32_t narrow(std::uint64_t a, Rounding rounding, std::uint8_t &flags);
}  // namespace exact

/// Whether the host's result needs no flags but "inexact".
template <typename Bits>
constexpr bool isPlain(Bits result) {
  constexpr Bits kSmall = Bits{2} << (kPrecision<Bits> - 1);
  const Bits magnitude = result & ~kSign<Bits>;
  return magnitude >= kSmall && magnitude < kInfinity<Bits>;
}
inline bool isHosts(Rounding rounding, std::uint8_t flags) {
  return rounding == Rounding::kNearest && (flags & kInexact) != 0;
}

template <typename Bits>
Bits add(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags)) {
    const Bits r = std::bit_cast<Bits>(std::bit_cast<Host<Bits>>(a) + std::bit_cast<Host<Bits>>(b));
    if (isPlain(r)) return r;
  }
  return exact::add(a, b, rounding, flags);
}
template <typename Bits>
Bits subtract(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  return add<Bits>(a, isNan(b) ? b : b ^ kSign<Bits>, rounding, flags);
}
template <typename Bits>
Bits multiply(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags)) {
    const Bits r = std::bit_cast<Bits>(std::bit_cast<Host<Bits>>(a) * std::bit_cast<Host<Bits>>(b));
    if (isPlain(r)) return r;
  }
  return exact::multiply(a, b, rounding, flags);
}
template <typename Bits>
Bits multiplyAdd(Bits a, Bits b, Bits c, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags)) {
    const Bits r = std::bit_cast<Bits>(
        std::fma(std::bit_cast<Host<Bits>>(a), std::bit_cast<Host<Bits>>(b), std::bit_cast<Host<Bits>>(c)));
    if (isPlain(r)) return r;
  }
  return exact::multiplyAdd(a, b, c, rounding, flags);
}
template <typename Bits>
Bits divide(Bits a, Bits b, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags)) {
    const Bits r = std::bit_cast<Bits>(std::bit_cast<Host<Bits>>(a) / std::bit_cast<Host<Bits>>(b));
    if (isPlain(r)) return r;
  }
  return exact::divide(a, b, rounding, flags);
}
template <typename Bits>
Bits squareRoot(Bits a, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags) && (a & kSign<Bits>) == 0) {
    const Bits r = std::bit_cast<Bits>(std::sqrt(std::bit_cast<Host<Bits>>(a)));
    if (isPlain(r)) return r;
  }
  return exact::squareRoot(a, rounding, flags);
}

/// Single from double precision, and the other way, which is exact.
inline std::uint32_t narrow(std::uint64_t a, Rounding rounding, std::uint8_t &flags) {
  if (isHosts(rounding, flags)) {
    const auto r = std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(a)));
    if (isPlain(r)) return r;
  }
  return exact::narrow(a, rounding, flags);
}
std::uint64_t widen(std::uint32_t a, std::uint8_t &flags);

/// To an integer; what lies outside becomes the nearest one, NaN the largest, with "invalid".
template <typename Integer, typename Bits>
Integer toInteger(Bits a, Rounding rounding, std::uint8_t &flags);
template <typename Bits, typename Integer>
Bits fromInteger(Integer value, Rounding rounding, std::uint8_t &flags);

/// minNum and maxNum of 2019: a number before NaN, -0 below +0.
template <typename Bits>
Bits least(Bits a, Bits b, std::uint8_t &flags);
template <typename Bits>
Bits greatest(Bits a, Bits b, std::uint8_t &flags);
template <typename Bits>
bool isEqual(Bits a, Bits b, std::uint8_t &flags);
/// Any NaN is invalid.
template <typename Bits>
bool isLess(Bits a, Bits b, std::uint8_t &flags);
template <typename Bits>
bool isLessOrEqual(Bits a, Bits b, std::uint8_t &flags);
/// One bit of ten, as `fclass` has them.
template <typename Bits>
std::uint64_t classOf(Bits a);

}  // namespace pimento::guest::rv64
