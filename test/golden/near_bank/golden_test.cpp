// The bits that an independent script computed from the description of the order of a sum
// (scripts/golden_near_bank.py) are the bits that the simulated units give.
#include <gtest/gtest.h>

#include <filesystem>

#include "test/support/golden_vector.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

TEST(NearBankGolden, TheDeviceGivesTheBitsOfTheIndependentScript) {
  const std::vector<std::filesystem::path> all = goldenFiles("near_bank");
  EXPECT_GE(all.size(), 20u);
  for (const std::filesystem::path &file : all) {
    SCOPED_TRACE(file.filename().string());
    const GoldenVector v = readGolden(file);
    EXPECT_FALSE(v.inputs.empty() || v.outputs.empty());
    const auto machine = machine::loadMachine(v.machine, {PIMENTO_SOURCE_DIR "/machines"});
    ASSERT_TRUE(machine.ok()) << machine.diagnostics().front().str();
    const auto graph = kernel::makeZooKernel(v.kernel, v.sizes, machine->nativeType);
    ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
    kernel::DataSet data = inputsOf(*graph, v);
    RunOptions options;
    options.maps = {mapSpec(v.map)};
    const Diagnostics refused = runBoth(*graph, *machine, options, data);
    ASSERT_TRUE(refused.empty()) << refused.front().str();
    expectOutputs(*graph, data, v);
  }
}

}  // namespace
}  // namespace pimento::test
