// The published GPU and the published language models on it, and on AttAcc, against their points.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

Json validated(const std::string &suite) {
  Options o;
  o.input = suite;
  o.isJson = true;
  o.points = PIMENTO_SOURCE_DIR "/validation/dcc";
  o.machinePath = {PIMENTO_SOURCE_DIR "/machines"};
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  return out.status == 0 ? Json::parse(out.text) : Json();
}

TEST(LlmPoints, TheGpuIsTheStudysInTimeAndEnergy) {
  const Json result = validated("gpu-model");
  EXPECT_EQ(result["points"], 2 * 112);
  for (const auto &[name, kernel] : result["kernels"].items()) EXPECT_LT(kernel["worst_abs_error_pct"], 0.1) << name;
}

TEST(LlmPoints, ModelsAreTheStudysWithAndWithoutAttacc) {
  const Json result = validated("llm-published");
  EXPECT_EQ(result["kernels"]["GPU:g_token_ms"]["rows"], 12);
  EXPECT_EQ(result["kernels"]["AttAcc_Full:g_token_ms"]["rows"], 12);
  for (const auto &[name, kernel] : result["kernels"].items()) {
    const bool isGpu = name.starts_with("GPU:");
    // Rows of AttAcc interpolate attention between five lengths; we run every one.
    const double most = isGpu ? 0.1 : name.ends_with(":g_token_ms") ? 0.3 : name.ends_with(":attn") ? 10 : 1;
    EXPECT_LT(kernel["worst_abs_error_pct"], most) << name << " " << kernel["worst_row"];
  }
}

}  // namespace
}  // namespace pimento::driver
