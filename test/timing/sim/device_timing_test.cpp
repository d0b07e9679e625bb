// Every constraint of the HBM-PIM table, at the device: not at t-1, yes at t.
#include <gtest/gtest.h>

#include "pimento/sim/dram/device.h"
#include "test/support/hand_machine.h"

namespace pimento::test {
namespace {

using sim::dram::Device;
using sim::dram::DeviceSpec;
using sim::dram::Tick;

// Banks of two ranks of 4 groups x 4 banks, named by what they share with kBank.
constexpr int kBank = 5, kSameGroup = 6, kOtherGroup = 8, kOtherRank = 21;
constexpr Tick kStart = 1000;

class DeviceTiming : public ::testing::Test {
 protected:
  explicit DeviceTiming(const DramNumbers &n = twoRanks()) : machine_(handMachine(n)), spec_(*machine_.dram) {}

  static DramNumbers twoRanks() {
    DramNumbers n;
    n.ranks = 2;
    return n;
  }

  void issue(int command, int bank, Tick t) { device_.issue(command, bank, 7, 0, t); }

  /// `command` to `bank` may go at `t` and not before.
  void expectAt(int command, int bank, Tick t) {
    EXPECT_NE(device_.earliest(command, bank, t - 1), t - 1) << "already allowed at " << t - 1;
    EXPECT_EQ(device_.earliest(command, bank, t - 1), t);
    EXPECT_EQ(device_.earliest(command, bank, t), t) << "not yet allowed at " << t;
    EXPECT_EQ(device_.earliest(command, bank, t + 9), t + 9) << "later is fine, too";
  }
  void expectFree(int command, int bank) { EXPECT_EQ(device_.earliest(command, bank, kStart), kStart); }

