// Random C expressions without undefined behaviour: what RandomCProgram puts into its statements.
//
// Every expression has one value in every C compiler with 32-bit int and 64-bit long long: no side effects, shift
// amounts and indices are masked, divisors are not zero, signed sums and products either fit or go through unsigned
// numbers, floating values become integers only where they fit. NaNs are never looked at bit by bit.
#pragma once

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "test/support/choices.h"
#include "test/support/filled.h"

namespace pimento::test {

enum class CType : std::uint8_t { kI8, kU8, kI16, kU16, kI32, kU32, kI64, kU64, kF32, kF64 };

inline constexpr std::array kCTypes = {CType::kI8,  CType::kU8,  CType::kI16, CType::kU16, CType::kI32,
                                       CType::kU32, CType::kI64, CType::kU64, CType::kF32, CType::kF64};
inline constexpr std::array kCWhole = {CType::kI32, CType::kU32, CType::kI64, CType::kU64, CType::kI32,
                                       CType::kU32, CType::kI8,  CType::kU8,  CType::kI16, CType::kU16};

inline std::string_view nameOf(CType type) {
  static constexpr std::string_view kNames[] = {"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32", "f64"};
  return kNames[static_cast<std::size_t>(type)];
}
inline bool isFloating(CType type) {
  return type >= CType::kF32;
}
inline bool isSigned(CType type) {
  return static_cast<int>(type) % 2 == 0;
}
inline unsigned bitsOf(CType type) {
  return isFloating(type) ? (type == CType::kF32 ? 32 : 64) : 8U << (static_cast<unsigned>(type) / 2);
}

/// A scalar in memory: pieces[0] [index] pieces[1] [index] ... with one mask for each index.
struct CPlace {
  std::vector<std::string> pieces;
  std::vector<unsigned> masks;
  CType type = CType::kI32;
  bool isWritable = true, isBitField = false;
};

/// A function of scalars without side effects.
struct CPure {
  std::string name;
  CType result = CType::kI32;
  std::vector<CType> parameters;
};

/// What the text of the helpers below must come before.
inline constexpr std::string_view kCHelpers = R"(typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
static inline i32 add_i32(i32 a, i32 b) { return (i32)((u32)a + (u32)b); }
static inline i32 sub_i32(i32 a, i32 b) { return (i32)((u32)a - (u32)b); }
static inline i32 mul_i32(i32 a, i32 b) { return (i32)((u32)a * (u32)b); }
static inline i64 add_i64(i64 a, i64 b) { return (i64)((u64)a + (u64)b); }
static inline i64 sub_i64(i64 a, i64 b) { return (i64)((u64)a - (u64)b); }
static inline i64 mul_i64(i64 a, i64 b) { return (i64)((u64)a * (u64)b); }
static inline i32 div_i32(i32 a, i32 b) { return b == 0 || b == -1 ? a : a / b; }
static inline i32 rem_i32(i32 a, i32 b) { return b == 0 || b == -1 ? a : a % b; }
static inline i64 div_i64(i64 a, i64 b) { return b == 0 || b == -1 ? a : a / b; }
static inline i64 rem_i64(i64 a, i64 b) { return b == 0 || b == -1 ? a : a % b; }
static inline u32 rot_u32(u32 a, u32 n) { return (a << (n & 31)) | (a >> ((32 - (n & 31)) & 31)); }
static inline u64 rot_u64(u64 a, u32 n) { return (a << (n & 63)) | (a >> ((64 - (n & 63)) & 63)); }
static inline i32 whole_i32(f64 x) { return x > -2147483649.0 && x < 2147483648.0 ? (i32)x : 0; }
static inline u32 whole_u32(f64 x) { return x > -1.0 && x < 4294967296.0 ? (u32)x : 1; }
static inline i64 whole_i64(f64 x) { return x >= -0x1p63 && x < 0x1p63 ? (i64)x : 2; }
static inline u64 whole_u64(f64 x) { return x > -1.0 && x < 0x1p64 ? (u64)x : 3; }
static inline i32 single_i32(f32 x) { return x >= -2147483648.0f && x < 2147483648.0f ? (i32)x : 0; }
static inline u32 single_u32(f32 x) { return x > -1.0f && x < 4294967296.0f ? (u32)x : 1; }
static inline i64 single_i64(f32 x) { return x >= -0x1p63f && x < 0x1p63f ? (i64)x : 2; }
static inline u64 single_u64(f32 x) { return x > -1.0f && x < 0x1p64f ? (u64)x : 3; }
static inline u64 bits_f32(f32 x) { union { f32 f; u32 u; } v = { x }; return x != x ? 0x7fc00000u : v.u; }
static inline u64 bits_f64(f64 x) { union { f64 f; u64 u; } v = { x }; return x != x ? 1 : v.u; }
)";

