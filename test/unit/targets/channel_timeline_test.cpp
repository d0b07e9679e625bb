#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "pimento/targets/dram/timeline.h"
#include "test/support/hand_report.h"
#include "test/support/trace.h"
#include "test/support/trace_text.h"

namespace pimento::targets::dram {
namespace {

using test::Checked;
using Event = test::TraceEvent;

/// A stream that changes rows in several banks of both ranks, long enough for refreshes.
program::Process rowChanges() {
  program::Command c;
  c.row.stride = {1};
  c.column.base = 4;
  program::CommandLoops body;
  for (const auto &[rank, bank] : std::vector<std::pair<int, int>>{{0, 0}, {0, 5}, {1, 2}}) {
    c.rank = static_cast<std::uint8_t>(rank);
    c.bank = static_cast<std::uint8_t>(bank);
    c.purpose = rank == 0 ? program::Purpose::kPimRead : program::Purpose::kHostWrite;
    c.isWrite = rank == 1;
    body.push_back(program::CommandNode(c));
  }
  return test::process({program::CommandNode::loop("row", 200, body)});
}

test::DramNumbers twoRanks() {
  test::DramNumbers n;
  n.ranks = 2;
  return n;
}

std::int64_t runInto(const machine::Machine &machine, sim::dram::CommandObserver &observer) {
  const program::Process process = rowChanges();
  const sim::dram::ChannelSpec spec = sim::pim::channelSpec(machine);
  const program::FlatLoops code = test::flatten(process, spec);
  sim::dram::Channel channel(spec, code, &observer);
  while (channel.run().kind != sim::Checkpoint::Kind::kDone) {
  }
  return channel.cycles().value;
}

TEST(Perfetto, ARunGivesATraceThatKeepsTheFormatsRules) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  EXPECT_EQ(trace.dropped(), 0);
  const Checked c(out.str());
  EXPECT_EQ(c.other["dropped"], 0);
  EXPECT_EQ(c.other["clock_ghz"], machine.clockGHz);
}

TEST(Perfetto, EveryCommandHasItsSlotAndItsPlace) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  const std::vector<test::Issued> issued = test::runChannel(machine, rowChanges()).trace;
  const std::vector<Event> &slots = c.track("commands");
  ASSERT_EQ(slots.size(), issued.size());
  for (std::size_t i = 0; i < issued.size(); ++i) {
    EXPECT_EQ(slots[i].name, issued[i].what);
    EXPECT_EQ(slots[i].from, issued[i].time * 1000);
    EXPECT_EQ(slots[i].length, 1000);
    EXPECT_EQ(slots[i].args["bank"], issued[i].bank);
    EXPECT_EQ(slots[i].args.value("row", -1), issued[i].row);
    EXPECT_EQ(slots[i].args.value("column", -1), issued[i].column);
    const bool isColumn = issued[i].column >= 0;
    EXPECT_EQ(slots[i].args.value("purpose", ""), !isColumn ? "" : issued[i].bank < 16 ? "pim_read" : "host_write");
  }
}

TEST(Perfetto, ABanksTrackHoldsItsOpenRowsFromActivateToPrecharge) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  const std::int64_t cycles = runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  const std::vector<Event> &rows = c.track("rank 1 group 0 bank 2 (bank 18)");
  std::vector<Event> expected;
  for (const test::Issued &i : test::runChannel(machine, rowChanges()).trace) {
    if (i.bank != 18) continue;
    if (i.what == "ACT") expected.push_back({"row " + std::to_string(i.row), i.time * 1000, -1, {}});
    if (i.what == "PRE") expected.back().length = i.time * 1000 - expected.back().from;
  }
  ASSERT_GE(expected.size(), 200u);
  if (expected.back().length < 0) expected.back().length = cycles * 1000 - expected.back().from;
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].name, expected[i].name);
    EXPECT_EQ(rows[i].from, expected[i].from);
    EXPECT_EQ(rows[i].length, expected[i].length);
  }
}

TEST(Perfetto, ABankThatIsNeverOpenedHasNoTrack) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  int banks = 0;
  for (const auto &[id, title] : Checked(out.str()).names) banks += title.find("bank") != std::string::npos;
  EXPECT_EQ(banks, 3);
}

