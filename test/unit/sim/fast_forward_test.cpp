// Fast-forward gives what a plain run gives: time and every count, on random streams and machines.
#include "pimento/sim/fast_forward.h"

#include <gtest/gtest.h>

#include "test/support/random_program.h"

namespace pimento::test {
namespace {

using sim::FastForward;
using sim::FastForwardOptions;
using sim::FastForwardResult;
using sim::Weakening;
using sim::dram::Channel;
using sim::dram::ChannelCounts;
using sim::dram::ChannelSpec;

struct Outcome {
  std::int64_t cycles = 0;
  ChannelCounts counts;
  bool isStuck = false;
  FastForwardResult result;

  bool operator==(const Outcome &o) const { return cycles == o.cycles && counts == o.counts && isStuck == o.isStuck; }
  std::string str() const {
    return fmt::format(
        "{} cycles{}, {} skipped, {} of {} intervals memoised; activates {}+{} precharges {}+{} refreshes {} lost {} "
        "columns {}",
        cycles, isStuck ? " (stuck)" : "", result.skipped, result.memoised, result.intervals, counts.activates,
        counts.allBankActivates, counts.precharges, counts.allBankPrecharges, counts.refreshes, counts.lostRefreshes,
        counts.columns);
  }
};

template <typename Sim = Channel>
Outcome runWith(const machine::Machine &machine, const program::Process &process, const FastForwardOptions &options) {
  const ChannelSpec spec(machine);
  const program::FlatLoops code = flatten(process, spec);
  Sim channel(spec, code);
  const FastForwardResult r = FastForward<Sim>(channel, options).run();
  return {channel.cycles().value, channel.counts(), r.isStuck, r};
}

// Streams of three sizes: boundary cases of short loops, typical ones, and long ones in which much is skipped.
RandomCase caseOf(std::int64_t seed) {
  Shape shape;
  if (seed % 3 == 1) shape = {8000, 4, 700};
  if (seed % 3 == 2) shape = {60000, 3, 5000};
  return randomCase(static_cast<std::uint64_t>(seed) + 1000000, shape);
}

TEST(FastForward, GivesTheTimeAndTheCountsOfAPlainRun) {
  const std::int64_t cases = caseCount(500);
  std::int64_t skipped = 0, memoised = 0;
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    const RandomCase c = caseOf(seed);
    const Outcome plain = runWith(c.machine, c.process, {.isEnabled = false});
    const Outcome fast = runWith(c.machine, c.process, {});
    ASSERT_TRUE(plain == fast) << "seed " << seed << "\nplain: " << plain.str() << "\nfast:  " << fast.str() << "\n"
                               << c.str();
    skipped += fast.result.skipped > 0 ? 1 : 0;
    memoised += fast.result.memoised > 0 ? 1 : 0;
  }
  RecordProperty("cases that skipped", static_cast<int>(skipped));
  std::cout << skipped << " " << memoised << "\n";
  EXPECT_GT(skipped, cases / 4) << "the cases are too tame to show anything";
  EXPECT_GT(memoised, cases / 20);
}

}  // namespace
}  // namespace pimento::test
