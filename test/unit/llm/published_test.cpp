// The study's formulas, step by step.
#include "pimento/llm/published.h"

#include <gtest/gtest.h>

#include "pimento/llm/pim.h"
#include "pimento/targets/targets.h"
#include "test/support/llm_host.h"
#include "test/support/machine_file.h"

namespace pimento::llm {
namespace {

struct Published : ::testing::Test {
  Host host = test::host();
  machine::Machine machine = test::load("attacc-published");
  PimDevice device{machine, nullptr, targets::near_bank::target(), {"reference;mode=inference", "reference"}, {}, {}};
  System gpu{host, 1, nullptr, 0}, attacc{host, 1, &device, 5};
  Model model = test::model("gpt3-13b");

  PublishedStep step(const System &system, const Workload &w, Overlap overlap = Overlap::kBase,
                     bool hasProductsOnPim = false) {
    const Result<PublishedRun> run = published(system, model, w, {overlap, hasProductsOnPim});
    EXPECT_TRUE(run.ok());
    return run->mean;
  }
};

TEST_F(Published, BaseHidesTransfersBehindAttention) {
  const Workload w = {1, 511, 2};
  const PublishedStep alone = step(gpu, w), base = step(attacc, w);
  EXPECT_EQ(alone.communication.value, 0);
  EXPECT_EQ(alone.qkv, base.qkv);
  const Result<PimTime> attention = device.attention(8, 128, 512);
  ASSERT_TRUE(attention.ok());
  EXPECT_DOUBLE_EQ(base.attention.value, 40 * attention->time.value);
  const double transfers = (3 * 5120 + 5120) * 2 / 300e9 * 1e12;
  EXPECT_NEAR(base.communication.value, 40 * transfers / 40, 1) << "one head's share stays";
}

TEST_F(Published, FullTakesAttentionFromProductsAndSharesTheFeedForwardPart) {
  const Workload w = {1, 511, 2};
  const PublishedStep base = step(attacc, w), full = step(attacc, w, Overlap::kFull);
  const double hidden = base.attention.value * (1 - 1.0 / 40);
  EXPECT_NEAR(full.qkv.value, base.qkv.value - 0.75 * hidden, 1);
  EXPECT_NEAR(full.projection.value, base.projection.value - 0.25 * hidden, 1);
  EXPECT_NEAR(full.feedForward.value, base.feedForward.value / (1 + 10406.4 * 5 / 3352), 1);
}

/// 36,504 and 3,448 cycles: the sheet of the study's baseline tilings.
TEST_F(Published, ProductsOfTheCompilerRunHeadByHead) {
  const PublishedStep base = step(attacc, {1, 511, 2}), own = step(attacc, {1, 511, 2}, Overlap::kBase, true);
  const double ps = 1000 / machine.clockGHz;
  EXPECT_NEAR(own.qkv.value, 40 * 36504 * ps, 1);
  EXPECT_NEAR(own.projection.value, 40 * 3448 * ps, 1);
  EXPECT_EQ(own.feedForward, base.feedForward);
  EXPECT_EQ(own.attention, base.attention);
}

TEST_F(Published, TheMeanIsOfAllStepsButTheFirst) {
  const PublishedStep one = step(gpu, {1, 100, 2}), other = step(gpu, {1, 101, 2}), both = step(gpu, {1, 100, 3});
  EXPECT_NEAR(both.attention.value, (one.attention.value + other.attention.value) / 2, 1);
}

}  // namespace
}  // namespace pimento::llm
