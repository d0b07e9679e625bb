#include "pimento/base/diagnostics.h"

#include <gtest/gtest.h>

namespace pimento {
namespace {

TEST(Diagnostics, ALocationLeavesOutWhatIsUnknown) {
  EXPECT_EQ((Location{"f.yaml", 3, 7}.str()), "f.yaml:3:7");
  EXPECT_EQ((Location{"f.yaml", 3, 0}.str()), "f.yaml:3");
  EXPECT_EQ((Location{"f.yaml"}.str()), "f.yaml");
  EXPECT_EQ(Location{}.str(), "");
}

TEST(Diagnostics, AMessageShowsPlaceKindCodeAndHint) {
  const Diagnostic d = error("unknown-key", {"f.yaml", 3, 7}, "no such key", "choices: a, b");
  EXPECT_EQ(d.str(), "f.yaml:3:7: error: no such key [unknown-key]\n  hint: choices: a, b");
  EXPECT_EQ(error("", {}, "m").str(), "error: m");
}

TEST(Diagnostics, EveryErrorHasAKind) {
  EXPECT_EQ(error("c", {}, "m").kind, DiagnosticKind::kInput);
  EXPECT_EQ(error(DiagnosticKind::kFault, "c", {}, "m").kind, DiagnosticKind::kFault);
  EXPECT_EQ(unsupported("c", {}, "m").kind, DiagnosticKind::kUnsupported);
  EXPECT_EQ(capacityError("c", {}, "m").kind, DiagnosticKind::kCapacity);
  const Diagnostic usage = usageError("c", "--size", "m", "h");
  EXPECT_EQ(usage.kind, DiagnosticKind::kUsage);
  EXPECT_EQ(usage.str(), "--size: error: m [c]\n  hint: h");
  EXPECT_EQ(name(DiagnosticKind::kDataDependent), "data-dependent");
  EXPECT_EQ(name(DiagnosticKind::kOurs), "ours");
}

TEST(Diagnostics, AFrontEndGivesCodesItsOwnNames) {
  Diagnostics found = {error("too-large", {}, "a"), unsupported("other", {}, "b")};
  rename(found, {{"too-large", "c-too-large"}});
  EXPECT_EQ(found[0].code, "c-too-large");
  EXPECT_EQ(found[1].code, "other");
  EXPECT_EQ(found[1].kind, DiagnosticKind::kUnsupported);
}

TEST(Diagnostics, AResultHoldsAValueOrItsReasons) {
  const Result<int> good = 3;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  const Result<int> bad = error("c", {}, "m");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.diagnostics().size(), 1u);
}

TEST(DiagnosticsDeathTest, AFailedCheckOfOursEndsTheProcessWithStatusThree) {
  EXPECT_EXIT(PIMENTO_CHECK(1 > 2), testing::ExitedWithCode(3), "internal error at .*1 > 2");
}

}  // namespace
}  // namespace pimento
