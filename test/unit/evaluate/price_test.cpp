#include "pimento/evaluate/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/evaluate/evaluator.h"
#include "pimento/lower/hbm_pim/host_stream.h"

namespace pimento::evaluate {
namespace {

machine::Machine hbmPim() {
  auto m = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"});
  EXPECT_TRUE(m);
  return *m;
}

TEST(Price, PlacementAndReadBackAreNearTheEnginesOwnHostStreams) {
  const machine::Machine m = hbmPim();
  for (const std::int64_t megabytes : {4, 8, 16, 32})
    for (const bool isWrite : {true, false}) {
      const Bytes bytes(megabytes << 20);
      const auto stream = lower::hbm_pim::hostStream(m, bytes, isWrite);
      ASSERT_TRUE(stream);
      const auto simulated = evaluateProgram(*stream, m, false, {});
      ASSERT_TRUE(simulated);
      lower::HostWork work;
      (isWrite ? work.placed : work.readBack) = bytes;
      const Breakdown b = hostCycles(m, work, Cycles(0));
      const double priced = static_cast<double>((isWrite ? b.transferIn : b.transferOut).value);
      const double error = priced / static_cast<double>(simulated->cycles.value) - 1;
      EXPECT_LT(std::abs(error), 0.13) << megabytes << " MiB, " << (isWrite ? "written" : "read") << ": " << priced
                                       << " against " << simulated->cycles.value;
    }
}

TEST(Price, NothingMovedCostsNothing) {
  const Breakdown b = hostCycles(hbmPim(), {}, Cycles(100));
  EXPECT_EQ(b.total(), Cycles(100));
  EXPECT_EQ(b.compute, Cycles(100));
}

TEST(Price, PartsGrowWithTheirWork) {
  const machine::Machine m = hbmPim();
  lower::HostWork work;
  work.placed = Bytes(1 << 20);
  work.rearrangedIn = Bytes(1 << 20);
  work.readBack = Bytes(1 << 16);
  work.rearrangedOut = Bytes(1 << 16);
  work.merges = 1 << 20;
  const Breakdown b = hostCycles(m, work, Cycles(7));
  EXPECT_GT(b.transferIn, b.transferOut);
  EXPECT_GT(b.rearrangeIn, b.rearrangeOut);
  EXPECT_GT(b.rearrangeOut.value, 0);
  EXPECT_GT(b.merge.value, 0);
  EXPECT_EQ(b.total(), b.transferIn + b.rearrangeIn + b.compute + b.merge + b.rearrangeOut + b.transferOut);
}

TEST(Price, TheHostsActionsCountBurstsOverTheLinkAndMerges) {
  const machine::Machine m = hbmPim();
  lower::HostWork work;
  work.placed = Bytes(64 * 1024);
  work.readBack = Bytes(1024);
  work.merges = 5;
  const energy::ActionCounts a = hostActions(m, work, hostCycles(m, work, Cycles(0)));
  EXPECT_EQ(a.of(energy::Action::kHostWrites), 2048);
  EXPECT_EQ(a.of(energy::Action::kHostReads), 32);
  EXPECT_EQ(a.of(energy::Action::kActivations), 65);
  EXPECT_EQ(a.of(energy::Action::kMerges), 5);
}

}  // namespace
}  // namespace pimento::evaluate
