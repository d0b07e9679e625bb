// The reference points of the vendor's public simulator: every row exact, by both evaluators' common number.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

void expectAllExact(const std::string &points, std::int64_t atLeast) {
  Options o;
  o.input = "hbm-pim";
  o.points = points;
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  ASSERT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  const nlohmann::json j = nlohmann::json::parse(out.text);
  EXPECT_GE(j["points"].get<std::int64_t>(), atLeast);
  for (const auto &[kernel, k] : j["kernels"].items())
    EXPECT_EQ(k["exact"], k["rows"]) << kernel << ": " << k["worst_row"];
}

TEST(HbmPimPoints, EveryRowOfTheProjectsTableIsExact) {
  expectAllExact(PIMENTO_SOURCE_DIR "/validation/hbm-pim", 400);
}

TEST(HbmPimPoints, EveryRowOfThePointsOutsideIsExact) {
  const char *root = std::getenv("PIMENTO_POINTS");
  const std::filesystem::path folder =
      std::filesystem::path(root != nullptr ? root : PIMENTO_SOURCE_DIR "/../shared") / "validation/hbm-pim";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "not run here: no points at " << folder;
  expectAllExact(folder.string(), 1);
}

TEST(HbmPimPoints, ResultsDoNotDependOnTheNumberOfThreads) {
  Options o;
  o.input = "hbm-pim";
  o.points = PIMENTO_SOURCE_DIR "/validation/hbm-pim";
  o.isJson = true;
  o.jobs = 1;
  const std::string one = run(VerbId::kValidate, o).text;
  for (const int jobs : {2, 8}) {
    o.jobs = jobs;
    EXPECT_EQ(run(VerbId::kValidate, o).text, one) << jobs;
  }
}

}  // namespace
}  // namespace pimento::driver
