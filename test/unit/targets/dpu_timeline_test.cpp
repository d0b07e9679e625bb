#include <sstream>

#include "pimento/targets/upmem/timeline.h"
#include "test/support/dpu_builder.h"
#include "test/support/hand_report.h"
#include "test/support/trace_text.h"

namespace pimento::targets::upmem {
namespace {

using test::Checked;
using test::TraceEvent;

machine::Machine dpuMachine() {
  machine::Machine m;
  m.name = "hand";
  m.clockGHz = 0.5;  // 2 ns
  m.dpu = test::handDpu();
  return m;
}

/// main: a transfer and a lock (instructions 0 to 3), then work (4, 5).
std::shared_ptr<const sim::dpu::Image> twoFunctions() {
  test::DpuBuilder b;
  b.move(0, 64);
  b.transfer(dpu::Op::kLdma, 0, 1, 8);
  b.lock(3);
  b.unlock(3);
  b.move(1, 1);
  b.end();
  auto image = std::make_shared<sim::dpu::Image>(*b.image());
  image->code.symbols = {{"main", program::kIramBase, 32, true, false},
                         {"work", program::kIramBase + 32, 16, true, false}};
  return image;
}

std::vector<std::string> texts(const std::vector<TraceEvent> &events) {
  std::vector<std::string> out;
  for (const TraceEvent &e : events)
    out.push_back(e.name + " " + std::to_string(e.from / 2000) + "+" + std::to_string(e.length / 2000));
  return out;
}

using Texts = std::vector<std::string>;

TEST(DpuTimeline, ATaskletIsAtAFunctionOrWaits) {
  std::ostringstream out;
  DpuTimeline t(out, twoFunctions(), dpuMachine());
  t.onIssue(1, 0, 0);
  t.onIssue(12, 0, 1);
  t.onTransfer(12, 20, 60, 72, 0, true, 8);
  t.onIssue(72, 0, 2);
  t.onIssue(83, 0, 2);  // the bit was taken
  t.onIssue(94, 0, 2);
  t.onIssue(105, 0, 3);
  t.onIssue(116, 0, 4);
  t.onIssue(127, 0, 5);  // stops, and is woken
  t.onIssue(300, 0, 4);
  t.onIssue(311, 0, 5);  // stops for good
  evaluate::Report report;
  ASSERT_TRUE(t.finish(report));
  const Checked c(out.str());
  EXPECT_EQ(texts(c.track("tasklet 0")), (Texts{"main 1+11", "read 8 B 12+60", "acquire 72+33", "main 105+11",
                                                "work 116+12", "stopped 128+172", "work 300+12"}));
  EXPECT_EQ(texts(c.track("DMA engine")), (Texts{"read 8 B 20+40"}));
  EXPECT_EQ(c.track("DMA engine").front().args["tasklet"], 0);
  EXPECT_TRUE(c.track("tasklet 1").empty()) << "a tasklet that never ran";
}

TEST(DpuTimeline, LaunchesFollowOneAnother) {
  std::ostringstream out;
  DpuTimeline t(out, twoFunctions(), dpuMachine());
  for (int launch = 0; launch < 2; ++launch) {
    t.onIssue(1, 0, 4);
    t.onIssue(12, 0, 5);
  }
  ASSERT_TRUE(t.finish({}));
  EXPECT_EQ(texts(Checked(out.str()).track("tasklet 0")), (Texts{"work 1+12", "work 14+12"}));
}

TEST(DpuTimeline, TheHostComesFirst) {
  evaluate::Breakdown before;
  before[evaluate::Part::kTransferIn] = Cycles(100);
  before[evaluate::Part::kLaunch] = Cycles(50);
  std::ostringstream out;
  DpuTimeline t(out, twoFunctions(), dpuMachine(), before);
  t.onIssue(1, 0, 4);
  evaluate::Report report;
  report.stages.emplace_back().phases = {test::handPhase(evaluate::Part::kTransferOut, 30)};
  ASSERT_TRUE(t.finish(report));
  const Checked c(out.str());
  EXPECT_EQ(texts(c.track("phases")), (Texts{"transfer in 0+100", "launch 100+50", "transfer out 152+30"}));
  EXPECT_EQ(texts(c.track("tasklet 0")), (Texts{"work 151+1"}));
}

TEST(DpuTimeline, EventsBeyondTheLimitAreCounted) {
  std::ostringstream out;
  DpuTimeline t(out, twoFunctions(), dpuMachine(), {}, 2);
  for (int i = 0; i < 10; ++i) t.onIssue(1 + 11 * i, 0, i % 2 == 0 ? 0 : 4);
  ASSERT_TRUE(t.finish({}));
  EXPECT_EQ(t.dropped(), 8);
  const Checked c(out.str());
  EXPECT_EQ(c.track("tasklet 0").size(), 2u);
  EXPECT_EQ(c.track("DMA engine").front().name, "trace truncated");
  EXPECT_EQ(c.other["dropped"], 8);
}

TEST(DpuTimeline, NamesOfAnyKindAreText) {
  auto image = std::make_shared<sim::dpu::Image>(*twoFunctions());
  image->code.symbols[0].name = "a\"b\\c\n";
  std::ostringstream out;
  DpuTimeline t(out, image, dpuMachine());
  t.onIssue(1, 0, 0);
  ASSERT_TRUE(t.finish({}));
  EXPECT_EQ(Checked(out.str()).track("tasklet 0").front().name, "a\"b\\c\n");
}

}  // namespace
}  // namespace pimento::targets::upmem