class CExpressions {
 public:
  explicit CExpressions(Choices &choices) : choices_(choices) {}

  std::vector<CPlace> places;  ///< what may be read
  std::vector<CPure> pures;

  /// A constant of this type.
  std::string literal(CType type) {
    if (isFloating(type)) return floatLiteral(type);
    const std::uint64_t value = edgyNumber(choices_);
    if (value < 1000 || (isSigned(type) && 0 - value < 100))
      return isSigned(type) && value >= 1000 ? filled("({})-{}", {nameOf(type), 0 - value})
                                             : filled("({}){}", {nameOf(type), value % 128});
    if (bitsOf(type) == 64) return fmt::format("({})0x{:x}ull", nameOf(type), value);
    return fmt::format("({})0x{:x}u", nameOf(type), value & ((std::uint64_t{1} << bitsOf(type)) - 1));
  }

  std::string text(const CPlace &place, int depth) {
    std::string all = place.pieces[0];
    for (std::size_t i = 0; i < place.masks.size(); ++i)
      all += filled("[{}]{}", {index(place.masks[i], depth), place.pieces[i + 1]});
    return all;
  }

  /// In [0, mask].
  std::string index(unsigned mask, int depth) {
    if (depth <= 0 || choices_.below(3) == 0) return filled("{}", {choices_.below(mask + 1)});
    return filled("({}) & {}", {of(choices_.of(std::array{CType::kU32, CType::kI32, CType::kU8}), depth - 1), mask});
  }

  /// An expression of exactly this type.
  std::string of(CType type, int depth) {
    if (depth <= 0 || choices_.below(6) == 0) return leaf(type);
    if (choices_.isOneIn(12) && !pures.empty()) return filled("({})({})", {nameOf(type), pureCall(type, depth)});
    if (choices_.isOneIn(12))
      return filled("({} ? {} : {})", {condition(depth - 1), of(type, depth - 1), of(type, depth - 1)});
    if (isFloating(type)) return floating(type, depth);
    if (bitsOf(type) < 32)
      return filled("({}){}",
                    {nameOf(type), of(choices_.of(std::array{CType::kI32, CType::kU32, CType::kI64}), depth)});
    switch (choices_.below(10)) {
      case 0:
      case 1:
      case 2:
        return sum(type, depth - 1);
      case 3:
        return logic(type, depth - 1);
      case 4:
        return shift(type, depth - 1);
      case 5:
        return division(type, depth - 1);
      case 6:
        return filled("({}){}", {nameOf(type), condition(depth - 1)});
      case 7:
        return narrow(type, depth - 1);
      case 8:
        return bitTrick(type, depth - 1);
      default:
        return conversion(type, depth - 1);
    }
  }

  /// In parentheses, an int that is 0 or 1.
  std::string condition(int depth) {
    static constexpr std::string_view kCompare[] = {"<", "<=", ">", ">=", "==", "!="};
    switch (choices_.below(6)) {
      case 0:
        return filled("({} {} {})", {condition0(depth - 1), choices_.below(2) ? "&&" : "||", condition0(depth - 1)});
      case 1:
        return filled("(!{})", {of(choices_.of(kCWhole), depth - 1)});
      case 2: {  // the usual arithmetic conversions between two types
        const CType a = choices_.of(kCTypes), b = choices_.of(kCTypes);
        return filled("({} {} {})", {of(a, depth - 1), choices_.of(kCompare), of(b, depth - 1)});
      }
      default: {
        const CType type = choices_.of(kCTypes);
        return filled("({} {} {})", {of(type, depth - 1), choices_.of(kCompare),
                                     choices_.below(3) ? of(type, depth - 1) : literal(type)});
      }
    }
  }

