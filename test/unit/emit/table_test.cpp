#include "pimento/emit/table.h"

#include <gtest/gtest.h>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "test/support/hand_report.h"

namespace pimento::emit {
namespace {

bool has(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void expectNarrow(const std::string &text) {
  for (const std::string_view line : split(text, '\n')) {
    EXPECT_LE(line.size(), kWidth) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST(Table, SaysWhatWasRunAndWhatItCost) {
  const std::string t = toTable(test::handReport());
  EXPECT_TRUE(has(t, "gemv batch=1 m=4096 n=1024, f16, on hbm-pim")) << t;
  EXPECT_TRUE(has(t, "12.5 us (12,500 cycles, host included)")) << t;
  EXPECT_TRUE(has(t, "2,500 of 10,000 cycles (25.0 %)")) << t;
  EXPECT_TRUE(has(t, "1 simulated channel, representing 64 identical ones")) << t;
  EXPECT_TRUE(has(t, "modelled, not validated")) << t;
  EXPECT_TRUE(has(t, "1,234,567")) << t;
  EXPECT_TRUE(has(t, "warning:  models the vendor's public simulator")) << t;
}

TEST(Table, SaysWhetherTheAnswerWasChecked) {
  evaluate::Report r = test::handReport();
  EXPECT_TRUE(has(toTable(r), "yes, bit for bit"));
  r.isChecked = false;
  EXPECT_TRUE(has(toTable(r), "no; `simulate` with data"));
}

TEST(Table, AConvertedKernelShowsItsErrorOrWhyThereIsNone) {
  evaluate::Report r = test::handReport();
  r.conversion = {"f32=i8", {{"A", 0.5}}, {}, "there are no data"};
  const std::string none = toTable(r);
  EXPECT_NE(none.find("A: 1 stands for 0.5"), std::string::npos) << none;
  EXPECT_NE(none.find("not computed: there are no data"), std::string::npos) << none;
  r.conversion->errors = {{"y", 4, 0.25, "y[1]", 0.5, "y[2]", 0.125, 3, 1, "y[3]"}};
  const std::string one = toTable(r);
  EXPECT_NE(one.find("0.25 at y[1], of results up to 3"), std::string::npos) << one;
  EXPECT_NE(one.find("1 elements are finite on one side only, the first at y[3]"), std::string::npos) << one;
  EXPECT_EQ(one.find("error in"), std::string::npos) << "one tensor is all";
  r.conversion->errors.push_back({"z", 4, 0.5, "z[0]", 0.25, "z[1]", 0.25, 2, 0, ""});
  EXPECT_NE(toTable(r).find("error in"), std::string::npos);
}

TEST(Table, ASampledResultShowsItsInterval) {
  evaluate::Report r = test::handReport();
  r.exact = evaluate::Exactness::kSampled;
  r.interval = evaluate::Interval{0.99, Cycles(9900), Cycles(10100)};
  EXPECT_TRUE(has(toTable(r), "9,900 to 10,100 cycles at 99 %")) << toTable(r);
}

TEST(Table, SeveralKernelsAreListedOneIsNot) {
  evaluate::Report r = test::handReport();
  EXPECT_FALSE(has(toTable(r), "runs on"));
  r.stages.push_back(test::hostStage("relu"));
  EXPECT_TRUE(has(toTable(r), "runs on"));
  EXPECT_TRUE(has(toTable(r), "relu"));
}

TEST(Table, EveryPartThatTakesTimeHasALine) {
  for (const evaluate::PartInfo &p : evaluate::kParts) {
    evaluate::Report r = test::handReport();
    r.stages[0].phases = {test::handPhase(p.part, 1234)};
    EXPECT_TRUE(has(toTable(r), "  " + std::string(p.title) + "  ")) << p.key;
    EXPECT_TRUE(has(toTable(r), "1,234  100.0 %")) << p.key;
  }
}

TEST(Table, SaysUnitsByTheirName) {
  evaluate::Report r = test::handReport();
  r.unit = {"unit", "units", "units"};
  EXPECT_TRUE(has(toTable(r), "units      1 simulated unit, representing 64 identical ones")) << toTable(r);
  r.unitsSimulated = 2;
  EXPECT_TRUE(has(toTable(r), "2 simulated units, representing 64 identical ones")) << toTable(r);
}

TEST(Table, AProfileIsShownByItsColumns) {
  evaluate::Report r = test::handProgram();
  evaluate::Attribution &p = *r.outcome.profile;
  p.columns = {{"offloaded", "offloaded", "", true, false}, {"instructions", "instructions", "", true, true}};
  p.functions = {{"work", "", 0, "", {30, 75}}, {"main", "", 0, "", {0, 25}}};
  p.lines = {{"work", "a.c", 7, "x += y;", {30, 75}}};
  p.totals = {30, 100};
  const std::string t = toTable(r, true);
  EXPECT_TRUE(has(t, "function  offloaded  instructions    share")) << t;
  EXPECT_TRUE(has(t, "work             30            75   75.0 %")) << t;
  EXPECT_TRUE(has(t, "a.c:7         30            75  75.0 %  x += y;")) << t;
  expectNarrow(toTable(test::handProgram(), true));
}

TEST(Table, CountsOfZeroAreLeftOut) {
  evaluate::Report r = test::handReport();
  r.counts["never_seen"] = 0;
  EXPECT_FALSE(has(toTable(r), "never_seen"));
}

TEST(Table, AnEmptyReportHasNoShares) {
  const std::string t = toTable(evaluate::Report{});
  EXPECT_FALSE(has(t, "nan")) << t;
  EXPECT_FALSE(has(t, "warning")) << t;
}

TEST(Table, NoLineIsWiderThanATerminal) {
  evaluate::Report r = test::handReport();
  r.kernel = std::string(250, 'k');
  r.mapping = "M1:{" + std::string(300, '1') + "}";
  r.warnings.push_back(std::string(400, 'w'));
  r.stages.push_back(test::hostStage(std::string(120, 'n')));
  r.stages.back().why = std::string(300, 'y');
  expectNarrow(toTable(r));
  std::vector<ComparisonRow> rows = test::handComparison();
  rows.front().report = r;
  expectNarrow(toTable(rows));
  expectNarrow(toTable(test::handSuite()));
}

TEST(Table, AComparisonHasARowPerTargetAndSaysWhyOneFailed) {
  const std::string t = toTable(test::handComparison());
  EXPECT_TRUE(has(t, "hbm-pim  f16    10,000  12.5 us")) << t;
  EXPECT_TRUE(has(t, "kernel 'gemv' multiplies f16 numbers")) << t;
}

TEST(Table, ASuiteNamesTheWorstRowOnlyWhereOneDiffers) {
  SuiteResult s;
  s.suite = "hbm-pim";
  s.add("relu", 5, 5, "relu.csv:9");
  EXPECT_FALSE(has(toTable(s), "relu.csv:9"));
  s.add("relu", 6, 5, "relu.csv:10");
  EXPECT_TRUE(has(toTable(s), "relu.csv:10"));
}

}  // namespace
}  // namespace pimento::emit
