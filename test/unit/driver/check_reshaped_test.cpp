// `profile --check-reshaped`: what it says, of each choice.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "pimento/driver/options.h"
#include "pimento/driver/verbs/profile.h"
#include "test/support/folder.h"
#include "test/support/rv64_program.h"

namespace pimento::driver {
namespace {

using namespace test::rv64;
using Json = nlohmann::json;

constexpr unsigned kT0 = 5, kT1 = 6, kT2 = 7, kS0 = 8, kT3 = 28;

/// Two words are added and stored; the first time they come from memory, the second time, much later, from the first
/// cache.
std::string program() {
  Assembler a;
  a.set(kS0, kDataAt);
  for (int i = 0; i < 2; ++i) {
    for (int k = 0; i == 1 && k < 200; ++k) a.add(makeR(0x33, 0, 1, kT3, kT3, kT3));  // mul, each after the other
    a.add(makeI(0x03, 2, kT0, kS0, 0)).add(makeI(0x03, 2, kT1, kS0, 4)).add(makeR(0x3b, 0, 0, kT2, kT0, kT1));
    a.add(makeS(0x23, 2, kS0, kT2, 8)).add(addi(kT0, kZero, 0)).add(addi(kT1, kZero, 0)).add(addi(kT2, kZero, 0));
  }
  return elfOf(a.exit(0).code(), std::string(64, '\7'));
}

class CheckReshaped : public testing::Test {
 protected:
  CheckReshaped() {
    options.input = folder / "p";
    std::ofstream(options.input, std::ios::binary) << program();
    options.target = PIMENTO_SOURCE_DIR "/machines/cim-a9.yaml";
    options.engine = "interpreter";
    options.checksReshaped = true;
    options.isQuiet = true;
  }
  /// Nothing where there is no decoder.
  std::optional<Outcome> run() {
    const Result<ProfileAnswer> answer = profile(options);
    if (answer) return show(*answer, options);
    const std::string &code = answer.diagnostics()[0].code;
    if (code == "needs-llvm" || code == "llvm-module") return std::nullopt;
    return Outcome{"", answer.diagnostics(), 1};
  }
  test::Folder folder;
  Options options;
};

TEST_F(CheckReshaped, SaysWhatRan) {
  const auto out = run();
  if (!out) GTEST_SKIP() << "not run here: no LLVM";
  EXPECT_NE(
      out->text.find("reshaped program executed: 216 instructions, 1 computed in caches; output, status and memory "
                     "equal"),
      std::string::npos)
      << out->text;
}

TEST_F(CheckReshaped, IsAskedOfEachChoice) {
  options.levels = "l1d,l2";
  options.isJson = true;
  const auto out = run();
  if (!out) GTEST_SKIP() << "not run here: no LLVM";
  const Json j = Json::parse(out->text);
  EXPECT_EQ(j["executed"]["computed"], 1);
  EXPECT_EQ(j["executed"]["gone"], 4);
  EXPECT_EQ(j["choices"][0]["executed"], j["executed"]);
  EXPECT_EQ(j["choices"][1]["executed"]["computed"], 0) << "no operand comes from the second cache";
  EXPECT_EQ(j["choices"][1]["executed"]["instructions"], j["instructions"]);
}

TEST_F(CheckReshaped, IsNothingUnlessAskedFor) {
  options.checksReshaped = false;
  options.isJson = true;
  const auto out = run();
  if (!out) GTEST_SKIP() << "not run here: no LLVM";
  EXPECT_TRUE(Json::parse(out->text)["executed"].is_null());
}

TEST_F(CheckReshaped, ASavedRunOfTheInterpreterIsTheRun) {
  options.checksReshaped = false;
  options.isJson = true;
  options.save = folder / "p.ptrace";
  const auto out = run();
  if (!out) GTEST_SKIP() << "not run here: no LLVM";
  ASSERT_TRUE(out->diagnostics.empty());
  options.input = options.save;
  options.save = options.engine = "";
  const auto again = run();
  ASSERT_TRUE(again && again->diagnostics.empty());
  const Json j = Json::parse(out->text), saved = Json::parse(again->text);
  for (const char *key : {"instructions", "cycles", "counts", "energy_pj", "accounts"})
    EXPECT_EQ(j[key], saved[key]) << key;
}

TEST_F(CheckReshaped, WantsAWholeProgram) {
  options.maxInstructions = 5;
  const auto out = run();
  if (!out) GTEST_SKIP() << "not run here: no LLVM";
  ASSERT_EQ(out->diagnostics.size(), 1U);
  EXPECT_EQ(out->diagnostics[0].code, "check-reshaped-part");
  EXPECT_NE(out->diagnostics[0].hint.find("--max-instructions"), std::string::npos);
}

}  // namespace
}  // namespace pimento::driver
