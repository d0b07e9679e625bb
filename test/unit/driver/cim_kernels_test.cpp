// Kernels as programs of a core whose caches compute: answers, orders of loops, what compare and estimate say of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

class CimKernels : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("ld.lld-19 --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "not run here: no ld.lld-19";
  }
};

Options optionsFor(std::string kernel, std::string sizes, std::string type = "i32") {
  Options o;
  o.input = std::move(kernel);
  o.sizes = {std::move(sizes)};
  o.dtype = std::move(type);
  o.target = "cim-a9";
  o.maps = {"reference"};
  return o;
}

Json jsonOf(VerbId verb, Options o) {
  o.isJson = true;
  const Outcome out = run(verb, o);
  EXPECT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics[0].str());
  return out.status == 0 ? Json::parse(out.text) : Json::object();
}

struct Case {
  const char *kernel, *sizes;
};
constexpr Case kFive[] = {
    {"gemv", "m=24,n=40"}, {"va", "n=300"}, {"red", "n=300"}, {"hst", "n=300"}, {"gemm", "m=9,n=10,k=11"}};

TEST_F(CimKernels, AnswersAreRightBitForBit) {
  for (const Case &c : kFive) {
    const Json r = jsonOf(VerbId::kSimulate, optionsFor(c.kernel, c.sizes));
    EXPECT_EQ(r["checked"], true) << c.kernel;
    EXPECT_GT(r["cycles"].get<std::int64_t>(), 100) << c.kernel;
  }
}

TEST_F(CimKernels, EveryTypeIsComputedInItsOwnPrecision) {
  for (const char *type : {"i8", "u16", "i64", "f16", "bf16", "f32", "f64"})
    EXPECT_EQ(jsonOf(VerbId::kSimulate, optionsFor("gemv", "m=12,n=20", type))["checked"], true) << type;
}

TEST_F(CimKernels, SelectionsScansAndGuardsAreProgramsToo) {
  for (const Case &c : {Case{"sel", "n=300"}, Case{"scan", "n=300"}, Case{"axpy", "n=100"}, Case{"relu", "n=100"}})
    EXPECT_EQ(jsonOf(VerbId::kSimulate, optionsFor(c.kernel, c.sizes))["checked"], true) << c.kernel;
}

TEST_F(CimKernels, EveryOrderOfLoopsThatKeepsSumsHasTheSameAnswerAndItsOwnTime) {
  Options o = optionsFor("gemm", "m=12,n=13,k=40", "f32");
  o.maps = {"M1:{(1,1,1),(12,13,40)};order(m,n,k)"};
  const Json plain = jsonOf(VerbId::kSimulate, o);
  o.maps = {"M1:{(1,1,1),(12,13,40)};order(k,n,m)"};
  const Json other = jsonOf(VerbId::kSimulate, o);
  EXPECT_EQ(plain["checked"], true);
  EXPECT_EQ(other["checked"], true);
  EXPECT_NE(plain["cycles"], other["cycles"]);
}

TEST_F(CimKernels, RowsOfCompareAreWhatSimulateSays) {
  for (const Case &c : kFive) {
    const Json alone = jsonOf(VerbId::kSimulate, optionsFor(c.kernel, c.sizes));
    Options o = optionsFor(c.kernel, c.sizes);
    o.target.clear();
    o.targets = {"cim-a9", "upmem"};
    const Json estimated = jsonOf(VerbId::kCompare, o);
    o.engine = "simulate";
    const Json simulated = jsonOf(VerbId::kCompare, o);
    ASSERT_EQ(simulated["rows"].size(), 2U) << c.kernel;
    EXPECT_EQ(simulated["rows"][0]["checked"], true) << c.kernel;
    EXPECT_EQ(simulated["rows"][0]["total_cycles"], alone["total_cycles"]) << c.kernel;
    EXPECT_EQ(estimated["rows"][0]["total_cycles"], alone["total_cycles"]) << c.kernel;
  }
}

TEST_F(CimKernels, CachesThatComputeChangeWhatTheProgramTakes) {
  Options o = optionsFor("va", "n=4096");
  const Json with = jsonOf(VerbId::kEstimate, o);
  o.target = "cim-ooo8";
  const Json other = jsonOf(VerbId::kEstimate, o);
  EXPECT_NE(with["cycles"], other["cycles"]);
  std::int64_t sums = 0;
  for (const auto &[name, count] : with["counts"].items())
    if (name.find("cim_add") != std::string::npos || name.find(".add") != std::string::npos)
      sums += count.get<std::int64_t>();
  EXPECT_GT(sums, 0) << with["counts"].dump();
}

TEST_F(CimKernels, StagesAreCAndAssembly) {
  Options o = optionsFor("gemv", "m=8,n=8");
  o.emit = "c";
  const Outcome c = run(VerbId::kCompile, o);
  EXPECT_NE(c.text.find("void kernel("), std::string::npos) << c.text;
  o.emit = "asm";
  const Outcome assembly = run(VerbId::kCompile, o);
  EXPECT_NE(assembly.text.find("kernel:"), std::string::npos) << assembly.text;
  EXPECT_NE(assembly.text.find("addw"), std::string::npos) << assembly.text;
}

}  // namespace
}  // namespace pimento::driver
