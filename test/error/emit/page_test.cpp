// What cannot become a page is said with a place, a code and a hint.
#include "pimento/emit/html/page.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace pimento::emit::html {
namespace {

using Json = nlohmann::json;

Json fixture(const std::string &name) {
  std::ifstream file(PIMENTO_SOURCE_DIR "/test/unit/emit/pages/" + name);
  return Json::parse(file);
}

/// The messages about a text; fails the test where there are none.
Diagnostics complaints(const std::string &text, const std::string &name = "result.json") {
  const Result<std::string> page = html::page({{name, text}});
  EXPECT_FALSE(page.ok()) << "a page was made of: " << text.substr(0, 200);
  if (page) return {};
  for (const Diagnostic &d : page.diagnostics()) {
    EXPECT_EQ(d.where.file, name) << d.str();
    EXPECT_FALSE(d.message.empty());
    EXPECT_FALSE(d.hint.empty()) << d.str();
  }
  return page.diagnostics();
}

void expectFirst(const Diagnostics &all, const std::string &code, const std::string &part) {
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(all[0].code, code) << all[0].str();
  EXPECT_NE(all[0].message.find(part), std::string::npos) << all[0].str();
}

TEST(PageErrors, AnEmptyFileIsSaidToBeEmpty) {
  expectFirst(complaints(""), "empty-file", "it is empty");
  expectFirst(complaints(" \n\t"), "empty-file", "it is empty");
}

TEST(PageErrors, TextThatIsNoJsonIsLocated) {
  const Diagnostics d = complaints("{\n  \"kernel\": \"gemv\",\n  \"cycles\": 12,,\n}");
  expectFirst(d, "bad-json", "unexpected ','");
  EXPECT_EQ(d[0].where.str(), "result.json:3:16");
  EXPECT_EQ(complaints("kernel: gemv")[0].where.str(), "result.json:1:1");
  EXPECT_EQ(complaints("{\"kernel\": \"\xff\"}")[0].code, "bad-json");
  EXPECT_EQ(complaints("{\"cycles\": 1e999}")[0].code, "bad-json");
  EXPECT_EQ(complaints(std::string("{\"a\"") + '\0')[0].code, "bad-json");
}

TEST(PageErrors, AFileThatEndsEarlyIsLocatedAtItsEnd) {
  const Diagnostics d = complaints("{\"kernel\": \"gemv\",\n\"cycles\": 1");
  expectFirst(d, "bad-json", "unexpected end");
  EXPECT_EQ(d[0].where.line, 2);
}

TEST(PageErrors, DeepNestingIsNoCrash) {
  const std::string deep = "{\"kernel\":\"a\",\"cycles\":" + std::string(200000, '[') + std::string(200000, ']') + "}";
  EXPECT_FALSE(complaints(deep).empty());
  EXPECT_EQ(complaints(std::string(200000, '['))[0].code, "bad-json");
}

TEST(PageErrors, JsonOfAnotherKindNamesTheKindsThereAre) {
  for (const char *text : {"{\"targets\": []}", "[]", "3", "null", "{}", "{\"kernel\": \"gemv\"}"}) {
    const Diagnostics d = complaints(text);
    ASSERT_EQ(d.size(), 1u) << text;
    EXPECT_EQ(d[0].code, "unknown-result");
    for (const char *verb : {"estimate", "simulate", "compare", "validate", "explore", "--trace"})
      EXPECT_NE(d[0].hint.find(verb), std::string::npos) << verb;
  }
  EXPECT_NE(complaints("{\"targets\": []}")[0].message.find("'targets'"), std::string::npos);
}

TEST(PageErrors, EveryKeyThatMustBeThereIsMissed) {
  for (const char *key : {"kernel", "target", "time_ns", "energy_pj", "cycles", "breakdown"}) {
    Json report = fixture("simulate.json");
    report.erase(key);
    if (std::string(key) == "kernel") continue;  // without it the file is no report at all
    expectFirst(complaints(report.dump()), "missing-key", std::string("'") + key + "'");
  }
  for (const char *key : {"kernel", "target", "columns", "rows"}) {
    Json result = fixture("mappings.json");
    result.erase(key);
    expectFirst(complaints(result.dump()), "missing-key", std::string("'") + key + "'");
  }
  for (const char *key : {"points", "kernels"}) {
    Json result = fixture("validate.json");
    result.erase(key);
    expectFirst(complaints(result.dump()), "missing-key", std::string("'") + key + "'");
  }
  Json stages = fixture("network.json");
  stages["stages"][3].erase("cycles");
  expectFirst(complaints(stages.dump()), "missing-key", "'stages[3]' has no key 'cycles'");
}

TEST(PageErrors, AKeyThatIsAlmostRightIsSuggested) {
  Json report = fixture("simulate.json");
  report["time_nS"] = report["time_ns"];
  report.erase("time_ns");
  EXPECT_NE(complaints(report.dump())[0].hint.find("'time_nS'"), std::string::npos);
}

TEST(PageErrors, ValuesOfTheWrongTypeAreNamedWithTheirPath) {
  Json report = fixture("simulate.json");
  report["breakdown"]["compute"] = "many";
  expectFirst(complaints(report.dump()), "wrong-type", "'breakdown.compute' is a string, not a number");
  report = fixture("simulate.json");
  report["warnings"] = {1};
  expectFirst(complaints(report.dump()), "wrong-type", "'warnings[0]' is a number, not a string");
  report = fixture("simulate.json");
  report["stages"] = true;
  expectFirst(complaints(report.dump()), "wrong-type", "'stages' is true or false, not a list");
  expectFirst(complaints(R"({"traceEvents": {"a": 1}})"), "wrong-type", "'traceEvents' is an object, not a list");
  expectFirst(complaints(R"({"rows": 3})"), "wrong-type", "'rows' is a number, not a list");
}

TEST(PageErrors, ValuesThatCannotBeAreRefused) {
  Json report = fixture("simulate.json");
  report["cycles"] = -1;
  expectFirst(complaints(report.dump()), "bad-value", "'cycles' is -1");
  report = fixture("simulate.json");
  report["cycles"] = 1e300;
  expectFirst(complaints(report.dump()), "bad-value", "'cycles' is 1e+300");
  report = fixture("simulate.json");
  report["energy_range_pj"] = {1};
  expectFirst(complaints(report.dump()), "bad-value", "'energy_range_pj'");
  Json result = fixture("mappings.json");
  result["explore"] = "maps";
  expectFirst(complaints(result.dump()), "bad-value", "'explore' is 'maps'");
  result = fixture("mappings.json");
  result["best"]["time"]["row"] = 4000;
  expectFirst(complaints(result.dump()), "bad-value", "'best.time.row' is not a row");
  result = fixture("mappings.json");
  result["pareto"] = {-1};
  expectFirst(complaints(result.dump()), "bad-value", "'pareto[0]' is not a row");
  result = fixture("mappings.json");
  result["rows"][2] = {"a"};
  expectFirst(complaints(result.dump()), "bad-value", "'rows[2]' has 1 cells for 9 columns");
  result = fixture("mappings.json");
  result["columns"][2] = "how";
  expectFirst(complaints(result.dump()), "bad-value", "'columns[2]' appears twice");
  result = fixture("mappings_of_two.json");
  result["kernels"][1]["pareto"] = {0};
  expectFirst(complaints(result.dump()), "bad-value", "'kernels[1].pareto[0]' is a row of another kernel");
  result = fixture("mappings_of_two.json");
  result["kernels"][1]["explored"] = 31;
  expectFirst(complaints(result.dump()), "bad-value", "'kernels[1].explored' exceeds the number of rows");
  result = fixture("sweep1.json");
  result["columns"][0] = "timing.tRCD";
  expectFirst(complaints(result.dump()), "bad-value", "'columns' has no 'timing.tRP'");
}

TEST(PageErrors, EventsOfATimelineAreChecked) {
  const auto trace = [](const char *event) { return std::string(R"({"traceEvents": [)") + event + "]}"; };
  expectFirst(complaints(trace("7")), "bad-value", "event 1 is not an object");
  expectFirst(complaints(trace("[1]")), "bad-value", "event 1 is not an object");
  expectFirst(complaints(trace(R"({"ph":"M","pid":1}, {"pid":1})")), "bad-value", "event 2 has no phase");
  expectFirst(complaints(trace(R"({"ph":"X","ts":1,"dur":1})")), "bad-value", "no process number");
  expectFirst(complaints(trace(R"({"ph":"X","pid":1,"dur":1})")), "bad-value", "no start");
  expectFirst(complaints(trace(R"({"ph":"X","pid":1,"ts":1})")), "bad-value", "no length");
  expectFirst(complaints(trace(R"({"ph":"X","pid":1,"ts":1,"dur":-1})")), "bad-value", "no length");
  expectFirst(complaints(trace(R"({"ph":"X","pid":1,"ts":1e300,"dur":1})")), "bad-value", "no start");
  expectFirst(complaints(R"({"traceEvents": [], "otherData": {"clock_ghz": 0}})"), "bad-value", "clock rate");
}

TEST(PageErrors, AllInputsAreLookedAtAndManyMistakesAreCutShort) {
  const Result<std::string> page =
      html::page({{"a.json", "{"}, {"b.json", fixture("simulate.json").dump()}, {"c.json", "7"}});
  ASSERT_FALSE(page);
  ASSERT_EQ(page.diagnostics().size(), 2u);
  EXPECT_EQ(page.diagnostics()[0].where.file, "a.json");
  EXPECT_EQ(page.diagnostics()[1].where.file, "c.json");
  Json report = fixture("simulate.json");
  for (auto &[term, row] : report["energy_breakdown"].items()) row = 3;
  EXPECT_LE(complaints(report.dump()).size(), 10u);
}

TEST(PageErrors, TooMuchTextIsRefusedWithItsSize) {
  const Diagnostic d = tooLarge("big.json", std::size_t{3} << 30);
  EXPECT_EQ(d.code, "file-too-large");
  EXPECT_NE(d.message.find("3.221 billion"), std::string::npos) << d.message;
  EXPECT_FALSE(d.hint.empty());
}

TEST(PageErrors, AFigureThatCannotBeDrawnSaysWhy) {
  Json figure = fixture("figure_bars.json");
  figure["chart"]["bars"][1]["series"] = 3;
  expectFirst(complaints(figure.dump()), "bad-value", "'chart.bars[1].series' is not the number of a series");
  figure = fixture("figure_bars.json");
  figure["chart"]["quantity"] = "metres";
  expectFirst(complaints(figure.dump()), "bad-value", "'chart.quantity' is not a known quantity");
  figure = fixture("figure_bars.json");
  figure["tables"][0]["rows"][1] = {"red"};
  expectFirst(complaints(figure.dump()), "bad-value", "'tables[0].rows[1]' does not have one cell per column");
  figure = fixture("figure_bars.json");
  figure["chart"]["spread"] = fixture("figure_spread.json")["chart"]["spread"];
  expectFirst(complaints(figure.dump()), "bad-value", "'chart' needs at least one series, and either");
  figure = fixture("figure_bars.json");
  figure.erase("title");
  expectFirst(complaints(figure.dump()), "missing-key", "'title'");
}

TEST(PageErrors, OnlyFiguresWithAChartBecomePictures) {
  const auto first = [](const Json &json) {
    const Result<std::string> svg = html::picture({"result.json", json.dump()});
    EXPECT_FALSE(svg.ok());
    return svg.ok() ? Diagnostics{} : svg.diagnostics();
  };
  expectFirst(first(fixture("simulate.json")), "no-chart", "only figures can be drawn as pictures");
  Json figure = fixture("figure_bars.json");
  figure.erase("chart");
  expectFirst(first(figure), "no-chart", "tables but no chart");
  figure["title"] = 3;
  expectFirst(first(figure), "wrong-type", "'title' is a number, not a string");
}

}  // namespace
}  // namespace pimento::emit::html
