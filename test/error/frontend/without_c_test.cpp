// A build without LLVM answers C files with what to install.
#include <gtest/gtest.h>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

TEST(WithoutC, TheAnswerNamesThePackages) {
  EXPECT_FALSE(hasKernelC());
  const Result<CKernels> r = importC("void f(float y[4]) { y[0] = 1; }", "k.c", {});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.diagnostics().front().code, "needs-llvm");
  EXPECT_EQ(r.diagnostics().front().where.str(), "k.c");
  EXPECT_NE(r.diagnostics().front().hint.find("libclang-19-dev"), std::string::npos);
}

}  // namespace
}  // namespace pimento::frontend
