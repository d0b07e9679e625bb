// The models that come with the tool, and the layers of their blocks.
#include "pimento/llm/model.h"

#include <gtest/gtest.h>

#include "pimento/llm/layers.h"
#include "test/support/llm_host.h"

namespace pimento::llm {
namespace {

TEST(Models, HaveAsManyWeightsAsTheirNamesSay) {
  for (const auto &[name, billions] : std::initializer_list<std::pair<const char *, double>>{{"gpt3-13b", 13},
                                                                                             {"gpt3-175b", 175},
                                                                                             {"llama2-7b", 7},
                                                                                             {"llama2-33b", 32},
                                                                                             {"llama-65b", 65},
                                                                                             {"llama3-8b", 8},
                                                                                             {"mt-nlg-310b", 310}})
    EXPECT_NEAR(test::model(name).weights() / 1e9, billions, 0.05 * billions) << name;
}

TEST(Models, HaveFractionsOfAWidthWhereTheirStudyHas) {
  EXPECT_DOUBLE_EQ(test::model("llama2-33b").ff, 6656 * 8.0 / 3);
}

TEST(Layers, OfOneTokenAreProductsOfVectors) {
  const Model m = test::model("gpt3-13b");
  const std::vector<Layer> block = blockLayers(m, {1, 1, 1000, 2}, 1);
  EXPECT_EQ(block.front().operations.front(), (Operation{OperationKind::kLinear, 1, 3 * 5120, 5120, 1, 2}));
  EXPECT_EQ(block[1].operations.front(), (Operation{OperationKind::kProducts, 1, 1000, 128, 40, 2}));
  double weights = 0;
  for (const Layer &l : block)
    if (l.isProduct())
      for (const Operation &o : l.operations) weights += o.n * o.k;
  EXPECT_DOUBLE_EQ(weights, m.weightsOfBlock());
}

TEST(Layers, AreSharedByGpus) {
  const Model m = test::model("llama3-8b");
  const Step step = {4, 1, 512, 2};
  double one = 0, four = 0;
  for (const Layer &l : blockLayers(m, step, 1))
    if (l.isProduct() || l.kind == LayerKind::kAttention)
      for (const Operation &o : l.operations)
        if (o.kind != OperationKind::kSoftmax) one += o.productFlops();
  for (const Layer &l : blockLayers(m, step, 4))
    if (l.isProduct() || l.kind == LayerKind::kAttention)
      for (const Operation &o : l.operations)
        if (o.kind != OperationKind::kSoftmax) four += o.productFlops();
  EXPECT_NEAR(four, one / 4, 1e-9 * one);
}

TEST(Layers, HeadsShareKeysAndValuesWhereThereAreFewerOfThem) {
  const Layer attention = blockLayers(test::model("llama3-8b"), {1, 1, 512, 2}, 1)[1];
  EXPECT_EQ(attention.operations.front(), (Operation{OperationKind::kProducts, 4, 512, 128, 8, 2}));
}

}  // namespace
}  // namespace pimento::llm
