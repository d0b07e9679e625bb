// Modelled time and energy.
#include <dpu.h>
#include <dpu_probe.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

#include "test/support/capi_programs.h"
#include "test/support/in_child.h"

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

TEST(DpuAccount, ATransferTakesTheCostOfACallAndBytesOverTheRateOfItsDpus) {
  Dpus dpus(64);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  push(dpus.set, DPU_XFER_TO_DPU, 4096);
  const pimento_dpu_account_t a = accountOf(dpus.set);
  EXPECT_EQ(a.to_dpu_bytes, 64U * 4096);
  EXPECT_NEAR(a.to_dpu_ms, 0.098 + 64 * 4096 / 4.069e9 * 1e3, 1e-5);
  EXPECT_EQ(a.from_dpu_ms, 0);
  EXPECT_EQ(a.total_ms, a.to_dpu_ms);
}

TEST(DpuAccount, EveryCallCostsTimeWhateverItMoves) {
  Dpus dpus(64);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  constexpr int kBlocks = 1000;
  for (int i = 0; i < kBlocks; ++i) push(dpus.at(0), DPU_XFER_TO_DPU, 64);
  const double one = accountOf(dpus.set).to_dpu_ms;
  EXPECT_NEAR(one, kBlocks * (0.036 + 64 / 0.505e9 * 1e3), 1e-2) << "not the 0.2 ms that the bytes take";
  for (int i = 0; i < kBlocks; ++i) push(dpus.set, DPU_XFER_FROM_DPU, 64);
  EXPECT_NEAR(accountOf(dpus.set).from_dpu_ms, kBlocks * (0.098 + 64 * 64 / 1.740e9 * 1e3), 1e-2);
}

TEST(DpuAccount, OneDpuAfterAnotherPaysACallForEachAndABroadcastOne) {
  Dpus dpus(64);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  const std::vector<std::uint8_t> bytes(4096);
  dpu_set_t dpu;
  DPU_FOREACH(dpus.set, dpu) {
    ASSERT_EQ(dpu_copy_to(dpu, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes.data(), bytes.size()), DPU_OK);
  }
  const double serial = accountOf(dpus.set).to_dpu_ms;
  EXPECT_NEAR(serial, 64 * (0.036 + 4096 / 0.33e9 * 1e3), 1e-3);
  ASSERT_EQ(dpu_broadcast_to(dpus.set, DPU_MRAM_HEAP_POINTER_NAME, 0, bytes.data(), bytes.size(), DPU_XFER_DEFAULT),
            DPU_OK);
  EXPECT_NEAR(accountOf(dpus.set).to_dpu_ms - serial, 0.098 + 64 * 4096 / 16.88e9 * 1e3, 1e-4);
}

