// The shipped UPMEM machine holds what `calibrate` derives from the public micro-benchmark tables.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"
#include "pimento/machine/machine.h"

namespace pimento::driver {
namespace {

TEST(UpmemCalibration, TheShippedTimesAreThoseThatTheTablesGive) {
  const char *root = std::getenv("PIMENTO_POINTS");
  const std::filesystem::path folder =
      std::filesystem::path(root != nullptr ? root : PIMENTO_SOURCE_DIR "/../shared") / "validation/upmem";
  if (!std::filesystem::exists(folder / "dma_lut.csv")) GTEST_SKIP() << "not run here: no tables at " << folder;
  const std::vector<std::string> machines{PIMENTO_SOURCE_DIR "/machines"};
  Options o;
  o.input = "upmem";
  o.points = folder.string();
  o.machinePath = machines;
  o.isJson = true;
  const Outcome out = run(VerbId::kCalibrate, o);
  ASSERT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  const nlohmann::json j = nlohmann::json::parse(out.text);
  const Result<machine::Machine> shipped = machine::loadMachine("upmem", machines);
  ASSERT_TRUE(shipped.ok());
  EXPECT_EQ(j["issue_interval_cycles"], shipped->dpu->issueInterval.value);
  for (const auto &[name, table] :
       {std::pair{"read", &shipped->dpu->reads}, std::pair{"write", &shipped->dpu->writes}}) {
    ASSERT_EQ(j[name].size(), table->size());
    for (std::size_t i = 0; i < table->size(); ++i) {
      EXPECT_EQ(j[name][i]["bytes"], (*table)[i].size.value);
      EXPECT_NEAR(j[name][i]["latency_cycles"], (*table)[i].latency, 0.051) << name << " " << (*table)[i].size.value;
      EXPECT_NEAR(j[name][i]["occupancy_cycles"], (*table)[i].occupancy, 0.051)
          << name << " " << (*table)[i].size.value;
    }
  }
  for (const auto &g : j["residuals"]) {
    if (g["table"] == "multiply" || g["table"] == "operation") {
      EXPECT_LT(g["mean_abs_error_pct"], 1.5) << g;
    }
  }
}

}  // namespace
}  // namespace pimento::driver