TEST(Perfetto, RefreshesStandOnTheTrackOfTheirRankForAsLongAsTheyLast) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  const auto issued = test::runChannel(machine, rowChanges()).only("REF");
  ASSERT_GE(issued.size(), 2u);
  EXPECT_EQ(c.track("rank 0: refresh").size() + c.track("rank 1: refresh").size(), issued.size());
  ASSERT_FALSE(c.track("rank 0: refresh").empty());
  EXPECT_EQ(c.track("rank 0: refresh").front().length, 350 * 1000);
}

TEST(Perfetto, TheHostsPhasesSurroundTheDeviceRun) {
  const machine::Machine machine = test::handMachine(twoRanks());
  evaluate::Report report = test::handReport();
  std::ostringstream out;
  ChannelTimeline trace(out, machine, report.breakdown());
  const std::int64_t compute = runInto(machine, trace);
  report.stages[0].phases[2] = test::handPhase(evaluate::Part::kCompute, compute);
  ASSERT_TRUE(trace.finish(report));
  const Checked c(out.str());
  const std::vector<Event> &phases = c.track("phases");
  std::vector<std::string> names;
  for (const Event &e : phases) names.push_back(e.name);
  ASSERT_EQ(names, (std::vector<std::string>{"rearrange in", "transfer in", "transfer out", "merge", "rearrange out"}));
  const std::int64_t before = (100 + 1600) * 1000;
  EXPECT_EQ(phases[1].end(), before);
  EXPECT_EQ(c.track("commands").front().from, before + test::runChannel(machine, rowChanges()).trace[0].time * 1000);
  EXPECT_EQ(phases[2].from, before + compute * 1000);
  EXPECT_EQ(phases.back().end(), report.breakdown().total().value * 1000);
}

TEST(Perfetto, TheKernelsOfAGraphFollowOneAnother) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  const std::int64_t cycles = runInto(machine, trace);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  const std::vector<Event> &slots = c.track("commands");
  const std::size_t half = slots.size() / 2;
  EXPECT_EQ(slots[half].from, slots[0].from + cycles * 1000);
  EXPECT_EQ(slots.back().name, slots[half - 1].name);
}

TEST(Perfetto, AClockOfNoWholePicosecondsLeavesNoOverlap) {
  machine::Machine machine = test::handMachine(twoRanks());
  machine.clockGHz = 1.2;
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  EXPECT_NEAR(static_cast<double>(c.track("rank 0: refresh").front().length), 350 / 1.2 * 1000, 1);
}

TEST(Perfetto, EventsBeyondTheLimitAreCountedAndTheTraceSaysSo) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream all, some;
  ChannelTimeline whole(all, machine), cut(some, machine, {}, 100);
  runInto(machine, whole);
  runInto(machine, cut);
  ASSERT_TRUE(whole.finish({}));
  ASSERT_TRUE(cut.finish({}));
  const auto count = [](const Checked &c) {
    std::int64_t n = 0;
    for (const auto &[id, list] : c.events) n += static_cast<std::int64_t>(list.size());
    return n;
  };
  const Checked c(some.str());
  EXPECT_EQ(count(c), 101);
  EXPECT_EQ(c.track("commands").back().name, "trace truncated");
  EXPECT_EQ(cut.dropped(), count(Checked(all.str())) - 100);
  EXPECT_EQ(c.other["dropped"], cut.dropped());
}

TEST(Perfetto, NamesFromUsersFilesAreEscaped) {
  machine::Machine machine = test::handMachine();
  machine.name = "a \"quoted\" \xff name";
  evaluate::Report report;
  report.kernel = "k\n\"";
  std::ostringstream out;
  ChannelTimeline trace(out, machine);
  ASSERT_TRUE(trace.finish(report));
  EXPECT_EQ(Checked(out.str()).other["kernel"], report.kernel);
}

TEST(Perfetto, ATraceThatCannotBeWrittenIsAnError) {
  std::ostringstream out;
  ChannelTimeline trace(out, test::handMachine());
  out.setstate(std::ios::badbit);
  const Status s = trace.finish({});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "unwritable-file");
}

}  // namespace
}  // namespace pimento::targets::dram