TEST(DpuAccount, ALaunchCostsWhatItsNumberOfDpusSays) {
  for (const auto &[count, ms] : {std::pair{1, 0.030}, {16, 0.150}, {64, 0.150}, {128, 0.150}}) {
    Dpus dpus(static_cast<std::uint32_t>(count));
    ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
    ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
    EXPECT_NEAR(accountOf(dpus.set).launch_ms, ms, 1e-5) << count;
  }
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

/// What the report says of the work in `work`, on `count` DPUs with kIncrement.
template <typename Work>
nlohmann::json reportOf(std::uint32_t count, Work &&work) {
  const std::string file = testing::TempDir() + "capi_report_" + std::to_string(::getpid()) + ".json";
  const auto read = [&] {
    EXPECT_EQ(pimento_dpu_report(file.c_str()), DPU_OK);
    std::ifstream in(file);
    return nlohmann::json::parse(in);
  };
  const nlohmann::json before = read();
  Dpus dpus(count);
  EXPECT_EQ(dpus.load(kIncrement), DPU_OK);
  work(dpus);
  nlohmann::json after = read();
  std::remove(file.c_str());
  // The process may have had other sets.
  for (const char *key : {"kernel_ms", "launch_ms", "to_dpu_ms", "from_dpu_ms", "overlap_ms", "total_ms"})
    after[key] = after[key].get<double>() - before[key].get<double>();
  for (auto &row : after["calls"])
    for (const auto &old : before["calls"])
      if (old["call"] == row["call"] && old.value("direction", "") == row.value("direction", ""))
        for (const char *key : {"count", "bytes", "ms"})
          if (row.contains(key)) row[key] = row[key].get<double>() - old[key].get<double>();
  return after;
}

double sumOfParts(const nlohmann::json &j) {
  return j["kernel_ms"].get<double>() + j["launch_ms"].get<double>() + j["to_dpu_ms"].get<double>() +
         j["from_dpu_ms"].get<double>() - j["overlap_ms"].get<double>();
}

double sumOfCalls(const nlohmann::json &j) {
  double sum = -j["overlap_ms"].get<double>();
  for (const auto &row : j["calls"]) sum += row.value("ms", 0.0);
  return sum;
}

TEST(DpuReport, PartsAndCallsAddUpToTheTotal) {
  const nlohmann::json j = reportOf(130, [](Dpus &dpus) {
    push(dpus.set, DPU_XFER_TO_DPU, 4096);
    ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
    push(dpus.set, DPU_XFER_FROM_DPU, 64);
    dpus.word(3, "result");
  });
  EXPECT_EQ(j["overlap_ms"], 0);
  EXPECT_NEAR(sumOfParts(j), j["total_ms"].get<double>(), 1e-9);
  EXPECT_NEAR(sumOfCalls(j), j["total_ms"].get<double>(), 1e-9);
}

TEST(DpuReport, WhatRanksDoAtTheSameTimeIsTheOverlap) {
  const nlohmann::json j = reportOf(128, [](Dpus &dpus) {
    dpu_set_t rank;
    DPU_RANK_FOREACH(dpus.set, rank) {
      push(rank, DPU_XFER_TO_DPU, 4096, DPU_XFER_ASYNC);
      ASSERT_EQ(dpu_launch(rank, DPU_ASYNCHRONOUS), DPU_OK);
    }
    ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
  });
  EXPECT_NEAR(j["overlap_ms"].get<double>(), j["total_ms"].get<double>(), 1e-9) << "two ranks, equally long";
  EXPECT_NEAR(sumOfParts(j), j["total_ms"].get<double>(), 1e-9);
  EXPECT_NEAR(sumOfCalls(j), j["total_ms"].get<double>(), 1e-9);
}

/// A set without timing, in a process of its own: sums of the process have no time once one set has none.
void runUntimed() {
  const std::string file = testing::TempDir() + "capi_untimed_" + std::to_string(::getpid()) + ".json";
  ::setenv("PIMENTO_TIMING", "off", 1);
  Dpus dpus(2);
  if (dpus.load(kIncrement) != DPU_OK || dpu_launch(dpus.set, DPU_SYNCHRONOUS) != DPU_OK) std::exit(2);
  const pimento_dpu_account_t a = accountOf(dpus.set);
  bool isRight = dpus.word(0, "result") == 1 && std::isnan(a.total_ms) && a.kernel_cycles == 0 &&
                 std::isnan(a.energy_pj) && a.launches == 1 && a.instructions > 0 &&
                 pimento_dpu_report(file.c_str()) == DPU_OK;
  std::ifstream in(file);
  const nlohmann::json j = nlohmann::json::parse(in);
  std::remove(file.c_str());
  for (const char *key : {"total_ms", "kernel_ms", "kernel_cycles", "energy_pj"}) isRight &= j[key].is_null();
  for (const auto &row : j["calls"])
    if (row["call"] == "dpu_launch") isRight &= row["ms"].is_null();
  isRight &= j["timing"].get<std::string>().starts_with("off") && !j["counts"].contains("idle_cycles");
  std::exit(isRight ? 0 : 1);
}

TEST(DpuReport, WithoutTimingSaysSoAndHasNoTime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runUntimed(), testing::ExitedWithCode(0), "");
}

