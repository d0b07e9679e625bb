// The roofline against its formulas written out, tile by tile.
#include "pimento/llm/gpu_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/rng.h"
#include "pimento/energy/energy.h"
#include "test/support/cases.h"
#include "test/support/llm_host.h"

namespace pimento::llm {
namespace {

constexpr double kPsPerUs = 1e6;

double traffic(double m, double n, double k, double tm, double tn) {
  return std::ceil(n / tn) * m * k + std::ceil(m / tm) * n * k + m * n;
}

/// Off-chip elements of a product, every tile in L2 tried.
double everyTile(const Operation &o, double tm, double tn) {
  double least = traffic(o.m, o.n, o.k, tm, tn);
  for (double i = 1; (i - 1) * tm < o.m; ++i)
    for (double j = 1; (j - 1) * tn < o.n; ++j) {
      const double a = std::min(i * tm, o.m), b = std::min(j * tn, o.n);
      if (((a + b) * o.k / 64 + a * b) * o.elementBytes <= 40.0 * 1024 * 1024)
        least = std::min(least, traffic(o.m, o.n, o.k, a, b));
    }
  return least;
}

/// The tile in L1, as the rule says it.
std::pair<double, double> tileInL1(const Operation &o) {
  std::pair<double, double> best;
  double least = INFINITY;
  for (const double edgeM : {8, 16, 32, 64, 128, 192, 256, 320, 384, 448, 512})
    for (const double edgeN : {8, 16, 32, 64, 128, 192, 256, 320, 384, 448, 512}) {
      const double tm = std::min(edgeM, o.m), tn = std::min(edgeN, o.n);
      if (((tm + tn) * 32 + tm * tn) * o.elementBytes > 192.0 * 1024) continue;
      const double blocks =
          o.count * (o.kind == OperationKind::kLinear ? std::ceil(o.m / tm) * std::ceil(o.n / tn) : 1);
      const double u = blocks / (108 * std::ceil(blocks / 108));
      const double cost = traffic(o.m, o.n, o.k, tm, tn) * o.elementBytes * o.count / (u * u);
      if (cost < least) {
        least = cost;
        best = {tm, tn};
      }
    }
  return best;
}

TEST(Tiles, InL2AreTheBestOfAll) {
  const Host host = test::host();
  Rng rng(3);
  for (std::int64_t i = 0; i < test::caseCount(60); ++i) {
    const auto size = [&](std::uint64_t most) { return static_cast<double>(1 + rng.below(most)); };
    const Operation o = {rng.below(2) == 0 ? OperationKind::kLinear : OperationKind::kProducts,
                         size(3000),
                         size(3000),
                         size(6000),
                         size(4),
                         rng.below(2) == 0 ? 2.0 : 1.0};
    const auto [tm, tn] = tileInL1(o);
    const Traffic t = host.gpu.roofline(o).traffic;
    EXPECT_DOUBLE_EQ(t.l2, traffic(o.m, o.n, o.k, tm, tn) * o.elementBytes * o.count);
    EXPECT_DOUBLE_EQ(t.memory, everyTile(o, tm, tn) * o.elementBytes * o.count)
        << o.m << " " << o.n << " " << o.k << " " << o.count;
  }
}

TEST(Roofline, AVectorTimesAMatrixReadsTheMatrixOnce) {
  const Host host = test::host();
  const Operation o = {OperationKind::kProducts, 1, 512, 128, 160};
  const GpuTime t = host.gpu.roofline(o);
  const double bytes = 160.0 * 2 * (512 * 128 + 128 + 512);
  EXPECT_DOUBLE_EQ(t.traffic.memory, bytes);
  EXPECT_TRUE(t.isMemoryBound);
  const double occupancy = 160.0 / 216;  // two rounds of 108 multiprocessors
  EXPECT_NEAR(t.time.value, bytes / (3352e9 * 0.81 * occupancy) * 1e12, 1e-3);
}

TEST(Roofline, LargeProductsAreBoundByTheUnits) {
  const Host host = test::host();
  const GpuTime t = host.gpu.roofline({OperationKind::kLinear, 8192, 20480, 5120});
  EXPECT_FALSE(t.isMemoryBound);
  EXPECT_GE(t.time.value, 2.0 * 8192 * 20480 * 5120 / (312e12 * 0.85) * 1e12);
  const GpuTime eight = host.gpu.roofline({OperationKind::kLinear, 8192, 20480, 5120, 1, 1});
  EXPECT_LT(eight.time.value, 0.6 * t.time.value) << "elements of a byte are computed twice as fast";
}

TEST(Roofline, NormalisationsAndFunctionsHaveAFixedPart) {
  const Host host = test::host();
  const double bytes = 3 * 5120 * 2;
  EXPECT_NEAR(host.gpu.roofline({OperationKind::kNorm, 1, 5120}).time.value,
              (1.6e-6 * 1555 / 3352 * bytes + 6.87) * kPsPerUs, 1);
  EXPECT_NEAR(host.gpu.roofline({OperationKind::kActivation, 1, 20480}).time.value,
              (4.47e-7 * 1555 / 3352 * 2 * 20480 * 2 + 8.29) * kPsPerUs, 1);
}

TEST(Roofline, ALaunchIsAddedToEveryKernel) {
  const Host plain = test::host();
  const Host launched = test::host("gpu: {launch: {value: 3 us, source: a test, confidence: assumed}}\n");
  for (const OperationKind kind : {OperationKind::kLinear, OperationKind::kProducts, OperationKind::kSoftmax,
                                   OperationKind::kNorm, OperationKind::kGated, OperationKind::kElementwise}) {
    const Operation o = {kind, 4, 512, 128, 40};
    EXPECT_NEAR(launched.gpu.roofline(o).time.value, plain.gpu.roofline(o).time.value + 3 * kPsPerUs, 1);
  }
}

TEST(Links, AreAsThePublishedFormulasHaveThem) {
  const Host host = test::host();
  EXPECT_DOUBLE_EQ(host.gpu.link(300e9).value, 1e12);
  EXPECT_EQ(host.gpu.allReduce(1e6, 1).value, 0);
  EXPECT_NEAR(host.gpu.allReduce(8e3, 8).value, (6060 + 0.009 * 1000) * 1000 * 7, 1);
  EXPECT_NEAR(host.gpu.allReduce(8e12, 8).value, std::max(0.009e-9 * 1e12 * 1e12 + 6060e3, 1e12 / 300e9 * 1e12) * 7,
              1e6);
}

TEST(HostEnergy, HasTwoSetsThatAreKeptApart) {
  const Host host = test::host();
  energy::ActionCounts counts;
  host.gpu.roofline({OperationKind::kProducts, 1, 512, 128, 160}).traffic.addTo(counts);
  const energy::EnergyReport ours = energy::price(host.machine, counts, {});
  const energy::EnergyReport study = energy::price(host.study, counts, {});
  const double memory = 160.0 * 2 * (512 * 128 + 128 + 512);
  EXPECT_NE(ours.total.value, study.total.value);
  EXPECT_GE(study.total.value, 28.72 * memory);
  for (const energy::EnergyRow &row : ours.rows) EXPECT_FALSE(row.source.empty()) << row.term;
}

}  // namespace
}  // namespace pimento::llm
