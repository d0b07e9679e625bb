// The softmax units of near-bank devices: what they add up, and weights as a plain loop computes them.
#include "pimento/sim/pim/softmax_unit.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "pimento/base/dtype.h"
#include "pimento/base/rng.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::pim::Half;
using sim::pim::kLanes;
using sim::pim::SoftmaxUnits;

float toHalf(double x) {
  return static_cast<float>(decodeFloat(DType::kF16, encodeFloat(DType::kF16, x)));
}

/// Entry `number` as numbers.
std::vector<float> entryOf(SoftmaxUnits &units, int channel, std::int64_t number) {
  Half bits[kLanes];
  units.copy(channel, number, bits);
  std::vector<float> out;
  for (const Half h : bits) out.push_back(static_cast<float>(decodeFloat(DType::kF16, h)));
  return out;
}

TEST(SoftmaxUnit, AnEntryTakesAFirstResultAsItIsAndAddsTheNext) {
  const machine::Machine m = load("attacc");
  SoftmaxUnits units(*m.nearBank, 2);
  std::vector<float> a(kLanes, -0.0F), b(kLanes, 2048), c(kLanes, 0.25F);
  units.add(1, 7, a.data());
  EXPECT_TRUE(std::signbit(entryOf(units, 1, 7)[0])) << "-0, which 0 + -0 is not";
  units.add(1, 7, b.data());
  units.add(1, 7, c.data());
  units.add(1, 7, c.data());
  units.add(1, 7, c.data());
  units.add(1, 7, c.data());
  units.add(1, 7, c.data());
  EXPECT_EQ(entryOf(units, 1, 7)[3], 2050) << "2049.25 rounds once: added in f16, it would have stayed 2048";
  units.empty(1, 7);
  units.add(1, 7, c.data());
  EXPECT_EQ(entryOf(units, 1, 7)[0], 0.25F);
  EXPECT_EQ(entryOf(units, 0, 7)[0], 0) << "another channel's";
}

TEST(SoftmaxUnit, MakesWeightsOfScoresInStretches) {
  const machine::Machine m = load("attacc");
  Rng rng(5);
  for (const auto &[scores, perStretch, stretches] :
       {std::array<int, 3>{1, 1, 1}, {16, 16, 1}, {50, 50, 1}, {50, 17, 3}, {50, 17, 5}, {64, 16, 4}, {3, 1, 4}}) {
    SCOPED_TRACE(std::to_string(scores) + " in stretches of " + std::to_string(perStretch));
    SoftmaxUnits units(*m.nearBank, 1);
    const float scale = toHalf(0.3);
    units.settings(0) = {scale, scores, perStretch, stretches};
    const int entries = (perStretch + kLanes - 1) / kLanes;
    std::vector<float> s;
    for (int i = 0; i < scores; ++i) s.push_back(toHalf(rng.real(-4, 4)));
    for (int e = 0; e < stretches * entries; ++e) {
      std::vector<float> lanes(kLanes, 100);  // what is no score must not count
      for (int l = 0; l < kLanes; ++l) {
        const int within = e % entries * kLanes + l, number = e / entries * perStretch + within;
        if (within < perStretch && number < scores)
          lanes[static_cast<std::size_t>(l)] = s[static_cast<std::size_t>(number)];
      }
      units.add(0, 3 + e, lanes.data());
    }
    units.run(0, 3);

    float peak = -INFINITY, total = 0;
    for (float &x : s) peak = std::max(peak, x = toHalf(x * scale));
    for (float &x : s) x = toHalf(std::exp(static_cast<double>(toHalf(x - peak))));
    for (int first = 0; first < scores; first += perStretch) {
      float part = 0;
      for (int at = first; at < std::min(first + perStretch, scores); at += kLanes) {
        std::vector<float> tree(kLanes, 0);
        for (int l = 0; l < kLanes && at + l < std::min(first + perStretch, scores); ++l)
          tree[static_cast<std::size_t>(l)] = s[static_cast<std::size_t>(at + l)];
        for (; tree.size() > 1; tree.resize(tree.size() / 2))
          for (std::size_t i = 0; i < tree.size() / 2; ++i) tree[i] = tree[2 * i] + tree[2 * i + 1];
        part += tree[0];
      }
      total += part;
    }
    total = toHalf(total);
    for (int e = 0; e < stretches * entries; ++e) {
      const std::vector<float> got = entryOf(units, 0, 3 + e);
      for (int l = 0; l < kLanes; ++l) {
        const int within = e % entries * kLanes + l, number = e / entries * perStretch + within;
        const bool isScore = within < perStretch && number < scores;
        ASSERT_EQ(got[static_cast<std::size_t>(l)], isScore ? toHalf(s[static_cast<std::size_t>(number)] / total) : 0)
            << "entry " << e << " lane " << l;
      }
    }
    const std::vector<float> next(kLanes, 1);
    units.add(0, 3, next.data());
    EXPECT_EQ(entryOf(units, 0, 3), next) << "weights are no results: the next scores replace them";
  }
}

}  // namespace
}  // namespace pimento::test
