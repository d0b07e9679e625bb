#include "pimento/emit/perfetto.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "test/support/hand_report.h"
#include "test/support/trace.h"

namespace pimento::emit {
namespace {

using Json = nlohmann::json;
using Track = std::pair<int, int>;

/// A complete event, times in whole picoseconds.
struct Event {
  std::string name;
  std::int64_t from = 0, length = 0;
  Json args;

  std::int64_t end() const { return from + length; }
};

std::int64_t picoseconds(const Json &microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

/// Checks a text against the trace event format's rules, as its document states them, and sorts it by track.
class Checked {
 public:
  explicit Checked(const std::string &text) {
    const Json file = Json::parse(text, nullptr, false);
    if (file.is_discarded() || !file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array()) {
      ADD_FAILURE() << "not the JSON object form: " << text.substr(0, 200);
      return;
    }
    other = file.value("otherData", Json());
    for (const Json &e : file["traceEvents"]) take(e);
    checkTracks();
  }

  const std::vector<Event> &track(const std::string &name) const {
    static const std::vector<Event> kNone;
    for (const auto &[id, title] : names)
      if (title == name && events.count(id) != 0) return events.at(id);
    return kNone;
  }

  std::map<Track, std::string> names;
  std::map<Track, std::vector<Event>> events;
  Json other;

 private:
  void take(const Json &e) {
    ASSERT_TRUE(e.is_object()) << e;
    for (const char *key : {"ph", "name"}) ASSERT_TRUE(e.contains(key) && e[key].is_string()) << key << " in " << e;
    for (const char *key : {"pid", "tid"})
      ASSERT_TRUE(e.contains(key) && e[key].is_number_integer()) << key << " in " << e;
    const Track id{e["pid"], e["tid"]};
    if (e["ph"] == "M") return takeMetadata(e, id);
    ASSERT_EQ(e["ph"], "X") << "a phase that we do not write: " << e;
    for (const char *key : {"ts", "dur"}) {
      ASSERT_TRUE(e.contains(key) && e[key].is_number()) << key << " in " << e;
      EXPECT_GE(e[key].get<double>(), 0) << e;
    }
    EXPECT_FALSE(e["name"].get<std::string>().empty()) << e;
    EXPECT_TRUE(!e.contains("args") || e["args"].is_object()) << e;
    events[id].push_back({e["name"], picoseconds(e["ts"]), picoseconds(e["dur"]), e.value("args", Json::object())});
  }

  void takeMetadata(const Json &e, const Track &id) {
    const std::string kind = e["name"];
    ASSERT_TRUE(e.contains("args") && e["args"].is_object()) << e;
    if (kind == "process_name" || kind == "thread_name") {
      ASSERT_TRUE(e["args"].contains("name") && e["args"]["name"].is_string()) << e;
      const bool isNew =
          kind == "process_name" ? processes_.emplace(id.first).second : names.emplace(id, e["args"]["name"]).second;
      EXPECT_TRUE(isNew) << "named twice: " << e;
    } else if (kind == "process_sort_index" || kind == "thread_sort_index") {
      ASSERT_TRUE(e["args"].contains("sort_index") && e["args"]["sort_index"].is_number_integer()) << e;
    } else {
      ADD_FAILURE() << "unknown metadata: " << e;
    }
  }

  void checkTracks() const {
    std::set<int> tids;
    std::set<std::string> titles;
    for (const auto &[id, title] : names) {
      EXPECT_TRUE(tids.insert(id.second).second) << "thread ids are those of a system: " << title;
      EXPECT_TRUE(titles.insert(title).second) << "two tracks are called " << title;
    }
    for (const auto &[id, list] : events) {
      EXPECT_EQ(processes_.count(id.first), 1u) << "process without a name: " << id.first;
      EXPECT_EQ(names.count(id), 1u) << "track without a name: " << id.second;
      for (std::size_t i = 1; i < list.size(); ++i)
        // Complete events of one thread may nest; ours follow one another.
        EXPECT_GE(list[i].from, list[i - 1].end()) << list[i].name << " begins before " << list[i - 1].name << " ends";
    }
  }

  std::set<int> processes_;
};

/// A stream that changes rows in several banks of both ranks, long enough for refreshes.
program::Process rowChanges() {
  program::Command c;
  c.row.stride = {1};
  c.column.base = 4;
  std::vector<program::Node> body;
  for (const auto &[rank, bank] : std::vector<std::pair<int, int>>{{0, 0}, {0, 5}, {1, 2}}) {
    c.rank = static_cast<std::uint8_t>(rank);
    c.bank = static_cast<std::uint8_t>(bank);
    c.purpose = rank == 0 ? program::Purpose::kPimRead : program::Purpose::kHostWrite;
    c.isWrite = rank == 1;
    body.push_back(program::Node::leaf(c));
  }
  return test::process({program::Node::loop("row", 200, body)});
}

test::DramNumbers twoRanks() {
  test::DramNumbers n;
  n.ranks = 2;
  return n;
}

std::int64_t runInto(const machine::Machine &machine, sim::dram::CommandObserver &observer) {
  const program::Process process = rowChanges();
  const sim::dram::ChannelSpec spec(machine);
  const program::FlatLoops code = test::flatten(process, spec);
  sim::dram::Channel channel(spec, code, &observer);
  while (channel.run().kind != sim::Checkpoint::Kind::kDone) {
  }
  return channel.cycles().value;
}

TEST(Perfetto, ARunGivesATraceThatKeepsTheFormatsRules) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  PerfettoTrace trace(out, machine);
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
  PerfettoTrace trace(out, machine);
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
  PerfettoTrace trace(out, machine);
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
  PerfettoTrace trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  int banks = 0;
  for (const auto &[id, title] : Checked(out.str()).names) banks += title.find("bank") != std::string::npos;
  EXPECT_EQ(banks, 3);
}

TEST(Perfetto, RefreshesStandOnTheTrackOfTheirRankForAsLongAsTheyLast) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  PerfettoTrace trace(out, machine);
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
  PerfettoTrace trace(out, machine, report.breakdown);
  report.breakdown.compute = Cycles(runInto(machine, trace));
  ASSERT_TRUE(trace.finish(report));
  const Checked c(out.str());
  const std::vector<Event> &phases = c.track("phases");
  std::vector<std::string> names;
  for (const Event &e : phases) names.push_back(e.name);
  ASSERT_EQ(names, (std::vector<std::string>{"rearrange in", "transfer in", "transfer out", "merge", "rearrange out"}));
  const std::int64_t before = (100 + 1600) * 1000;
  EXPECT_EQ(phases[1].end(), before);
  EXPECT_EQ(c.track("commands").front().from, before + test::runChannel(machine, rowChanges()).trace[0].time * 1000);
  EXPECT_EQ(phases[2].from, before + report.breakdown.compute.value * 1000);
  EXPECT_EQ(phases.back().end(), report.breakdown.total().value * 1000);
}

TEST(Perfetto, TheKernelsOfAGraphFollowOneAnother) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream out;
  PerfettoTrace trace(out, machine);
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
  PerfettoTrace trace(out, machine);
  runInto(machine, trace);
  ASSERT_TRUE(trace.finish({}));
  const Checked c(out.str());
  EXPECT_NEAR(static_cast<double>(c.track("rank 0: refresh").front().length), 350 / 1.2 * 1000, 1);
}

TEST(Perfetto, EventsBeyondTheLimitAreCountedAndTheTraceSaysSo) {
  const machine::Machine machine = test::handMachine(twoRanks());
  std::ostringstream all, some;
  PerfettoTrace whole(all, machine), cut(some, machine, {}, 100);
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
  PerfettoTrace trace(out, machine);
  ASSERT_TRUE(trace.finish(report));
  EXPECT_EQ(Checked(out.str()).other["kernel"], report.kernel);
}

TEST(Perfetto, ATraceThatCannotBeWrittenIsAnError) {
  std::ostringstream out;
  PerfettoTrace trace(out, test::handMachine());
  out.setstate(std::ios::badbit);
  const Status s = trace.finish({});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "unwritable-file");
}

}  // namespace
}  // namespace pimento::emit
