// The bits that an independent script computed from the description of the accumulation order
// (scripts/golden_hbm_pim.py) are the bits the simulated device gives.
#include <gtest/gtest.h>

#include <filesystem>

#include "test/support/golden_vector.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

namespace fs = std::filesystem;

TEST(HbmPimGolden, TheDeviceGivesTheBitsOfTheIndependentScript) {
  const std::vector<fs::path> all = goldenFiles("hbm_pim");
  EXPECT_GE(all.size(), 20u);
  for (const fs::path &file : all) {
    const GoldenVector v = readGolden(file);
    EXPECT_FALSE(v.inputs.empty() || v.outputs.empty()) << file;
    for (const std::int64_t channels : {1, 4}) {
      SCOPED_TRACE(file.filename().string() + ", " + std::to_string(channels) + " channels");
      const machine::Machine machine = hbmPim(channels);
      const auto graph = kernel::makeZooKernel(v.kernel, v.sizes, DType::kF16, v.variant);
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      kernel::DataSet data = inputsOf(*graph, v);
      RunOptions options;
      options.variant = v.variant;
      const Diagnostics refused = runBoth(*graph, machine, options, data);
      ASSERT_TRUE(refused.empty()) << refused.front().str();
      expectOutputs(*graph, data, v);
    }
  }
}

TEST(HbmPimGolden, TheOrderMatters) {
  // Plain and tree round differently on the same data: the vectors can tell orders apart.
  const fs::path folder = PIMENTO_SOURCE_DIR "/test/golden/hbm_pim";
  const GoldenVector v = readGolden(folder / "gemv_three_tiles.txt");
  const auto graph = kernel::makeZooKernel(v.kernel, v.sizes, DType::kF16);
  const machine::Machine machine = hbmPim(1);
  kernel::DataSet data = inputsOf(*graph, v);
  RunOptions tree;
  tree.variant = "tree";
  ASSERT_TRUE(runBoth(*graph, machine, tree, data).empty());
  const kernel::TensorData &y = data[static_cast<std::size_t>(graph->tensorNamed("y"))];
  std::size_t differing = 0;
  for (std::size_t i = 0; i < v.outputs.at("y").size(); ++i) differing += wordAt(y, i) != v.outputs.at("y")[i] ? 1 : 0;
  EXPECT_GT(differing, 0u);
}

}  // namespace
}  // namespace pimento::test
