// The element types of the contract, and conversion between their bits and double.
//
// All floating formats are IEEE 754 binary formats or the OCP 8-bit formats (OCP 8-bit Floating Point Specification
// 1.0: E4M3 has no infinity and saturates nothing here: overflow gives NaN; E5M2 overflows to infinity). Rounding is
// to nearest, ties to even, everywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pimento/base/units.h"

namespace pimento {

enum class DType : std::uint8_t {
  kF64, kF32, kF16, kBF16, kF8E4M3, kF8E5M2,
  kI64, kI32, kI16, kI8, kU64, kU32, kU16, kU8,
};

/// "f16", "u32", ...: the contract's spelling.
std::string_view name(DType t);
/// Inverse of name(); empty for anything else.
std::optional<DType> parseDType(std::string_view text);
/// All spellings, comma separated, for hints.
std::string dtypeNames();

constexpr bool isFloat(DType t) { return t <= DType::kF8E5M2; }
constexpr bool isSigned(DType t) { return t <= DType::kI8; }
Bytes sizeOf(DType t);

/// Rounds `x` to the nearest value of the floating type `t` (ties to even) and returns its bits.
/// `x` is taken as exact: one rounding. Integer `t` is our bug.
std::uint64_t encodeFloat(DType t, double x);
/// The exact value of the bits of a floating type.
double decodeFloat(DType t, std::uint64_t bits);

/// binary16 arithmetic on bits, each operation rounded once: what HBM-PIM's FPUs do.
/// NaN results are the quiet NaN 0x7e00, so results compare bit for bit.
std::uint16_t f16FromFloat(float x);
float f16ToFloat(std::uint16_t bits);
std::uint16_t f16Add(std::uint16_t a, std::uint16_t b);
std::uint16_t f16Mul(std::uint16_t a, std::uint16_t b);

}  // namespace pimento
