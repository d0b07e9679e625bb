// `explore` as a verb: what it writes where, graphs of several kernels, sweeps, checks, and the same bytes every time.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "pimento/driver/verbs.h"
#include "test/support/folder.h"
#include "test/support/loop_trace.h"

namespace pimento::test {
namespace {

using driver::Options;
using driver::Outcome;
using Json = nlohmann::json;

std::string contents(const std::string &file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string fileNamed(const std::string &name) {
  return ::testing::TempDir() + "/explore_" + std::to_string(::getpid()) + "_" + name;
}

Options gemv(const std::string &sizes = "m=100,n=300") {
  Options o;
  o.input = "gemv";
  o.sizes = {sizes};
  o.sets = {"channels=4"};
  o.isQuiet = true;
  o.jobs = 2;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  return o;
}

Outcome explored(const Options &o) {
  Outcome out = driver::run(driver::VerbId::kExplore, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  return out;
}

Json json(Options o) {
  o.isJson = true;
  return Json::parse(explored(o).text);
}

bool hasWarning(const Json &j, const std::string &part) {
  return std::any_of(j["warnings"].begin(), j["warnings"].end(),
                     [&](const Json &w) { return w.get<std::string>().find(part) != std::string::npos; });
}

TEST(Explore, FindsWhatTheDefaultMappingIsWhereOperandsMayLieInSeveralWays) {
  Options o = gemv();
  o.input = "gemm";
  o.sizes = {"m=128,n=128,k=128"};
  o.sets.clear();
  o.isJson = true;
  const Outcome chosen = driver::run(driver::VerbId::kEstimate, o);
  ASSERT_EQ(chosen.status, 0);
  const std::int64_t total = Json::parse(chosen.text)["total_cycles"];
  o.isUnchecked = true;
  const Json j = json(o);
  const auto columnOf = [&](const char *name) {
    return static_cast<std::size_t>(std::ranges::find(j["columns"], name) - j["columns"].begin());
  };
  const std::size_t at = columnOf("total_cycles"), how = columnOf("how");
  std::int64_t least = total + 1;
  for (const Json &row : j["rows"])
    if (row[how] == "estimated" || row[how] == "equal") least = std::min(least, row[at].get<std::int64_t>());
  EXPECT_EQ(least, total);
}

TEST(Explore, SaysInJsonWhatWasExploredAndWhatIsBest) {
  const Json j = json(gemv());
  for (const char *key :
       {"explore", "kernel",  "sizes",   "dtype", "target",  "run",  "space",  "explored", "estimated", "equal",
        "bounded", "illegal", "seconds", "sweep", "columns", "rows", "pareto", "best",     "reference", "warnings"})
    EXPECT_TRUE(j.contains(key)) << key;
  EXPECT_EQ(j["explore"], "mappings");
  EXPECT_EQ(j["space"], j["rows"].size());
  EXPECT_EQ(j["explored"], j["rows"].size());
  EXPECT_EQ(j["estimated"].get<int>() + j["equal"].get<int>() + j["bounded"].get<int>() + j["illegal"].get<int>(),
            j["space"].get<int>());
  EXPECT_EQ(j["columns"], Json({"mapping", "how", "cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj",
                                "like", "error"}));
  const Json &best = j["best"]["time"];
  EXPECT_TRUE(best["checked"].get<bool>());
  EXPECT_EQ(best["row"], j["pareto"].front());
  EXPECT_EQ(j["rows"].at(best["row"].get<std::size_t>()).at(3), best["total_cycles"]);
  const double ratio = best["total_cycles"].get<double>() / j["reference"]["total_cycles"].get<double>();
  EXPECT_DOUBLE_EQ(best["of_reference"]["total_cycles"].get<double>(), ratio);
  EXPECT_LE(ratio, 1.0);
  EXPECT_EQ(j["run"]["verb"], "explore");
  EXPECT_EQ(j["run"]["sizes"], Json({"m=100,n=300"}));
}

TEST(Explore, TheBestIsWhatEstimateSays) {
  const Json j = json(gemv());
  for (const char *what : {"time", "energy"}) {
    Options o = gemv();
    o.isJson = true;
    o.maps = {j["best"][what]["mapping"].get<std::string>()};
    const Json report = Json::parse(driver::run(driver::VerbId::kEstimate, o).text);
    for (const char *key : {"cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj"})
      EXPECT_EQ(report[key], j["best"][what][key]) << key;
  }
}

TEST(Explore, ReferenceIsWhatEstimateSays) {
  const Json j = json(gemv());
  Options o = gemv();
  o.isJson = true;
  o.maps = {"reference"};
  const Json report = Json::parse(driver::run(driver::VerbId::kEstimate, o).text);
  for (const char *key : {"cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj"})
    EXPECT_EQ(report[key], j["reference"][key]) << key;
}

TEST(Explore, WritesTheFormThatTheEndingNamesAndTheSummaryToStandardOutput) {
  for (const std::string ending : {"csv", "json", "html"}) {
    Options o = gemv();
    o.output = fileNamed("out." + ending);
    const Outcome out = explored(o);
    EXPECT_TRUE(out.isOutputWritten);
    EXPECT_NE(out.text.find("best in time"), std::string::npos);
    const std::string text = contents(o.output);
    EXPECT_TRUE(ending != "json" || Json::accept(text));
    EXPECT_TRUE(ending != "html" || text.rfind("<!DOCTYPE html>", 0) == 0) << text.substr(0, 40);
    EXPECT_TRUE(ending != "csv" || text.find("\nmapping,how,cycles,") != std::string::npos);
    std::filesystem::remove(o.output);
  }
}

/// Cells of a CSV line; quotes as RFC 4180 has them.
std::vector<std::string> cells(const std::string &line) {
  std::vector<std::string> out(1);
  bool isQuoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"')
      isQuoted = !isQuoted;
    else if (line[i] == ',' && !isQuoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  return out;
}

TEST(Explore, CsvAndJsonHaveTheSameRows) {
  Options o = gemv();
  o.output = fileNamed("rows.csv");
  o.isJson = true;
  const Json j = Json::parse(explored(o).text);
  std::ifstream file(o.output);
  std::string line;
  std::size_t row = 0;
  bool isHead = true;
  while (std::getline(file, line)) {
    if (line[0] == '#') continue;
    const std::vector<std::string> c = cells(line);
    ASSERT_EQ(c.size(), j["columns"].size()) << line;
    if (isHead) {
      for (std::size_t i = 0; i < c.size(); ++i) EXPECT_EQ(c[i], j["columns"][i]);
      isHead = false;
      continue;
    }
    for (std::size_t i = 0; i < c.size(); ++i) {
      const Json &cell = j["rows"].at(row)[i];
      ASSERT_EQ(c[i], cell.is_null() ? "" : cell.is_string() ? cell.get<std::string>() : cell.dump()) << line;
    }
    ++row;
  }
  EXPECT_EQ(row, j["rows"].size());
  std::filesystem::remove(o.output);
}

TEST(Explore, GivesTheSameBytesAtAnyNumberOfJobsButForSeconds) {
  Options compiled = gemv("m=16,n=64");
  compiled.target = "upmem";
  compiled.sets = {"ranks=1"};
  for (Options o : {gemv("m=500,n=500"), compiled}) {
    std::set<std::string> texts;
    for (const int jobs : {1, 2, 5}) {
      o.jobs = jobs;
      Json j = json(o);
      j.erase("seconds");
      j.erase("compile_seconds");
      texts.insert(j.dump());
    }
    EXPECT_EQ(texts.size(), 1u);
  }
}

TEST(Explore, AGraphIsExploredKernelByKernel) {
  Options o = gemv();
  o.input = "t[i] = a[i] + b[i]; y[i] = relu(t[i])";
  o.sizes = {"i=3000"};
  const Json j = json(o);
  EXPECT_EQ(j["columns"][0], "kernel");
  ASSERT_EQ(j["kernels"].size(), 2u);
  std::size_t rows = 0;
  for (const Json &k : j["kernels"]) {
    rows += k["space"].get<std::size_t>();
    const Json &row = j["rows"].at(k["best"]["time"]["row"].get<std::size_t>());
    EXPECT_EQ(row[0], k["kernel"]);
    EXPECT_EQ(row[1], k["best"]["time"]["mapping"]);
    EXPECT_TRUE(k["best"]["time"]["checked"].get<bool>());
  }
  EXPECT_EQ(rows, j["rows"].size());
  // What `map` says runs the whole graph.
  Options whole = o;
  whole.maps = {j["map"]["time"].get<std::string>()};
  EXPECT_EQ(driver::run(driver::VerbId::kEstimate, whole).status, 0);
}

TEST(Explore, KernelsThatStayOnTheHostAreLeftOutWithANote) {
  Options o = gemv();
  o.input = "t[i] = a[i] + b[i]; y[i] = t[i] / b[i]";
  o.sizes = {"i=3000"};
  const Json j = json(o);
  EXPECT_FALSE(j.contains("kernels")) << "one kernel is left";
  EXPECT_TRUE(hasWarning(j, "skipped"));
}

TEST(Explore, KernelsThatDifferInNamesAloneAreExploredOnce) {
  Options o = gemv();
  o.input = "t[i] = a[i] + b[i]; u[i] = t[i] + c[i]; y[i] = relu(u[i])";
  o.sizes = {"i=3000"};
  const Json j = json(o);
  ASSERT_EQ(j["kernels"].size(), 2u);
  EXPECT_EQ(j["kernels"][0]["same"].size(), 1u);
  Options whole = o;
  whole.maps = {j["map"]["energy"].get<std::string>()};
  EXPECT_EQ(driver::run(driver::VerbId::kEstimate, whole).status, 0) << whole.maps[0];
  o.kernels = {j["kernels"][1]["kernel"].get<std::string>()};
  EXPECT_FALSE(json(o).contains("kernels"));
}

TEST(Explore, KernelsOfAGraphDoNotShareResultsInAStore) {
  Options o = gemv();
  o.input = "t[i] = a[i] + b[i]; y[i] = relu(t[i])";
  o.sizes = {"i=3000"};
  o.isUnchecked = true;
  Json without = json(o);
  o.store = fileNamed("graph.db");
  std::filesystem::remove(o.store);
  for (int run = 0; run < 2; ++run) {
    Json with = json(o);
    with.erase("seconds");
    without.erase("seconds");
    EXPECT_EQ(with, without) << "run " << run;
  }
  std::filesystem::remove(o.store);
}

TEST(Explore, ALargeSpaceIsExploredInPartAndSaysSo) {
  Options o = gemv();
  o.limit = 50;
  const Json j = json(o);
  EXPECT_TRUE(hasWarning(j, "--limit 0 explores all"));
  EXPECT_LE(j["explored"].get<int>(), 51);
  EXPECT_GT(j["space"].get<int>(), 100);
}

TEST(Explore, SaysWhatIsNotChecked) {
  Options o = gemv();
  o.isUnchecked = true;
  const Json unchecked = json(o);
  EXPECT_TRUE(hasWarning(unchecked, "--no-check"));
  EXPECT_FALSE(unchecked["best"]["time"]["checked"].get<bool>());
  Options large = gemv("m=32768,n=32768");
  large.sets = {"channels=64"};
  const Json tooLarge = json(large);
  EXPECT_TRUE(hasWarning(tooLarge, "not checked on data"));
  EXPECT_FALSE(tooLarge["best"]["time"]["checked"].get<bool>());
}

TEST(ExploreSweep, IsATableOfEstimates) {
  Options o = gemv();
  o.sweeps = {"tRP=10,20", "size.n=100..300:100"};
  const Json j = json(o);
  EXPECT_EQ(j["explore"], "sweep");
  EXPECT_EQ(j["columns"], Json({"timing.tRP", "size.n", "mapping", "cycles", "total_cycles", "time_ns", "energy_pj",
                                "energy_kernel_pj", "error"}));
  ASSERT_EQ(j["rows"].size(), 6u);
  EXPECT_EQ(j["sweep"][0], Json({{"path", "timing.tRP"}, {"values", {"10", "20"}}}));
  for (const Json &row : j["rows"]) {
    Options point = gemv();
    point.isJson = true;
    point.sets.push_back("timing.tRP=" + row[0].get<std::string>());
    point.sizes.push_back("n=" + row[1].get<std::string>());
    const Json report = Json::parse(driver::run(driver::VerbId::kEstimate, point).text);
    EXPECT_EQ(row[3], report["cycles"]);
    EXPECT_EQ(row[5], report["time_ns"]);
    EXPECT_EQ(row[6], report["energy_pj"]);
  }
}

TEST(ExploreSweep, TakesTheMappingItIsGiven) {
  Options o = gemv();
  o.sweeps = {"channels=1,2,4"};
  const Json chosen = json(o);
  o.maps = {"reference"};
  const Json reference = json(o);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reference["rows"][i][1], "reference");
    EXPECT_LE(chosen["rows"][i][3].get<std::int64_t>(), reference["rows"][i][3].get<std::int64_t>());
  }
}

TEST(ExploreSweep, SizesOfNotationNeedNoSizeBesides) {
  Options o = gemv();
  o.input = "y[i] = relu(x[i])";
  o.sizes.clear();
  o.sweeps = {"size.i=1000..4000*2"};
  EXPECT_EQ(json(o)["rows"].size(), 3u);
}

TEST(ExploreSweep, ImpossiblePointsHaveAnErrorAndANote) {
  Options o = gemv();
  o.sweeps = {"timing.tRC=47,1"};
  const Json j = json(o);
  EXPECT_TRUE(j["rows"][0].back().is_null());
  EXPECT_NE(j["rows"][1].back().get<std::string>().find("[impossible-value]"), std::string::npos);
  EXPECT_TRUE(hasWarning(j, "1 of 2 points"));
  EXPECT_EQ(j["pareto"], Json({0}));
}

TEST(ExploreSweep, OfATraceIsATableOfProfiles) {
  Options o;
  o.input = fileNamed("loop.ptrace");
  saveLoop(o.input, 2000, 192);
  o.isQuiet = true;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  o.arrays = "destiny";
  o.sweeps = {"caches.l2.latency=8,30", "caches.l1d.size=16 KiB,32 KiB,48 KiB"};
  const Json j = json(o);
  EXPECT_EQ(j["columns"],
            Json({"caches.l2.latency", "caches.l1d.size", "mapping", "cycles", "total_cycles", "time_ns", "energy_pj",
                  "energy_kernel_pj", "error", "base_cycles", "base_energy_pj", "speedup", "energy_improvement"}));
  ASSERT_EQ(j["rows"].size(), 6U);
  int good = 0;
  for (const Json &row : j["rows"]) {
    Options point = o;
    point.isJson = true;
    point.sweeps.clear();
    point.sets = {"caches.l2.latency=" + row[0].get<std::string>(), "caches.l1d.size=" + row[1].get<std::string>()};
    const Outcome out = driver::run(driver::VerbId::kProfile, point);
    EXPECT_EQ(out.status == 0, row[8].is_null()) << row;
    if (out.status != 0) continue;
    ++good;
    const Json profile = Json::parse(out.text), &again = profile["accounts"]["resimulated"];
    EXPECT_EQ(row[3], again["cycles"]);
    EXPECT_EQ(row[6], again["energy_pj"]);
    EXPECT_EQ(row[9], profile["cycles"]);
    EXPECT_EQ(row[10], profile["energy_pj"]);
    EXPECT_NEAR(row[11].get<double>(), again["speedup"].get<double>(), 1e-9);
    EXPECT_NEAR(row[12].get<double>(), again["energy_improvement"].get<double>(), 1e-9);
  }
  EXPECT_EQ(good, 4);
  EXPECT_LT(j["rows"][0][3], j["rows"][3][3]) << "a slower cache costs time";
  EXPECT_NE(explored(o).text.find("less energy"), std::string::npos);
  std::filesystem::remove(o.input);
}

// Tasks of an array compute a share each; what is merged is the whole.
TEST(Explore, SharesOfAPlanMakeTheWhole) {
  const Folder folder;
  std::vector<Options> plans(3, gemv());
  plans[1].sweeps = {"size.m=64,96,128", "timing.tRP=10..12"};
  plans[2].isExhaustive = true;
  plans[2].limit = 40;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const Options &plan = plans[p];
    const std::string all = folder / fmt::format("all{}.db", p);
    Options merge;
    merge.inputs = {"merge", all};
    std::int64_t items = 0;
    for (int share = 1; share <= 3; ++share) {
      Options o = plan;
      o.share = fmt::format("{}/3", share);
      o.store = folder / fmt::format("{}-{}.db", p, share);
      o.isJson = true;
      const Json said = Json::parse(explored(o).text);
      EXPECT_EQ(said["share"], share);
      EXPECT_EQ(said["of"], 3);
      items += said["items"].get<std::int64_t>();
      merge.inputs.push_back(o.store);
    }
    merge.isJson = true;
    const Outcome merged = driver::run(driver::VerbId::kStore, merge);
    ASSERT_EQ(merged.status, 0) << merged.diagnostics.front().str();
    EXPECT_TRUE(Json::parse(merged.text)["warnings"].empty()) << merged.text;
    Json whole = json(plan);
    Options from = plan;
    from.store = all;
    const auto before = Json::parse(merged.text)["problems"][0]["results"];
    Json again = json(from);
    EXPECT_GE(items + 1, whole["explored"].get<std::int64_t>()) << "but for the reference mapping";
    whole.erase("seconds");
    again.erase("seconds");
    EXPECT_EQ(again, whole);
    if (p == 0) continue;  // bounds may rule out in a part what they do not in the whole
    Options shown;
    shown.inputs = {"show", all};
    shown.isJson = true;
    const char *kind = p == 1 ? "point" : "run";
    const auto after = Json::parse(driver::run(driver::VerbId::kStore, shown).text)["problems"][0]["results"];
    EXPECT_LE(after[kind].get<int>(), before[kind].get<int>() + (p == 1 ? 0 : 1)) << "but for the reference mapping";
  }
}

TEST(Explore, AMergeSaysWhatIsMissing) {
  const Folder folder;
  Options o = gemv();
  o.sweeps = {"timing.tRP=10..14"};
  o.share = "2/3";
  o.store = folder / "2.db";
  explored(o);
  Options merge;
  merge.inputs = {"merge", folder / "all.db", o.store};
  const Outcome out = driver::run(driver::VerbId::kStore, merge);
  ASSERT_EQ(out.status, 0);
  EXPECT_NE(out.text.find("2 results taken, 2 of them new"), std::string::npos) << out.text;
  EXPECT_NE(out.text.find("1 of 3 shares"), std::string::npos) << out.text;
  EXPECT_NE(out.text.find("shares 1, 3 of 3 are missing"), std::string::npos) << out.text;
}

}  // namespace
}  // namespace pimento::test