 private:
  std::string condition0(int depth) {
    return depth <= 0 ? filled("({} > {})", {leaf(CType::kI32), literal(CType::kI16)}) : condition(depth);
  }

  std::string floatLiteral(CType type) {
    static constexpr double kPlain[] = {0, 1, -1, 0.5, 2, 3, 0.1, 100, -7.25, 1e9, 1e-9, 4294967296.0};
    double value = choices_.of(kPlain);
    if (choices_.isOneIn(3)) {
      const int exponent = type == CType::kF32 ? choices_.integer(-149, 127) : choices_.integer(-1074, 1023);
      value = std::ldexp(1 + static_cast<double>(choices_.below(1 << 20)) / (1 << 20), exponent);
    }
    if (type == CType::kF32) return fmt::format("({:a}f)", static_cast<double>(static_cast<float>(value)));
    return fmt::format("({:a})", value);
  }

  const CPlace *placeOf(CType type) {
    std::vector<const CPlace *> fitting;
    for (const CPlace &place : places)
      if (place.type == type) fitting.push_back(&place);
    return fitting.empty() ? nullptr : choices_.of(fitting);
  }

  std::string leaf(CType type) {
    if (choices_.below(5) == 0 || places.empty()) return literal(type);
    const CPlace *place = placeOf(type);
    if (place == nullptr || choices_.isOneIn(4)) {
      const CPlace &other = choices_.of(places);
      if (isFloating(type) || !isFloating(other.type)) return filled("({}){}", {nameOf(type), text(other, 0)});
      place = &other;
      return filled("({})whole_i32({})", {nameOf(type), text(other, 0)});
    }
    // gcc computes with as many bits as a bit-field has, clang with those of its type.
    return place->isBitField ? filled("({}){}", {nameOf(type), text(*place, 1)}) : text(*place, 1);
  }

  std::string pureCall(CType type, int depth) {
    const CPure &pure = choices_.of(pures);
    std::string arguments;
    for (const CType parameter : pure.parameters)
      arguments += (arguments.empty() ? "" : ", ") + of(parameter, depth - 2);
    const std::string call = filled("{}({})", {pure.name, arguments});
    if (isFloating(pure.result) && !isFloating(type)) return filled("whole_i64({})", {call});
    return call;
  }

  std::string sum(CType type, int depth) {
    static constexpr std::string_view kOperators[] = {"+", "-", "*"}, kNames[] = {"add", "sub", "mul"};
    const std::size_t which = choices_.below(3);
    if (!isSigned(type)) {
      if (choices_.isOneIn(6)) return filled("(-{})", {of(type, depth)});
      return filled("({} {} {})", {of(type, depth), kOperators[which], of(type, depth)});
    }
    if (choices_.below(2))
      return filled("{}_{}({}, {})", {kNames[which], nameOf(type), of(type, depth), of(type, depth)});
    // Half as many bits: neither sums nor products overflow.
    const CType half = type == CType::kI64 ? CType::kI32 : CType::kI16;
    return filled("(({}){} {} {})", {nameOf(type), of(half, depth), kOperators[which], of(half, depth)});
  }

  std::string logic(CType type, int depth) {
    static constexpr std::string_view kOperators[] = {"&", "|", "^", "& ~", "| ~", "^ ~"};
    if (choices_.isOneIn(6)) return filled("(~{})", {of(type, depth)});
    return filled("({} {}{})", {of(type, depth), choices_.of(kOperators), of(type, depth)});
  }

