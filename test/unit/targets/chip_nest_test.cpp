// Loops of kernels on cores and as streams: orders of sums against what threads and lanes compute, vector code by
// closed form, pieces that cover all.
#include "pimento/targets/chip/chip_nest.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pimento/kernel/data.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/notation.h"
#include "pimento/targets/chip/strands.h"
#include "pimento/targets/chip/vector_code.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"
#include "test/support/random_regions.h"

namespace pimento::targets::chip {
namespace {

constexpr std::int64_t kThreads = 64;

kernel::Graph parsed(const std::string &text, const kernel::Sizes &sizes, DType type = DType::kF32) {
  auto graph = kernel::parseNotation(text, sizes, type);
  EXPECT_TRUE(graph) << graph.diagnostics().front().str();
  return std::move(*graph);
}

TEST(ChipNest, ThreadsAndLanesComputeWhatTheirOrderSays) {
  Rng rng(11);
  int split = 0;
  for (std::int64_t n = test::caseCount(200); n > 0; --n) {
    const std::int64_t i = rng.integer(1, 90), j = rng.integer(1, 300);
    const char *texts[] = {"s[] += a[j]",          "s[i] += a[i,j]",        "s[j] += a[i,j]",
                           "s[] += a[i,j] * b[j]", "s[i] += a[i,j] * b[j]", "s[] max= a[j]"};
    auto graph = kernel::parseNotation(texts[rng.next() % 6], {{"i", i}, {"j", j}}, DType::kF32);
    if (!graph) continue;
    const ChipNest nest = chipNest(*graph, 0, Bytes(64));
    const std::int64_t threads = rng.integer(1, kThreads);
    if (!nest.sumsInLanes && !nest.sumsInThreads) continue;
    ++split;
    kernel::DataSet data = kernel::makeData(*graph, {.seed = rng.next()}), expected = data;
    kernel::makeMissing(*graph, data);
    ASSERT_TRUE(kernel::interpret(*graph, expected, {orderOf(nest, threads)}));
    ASSERT_TRUE(runNest(nest, 0, threads, data));
    for (std::size_t t = 0; t < data.size(); ++t)
      EXPECT_TRUE(data[t].bytes == expected[t].bytes) << kernel::print(*graph) << threads;
  }
  EXPECT_GT(split, test::caseCount(200) / 4);
}

TEST(ChipNest, PiecesCoverTheSharedDimOnce) {
  Rng rng(12);
  for (std::int64_t n = test::caseCount(500); n > 0; --n) {
    const kernel::Graph graph = parsed("c[i,j] = a[i,j] * 2", {{"i", rng.integer(1, 300)}, {"j", rng.integer(1, 300)}});
    const ChipNest nest = chipNest(graph, 0, Bytes(64));
    const std::int64_t threads = rng.integer(1, kThreads);
    std::int64_t at = 0;
    for (std::int64_t t = 0; t < nest.threadsOf(threads); ++t) {
      const auto [from, to] = nest.pieceOf(t, threads);
      EXPECT_EQ(from, at);
      EXPECT_LT(from, to);
      at = to;
    }
    EXPECT_EQ(at, nest.dim(nest.split).extent);
  }
}

/// Instructions of all threads.
std::int64_t instructionsOf(const kernel::Graph &graph, const machine::Machine &machine) {
  const ChipNest nest = chipNest(graph, 0, machine.kernels->vector);
  const Addresses addresses = addressesOf(graph);
  std::int64_t all = 0;
  for (std::int64_t t = 0; t < nest.threadsOf(machine.kernels->threads); ++t)
    all += vectorCode(nest, addresses, machine, t, machine.kernels->threads).instructions();
  return all;
}

TEST(VectorCode, HasTheInstructionsOfItsLoops) {
  const machine::Machine m = test::load("l3-sram");
  // Two loads, a sum, a store, and the loop's own two, for 16 elements.
  EXPECT_EQ(instructionsOf(parsed("c[i] = a[i] + b[i]", {{"i", 1 << 16}}), m), (1 << 16) / 16 * 6);
  // A product that is added is one operation; x[i] is loaded once per row.
  const kernel::Graph rows = parsed("c[i,j] = a[i,j] * x[i] + b[i,j]", {{"i", 64}, {"j", 256}});
  EXPECT_EQ(instructionsOf(rows, m), 64 * (1 + 2) + 64 * 256 / 16 * (2 + 1 + 1 + 2));
}

TEST(VectorCode, SumsOfProductsStandInRegisters) {
  const machine::Machine m = test::load("l3-sram");
  constexpr std::int64_t kN = 512;
  const kernel::Graph mm = parsed("C[i,j] += A[i,k] * B[k,j]", {{"i", kN}, {"j", kN}, {"k", kN}});
  const ChipNest nest = chipNest(mm, 0, m.kernels->vector);
  const auto code = vectorCode(nest, addressesOf(mm), m, 0, m.kernels->threads);
  // Eight rows at a time: one vector of B, eight elements of A, eight products added, and the loop.
  EXPECT_EQ(code.extents, (std::vector<std::int64_t>{kN / 64 / 8, kN / 16, kN}));
  EXPECT_EQ(code.before.back().instructions.size(), 8U + 1 + 8 + 2);
}

TEST(Strands, HaveAllPointsOfTheKernel) {
  Rng rng(13);
  const machine::Machine m = test::load("l3-sram");
  for (std::int64_t n = test::caseCount(200); n > 0; --n) {
    const test::RegionsText text = test::randomRegions(rng, 1, 200);
    const kernel::Graph graph = parsed(text.text, text.sizes);
    const ChipNest nest = chipNest(graph, 0, m.kernels->vector);
    std::int64_t points = 0;
    for (const auto &strands : strandsOf(nest, addressesOf(graph), m, kThreads))
      for (const auto &strand : strands) {
        std::int64_t own = 1;
        for (const std::int64_t e : strand.nest.extents) own *= e;
        points += own;
      }
    EXPECT_EQ(points, graph.kernels.front().points()) << text.text;
  }
}

}  // namespace
}  // namespace pimento::targets::chip