  machine::Machine machine_;
  DeviceSpec spec_;
  Device device_{spec_};
};

TEST_F(DeviceTiming, NothingWaitsAtFirst) {
  for (const int command : {kAct, kPre, kRd, kWr, kRef})
    for (int bank = 0; bank < 32; ++bank) EXPECT_EQ(device_.earliest(command, bank, 0), 0);
}

TEST_F(DeviceTiming, AReadDelaysReadsOfItsGroupByLongCcd) {
  issue(kRd, kBank, kStart);
  expectAt(kRd, kBank, kStart + 4);
  expectAt(kRd, kSameGroup, kStart + 4);
}
TEST_F(DeviceTiming, AReadDelaysReadsOfOtherGroupsByShortCcd) {
  issue(kRd, kBank, kStart);
  expectAt(kRd, kOtherGroup, kStart + 2);
}
TEST_F(DeviceTiming, AReadDelaysWritesOfTheRankByTheTurnOfTheBus) {
  issue(kRd, kBank, kStart);
  expectAt(kWr, kBank, kStart + 15);
  expectAt(kWr, kSameGroup, kStart + 15);
  expectAt(kWr, kOtherGroup, kStart + 15);
}
TEST_F(DeviceTiming, AWriteDelaysReadsOfTheRankByTheLongTurnInAllGroups) {
  issue(kWr, kBank, kStart);
  expectAt(kRd, kBank, kStart + 19);
  expectAt(kRd, kSameGroup, kStart + 19);
  expectAt(kRd, kOtherGroup, kStart + 19);
}
TEST_F(DeviceTiming, AWriteDelaysWritesOfItsGroupByLongCcd) {
  issue(kWr, kBank, kStart);
  expectAt(kWr, kBank, kStart + 4);
  expectAt(kWr, kSameGroup, kStart + 4);
}
TEST_F(DeviceTiming, AWriteDelaysWritesOfOtherGroupsByShortCcd) {
  issue(kWr, kBank, kStart);
  expectAt(kWr, kOtherGroup, kStart + 2);
}
TEST_F(DeviceTiming, AReadDelaysThePrechargeOfItsBankOnly) {
  issue(kRd, kBank, kStart);
  expectAt(kPre, kBank, kStart + 3);
  expectFree(kPre, kSameGroup);
}
TEST_F(DeviceTiming, AWriteDelaysThePrechargeOfItsBankByWriteRecovery) {
  issue(kWr, kBank, kStart);
  expectAt(kPre, kBank, kStart + 26);
  expectFree(kPre, kSameGroup);
}
TEST_F(DeviceTiming, AnActivateDelaysReadsOfItsBank) {
  issue(kAct, kBank, kStart);
  expectAt(kRd, kBank, kStart + 14);
  expectFree(kRd, kSameGroup);
}
TEST_F(DeviceTiming, AnActivateDelaysWritesOfItsBankLess) {
  issue(kAct, kBank, kStart);
  expectAt(kWr, kBank, kStart + 10);
  expectFree(kWr, kSameGroup);
}
TEST_F(DeviceTiming, ARowStaysOpenForAtLeastRas) {
  issue(kAct, kBank, kStart);
  expectAt(kPre, kBank, kStart + 33);
  expectFree(kPre, kSameGroup);
}
TEST_F(DeviceTiming, ActivatesOfOneBankAreRcApart) {
  issue(kAct, kBank, kStart);
  expectAt(kAct, kBank, kStart + 47);
}
TEST_F(DeviceTiming, ActivatesOfOneGroupAreLongRrdApart) {
  issue(kAct, kBank, kStart);
  expectAt(kAct, kSameGroup, kStart + 6);
}
TEST_F(DeviceTiming, ActivatesOfOneRankAreShortRrdApart) {
  issue(kAct, kBank, kStart);
  expectAt(kAct, kOtherGroup, kStart + 4);
}
TEST_F(DeviceTiming, APrechargeDelaysTheActivateOfItsBank) {
  issue(kPre, kBank, kStart);
  expectAt(kAct, kBank, kStart + 14);
  expectFree(kAct, kSameGroup);
  EXPECT_EQ(device_.bank(kBank).idleAt, kStart + 14);
}
TEST_F(DeviceTiming, ARefreshDelaysActivatesOfAllBanksOfItsRank) {
  issue(kRef, 0, kStart);
  for (int bank = 0; bank < 16; ++bank) {
    expectAt(kAct, bank, kStart + 350);
    EXPECT_EQ(device_.bank(bank).idleAt, kStart + 350);
  }
  expectFree(kAct, kOtherRank);
  EXPECT_EQ(device_.bank(kOtherRank).idleAt, 0);
}

TEST_F(DeviceTiming, RanksDoNotDelayEachOther) {
  for (const int command : {kAct, kRd, kWr, kPre, kRef}) issue(command, kBank, kStart);
  for (const int command : {kAct, kRd, kWr, kPre, kRef}) expectFree(command, kOtherRank);
}

TEST_F(DeviceTiming, NothingDelaysARefreshHere) {
  for (const int command : {kAct, kRd, kWr, kPre}) issue(command, kBank, kStart);
  expectFree(kRef, 0);
}

TEST_F(DeviceTiming, TheLatestOfSeveralConstraintsCounts) {
  issue(kAct, kBank, kStart);
  issue(kWr, kBank, kStart + 10);
  expectAt(kPre, kBank, kStart + 36);  // the write's recovery, not the 33 of the activate
  issue(kRd, kSameGroup, kStart + 30);
  expectAt(kWr, kBank, kStart + 45);
  expectAt(kRd, kBank, kStart + 34);  // the read's 4 outlast the write's 19
}

TEST_F(DeviceTiming, AnEarlierCommandNeverShortensAWait) {
  issue(kWr, kBank, kStart);
  issue(kRd, kOtherRank, kStart + 1);
  issue(kRd, kBank, kStart + 2);  // not legal, but the wait for reads must not go back to +6
  expectAt(kRd, kBank, kStart + 19);
}

TEST_F(DeviceTiming, OpenRowsFollowActivatesAndPrecharges) {
  EXPECT_FALSE(device_.isActive(kBank));
  device_.issue(kAct, kBank, 1234, 9, kStart);
  EXPECT_TRUE(device_.isActive(kBank));
  EXPECT_EQ(device_.bank(kBank).row, 1234);
  EXPECT_EQ(device_.bank(kBank).opener, 9);
  EXPECT_EQ(device_.active(), std::uint64_t{1} << kBank);
  issue(kPre, kBank, kStart + 50);
  EXPECT_EQ(device_.active(), 0U);
}

sim::StateWords stateOf(const Device &device, Tick now) {
  sim::StateWords w;
  w.begin(0);
  device.encodeWaits(now, w);
  w.begin(1);
  device.encodeBusyBanks(now, w);
  w.begin(2);
  device.encodeWindows(now, w);
  return w;
}

/// Times as they are at `now`, `by` cycles later.
void move(Device &device, Tick now, Tick by) {
  const sim::StateWords w = stateOf(device, now);
  sim::StateReader in(w);
  in.begin(0);
  device.restoreWaits(now + by, in);
  in.begin(1);
  device.restoreBusyBanks(now + by, in);
  in.begin(2);
  device.restoreWindows(now + by, in);
}

TEST_F(DeviceTiming, RestoredTimesKeepTheirDistances) {
  issue(kAct, kBank, kStart);
  issue(kPre, kBank, kStart + 33);
  move(device_, kStart, 5000);
  expectAt(kAct, kBank, kStart + 5047);
  expectAt(kAct, kOtherGroup, kStart + 5004);
  EXPECT_EQ(device_.bank(kBank).idleAt, kStart + 5047);
}

class ActivateWindow : public DeviceTiming {
 protected:
  ActivateWindow() : DeviceTiming(withWindow()) {}
  static DramNumbers withWindow() {
    DramNumbers n = twoRanks();
    n.faw = 40;
    return n;
  }
};

TEST_F(ActivateWindow, AFifthActivateWaitsForTheWindowOfTheFirst) {
  const int banks[] = {0, 4, 8, 12};
  for (int i = 0; i < 4; ++i) issue(kAct, banks[i], kStart + 5 * i);
  expectAt(kAct, 1, kStart + 40);
  expectFree(kAct, kOtherRank);
}
TEST_F(ActivateWindow, FourActivatesDoNotWaitForIt) {
  for (int i = 0; i < 3; ++i) issue(kAct, 4 * i, kStart + 5 * i);
  expectAt(kAct, 12, kStart + 14);
}
TEST_F(ActivateWindow, TheWindowMovesOn) {
  const int banks[] = {0, 4, 8, 12};
  for (int i = 0; i < 4; ++i) issue(kAct, banks[i], kStart + 5 * i);
  issue(kAct, 1, kStart + 40);
  expectAt(kAct, 5, kStart + 45);  // the second activate was at +5
  issue(kAct, 5, kStart + 60);
  expectAt(kAct, 9, kStart + 64);  // the third's window has passed; rrd counts again
}
TEST_F(ActivateWindow, OtherCommandsDoNotCount) {
  issue(kAct, 0, kStart);
  for (int i = 1; i < 9; ++i) issue(i % 2 ? kRd : kWr, 0, kStart + 20 * i);
  issue(kRef, 0, kStart + 1);
  EXPECT_EQ(device_.earliest(kAct, 4, kStart + 400), kStart + 400);
}
TEST_F(ActivateWindow, RestoredHistoryKeepsItsDistances) {
  const int banks[] = {0, 4, 8};
  for (int i = 0; i < 3; ++i) issue(kAct, banks[i], kStart + 5 * i);
  move(device_, kStart, 300);
  issue(kAct, 12, kStart + 315);
  expectAt(kAct, 1, kStart + 340);
}

TEST(DeviceState, EqualAfterAMoveAndDifferentOtherwise) {
  const machine::Machine m = handMachine();
  const DeviceSpec spec(*m.dram);
  const auto areEqual = [](const Device &a, Tick at, const Device &b, Tick then) {
    return stateOf(a, at).matches(stateOf(b, then), 0);
  };
  Device a(spec);
  a.issue(kAct, 3, 7, 0, 100);
  Device b = a;
  move(b, 100, 77);
  EXPECT_TRUE(areEqual(a, 110, b, 187));
  EXPECT_FALSE(areEqual(a, 110, b, 188)) << "one cycle less to wait";
  Device c = a;
  c.issue(kRd, 3, 7, 0, 114);
  EXPECT_FALSE(areEqual(a, 115, c, 115));
  EXPECT_TRUE(areEqual(a, 1000, c, 1000)) << "all waits have passed";
}

}  // namespace
}  // namespace pimento::test
