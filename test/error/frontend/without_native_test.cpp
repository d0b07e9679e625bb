// A build without LLVM leaves texts out and says so.
#include <gtest/gtest.h>

#include "pimento/frontend/native.h"

namespace pimento::frontend {
namespace {

TEST(WithoutNative, BothLanguagesAreLeftOutWithTheReason) {
  const auto c = runC("void f(void) {}", "k.c", {}, {}, {}, {});
  const auto mlir = runMlir("", "t.mlir", {}, {}, {}, {}, {});
  ASSERT_TRUE(c.ok() && mlir.ok());
  EXPECT_NE(c->whyNot.find("without LLVM"), std::string::npos);
  EXPECT_NE(mlir->whyNot.find("without LLVM"), std::string::npos);
  EXPECT_TRUE(c->outputs.empty());
}

}  // namespace
}  // namespace pimento::frontend
