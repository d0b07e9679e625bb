// Measured times of one DPU (CoMoNM cost model), replayed: the errors stay below what is promised, and every answer is
// the interpreter's (a row whose answer is wrong is not counted).
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"
#include "pimento/frontend/dpu_c.h"

namespace pimento::driver {
namespace {

TEST(UpmemPoints, MeanErrorsStayBelowWhatIsPromised) {
  const char *root = std::getenv("PIMENTO_POINTS");
  const std::filesystem::path folder =
      std::filesystem::path(root != nullptr ? root : PIMENTO_SOURCE_DIR "/../shared") / "validation/upmem";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "not run here: no points at " << folder;
  Options o;
  o.input = "upmem";
  o.points = folder.string();
  o.isJson = true;
  const Outcome out = run(VerbId::kValidate, o);
  ASSERT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  const nlohmann::json j = nlohmann::json::parse(out.text);
  EXPECT_TRUE(j["warnings"].empty()) << j["warnings"];
  const std::pair<const char *, double> promised[] = {{"va", 2},   {"red", 2},
                                                      {"sel", 2},  {"hst", 2},
                                                      {"scan", 3}, {"gemv_1tasklet:gemv", 3},
                                                      {"gemm", 5}, {"gemv_test_set:gemv", 3}};
  for (const auto &[kernel, most] : promised) {
    if (!j["kernels"].contains(kernel)) continue;  // another selection of the points
    const nlohmann::json &k = j["kernels"][kernel];
    EXPECT_LE(k["mean_abs_error_pct"].get<double>(), most) << kernel << ": " << k["worst_row"];
    if (!frontend::hasDpuC()) {
      EXPECT_TRUE(k["speedup_ours"].is_null());
      continue;
    }
    EXPECT_GE(k["speedup_ours"]["min"].get<double>(), 0.99) << kernel;
    EXPECT_GT(k["speedup_ours"]["geomean"].get<double>(), 1.2) << kernel;
  }
}

}  // namespace
}  // namespace pimento::driver
