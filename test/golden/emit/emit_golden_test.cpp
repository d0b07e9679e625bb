// The views of a hand-written report against texts kept beside this file. After a wanted change:
// PIMENTO_UPDATE_GOLDEN=1 build/bin/golden_emit, then read the difference.
#include <gtest/gtest.h>

#include <cstdlib>

#include "pimento/base/file.h"
#include "pimento/emit/json.h"
#include "pimento/emit/table.h"
#include "test/support/hand_report.h"

namespace pimento::emit {
namespace {

void expectGolden(const std::string &name, const std::string &text) {
  const std::string path = PIMENTO_SOURCE_DIR "/test/golden/emit/" + name;
  if (std::getenv("PIMENTO_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(writeFile(path, text));
    return;
  }
  const Result<std::string> golden = readFile(path);
  ASSERT_TRUE(golden) << "no " << path;
  EXPECT_EQ(text, *golden) << name;
}

TEST(Golden, AReportAsJson) {
  expectGolden("report.json", toJson(test::handReport()));
}

TEST(Golden, AReportAsATable) {
  expectGolden("report.txt", toTable(test::handReport()));
}

TEST(Golden, AProgramAsJson) {
  expectGolden("program.json", toJson(test::handProgram()));
}

TEST(Golden, AProgramAsATableWithItsProfile) {
  expectGolden("program.txt", toTable(test::handProgram(), true));
}

TEST(Golden, AComparisonAsATable) {
  expectGolden("comparison.txt", toTable(test::handComparison()));
}

TEST(Golden, ASuiteAsJson) {
  expectGolden("suite.json", toJson(test::handSuite()));
}

TEST(Golden, ASuiteAsATable) {
  expectGolden("suite.txt", toTable(test::handSuite()));
}

}  // namespace
}  // namespace pimento::emit
