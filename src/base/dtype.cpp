#include "pimento/base/dtype.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pimento/base/diagnostics.h"

namespace pimento {

namespace {

struct Entry {
  std::string_view name;
  int bytes;
};

constexpr std::array<Entry, 14> kEntries{{{"f64", 8},
                                          {"f32", 4},
                                          {"f16", 2},
                                          {"bf16", 2},
                                          {"f8e4m3", 1},
                                          {"f8e5m2", 1},
                                          {"i64", 8},
                                          {"i32", 4},
                                          {"i16", 2},
                                          {"i8", 1},
                                          {"u64", 8},
                                          {"u32", 4},
                                          {"u16", 2},
                                          {"u8", 1}}};

const Entry &entry(DType t) {
  return kEntries[static_cast<std::size_t>(t)];
}

/// A small binary format. `hasInfinity`: the top exponent is reserved (IEEE); otherwise only the all-ones code is NaN.
struct SmallFormat {
  int mantissaBits, bias;
  std::uint32_t infinity;  ///< also: first magnitude that is not finite
  std::uint32_t quietNan;
  bool hasInfinity;
};

constexpr SmallFormat kHalf{10, 15, 0x7c00, 0x7e00, true};
constexpr SmallFormat kBFloat{7, 127, 0x7f80, 0x7fc0, true};
constexpr SmallFormat kE4M3{3, 7, 0x7f, 0x7f, false};
constexpr SmallFormat kE5M2{2, 15, 0x7c, 0x7e, true};

const SmallFormat &smallFormat(DType t) {
  switch (t) {
    case DType::kF16:
      return kHalf;
    case DType::kBF16:
      return kBFloat;
    case DType::kF8E4M3:
      return kE4M3;
    case DType::kF8E5M2:
      return kE5M2;
    default:
      PIMENTO_CHECK(false && "a small floating format");
      return kHalf;
  }
}

std::uint32_t encodeSmall(const SmallFormat &f, int bits, double x) {
  const std::uint64_t u = std::bit_cast<std::uint64_t>(x);
  const std::uint32_t sign = static_cast<std::uint32_t>(u >> 63) << (bits - 1);
  const std::uint64_t magnitude = u & 0x7fffffffffffffffull;
  constexpr std::uint64_t kInfinity = 0x7ff0000000000000ull;
  if (magnitude > kInfinity) return f.quietNan;
  // For E4M3 `infinity` is NaN: the specification's non-saturating conversion.
  if (magnitude == kInfinity) return sign | f.infinity;
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  const int lowest = 1 - f.bias;  // exponent of the smallest normal number
  // Place of the result's last bit, counted in bits of the 53-bit significand below its leading one.
  const int drop = 52 - f.mantissaBits + std::max(0, lowest - exponent);
  if (drop > 53) return sign;  // below half of the smallest subnormal number (doubles that are subnormal included)
  const std::uint64_t significand = (magnitude & 0x000fffffffffffffull) | 0x0010000000000000ull;
  const std::uint64_t kept = significand >> drop;
  const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const std::uint64_t rounded = kept + ((rest > half || (rest == half && (kept & 1))) ? 1 : 0);
  // `rounded` carries the leading one of a normal number, which adds one to the exponent field.
  const int field = std::max(exponent, lowest) + f.bias - 1;
  const std::uint64_t code = (static_cast<std::uint64_t>(field) << f.mantissaBits) + rounded;
  return sign | static_cast<std::uint32_t>(std::min<std::uint64_t>(code, f.infinity));
}

double decodeSmall(const SmallFormat &f, int bits, std::uint32_t code) {
  const std::uint32_t signBit = 1u << (bits - 1);
  const std::uint32_t magnitude = code & (signBit - 1);
  const double sign = (code & signBit) ? -1.0 : 1.0;
  if (magnitude >= f.infinity) {
    if (f.hasInfinity && magnitude == f.infinity) return sign * std::numeric_limits<double>::infinity();
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  }
  const int field = static_cast<int>(magnitude >> f.mantissaBits);
  const std::uint32_t mantissa = magnitude & ((1u << f.mantissaBits) - 1);
  const std::uint32_t significand = field > 0 ? mantissa | (1u << f.mantissaBits) : mantissa;
  return sign * std::ldexp(static_cast<double>(significand), std::max(field, 1) - f.bias - f.mantissaBits);
}

}  // namespace

std::string_view name(DType t) {
  return entry(t).name;
}

std::optional<DType> parseDType(std::string_view text) {
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    if (kEntries[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

const std::vector<DType> &allDTypes() {
  static const std::vector<DType> kAll = [] {
    std::vector<DType> all;
    for (std::size_t i = 0; i < kEntries.size(); ++i) all.push_back(static_cast<DType>(i));
    return all;
  }();
  return kAll;
}

std::string dtypeNames() {
  std::string s;
  for (const Entry &e : kEntries) s += (s.empty() ? "" : ", ") + std::string(e.name);
  return s;
}

Bytes sizeOf(DType t) {
  return Bytes(entry(t).bytes);
}

std::uint64_t encodeFloat(DType t, double x) {
  PIMENTO_CHECK(isFloat(t));
  if (t == DType::kF64) return x != x ? 0x7ff8000000000000ull : std::bit_cast<std::uint64_t>(x);
  if (t == DType::kF32) return x != x ? 0x7fc00000u : std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return encodeSmall(smallFormat(t), 8 * entry(t).bytes, x);
}

double decodeFloat(DType t, std::uint64_t bits) {
  PIMENTO_CHECK(isFloat(t));
  if (t == DType::kF64) return std::bit_cast<double>(bits);
  if (t == DType::kF32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return decodeSmall(smallFormat(t), 8 * entry(t).bytes, static_cast<std::uint32_t>(bits));
}

std::int64_t wrapInteger(DType t, std::int64_t x) {
  switch (t) {
    case DType::kI64:
    case DType::kU64:
      return x;
    case DType::kI32:
      return static_cast<std::int32_t>(x);
    case DType::kI16:
      return static_cast<std::int16_t>(x);
    case DType::kI8:
      return static_cast<std::int8_t>(x);
    case DType::kU32:
      return static_cast<std::uint32_t>(x);
    case DType::kU16:
      return static_cast<std::uint16_t>(x);
    case DType::kU8:
      return static_cast<std::uint8_t>(x);
    default:
      PIMENTO_CHECK(false && "an integer type");
      return 0;
  }
}

}  // namespace pimento
