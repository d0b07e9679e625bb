// Kernels that a core alone cannot run, and tools that are not there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "pimento/driver/host_tools.h"
#include "pimento/driver/tool_box.h"
#include "pimento/driver/verbs.h"

namespace pimento::driver {
namespace {

bool hasLinker() {
  return std::system("ld.lld-19 --version > /dev/null 2>&1") == 0;
}

Options optionsFor(std::string kernel, std::string sizes, std::string map = "reference") {
  Options o;
  o.input = std::move(kernel);
  o.sizes = {std::move(sizes)};
  o.dtype = "f32";
  o.target = "cim-a9";
  o.maps = {std::move(map)};
  return o;
}

void expectRefusal(const Options &o, const std::string &code, const std::string &message) {
  const Outcome out = run(VerbId::kEstimate, o);
  ASSERT_NE(out.status, 0);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics[0].code, code) << out.diagnostics[0].str();
  EXPECT_NE(out.diagnostics[0].message.find(message), std::string::npos) << out.diagnostics[0].str();
  EXPECT_FALSE(out.diagnostics[0].hint.empty());
}

TEST(CimKernelErrors, WhatTakesALibraryNamesTheOperation) {
  expectRefusal(optionsFor("y[i] = exp(x[i])", "i=16"), "unsupported-kernel", "'exp'");
}

TEST(CimKernelErrors, OrdersThatChangeAnswersAreRefused) {
  expectRefusal(optionsFor("y[i] += A[i,j,k]", "i=4,j=4,k=4", "M1:{(1,1,1),(4,4,4)};order(i,k,j)"), "illegal-mapping",
                "in this order");
}

TEST(CimKernelErrors, TensorsThatTheMemoryHasNoRoomForSayByHowMuch) {
  expectRefusal(optionsFor("va", "n=100000000"), "too-large", "more than the memory");
}

TEST(CimKernelErrors, WithoutACompilerTheAnswerSaysSo) {
  Options o = optionsFor("va", "n=64");
  o.tools = std::make_shared<ToolBox>();
  expectRefusal(o, "no-host-compiler", "without LLVM");
}

TEST(CimKernelErrors, CThatClangRejectsIsReportedAtItsLine) {
  const auto made = makeHostTools()->assembly("int f(void) {\n  return x;\n}\n");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.diagnostics()[0].code, "host-c");
  EXPECT_EQ(made.diagnostics()[0].where.line, 2);
}

TEST(CimKernelErrors, ProgramsThatDoNotLinkSayWhatIsMissing) {
  if (!hasLinker()) GTEST_SKIP() << "not run here: no ld.lld-19";
  const auto made = makeHostTools()->build("int f(void);\nvoid _start(void) { f(); }\n", 0x1000000);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.diagnostics()[0].code, "host-link");
  EXPECT_NE(made.diagnostics()[0].message.find("undefined symbol: f"), std::string::npos);
}

TEST(CimKernelErrors, ProgramsThatFaultAndFunctionsThatNeverRunAreNamed) {
  if (!hasLinker()) GTEST_SKIP() << "not run here: no ld.lld-19";
  const auto tools = makeHostTools();
  const auto elf = tools->build("int x;\nvoid _start(void) { *(volatile int *)8 = 1; for (;;) {} }\n", 0x1000000);
  ASSERT_TRUE(elf.ok()) << elf.diagnostics()[0].str();
  const auto said = [&](const char *function) {
    const auto process = tools->load(*elf);
    const Status s = (*process)->run(function, nullptr);
    EXPECT_FALSE(s.ok());
    EXPECT_EQ(s.diagnostics()[0].code, "host-program");
    return s.diagnostics()[0].message;
  };
  EXPECT_NE(said("_start").find("it stores to 0x8"), std::string::npos);
  EXPECT_NE(said("kernel").find("no function 'kernel'"), std::string::npos);
}

/// The last one: it changes where programs are looked for.
TEST(CimKernelErrors, WithoutTheLinkerItsPackageIsNamed) {
  const char *before = std::getenv("PATH");
  const std::string path = before != nullptr ? before : "";
  setenv("PATH", "/nonexistent", 1);
  const Outcome out = run(VerbId::kEstimate, optionsFor("va", "n=64"));
  setenv("PATH", path.c_str(), 1);
  ASSERT_NE(out.status, 0);
  EXPECT_EQ(out.diagnostics[0].code, "missing-linker");
  EXPECT_NE(out.diagnostics[0].hint.find("lld-19"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
