#include "pimento/emit/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "test/support/hand_report.h"

namespace pimento::emit {
namespace {

using Json = nlohmann::json;

// As in the contract's example.
constexpr const char *kKeys[] = {"kernel",  "sizes",        "dtype",      "target",           "mapping",
                                 "cycles",  "total_cycles", "time_ns",    "cycles_simulated", "energy_pj",
                                 "exact",   "interval",     "breakdown",  "energy_breakdown", "counts",
                                 "checked", "wall_us",      "compile_us", "warnings"};
constexpr const char *kParts[] = {"transfer_in", "rearrange_in",  "launch",       "compute",
                                  "merge",       "rearrange_out", "transfer_out", "host"};

TEST(Json, EveryKeyOfTheContractIsThereEvenInAnEmptyReport) {
  for (const evaluate::Report &r : {evaluate::Report{}, test::handReport()}) {
    const Json j = Json::parse(toJson(r));
    for (const char *key : kKeys) EXPECT_TRUE(j.contains(key)) << key;
    for (const char *part : kParts) EXPECT_TRUE(j["breakdown"].contains(part)) << part;
    EXPECT_EQ(j["breakdown"].size(), std::size(kParts));
    EXPECT_TRUE(j["phases"].is_array());
    for (const char *key : {"sizes", "energy_breakdown", "counts"}) EXPECT_TRUE(j[key].is_object()) << key;
    EXPECT_TRUE(j["warnings"].is_array());
  }
}

TEST(Json, WhatAnAnswerWasHeldAgainstIsSaid) {
  evaluate::Report r = test::handReport();
  r.checkedText = evaluate::CheckedText{"C", true};
  EXPECT_EQ(Json::parse(toJson(r))["checked_against"], "C, bit for bit");
  r.checkedText = evaluate::CheckedText{"MLIR", false};
  EXPECT_EQ(Json::parse(toJson(r))["checked_against"], "MLIR, within the error bound");
  EXPECT_TRUE(Json::parse(toJson(r))["why_unchecked"].is_null());
  r.isChecked = false;
  EXPECT_TRUE(Json::parse(toJson(r))["checked_against"].is_null());
  EXPECT_TRUE(Json::parse(toJson(r))["why_unchecked"].is_string());
  r.stages.front().unchecked = "it computes nothing";
  EXPECT_EQ(Json::parse(toJson(r))["why_unchecked"], "it computes nothing");
}

TEST(Json, ValuesAreThoseOfTheReport) {
  const evaluate::Report r = test::handReport();
  const Json j = Json::parse(toJson(r));
  EXPECT_EQ(j["sizes"], (Json{{"m", 4096}, {"n", 1024}, {"batch", 1}}));
  EXPECT_EQ(j["mapping"], r.mapping);
  EXPECT_EQ(j["cycles"], 10000);
  EXPECT_EQ(j["cycles_simulated"], 2500);
  EXPECT_EQ(j["exact"], "fast-forwarded");
  EXPECT_EQ(j["checked"], true);
  EXPECT_EQ(j["checked_against"], "interpreter");
  EXPECT_EQ(j["counts"], (Json{{"ACT", 1234567}, {"RD", 42}}));
  EXPECT_EQ(j["wall_us"], 321);
  EXPECT_EQ(j["compile_us"], 7);
  EXPECT_EQ(j["channels_simulated"], 1);
  EXPECT_EQ(j["channels_identical"], 64);
  EXPECT_EQ(j["energy_note"], "modelled, not validated");
  EXPECT_EQ(j["energy_covers"], r.energy.covers);
  EXPECT_EQ(j["energy_kernel_pj"], r.kernelEnergy.total.value);
  EXPECT_EQ(j["energy_kernel_range_pj"], (Json{1000, 37604000}));
  EXPECT_EQ(j["stages"][0]["where"], "pim");
  EXPECT_EQ(j["warnings"][0], r.warnings[0]);
}

TEST(Json, PartsSumToTheTotals) {
  const Json j = Json::parse(toJson(test::handReport()));
  std::int64_t cycles = 0;
  for (const auto &part : j["breakdown"]) cycles += part.get<std::int64_t>();
  EXPECT_EQ(j["total_cycles"], cycles);
  EXPECT_EQ(cycles, 12500);
  const double total = j["energy_pj"];
  double terms = 0, low = 0, high = 0, components = 0;
  for (const auto &term : j["energy_breakdown"]) {
    terms += term["pj"].get<double>();
    low += term["low"].get<double>();
    high += term["high"].get<double>();
  }
  for (const auto &c : j["energy_components"]) {
    EXPECT_EQ(c["pj"], c["dynamic"].get<double>() + c["background"].get<double>());
    components += c["pj"].get<double>();
  }
  EXPECT_EQ(terms, total);
  EXPECT_EQ(components, total);
  EXPECT_EQ(j["energy_range_pj"], (Json{low, high}));
  EXPECT_EQ(j["energy_dynamic_pj"].get<double>() + j["energy_background_pj"].get<double>(), total);
}

TEST(Json, PhasesAreTheStepsInOrderAndSumToTheTotals) {
  evaluate::Report r = test::handReport();
  const auto check = [&](const Json &j) {
    std::int64_t cycles = 0;
    std::map<std::string, std::int64_t> parts;
    double ns = 0;
    for (const Json &p : j["phases"]) {
      EXPECT_GT(p["cycles"], 0);
      EXPECT_EQ(p["clock"], "device");
      cycles += p["cycles"].get<std::int64_t>();
      parts[p["breakdown"]] += p["cycles"].get<std::int64_t>();
      ns += p["ns"].get<double>();
    }
    EXPECT_EQ(j["total_cycles"], cycles);
    EXPECT_EQ(ns, static_cast<double>(cycles));
    for (const auto &[key, value] : j["breakdown"].items()) EXPECT_EQ(value, parts[key]) << key;
  };
  const Json one = Json::parse(toJson(r));
  check(one);
  EXPECT_EQ(one["phases"].size(), 6u);
  EXPECT_EQ(one["phases"][0], (Json{{"name", "rearrange in"},
                                    {"ns", 100.0},
                                    {"cycles", 100},
                                    {"clock", "device"},
                                    {"breakdown", "rearrange_in"}}));
  r.stages.push_back(test::hostStage("relu"));
  const Json two = Json::parse(toJson(r));
  check(two);
  EXPECT_EQ(two["phases"][2]["name"], "gemv: compute");
  EXPECT_EQ(two["phases"].back()["name"], "relu: on the host");
}

TEST(Json, AConvertedKernelHasItsRulesScalesAndError) {
  evaluate::Report r = test::handReport();
  EXPECT_FALSE(Json::parse(toJson(r)).contains("conversion"));
  r.conversion = {"f32=i8", {{"A", 0.5}}, {}, "there are no data"};
  Json c = Json::parse(toJson(r))["conversion"];
  EXPECT_EQ(c["rules"], "f32=i8");
  EXPECT_EQ(c["scales"], (Json{{"A", 0.5}}));
  EXPECT_EQ(c["error"], nullptr);
  EXPECT_EQ(c["why_no_error"], "there are no data");
  r.conversion->errors = {{"y", 4, 0.25, "y[1]", 0.5, "y[2]", 0.125, 3, 1, "y[3]"},
                          {"z", 4, 0.5, "z[0]", 0.25, "z[1]", 0.25, 2, 0, ""}};
  c = Json::parse(toJson(r))["conversion"];
  EXPECT_EQ(c["why_no_error"], nullptr);
  EXPECT_EQ(c["error"]["largest"], 0.5);
  EXPECT_EQ(c["error"]["where"], "z[0]");
  EXPECT_EQ(c["error"]["where_relative"], "y[2]");
  EXPECT_EQ(c["error"]["lost"], 1);
  EXPECT_EQ(c["tensors"].size(), 2u);
  EXPECT_EQ(c["tensors"][1]["tensor"], "z");
  EXPECT_EQ(c["tensors"][1]["where_lost"], nullptr);
}

TEST(Json, APhaseOnAnotherClockSaysSo) {
  evaluate::Report r = test::handReport();
  r.stages[0].phases[0].clock = "host";
  r.stages[0].phases[0].cycles = Cycles(300);
  const Json j = Json::parse(toJson(r));
  EXPECT_EQ(j["phases"][0]["clock"], "host");
  EXPECT_EQ(j["phases"][0]["cycles"], 300);
  EXPECT_EQ(j["breakdown"]["rearrange_in"], 100) << "device cycles";
}

TEST(Json, TheSimulatedUnitNamesItsKeys) {
  evaluate::Report r = test::handReport();
  r.unit = {"unit", "units", "units"};
  const Json j = Json::parse(toJson(r));
  EXPECT_EQ(j["units_simulated"], 1);
  EXPECT_EQ(j["units_identical"], 64);
  EXPECT_EQ(j["unit"], (Json{{"singular", "unit"}, {"plural", "units"}, {"key", "units"}}));
  EXPECT_EQ(Json::parse(toJson(test::handProgram()))["unit"]["plural"], "DPUs");
}

TEST(Json, AProfileHasTheColumnsThatItSays) {
  evaluate::Report r = test::handProgram();
  const Json dpu = Json::parse(toJson(r))["profile"];
  EXPECT_EQ(dpu["columns"][1]["key"], "dma_wait_cycles");
  EXPECT_EQ(dpu["functions"][1],
            (Json{{"function", "main"}, {"slots", 2}, {"dma_wait_cycles", 1200}, {"tasklet_cycles", 1222}}));
  r.outcome.profile->columns = {{"offloaded", "offloaded", "", true, true}};
  r.outcome.profile->functions = {{"main", "", 0, "", {7}}};
  r.outcome.profile->lines.clear();
  EXPECT_EQ(Json::parse(toJson(r))["profile"]["functions"][0], (Json{{"function", "main"}, {"offloaded", 7}}));
}

TEST(Json, ATermCarriesWhereItsNumberComesFrom) {
  const Json j = Json::parse(toJson(test::handReport()))["energy_breakdown"];
  EXPECT_EQ(j["segment_cell"]["component"], "dram");
  EXPECT_EQ(j["segment_cell"]["kind"], "dynamic");
  EXPECT_EQ(j["segment_cell"]["source"], "a paper, table 3");
  EXPECT_EQ(j["segment_cell"]["confidence"], "paper");
  EXPECT_EQ(j["standby_stack"]["kind"], "background");
  EXPECT_EQ(j["mac"]["high"], 4096);
}

TEST(Json, AnIntervalIsNullUnlessTheResultIsSampled) {
  evaluate::Report r = test::handReport();
  EXPECT_TRUE(Json::parse(toJson(r))["interval"].is_null());
  r.exact = evaluate::Exactness::kSampled;
  r.interval = evaluate::Interval{0.99, Cycles(9900), Cycles(10100)};
  const Json j = Json::parse(toJson(r));
  EXPECT_EQ(j["interval"], (Json{{"level", 0.99}, {"cycles", {9900, 10100}}}));
  EXPECT_EQ(j["exact"], "sampled");
}

TEST(Json, ANameThatIsNotUtf8StillGivesJson) {
  evaluate::Report r = test::handReport();
  r.kernel = "a\xff\"b\n";
  EXPECT_EQ(Json::parse(toJson(r))["kernel"], "a\xef\xbf\xbd\"b\n");
}

TEST(Json, NumbersReadBackExactly) {
  evaluate::Report r = test::handReport();
  r.timeNs = 0.1 + 0.2;
  r.cycles = Cycles(std::numeric_limits<std::int64_t>::max());
  const Json j = Json::parse(toJson(r));
  EXPECT_EQ(j["time_ns"].get<double>(), 0.1 + 0.2);
  EXPECT_EQ(j["cycles"].get<std::int64_t>(), std::numeric_limits<std::int64_t>::max());
}

TEST(Json, ATargetThatCannotRunTheKernelHasAnErrorInItsRow) {
  const Json j = Json::parse(toJson(test::handComparison()));
  ASSERT_EQ(j["rows"].size(), 2u);
  EXPECT_TRUE(j["rows"][0]["error"].is_null());
  EXPECT_EQ(j["rows"][0]["cycles"], 10000);
  EXPECT_EQ(j["rows"][1]["target"], "upmem");
  EXPECT_EQ(j["rows"][1]["error"], test::handComparison()[1].diagnostics.front().message);
  EXPECT_EQ(j["rows"][1]["diagnostics"][0]["message"], j["rows"][1]["error"]);
  EXPECT_FALSE(j["rows"][0].contains("diagnostics"));
}

TEST(Json, ASuiteHasTheContractsKeysPerKernel) {
  const Json j = Json::parse(toJson(test::handSuite()));
  EXPECT_EQ(j["suite"], "hbm-pim");
  EXPECT_EQ(j["points"], 4);
  const Json expected{{"rows", 1},
                      {"exact", 0},
                      {"mean_abs_error_pct", 20.0},
                      {"worst_abs_error_pct", 20.0},
                      {"within_15_pct", 0.0},
                      {"worst_row", "add.csv:2"}};
  EXPECT_EQ(j["kernels"]["add"], expected);
  EXPECT_EQ(j["kernels"]["gemv"]["exact"], 2);
}

}  // namespace
}  // namespace pimento::emit
