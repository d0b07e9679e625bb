// Sampled results: is the full simulation inside the interval that the estimate reports? One seed of each case; with
// PIMENTO_LONG_TESTS 200, or as many as it says.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "test/support/upmem_run.h"

namespace pimento::test {
namespace {

struct Case {
  const char *name;
  UpmemRun run;
};

std::vector<Case> cases() {
  const std::string buffer = "reference;buffer=64";
  return {{"selection, 16 tasklets", {"sel", {{"n", 3200000}}, DType::kU32, buffer}},
          {"selection, 3 tasklets", {"sel", {{"n", 3200000}}, DType::kU16, buffer + ";tasklets=3"}},
          {"selection, 8 DPUs", {"sel", {{"n", 3200000}}, DType::kU32, buffer + ";dpus=8"}},
          {"histogram, 16 tasklets", {"hst", {{"n", 1100000}}, DType::kU32, buffer, "plain", uniformData(0, 4095)}},
          {"histogram, 8 tasklets",
           {"hst", {{"n", 1100000}}, DType::kU16, buffer + ";tasklets=8", "plain", uniformData(0, 4095)}},
          {"matrix times vector", {"gemv", {{"m", 1300}, {"n", 512}}, DType::kI32, buffer + ";tasklets=2"}},
          {"matrix times vector, long rows", {"gemv", {{"m", 32}, {"n", 40000}}, DType::kU32, buffer}},
          {"matrix times matrix",
           {"gemm",
            {{"m", 1200}, {"n", 16}, {"k", 64}},
            DType::kU16,
            "reference;buffer=16;tasklets=2",
            "plain",
            uniformData(0, 999)}}};
}

class Sampling : public testing::TestWithParam<std::size_t> {};

TEST_P(Sampling, TheFullRunLiesInTheInterval) {
  Case c = cases()[GetParam()];
  const char *asked = std::getenv("PIMENTO_LONG_TESTS");
  const int number = asked != nullptr ? std::atoi(asked) : 0;
  const int seeds = asked == nullptr ? 1 : number > 1 ? number : 200;
  int inside = 0, sampled = 0;
  double widest = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    c.run.data.seed = static_cast<std::uint64_t>(seed);
    const auto estimated = c.run.estimate(), simulated = c.run.simulate();
    ASSERT_TRUE(estimated.ok() && simulated.ok());
    if (estimated->exact == evaluate::Exactness::kSimulated) {  // a narrow interval would have cost as much
      EXPECT_EQ(estimated->cycles, simulated->cycles);
      ++inside;
      continue;
    }
    ASSERT_EQ(estimated->exact, evaluate::Exactness::kSampled) << c.name;
    ++sampled;
    const auto low = static_cast<double>(estimated->interval->low.value),
               high = static_cast<double>(estimated->interval->high.value);
    const auto full = static_cast<double>(simulated->cycles.value);
    inside += low <= full && full <= high ? 1 : 0;
    widest = std::max(widest, (high - low) / 2 / full);
    if (seeds == 1) {
      EXPECT_LE(low, full) << c.name;
      EXPECT_GE(high, full) << c.name;
    }
  }
  std::printf("%s: %d of %d inside, %d of them sampled, half-width at most %.2f %%\n", c.name, inside, seeds, sampled,
              100 * widest);
  EXPECT_GE(2 * sampled, seeds) << c.name;
  EXPECT_GE(inside, (seeds * 19) / 20);
  EXPECT_LE(widest, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Cases, Sampling, testing::Range(std::size_t{0}, cases().size()));

}  // namespace
}  // namespace pimento::test
