#include <gtest/gtest.h>

#include <string>

#include "pimento/machine/machine.h"
#include "test/support/machine_file.h"

namespace pimento::machine {
namespace {

using test::load;

TEST(Upmem, ADpuIsWhatThePublicDescriptionsSay) {
  const Machine m = load("upmem");
  ASSERT_TRUE(m.dpu);
  EXPECT_FALSE(m.dram);
  const Dpu &d = *m.dpu;
  EXPECT_EQ(d.maxTasklets, 24);
  EXPECT_EQ(d.wram.value, 64 << 10);
  EXPECT_EQ(d.mram.value, 64 << 20);
  EXPECT_EQ(d.instructions, 4096);
  EXPECT_EQ(d.issueInterval.value, 11);
  EXPECT_EQ(m.levels.size(), 3u);
  EXPECT_EQ(m.levels[0].count * m.levels[1].count, 2560);
}

TEST(Upmem, TransferTablesReachTheLargestTransferAndGrow) {
  const Dpu d = *load("upmem").dpu;
  for (const auto *table : {&d.reads, &d.writes}) {
    EXPECT_EQ(table->front().size.value, 8);
    EXPECT_EQ(table->back().size, d.transferMax);
    for (std::size_t i = 1; i < table->size(); ++i) {
      EXPECT_LT((*table)[i - 1].latency, (*table)[i].latency);
      EXPECT_LT((*table)[i - 1].occupancy, (*table)[i].occupancy);
    }
  }
}

TEST(Upmem, TheClockIsTheDecimalNumberThatTheFileSays) {
  EXPECT_EQ(load("upmem").clockGHz, 0.35);
}

TEST(Upmem, RefreshTimesAreGivenInNanosecondsAndCountInCycles) {
  EXPECT_EQ(load("upmem").dpu->refreshInterval.value, 2730);
  EXPECT_EQ(load("upmem").dpu->refreshTime.value, 91);
}

TEST(Upmem, AliasesSetRanksDpusAndTasklets) {
  const Machine m = load("upmem", {{"ranks", "8"}, {"dpus", "60"}, {"tasklets", "16"}});
  EXPECT_EQ(m.levels[0].count, 8);
  EXPECT_EQ(m.levels[1].count, 60);
  EXPECT_EQ(m.levels[2].count, 16);
  EXPECT_EQ(m.dpu->maxTasklets, 16);
}

TEST(Upmem, ASizeOfTheTransferTableIsSetAsAnyNumber) {
  const Machine m = load("upmem", {{"dpu.dma.read.b64.latency", "99 cycle"}});
  EXPECT_EQ(m.dpu->reads[3].latency, 99);
}

TEST(Upmem, TheModelsOfUPimulatorAreAPresetOfTheirOwn) {
  const Machine m = load("upmem-upimulator");
  EXPECT_EQ(m.dpu->registerHazard, "even-odd");
  EXPECT_EQ(m.dpu->mramModel, "dram-rows");
  EXPECT_EQ(m.dpu->rows.rowBytes.value, 1024);
  EXPECT_EQ(load("upmem").dpu->registerHazard, "none");
}

TEST(DpuLink, RatesAreInterpolatedInLogarithmsAndRanksAddUp) {
  const DpuLink l = *load("upmem").host.dpus;
  EXPECT_DOUBLE_EQ(DpuLink::rateOf(l.write, l.writeLimitGBps, 1, 1), 0.505);
  EXPECT_DOUBLE_EQ(DpuLink::rateOf(l.write, l.writeLimitGBps, 64, 1), 4.069);
  const double eight = DpuLink::rateOf(l.write, l.writeLimitGBps, 8, 1);
  EXPECT_NEAR(eight * eight, 1.515 * 2.288, 1e-9);
  EXPECT_DOUBLE_EQ(DpuLink::rateOf(l.write, l.writeLimitGBps, 128, 2), 2 * 4.069);
  EXPECT_DOUBLE_EQ(DpuLink::rateOf(l.write, l.writeLimitGBps, 2560, 40), l.writeLimitGBps);
}

TEST(DpuLink, CostsOfCallsAreInterpolatedLinearlyInTheDpusOfARank) {
  const DpuLink l = *load("upmem").host.dpus;
  EXPECT_EQ(l.costOf(l.launch, 1, 1).value, 30e6);
  EXPECT_EQ(l.costOf(l.launch, 64, 1).value, 150e6);
  EXPECT_EQ(l.costOf(l.launch, 2560, 40).value, 150e6) << "ranks at the same time";
  EXPECT_EQ(l.costOf(l.writeCall, 1, 1).value, 36e6);
  EXPECT_EQ(l.costOf(l.writeCall, 64, 1).value, 98e6);
  EXPECT_NEAR(l.costOf(l.writeCall, 22, 1).value, 36e6 + 62e6 * 21 / 63, 1);
  EXPECT_EQ(l.costOf(l.writeCall, 128, 2).value, 98e6);
}

TEST(DpuLink, EveryFurtherRankAddsWhatTheMachineSays) {
  const DpuLink l = *load("upmem", {{"host.dpus.rank_call", "10 us"}}).host.dpus;
  EXPECT_NEAR(l.costOf(l.launch, 2560, 40).value, 150e6 + 39 * 10e6, 1);
}

}  // namespace
}  // namespace pimento::machine
