// What is wrong with an exploration is said with a code, a place and a hint.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/verbs.h"
#include "test/support/gemv_options.h"

namespace pimento::test {
namespace {

driver::Options optionsOf(const std::vector<std::string> &sweeps) {
  driver::Options o = gemvOptions();
  o.sweeps = sweeps;
  return o;
}

struct Wrong {
  std::vector<std::string> sweeps;
  std::string code;
  std::string message;  ///< a part of it
  std::string hint;     ///< a part of it
};

class WrongSweep : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongSweep, IsSaidWithCodePlaceAndHint) {
  const driver::Outcome out = driver::run(driver::VerbId::kExplore, optionsOf(GetParam().sweeps));
  EXPECT_EQ(out.status, 1);
  EXPECT_TRUE(out.text.empty());
  ASSERT_FALSE(out.diagnostics.empty());
  const Diagnostic &d = out.diagnostics.front();
  EXPECT_EQ(d.code, GetParam().code) << d.str();
  EXPECT_EQ(d.where.file.rfind("--sweep " + GetParam().sweeps.back(), 0), 0u) << d.str();
  EXPECT_NE(d.message.find(GetParam().message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(GetParam().hint), std::string::npos) << d.str();
}

const Wrong kWrong[] = {
    {{"timing.tRP"}, "sweep-syntax", "is not of the form PATH=VALUES", "PATH=10..20"},
    {{"=10..20"}, "sweep-syntax", "is not of the form PATH=VALUES", "PATH=10..20"},
    {{"timing.tRP="}, "sweep-syntax", "a value is missing", "PATH=10..20"},
    {{"timing.tRP=10,,14"}, "sweep-syntax", "a value is missing", "PATH=10..20"},
    {{"timing.tRPP=10"}, "sweep-unknown", "timing.tRPP", "did you mean 'timing.tRP'"},
    {{"tRPP=10"}, "sweep-unknown", "tRPP", "did you mean 'tRP'"},
    {{"chanels=10"}, "sweep-unknown", "chanels", "did you mean 'channels'"},
    {{"m=10"}, "sweep-unknown", "'m'", "size.m"},
    {{"size.k=10"}, "sweep-unknown", "size 'k'", "choices"},
    {{"bandwidth=1..2"}, "sweep-unknown", "bandwidth", "pimento targets"},
    {{"register_reed=1"}, "sweep-unknown", "register_reed", "did you mean 'register_read'"},
    {{"type=f16"}, "sweep-unknown", "'type'", "pimento targets"},
    {{"channels=1,2", "organization.channels=3"}, "sweep-duplicate", "swept twice", "one --sweep"},
    {{"timing.tRP=10,12,10"}, "sweep-duplicate", "'10' appears twice", "once"},
    {{"timing.tRP=10..x"}, "sweep-number", "'x' is not a number", "ranges need numbers"},
    {{"timing.tRP=10.."}, "sweep-number", "missing", "ranges need numbers"},
    {{"timing.tRP=..10"}, "sweep-number", "missing", "ranges need numbers"},
    {{"timing.tRP=10..20:"}, "sweep-number", "missing", "ranges need numbers"},
    {{"timing.tREFI=3us..4us"}, "sweep-number", "'3us' is not a number", "without units"},
    {{"timing.tRP=20..10"}, "sweep-range", "below its start", "PATH=10..20"},
    {{"timing.tRP=10..20:0"}, "sweep-range", "must be above 0", "PATH=10..20"},
    {{"timing.tRP=10..20:-1"}, "sweep-range", "must be above 0", "PATH=10..20"},
    {{"channels=1..64*1"}, "sweep-range", "must be above 1", "1..64*2"},
    {{"channels=0..64*2"}, "sweep-range", "cannot start at 0", "1..64*2"},
    {{"channels=64..1*2"}, "sweep-range", "below its start", "1..64*2"},
    {{"timing.tRP=1..2000000"}, "sweep-too-large", "more than 1000000 values", "step"},
    {{"timing.tRP=1..2000", "timing.tRC=1..2000"}, "sweep-too-large", "together", "steps"},
    {{"size.m=1.5"}, "sweep-size", "'1.5' is not a size", "whole numbers"},
    {{"size.m=0..3"}, "sweep-size", "'0' is not a size", "whole numbers"},
};
INSTANTIATE_TEST_SUITE_P(All, WrongSweep, ::testing::ValuesIn(kWrong));

TEST(WrongExploration, AnAmbiguousShortNameListsThePaths) {
  driver::Options o = optionsOf({"ranks=1"});
  const driver::Outcome alias = driver::run(driver::VerbId::kExplore, o);
  EXPECT_EQ(alias.status, 0) << "an alias wins over other paths that end with it";
  o.sweeps = {"rows=1"};
  const driver::Outcome out = driver::run(driver::VerbId::kExplore, o);
  ASSERT_EQ(out.status, 1);
  EXPECT_TRUE(out.diagnostics.front().code == "sweep-ambiguous" || out.diagnostics.front().code == "impossible-value")
      << out.diagnostics.front().str();
}

TEST(WrongExploration, PointsThatAreAllImpossibleSayWhy) {
  const driver::Outcome out = driver::run(driver::VerbId::kExplore, optionsOf({"timing.tRC=1,2"}));
  ASSERT_EQ(out.status, 1);
  EXPECT_EQ(out.diagnostics.front().code, "impossible-value") << out.diagnostics.front().str();
}

Diagnostic first(const driver::Options &o) {
  const driver::Outcome out = driver::run(driver::VerbId::kExplore, o);
  EXPECT_EQ(out.status, 1);
  return out.diagnostics.empty() ? Diagnostic{} : out.diagnostics.front();
}

TEST(WrongExploration, AMappingNeedsASweep) {
  driver::Options o = optionsOf({});
  o.maps = {"reference"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "map-without-sweep");
  EXPECT_NE(d.hint.find("--sweep"), std::string::npos);
  EXPECT_NE(d.hint.find("auto;dpus=64"), std::string::npos);
}

TEST(WrongExploration, APartOfTheSpaceIsForBackendsThatKnowIt) {
  driver::Options o = optionsOf({});
  o.maps = {"auto;dpus=64"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unsupported-extension") << d.message;
  EXPECT_EQ(d.where.column, 6) << d.str();
  EXPECT_NE(d.message.find("dpus= chooses nothing on hbm-pim"), std::string::npos) << d.message;
  EXPECT_NE(d.hint.find("direct=, resident="), std::string::npos) << d.hint;
}

TEST(WrongExploration, OrdersAndChunksHaveOptionsOfTheirOwn) {
  driver::Options o = optionsOf({});
  for (const char *map : {"auto;order(n,m)", "auto;cyclic(lane,1)"}) {
    o.maps = {map};
    const Diagnostic d = first(o);
    EXPECT_EQ(d.code, "map-without-sweep") << d.message;
    EXPECT_NE(d.hint.find("--orders and --chunks"), std::string::npos) << d.hint;
  }
}

TEST(WrongExploration, MoreTaskletsThanADpuHasAreRefused) {
  driver::Options o = optionsOf({});
  o.input = "va";
  o.sizes = {"n=8192"};
  o.sets = {"ranks=1"};
  o.target = "upmem";
  o.maps = {"auto;tasklets=25"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "no-part-of-space") << d.message;
  EXPECT_NE(d.hint.find("tasklet=24"), std::string::npos) << d.hint;
  const driver::Outcome chosen = driver::run(driver::VerbId::kEstimate, o);
  ASSERT_FALSE(chosen.diagnostics.empty());
  EXPECT_NE(chosen.diagnostics.front().message.find("25 tasklets requested; a DPU of upmem has 24"), std::string::npos);
}

TEST(WrongExploration, CompiledKernelsAreToldWhatAMachineHas) {
  if (!driver::makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  driver::Options o = optionsOf({});
  o.input = "y[i] = x[i] * 3";  // without a program of its own
  o.sizes = {"i=8192"};
  o.sets = {"ranks=1"};
  o.target = "upmem";
  for (const auto &[map, message] : {std::pair{"auto;tasklets=25", "25 tasklets requested; a DPU of upmem has 24"},
                                     std::pair{"auto;dpus=99", "99 DPUs cannot be divided evenly over"}}) {
    SCOPED_TRACE(map);
    o.maps = {map};
    const driver::Outcome out = driver::run(driver::VerbId::kEstimate, o);
    ASSERT_FALSE(out.diagnostics.empty());
    EXPECT_EQ(out.diagnostics.front().code, "illegal-mapping");
    EXPECT_NE(out.diagnostics.front().message.find(message), std::string::npos) << out.diagnostics.front().message;
  }
}

TEST(WrongExploration, ChoicesOfMappingsAreNotForSweeps) {
  driver::Options o = optionsOf({"tRP=10..12"});
  o.chunks = "none";
  EXPECT_EQ(first(o).code, "sweep-option");
  o.chunks.clear();
  o.isExhaustive = true;
  EXPECT_EQ(first(o).code, "sweep-option");
  o.isExhaustive = false;
  o.isUnbounded = true;
  EXPECT_EQ(first(o).code, "sweep-option");
}

TEST(WrongExploration, ChunksNameLevelsAndWholeNumbers) {
  driver::Options o = optionsOf({});
  for (const auto &[text, hint] : {std::pair<const char *, const char *>{"16", "LEVEL=CHUNK"},
                                   {"chanel=16", "did you mean 'channel'"},
                                   {"channel=0", "whole numbers"},
                                   {"channel=x", "whole numbers"}}) {
    o.chunks = text;
    const Diagnostic d = first(o);
    EXPECT_EQ(d.code, "bad-chunks") << text;
    EXPECT_EQ(d.where.file, "--chunks");
    EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
  }
}

TEST(WrongExploration, KernelsAreThoseOfTheGraph) {
  driver::Options o = optionsOf({});
  o.kernels = {"gemw"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-kernel");
  EXPECT_EQ(d.where.file, "--kernel");
  EXPECT_NE(d.hint.find("did you mean"), std::string::npos) << d.str();
}

TEST(WrongExploration, OrdersAreNoneOrAll) {
  driver::Options o = optionsOf({});
  o.orders = "al";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "bad-orders");
  EXPECT_NE(d.hint.find("did you mean 'all'"), std::string::npos);
}

TEST(WrongExploration, TheOutputsEndingNamesItsForm) {
  driver::Options o = optionsOf({});
  o.output = "x.cvs";
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "unknown-output");
  EXPECT_NE(d.hint.find("did you mean '.csv'"), std::string::npos) << d.str();
  o.output = "/nonexistent/folder/x.csv";
  EXPECT_EQ(first(o).code, "unwritable-file");
}

TEST(WrongExploration, ADeviceProgramHasItsMapping) {
  driver::Options o = optionsOf({});
  o.input = PIMENTO_SOURCE_DIR "/test/error/driver/program.llvcnm";
  o.sizes.clear();
  EXPECT_EQ(first(o).code, "explore-program");
}

TEST(WrongExploration, AKernelThatTheDeviceCannotRunIsNamed) {
  driver::Options o = optionsOf({});
  o.input = "hst";
  o.sizes.clear();
  EXPECT_EQ(first(o).code.rfind("unsupported-", 0), 0u);
}

TEST(WrongExploration, SizesWithoutAnyLegalMappingAreSaid) {
  driver::Options o = optionsOf({});
  o.sizes = {"m=1048576,n=65536"};
  const Diagnostic d = first(o);
  EXPECT_EQ(d.code, "no-legal-mapping");
  EXPECT_NE(d.hint.find("channel (2)"), std::string::npos) << "the machine's own levels: " << d.hint;
}

TEST(WrongExploration, AStoreServesSeveralProblems) {
  driver::Options o = optionsOf({});
  o.isUnchecked = true;
  o.store = ::testing::TempDir() + "/explore_errors_" + std::to_string(::getpid()) + ".db";
  std::remove(o.store.c_str());
  EXPECT_EQ(driver::run(driver::VerbId::kExplore, o).status, 0);
  o.sizes = {"m=64,n=65"};
  EXPECT_EQ(driver::run(driver::VerbId::kExplore, o).status, 0);
  o.sweeps = {"tRP=10..12"};
  o.isUnchecked = false;
  EXPECT_EQ(driver::run(driver::VerbId::kExplore, o).status, 0);
  std::remove(o.store.c_str());
}

TEST(ExploreSpace, IsOneThatThereIsAndWhole) {
  driver::Options o = optionsOf({});
  o.space = "factor";
  const driver::Outcome unknown = driver::run(driver::VerbId::kExplore, o);
  ASSERT_FALSE(unknown.diagnostics.empty());
  EXPECT_EQ(unknown.diagnostics.front().code, "unknown-space");
  EXPECT_NE(unknown.diagnostics.front().hint.find("'factors'"), std::string::npos);
  o.input = "va";
  o.sizes = {"n=4096"};
  o.sets.clear();
  o.target = "upmem";
  o.space = "factors";
  o.maps = {"auto;dpus=4"};
  const driver::Outcome part = driver::run(driver::VerbId::kExplore, o);
  ASSERT_FALSE(part.diagnostics.empty());
  EXPECT_EQ(part.diagnostics.front().code, "space-option");
  EXPECT_NE(part.diagnostics.front().hint.find("--set ranks=8"), std::string::npos);
}

}  // namespace
}  // namespace pimento::test
