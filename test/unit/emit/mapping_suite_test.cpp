#include "pimento/emit/mapping_suite.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/support/hand_report.h"

namespace pimento::emit {
namespace {

TEST(MappingSuite, TheJsonHasBothEnginesOfEveryKernel) {
  const auto j = nlohmann::json::parse(toJson(test::handMappings()));
  EXPECT_EQ(j["suite"], "mappings");
  EXPECT_EQ(j["seed"], 7);
  const auto &va = j["kernels"]["va"];
  EXPECT_EQ(va["mappings"], 2);
  EXPECT_EQ(va["fast_forward"]["worst_abs_error_pct"], 0.0);
  EXPECT_EQ(va["fast_forward"]["exact"], 2);
  EXPECT_EQ(va["fast_forward"]["seconds"], 0.5);
  EXPECT_EQ(va["two_slice"]["mean_abs_error_pct"], 5.0);
  EXPECT_EQ(va["two_slice"]["worst_abs_error_pct"], 10.0);
  EXPECT_EQ(va["two_slice"]["simulated"], 1);
  EXPECT_EQ(va["two_slice"]["sampled"], 0);
  EXPECT_EQ(va["two_slice"]["worst_row"], "second");
  EXPECT_EQ(va["simulation_seconds"], 4.0);
}

TEST(MappingSuite, TheTableNamesTheWorstMappingAndTheSpeed) {
  const std::string table = toTable(test::handMappings());
  EXPECT_NE(table.find("va, two-slice: second"), std::string::npos) << table;
  EXPECT_EQ(table.find("va, fast-forward:"), std::string::npos) << table;
  EXPECT_NE(table.find("10.000 %"), std::string::npos) << table;
  EXPECT_NE(table.find(" 4\n"), std::string::npos) << table;  // 0.5 s for 0.125 s of the machine
}

}  // namespace
}  // namespace pimento::emit
