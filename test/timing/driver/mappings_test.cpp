// Estimate equals simulate on random mappings: `validate mappings`.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/verbs.h"
#include "test/support/cases.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t manyMappings(std::int64_t few) {
  constexpr std::int64_t kAsInThePaper = 1024;
  return test::isLongRun() ? kAsInThePaper : few;
}

Json run(const std::string &target, std::vector<std::string> kernels, std::int64_t count, int jobs = 0,
         std::uint64_t seed = 1, double alpha = 0.05) {
  Options o;
  o.input = "mappings";
  o.target = target;
  o.kernels = std::move(kernels);
  o.count = count;
  o.jobs = jobs;
  o.seed = seed;
  o.alpha = alpha;
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return out.status == 0 ? Json::parse(out.text) : Json();
}

void expectExact(const Json &suite, std::int64_t count, std::size_t kernels) {
  EXPECT_EQ(suite["kernels"].size(), kernels);
  for (const auto &[name, k] : suite["kernels"].items()) {
    SCOPED_TRACE(name);
    EXPECT_EQ(k["mappings"], count);
    EXPECT_GT(k["distinct"].get<std::int64_t>(), count / 4);
    EXPECT_EQ(k["fast_forward"]["exact"], count) << k["fast_forward"]["worst_row"];
    EXPECT_EQ(k["fast_forward"]["worst_abs_error_pct"], 0.0);
    EXPECT_EQ(k["fast_forward"]["within_15_pct"], 100.0);
    EXPECT_EQ(k["fast_forward"]["sampled"], 0);
    EXPECT_EQ(k["counts_differ"], 0);
    EXPECT_GT(k["device_seconds"].get<double>(), 0);
    // Where a mapping is no larger than the second piece, two-slice simulates it.
    EXPECT_GE(k["two_slice"]["exact"].get<std::int64_t>(), k["two_slice"]["simulated"].get<std::int64_t>());
  }
}

TEST(RandomMappings, OnHbmPimAreExactOfThePapersKernels) {
  const std::int64_t count = manyMappings(16);
  expectExact(run("hbm-pim", {}, count), count, 7);
}

TEST(RandomMappings, OnUpmemAreExactOfThePapersKernels) {
  const std::int64_t count = manyMappings(2);
  // Without a compiler there are the measured programs, which split rows alone.
  const bool hasCompiler = makeDpuCompiler() != nullptr;
  const std::vector<std::string> some = {"va", "red", "hst"};
  expectExact(run("upmem", hasCompiler ? std::vector<std::string>{} : some, count), count, hasCompiler ? 7 : 3);
}

TEST(RandomMappings, TwoSliceIsNotExactAndAlphaMatters) {
  const Json wide = run("hbm-pim", {"gemv"}, 12), narrow = run("hbm-pim", {"gemv"}, 12, 0, 1, 0.01);
  const auto error = [](const Json &suite) {
    return suite["kernels"]["gemv"]["two_slice"]["mean_abs_error_pct"].get<double>();
  };
  EXPECT_GT(error(wide), 0);
  EXPECT_GT(error(wide), error(narrow));
}

TEST(RandomMappings, DependOnTheSeedAlone) {
  const auto drawn = [](int jobs, std::uint64_t seed) {
    Json suite = run("hbm-pim", {"gemv", "alexnet"}, 12, jobs, seed);
    for (auto &[name, k] : suite["kernels"].items()) {
      k.erase("simulation_seconds");
      k.erase("compile_seconds");
      k["fast_forward"].erase("seconds");
      k["two_slice"].erase("seconds");
    }
    return suite["kernels"].dump();
  };
  EXPECT_EQ(drawn(1, 1), drawn(3, 1));
  EXPECT_NE(drawn(1, 1), drawn(1, 2));
}

TEST(RandomMappings, AreShownAsATable) {
  Options o;
  o.input = "mappings";
  o.kernels = {"va"};
  o.count = 2;
  const std::string table = run(VerbId::kValidate, o).text;
  EXPECT_NE(table.find("two-slice"), std::string::npos) << table;
  EXPECT_NE(table.find("fast-forward / machine"), std::string::npos) << table;
}

}  // namespace
}  // namespace pimento::driver
