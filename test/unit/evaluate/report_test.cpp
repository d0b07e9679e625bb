#include "pimento/evaluate/report.h"

#include <gtest/gtest.h>

#include "pimento/evaluate/price.h"
#include "pimento/machine/machine.h"

namespace pimento::evaluate {
namespace {

TEST(Report, PartsAreListedInTheOrderOfTheirNumbersAndEachHasAPlaceInARun) {
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kParts[i].part), i) << kParts[i].key;
    EXPECT_EQ(kRunOrder[i].place, i) << kRunOrder[i].key;
    EXPECT_EQ(&infoOf(kParts[i].part), &kParts[i]);
  }
}

TEST(Report, PhasesOfARunAreItsPartsInOrderWithoutThoseThatTakeNoTime) {
  machine::Machine m;
  m.clockGHz = 0.5;
  Breakdown b;
  b[Part::kTransferOut] = Cycles(3);
  b[Part::kCompute] = Cycles(100);
  b[Part::kTransferIn] = Cycles(20);
  const std::vector<Phase> phases = phasesOf(m, b);
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_EQ(phases[0].name, "transfer in");
  EXPECT_EQ(phases[1].part, Part::kCompute);
  EXPECT_EQ(phases[1].time, Picoseconds(200'000));
  EXPECT_EQ(phases[2].cycles, Cycles(3));
}

TEST(Report, TotalsAreThoseOfThePhasesInDeviceCycles) {
  Stage stage;
  stage.kernel = "gemv";
  stage.phases = {{"look up", Part::kHost, Cycles(30), "host", Cycles(10), Picoseconds(10'000)},
                  {"first half", Part::kCompute, Cycles(5), "device", Cycles(5), Picoseconds(5'000)},
                  {"second half", Part::kCompute, Cycles(6), "device", Cycles(6), Picoseconds(6'000)}};
  EXPECT_EQ(stage.breakdown()[Part::kCompute], Cycles(11));
  EXPECT_EQ(stage.breakdown()[Part::kHost], Cycles(10));
  Report r;
  r.stages = {stage};
  EXPECT_EQ(r.breakdown().total(), Cycles(21));
  EXPECT_EQ(phases(r.byKernel()).front().name, "look up") << "one kernel needs no name";
  r.stages.push_back(stage);
  r.stages.back().kernel = "relu";
  EXPECT_EQ(r.breakdown().total(), Cycles(42));
  ASSERT_EQ(phases(r.byKernel()).size(), 6u);
  EXPECT_EQ(phases(r.byKernel())[0].name, "gemv: look up");
  EXPECT_EQ(phases(r.byKernel())[5].name, "relu: second half");
}

TEST(Report, RoundsOfAKernelAreShownAsOneStageInTheOrderOfARun) {
  Stage first, second, other;
  first.kernel = second.kernel = "lu";
  first.mapping = "M1:{(2),(1)}", second.mapping = "M1:{(4),(1)}";
  first.phases = {{"compute", Part::kCompute, Cycles(5), "device", Cycles(5), Picoseconds(5'000)}};
  second.phases = {{"transfer in", Part::kTransferIn, Cycles(7), "device", Cycles(7), Picoseconds(7'000)},
                   {"compute", Part::kCompute, Cycles(6), "device", Cycles(6), Picoseconds(6'000)}};
  second.runs = 3;
  other.kernel = "lu";
  other.isOnHost = true;
  other.phases = {{"on the host", Part::kHost, Cycles(1), "device", Cycles(1), Picoseconds(1'000)}};
  Report r;
  r.stages = {first, other, second};
  const std::vector<StageGroup> groups = r.byKernel();
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].members, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(groups[0].all.runs, 4);
  EXPECT_EQ(groups[0].all.mapping, "several, since its bounds change");
  ASSERT_EQ(groups[0].all.phases.size(), 2u);
  EXPECT_EQ(groups[0].all.phases[0].name, "transfer in");
  EXPECT_EQ(groups[0].all.phases[1].counted, Cycles(11));
  EXPECT_TRUE(groups[1].all.isOnHost);
  r.stages[2].origin = 1;
  EXPECT_EQ(r.byKernel().size(), 3u) << "a kernel of the same name";
}

}  // namespace
}  // namespace pimento::evaluate
