#include "pimento/base/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "pimento/base/rng.h"

namespace pimento {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Layout {
  DType type;
  int exponentBits, mantissaBits;
  bool hasInfinity;

  unsigned codes() const { return 1u << (1 + exponentBits + mantissaBits); }
  int bias() const { return (1 << (exponentBits - 1)) - 1; }
};

const Layout kSmall[] = {{DType::kF16, 5, 10, true},
                         {DType::kBF16, 8, 7, true},
                         {DType::kF8E4M3, 4, 3, false},
                         {DType::kF8E5M2, 5, 2, true}};

/// The format's definition, in the plainest form.
double decodeByDefinition(const Layout &f, unsigned code) {
  const unsigned mantissa = code & ((1u << f.mantissaBits) - 1);
  const unsigned exponent = (code >> f.mantissaBits) & ((1u << f.exponentBits) - 1);
  const double sign = (code >> (f.exponentBits + f.mantissaBits)) ? -1 : 1;
  const unsigned top = (1u << f.exponentBits) - 1;
  if (f.hasInfinity && exponent == top) return mantissa == 0 ? sign * kInfinity : std::nan("");
  if (!f.hasInfinity && exponent == top && mantissa == (1u << f.mantissaBits) - 1) return std::nan("");
  const double fraction = static_cast<double>(mantissa) / (1 << f.mantissaBits);
  if (exponent == 0) return sign * fraction * std::pow(2.0, 1 - f.bias());
  return sign * (1 + fraction) * std::pow(2.0, static_cast<int>(exponent) - f.bias());
}

/// Rounds by searching all values of the format: nearest, ties to the even code, beyond the last by the value that
/// would come next.
unsigned encodeBySearch(const Layout &f, double x) {
  const unsigned half = f.codes() / 2, sign = std::signbit(x) ? half : 0;
  const double magnitude = std::fabs(x);
  const unsigned firstSpecial = f.hasInfinity ? ((1u << f.exponentBits) - 1) << f.mantissaBits : half - 1;
  auto valueOf = [&](unsigned code) {  // what the code would mean if the format went on
    const unsigned exponent = code >> f.mantissaBits, mantissa = code & ((1u << f.mantissaBits) - 1);
    const double fraction = static_cast<double>(mantissa) / (1 << f.mantissaBits);
    if (exponent == 0) return std::ldexp(fraction, 1 - f.bias());
    return std::ldexp(1 + fraction, static_cast<int>(exponent) - f.bias());
  };
  unsigned low = 0;
  while (low < firstSpecial && valueOf(low + 1) <= magnitude) ++low;
  if (low >= firstSpecial) return sign | firstSpecial;
  const double below = magnitude - valueOf(low), above = valueOf(low + 1) - magnitude;
  const unsigned code = below < above || (below == above && low % 2 == 0) ? low : low + 1;
  return sign | code;
}

TEST(DType, NamesAndTypesCorrespond) {
  EXPECT_EQ(allDTypes().size(), 14u);
  for (const DType t : allDTypes()) EXPECT_EQ(parseDType(name(t)), t);
  EXPECT_EQ(parseDType("f17"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
  EXPECT_EQ(dtypeNames(), "f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, u64, u32, u16, u8");
}

TEST(DType, SizesAndKindsFollowFromTheNames) {
  EXPECT_EQ(sizeOf(DType::kBF16), Bytes(2));
  EXPECT_EQ(sizeOf(DType::kF8E5M2), Bytes(1));
  EXPECT_EQ(sizeOf(DType::kU64), Bytes(8));
  EXPECT_TRUE(isFloat(DType::kF8E5M2));
  EXPECT_FALSE(isFloat(DType::kI64));
  EXPECT_TRUE(isSigned(DType::kI8));
  EXPECT_FALSE(isSigned(DType::kU64));
}

TEST(DType, EveryCodeOfTheSmallFormatsMeansWhatItsDefinitionSays) {
  for (const Layout &f : kSmall) {
    for (unsigned code = 0; code < f.codes(); ++code) {
      const double want = decodeByDefinition(f, code), got = decodeFloat(f.type, code);
      if (std::isnan(want)) {
        EXPECT_TRUE(std::isnan(got)) << name(f.type) << " " << code;
      } else {
        EXPECT_EQ(got, want) << name(f.type) << " " << code;
        EXPECT_EQ(std::signbit(got), std::signbit(want)) << name(f.type) << " " << code;
      }
    }
  }
}

TEST(DType, EveryValueOfTheSmallFormatsSurvivesARoundTrip) {
  for (const Layout &f : kSmall) {
    for (unsigned code = 0; code < f.codes(); ++code) {
      const double x = decodeFloat(f.type, code);
      if (std::isnan(x)) continue;
      EXPECT_EQ(encodeFloat(f.type, x), code) << name(f.type);
    }
  }
}

TEST(DType, RoundingIsToNearestEvenAtAndBesideEveryMidpoint) {
  for (const Layout &f : kSmall) {
    const unsigned half = f.codes() / 2, step = f.codes() > 256 ? 37 : 1;
    for (unsigned code = 0; code + 1 < half; code += step) {
      const double a = decodeFloat(f.type, code), b = decodeFloat(f.type, code + 1);
      if (!std::isfinite(a) || !std::isfinite(b)) continue;
      const double middle = (a + b) / 2;
      const unsigned even = code % 2 == 0 ? code : code + 1;
      EXPECT_EQ(encodeFloat(f.type, middle), even) << name(f.type) << " " << code;
      EXPECT_EQ(encodeFloat(f.type, std::nextafter(middle, 0)), code) << name(f.type) << " " << code;
      EXPECT_EQ(encodeFloat(f.type, std::nextafter(middle, kInfinity)), code + 1) << name(f.type) << " " << code;
      EXPECT_EQ(encodeFloat(f.type, -middle), even | half) << name(f.type) << " " << code;
    }
  }
}

TEST(DType, RandomDoublesRoundAsASearchThroughTheEightBitFormatsSays) {
  Rng rng(7);
  for (const Layout &f : {kSmall[2], kSmall[3]}) {
    for (int i = 0; i < 20000; ++i) {
      const double x = std::ldexp(rng.real(-2, 2), static_cast<int>(rng.integer(-25, 20)));
      EXPECT_EQ(encodeFloat(f.type, x), encodeBySearch(f, x)) << name(f.type) << " " << x;
    }
  }
}

TEST(DType, OverflowGivesInfinityOrInE4M3NaN) {
  EXPECT_EQ(encodeFloat(DType::kF16, 65504), 0x7bffu);
  EXPECT_EQ(encodeFloat(DType::kF16, std::nextafter(65520, 0)), 0x7bffu);
  EXPECT_EQ(encodeFloat(DType::kF16, 65520), 0x7c00u);
  EXPECT_EQ(encodeFloat(DType::kF16, -kInfinity), 0xfc00u);
  EXPECT_EQ(encodeFloat(DType::kBF16, std::numeric_limits<double>::max()), 0x7f80u);
  EXPECT_EQ(encodeFloat(DType::kF8E4M3, 448), 0x7eu);
  EXPECT_EQ(encodeFloat(DType::kF8E4M3, 464), 0x7eu);  // a tie, and 448 is the even one
  EXPECT_EQ(encodeFloat(DType::kF8E4M3, 465), 0x7fu);
  EXPECT_EQ(encodeFloat(DType::kF8E4M3, kInfinity), 0x7fu);
  EXPECT_EQ(encodeFloat(DType::kF8E5M2, 57344), 0x7bu);
  EXPECT_EQ(encodeFloat(DType::kF8E5M2, 1e9), 0x7cu);
}

TEST(DType, NaNEncodesAsThePositiveQuietNaN) {
  const double nan = -std::nan("");
  EXPECT_EQ(encodeFloat(DType::kF64, nan), 0x7ff8000000000000u);
  EXPECT_EQ(encodeFloat(DType::kF32, nan), 0x7fc00000u);
  EXPECT_EQ(encodeFloat(DType::kF16, nan), 0x7e00u);
  EXPECT_EQ(encodeFloat(DType::kBF16, nan), 0x7fc0u);
  EXPECT_EQ(encodeFloat(DType::kF8E4M3, nan), 0x7fu);
  EXPECT_EQ(encodeFloat(DType::kF8E5M2, nan), 0x7eu);
}

TEST(DType, TinyNumbersRoundToSignedZeroOrTheSmallestSubnormal) {
  EXPECT_EQ(encodeFloat(DType::kF16, 0x1p-25), 0u);  // a tie between 0 and 2^-24
  EXPECT_EQ(encodeFloat(DType::kF16, 0x1.0000000000001p-25), 1u);
  EXPECT_EQ(encodeFloat(DType::kF16, -0x1p-26), 0x8000u);
  EXPECT_EQ(encodeFloat(DType::kF16, std::numeric_limits<double>::denorm_min()), 0u);
  EXPECT_EQ(encodeFloat(DType::kBF16, 0x1p-133), 1u);
}

TEST(F16, ConversionToFloatIsExactForEveryCode) {
  for (unsigned code = 0; code < 65536; ++code) {
    const double want = decodeFloat(DType::kF16, code);
    const float got = f16ToFloat(static_cast<std::uint16_t>(code));
    if (std::isnan(want)) {
      EXPECT_TRUE(std::isnan(got));
      EXPECT_EQ(f16FromFloat(got), 0x7e00u);
    } else {
      EXPECT_EQ(static_cast<double>(got), want);
      EXPECT_EQ(f16FromFloat(got), code);
    }
  }
}

TEST(F16, ConversionFromFloatAgreesWithRoundingTheDouble) {
  Rng rng(11);
  for (int i = 0; i < 2000000; ++i) {
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(rng.next()));
    ASSERT_EQ(f16FromFloat(x), encodeFloat(DType::kF16, static_cast<double>(x))) << x;
  }
}

/// Sums and products of two halves are exact in double, so one rounding from double is the definition.
TEST(F16, AdditionAndMultiplicationRoundTheExactResultOnce) {
  Rng rng(13);
  for (unsigned a = 0; a < 65536; ++a) {
    for (int i = 0; i < 40; ++i) {
      const auto b = static_cast<std::uint16_t>(i == 0 ? a : i == 1 ? a ^ 0x8000 : rng.next());
      const auto x = static_cast<std::uint16_t>(a);
      const double da = decodeFloat(DType::kF16, a), db = decodeFloat(DType::kF16, b);
      ASSERT_EQ(f16Add(x, b), encodeFloat(DType::kF16, da + db)) << a << " + " << b;
      ASSERT_EQ(f16Mul(x, b), encodeFloat(DType::kF16, da * db)) << a << " * " << b;
    }
  }
}

TEST(Integer, WrappingKeepsTheLowBits) {
  EXPECT_EQ(wrapInteger(DType::kI8, 128), -128);
  EXPECT_EQ(wrapInteger(DType::kU8, -1), 255);
  EXPECT_EQ(wrapInteger(DType::kI16, 0x12345678), 0x5678);
  EXPECT_EQ(wrapInteger(DType::kU32, -1), 0xffffffffll);
  EXPECT_EQ(wrapInteger(DType::kI32, 0x80000000ll), -0x80000000ll);
  EXPECT_EQ(wrapInteger(DType::kU64, -1), -1);
}

}  // namespace
}  // namespace pimento
