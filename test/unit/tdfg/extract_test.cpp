#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "pimento/kernel/zoo.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_data_graph.h"
#include "test/unit/tdfg/equal.h"

namespace pimento::tdfg {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kI32,  DType::kF16, DType::kU8,  DType::kF64,
                            DType::kI64, DType::kBF16, DType::kI16, DType::kU16, DType::kI8};

TEST(TdfgExtract, GraphsOfRandomAffineKernelsEqualTheInterpreter) {
  Rng rng(17);
  int graphs = 0, cases = 0;
  for (int n = 0; n < 600; ++n) {
    test::RandomAffineGraph random(rng, kTypes[n % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    ++cases;
    expectSameProgram(graph, 1 + static_cast<std::uint64_t>(n), &graphs);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(cases, 300);
  EXPECT_GT(graphs, cases / 3);
  std::cout << graphs << " of " << cases << " have graphs\n";
}

TEST(TdfgExtract, GraphsOfRandomKernelsWithIndicesFromDataEqualTheInterpreter) {
  Rng rng(18);
  int graphs = 0, cases = 0;
  for (int n = 0; n < 400; ++n) {
    test::RandomDataGraph random(rng, kTypes[n % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    ++cases;
    expectSameProgram(graph, 1 + static_cast<std::uint64_t>(n), &graphs);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(cases, 100);
  EXPECT_GT(graphs, 20);
  std::cout << graphs << " of " << cases << " have graphs\n";
}

TEST(TdfgExtract, KernelsOfTheZooAreOneProgramAtAllSizes) {
  for (const kernel::ZooEntry &entry : kernel::zoo()) {
    if (entry.isNetwork) continue;
    std::vector<std::string> names;
    for (const auto &[name, value] : entry.defaults) names.push_back(name);
    const DType type = entry.types[0];
    const GraphAt at = [&](const kernel::Sizes &sizes) { return kernel::makeZooKernel(entry.name, sizes, type); };
    auto program = fitStreams(names, at);
    if (!program) {
      std::cout << entry.name << ": " << textOf(program.diagnostics());
      continue;
    }
    extract(*program);
    ASSERT_TRUE(verify(*program).ok()) << textOf(verify(*program).diagnostics()) << print(*program);
    kernel::Sizes sizes;
    for (std::size_t s = 0; s < names.size(); ++s)
      sizes[names[s]] = std::max<std::int64_t>(program->leastSize, 9 + static_cast<std::int64_t>(s));
    const auto graph = at(sizes);
    ASSERT_TRUE(graph.ok());
    expectEqual(*graph, *program, sizes, {});
    if (HasFatalFailure()) return;
    std::cout << entry.name << " " << (program->regions[0].nodes.empty() ? program->regions[0].reason : "graph")
              << "\n";
  }
}

}  // namespace
}  // namespace pimento::tdfg
