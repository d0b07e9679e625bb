// The element types of the contract, and conversion between their bits and double.
//
// All floating formats are IEEE 754 binary formats or the OCP 8-bit formats (OCP 8-bit Floating Point Specification
// 1.0: E4M3 has no infinity and saturates nothing here: overflow gives NaN; E5M2 overflows to infinity). Rounding is
// to nearest, ties to even, everywhere.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/units.h"

namespace pimento {

enum class DType : std::uint8_t {
  kF64,
  kF32,
  kF16,
  kBF16,
  kF8E4M3,
  kF8E5M2,
  kI64,
  kI32,
  kI16,
  kI8,
  kU64,
  kU32,
  kU16,
  kU8,
};

/// "f16", "u32", ...: the contract's spelling.
std::string_view name(DType t);
/// Inverse of name(); empty for anything else.
std::optional<DType> parseDType(std::string_view text);
/// All types, in the order of the contract.
const std::vector<DType> &allDTypes();
/// All spellings, comma separated, for hints.
std::string dtypeNames();

constexpr bool isFloat(DType t) {
  return t <= DType::kF8E5M2;
}
constexpr bool isSigned(DType t) {
  return t <= DType::kI8;
}
Bytes sizeOf(DType t);

/// Rounds `x` to the nearest value of the floating type `t` (ties to even) and returns its bits.
/// `x` is taken as exact: one rounding. NaN gives the positive quiet NaN. Integer `t` is our bug.
std::uint64_t encodeFloat(DType t, double x);
/// The exact value of the bits of a floating type.
double decodeFloat(DType t, std::uint64_t bits);

/// The bits of `x` brought into the range of the integer type `t`: truncated to its width, then sign- or
/// zero-extended to 64 bits. Floating `t` is our bug.
std::int64_t wrapInteger(DType t, std::int64_t x);

/// The nearest binary16 (ties to even); NaN gives 0x7e00. Inline: simulations call it once per operation.
inline std::uint16_t f16FromFloat(float x) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = (u >> 16) & 0x8000u;
  const std::uint32_t a = u & 0x7fffffffu;
  if (a >= 0x38800000u) [[likely]] {  // at least 2^-14: a normal half, or too large for one
    if (a < 0x477ff000u) [[likely]] {
      return static_cast<std::uint16_t>(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
    }
    return static_cast<std::uint16_t>(a > 0x7f800000u ? 0x7e00u : (sign | 0x7c00u));
  }
  // Subnormal: in [0.5, 1) a float's last place is 2^-24, the half's last place, so the addition rounds for us.
  const float shifted = std::bit_cast<float>(a) + 0.5f;
  return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(shifted) - 0x3f000000u));
}

/// The exact value of a binary16; the payload of a NaN is kept.
inline float f16ToFloat(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t a = bits & 0x7fffu;
  std::uint32_t u = (a << 13) + 0x38000000u;
  if (a >= 0x7c00u) u += 0x38000000u;
  if (a < 0x0400u) u = std::bit_cast<std::uint32_t>(std::bit_cast<float>(0x3f000000u + a) - 0.5f);
  return std::bit_cast<float>(sign | u);
}

/// f16FromFloat and back: `x` rounded to a value that binary16 holds.
inline float f16Round(float x) {
  return f16ToFloat(f16FromFloat(x));
}

/// binary16 arithmetic on bits, each operation rounded once: what HBM-PIM's FPUs do. NaN results are the quiet NaN
/// 0x7e00, so results compare bit for bit. One float operation and one more rounding equal a single rounding, since
/// 24 >= 2 * 11 + 2 (Figueroa, When is double rounding innocuous?, 1995).
inline std::uint16_t f16Add(std::uint16_t a, std::uint16_t b) {
  return f16FromFloat(f16ToFloat(a) + f16ToFloat(b));
}
inline std::uint16_t f16Mul(std::uint16_t a, std::uint16_t b) {
  return f16FromFloat(f16ToFloat(a) * f16ToFloat(b));
}

}  // namespace pimento
