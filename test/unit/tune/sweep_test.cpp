// Sweeps: what the texts mean, which points there are, and what happens to points that fail.
#include "pimento/tune/sweep.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "pimento/tune/problem.h"
#include "pimento/tune/store.h"
#include "test/support/hbm_pim_run.h"

namespace pimento::test {
namespace {

using tune::Axis;
using tune::PointResult;
using tune::SweepNames;
using Values = std::vector<std::string>;

const SweepNames &names() {
  static const SweepNames kNames = tune::sweepNames(hbmPim(64), {"m", "n"});
  return kNames;
}

Axis axis(const std::string &text) {
  const auto a = tune::parseAxis(text, names());
  EXPECT_TRUE(a.ok()) << text << ": " << a.diagnostics().front().str();
  return a ? *a : Axis{};
}

TEST(SweepAxis, RangesIncludeTheirEnds) {
  EXPECT_EQ(axis("timing.tRP=10..13").values, (Values{"10", "11", "12", "13"}));
  EXPECT_EQ(axis("timing.tRP=10..10").values, (Values{"10"}));
  EXPECT_EQ(axis("timing.tRP=10..15:2").values, (Values{"10", "12", "14"}));
  EXPECT_EQ(axis("timing.tRP=10..16:2").values, (Values{"10", "12", "14", "16"}));
  EXPECT_EQ(axis("energy.mac=0.1..0.5:0.1").values, (Values{"0.1", "0.2", "0.3", "0.4", "0.5"}));
  EXPECT_EQ(axis("channels=1..64*2").values, (Values{"1", "2", "4", "8", "16", "32", "64"}));
  EXPECT_EQ(axis("channels=1..40*3").values, (Values{"1", "3", "9", "27"}));
}

TEST(SweepAxis, ListsMixValuesUnitsWordsAndRanges) {
  EXPECT_EQ(axis("timing.tRCDRD=10,14,18").values, (Values{"10", "14", "18"}));
  EXPECT_EQ(axis(" timing.tRCDRD = 10 , 20..21 ").values, (Values{"10", "20", "21"}));
  EXPECT_EQ(axis("timing.tREFI=3.9 us,7.8 us").values, (Values{"3.9 us", "7.8 us"}));
  EXPECT_EQ(axis("controller.precharge=eager,conflict").values, (Values{"eager", "conflict"}));
}

TEST(SweepAxis, ShortNamesStandForTheOnePathThatEndsWithThem) {
  EXPECT_EQ(axis("tRP=1").path, "timing.tRP");
  EXPECT_EQ(axis("fence=1").path, "controller.fence");
  EXPECT_EQ(axis("channels=1").path, "organization.channels");  // an alias
  EXPECT_EQ(axis("size.m=1024..8192*2").path, "size.m");
  EXPECT_TRUE(axis("size.m=1").isSize);
  EXPECT_EQ(axis("size.m=1").name, "m");
}

TEST(Sweep, IsACrossProductWithTheLastAxisFastest) {
  const auto axes = tune::parseAxes({"tRP=1,2", "size.m=7,8,9"}, names());
  ASSERT_TRUE(axes.ok());
  const auto rows = tune::sweep(
      *axes, [](const Values &v) -> Result<PointResult> { return PointResult{v[0] + "/" + v[1], {}, 0, {}}; }, {3});
  ASSERT_TRUE(rows.ok());
  std::string all;
  for (const tune::SweepRow &r : *rows) {
    EXPECT_EQ(r.result.mapping, r.values[0] + "/" + r.values[1]);
    all += r.result.mapping + " ";
  }
  EXPECT_EQ(all, "1/7 1/8 1/9 2/7 2/8 2/9 ");
}

Result<PointResult> evenOnly(const Values &v) {
  if (std::stoi(v[0]) % 2 == 1) return error("odd", {}, v[0] + " is odd", "");
  return PointResult{"some map; with blanks",
                     {Cycles(3), Cycles(40), Picojoules(0.1), Picojoules(1e-3)},
                     12.5,
                     evaluate::Cost{Cycles(50), Cycles(50), Picojoules(0.3), Picojoules(0.3)}};
}

TEST(Sweep, PointsThatFailHaveTheirErrorAndTheOthersGoOn) {
  const auto axes = tune::parseAxes({"tRP=1..4"}, names());
  const auto rows = tune::sweep(*axes, evenOnly, {2});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ((*rows)[0].error, "1 is odd [odd]");
  EXPECT_TRUE((*rows)[1].error.empty());
  EXPECT_EQ((*rows)[1].result.mapping, "some map; with blanks");
  EXPECT_EQ((*rows)[1].result.cost.total.value, 40);
  EXPECT_EQ((*rows)[1].result.cost.energy.value, 0.1);
  EXPECT_EQ((*rows)[1].result.timeNs, 12.5);
  EXPECT_EQ((*rows)[1].result.base->total.value, 50);
}

TEST(Sweep, WhereEveryPointFailsTheFirstMessageIsTheAnswer) {
  const auto axes = tune::parseAxes({"tRP=7,1,3"}, names());
  const auto rows = tune::sweep(*axes, evenOnly, {2});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.diagnostics().front().message, "7 is odd");
}

TEST(Sweep, GoesOnFromItsStore) {
  const std::string path = ::testing::TempDir() + "/sweep_" + std::to_string(::getpid()) + ".db";
  std::filesystem::remove(path);
  const auto axes = tune::parseAxes({"tRP=1..6"}, names());
  std::atomic<int> evaluated{0};
  const auto counted = [&](const Values &v) {
    ++evaluated;
    return evenOnly(v);
  };
  Result<std::vector<tune::SweepRow>> first = error("none", {}, "");
  {
    auto store = tune::Store::open(path, "i", "a");
    ASSERT_TRUE(store.ok());
    first = tune::sweep(*axes, counted, {2, store->get()});
  }
  EXPECT_EQ(evaluated, 6);
  auto store = tune::Store::open(path, "i", "a");
  ASSERT_TRUE(store.ok());
  const auto wider = tune::parseAxes({"tRP=1..8"}, names());
  const auto second = tune::sweep(*wider, counted, {2, store->get()});
  EXPECT_EQ(evaluated, 8);
  ASSERT_TRUE(first.ok() && second.ok());
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ((*first)[i].error, (*second)[i].error);
    EXPECT_EQ((*first)[i].result.cost, (*second)[i].result.cost);
    EXPECT_EQ((*first)[i].result.mapping, (*second)[i].result.mapping);
    EXPECT_EQ((*first)[i].result.base, (*second)[i].result.base);
  }
  store->reset();
  std::filesystem::remove(path);
}

