// A build without LLVM says what to install.
#include <gtest/gtest.h>

#include "pimento/frontend/dpu_c.h"
#include "pimento/frontend/host_c.h"

namespace {

using namespace pimento;

TEST(WithoutClang, TheAnswerNamesThePackages) {
  EXPECT_FALSE(frontend::hasDpuC());
  const auto made = frontend::readDpuC({"file.c", "int x;", {}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.diagnostics()[0].code, "dpu-compiler-absent");
  EXPECT_EQ(made.diagnostics()[0].where.file, "file.c");
  EXPECT_NE(made.diagnostics()[0].hint.find("libclang-cpp19-dev"), std::string::npos);
}

TEST(WithoutClang, KernelsForACoreNameThemToo) {
  const auto made = frontend::compileHostC("int x;", frontend::HostOutput::kObject);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.diagnostics()[0].code, "host-compiler-absent");
  EXPECT_NE(made.diagnostics()[0].hint.find("libclang-cpp19-dev"), std::string::npos);
}

}  // namespace
