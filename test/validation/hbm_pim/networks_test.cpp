// The zoo's networks on HBM-PIM: device layers take the cycles that the reference points say, and every layer that runs
// on the device gives the interpreter's bits.
#include <gtest/gtest.h>

#include <map>

#include "pimento/kernel/zoo.h"
#include "test/support/cases.h"
#include "test/support/hbm_pim_run.h"
#include "test/support/target_of.h"

namespace pimento::test {
namespace {

struct Network {
  std::string name;
  kernel::Sizes sizes;
};

evaluate::Request request(const kernel::Graph &graph, const machine::Machine &machine, evaluate::Offload offload) {
  evaluate::Request r;
  r.graph = &graph;
  r.machine = &machine;
  r.target = &targetOf(machine);
  r.tools.cache = sharedCache();
  r.maps.emplace_back();
  r.offload = offload;
  return r;
}

void expectChecked(const Network &network, const machine::Machine &machine, evaluate::Offload offload) {
  SCOPED_TRACE(network.name);
  const auto graph = kernel::makeZooKernel(network.name, network.sizes, DType::kF16);
  ASSERT_TRUE(graph);
  evaluate::Request r = request(*graph, machine, offload);
  const auto estimate = evaluate::evaluate(r);
  ASSERT_TRUE(estimate);
  kernel::DataSet data = kernel::makeData(*graph, {});
  r.data = &data;
  r.isSimulation = true;
  const auto simulation = evaluate::evaluate(r);
  ASSERT_TRUE(simulation) << simulation.diagnostics().front().str();
  EXPECT_TRUE(simulation->isChecked);
  EXPECT_EQ(agreedPart(*estimate), agreedPart(*simulation));
}

TEST(HbmPimNetworks, LayersOfTheReferencePointsShapesTakeTheirCycles) {
  // validation/hbm-pim/gemv.csv at 64 channels: all matrices of up to 4096 outputs take what 4096 do.
  const std::map<std::string, std::map<std::string, std::int64_t>> expected = {
      {"rnnt", {{"enc1.f0.wh", 3662}, {"enc5.wx", 3662}, {"enc3.wx", 6970}, {"symbols", 1867}}},
      {"alexnet", {{"fc7", 13166}, {"fc8", 13166}}},
      {"resnet", {{"fc", 6970}}},
  };
  const machine::Machine machine = hbmPim(64);
  for (const auto &[name, layers] : expected) {
    const auto graph = kernel::makeZooKernel(name, {}, DType::kF16);
    ASSERT_TRUE(graph);
    const auto report = evaluate::evaluate(request(*graph, machine, evaluate::Offload::kPossible));
    ASSERT_TRUE(report);
    std::size_t found = 0;
    for (const evaluate::Stage &stage : report->stages)
      if (const auto layer = layers.find(stage.kernel); layer != layers.end()) {
        EXPECT_EQ(stage.cycles, Cycles(layer->second)) << name << " " << stage.kernel;
        ++found;
      }
    EXPECT_EQ(found, layers.size()) << name;
  }
}

TEST(HbmPimNetworks, DeviceLayersGiveTheInterpretersBits) {
  const machine::Machine machine = hbmPim(64);
  std::vector<Network> networks = {{"rnnt", {}}, {"wav2", {{"frames", 2}, {"layers", 1}}}};
  if (isLongRun()) networks = {{"alexnet", {}}, {"resnet", {{"depth", 18}}}, {"resnet", {}}, {"wav2", {{"frames", 5}}}};
  for (const Network &network : networks)
    for (const auto offload : {evaluate::Offload::kPossible, evaluate::Offload::kBest})
      expectChecked(network, machine, offload);
}

}  // namespace
}  // namespace pimento::test
