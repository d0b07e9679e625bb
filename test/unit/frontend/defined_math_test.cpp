// Functions that kernels make of operations, against the system's library.
#include "pimento/frontend/native/defined_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "pimento/base/rng.h"

namespace pimento::frontend {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename F>
F function(const std::string &name) {
  for (const auto &[n, address] : definedFunctions())
    if (n == name) return reinterpret_cast<F>(address);
  ADD_FAILURE() << name << " is not defined";
  return nullptr;
}

using One = double (*)(double);
using OneF = float (*)(float);
using Two = double (*)(double, double);
using TwoF = float (*)(float, float);

struct Case {
  const char *name;
  One ours;
  double low, high, absolute, relative;
};

TEST(DefinedMath, IsAsCloseToTheLibraryAsIsSaid) {
  const Case cases[] = {{"sin", std::sin, -1000, 1000, 1e-12, 0},     {"cos", std::cos, -1000, 1000, 1e-12, 0},
                        {"sin", std::sin, -1e6, 1e6, 1e-12, 0},       {"cos", std::cos, -1e6, 1e6, 1e-12, 0},
                        {"tan", std::tan, -1.5, 1.5, 1e-12, 1e-11},   {"erf", std::erf, -8, 8, 1e-12, 0},
                        {"exp2", std::exp2, -40, 40, 0, 1e-14},       {"expm1", std::expm1, -4, 4, 0, 1e-14},
                        {"log2", std::log2, 1e-3, 1e6, 1e-15, 1e-14}, {"log10", std::log10, 1e-3, 1e6, 1e-15, 1e-14},
                        {"log1p", std::log1p, -0.9, 100, 0, 1e-14}};
  Rng rng(7);
  for (const Case &c : cases) {
    const auto ours = function<One>(c.name);
    const auto ofFloat = function<OneF>(std::string(c.name) + "f");
    for (int n = 0; n < 2000; ++n) {
      const double x = c.low + (c.high - c.low) * rng.unit();
      const double wanted = c.ours(x);
      EXPECT_NEAR(ours(x), wanted, c.absolute + c.relative * std::abs(wanted)) << c.name << " of " << x;
      const auto narrow = static_cast<float>(x);
      const double wantedF = c.ours(static_cast<double>(narrow));
      EXPECT_NEAR(static_cast<double>(ofFloat(narrow)), wantedF, 4e-7 * (1 + std::abs(wantedF)) * (1 + std::abs(x) / 4))
          << c.name << "f of " << narrow;
    }
    EXPECT_TRUE(std::isnan(ours(kNan))) << c.name;
  }
}

TEST(DefinedMath, HypotNeitherOverflowsNorVanishes) {
  const auto wide = function<Two>("hypot");
  const auto narrow = function<TwoF>("hypotf");
  Rng rng(3);
  for (int n = 0; n < 2000; ++n) {
    const double x = std::ldexp(rng.unit() - 0.5, static_cast<int>(rng.unit() * 200) - 100);
    const double y = std::ldexp(rng.unit() - 0.5, static_cast<int>(rng.unit() * 200) - 100);
    EXPECT_NEAR(wide(x, y), std::hypot(x, y), 5e-16 * std::hypot(x, y));
    const auto a = static_cast<float>(x), b = static_cast<float>(y);
    EXPECT_EQ(narrow(a, b), static_cast<float>(std::hypot(static_cast<double>(a), static_cast<double>(b))));
  }
  EXPECT_EQ(wide(3, 4), 5);
  EXPECT_EQ(wide(0, -0.0), 0);
  EXPECT_FALSE(std::signbit(wide(-0.0, -0.0)));
  EXPECT_TRUE(std::isfinite(wide(1e300, 1e300)));
  EXPECT_GT(wide(1e-300, 1e-300), 0);
  for (const double x : {0.0, 1.0, kNan, -kInfinity}) {
    EXPECT_EQ(wide(x, -kInfinity), kInfinity);
    EXPECT_EQ(wide(kInfinity, x), kInfinity);
    EXPECT_EQ(narrow(static_cast<float>(x), -std::numeric_limits<float>::infinity()),
              std::numeric_limits<float>::infinity());
  }
  EXPECT_TRUE(std::isnan(wide(kNan, 1)));
  EXPECT_TRUE(std::isnan(wide(1, kNan)));
  EXPECT_TRUE(std::isnan(narrow(std::numeric_limits<float>::quiet_NaN(), 1)));
}

TEST(DefinedMath, ExactOnesAreExact) {
  const auto fdim = function<Two>("fdim");
  Rng rng(5);
  for (int n = 0; n < 500; ++n) {
    const double x = rng.unit() * 8 - 4, y = rng.unit() * 8 - 4;
    EXPECT_EQ(fdim(x, y), std::fdim(x, y));
  }
  EXPECT_TRUE(std::isnan(fdim(kNan, 1)));
  EXPECT_TRUE(std::isnan(fdim(1, kNan)));
  EXPECT_EQ(fdim(kInfinity, 1), kInfinity);
}

}  // namespace
}  // namespace pimento::frontend
