// Two-slice extrapolation: exact where time is proportional, off by what is known where it is not.
#include "pimento/evaluate/two_slice.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "test/support/hbm_pim_run.h"
#include "test/support/target_of.h"
#include "test/support/upmem_run.h"

namespace pimento::evaluate {
namespace {

/// Pieces of `whole` iterations that take what a function says.
class MadeSlices final : public Slices {
 public:
  MadeSlices(std::int64_t whole, std::function<std::int64_t(std::int64_t)> cycles)
      : whole_(whole), cycles_(std::move(cycles)) {}

  double size(std::int64_t c) const override { return static_cast<double>(std::min(c, whole_)); }
  double wholeSize() const override { return static_cast<double>(whole_); }
  Result<DeviceRun> simulate(std::int64_t c) const override {
    simulated.push_back(c);
    DeviceRun run;
    run.cycles = run.cyclesSimulated = Cycles(cycles_(std::min(c, whole_)));
    run.counts["iterations"] = std::min(c, whole_);
    run.actions.add("macs", 2 * std::min(c, whole_));
    return run;
  }
  Result<DeviceRun> simulateWhole() const override { return simulate(whole_); }

  mutable std::vector<std::int64_t> simulated;

 private:
  std::int64_t whole_;
  std::function<std::int64_t(std::int64_t)> cycles_;
};

DeviceRun take(const Slices &slices, double alpha = 0.05) {
  const Result<DeviceRun> run = extrapolate(slices, {alpha});
  EXPECT_TRUE(run.ok());
  return *run;
}

TEST(TwoSlice, IsExactWhereTimeIsProportional) {
  const MadeSlices slices(1000, [](std::int64_t n) { return 7 * n; });
  const DeviceRun run = take(slices);
  EXPECT_EQ(run.cycles, Cycles(7000));
  EXPECT_EQ(run.counts.at("iterations"), 1000);
  EXPECT_EQ(run.actions.of("macs"), 2000);
  EXPECT_EQ(run.cyclesSimulated, Cycles(21));
  EXPECT_TRUE(run.isExtrapolated);
  EXPECT_EQ(run.warnings.size(), 1u);
  EXPECT_EQ(slices.simulated, (std::vector<std::int64_t>{1, 2}));
}

TEST(TwoSlice, CountsWhatHappensOnceInEveryPiece) {
  const MadeSlices slices(1000, [](std::int64_t n) { return 100 + 10 * n; });
  EXPECT_EQ(take(slices).cycles, Cycles(10262));  // not 10100: pieces of 191 and 382 iterations, 3920 / 382 * 1000
}

TEST(TwoSlice, ASmallerAlphaTakesLargerPiecesAndErrsLess) {
  const auto error = [](double alpha) {
    const MadeSlices slices(100000, [](std::int64_t n) { return 100 + 10 * n; });
    return std::abs(static_cast<double>(take(slices, alpha).cycles.value) / 1000100 - 1);
  };
  EXPECT_GT(error(0.5), error(0.1));
  EXPECT_GT(error(0.1), error(0.01));
  EXPECT_GT(error(0.01), 0);
}

TEST(TwoSlice, EndsWithTheWholeWhereTimesNeverDouble) {
  const MadeSlices slices(9, [](std::int64_t n) { return 1'000'000 + n; });
  const DeviceRun run = take(slices);
  EXPECT_EQ(run.cycles, Cycles(1'000'009));
  EXPECT_EQ(run.cyclesSimulated, run.cycles);
  EXPECT_FALSE(run.isExtrapolated);
  EXPECT_TRUE(run.warnings.empty());
}

TEST(TwoSlice, SimulatesEveryPieceOnce) {
  const MadeSlices slices(1000, [](std::int64_t n) { return 100 + 10 * n; });
  take(slices, 0.3);
  std::vector<std::int64_t> once = slices.simulated;
  std::sort(once.begin(), once.end());
  EXPECT_EQ(std::adjacent_find(once.begin(), once.end()), once.end());
}

/// A report by two slices, and the simulation's.
void reports(const Request &request, Report &extrapolated, Report &simulated) {
  Request r = request;
  r.twoSlice = TwoSlice{};
  const auto a = evaluate(r), again = evaluate(r);
  ASSERT_TRUE(a.ok() && again.ok()) << a.diagnostics().front().str();
  EXPECT_EQ(test::agreedPart(*a), test::agreedPart(*again));
  r.isSimulation = true;
  r.jobs = 2;
  const auto b = evaluate(r);
  ASSERT_TRUE(b.ok()) << b.diagnostics().front().str();
  extrapolated = *a;
  simulated = *b;
}

double errorOf(const Report &a, const Report &b) {
  return std::abs(static_cast<double>(a.cycles.value) / static_cast<double>(b.cycles.value) - 1);
}

// Eight channels of 16 blocks: the vector is written once and results are read back once per row of tiles, but pieces
// of the first rows have as much of both as they can.
TEST(TwoSlice, IsWrongOnHbmPimByWhatHappensOnce) {
  const machine::Machine machine = test::hbmPim(8);
  const auto graph = kernel::makeZooKernel("gemv", {{"m", 4096}, {"n", 2048}}, DType::kF16);
  Request r;
  r.graph = &*graph;
  r.machine = &machine;
  r.target = &test::targetOf(machine);
  r.tools.cache = test::sharedCache();
  r.maps = {test::mapSpec("reference")};
  Report extrapolated, simulated;
  reports(r, extrapolated, simulated);
  EXPECT_EQ(extrapolated.exact, Exactness::kExtrapolated);
  EXPECT_GT(errorOf(extrapolated, simulated), 0.001);
  EXPECT_LT(errorOf(extrapolated, simulated), 0.2);
  EXPECT_NE(extrapolated.kernelEnergy.total, simulated.kernelEnergy.total);
}

// Sixteen tasklets boot one after the other and wait for one DMA engine.
TEST(TwoSlice, IsWrongOnUpmemByBootingAndWaiting) {
  test::UpmemRun run{"va", {{"n", 100000}}, DType::kI32, "reference;buffer=64"};
  run.machine = test::handUpmemWithRoom();
  const kernel::Graph graph = run.graph();
  Report extrapolated, simulated;
  reports(run.request(graph), extrapolated, simulated);
  EXPECT_EQ(extrapolated.exact, Exactness::kExtrapolated);
  EXPECT_GT(errorOf(extrapolated, simulated), 0);
  EXPECT_LT(errorOf(extrapolated, simulated), 0.1);
  EXPECT_NE(extrapolated.counts, simulated.counts);
}

TEST(TwoSlice, CutsProductsAlongAllThreeDims) {
  test::UpmemRun run{
      "gemm", {{"m", 48}, {"n", 16}, {"k", 64}}, DType::kI16, "reference;buffer=8", "plain", test::constantData(5)};
  run.machine = test::handUpmemWithRoom();
  const kernel::Graph graph = run.graph();
  Request r = run.request(graph);
  r.values = run.data;
  Report extrapolated, simulated;
  reports(r, extrapolated, simulated);
  EXPECT_EQ(extrapolated.exact, Exactness::kExtrapolated);
  EXPECT_GT(errorOf(extrapolated, simulated), 0);
  EXPECT_LT(errorOf(extrapolated, simulated), 0.15);
}

TEST(TwoSlice, OfAShareThatIsOnePieceIsTheSimulation) {
  const test::UpmemRun run{"va", {{"n", 512}}, DType::kI32, "reference;buffer=32"};
  const kernel::Graph graph = run.graph();
  Report extrapolated, simulated;
  reports(run.request(graph), extrapolated, simulated);
  EXPECT_EQ(extrapolated.exact, Exactness::kSimulated);
  EXPECT_EQ(test::agreedPart(extrapolated), test::agreedPart(simulated));
}

TEST(TwoSlice, NeedsToKnowTheDataThatDecideTheTime) {
  const test::UpmemRun run{"sel", {{"n", 100000}}, DType::kI32, "reference;buffer=8"};
  const kernel::Graph graph = run.graph();
  Request r = run.request(graph);
  r.twoSlice = TwoSlice{};
  const auto unknown = evaluate(r);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.diagnostics().front().code, "data-decide-time");
  r.values = test::uniformData(0, 1000);
  EXPECT_TRUE(evaluate(r).ok());
}

}  // namespace
}  // namespace pimento::evaluate
