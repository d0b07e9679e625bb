// What a build without LLVM says to an MLIR file.
#include <gtest/gtest.h>

#include "pimento/frontend/frontend.h"

namespace pimento::frontend {
namespace {

TEST(WithoutMlir, TheFileIsRefusedAndThePackagesAreNamed) {
  EXPECT_FALSE(hasMlir());
  const Result<kernel::Graph> r = importMlir("func.func @f() { return }", "k.mlir", {});
  ASSERT_FALSE(r.ok());
  const Diagnostic &d = r.diagnostics().front();
  EXPECT_EQ(d.code, "needs-llvm");
  EXPECT_EQ(d.where.str(), "k.mlir");
  for (const char *package : {"libmlir-19-dev", "llvm-19-dev", "mlir-19-tools"}) {
    EXPECT_NE(d.hint.find(package), std::string::npos) << d.hint;
  }
}

}  // namespace
}  // namespace pimento::frontend
