// Tests of `upmem-cc`: a folder for the files of a test, and the program that arguments give.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/dpu/elf.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc.h"
#include "test/support/folder.h"

namespace pimento::test {

class UpmemCc : public ::testing::Test {
 protected:
  std::string path(const std::string &name) const { return folder_ / name; }
  std::string file(const std::string &name, const std::string &text) const {
    EXPECT_TRUE(writeFile(path(name), text));
    return path(name);
  }
  std::string contents(const std::string &name) const {
    const Result<std::string> text = readFile(path(name));
    return text ? *text : "";
  }
  /// The program that the arguments give.
  program::Code linked(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"-o", path("out")});
    const driver::CcOutcome done = driver::upmemCc(arguments, {PIMENTO_SOURCE_DIR "/machines"});
    EXPECT_EQ(done.status, 0) << done.messages;
    if (done.status != 0) return {};
    Result<program::Code> code = dpu::readExecutable(contents("out"), "out");
    EXPECT_TRUE(code);
    return code ? *code : program::Code{};
  }
  static std::uint32_t valueOf(const program::Code &code, const char *symbol) {
    const program::Code::Symbol *found = code.symbolNamed(symbol);
    EXPECT_NE(found, nullptr) << symbol;
    return found != nullptr ? found->address : 0;
  }

  const std::string kMain = ".text\n.globl main\nmain:\n  jump r23\n";

 private:
  Folder folder_;
};

/// What needs Clang.
class UpmemCcC : public UpmemCc {
 protected:
  void SetUp() override {
    UpmemCc::SetUp();
    if (!driver::makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  }
  const std::string kProgram = "#include \"part.h\"\nint main(void) { return VALUE; }\n";
};

}  // namespace pimento::test
