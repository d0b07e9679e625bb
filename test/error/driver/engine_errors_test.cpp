// What is said about engines that do not exist, and about programs that one of them cannot cut.
#include <gtest/gtest.h>

#include <cmath>

#include "pimento/base/file.h"
#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

void expectSays(const Outcome &out, const std::string &code, const std::string &message, const std::string &hint) {
  ASSERT_FALSE(out.diagnostics.empty());
  const Diagnostic &d = out.diagnostics.front();
  EXPECT_EQ(out.status, 1);
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

TEST(EngineErrors, AnUnknownEngineHasTheVerbsOwnInItsHint) {
  Options o;
  o.input = "gemv";
  o.engine = "two-slices";
  expectSays(run(VerbId::kEstimate, o), "unknown-engine", "'two-slices'", "two-slice");
  o.engine = "simulate";  // a verb of its own
  expectSays(run(VerbId::kEstimate, o), "unknown-engine", "'simulate'", "fast-forward");
  o.input = "hbm-pim";
  o.engine = "slow";
  expectSays(run(VerbId::kValidate, o), "unknown-engine", "'slow'", "simulate");
}

TEST(EngineErrors, AnAlphaIsOfTwoSliceAlone) {
  Options o;
  o.input = "gemv";
  o.alpha = 0.9;
  expectSays(run(VerbId::kEstimate, o), "alpha-without-two-slice", "fast-forward has no alpha", "--engine two-slice");
  o.engine = "fast-forward";
  expectSays(run(VerbId::kEstimate, o), "alpha-without-two-slice", "fast-forward has no alpha", "omit --alpha");
  o.engine = "two-slice";
  for (const double alpha : {std::nan(""), 0.0, 1.5}) {
    o.alpha = alpha;
    expectSays(run(VerbId::kEstimate, o), "bad-alpha", "alpha is", "above 0");
    Options suite;
    suite.input = "mappings";
    suite.alpha = alpha;
    expectSays(run(VerbId::kValidate, suite), "bad-alpha", "alpha is", "above 0");
  }
}

TEST(EngineErrors, AProgramInMachineCodeHasNoSlices) {
  const std::string file = ::testing::TempDir() + "/stops_at_once.s";
  ASSERT_TRUE(writeFile(file, "  .text\n  .globl main\nmain:\n  stop\n").ok());
  Options o;
  o.input = file;
  o.target = "upmem";
  o.engine = "two-slice";
  expectSays(run(VerbId::kEstimate, o), "no-slices", "no loop to cut into slices", "fast-forward");
}

TEST(EngineErrors, AnExtrapolatedResultCannotBeExplained) {
  Options o;
  o.input = "relu";
  o.sizes = {"n=40000000"};
  o.engine = "two-slice";
  o.isJson = true;
  const Outcome result = run(VerbId::kEstimate, o);
  ASSERT_EQ(result.status, 0);
  const std::string file = ::testing::TempDir() + "/extrapolated.json";
  ASSERT_TRUE(writeFile(file, result.text).ok());
  Options saved;
  saved.input = file;
  expectSays(run(VerbId::kExplain, saved), "not-a-result", "extrapolated", "fast-forward");
}

TEST(EngineErrors, SuitesTakeTheirOwnOptionsAlone) {
  Options o;
  o.input = "hbm-pim";
  o.target = "upmem";
  expectSays(run(VerbId::kValidate, o), "not-of-this-suite", "the rows of suite 'hbm-pim'", "validate mappings");
  o.input = "mappings";
  o.engine = "two-slice";
  expectSays(run(VerbId::kValidate, o), "not-of-this-suite", "run with all engines", "reference points");
}

TEST(EngineErrors, AKernelWithoutALegalMappingIsNamed) {
  Options o;
  o.input = "mappings";
  o.kernels = {"scan"};
  o.count = 1;
  expectSays(run(VerbId::kValidate, o), "no-mapping", "'scan' on hbm-pim", "--kernels");
  o.kernels = {"vaa"};
  expectSays(run(VerbId::kValidate, o), "unknown-kernel", "vaa", "va");
}

}  // namespace
}  // namespace pimento::driver
