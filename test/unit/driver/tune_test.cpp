// `tune` as a verb: what it answers, that its mapping costs what it says, and that it knows it again.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "pimento/driver/verbs.h"

namespace pimento::test {
namespace {

using driver::Options;
using driver::Outcome;
using driver::VerbId;
using Json = nlohmann::json;

class Tune : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove(store_); }
  void TearDown() override { std::filesystem::remove(store_); }

  Options gemv() const {
    Options o;
    o.input = "gemv";
    o.sizes = {"m=100,n=300"};
    o.sets = {"channels=4"};
    o.isQuiet = true;
    o.jobs = 2;
    o.store = store_;
    o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
    return o;
  }
  static Json json(Options o, VerbId verb = VerbId::kTune) {
    o.isJson = true;
    const Outcome out = driver::run(verb, o);
    EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
    return Json::parse(out.text, nullptr, false);
  }

  std::string store_ = ::testing::TempDir() + "/tune_" + std::to_string(::getpid()) + ".db";
};

TEST_F(Tune, TheWinnerCostsWhatEstimateSays) {
  for (const char *objective : {"time", "energy", "kernel", "compute"}) {
    Options o = gemv();
    o.objective = objective;
    const Json j = json(o);
    EXPECT_EQ(j["stop"], "optimal");
    EXPECT_EQ(j["gap"], 0);
    EXPECT_EQ(j["checked"], true);
    Options again = gemv();
    again.maps = {j["map"]};
    const Json e = json(again, VerbId::kEstimate);
    for (const char *key : {"cycles", "total_cycles", "time_ns", "energy_pj", "breakdown", "counts"}) {
      EXPECT_EQ(e[key], j["best"][key]) << key;
      if (j["winner"].contains(key)) {
        EXPECT_EQ(e[key], j["winner"][key]) << key;
      }
    }
  }
}

TEST_F(Tune, AnAnswerIsKnownAgain) {
  const Json first = json(gemv()), second = json(gemv());
  EXPECT_EQ(first["known"], false);
  EXPECT_EQ(second["known"], true);
  for (const char *key : {"winner", "drafts", "stop", "gap", "map", "checked", "front", "store"})
    EXPECT_EQ(first[key], second[key]) << key;
  EXPECT_EQ(first["best"]["total_cycles"], second["best"]["total_cycles"]);
  Options other = gemv();
  other.sizes = {"m=101,n=300"};
  EXPECT_EQ(json(other)["known"], false);
  other = gemv();
  other.sets = {"channels=2"};
  EXPECT_EQ(json(other)["known"], false);
  other = gemv();
  other.store = "none";
  const Json none = json(other);
  EXPECT_EQ(none["known"], false);
  EXPECT_TRUE(none["store"].is_null());
  EXPECT_EQ(none["winner"], first["winner"]);
}

TEST_F(Tune, AnAnswerThatWasNotCheckedIsCheckedWhenAskedFor) {
  Options o = gemv();
  o.isUnchecked = true;
  EXPECT_EQ(json(o)["checked"], false);
  o.isUnchecked = false;
  const Json second = json(o);
  EXPECT_EQ(second["known"], true);
  EXPECT_EQ(second["checked"], true);
  o.isUnchecked = true;
  EXPECT_EQ(json(o)["checked"], true);
}

TEST_F(Tune, DraftsAddUp) {
  Options o = gemv();
  o.input = "bgemv";
  o.sizes = {"batch=1,heads=4,dhead=64,len=60"};
  o.target = "attacc";
  o.sets = {"channels=2"};
  o.rules = {"1", "2", "3"};
  const Json d = json(o)["drafts"];
  std::int64_t sum = 0;
  for (const char *key : {"rule1", "rule2", "rule3", "equal", "bounded", "illegal", "evaluated", "open"})
    sum += d[key].get<std::int64_t>();
  EXPECT_EQ(sum, d["all"].get<std::int64_t>());
  EXPECT_GT(d["rule2"].get<std::int64_t>() + d["rule3"].get<std::int64_t>(), 0);
}

TEST_F(Tune, GraphsAreTunedKernelByKernel) {
  Options o = gemv();
  o.input = "y[i] += A[i,j] * x[j]; z[i] = relu(y[i])";
  o.sizes = {"i=64,j=200"};
  const Json j = json(o);
  ASSERT_EQ(j["kernels"].size(), 2);
  EXPECT_EQ(j["checked"], true);
  EXPECT_NE(j["map"].get<std::string>().find(" | "), std::string::npos);
  Options again = gemv();
  again.input = o.input;
  again.sizes = o.sizes;
  again.maps = {j["map"]};
  EXPECT_EQ(json(again, VerbId::kSimulate)["total_cycles"], j["best"]["total_cycles"]);
  const Outcome text = driver::run(VerbId::kTune, o);
  EXPECT_NE(text.text.find("from the store"), std::string::npos);
  EXPECT_NE(text.text.find("all of it:"), std::string::npos);
}

TEST_F(Tune, ThePublishedSpaceIsTimedOnly) {
  Options o = gemv();
  o.input = "red";
  o.sizes = {"batch=2,n=1024"};
  o.sets.clear();
  o.target = "attacc-published";
  o.space = "published";
  const Json j = json(o);
  EXPECT_EQ(j["drafts"]["all"], 26);
  EXPECT_EQ(j["stop"], "optimal");
  EXPECT_EQ(j["checked"], false);
}

TEST_F(Tune, ItsResultBecomesAPage) {
  Options o = gemv();
  o.isJson = true;
  o.output = ::testing::TempDir() + "/tune_" + std::to_string(::getpid()) + ".json";
  const Outcome out = driver::run(VerbId::kTune, o);
  ASSERT_EQ(out.status, 0);
  std::ofstream(o.output) << out.text;
  Options page;
  page.inputs = {o.output};
  const Outcome html = driver::run(VerbId::kReport, page);
  ASSERT_EQ(html.status, 0) << (html.diagnostics.empty() ? "" : html.diagnostics.front().str());
  for (const char *part : {"What became of the drafts", "Time against energy", "optimal in this space", "winner"})
    EXPECT_NE(html.text.find(part), std::string::npos) << part;
  std::filesystem::remove(o.output);
}

}  // namespace
}  // namespace pimento::test
