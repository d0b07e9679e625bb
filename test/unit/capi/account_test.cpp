// Modelled time and energy.
#include <dpu.h>
#include <dpu_probe.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kIncrement;

pimento_dpu_account_t accountOf(dpu_set_t set) {
  pimento_dpu_account_t a;
  EXPECT_EQ(pimento_dpu_account(set, &a), DPU_OK);
  return a;
}

void push(dpu_set_t set, dpu_xfer_t xfer, std::size_t bytes, dpu_xfer_flags_t flags = DPU_XFER_DEFAULT) {
  static std::vector<std::uint8_t> memory(1 << 20);
  ASSERT_EQ(dpu_prepare_xfer(set, memory.data()), DPU_OK);
  ASSERT_EQ(dpu_push_xfer(set, xfer, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes, flags), DPU_OK);
}

TEST(DpuAccount, ATransferTakesLatencyAndBytesOverTheRateOfItsDpus) {
  Dpus dpus(64);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  push(dpus.set, DPU_XFER_TO_DPU, 4096);
  const pimento_dpu_account_t a = accountOf(dpus.set);
  EXPECT_EQ(a.to_dpu_bytes, 64U * 4096);
  EXPECT_NEAR(a.to_dpu_ms, 0.080 + 64 * 4096 / 4.069e9 * 1e3, 1e-5);
  EXPECT_EQ(a.from_dpu_ms, 0);
  EXPECT_EQ(a.total_ms, a.to_dpu_ms);
}

TEST(DpuAccount, TransfersInARowPayOneLatency) {
  Dpus dpus(64);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  push(dpus.set, DPU_XFER_TO_DPU, 4096);
  const double first = accountOf(dpus.set).to_dpu_ms;
  push(dpus.set, DPU_XFER_TO_DPU, 4096);
  EXPECT_NEAR(accountOf(dpus.set).to_dpu_ms, 2 * first - 0.080, 1e-5);
  push(dpus.set, DPU_XFER_FROM_DPU, 4096);
  EXPECT_NEAR(accountOf(dpus.set).from_dpu_ms, 0.380 + 64 * 4096 / 1.740e9 * 1e3, 1e-5);
  push(dpus.set, DPU_XFER_TO_DPU, 4096);
  EXPECT_NEAR(accountOf(dpus.set).to_dpu_ms, 3 * first - 0.080, 1e-5) << "another direction ends the row";
}

TEST(DpuAccount, ALaunchLastsAsLongAsItsSlowestDpu) {
  Dpus dpus(3);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.at(0), DPU_SYNCHRONOUS), DPU_OK);
  const pimento_dpu_account_t one = accountOf(dpus.set);
  EXPECT_GT(one.kernel_cycles, 0U);
  EXPECT_NEAR(one.kernel_ms, static_cast<double>(one.kernel_cycles) / 350e6 * 1e3, 1e-9);
  EXPECT_NEAR(one.launch_ms, 0.030, 1e-6);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  const pimento_dpu_account_t all = accountOf(dpus.set);
  EXPECT_EQ(all.launches, 2U);
  EXPECT_EQ(all.kernel_cycles, 2 * one.kernel_cycles);
  EXPECT_EQ(all.instructions, 4 * one.instructions);
  EXPECT_GT(all.energy_pj, one.energy_pj);
  EXPECT_LT(all.energy_low_pj, all.energy_pj);
  EXPECT_GT(all.energy_high_pj, all.energy_pj);
}

TEST(DpuAccount, AsynchronousWorkOfDifferentRanksOverlaps) {
  Dpus dpus(128);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  dpu_set_t rank;
  DPU_RANK_FOREACH(dpus.set, rank) {
    ASSERT_EQ(dpu_launch(rank, DPU_ASYNCHRONOUS), DPU_OK);
  }
  ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
  const pimento_dpu_account_t a = accountOf(dpus.set);
  EXPECT_NEAR(a.total_ms, (a.kernel_ms + a.launch_ms) / 2, 1e-9);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
  EXPECT_NEAR(accountOf(dpus.set).total_ms, a.total_ms * 2, 1e-9);
}

TEST(DpuAccount, DoesNotDependOnTheNumberOfThreads) {
  std::vector<pimento_dpu_account_t> accounts;
  for (const char *jobs : {"1", "5"}) {
    ::setenv("PIMENTO_JOBS", jobs, 1);
    Dpus dpus(70);
    ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
    for (int i = 0; i < 3; ++i) {
      push(dpus.set, DPU_XFER_TO_DPU, 4096, DPU_XFER_ASYNC);
      ASSERT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_OK);
    }
    ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
    accounts.push_back(accountOf(dpus.set));
  }
  ::unsetenv("PIMENTO_JOBS");
  EXPECT_EQ(std::memcmp(&accounts[0], &accounts[1], sizeof accounts[0]), 0);
}

TEST(DpuAccount, IsWrittenWhenTheLastSetIsFreed) {
  const std::string file = testing::TempDir() + "capi_report_" + std::to_string(::getpid()) + ".json";
  ::setenv("PIMENTO_REPORT", file.c_str(), 1);
  {
    Dpus dpus(2);
    ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
    ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
    push(dpus.set, DPU_XFER_FROM_DPU, 64);
  }
  ::unsetenv("PIMENTO_REPORT");
  std::ifstream in(file);
  const nlohmann::json j = nlohmann::json::parse(in);
  std::remove(file.c_str());
  EXPECT_GE(j["launches"], 1);
  double sum = 0;
  for (const auto &row : j["energy_breakdown"]) sum += row["pj"].get<double>();
  EXPECT_NEAR(sum, j["energy_pj"].get<double>(), 1e-6 * sum);
  EXPECT_GT(j["counts"]["instructions"], 0);
  for (const char *key : {"kernel_ms", "to_dpu_ms", "from_dpu_ms", "launch_ms", "total_ms"})
    EXPECT_TRUE(j[key].is_number()) << key;
  EXPECT_GT(j["from_dpu_ms"], 0.38);
}

TEST(DpuProbe, GivesTimeAndEnergyBetweenStartAndStop) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  dpu_probe_t probe;
  ASSERT_EQ(dpu_probe_init("probe", &probe), DPU_OK);
  EXPECT_EQ(dpu_probe_stop(&probe), DPU_ERR_INTERNAL);
  const double before = accountOf(dpus.set).total_ms;
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(dpu_probe_start(&probe), DPU_OK);
    ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
    ASSERT_EQ(dpu_probe_stop(&probe), DPU_OK);
  }
  const double spent = accountOf(dpus.set).total_ms - before;
  double seconds = 0, mean = 0, joules = 0;
  ASSERT_EQ(dpu_probe_get(&probe, DPU_TIME, DPU_TOTAL, &seconds), DPU_OK);
  ASSERT_EQ(dpu_probe_get(&probe, DPU_TIME, DPU_AVERAGE, &mean), DPU_OK);
  ASSERT_EQ(dpu_probe_get(&probe, DPU_ENERGY, DPU_AVERAGE, &joules), DPU_OK);
  EXPECT_NEAR(seconds, spent / 1e3, 1e-12);
  EXPECT_NEAR(mean, seconds / 2, 1e-12);
  EXPECT_GT(joules, 0);
  EXPECT_EQ(dpu_probe_deinit(&probe), DPU_OK);
}

}  // namespace