TEST(Sweep, StopsWhenAsked) {
  const auto axes = tune::parseAxes({"tRP=1..6"}, names());
  const std::atomic<bool> isStopped{true};
  const auto rows = tune::sweep(*axes, evenOnly, {2, nullptr, &isStopped});
  ASSERT_FALSE(rows.ok());
  EXPECT_EQ(rows.diagnostics().front().code, "interrupted");
}

TEST(Chunks, AreReadPerLevel) {
  const auto chunks = tune::parseChunks("channel=16,32;block=8", hbmPim(4));
  ASSERT_TRUE(chunks.ok());
  EXPECT_EQ(chunks->at("channel"), (std::vector<std::int64_t>{16, 32}));
  EXPECT_EQ(chunks->at("block"), (std::vector<std::int64_t>{8}));
  EXPECT_TRUE(tune::parseChunks("none", hbmPim(4))->empty());
}

TEST(Sweep, PointsThatAreKnownToFailAreNotTriedAgain) {
  const std::string path =
      std::filesystem::temp_directory_path() / ("sweep_failed_" + std::to_string(getpid()) + ".db");
  int tried = 0;
  const auto run = [&] {
    auto store = tune::Store::open(path, "one", "problem one");
    EXPECT_TRUE(store.ok());
    tune::Control control;
    control.store = store->get();
    const auto rows = tune::sweep(
        {axis("timing.tRP=10")},
        [&](const Values &) -> Result<PointResult> {
          ++tried;
          return error("capacity", {}, "too large");
        },
        control);
    EXPECT_FALSE(rows.ok());
    return rows ? Diagnostic{} : rows.diagnostics().front();
  };
  EXPECT_EQ(run().code, "capacity");
  EXPECT_EQ(tried, 2);  // once more, to say why
  const Diagnostic again = run();
  EXPECT_EQ(again.code, "sweep-point");
  EXPECT_EQ(again.where.file, "timing.tRP=10");
  EXPECT_NE(again.message.find("too large"), std::string::npos) << again.str();
  EXPECT_EQ(tried, 2);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace pimento::test
