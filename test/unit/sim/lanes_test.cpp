// The processor's F16C path against the portable one, and the portable one against plain doubles.
#include "pimento/sim/pim/lanes.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "pimento/base/dtype.h"
#include "pimento/base/rng.h"

namespace pimento::test {
namespace {

using sim::pim::Half;
using sim::pim::kLanes;
using sim::pim::LaneArithmetic;
using Lanes = std::array<Half, kLanes>;

// Zeros, subnormals, the smallest and largest normals, halves around ties and around overflow, infinities, NaNs.
const std::vector<Half> &specials() {
  static const std::vector<Half> kAll = [] {
    std::vector<Half> positive = {0x0000, 0x0001, 0x0002, 0x0003, 0x01ff, 0x03ff, 0x0400, 0x0401, 0x07ff,
                                  0x0800, 0x13ff, 0x1400, 0x2bff, 0x3555, 0x37ff, 0x3800, 0x3801, 0x3bff,
                                  0x3c00, 0x3c01, 0x3fff, 0x4000, 0x4200, 0x5bff, 0x63ff, 0x6400, 0x77ff,
                                  0x7800, 0x7bfe, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff};
    std::vector<Half> all = positive;
    for (const Half h : positive) all.push_back(static_cast<Half>(h | 0x8000));
    return all;
  }();
  return kAll;
}

void expectEqual(const Lanes &out, const Lanes &a, const Lanes &b) {
  const LaneArithmetic &fast = sim::pim::lanes(), &plain = sim::pim::portableLanes();
  for (const auto operation : {&LaneArithmetic::add, &LaneArithmetic::mul, &LaneArithmetic::mac}) {
    Lanes x = out, y = out;
    (fast.*operation)(x.data(), a.data(), b.data());
    (plain.*operation)(y.data(), a.data(), b.data());
    for (std::size_t l = 0; l < kLanes; ++l)
      ASSERT_EQ(x[l], y[l]) << std::hex << "out " << out[l] << " a " << a[l] << " b " << b[l];
  }
}

TEST(Lanes, TheFastVersionEqualsThePortableOneOnAllSpecials) {
  const std::vector<Half> &s = specials();
  Lanes out{}, a{}, b{};
  std::size_t lane = 0;
  for (const Half x : s)
    for (const Half y : s)
      for (const Half z : s) {
        out[lane] = x;
        a[lane] = y;
        b[lane] = z;
        if (++lane < kLanes) continue;
        lane = 0;
        expectEqual(out, a, b);
        if (HasFatalFailure()) return;
      }
}

TEST(Lanes, TheFastVersionEqualsThePortableOneOnRandomTriples) {
  Rng rng(7);
  for (int i = 0; i < 1000000 / kLanes; ++i) {
    Lanes out{}, a{}, b{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      const std::uint64_t bits = rng.next();
      out[l] = static_cast<Half>(bits);
      a[l] = static_cast<Half>(bits >> 16);
      b[l] = static_cast<Half>(bits >> 32);
    }
    expectEqual(out, a, b);
    if (HasFatalFailure()) return;
  }
}

TEST(Lanes, EachOperationRoundsTheExactResultOnce) {
  Rng rng(8);
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<Half>(rng.next()), y = static_cast<Half>(rng.next());
    Lanes sum{}, product{}, a{}, b{};
    a.fill(x);
    b.fill(y);
    sim::pim::lanes().add(sum.data(), a.data(), b.data());
    sim::pim::lanes().mul(product.data(), a.data(), b.data());
    const double u = decodeFloat(DType::kF16, x), v = decodeFloat(DType::kF16, y);  // sum and product are exact
    EXPECT_EQ(sum[5], encodeFloat(DType::kF16, u + v));
    EXPECT_EQ(product[5], encodeFloat(DType::kF16, u * v));
  }
}

TEST(Lanes, MultiplyAccumulateRoundsTheProductFirst) {
  // 1 + 2^-10 squared is 1 + 2^-9 + 2^-20; the last term is lost before -1 is added.
  Lanes out{}, a{};
  out.fill(0xbc00);
  a.fill(0x3c01);
  sim::pim::lanes().mac(out.data(), a.data(), a.data());
  EXPECT_EQ(out[0], 0x1800) << "2^-9, where a fused operation gives more";
}

TEST(Lanes, TheOutputMayBeAnInput) {
  Lanes a{}, b{};
  a.fill(0x4000);
  b.fill(0x4200);
  sim::pim::lanes().add(a.data(), a.data(), b.data());
  EXPECT_EQ(a[15], 0x4500);
  sim::pim::lanes().mul(b.data(), a.data(), b.data());
  EXPECT_EQ(b[15], 0x4b80);
}

}  // namespace
}  // namespace pimento::test
