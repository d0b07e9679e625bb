// The same input gives the same bytes at any number of threads, and every time.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::test {
namespace {

using driver::Options;
using driver::Outcome;

/// The JSON without the two fields that measure us.
std::string bytes(const Outcome &outcome) {
  EXPECT_EQ(outcome.status, 0) << (outcome.diagnostics.empty() ? "" : outcome.diagnostics.front().str());
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(outcome.text, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.text;
  json.erase("wall_us");
  json.erase("compile_us");
  if (json.contains("rows"))
    for (auto &row : json["rows"]) {
      row.erase("wall_us");
      row.erase("compile_us");
    }
  return json.dump(1);
}

Options request(const std::string &input, const std::string &sizes, const std::string &map) {
  Options o;
  o.input = input;
  o.sizes = {sizes};
  o.maps = {map};
  o.sets = {"channels=4"};
  o.isJson = true;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  return o;
}

void expectSameBytes(Options options, driver::VerbId verb) {
  SCOPED_TRACE(options.input);
  options.jobs = 1;
  const std::string first = bytes(driver::run(verb, options));
  EXPECT_GT(first.size(), 100u);
  for (const int jobs : {1, 2, 8}) {
    options.jobs = jobs;
    EXPECT_EQ(first, bytes(driver::run(verb, options))) << jobs << " threads";
  }
}

TEST(HbmPimDeterminism, EstimatesAreEqualAtAnyNumberOfThreads) {
  expectSameBytes(request("gemv", "m=4096,n=4096", "reference"), driver::VerbId::kEstimate);
  expectSameBytes(request("mlp", "n=100,hidden=333,m=7", "reference"), driver::VerbId::kEstimate);
}

TEST(HbmPimDeterminism, AutomaticMappingsAreEqualAtAnyNumberOfThreads) {
  expectSameBytes(request("gemv", "m=300,n=1000,batch=3", "auto"), driver::VerbId::kEstimate);
  expectSameBytes(request("va", "n=100000", "auto"), driver::VerbId::kEstimate);
  expectSameBytes(request("z[i,j] = relu(x[j,i] + y[i])", "i=99,j=77", "auto"), driver::VerbId::kEstimate);
  expectSameBytes(request("mlp", "n=100,hidden=333,m=7", "auto"), driver::VerbId::kEstimate);
}

TEST(HbmPimDeterminism, SimulationsAreEqualAtAnyNumberOfThreads) {
  expectSameBytes(request("gemv", "m=300,n=1000", "auto"), driver::VerbId::kSimulate);
  Options tree = request("gemv", "m=300,n=1000", "reference");
  tree.variant = "tree";
  expectSameBytes(tree, driver::VerbId::kSimulate);
}

TEST(HbmPimDeterminism, TheSeedDecidesTheDataAndNothingElse) {
  Options o = request("gemv", "m=30,n=100", "reference");
  const auto results = [&] {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(bytes(driver::run(driver::VerbId::kSimulate, o)));
    EXPECT_EQ(json["run"]["seed"], o.seed);
    json.erase("run");  // how to repeat it
    return json.dump(1);
  };
  const std::string first = results();
  o.seed = 77;
  EXPECT_EQ(first, results());  // other operands, the same cycles and energy
}

TEST(HbmPimDeterminism, ValidationIsEqualAtAnyNumberOfThreads) {
  const std::filesystem::path points =
      std::filesystem::path(::testing::TempDir()) / ("pimento_determinism_" + std::to_string(getpid()) + ".csv");
  {
    std::ofstream out(points);
    out << "kernel,output_dim,input_dim,batch,channels,ranks,elements,cycles\n";
    for (int i = 1; i <= 40; ++i) {
      out << "gemv," << 17 * i << "," << 29 * i << "," << 1 + i % 3 << ",1,1,," << 1000 * i << "\n";
      out << (i % 2 ? "add" : "relu") << ",,,,16,2," << 4099 * i << "," << 500 + i << "\n";
      out << "gemvtree," << 40 * i << "," << 128 * i << ",1,4,2,,900\n";
    }
  }
  Options o;
  o.input = "hbm-pim";
  o.points = points.string();
  o.isJson = true;
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  expectSameBytes(o, driver::VerbId::kValidate);
  std::filesystem::remove(points);
}

TEST(HbmPimDeterminism, ComparisonsAreEqualAtAnyNumberOfThreads) {
  Options o = request("gemv", "m=300,n=1000", "auto");
  o.targets = {"hbm-pim", "hbm-pim-sound"};
  expectSameBytes(o, driver::VerbId::kCompare);
}

}  // namespace
}  // namespace pimento::test
