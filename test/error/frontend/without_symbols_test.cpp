// The answer of a build without LLVM to debug information.
#include <gtest/gtest.h>

#include "pimento/frontend/symbols/symbols.h"

namespace pimento::frontend {
namespace {

TEST(WithoutLlvm, DebugInformationIsRefusedWithWhatToInstall) {
  const Result<Symbols> s = readSymbols("", "p", {});
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "needs-llvm");
  EXPECT_NE(s.diagnostics().front().hint.find("llvm-19-dev"), std::string::npos);
}

}  // namespace
}  // namespace pimento::frontend
