// What `tune` refuses.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "pimento/driver/verbs.h"
#include "test/support/gemv_options.h"

namespace pimento::test {
namespace {

using driver::Options;

Options gemv() {
  Options o = gemvOptions();
  o.store = "none";
  return o;
}

Diagnostic first(const Options &o) {
  const driver::Outcome out = driver::run(driver::VerbId::kTune, o);
  EXPECT_NE(out.status, 0);
  return out.diagnostics.empty() ? Diagnostic() : out.diagnostics.front();
}

TEST(WrongTuning, RulesAreThoseThatThereAre) {
  Options o = gemv();
  o.rules = {"1", "4"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "bad-rules");
  EXPECT_NE(d.message.find("'4'"), std::string::npos);
  EXPECT_NE(d.hint.find("3-rounded"), std::string::npos) << d.hint;
}

TEST(WrongTuning, EnginesHaveOptionsOfTheirOwn) {
  Options o = gemv();
  o.engine = "predict";
  EXPECT_EQ(first(o).code, "unknown-engine");
  EXPECT_NE(first(o).hint.find("predictor"), std::string::npos);
  o.engine.clear();
  o.model = "a.predictor";
  EXPECT_EQ(first(o).code, "engine-option");
  o.model.clear();
  o.trains = {"m=32,n=32"};
  EXPECT_EQ(first(o).code, "engine-option");
  o.trains.clear();
  o.engine = "predictor";
  o.isExhaustive = true;
  EXPECT_EQ(first(o).code, "engine-option");
}

TEST(WrongTuning, SizesToTrainAreThoseOfTheKernel) {
  Options o = gemv();
  o.engine = "predictor";
  o.trains = {"m=32,q=2"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-size");
  EXPECT_EQ(d.where.file, "--train");
}

TEST(WrongTuning, APredictorsFileIsOne) {
  Options o = gemv();
  o.engine = "predictor";
  o.model = PIMENTO_SOURCE_DIR "/README.md";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "predictor-corrupt");
  EXPECT_EQ(d.where.file, o.model);
}

TEST(WrongTuning, PassesAreThoseThatThereAreAndAreLeftOut) {
  Options o = gemv();
  o.target = "attacc";
  o.passes = {"-group_load"};
  EXPECT_EQ(first(o).code, "bad-pass");
  EXPECT_NE(first(o).hint.find("group_loads"), std::string::npos);
  o.passes = {"group_loads"};
  EXPECT_EQ(first(o).code, "bad-pass");
  o.passes = {"-group_loads"};
  o.target = "hbm-pim";
  EXPECT_EQ(first(o).code, "unsupported-extension");
}

TEST(WrongTuning, ObjectivesAreThoseThatThereAre) {
  Options o = gemv();
  o.objective = "speed";
  EXPECT_EQ(first(o).code, "unknown-objective");
}

TEST(WrongTuning, AMappingInFullLeavesNothingToTune) {
  Options o = gemv();
  o.maps = {"reference"};
  EXPECT_EQ(first(o).code, "map-without-sweep");
}

TEST(WrongTuning, ADeviceProgramHasItsMapping) {
  Options o = gemv();
  o.input = PIMENTO_SOURCE_DIR "/examples/upmem/sum.s";
  o.sizes.clear();
  o.sets.clear();
  EXPECT_EQ(first(o).code, "explore-program");
}

TEST(WrongTuning, AKernelThatTheMachineCannotRunIsSaid) {
  Options o = gemv();
  o.input = "hst";
  o.sizes.clear();
  EXPECT_EQ(first(o).code.rfind("unsupported-", 0), 0u);
}

TEST(WrongTuning, AKernelWithoutAStreamIsSaidAsSuch) {
  Options o = gemv();
  o.input = "y[i] += A[i,j] * x[j]";
  o.sizes = {"i=13,j=7"};
  o.target = "attacc-published";
  o.sets.clear();
  EXPECT_EQ(first(o).code, "unsupported-op");
}

TEST(WrongTuning, AFileThatIsNoStoreIsLeftAlone) {
  Options o = gemv();
  o.store = ::testing::TempDir() + "/tune_errors_" + std::to_string(::getpid());
  std::ofstream(o.store) << std::string(5000, 'x');
  EXPECT_EQ(first(o).code, "store-corrupt");
  EXPECT_EQ(std::filesystem::file_size(o.store), 5000u);
  std::filesystem::remove(o.store);
}

}  // namespace
}  // namespace pimento::test
