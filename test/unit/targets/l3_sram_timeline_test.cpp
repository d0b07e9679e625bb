#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "pimento/kernel/notation.h"
#include "pimento/targets/l3_sram/timeline.h"
#include "test/support/target_of.h"
#include "test/support/trace_text.h"

namespace pimento::targets::l3_sram {
namespace {

using test::Checked;

constexpr std::int64_t kPicoseconds = 500;  // of a cycle, at 2 GHz

struct Shown {
  evaluate::DeviceRun run;
  std::string text;
};

/// The kernels of a text, one after the other, and their timeline.
Shown shown(const std::string &text, const kernel::Sizes &sizes, bool hasData) {
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"});
  EXPECT_TRUE(machine) << machine.diagnostics().front().str();
  const auto graph = kernel::parseNotation(text, sizes, DType::kF32);
  EXPECT_TRUE(graph) << graph.diagnostics().front().str();
  const evaluate::Target &target = test::targetOf(*machine);
  std::ostringstream out;
  const auto make = target.timeline({}, *machine);
  EXPECT_TRUE(make);
  const auto timeline = (*make)(out, {});
  Shown all;
  kernel::DataSet data = kernel::makeData(*graph, {});
  kernel::makeMissing(*graph, data);
  for (int k = 0; k < static_cast<int>(graph->kernels.size()); ++k) {
    const evaluate::GraphPart part{&*graph, k};
    const auto compiled = target.compile(part, *target.reference(part, *machine, {}, {}), *machine, {}, {});
    EXPECT_TRUE(compiled) << compiled.diagnostics().front().str();
    const auto run = hasData ? (*compiled)->runOn(data, {.observer = timeline.get()})
                             : (*compiled)->run({.observer = timeline.get()});
    EXPECT_TRUE(run) << run.diagnostics().front().str();
    all.run.cycles += run->cycles;
    for (const auto &[name, count] : run->counts) all.run.counts[name] += count;
  }
  EXPECT_TRUE(timeline->finish({}));
  all.text = out.str();
  return all;
}

std::int64_t cyclesOf(const std::vector<test::TraceEvent> &events, const std::set<std::string> &names) {
  std::int64_t sum = 0;
  for (const test::TraceEvent &e : events)
    if (names.contains(e.name)) sum += e.length / kPicoseconds;
  return sum;
}

TEST(SramTimeline, ShowsTheCyclesThatTheReportCounts) {
  for (const bool hasData : {false, true}) {
    // 782 tiles: three whole banks, and a part of the fourth.
    const Shown s = shown("c[i] = a[i] + a[i+1]; d[i] = c[i] * c[i]", {{"i", 200'000}}, hasData);
    const Checked c(s.text);
    const auto &regions = c.track("regions");
    ASSERT_EQ(regions.size(), 2U);
    EXPECT_EQ(regions[0].from, 0);
    EXPECT_EQ(regions[1].from, regions[0].end());
    EXPECT_EQ(regions[1].end(), s.run.cycles.value * kPicoseconds);
    EXPECT_EQ(regions[0].args["tile"], "256x1x1");
    EXPECT_EQ(static_cast<std::int64_t>(c.track("syncs").size()), s.run.counts.at("syncs"));
    EXPECT_EQ(cyclesOf(c.track("syncs"), {"sync"}), s.run.counts.at("sync_cycles"));
    // A whole bank is what every sync waits for.
    const auto &bank = c.track("bank 0");
    EXPECT_EQ(cyclesOf(bank, {"add f32", "mul f32"}), s.run.counts.at("compute_cycles"));
    EXPECT_EQ(cyclesOf(bank, {"shift", "copy"}), s.run.counts.at("shift_cycles"));
    EXPECT_EQ(cyclesOf(bank, {"tile-shift", "broadcast"}), s.run.counts.at("move_cycles"));
    EXPECT_GT(s.run.counts.at("move_cycles"), 0);
    EXPECT_FALSE(c.track("bank 3").empty());
    EXPECT_TRUE(c.track("bank 4").empty()) << "a bank without tiles";
    EXPECT_EQ(c.other["dropped"], 0);
  }
}

TEST(SramTimeline, NamesRegionsThatStreamsRun) {
  const Shown s = shown("b[i] = exp(a[i])", {{"i", 100}}, true);
  const Checked c(s.text);
  ASSERT_EQ(c.track("regions").size(), 1U);
  EXPECT_NE(c.track("regions")[0].name.find("streams"), std::string::npos);
  EXPECT_EQ(c.track("regions")[0].length, 0);
}

TEST(SramTimeline, SaysWhereItWasCut) {
  const auto machine = machine::loadMachine("l3-arrays", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine);
  std::ostringstream out;
  SramTimeline timeline(out, *machine, {}, 2);
  program::SramCommand command;
  command.kind = program::SramCommandKind::kShift;
  for (int i = 0; i < 5; ++i) timeline.onCommand(command, 7, 10 * i, 10);
  ASSERT_TRUE(timeline.finish({}));
  EXPECT_EQ(timeline.dropped(), 3);
  const Checked c(out.str());
  EXPECT_EQ(c.track("bank 7").size(), 2U);
  EXPECT_EQ(c.other["dropped"], 3);
}

}  // namespace
}  // namespace pimento::targets::l3_sram
