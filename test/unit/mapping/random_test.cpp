#include "pimento/mapping/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "pimento/kernel/notation.h"
#include "test/support/hand_machine.h"

namespace pimento::mapping {
namespace {

TEST(RandomMapping, MostAreLegalAndDiffer) {
  machine::Machine machine = test::handMachine();
  machine.levels = {
      {"rank", 4, true, "host", false}, {"dpu", 8, true, "host", true}, {"tasklet", 24, false, "", false}};
  const auto graph = kernel::parseNotation("y[i] += A[i,j] * x[j]", {{"i", 300}, {"j", 500}}, DType::kF16);
  ASSERT_TRUE(graph.ok());
  Rng rng(1);
  std::set<std::string> texts;
  int legal = 0;
  constexpr int kDraws = 300;
  for (int i = 0; i < kDraws; ++i) {
    const Mapping m = randomMapping(graph->kernels.front(), machine, rng);
    texts.insert(m.text);
    const auto again = parseMapSpec(m.text);
    ASSERT_TRUE(again.ok()) << m.text;
    EXPECT_EQ(print(again->mapping), m.text);
    legal += place(m, graph->kernels.front(), machine).ok() ? 1 : 0;
  }
  EXPECT_GT(legal, kDraws / 2);
  EXPECT_GT(texts.size(), static_cast<std::size_t>(kDraws) / 2);
}

TEST(RandomMapping, DependsOnTheSeedAlone) {
  const machine::Machine machine = test::handMachine();
  const auto graph = kernel::parseNotation("z[i] = x[i] + y[i]", {{"i", 5000}}, DType::kF16);
  Rng one(5), same(5), other(6);
  const Mapping m = randomMapping(graph->kernels.front(), machine, one);
  EXPECT_EQ(m.text, randomMapping(graph->kernels.front(), machine, same).text);
  std::set<std::string> texts;
  for (int i = 0; i < 20; ++i) texts.insert(randomMapping(graph->kernels.front(), machine, other).text);
  EXPECT_GT(texts.size(), 1u);
}

TEST(SpreadEvenly, GivesEveryPowerOfTwoAsManyDraws) {
  Rng rng(3);
  std::array<int, 4> draws{};
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t n = spreadEvenly(10, rng);
    ASSERT_GE(n, 1);
    ASSERT_LE(n, 10);
    ++draws[n >= 8 ? 3u : n >= 4 ? 2u : n >= 2 ? 1u : 0u];
  }
  for (const int d : draws) EXPECT_NEAR(d, 1000, 150);
  EXPECT_EQ(spreadEvenly(1, rng), 1);
}

}  // namespace
}  // namespace pimento::mapping
