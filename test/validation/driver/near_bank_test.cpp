// Points of published cycle models: every row of the study's tables, and of AttAcc's rebuilt simulator, equal in cycles
// and in all counts; AttAcc's shipped table, of an older version, near.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

nlohmann::json validated(const std::string &suite, const std::string &points, const std::string &engine = "") {
  Options o;
  o.input = suite;
  o.points = points;
  o.engine = engine;
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return nlohmann::json::parse(out.text);
}

void expectAllEqual(const nlohmann::json &j, std::int64_t points) {
  EXPECT_EQ(j["points"].get<std::int64_t>(), points);
  for (const auto &[kernel, k] : j["kernels"].items()) {
    EXPECT_EQ(k["exact"], k["rows"]) << kernel << ": " << k["worst_row"];
    EXPECT_EQ(k["same_counts"], k["rows"]) << kernel << ": " << j["warnings"];
  }
}

const std::string kStudy = PIMENTO_SOURCE_DIR "/validation/dcc";

TEST(NearBankPoints, EveryRowOfTheStudyIsEqualInCyclesAndCounts) {
  expectAllEqual(validated("attacc-published", kStudy), 560);
  expectAllEqual(validated("hbm-pim-hbm3-published", kStudy), 1159);
}

TEST(NearBankPoints, SimulationsGiveTheSame) {
  expectAllEqual(validated("attacc-published", kStudy, "simulate"), 560);
  expectAllEqual(validated("hbm-pim-hbm3-published", kStudy, "simulate"), 1159);
}

std::filesystem::path attaccFolder() {
  const char *root = std::getenv("PIMENTO_POINTS");
  return std::filesystem::path(root != nullptr ? root : PIMENTO_SOURCE_DIR "/../shared") / "validation/attacc";
}

TEST(NearBankPoints, AttaccsRebuiltSimulatorIsEqualInCyclesAndCounts) {
  const std::filesystem::path file = attaccFolder() / "attacc_original_rebuild.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "not run here: no points at " << file;
  expectAllEqual(validated("attacc", file.string()), 13);
}

// Minutes; the table is of an older version of AttAcc's generator.
TEST(NearBankPoints, AttaccsShippedTableIsNear) {
  const std::filesystem::path file = attaccFolder() / "attacc_simulator_ramulator_out.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "not run here: no points at " << file;
  const nlohmann::json k = validated("attacc", file.string())["kernels"]["attacc_simulator_ramulator_out"];
  EXPECT_EQ(k["same_counts"], k["rows"]);
  EXPECT_LE(k["mean_abs_error_pct"].get<double>(), 2);
  EXPECT_LE(k["worst_abs_error_pct"].get<double>(), 15);
  EXPECT_GE(k["within_5_pct"].get<double>(), 96);
}

}  // namespace
}  // namespace pimento::driver
