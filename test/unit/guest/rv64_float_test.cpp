// IEEE arithmetic in integers: results and flags are those of the host's processor in the rounding modes that it has,
// and as the manual says where it has none.
#include <gtest/gtest.h>

#include <cfenv>
#include <functional>
#include <limits>

#include "pimento/base/rng.h"
#include "pimento/guest/rv64/float.h"
#include "test/support/cases.h"

namespace pimento::guest::rv64 {
namespace {

struct Outcome {
  std::uint64_t bits = 0;
  std::uint8_t flags = 0;
  bool operator==(const Outcome &) const = default;
};
std::ostream &operator<<(std::ostream &out, const Outcome &o) {
  return out << std::hex << o.bits << " flags " << int{o.flags};
}

constexpr std::pair<Rounding, int> kHostRoundings[] = {{Rounding::kNearest, FE_TONEAREST},
                                                       {Rounding::kToZero, FE_TOWARDZERO},
                                                       {Rounding::kDown, FE_DOWNWARD},
                                                       {Rounding::kUp, FE_UPWARD}};

/// What the host's processor makes of an operation; NaN as RISC-V has it.
template <typename Bits, typename F>
[[gnu::noinline]] Outcome onHost(int rounding, F operation) {
  std::fenv_t before;
  std::feholdexcept(&before);
  std::fesetround(rounding);
  const volatile Host<Bits> value = operation();
  const int raised = std::fetestexcept(FE_ALL_EXCEPT);
  std::fesetenv(&before);
  Outcome out{std::bit_cast<Bits>(Host<Bits>{value}), 0};
  if (isNan(static_cast<Bits>(out.bits))) out.bits = kNan<Bits>;
  constexpr std::pair<int, std::uint8_t> kRaised[] = {{FE_INEXACT, kInexact},
                                                      {FE_UNDERFLOW, kUnderflow},
                                                      {FE_OVERFLOW, kOverflow},
                                                      {FE_DIVBYZERO, kDivideByZero},
                                                      {FE_INVALID, kInvalid}};
  for (const auto &[host, ours] : kRaised)
    if ((raised & host) != 0) out.flags |= ours;
  return out;
}

/// Numbers whose sums, products and roots are often at an edge.
template <typename Bits>
Bits drawn(Rng &rng) {
  constexpr int kFraction = kPrecision<Bits> - 1;
  constexpr Bits kMost = kInfinity<Bits>;
  constexpr auto kBias = static_cast<std::int64_t>(kMost >> (kFraction + 1));
  const auto sign = static_cast<Bits>(rng.below(2)) << (8 * sizeof(Bits) - 1);
  const auto few = static_cast<Bits>(rng.below(4) << (kFraction - 2) | rng.below(4));
  const auto fraction = rng.below(2) == 0 ? few : static_cast<Bits>(~few & ((Bits{1} << kFraction) - 1));
  const auto with = [&](std::int64_t exponent) {
    return sign | static_cast<Bits>(static_cast<Bits>(exponent) << kFraction | fraction);
  };
  switch (rng.below(8)) {
    case 0:
      return static_cast<Bits>(rng.next());
    case 1:
      return with(0);  // zeros and subnormals
    case 2:
      return with(2 * kBias + 1);  // infinities and NaN
    case 3:
      return with(rng.integer(1, 3));
    case 4:
      return with(2 * kBias - rng.integer(0, 2));
    case 5:
      return with(kBias / 2 + rng.integer(-2, 2) - (rng.below(2) == 0 ? kFraction / 2 : 0));
    case 6:
      return with(kBias + rng.integer(-3, 3) * kFraction + rng.integer(-2, 2));
    default:
      return with(kBias + rng.integer(-2, 2));
  }
}

template <typename Bits>
void compareWithHost() {
  using T = Host<Bits>;
  Rng rng(3);
  const std::int64_t cases = test::caseCount(60000);
  for (std::int64_t i = 0; i < cases && !::testing::Test::HasFailure(); ++i) {
    const auto a = drawn<Bits>(rng), b = drawn<Bits>(rng);
    const Bits c = rng.below(4) == 0 ? b : drawn<Bits>(rng);
    const volatile T x = std::bit_cast<T>(a), y = std::bit_cast<T>(b), z = std::bit_cast<T>(c);
    const auto &[rounding, mode] = kHostRoundings[rng.below(4)];
    // Once with the host's help, once without.
    const std::uint8_t raised = rng.below(2) == 0 ? kInexact : 0;
    const auto check = [&](const char *name, const Outcome &host, auto ours) {
      Outcome out{0, raised};
      out.bits = ours(out.flags);
      const Outcome expected{host.bits, static_cast<std::uint8_t>(host.flags | raised)};
      EXPECT_EQ(out, expected) << name << " of " << std::hex << a << ", " << b << ", " << c << " rounded "
                               << static_cast<int>(rounding);
    };
    const Rounding r = rounding;
    check("add", onHost<Bits>(mode, [&] { return x + y; }), [&](auto &f) { return add(a, b, r, f); });
    check("subtract", onHost<Bits>(mode, [&] { return x - y; }), [&](auto &f) { return subtract(a, b, r, f); });
    check("multiply", onHost<Bits>(mode, [&] { return x * y; }), [&](auto &f) { return multiply(a, b, r, f); });
    check("divide", onHost<Bits>(mode, [&] { return x / y; }), [&](auto &f) { return divide(a, b, r, f); });
    check("root", onHost<Bits>(mode, [&] { return std::sqrt(T{x}); }), [&](auto &f) { return squareRoot(a, r, f); });
    // RISC-V raises "invalid" for infinity times zero also where a quiet NaN is added; hosts may not.
    const bool isEither = isNan(c) && !isNan(a) && !isNan(b) && std::isnan(T{x} * T{y});
    if (!isEither)
      check("multiply and add", onHost<Bits>(mode, [&] { return std::fma(T{x}, T{y}, T{z}); }),
            [&](auto &f) { return multiplyAdd(a, b, c, r, f); });
    const Outcome back = onHost<Bits>(mode, [&] { return static_cast<T>(static_cast<std::int64_t>(a)); });
    check("from integer", back, [&](auto &f) { return fromInteger<Bits>(static_cast<std::int64_t>(a), r, f); });
  }
}

TEST(Rv64Float, DoublesAreTheHosts) {
  compareWithHost<std::uint64_t>();
}

TEST(Rv64Float, SinglesAreTheHosts) {
  compareWithHost<std::uint32_t>();
}

TEST(Rv64Float, NarrowingIsTheHosts) {
  Rng rng(4);
  for (std::int64_t i = test::caseCount(60000); i > 0; --i) {
    // Singles with a few bits more.
    std::uint8_t ignored = 0;
    const std::uint64_t a =
        rng.below(4) == 0 ? drawn<std::uint64_t>(rng) : widen(drawn<std::uint32_t>(rng), ignored) ^ rng.below(8) << 26;
    const volatile double x = std::bit_cast<double>(a);
    const auto &[rounding, mode] = kHostRoundings[rng.below(4)];
    Outcome out;
    out.bits = narrow(a, rounding, out.flags);
    ASSERT_EQ(out, onHost<std::uint32_t>(mode, [&] { return static_cast<float>(x); })) << std::hex << a;
  }
}

TEST(Rv64Float, RoundsHalvesAwayFromZero) {
  std::uint8_t flags = 0;
  constexpr std::uint64_t kOne = 0x3ff0000000000000, kHalfUlp = 0x3ca0000000000000;
  EXPECT_EQ(add(kOne, kHalfUlp, Rounding::kAway, flags), kOne + 1);
  EXPECT_EQ(add(kOne, kHalfUlp, Rounding::kNearest, flags), kOne);
  EXPECT_EQ(add(kOne, kHalfUlp - 1, Rounding::kAway, flags), kOne) << "less than half";
  EXPECT_EQ(add(kOne | kSign<std::uint64_t>, kHalfUlp | kSign<std::uint64_t>, Rounding::kAway, flags),
            (kOne | kSign<std::uint64_t>)+1);
  constexpr std::uint64_t kTwoAndAHalf = 0x4004000000000000;
  EXPECT_EQ(toInteger<std::int32_t>(kTwoAndAHalf, Rounding::kAway, flags), 3);
  EXPECT_EQ(toInteger<std::int32_t>(kTwoAndAHalf, Rounding::kNearest, flags), 2);
}

TEST(Rv64Float, InfinityTimesZeroIsInvalidWhateverIsAdded) {
  std::uint8_t flags = 0;
  EXPECT_EQ(multiplyAdd<std::uint64_t>(kInfinity<std::uint64_t>, 0, kNan<std::uint64_t>, Rounding::kNearest, flags),
            kNan<std::uint64_t>);
  EXPECT_EQ(flags, kInvalid);
}

TEST(Rv64Float, IntegersSaturate) {
  struct Row {
    double value;
    std::int64_t w;
    std::uint64_t wu;
    std::int64_t l;
    std::uint64_t lu;
    std::uint8_t flags[4];
  };
  constexpr auto kNanValue = std::numeric_limits<double>::quiet_NaN();
  constexpr auto kInf = std::numeric_limits<double>::infinity();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                         kMost = std::numeric_limits<std::int64_t>::max();
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  const Row rows[] = {
      {kNanValue, 0x7fffffff, 0xffffffff, kMost, kAll, {16, 16, 16, 16}},
      {kInf, 0x7fffffff, 0xffffffff, kMost, kAll, {16, 16, 16, 16}},
      {-kInf, -0x80000000LL, 0, kLeast, 0, {16, 16, 16, 16}},
      {-0.0, 0, 0, 0, 0, {0, 0, 0, 0}},
      {-0.75, 0, 0, 0, 0, {1, 1, 1, 1}},
      {-1.0, -1, 0, -1, 0, {0, 16, 0, 16}},
      {2147483647.5, 0x7fffffff, 0x7fffffff, 0x7fffffff, 0x7fffffff, {1, 1, 1, 1}},
      {2147483648.0, 0x7fffffff, 0x80000000, 0x80000000, 0x80000000, {16, 0, 0, 0}},
      {-2147483648.5, -0x80000000LL, 0, -0x80000000LL, 0, {1, 16, 1, 16}},
      {-2147483649.0, -0x80000000LL, 0, -0x80000001LL, 0, {16, 16, 0, 16}},
      {4294967295.5, 0x7fffffff, 0xffffffff, 0xffffffff, 0xffffffff, {16, 1, 1, 1}},
      {9223372036854775808.0, 0x7fffffff, 0xffffffff, kMost, std::uint64_t{1} << 63, {16, 16, 16, 0}},
      {-9223372036854775808.0, -0x80000000LL, 0, kLeast, 0, {16, 16, 0, 16}},
      {18446744073709551616.0, 0x7fffffff, 0xffffffff, kMost, kAll, {16, 16, 16, 16}},
      {5e-324, 0, 0, 0, 0, {1, 1, 1, 1}},
  };
  for (const Row &row : rows) {
    const auto a = std::bit_cast<std::uint64_t>(row.value);
    std::uint8_t flags[4] = {};
    EXPECT_EQ(toInteger<std::int32_t>(a, Rounding::kToZero, flags[0]), row.w) << row.value;
    EXPECT_EQ(toInteger<std::uint32_t>(a, Rounding::kToZero, flags[1]), row.wu) << row.value;
    EXPECT_EQ(toInteger<std::int64_t>(a, Rounding::kToZero, flags[2]), row.l) << row.value;
    EXPECT_EQ(toInteger<std::uint64_t>(a, Rounding::kToZero, flags[3]), row.lu) << row.value;
    for (int i = 0; i < 4; ++i) EXPECT_EQ(flags[i], row.flags[i]) << row.value << " to " << i;
  }
}

TEST(Rv64Float, ANumberIsLessThanNan) {
  using Bits = std::uint32_t;
  constexpr Bits kOne = 0x3f800000, kSignalingNan = 0x7f800001, kMinusZero = 0x80000000;
  std::uint8_t flags = 0;
  EXPECT_EQ(least<Bits>(kOne, kNan<Bits>, flags), kOne);
  EXPECT_EQ(greatest<Bits>(kNan<Bits>, kOne, flags), kOne);
  EXPECT_EQ(flags, 0);
  EXPECT_EQ(least<Bits>(kSignalingNan, kNan<Bits> | 5, flags), kNan<Bits>);
  EXPECT_EQ(flags, kInvalid);
  flags = 0;
  EXPECT_EQ(least<Bits>(0, kMinusZero, flags), kMinusZero);
  EXPECT_EQ(greatest<Bits>(kMinusZero, 0, flags), 0U);
  EXPECT_TRUE(isEqual<Bits>(kMinusZero, 0, flags));
  EXPECT_FALSE(isLess<Bits>(kMinusZero, 0, flags));
  EXPECT_TRUE(isLessOrEqual<Bits>(0, kMinusZero, flags));
  EXPECT_FALSE(isEqual<Bits>(kNan<Bits>, kOne, flags));
  EXPECT_EQ(flags, 0) << "equality takes quiet NaN";
  EXPECT_FALSE(isLess<Bits>(kNan<Bits>, kOne, flags));
  EXPECT_EQ(flags, kInvalid);
}

TEST(Rv64Float, ClassesAreTenBits) {
  constexpr std::pair<std::uint32_t, int> kRows[] = {{0xff800000, 0}, {0xbf800000, 1}, {0x80000001, 2}, {0x80000000, 3},
                                                     {0, 4},          {0x007fffff, 5}, {0x00800000, 6}, {0x7f800000, 7},
                                                     {0x7f800001, 8}, {0xffc00000, 9}};
  for (const auto &[bits, place] : kRows) EXPECT_EQ(classOf(bits), std::uint64_t{1} << place) << std::hex << bits;
}

}  // namespace
}  // namespace pimento::guest::rv64