  std::string shift(CType type, int depth) {
    const unsigned mask = bitsOf(type) - 1;
    const std::string amount = choices_.below(2) ? filled("{}", {choices_.below(mask + 1)})
                                                 : filled("({} & {})", {of(choices_.of(kCWhole), depth), mask});
    if (choices_.isOneIn(5)) return filled("({})rot_u{}({}, {})", {nameOf(type), mask + 1, of(type, depth), amount});
    if (choices_.below(2)) return filled("({} >> {})", {of(type, depth), amount});
    return filled("({})((u{}){} << {})", {nameOf(type), mask + 1, of(type, depth), amount});
  }

  std::string division(CType type, int depth) {
    const std::string_view sign = choices_.below(2) ? "/" : "%";
    if (choices_.below(2)) {
      const std::uint64_t divisor = 2 + choices_.below(choices_.below(2) ? 20 : 100000);
      return filled("({} {} {}{})", {of(type, depth), sign, isSigned(type) && choices_.isOneIn(4) ? "-" : "", divisor});
    }
    if (!isSigned(type)) return filled("({} {} ({} | 1))", {of(type, depth), sign, of(type, depth)});
    return filled("{}_{}({}, {})", {sign == "/" ? "div" : "rem", nameOf(type), of(type, depth), of(type, depth)});
  }

  // Arithmetic on what C promotes to int.
  std::string narrow(CType type, int depth) {
    static constexpr std::array kNarrow = {CType::kI8, CType::kU8, CType::kI16, CType::kU16};
    const CType a = choices_.of(kNarrow), b = choices_.of(kNarrow);
    static constexpr std::string_view kOperators[] = {"+", "-", "*", "^", "&"};
    std::string_view sign = choices_.of(kOperators);
    if (sign == "*" && a == CType::kU16 && b == CType::kU16) sign = "+";
    return filled("({})({} {} {})", {nameOf(type), of(a, depth), sign, of(b, depth)});
  }

  std::string bitTrick(CType type, int depth) {
    switch (choices_.below(7)) {
      case 0:
        return filled("({})__builtin_popcount({})", {nameOf(type), of(CType::kU32, depth)});
      case 1:
        return filled("({})__builtin_popcountll({})", {nameOf(type), of(CType::kU64, depth)});
      case 2:
        return filled("({})__builtin_clz({} | 1)", {nameOf(type), of(CType::kU32, depth)});
      case 3:
        return filled("({})__builtin_clzll({} | 1)", {nameOf(type), of(CType::kU64, depth)});
      case 4:
        return filled("({})__builtin_ctz({} | 0x40000000u)", {nameOf(type), of(CType::kU32, depth)});
      case 5:
        return filled("({})__builtin_ctzll({} | 0x4000000000000000ull)", {nameOf(type), of(CType::kU64, depth)});
      default:
        return choices_.below(2) ? filled("({})__builtin_bswap32({})", {nameOf(type), of(CType::kU32, depth)})
                                 : filled("({})__builtin_bswap64({})", {nameOf(type), of(CType::kU64, depth)});
    }
  }

  std::string conversion(CType type, int depth) {
    const CType from = choices_.of(kCTypes);
    if (!isFloating(from)) return filled("({}){}", {nameOf(type), of(from, depth)});
    if (choices_.isOneIn(3)) return filled("({})bits_{}({})", {nameOf(type), nameOf(from), of(from, depth)});
    return filled("{}_{}({})", {from == CType::kF32 ? "single" : "whole", nameOf(type), of(from, depth)});
  }

  std::string floating(CType type, int depth) {
    static constexpr std::string_view kOperators[] = {"+", "-", "*", "/"};
    switch (choices_.below(6)) {
      case 0:
        return filled("({}){}", {nameOf(type), of(choices_.of(kCTypes), depth - 1)});
      case 1:
        return choices_.below(2)
                   ? filled("(-{})", {of(type, depth - 1)})
                   : filled("__builtin_fabs{}({})", {type == CType::kF32 ? "f" : "", of(type, depth - 1)});
      default:
        return filled("({} {} {})", {of(type, depth - 1), choices_.of(kOperators), of(type, depth - 1)});
    }
  }

  Choices &choices_;
};

}  // namespace pimento::test
