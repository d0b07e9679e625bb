// The critical path adds up to the cycles of the run, command by command, and names the waits that are there.
#include "pimento/sim/dram/critical_path.h"

#include <gtest/gtest.h>

#include "test/support/cases.h"
#include "test/support/random_program.h"

namespace pimento::test {
namespace {

using sim::dram::Channel;
using sim::dram::ChannelSpec;
using sim::dram::CriticalPath;
using sim::dram::CriticalPathResult;
using sim::dram::PathShare;
using sim::dram::Phases;
using sim::dram::Wait;

struct Accounted {
  std::int64_t cycles = 0;
  CriticalPathResult path;
  std::vector<std::string> phases;

  /// Count and cycles of one kind of wait in all phases.
  std::pair<std::int64_t, std::int64_t> of(Wait w, int constraint = -1) const {
    std::pair<std::int64_t, std::int64_t> sum;
    for (const PathShare &s : path.shares)
      if (s.wait == w && s.constraint == constraint) sum = {sum.first + s.count, sum.second + s.cycles};
    return sum;
  }
};

Accounted account(const machine::Machine &m, const program::Process &p) {
  const ChannelSpec spec = sim::pim::channelSpec(m);
  const program::FlatLoops code = flatten(p, spec);
  const Phases phases(commandsOf(p));
  CriticalPath path(*m.dram, spec, code, phases);
  Channel channel(spec, code, &path);
  for (;;) {
    const sim::Checkpoint c = channel.run();
    if (c.kind == sim::Checkpoint::Kind::kDone || c.kind == sim::Checkpoint::Kind::kStuck) break;
  }
  return {channel.cycles().value, path.result(), phases.names};
}

/// The rule that makes `following` wait for `preceding` at `level`.
int constraint(const machine::Machine &m, const std::string &preceding, const std::string &following,
               machine::ScopeLevel level) {
  const int p = m.dram->commandNamed(preceding), f = m.dram->commandNamed(following);
  for (std::size_t i = 0; i < m.dram->constraints.size(); ++i) {
    const machine::TimingConstraint &c = m.dram->constraints[i];
    if (c.level == level && std::count(c.preceding.begin(), c.preceding.end(), p) != 0 &&
        std::count(c.following.begin(), c.following.end(), f) != 0)
      return static_cast<int>(i);
  }
  return -1;
}

TEST(CriticalPath, OfReadsInOneRowIsTheActivateAndTheColumnDistances) {
  DramNumbers n;
  n.hasPim = false;
  n.refresh = "none";
  const machine::Machine m = handMachine(n);
  program::CommandLoops body;
  for (int i = 0; i < 10; ++i) body.push_back(rd(0, 5, i, i == 9));
  const Accounted a = account(m, process(body));
  EXPECT_EQ(a.path.total(), Cycles(a.cycles));
  const std::pair<std::int64_t, std::int64_t> activate = {1, n.rcdRead}, columns = {9, 9 * n.ccdL}, one = {1, 1};
  EXPECT_EQ(a.of(Wait::kConstraint, constraint(m, "ACT", "RD", machine::ScopeLevel::kBank)), activate);
  EXPECT_EQ(a.of(Wait::kConstraint, constraint(m, "RD", "RD", machine::ScopeLevel::kBankGroup)), columns);
  EXPECT_EQ(a.of(Wait::kArrival), one);  // the first transaction
  EXPECT_EQ(a.of(Wait::kFirstCycle), one);
  EXPECT_EQ(a.of(Wait::kReadCompletion).second, m.dram->readLatency.value);
  EXPECT_EQ(a.path.shares.size(), 5U);
}

TEST(CriticalPath, OfRowsInOneBankGoesThroughPrecharges) {
  DramNumbers n;
  n.hasPim = false;
  n.refresh = "none";
  const machine::Machine m = handMachine(n);
  program::Process p = process({});
  program::Command c;
  c.isBarrier = true;
  c.row.stride[0] = 1;
  commandsOf(p).push_back(program::CommandNode::loop("row", 20, {program::CommandNode(c)}));
  const Accounted a = account(m, p);
  EXPECT_EQ(a.path.total(), Cycles(a.cycles));
  // tRC from activate to activate, or tRAS and tRP: either way 19 times.
  const auto rc = a.of(Wait::kConstraint, constraint(m, "ACT", "ACT", machine::ScopeLevel::kBank));
  const auto rp = a.of(Wait::kConstraint, constraint(m, "PRE", "ACT", machine::ScopeLevel::kBank));
  EXPECT_EQ(rc.first + rp.first, 19);
  EXPECT_EQ(a.of(Wait::kUnattributed).first, 0);
}

TEST(CriticalPath, SaysWhatARefreshCosts) {
  DramNumbers n;
  n.hasPim = false;
  n.refresh = "single-slot";
  n.ranks = 1;
  const machine::Machine m = handMachine(n);
  program::Process p = process({});
  program::CommandLoops group;
  for (int i = 0; i < 8; ++i) group.push_back(rd(0, 3, i, i == 7));
  commandsOf(p).push_back(program::CommandNode::loop("i", 2 * n.refi / (8 * n.ccdL), group));
  const Accounted a = account(m, p);
  EXPECT_EQ(a.path.total(), Cycles(a.cycles));
  const auto refresh = a.of(Wait::kConstraint, constraint(m, "REF", "ACT", machine::ScopeLevel::kRank));
  EXPECT_GE(refresh.first, 1);
  EXPECT_EQ(refresh.second, refresh.first * n.rfc);
}

TEST(CriticalPath, ChargesFencesToTheHost) {
  DramNumbers n;
  n.hasPim = false;
  n.refresh = "none";
  n.fence = 100;
  const machine::Machine m = handMachine(n);
  program::Process p = process({});
  commandsOf(p).push_back(program::CommandNode::loop("i", 30, {rd(0, 3, 0), rd(0, 3, 1, true)}));
  const Accounted a = account(m, p);
  EXPECT_EQ(a.path.total(), Cycles(a.cycles));
  const std::pair<std::int64_t, std::int64_t> fences = {29, 29 * (m.dram->readLatency.value + 100)};
  EXPECT_EQ(a.of(Wait::kFence), fences);
}

TEST(CriticalPath, FilesCommandsUnderTheirPartOfTheProgram) {
  program::Process p = process({rd(0, 1, 0, true)});
  commandsOf(p).push_back(program::CommandNode::loop("tile", 3, {rd(0, 3, 0, true)}));
  commandsOf(p).push_back(rd(0, 1, 0, true));
  const Phases phases(commandsOf(p));
  EXPECT_EQ(phases.names, (std::vector<std::string>{"prologue", "tile: host_read", "epilogue", "refresh"}));
  EXPECT_EQ(phases.ofCommand, (std::vector<int>{0, 1, 2}));
}

TEST(CriticalPath, OfNothingIsTheFirstCycle) {
  const machine::Machine m = handMachine({});
  const Accounted a = account(m, process({}));
  EXPECT_EQ(a.cycles, 1);
  EXPECT_EQ(a.path.total(), Cycles(1));
}

TEST(CriticalPath, AddsUpToTheCyclesOfRandomProgramsWithNothingLeftOver) {
  const std::int64_t cases = caseCount(300);
  for (std::int64_t seed = 0; seed < cases; ++seed) {
    Shape shape;
    if (seed % 3 == 1) shape = {8000, 4, 700};
    if (seed % 50 == 2) shape = {60000, 3, 5000};
    const RandomCase c = randomCase(static_cast<std::uint64_t>(seed) + 9000000, shape);
    const Accounted a = account(c.machine, c.process);
    ASSERT_EQ(a.path.total(), Cycles(a.cycles)) << "seed " << seed << "\n" << c.str();
    ASSERT_EQ(a.of(Wait::kUnattributed).first, 0) << "seed " << seed << "\n" << c.str();
    for (const PathShare &s : a.path.shares) {
      ASSERT_GE(s.cycles, 0) << "seed " << seed;
      if (s.wait != Wait::kConstraint) continue;
      ASSERT_EQ(s.cycles, s.count * c.machine.dram->constraints[static_cast<std::size_t>(s.constraint)].latency.value)
          << "seed " << seed << "\n"
          << c.str();
    }
  }
}

TEST(CriticalPath, OfAMillionCommandsIsFoldedOnTheWay) {
  DramNumbers n;
  n.hasPim = false;
  const machine::Machine m = handMachine(n);
  program::Process p = process({});
  program::Command c;
  c.row.stride[0] = 1;
  program::CommandLoops group;
  for (int i = 0; i < 8; ++i) {
    c.column.base = i;
    c.isBarrier = i == 7;
    group.push_back(program::CommandNode(c));
  }
  commandsOf(p).push_back(program::CommandNode::loop("row", 300000, group));
  const Accounted a = account(m, p);
  EXPECT_EQ(a.path.total(), Cycles(a.cycles));
  EXPECT_EQ(a.of(Wait::kUnattributed).first, 0);
}

}  // namespace
}  // namespace pimento::test
