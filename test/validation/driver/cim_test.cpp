// The released analyzer's points, and programs of hosts from their source to a profile, where QEMU and a compiler are.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "pimento/driver/verbs.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

using Json = nlohmann::json;

TEST(EvaCimRelease, EveryTreeAndCounterIsEqual) {
  Options o;
  o.input = "eva-cim-release";
  o.isJson = true;
  o.points = std::string(PIMENTO_SOURCE_DIR) + "/validation/cim/oracle";
  const Outcome out = run(VerbId::kValidate, o);
  ASSERT_EQ(out.status, 0);
  const Json result = Json::parse(out.text);
  EXPECT_EQ(result["kernels"].size(), 8U) << "trees and three configurations of two programs";
  EXPECT_EQ(result["kernels"]["lcs:trees"]["rows"], 5334);
  EXPECT_EQ(result["kernels"]["nb:trees"]["rows"], 9811);
  for (const auto &[name, kernel] : result["kernels"].items()) EXPECT_EQ(kernel["exact"], kernel["rows"]) << name;
}

TEST(EvaCimRelease, NeedsAFolderWithPoints) {
  const test::Folder folder;
  Options o;
  o.input = "eva-cim-release";
  o.points = folder / "";
  const Outcome out = run(VerbId::kValidate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unreadable-points");
}

constexpr const char *kProgram = R"(
#include <stdio.h>
static int x[1000], y[1000];
int main(int argc, char **argv) {
  for (int i = 0; i < 1000; ++i) x[i] = i * 7 + argc;
  for (int r = 0; r < 20; ++r)
    for (int i = 0; i < 1000; ++i) y[i] = y[i] + x[i];
  printf("%d %s\n", y[999], argc > 1 ? argv[1] : "");
  return 3;
}
)";

/// Builds the program; false: no such compiler here.
bool build(const test::Folder &folder, const std::string &compiler) {
  std::ofstream(folder / "p.c") << kProgram;
  const std::string line =
      compiler + " -O2 -fno-tree-vectorize -static " + (folder / "p.c") + " -o " + (folder / "p") + " 2>/dev/null";
  return std::system(line.c_str()) == 0;
}

bool has(const char *command) {
  return std::system((std::string("command -v ") + command + " >/dev/null 2>&1").c_str()) == 0;
}

struct Guest {
  const char *compiler, *qemu;
};

class ProfileOf : public testing::TestWithParam<Guest> {};

