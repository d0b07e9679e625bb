// The event-driven channel issues what the plain cycle-by-cycle oracle issues, command by command.
#include "test/support/plain_channel.h"

#include <gtest/gtest.h>

#include "test/support/cases.h"
#include "test/support/random_program.h"

namespace pimento::test {
namespace {

void compare(const RandomCase &c, const std::string &what) {
  ASSERT_TRUE(program::verify({"hbm-pim", {}, {c.process}}, c.machine).ok()) << what << "\n" << c.str();
  const ChannelRun fast = runChannel(c.machine, c.process);
  const ChannelRun plain = PlainChannel(c.machine, c.process).run();
  const std::size_t n = std::min(fast.trace.size(), plain.trace.size());
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(fast.trace[i], plain.trace[i]) << what << ", command " << i << "\n" << c.str();
  ASSERT_EQ(fast.isStuck, plain.isStuck) << what << "\n" << c.str();
  ASSERT_EQ(fast.cycles, plain.cycles) << what << "\n" << c.str();
  if (fast.isStuck) return;  // the oracle goes on refreshing until it loses patience
  ASSERT_EQ(fast.trace.size(), plain.trace.size()) << what << "\n" << c.str();
  ASSERT_EQ(fast.counts.lostRefreshes, plain.counts.lostRefreshes) << what << "\n" << c.str();
  ASSERT_EQ(fast.counts.activates + fast.counts.allBankActivates, std::int64_t(fast.only("ACT").size())) << what;
  ASSERT_EQ(fast.counts.precharges + fast.counts.allBankPrecharges, std::int64_t(fast.only("PRE").size())) << what;
  ASSERT_EQ(fast.counts.refreshes, std::int64_t(fast.only("REF").size())) << what;
}

TEST(PlainOracle, IssuesTheSameCommandsInTheSameCycles) {
  const std::int64_t cases = caseCount(400);
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    Shape shape;
    if (seed % 4 == 0) shape.commands = 150;
    compare(randomCase(static_cast<std::uint64_t>(seed), shape), fmt::format("seed {}", seed));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pimento::test
