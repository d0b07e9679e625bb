#include "pimento/kernel/networks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pimento/kernel/interpreter.h"
#include "test/unit/kernel/support.h"

namespace pimento::kernel {
namespace {

const Kernel &layer(const Graph &graph, const std::string &name) {
  const auto found = std::find_if(graph.kernels.begin(), graph.kernels.end(), [&](auto &k) { return k.name == name; });
  EXPECT_NE(found, graph.kernels.end()) << name;
  return *found;
}

/// Elements of the constants: the parameters that published tables count, without biases and normalisation.
std::int64_t parameters(const Graph &graph) {
  std::int64_t n = 0;
  for (const Tensor &t : graph.tensors)
    if (t.isConstant) n += t.elements();
  return n;
}

std::int64_t multiplyAccumulates(const Graph &graph) {
  std::int64_t n = 0;
  for (const Kernel &k : graph.kernels)
    if (k.stores.size() == 1 && k.stores[0].combine == Combine::kAdd && k.loads.size() == 2) n += k.points();
  return n;
}

TEST(Networks, AlexNetHasTheParametersAndProductsOfTorchvision) {
  const Graph graph = alexnet(DType::kF16);
  EXPECT_EQ(parameters(graph), 61100840 - 10344);  // torchvision counts the biases too
  EXPECT_EQ(layer(graph, "conv1").points(), 64LL * 55 * 55 * 3 * 11 * 11);
  EXPECT_EQ(layer(graph, "fc6").points(), 4096LL * 9216);
  EXPECT_EQ(layer(graph, "relu2").points(), 139968);
}

TEST(Networks, ResNetHasTheParametersAndProductsOfItsPaper) {
  // torchvision: 25,557,032 with 53,120 of batch normalisation and 1000 biases; 11,689,512 with 9600 and 1000.
  EXPECT_EQ(parameters(resnet(50, DType::kF16)), 25557032 - 53120 - 1000);
  EXPECT_EQ(parameters(resnet(18, DType::kF16)), 11689512 - 9600 - 1000);
  EXPECT_NEAR(static_cast<double>(multiplyAccumulates(resnet(50, DType::kF16))), 4.09e9, 0.02e9);
  EXPECT_NEAR(static_cast<double>(multiplyAccumulates(resnet(18, DType::kF16))), 1.81e9, 0.01e9);
}

TEST(Networks, Wav2HasTheTransformerOfTheBaseModel) {
  const Graph graph = wav2(49, 12, DType::kF16);
  const std::int64_t perLayer = 4 * 768 * 768 + 2 * 768 * 3072 + 4 * 768;  // projections, feed forward, two norms
  EXPECT_EQ(parameters(graph), 12 * perLayer + 512 * 768 + 768 * 32);
  EXPECT_EQ(layer(graph, "l11.ff1").points(), 49LL * 3072 * 768);
}

TEST(Networks, RnntHasTheLstmLayersOfTheReferenceModel) {
  const Graph graph = rnnt(DType::kF16);
  EXPECT_EQ(layer(graph, "enc1.f0.wx").points(), 4096LL * 240);
  EXPECT_EQ(layer(graph, "enc3.wx").points(), 4096LL * 2048);
  EXPECT_EQ(layer(graph, "enc5.wh").points(), 4096LL * 1024);
  EXPECT_EQ(layer(graph, "pred2.wx").points(), 1280LL * 320);
  EXPECT_EQ(layer(graph, "symbols").points(), 29LL * 512);
}

TEST(Networks, ActivationsStayFiniteAndAliveOnRandomData) {
  for (const char *name : {"rnnt", "wav2"}) {
    Sizes sizes;
    if (std::string(name) == "wav2") sizes = {{"frames", 3}, {"layers", 2}};
    const Graph graph = fromZoo(name, sizes, DType::kF16);
    DataSet data = makeData(graph, {});
    ASSERT_TRUE(interpret(graph, data));
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
      if (graph.tensors[t].role != Role::kOutput) continue;
      double largest = 0;
      for (std::int64_t e = 0; e < graph.tensors[t].elements(); ++e) {
        ASSERT_TRUE(std::isfinite(data[t].asDouble(e))) << name << " " << graph.tensors[t].name;
        largest = std::max(largest, std::fabs(data[t].asDouble(e)));
      }
      EXPECT_GT(largest, 0.01) << name;
    }
  }
}

TEST(Networks, AKernelAloneComputesWhatItDoesInItsGraph) {
  const Graph graph = fromZoo("wav2", {{"frames", 2}, {"layers", 1}}, DType::kF16);
  DataSet whole = makeData(graph, {}), steps = whole;
  ASSERT_TRUE(interpret(graph, whole));
  for (std::size_t t = 0; t < graph.tensors.size(); ++t)
    if (graph.tensors[t].role == Role::kOutput || graph.tensors[t].role == Role::kTemporary)
      steps[t] = TensorData(graph.tensors[t].type, graph.tensors[t].shape);
  for (int k = 0; k < static_cast<int>(graph.kernels.size()); ++k) ASSERT_TRUE(interpretKernel(graph, k, steps));
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) EXPECT_EQ(whole[t].bytes, steps[t].bytes);
}

TEST(Networks, AResNetOfAnotherDepthIsADiagnostic) {
  const auto graph = makeZooKernel("resnet", {{"depth", 34}}, DType::kF16);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.diagnostics()[0].code, "bad-extent");
  EXPECT_EQ(graph.diagnostics()[0].hint, "use depth 18 or 50");
}

}  // namespace
}  // namespace pimento::kernel