TEST_P(ProfileOf, AProgramIsProvedByItsValues) {
  if (!has(GetParam().qemu)) GTEST_SKIP() << "not run here: " << GetParam().qemu << " is not installed";
  const test::Folder folder;
  if (!build(folder, GetParam().compiler)) GTEST_SKIP() << "not run here: no " << GetParam().compiler;
  Options o;
  o.input = folder / "p";
  o.arguments = {"hello"};
  o.stdoutFile = folder / "out";
  o.isJson = true;
  const Outcome out = run(VerbId::kProfile, o);
  if (!out.diagnostics.empty() && out.diagnostics.front().code == "needs-llvm")
    GTEST_SKIP() << "not run here: built without LLVM";
  ASSERT_EQ(out.status, 0) << (out.diagnostics.empty() ? "" : out.diagnostics.front().str());
  const Json result = Json::parse(out.text);
  std::string said;
  std::getline(std::ifstream(folder / "out"), said);
  EXPECT_EQ(said, "139900 hello");
  EXPECT_EQ(result["guest"]["exit_status"], 3);
  EXPECT_EQ(result["guest"]["share"], 1.0);
  // 20,000 sums of two words, each stored.
  EXPECT_GE(result["proved"], 19000);
  EXPECT_GE(result["instructions"], 100000);
  std::int64_t stack = 0;
  for (const auto &[cause, cycles] : result["cpi_stack"].items()) stack += cycles.get<std::int64_t>();
  EXPECT_EQ(stack, result["cycles"]);
  // Accounts: saved energy is the processor's and the caches', and all counted is no better than the best case.
  const Json &paper = result["accounts"]["paper"];
  EXPECT_GT(paper["high"]["energy_improvement"], 1.0);
  EXPECT_LE(paper["low"]["speedup"], paper["high"]["speedup"]);
  EXPECT_NEAR(paper["high"]["share_processor"].get<double>() + paper["high"]["share_caches"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(result["macr"]["l1"].get<double>() + result["macr"]["other"].get<double>(),
              result["macr"]["paper"].get<double>(), 1e-12);
  EXPECT_EQ(result["functions"][0]["name"], "main");
  // The same again.
  EXPECT_EQ(run(VerbId::kProfile, o).text, out.text);
}

INSTANTIATE_TEST_SUITE_P(All, ProfileOf,
                         testing::Values(Guest{"aarch64-linux-gnu-gcc", "qemu-aarch64"},
                                         Guest{"arm-linux-gnueabihf-gcc -marm", "qemu-arm"},
                                         Guest{"arm-linux-gnueabihf-gcc -mthumb", "qemu-arm"},
                                         Guest{"riscv64-linux-gnu-gcc", "qemu-riscv64"}));

TEST(Profile, OfWhatIsNoProgramSaysSo) {
  const test::Folder folder;
  const auto codeOf = [&](const std::string &contents) {
    std::ofstream(folder / "x") << contents;
    Options o;
    o.input = folder / "x";
    const Outcome out = run(VerbId::kProfile, o);
    EXPECT_EQ(out.status, 1);
    return out.diagnostics.empty() ? "" : out.diagnostics.front().code;
  };
  EXPECT_EQ(codeOf("#!/bin/sh\n"), "not-a-program");
  EXPECT_EQ(codeOf("text"), "not-a-program");
  Options o;
  o.input = "/bin/true";
  const Outcome out = run(VerbId::kProfile, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unsupported-program") << "of this computer's own processor";
}

TEST(Profile, RefusesWhatTheMachineDoesNotHave) {
  const auto codeOf = [](const std::function<void(Options &)> &change) {
    Options o;
    o.input = "/bin/true";
    change(o);
    const Outcome out = run(VerbId::kProfile, o);
    EXPECT_NE(out.status, 0);
    if (out.diagnostics.empty()) return std::string();
    EXPECT_FALSE(out.diagnostics.front().hint.empty());
    return out.diagnostics.front().code;
  };
  EXPECT_EQ(codeOf([](Options &o) { o.locality = "near"; }), "bad-locality");
  EXPECT_EQ(codeOf([](Options &o) { o.levels = "l1d+l7"; }), "unknown-name");
  EXPECT_EQ(codeOf([](Options &o) { o.levels = "l1d,,l2"; }), "empty-choice");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "32KiB+1MiB,"; }), "empty-choice");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "32"; }), "bad-caches");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "KiB"; }), "bad-caches");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "32KiB+1MiB+2MiB"; }), "bad-caches");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "33KiB"; }), "impossible-value");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "32KiB/x"; }), "bad-number");
  EXPECT_EQ(codeOf([](Options &o) { o.caches = "32parsec"; }), "wrong-unit");
  EXPECT_EQ(codeOf([](Options &o) { o.technology = "paper"; }), "unknown-cell");
  EXPECT_EQ(codeOf([](Options &o) { o.arrays = "cacti6"; }), "unknown-set");
  EXPECT_EQ(codeOf([](Options &o) { o.arrays = "table3"; }), "no-such-array") << "of 32 KiB";
  EXPECT_EQ(codeOf([](Options &o) { o.technology = "reram"; }), "no-such-operation") << "no sums";
  EXPECT_EQ(codeOf([](Options &o) { o.technology = "sram,"; }), "empty-choice");
  EXPECT_EQ(codeOf([](Options &o) { o.sets = {"cim.moves=fly"}; }), "unknown-choice");
  EXPECT_EQ(codeOf([](Options &o) { o.sets = {"cim.accept=never"}; }), "unknown-choice");
  EXPECT_EQ(codeOf([](Options &o) { o.sets = {"energy.set=table3"}; }), "no-cim-energy") << "of another first cache";
  EXPECT_EQ(codeOf([](Options &o) {
              o.target = "hbm-pim";
              o.levels = "l1d";
            }),
            "missing-section");
}

TEST(Profile, ListingsAreOfOneMachine) {
  Options o;
  o.input = "/bin/true";
  o.emit = "reshaped";
  o.levels = "l1d,l2";
  const Outcome out = run(VerbId::kCompile, o);
  EXPECT_NE(out.status, 0);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "one-choice");
}

TEST(Profile, IsForProgramsOfHosts) {
  const test::Folder folder;
  std::string head(64, '\0');
  head.replace(0, 6,
               "\x7f"
               "ELF\2\1");
  head[18] = static_cast<char>(183);
  std::ofstream(folder / "p", std::ios::binary) << head;
  Options o;
  o.input = folder / "p";
  const Outcome out = run(VerbId::kSimulate, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "host-program");
}

TEST(Profile, TakesNoKernels) {
  Options o;
  o.input = "gemv";
  o.target = "cim-a9";
  const Outcome out = run(VerbId::kProfile, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_FALSE(out.diagnostics.front().hint.empty());
}

TEST(Profile, NeedsAMachineWithACore) {
  Options o;
  o.input = "/bin/true";
  o.target = "hbm-pim";
  const Outcome out = run(VerbId::kProfile, o);
  EXPECT_EQ(out.status, 1);
  ASSERT_FALSE(out.diagnostics.empty());
  EXPECT_EQ(out.diagnostics.front().code, "unsupported-target");
}

}  // namespace
}  // namespace pimento::driver
