// Regions of tensor graphs, lowered and run in arrays: against the reference executor, in both modes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "pimento/base/rng.h"
#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/notation.h"
#include "pimento/lower/l3_sram/layout.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/targets/l3_sram/region_run.h"
#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_data_graph.h"

namespace pimento::targets::l3_sram {
namespace {

constexpr DType kTypes[] = {DType::kF32, DType::kI32,  DType::kF16, DType::kU8,  DType::kF64,
                            DType::kI64, DType::kBF16, DType::kI16, DType::kU16, DType::kI8};

machine::Sram cache() {
  machine::Sram s;
  s.meshColumns = s.meshRows = 8;
  s.ways = s.arraysPerWay = 16;
  s.bitlines = 64;
  s.line = Bytes(1);
  s.packet = Bytes(64);
  s.mostPerBitline = 16;
  return s;
}

/// A tile of 64 cells: powers of two.
std::vector<std::int64_t> randomTile(Rng &rng, std::size_t dims) {
  std::vector<std::int64_t> tile(dims, 1);
  for (int i = 0; i < 6; ++i) tile[rng.next() % dims] *= 2;
  return tile;
}

struct Counts {
  int cases = 0, inArrays = 0;
};

/// The program by its regions in arrays equals the program by the reference executor.
void expectSame(const kernel::Graph &graph, std::uint64_t seed, Counts &counts) {
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return graph; });
  if (!program) return;
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  ASSERT_TRUE(values);
  kernel::DataSet given = kernel::makeData(graph, {.seed = seed});
  given.resize(program->arrays.size());
  auto prepared = tdfg::prepare(*program, *values, given);
  if (!prepared) return;
  Rng rng(seed);
  std::vector<std::vector<std::int64_t>> tiles{{}, randomTile(rng, 1), randomTile(rng, 2), randomTile(rng, 3)};
  kernel::DataSet expected = *prepared, bits = *prepared, words = *prepared;
  ++counts.cases;
  bool isRefused = false;
  const auto visit = [&](kernel::DataSet &data, const auto &region) {
    return tdfg::visitRegions(*program, *values, [&](int r, const tdfg::Values &now, const std::vector<int> &names) {
      return region(r, now, names, data);
    });
  };
  const auto plain = [&](int r, const tdfg::Values &now, const std::vector<int> &names, kernel::DataSet &data) {
    const auto &tile = tiles[static_cast<std::size_t>(program->regions[static_cast<std::size_t>(r)].lattice)];
    tdfg::ExecuteOptions options;
    std::copy(tile.begin(), tile.end(), options.tile.begin());
    return tdfg::executeRegion(*program, r, now, names, data, options);
  };
  const auto lowered = [&](machine::Sram::Mode mode) {
    return [&, mode](int r, const tdfg::Values &now, const std::vector<int> &names, kernel::DataSet &data) -> Status {
      const tdfg::Region &region = program->regions[static_cast<std::size_t>(r)];
      if (region.nodes.empty()) return tdfg::executeStreams(*program, r, now, names, data);
      const auto schedule = tdfg::schedule(*program, r, {256, 256});
      if (!schedule) {
        isRefused = true;
        return plain(r, now, names, data);
      }
      const auto instance = tdfg::bindRegion(*program, r, now);
      if (!instance) return instance.diagnostics();
      const auto layout =
          lower::l3_sram::place(instance->bounding, tiles[static_cast<std::size_t>(region.lattice)], 1, cache());
      if (!layout) return layout.diagnostics();
      const auto code =
          lower::l3_sram::lowerRegion(*program, *instance, *schedule, *layout, constantsOf(*instance, names, data));
      if (!code) return code.diagnostics();
      const auto ran = runRegion({&*program, &*instance, &*schedule, &*layout}, *code, names, mode, data);
      if (!ran) {
        // exp, log, sqrt, tanh and remainders have no micro-program.
        if (ran.diagnostics().front().code != "sram-operation") return ran.diagnostics();
        isRefused = true;
        return plain(r, now, names, data);
      }
      ++counts.inArrays;
      return okStatus();
    };
  };
  const Status first = visit(expected, plain);
  const Status second = visit(bits, lowered(machine::Sram::Mode::kBits));
  const Status third = visit(words, lowered(machine::Sram::Mode::kWords));
  ASSERT_EQ(first.ok(), second.ok()) << second.diagnostics().front().str();
  ASSERT_EQ(first.ok(), third.ok());
  if (!first) return;
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_TRUE(expected[a].bytes == bits[a].bytes) << program->arrays[a].name << kernel::print(graph);
    EXPECT_TRUE(expected[a].bytes == words[a].bytes) << program->arrays[a].name << kernel::print(graph);
  }
}

TEST(SramRegions, NeedTilesOfAPowerOfTwoWhereTheyReduce) {
  auto program = tdfg::fitStreams(
      {}, [](const auto &) { return kernel::parseNotation("y[i] += A[i,j]", {{"i", 40}, {"j", 200}}, DType::kI32); });
  ASSERT_TRUE(program);
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  const auto instance = tdfg::bindRegion(*program, 0, *values);
  ASSERT_TRUE(instance);
  const auto schedule = tdfg::schedule(*program, 0, {256, 256});
  ASSERT_TRUE(schedule);
  const auto layout = lower::l3_sram::place(instance->bounding, std::vector<std::int64_t>{96, 2}, 4, cache());
  ASSERT_TRUE(layout);
  const std::vector<std::uint64_t> constants(instance->nodes.size());
  const auto code = lower::l3_sram::lowerRegion(*program, *instance, *schedule, *layout, constants);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.diagnostics().front().code, "no-command");
}

int cases(int usual) {
  const char *given = std::getenv("PIMENTO_CASES");
  return given != nullptr ? std::atoi(given) : usual;
}

TEST(SramRegions, OfRandomAffineKernelsComputeWhatTheReferenceExecutorDoes) {
  Rng rng(31);
  Counts counts;
  const int n = cases(60);
  for (int i = 0; i < n; ++i) {
    test::RandomAffineGraph random(rng, kTypes[i % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    expectSame(graph, 1 + static_cast<std::uint64_t>(i), counts);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(counts.inArrays, n / 10);
  std::cout << counts.inArrays << " regions of " << counts.cases << " kernels in arrays\n";
}

TEST(SramRegions, OfRandomKernelsWithIndicesFromDataComputeWhatTheReferenceExecutorDoes) {
  Rng rng(32);
  Counts counts;
  const int n = cases(40);
  for (int i = 0; i < n; ++i) {
    test::RandomDataGraph random(rng, kTypes[i % 10]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    expectSame(graph, 1 + static_cast<std::uint64_t>(i), counts);
    if (HasFatalFailure() || HasNonfatalFailure()) return;
  }
  EXPECT_GT(counts.inArrays, 0);
  std::cout << counts.inArrays << " regions of " << counts.cases << " kernels in arrays\n";
}

}  // namespace
}  // namespace pimento::targets::l3_sram
