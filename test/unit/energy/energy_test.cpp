// Prices against hand arithmetic, the laws every report keeps, and the sanity bounds that published HBM2 energies set.
#include "pimento/energy/energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "test/support/actions.h"

namespace pimento::energy {
namespace {

const std::string kFolder = std::string(PIMENTO_SOURCE_DIR) + "/machines";
constexpr double kBitsPerBurst = 256;

machine::Machine load(const std::vector<machine::Override> &overrides = {}, const std::string &name = "hbm-pim") {
  auto machine = machine::loadMachine(name, {kFolder}, overrides);
  EXPECT_TRUE(machine.ok());
  EXPECT_TRUE(check(*machine, test::kActions).ok());
  return std::move(*machine);
}

const EnergyRow &row(const EnergyReport &report, const std::string &term) {
  for (const EnergyRow &r : report.rows) {
    if (r.term == term) return r;
  }
  ADD_FAILURE() << "no term " << term;
  return report.rows.front();
}

EnergyReport priceOf(std::string_view action, std::int64_t count) {
  return price(load(), ActionCounts().add(action, count), Picoseconds(0));
}

/// Picojoules per bit of `count` bursts.
double perBit(std::string_view action) {
  return priceOf(action, 1000).total.value / 1000 / kBitsPerBurst;
}

/// What one 4096x4096 GEMV does in all 64 channels, from the stream's published shape: 32 input tiles of 8 register
/// writes, 64 weight reads (each in 8 units of 16 lanes) and 3 all-bank activations; 8 result bursts per unit.
ActionCounts gemv4096() {
  constexpr std::int64_t kChannels = 64, kBlocks = 8, kLanes = 16, kTiles = 32;
  ActionCounts c;
  c.add("all_bank_activations", kChannels * kTiles * 3 * kBlocks);
  c.add("broadcasts", kChannels * kTiles * 8);
  c.add("near_bank_reads", kChannels * kTiles * 64 * kBlocks);
  c.add("near_bank_writes", kChannels * 8 * kBlocks);
  c.add("macs", kChannels * kTiles * 64 * kBlocks * kLanes);
  c.add("register_reads", kChannels * kTiles * 64 * kBlocks * 2);
  c.add("register_writes", kChannels * kTiles * (64 + 8) * kBlocks);
  c.add("refreshes", kChannels * 2 * 3);
  return c;
}

TEST(Actions, WhatWasNotCountedIsZeroAndNotThere) {
  ActionCounts c;
  c.add("macs", 0);
  EXPECT_EQ(c.of("macs"), 0);
  EXPECT_EQ(c.begin(), c.end());
  EXPECT_EQ(c, ActionCounts());
}

TEST(Actions, StandInTheOrderOfTheirNames) {
  const ActionCounts one = ActionCounts().add("macs", 1).add("activations", 2);
  EXPECT_EQ(one, ActionCounts().add("activations", 2).add("macs", 1));
  EXPECT_EQ(one.begin()->first, "activations");
}

TEST(Actions, CountsAddUpAndScale) {
  ActionCounts one;
  one.add("macs", 3).add("macs", 4);
  ActionCounts sum;
  sum.add(one, 10).add(one);
  EXPECT_EQ(sum.of("macs"), 77);
  EXPECT_EQ(sum.of("refreshes"), 0);
}

TEST(Actions, CountsStayAtTheLargestNumber) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  ActionCounts c;
  c.add("macs", kMax).add("macs", 1);
  EXPECT_EQ(c.of("macs"), kMax);
  EXPECT_TRUE(std::isfinite(priceOf("host_reads", kMax).total.value));
}

TEST(Energy, ATermIsCountTimesCost) {
  const EnergyReport report = priceOf("activations", 7);
  const EnergyRow &r = row(report, "act_pre");
  EXPECT_EQ(r.count, 7);
  EXPECT_EQ(r.energy.value, 7 * 650.0);
  EXPECT_EQ(r.low.value, 7 * 374.0);
  EXPECT_EQ(r.high.value, 7 * 909.0);
  EXPECT_EQ(r.unit, "pJ");
  EXPECT_EQ(r.component, "dram");
  EXPECT_EQ(r.confidence, machine::Confidence::kAssumed);
  EXPECT_FALSE(r.source.empty());
  EXPECT_EQ(report.total.value, 7 * 650.0);
}

TEST(Energy, AllBankActivationsPayPerBank) {
  EXPECT_EQ(priceOf("all_bank_activations", 8).total.value, priceOf("activations", 8).total.value);
}

TEST(Energy, PrechargesAreInTheActivationsPrice) {
  EXPECT_EQ(priceOf("precharges", 100).total.value, 0);
}

TEST(Energy, AHostBurstPaysAllFiveSegments) {
  EXPECT_NEAR(perBit("host_reads"), 0.44 + 1.01 + 1.23 + 0.50 + 0.30, 1e-12);
  EXPECT_NEAR(perBit("host_writes"), 3.48, 1e-12);
}

TEST(Energy, ANearBankBurstPaysTheCellsOnly) {
  EXPECT_NEAR(perBit("near_bank_reads"), 0.44, 1e-12);
  const double ratio = perBit("near_bank_reads") / perBit("host_reads");
  EXPECT_GT(ratio, 0.1);
  EXPECT_LT(ratio, 0.25);
}

TEST(Energy, ABroadcastPaysSharedSegmentsOnceAndTheLastOnePerUnit) {
  EXPECT_NEAR(perBit("broadcasts"), 1.23 + 0.50 + 0.30 + 8 * 1.01, 1e-12);
}

TEST(Energy, ABackgroundTermIsPowerTimesTime) {
  const machine::Machine m = load();
  const EnergyReport report = price(m, {}, Picoseconds(2e6));  // 2 us
  for (const EnergyRow &r : report.rows) {
    if (!r.isBackground) continue;
    EXPECT_EQ(r.unit, "mW");
    EXPECT_DOUBLE_EQ(r.energy.value, r.unitCost * static_cast<double>(r.count) * 2000.0) << r.term;
  }
  EXPECT_EQ(row(report, "standby_stack").count, 4);
  EXPECT_EQ(row(report, "standby_channel").count, 64);
  EXPECT_EQ(report.dynamic.value, 0);
  EXPECT_EQ(report.total.value, report.background.value);
}

TEST(Energy, StacksFollowTheChannels) {
  EXPECT_EQ(row(price(load({{"channels", "16"}}), {}, Picoseconds(1)), "standby_stack").count, 1);
  EXPECT_EQ(row(price(load({{"channels", "32"}}), {}, Picoseconds(1)), "standby_stack").count, 2);
  EXPECT_EQ(row(price(load({{"channels", "1"}}), {}, Picoseconds(1)), "standby_stack").count, 1);
}

TEST(Energy, PartsSumToTheTotal) {
  const EnergyReport report = price(load(), gemv4096(), Picoseconds(13166e3));
  double rows = 0, components = 0;
  for (const EnergyRow &r : report.rows) rows += r.energy.value;
  for (const auto &[component, e] : report.components) components += e.total().value;
  EXPECT_EQ(rows, report.total.value);  // same order, so the same last bit
  EXPECT_NEAR(components / report.total.value, 1, 1e-9);
  EXPECT_NEAR((report.dynamic + report.background).value / report.total.value, 1, 1e-9);
  EXPECT_FALSE(report.covers.empty());
}

TEST(Energy, TermsLieWithinTheirRangesAndNeverBelowZero) {
  const EnergyReport report = price(load(), gemv4096(), Picoseconds(13166e3));
  for (const EnergyRow &r : report.rows) {
    EXPECT_GE(r.energy.value, 0) << r.term;
    EXPECT_LE(r.low.value, r.energy.value) << r.term;
    EXPECT_GE(r.high.value, r.energy.value) << r.term;
  }
  EXPECT_LT(report.low.value, report.total.value);
  EXPECT_GT(report.high.value, report.total.value);
}

TEST(Energy, MoreOfAnythingNeverCostsLess) {
  for (const char *preset : {"hbm-pim", "hbm-pim-sound"}) {
    const machine::Machine m = load({}, preset);
    const ActionCounts base = gemv4096();
    const double before = price(m, base, Picoseconds(1e6)).total.value;
    for (const std::string_view action : test::kActions) {
      EXPECT_GE(price(m, ActionCounts(base).add(action, 1000), Picoseconds(1e6)).total.value, before) << action;
    }
    EXPECT_GT(price(m, base, Picoseconds(2e6)).total.value, before);
  }
}

TEST(Energy, EveryActionButPrechargesHasAPriceOnSomeMachine) {
  const machine::Machine dram = load(), dpus = load({}, "upmem");
  for (const std::string_view action : test::kActions) {
    const auto isPriced = [&](const machine::Machine &m) {
      return price(m, ActionCounts().add(action, 1), Picoseconds(0)).total.value > 0;
    };
    EXPECT_EQ(isPriced(dram) || isPriced(dpus), action != "precharges") << action;
  }
}

TEST(Energy, AnOverrideReachesThePrice) {
  const machine::Machine m = load({{"energy.act_pre", "909"}});
  EXPECT_EQ(price(m, ActionCounts().add("activations", 1), Picoseconds(0)).total.value, 909);
}

// Bounds from published HBM2 figures: streaming 3.5 to 5.6 pJ/bit, random bursts about 7 with Fine-Grained DRAM's
// activation, a stack 8 W at 256 GB/s and 1.3 W idle.
TEST(EnergyBounds, StreamingWholeRowsCostsWhatHbm2Does) {
  constexpr double kBurstsPerRow = 32;
  const EnergyReport r = price(load(), ActionCounts().add("activations", 1).add("host_reads", 32), Picoseconds(0));
  const double pjPerBit = r.total.value / (kBurstsPerRow * kBitsPerBurst);
  EXPECT_GT(pjPerBit, 3.5);
  EXPECT_LT(pjPerBit, 5.6);
  const double wattsAt256GBps = pjPerBit * 256e9 * 8 * 1e-12;
  EXPECT_GT(wattsAt256GBps, 6.5);
  EXPECT_LT(wattsAt256GBps, 9.0);
}

TEST(EnergyBounds, OneBurstPerRowCostsTwice) {
  const ActionCounts c = ActionCounts().add("activations", 1).add("host_reads", 1);
  EXPECT_NEAR(price(load({{"energy.act_pre", "909"}}), c, Picoseconds(0)).total.value / kBitsPerBurst, 7.03, 0.01);
  EXPECT_NEAR(price(load(), c, Picoseconds(0)).total.value / kBitsPerBurst, 6.02, 0.01);
}

TEST(EnergyBounds, AnIdleStackDraws1300Milliwatts) {
  const EnergyReport r = price(load({{"channels", "16"}}), {}, Picoseconds(1e3));  // 1 ns: pJ are mW
  EXPECT_NEAR(r.total.value, 1305, 10);
}

TEST(EnergyBounds, GemvCostsSevenToElevenPicojoulesPerMac) {
  const ActionCounts counts = gemv4096();
  const auto macs = static_cast<double>(counts.of("macs"));
  ASSERT_EQ(macs, 4096.0 * 4096.0);
  const EnergyReport r = price(load(), counts, Picoseconds(13166e3));
  // The bound counts what a bank-PIM MAC cannot do without: its row, its weight, its multiplier.
  const double core = row(r, "act_pre").energy.value + row(r, "segment_cell").energy.value + row(r, "mac").energy.value;
  EXPECT_GT(core / macs, 7);
  EXPECT_LT(core / macs, 11);
  // Input broadcast, registers, refresh and four stacks' standby come on top: at most as much again.
  EXPECT_GT(r.total.value / macs, 7);
  EXPECT_LT(r.total.value / macs, 22);
  EXPECT_GT(r.low.value / macs, 3);
}

TEST(EnergyBounds, GemvSavesLessThanEightTimesAgainstReadingTheWeights) {
  const ActionCounts pim = gemv4096();
  ActionCounts host;
  host.add("activations", 4096 * 4096 * 2 / 1024).add("host_reads", 4096 * 4096 * 2 / 32);
  const machine::Machine m = load();
  const double gain = price(m, host, Picoseconds(0)).total.value / price(m, pim, Picoseconds(0)).total.value;
  EXPECT_GT(gain, 1);
  EXPECT_LT(gain, 8);
}

}  // namespace
}  // namespace pimento::energy
