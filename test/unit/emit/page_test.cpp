#include "pimento/emit/html/page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "pimento/cluster/ranks.h"
#include "pimento/emit/json.h"
#include "pimento/emit/sharing.h"
#include "test/support/hand_report.h"
#include "test/support/markup.h"

namespace pimento::emit::html {
namespace {

using Json = nlohmann::json;
using test::Markup;

const std::string kPages = PIMENTO_SOURCE_DIR "/test/unit/emit/pages/";

std::string fixture(const std::string &name) {
  std::ifstream file(kPages + name);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string pageOf(const std::vector<NamedJson> &inputs) {
  const Result<std::string> page = html::page(inputs);
  if (page) return *page;
  for (const Diagnostic &d : page.diagnostics()) ADD_FAILURE() << d.str();
  return {};
}

std::string pageOf(const std::string &name) {
  return pageOf({{name, fixture(name)}});
}

bool has(const std::string &text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

void expectHas(const std::string &text, std::initializer_list<const char *> parts) {
  for (const char *part : parts) EXPECT_TRUE(has(text, part)) << "not there: " << part;
}

/// What every page keeps, whatever it shows.
void expectSound(const std::string &page) {
  const Markup m(page);
  for (const std::string &p : m.problems) ADD_FAILURE() << p;
  EXPECT_EQ(m.count("h1"), 1u);
  EXPECT_EQ(m.count("main"), 1u);
  std::set<std::string> ids;
  for (const Markup::Element &e : m.elements) {
    if (const std::string id = e.get("id"); !id.empty()) {
      EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
    }
    for (const auto &[key, value] : e.attributes) {
      EXPECT_FALSE(key.starts_with("on")) << e.name << " " << key;
      EXPECT_NE(key, "src") << e.name;
      if (key == "href") {
        EXPECT_TRUE(value.starts_with("#")) << value;
      }
    }
    if (e.name == "svg" && e.get("class").starts_with("chart")) {
      EXPECT_EQ(e.get("role"), "img");
      EXPECT_FALSE(e.get("aria-label").empty());
    }
  }
  for (const Markup::Element &e : m.elements)
    if (e.name == "a") {
      EXPECT_EQ(ids.count(e.get("href").substr(1)), 1u) << e.get("href");
    }
  for (const char *scheme : {"http://", "https://", "@import", "@font-face"}) EXPECT_FALSE(has(page, scheme)) << scheme;
  // Numbers that came to nothing, in text and in drawings.
  for (const char *bad : {"\"nan", "\"-nan", ">nan", "\"inf", ">inf", "undefined</"})
    EXPECT_FALSE(has(page, bad)) << bad;
}

TEST(Page, OfEveryKindIsWellFormedAndStandsAlone) {
  int pages = 0;
  for (const auto &entry : std::filesystem::directory_iterator(kPages)) {
    SCOPED_TRACE(entry.path().filename().string());
    expectSound(pageOf(entry.path().filename().string()));
    ++pages;
  }
  EXPECT_GE(pages, 11);
}

TEST(Page, OfAReportSaysWhatWasRunAndWhereTimeAndEnergyGo) {
  const std::string page = pageOf("simulate.json");
  const Markup m(page);
  expectHas(m.visible, {"gemv on hbm-pim", "Run", "Time by part", "compute", "rearrange in", "Energy by component",
                        "Energy by term", "host_memory", "count × unit cost", "assumed",
                        "Counts, all channels together", "pim_mac", "How to read the numbers",
                        "modelled, not validated", "checked", "every command was simulated", "2 warnings"});
  expectHas(page, {"pimento simulate gemv --size m=512,n=256 --data random"});
  EXPECT_FALSE(has(m.visible, "Layers in order")) << "one kernel has no table of layers";
  // For people, and exact to hover over.
  const Json json = Json::parse(fixture("simulate.json"));
  EXPECT_TRUE(has(page, "title=\"10,506 ns\">10.51 µs</span>"));
  EXPECT_EQ(json["time_ns"], 10506.0);
}

TEST(Page, OfALanguageModelSaysWhereLayersRunAndWhatElseWasLookedAt) {
  const Markup m(pageOf("llm.json"));
  expectHas(m.visible, {"language model", "gpt3-13b, f16, on 1 GPU of host published, 5 x attacc", "First token after",
                        "generation: each step", "prefill: each step", "Where layers could run", "chosen", "Memory",
                        "keys and values", "by the published studies&#39; constants"});
}

TEST(Page, OfServedRequestsHasTheirTimes) {
  const Markup m(pageOf("serve.json"));
  expectHas(m.visible,
            {"served requests", "4 requests, at most 2 at once", "each next token", "p99", "Requests", "done after"});
}

TEST(Page, OfAProgramOfAHostHasItsSourceAndWhyNot) {
  const std::string page = pageOf("profile.json");
  const Markup m(page);
  expectHas(m.visible, {"walk&lt;1&gt; on cim-a9", "Where the cycles went", "Why not offloaded", "caches compute them",
                        "other reasons", "an operand comes from a register (250)", "Inlined calls",
                        "inlined at walk.c:22", "itself 20.0 %", "return p[0] + (p[1] &amp; 7);",
                        "was changed after the program was built", "simulated again"});
  EXPECT_FALSE(has(page, "<script>alert"));
  // A line that costs more than before, one that saves, and one without operations.
  EXPECT_TRUE(has(page, "−4.00 %"));
  EXPECT_TRUE(has(page, "13.00 %"));
  expectHas(m.visible, {"no such operation uses the value as it is (290)"});
  EXPECT_GE(m.count("details"), 3u) << "two functions and a tree of calls";
  EXPECT_TRUE(has(page, "class=\"hot4\"><th scope=\"row\">12</th>")) << "half of the time";
  EXPECT_TRUE(has(page, "class=\"hot3\"><th scope=\"row\">40</th>"));
  EXPECT_TRUE(has(page, "⋯")) << "between lines 21 and 40";
}

TEST(Page, OfAProgramWithoutLinesHasFunctionsAlone) {
  Json json = Json::parse(fixture("profile.json"));
  for (const char *key : {"lines", "inlined", "sources", "reasons"}) json.erase(key);
  json["functions"] = {{{"name", "walk"}, {"cycles", 7000}}, {{"name", "(elsewhere)"}, {"cycles", 3000}}};
  json["accounts"].erase("resimulated");
  const std::string page = pageOf({{"profile.json", json.dump()}});
  expectSound(page);
  const Markup m(page);
  expectHas(m.visible, {"Functions", "70.0 %", "Why not offloaded"});
  EXPECT_FALSE(has(m.visible, "Inlined calls"));
  EXPECT_EQ(m.count("details"), 0u);
}

TEST(Page, OfANetworkHasATableOfLayersAndSaysWhoWorks) {
  const std::string page = pageOf("network.json");
  const Markup m(page);
  expectHas(m.visible, {"Layers in order of execution", "Device and host", "ffn_up", "softmax needs exponentials",
                        "host computes its layers", "6 on the device, 6 on the host", "Set-up, not included"});
  expectHas(page, {"--set timing.tRCDRD=16 --map auto --offload best"});
}

TEST(Page, OfAnExplorationHasItsFrontAndItsBestAndCountsWhatWasOnlyBounded) {
  const std::string page = pageOf("mappings.json");
  const Markup m(page);
  expectHas(m.visible, {"Time against energy", "fastest", "lowest energy", "reference", "the Pareto front",
                        "Best mappings", "35 only bounded", "of 1,184 in the space", "lower bound"});
  EXPECT_TRUE(has(page, "<polyline class=\"through\""));
  EXPECT_EQ(m.count("polyline"), 2u) << "wide and narrow";
}

TEST(Page, OfAnExplorationOfSeveralKernelsHasAPartForEach) {
  const std::string page = pageOf("mappings_of_two.json");
  const Markup m(page);
  expectHas(m.visible, {"Best mappings of layer_1", "Best mappings of layer_2", "Fastest of all kernels"});
  EXPECT_EQ(m.count("polyline"), 4u) << "a front for each, wide and narrow";
}

TEST(Page, OfASweepHasALineForOneNumberAndAHeatMapForTwo) {
  const std::string one = pageOf("sweep1.json"), two = pageOf("sweep2.json");
  EXPECT_TRUE(has(one, "<polyline"));
  EXPECT_FALSE(has(one, "class=\"h3\""));
  EXPECT_TRUE(has(one, "timing.tRP = 40 is longer than tRC allows"));
  EXPECT_FALSE(has(two, "<polyline"));
  expectHas(two, {"class=\"h0 best\"", "★", "class=\"axis-title\">channels", "class=\"axis-title\">timing.tRP"});
}

TEST(Page, OfASweepOverNamesPutsThemOnTheAxis) {
  Json sweep = Json::parse(fixture("sweep1.json"));
  int n = 0;
  for (Json &value : sweep["sweep"][0]["values"]) value = "policy" + std::to_string(n++);
  n = 0;
  for (Json &row : sweep["rows"]) row[0] = "policy" + std::to_string(n++);
  const std::string page = pageOf({{"names.json", sweep.dump()}});
  expectSound(page);
  EXPECT_TRUE(has(page, ">policy3</text>"));
}

TEST(Page, OfAComparisonShowsTargetsSideBySideAndWhyOneCannotRunIt) {
  const Markup m(pageOf("compare.json"));
  expectHas(m.visible, {"Targets side by side", "hbm-pim-sound", "no unit of it multiplies f16", "device cycles"});
}

TEST(Page, OfAValidationShowsErrors) {
  const Markup m(pageOf("validate.json"));
  expectHas(m.visible, {"within 15 %", "31.25 %", "gemv.csv:4: ours 750, theirs 667", "78.81 %"});
}

TEST(Page, OfATraceHasItsEventsForTheScriptAndSumsForPrint) {
  const std::string page = pageOf("trace.json");
  const Markup m(page);
  expectHas(m.visible, {"Commands of the channel", "pim_mac", "rank 0 group 0 bank 0 (bank 0)"});
  const auto data =
      std::find_if(m.scripts.begin(), m.scripts.end(), [](const auto &s) { return s.starts_with("{\"ns\""); });
  ASSERT_NE(data, m.scripts.end());
  const Json events = Json::parse(*data);
  const Json trace = Json::parse(fixture("trace.json"));
  std::size_t inTrace = 0, inPage = 0;
  for (const Json &e : trace["traceEvents"]) inTrace += e["ph"] == "X";
  for (const Json &t : events["tracks"]) inPage += t["count"].get<std::size_t>();
  EXPECT_EQ(inPage, inTrace);
  // The device's first cycle is 0: the host's phases before it end there.
  EXPECT_EQ(events["first"], 0);
  EXPECT_LT(events["begin"], 0);
}

TEST(Page, ATraceOfManyEventsIsCutAndSaysSo) {
  std::string text = R"({"traceEvents":[{"ph":"M","name":"thread_name","pid":2,"tid":2,"args":{"name":"commands"}})";
  constexpr int kEvents = 400'500;
  for (int i = 0; i < kEvents; ++i)
    text += ",{\"ph\":\"X\",\"name\":\"RD\",\"pid\":2,\"tid\":2,\"ts\":" + std::to_string(i) + "e-3,\"dur\":0.001}";
  text += "]}";
  const std::string page = pageOf({{"long.json", text}});
  const Markup m(page);
  EXPECT_TRUE(m.problems.empty());
  expectHas(m.visible, {"500 further events", "400,500"});
  EXPECT_LT(page.size(), 4'000'000u);
}

TEST(Page, NamesFromInputsAreTextAndNothingElse) {
  for (const char *name : {"hostile.json", "hostile_trace.json"}) {
    const std::string page = pageOf(name);
    const Markup m(page);
    for (const std::string &p : m.problems) ADD_FAILURE() << p;
    EXPECT_FALSE(has(page, "<script>alert"));
    EXPECT_TRUE(has(m.visible, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;&lt;!--"));
    for (const std::string &script : m.scripts) EXPECT_FALSE(has(script, "alert(1)<"));
  }
  const std::string control = R"({"suite":"a\u0000b\u001b\u007f","points":0,"kernels":{}})";
  expectSound(pageOf({{"control\x01.json", control}}));
}

TEST(Page, ResultsWithoutLaterKeysAreShown) {
  const std::string page = pageOf("old.json");
  expectSound(page);
  expectHas(Markup(page).visible, {"Layers in order of execution", "not checked"});
}

TEST(Page, WhatEmitWritesIsReadBack) {
  const evaluate::Report report = test::handReport();
  const std::string page = pageOf({{"hand.json", toJson(report)}});
  expectSound(page);
  expectHas(Markup(page).visible, {"a paper, table 3", "segment_cell", "standby_stack"});
  SuiteResult suite;
  suite.suite = "hbm-pim";
  suite.add("gemv", 110, 100, "row 1");
  ComparisonRow ran, failed;
  ran.target = "hbm-pim";
  ran.report = report;
  failed.target = "other";
  failed.diagnostics = {error("no", {}, "it cannot")};
  const std::string several = pageOf({{"suite.json", toJson(suite)},
                                      {"compare.json", toJson({ran, failed})},
                                      {"mappings.json", toJson(test::handMappings())}});
  expectSound(several);
  expectHas(Markup(several).visible, {"validation hbm-pim", "it cannot", "validation mappings", "va, two-slice"});
}

TEST(Page, SaysHowRanksSharedTheWork) {
  for (const std::size_t ranks : {std::size_t{3}, std::size_t{700}}) {
    cluster::Sharing sharing;
    sharing.ranks = static_cast<std::int64_t>(ranks);
    sharing.lost = 1;
    sharing.jobs = 2 * sharing.ranks;
    sharing.tasks = 1234;
    sharing.chunks = 56;
    sharing.seconds = 10;
    sharing.idleShare = 0.25;
    sharing.messageShare = 0.01;
    sharing.busy.assign(ranks, 0.75);
    SuiteResult suite;
    suite.suite = "hbm-pim";
    suite.add("gemv", 110, 100, "row 1");
    suite.sharing = std::make_shared<const cluster::Sharing>(sharing);
    const std::string page = pageOf({{"suite.json", toJson(suite)}});
    expectSound(page);
    expectHas(Markup(page).visible, {"How ranks shared the work", "1 lost", "25 %", "1,234 tasks in 56 chunks"});
    EXPECT_TRUE(has(sharingText(&sharing), "ranks (1 lost)"));
  }
}

TEST(Page, SaysWhatTheDeviceHasManyOf) {
  evaluate::Report report = test::handReport();
  for (const evaluate::SimulatedUnit &unit : {test::kChannels, test::kDpus, {"unit", "units", "units"}}) {
    report.unit = unit;
    const std::string page = pageOf({{"hand.json", toJson(report)}});
    std::string head(unit.plural);
    head[0] = static_cast<char>(std::toupper(head[0]));
    EXPECT_TRUE(has(page, "<dt>" + head + "</dt><dd>")) << head;
    EXPECT_TRUE(has(page, "Counts, all " + std::string(unit.plural) + " together")) << head;
    EXPECT_EQ(has(page, "hannel"), unit.singular == "channel");
  }
  report.unitsIdentical = 1;
  EXPECT_TRUE(has(pageOf({{"hand.json", toJson(report)}}), "Counts of one unit"));
}

TEST(Page, OfAResultThatDoesNotNameItsUnitGoesByTheKeysOfIt) {
  Json json = Json::parse(toJson(test::handReport()));
  json.erase("unit");
  for (const char *key : {"units", "subarrays"}) {
    Json other = json;
    other[std::string(key) + "_simulated"] = 1;
    other[std::string(key) + "_identical"] = 4096;
    other.erase("channels_simulated");
    other.erase("channels_identical");
    const std::string page = pageOf({{"older.json", other.dump()}});
    EXPECT_TRUE(has(page, std::string("Counts, all ") + key + " together"));
    EXPECT_TRUE(has(Markup(page).visible, "4,096"));
  }
}

TEST(Page, OfAGraphListsThePhases) {
  evaluate::Report report = test::handReport();
  EXPECT_FALSE(has(pageOf({{"hand.json", toJson(report)}}), "Phases in order")) << "the parts say the same";
  report.stages.push_back(test::hostStage("relu"));
  const std::string page = pageOf({{"hand.json", toJson(report)}});
  expectSound(page);
  expectHas(Markup(page).visible, {"Phases in order", "gemv: transfer in", "relu: on the host"});
}

TEST(Page, EveryPartHasItsNameAndItsColour) {
  std::set<std::string> styles;
  for (const evaluate::PartInfo &p : evaluate::kParts) {
    evaluate::Report report = test::handReport();
    report.stages[0].phases = {test::handPhase(p.part, 1234)};
    EXPECT_TRUE(has(Markup(pageOf({{"hand.json", toJson(report)}})).visible, p.title)) << p.key;
    styles.insert(std::to_string(p.series));
  }
  EXPECT_EQ(styles.size(), evaluate::kParts.size());
}

TEST(Page, ShowsAProfileByItsColumns) {
  evaluate::Report report = test::handProgram();
  const std::string dpu = pageOf({{"program.json", toJson(report)}});
  expectSound(dpu);
  expectHas(Markup(dpu).visible,
            {"By function", "By line", "DMA waits", "99.6 %", "87.7 %", "11 cycles per issue slot"});
  Json older = Json::parse(toJson(report));
  older["profile"].erase("columns");
  expectHas(Markup(pageOf({{"older.json", older.dump()}})).visible, {"dma_wait_cycles", "1,200", "99.6 %"});
  report.outcome.profile->columns = {{"offloaded", "moved into memory", "", true, true}};
  for (auto *rows : {&report.outcome.profile->functions, &report.outcome.profile->lines})
    for (evaluate::AttributionRow &row : *rows) row.amounts.resize(1);
  report.outcome.profile->totals.resize(1);
  const std::string other = pageOf({{"other.json", toJson(report)}});
  expectSound(other);
  EXPECT_TRUE(has(Markup(other).visible, "moved into memory"));
  EXPECT_FALSE(has(Markup(other).visible, "DMA waits"));
}

TEST(Page, OfSeveralInputsHasASectionAndAnEntryInTheContentsForEach) {
  const std::string page = pageOf({{"x/a.json", fixture("simulate.json")},
                                   {"b.json", fixture("trace.json")},
                                   {"c.json", fixture("mappings.json")}});
  expectSound(page);
  for (const char *id : {"s1", "s2", "s3"}) {
    EXPECT_TRUE(has(page, std::string("<section id=\"") + id + "\""));
    EXPECT_TRUE(has(page, std::string("<a href=\"#") + id + "\">"));
  }
  EXPECT_TRUE(has(page, "<span>a.json</span>"));
  EXPECT_FALSE(has(page, "x/a.json")) << "folders are nobody's business";
}

TEST(Page, EqualInputsGiveEqualBytes) {
  EXPECT_EQ(pageOf("mappings.json"), pageOf("mappings.json"));
}

TEST(Page, NumbersFarFromEverydayOnesAreDrawn) {
  for (const char *number : {"0", "1e-300", "5e-324", "1e-25", "1e29", "9007199254740993", "18446744073709551615"}) {
    SCOPED_TRACE(number);
    Json report = Json::parse(fixture("network.json"));
    const Json value = Json::parse(number);
    for (const char *key : {"cycles", "total_cycles", "time_ns", "energy_pj", "cycles_simulated"}) report[key] = value;
    report["energy_range_pj"] = {0, value};
    for (auto &[key, part] : report["breakdown"].items()) part = value;
    for (auto &[key, term] : report["energy_breakdown"].items()) term["pj"] = term["high"] = term["count"] = value;
    for (Json &stage : report["stages"]) stage["total_cycles"] = stage["time_ns"] = value;
    expectSound(pageOf({{"far.json", report.dump()}}));
    Json result = Json::parse(fixture("mappings.json"));
    for (Json &row : result["rows"])
      if (!row[4].is_null()) row[4] = row[5] = value;
    expectSound(pageOf({{"far.json", result.dump()}}));
  }
}

TEST(Page, ManyLayersStandAsColumns) {
  Json report = Json::parse(fixture("network.json"));
  Json stages = Json::array();
  for (int i = 0; i < 10; ++i)
    for (const Json &s : report["stages"]) stages.push_back(s);
  report["stages"] = stages;
  const std::string page = pageOf({{"deep.json", report.dump()}});
  expectSound(page);
  EXPECT_TRUE(has(page, "layer (number in the table)"));
}

TEST(Page, AConvertedKernelShowsItsErrorByTensor) {
  evaluate::Report report = test::handReport();
  EXPECT_FALSE(has(pageOf({{"hand.json", toJson(report)}}), "Difference from the kernel in its own types"));
  report.conversion = {"f32=f16", {}, {}, "there are no data"};
  EXPECT_TRUE(has(Markup(pageOf({{"hand.json", toJson(report)}})).visible, "not computed: there are no data"));
  report.conversion->errors = {{"y", 4, 0.25, "y[1]", 0.5, "y[2]", 0.125, 3, 1, "y[3]"},
                               {"z", 4, 0.75, "z[0]", 0.25, "z[1]", 0.25, 2, 0, ""}};
  const std::string page = pageOf({{"hand.json", toJson(report)}});
  expectSound(page);
  expectHas(Markup(page).visible, {"f32=f16", "Difference from the kernel in its own types", "y[2]", "z[0]", "0.75"});
}

}  // namespace
}  // namespace pimento::emit::html