TEST(DpuReport, ListsCallsByKindWithCountBytesAndTime) {
  const nlohmann::json j = reportOf(64, [](Dpus &dpus) {
    for (int i = 0; i < 3; ++i) push(dpus.set, DPU_XFER_TO_DPU, 4096);
    ASSERT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
    std::uint32_t word = 1;
    ASSERT_EQ(dpu_broadcast_to(dpus.set, "value", 0, &word, 4, DPU_XFER_DEFAULT), DPU_OK);
    ASSERT_EQ(dpu_copy_to(dpus.at(1), "value", 0, &word, 4), DPU_OK);
    ASSERT_EQ(dpu_copy_from(dpus.at(1), "value", 0, &word, 4), DPU_OK);
  });
  const auto row = [&](const char *call, const char *direction) {
    for (const auto &r : j["calls"])
      if (r["call"] == call && r.value("direction", "") == direction) return r;
    return nlohmann::json();
  };
  EXPECT_EQ(row("dpu_push_xfer", "to_dpu")["count"], 3);
  EXPECT_EQ(row("dpu_push_xfer", "to_dpu")["bytes"], 3 * 64 * 4096);
  EXPECT_NEAR(row("dpu_push_xfer", "to_dpu")["ms"].get<double>(), 3 * (0.098 + 64 * 4096 / 4.069e9 * 1e3), 1e-4);
  EXPECT_EQ(row("dpu_broadcast_to", "to_dpu")["bytes"], 64 * 4);
  EXPECT_EQ(row("dpu_copy_to", "to_dpu")["bytes"], 4);
  EXPECT_EQ(row("dpu_copy_from", "from_dpu")["count"], 1);
  EXPECT_NEAR(row("dpu_launch", "")["ms"].get<double>(), j["kernel_ms"].get<double>() + j["launch_ms"].get<double>(),
              1e-9);
  EXPECT_EQ(row("dpu_load", "")["count"], 1);
  EXPECT_FALSE(row("dpu_load", "").contains("ms")) << "not modelled";
}

/// What a process comes to that runs programs without their time: account and report.
std::string withoutTime() {
  const std::string file = testing::TempDir() + "capi_untimed_" + std::to_string(::getpid()) + ".json";
  ::setenv("PIMENTO_TIMING", "off", 1);
  ::setenv("PIMENTO_JOBS", "1", 1);
  Dpus dpus(2);
  if (dpus.load(kIncrement) != DPU_OK || dpu_launch(dpus.set, DPU_SYNCHRONOUS) != DPU_OK) return "failed";
  pimento_dpu_account_t a;
  if (pimento_dpu_account(dpus.set, &a) != DPU_OK || pimento_dpu_report(file.c_str()) != DPU_OK) return "failed";
  std::ifstream in(file);
  const nlohmann::json j = nlohmann::json::parse(in);
  std::remove(file.c_str());
  const nlohmann::json found = {{"result", dpus.word(1, "result")}, {"has kernel_ms", !std::isnan(a.kernel_ms)},
                                {"has launch_ms", a.launch_ms > 0}, {"has instructions", a.instructions > 0},
                                {"kernel_ms", j["kernel_ms"]},      {"total_ms", j["total_ms"]},
                                {"energy_pj", j["energy_pj"]},      {"timing", j["timing"]}};
  return found.dump();
}

TEST(DpuAccount, SaysThatThereIsNoTimeWhereProgramsRunWithoutIt) {
  const nlohmann::json j = nlohmann::json::parse(pimento::test::inChild(withoutTime), nullptr, false);
  ASSERT_TRUE(j.is_object());
  EXPECT_EQ(j["result"], 1);
  EXPECT_FALSE(j["has kernel_ms"]);
  EXPECT_TRUE(j["has launch_ms"]);
  EXPECT_TRUE(j["has instructions"]);
  for (const char *key : {"kernel_ms", "total_ms", "energy_pj"}) EXPECT_TRUE(j[key].is_null()) << key;
  EXPECT_EQ(j["timing"], "off: PIMENTO_TIMING=off executes programs without their time");
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
  EXPECT_GT(j["from_dpu_ms"], 0.036);
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
  ASSERT_EQ(dpu_probe_get(&probe, DPU_TIME, DPU_ACCUMULATE, &seconds), DPU_OK);
  ASSERT_EQ(dpu_probe_get(&probe, DPU_TIME, DPU_AVERAGE, &mean), DPU_OK);
  ASSERT_EQ(dpu_probe_get(&probe, DPU_ENERGY, DPU_AVERAGE, &joules), DPU_OK);
  EXPECT_NEAR(seconds, spent / 1e3, 1e-12);
  EXPECT_NEAR(mean, seconds / 2, 1e-12);
  EXPECT_GT(joules, 0);
  EXPECT_EQ(dpu_probe_deinit(&probe), DPU_OK);
}

}  // namespace
