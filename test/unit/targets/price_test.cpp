#include "pimento/evaluate/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pimento/evaluate/evaluator.h"
#include "pimento/targets/hbm_pim/host_stream.h"
#include "test/support/target_of.h"

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
      const auto stream = targets::hbm_pim::hostStream(m, bytes, isWrite);
      ASSERT_TRUE(stream);
      const auto simulated = test::evaluateProgram(*stream, m, false);
      ASSERT_TRUE(simulated);
      evaluate::HostWork work;
      (isWrite ? work.placed : work.readBack) = bytes;
      const Breakdown b = hostCycles(m, work, Cycles(0));
      const double priced = static_cast<double>((isWrite ? b[Part::kTransferIn] : b[Part::kTransferOut]).value);
      const double error = priced / static_cast<double>(simulated->cycles.value) - 1;
      EXPECT_LT(std::abs(error), 0.13) << megabytes << " MiB, " << (isWrite ? "written" : "read") << ": " << priced
                                       << " against " << simulated->cycles.value;
    }
}

TEST(Price, NothingMovedCostsNothing) {
  const Breakdown b = hostCycles(hbmPim(), {}, Cycles(100));
  EXPECT_EQ(b.total(), Cycles(100));
  EXPECT_EQ(b[Part::kCompute], Cycles(100));
}

TEST(Price, PartsGrowWithTheirWork) {
  const machine::Machine m = hbmPim();
  evaluate::HostWork work;
  work.placed = Bytes(1 << 20);
  work.rearrangedIn = Bytes(1 << 20);
  work.readBack = Bytes(1 << 16);
  work.rearrangedOut = Bytes(1 << 16);
  work.merges = 1 << 20;
  const Breakdown b = hostCycles(m, work, Cycles(7));
  EXPECT_GT(b[Part::kTransferIn], b[Part::kTransferOut]);
  EXPECT_GT(b[Part::kRearrangeIn], b[Part::kRearrangeOut]);
  EXPECT_GT(b[Part::kRearrangeOut].value, 0);
  EXPECT_GT(b[Part::kMerge].value, 0);
  EXPECT_EQ(b.total(), b[Part::kTransferIn] + b[Part::kRearrangeIn] + b[Part::kCompute] + b[Part::kMerge] +
                           b[Part::kRearrangeOut] + b[Part::kTransferOut]);
}

TEST(Price, TheHostsActionsCountBurstsOverTheLinkAndMerges) {
  const machine::Machine m = hbmPim();
  evaluate::HostWork work;
  work.placed = Bytes(64 * 1024);
  work.readBack = Bytes(1024);
  work.merges = 5;
  const energy::ActionCounts a = hostActions(m, work, hostCycles(m, work, Cycles(0)));
  EXPECT_EQ(a.of("host_writes"), 2048);
  EXPECT_EQ(a.of("host_reads"), 32);
  EXPECT_EQ(a.of("activations"), 65);
  EXPECT_EQ(a.of("merges"), 5);
}

}  // namespace
}  // namespace pimento::evaluate
