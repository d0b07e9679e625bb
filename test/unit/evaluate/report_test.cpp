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
  EXPECT_EQ(r.phases().front().name, "look up") << "one kernel needs no name";
  r.stages.push_back(stage);
  r.stages.back().kernel = "relu";
  EXPECT_EQ(r.breakdown().total(), Cycles(42));
  ASSERT_EQ(r.phases().size(), 6u);
  EXPECT_EQ(r.phases()[0].name, "gemv: look up");
  EXPECT_EQ(r.phases()[5].name, "relu: second half");
}

}  // namespace
}  // namespace pimento::evaluate
