// What `upmem-cc` answers to wrong arguments, wrong files and programs that do not fit: messages as a C compiler's.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc.h"
#include "test/support/archive.h"
#include "test/support/folder.h"

namespace pimento::driver {
namespace {

/// A folder of its own for the files of a test.
class UpmemCcErrors : public ::testing::Test {
 protected:
  std::string file(const std::string &name, const std::string &text) const {
    const std::string path = folder_ / name;
    EXPECT_TRUE(writeFile(path, text));
    return path;
  }
  CcOutcome run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"-o", folder_ / "out"});
    return upmemCc(arguments, {PIMENTO_SOURCE_DIR "/machines"});
  }

 private:
  test::Folder folder_;
};

void expectSays(const CcOutcome &outcome, int status, const std::vector<std::string> &parts) {
  EXPECT_EQ(outcome.status, status) << outcome.messages;
  for (const std::string &part : parts)
    EXPECT_NE(outcome.messages.find(part), std::string::npos) << part << " in:\n" << outcome.messages;
}

const char *const kEmptyProgram = ".text\n.globl main\nmain:\n  jump r23\n";

TEST_F(UpmemCcErrors, WrongUsageHasStatus2) {
  expectSays(upmemCc({}), 2, {"no input files [upmem-cc-usage]", "hint:"});
  expectSays(upmemCc({"a.c", "-o"}), 2, {"'-o' needs a value [upmem-cc-usage]"});
  expectSays(upmemCc({"-c", "a.c", "b.c", "-o", "c.o"}), 2, {"cannot write 2 files to one output, 'c.o'"});
  expectSays(upmemCc({"-x", "c++", "a.c"}), 2, {"unknown language 'c++'", "c, assembler or none"});
  expectSays(upmemCc({"-emit-llvm", "a.c"}), 2, {"-emit-llvm needs -S or -c"});
}

TEST_F(UpmemCcErrors, AStackThatMayOverflowIsAWarningThatSaysByHowMuch) {
  const std::string program = file("deep.s",
                                   ".text\n.globl main\n.globl f\nmain:\n  sd r22, 0, d22\n  add r22, r22, 48\n"
                                   "  call r23, f\n  ld d22, r22, -48\n  jump r23\n"
                                   "f:\n  sw r22, 1000, r0\n  jump r23\n");
  expectSays(run({program}), 0,
             {"warning: the stack may overflow: STACK_SIZE_DEFAULT is 1024 bytes, 32 too few for main (48 bytes) > f "
              "(1008) [upmem-cc-stack]",
              "-DSTACK_SIZE_DEFAULT=1056"});
  expectSays(run({program, "-DNR_TASKLETS=2", "-DSTACK_SIZE_DEFAULT=1056", "-DSTACK_SIZE_TASKLET_1=512"}), 0,
             {"STACK_SIZE_TASKLET_1 is 512 bytes, 544 too few", "-DSTACK_SIZE_TASKLET_1=1056"});
  EXPECT_EQ(run({program, "-DSTACK_SIZE_DEFAULT=1056"}).messages, "");
}

TEST_F(UpmemCcErrors, AStackThatNobodyCanBoundIsANote) {
  expectSays(run({file("again.s", ".text\n.globl main\nmain:\n  call r23, main\n  jump r23\n")}), 0,
             {"note: 1024 bytes of stack may be too few: 'main' calls itself [upmem-cc-stack]"});
}

TEST_F(UpmemCcErrors, AFileThatCannotBeReadIsNamed) {
  expectSays(run({"/no/such/file.c"}), 1, {"/no/such/file.c: error: cannot read", "[unreadable-file]"});
}

TEST_F(UpmemCcErrors, AFileOfAnotherKindIsRefused) {
  expectSays(run({file("a.o", "text")}), 1, {"a.o: error: this is not an ELF file for a DPU [upmem-cc-kind]", "-c"});
  expectSays(run({"-c", file("a.a", "!<arch>\n")}), 1, {"archives can only be linked [upmem-cc-kind]"});
  expectSays(run({file("b.a", "text")}), 1, {"b.a: error: this is not an archive [upmem-cc-kind]", "ar rcs"});
  expectSays(run({file("c.a", "!<arch>\nmember")}), 1, {"c.a: error: the archive ends inside", "[dpu-archive]"});
  expectSays(run({file("d.a", test::archiveOf({{"x.o", "text"}}))}), 1,
             {"d.a(x.o): error: this member is not a DPU object [upmem-cc-kind]"});
  expectSays(run({"-S", file("a.s", kEmptyProgram)}), 1, {"-S needs a C file [upmem-cc-kind]"});
  expectSays(run({"-E", file("b.s", kEmptyProgram)}), 1, {"only C files can be preprocessed [upmem-cc-kind]"});
  const std::string program = file("c.s", kEmptyProgram);
  const CcOutcome linked = run({program});
  ASSERT_EQ(linked.status, 0) << linked.messages;
  const std::string out = (std::filesystem::path(program).parent_path() / "out").string();
  expectSays(run({out}), 1, {"this program is already linked [upmem-cc-kind]"});
}

TEST_F(UpmemCcErrors, TaskletsAndStacksAreNumbers) {
  const std::string program = file("a.s", kEmptyProgram);
  expectSays(run({program, "-DNR_TASKLETS=25"}), 1, {"NR_TASKLETS is '25' [upmem-cc-number]", "from 1 to 24"});
  expectSays(run({program, "-DNR_TASKLETS=many"}), 1, {"NR_TASKLETS is 'many'"});
  expectSays(run({program, "-Wl,--defsym=STACK_SIZE_DEFAULT=x"}), 1, {"STACK_SIZE_DEFAULT is 'x'"});
  expectSays(run({program, "-DSTACK_SIZE_TASKLET_0=-8"}), 1, {"STACK_SIZE_TASKLET_0 is '-8'"});
  for (const char *tasklets : {"16", "0x10", "(16)", "16u", "( 16 )"})
    EXPECT_EQ(run({program, std::string("-DNR_TASKLETS=") + tasklets}).status, 0) << tasklets;
}

TEST_F(UpmemCcErrors, AProgramThatDoesNotFitSaysByHowMuch) {
  expectSays(run({file("a.s", std::string(kEmptyProgram) + "  move r0, big\n.data\nbig: .zero 70000\n")}), 1,
             {"71040 bytes of WRAM, 5504 more than the 65536 available [dpu-link-wram]", "smaller stacks"});
  expectSays(run({file("b.s", kEmptyProgram), "-DNR_TASKLETS=24", "-DSTACK_SIZE_DEFAULT=4096"}), 1,
             {"[dpu-link-wram]", "are stacks of 24 tasklets"});
  std::string code = kEmptyProgram;
  for (int i = 0; i < 4100; ++i) code += "  add r0, r0, 1\n";
  expectSays(run({file("e.s", code)}), 1, {"more than the 4096 available [dpu-link-iram]", "shorten or split"});
  const std::string half = ".section .mram,\"aw\",@nobits\n.zero 40000000\n";
  expectSays(run({file("c.s", kEmptyProgram + half), file("d.s", half)}), 1, {"[dpu-link-mram]"});
}

TEST_F(UpmemCcErrors, WhatIsNotDefinedIsSaid) {
  const CcOutcome outcome = run({file("a.s", ".text\n.globl main\nmain:\n  call r23, missing\n")});
  expectSays(outcome, 1, {"a.s:4: error: 'missing' is not defined [dpu-link-undefined]", "  call r23, missing\n"});
}

TEST_F(UpmemCcErrors, AnUnknownLibraryIsAWarning) {
  const std::string program = file("a.s", kEmptyProgram);
  expectSays(run({program, "-lspecial"}), 0,
             {"library 'special' is ignored: libspecial.a does not exist [upmem-cc-library]", "with -L",
              "1 warning generated."});
  EXPECT_EQ(run({program, "-lm", "-ldpu", "-L.", "-Wl,--gc-sections", "-static"}).messages, "");
}

TEST_F(UpmemCcErrors, AResponseFileThatMakesNoSenseIsNamed) {
  expectSays(run({"@" + file("open", "-O2\n'a.c")}), 2, {"open:2: error: unterminated quote ' [response-file]"});
  const std::string self = file("self", "");
  file("self", "@" + self);
  expectSays(run({"@" + self}), 2, {"nested 32 deep [response-file]", "check whether a file includes itself"});
  expectSays(run({"@/no/such/file"}), 1, {"@/no/such/file: error: cannot read"});
}

TEST_F(UpmemCcErrors, WithoutLlvmCIsRefusedAndAssemblyIsNot) {
  if (makeDpuCompiler()) GTEST_SKIP() << "this build has LLVM";
  expectSays(run({file("a.c", "int main(void) { return 0; }")}), 1, {"[dpu-compiler-absent]", "libclang-cpp19-dev"});
  EXPECT_EQ(run({file("a.s", kEmptyProgram)}).status, 0);
}

TEST_F(UpmemCcErrors, AMessageShowsItsLineAndColumn) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  const CcOutcome outcome = run({"-Wall", file("a.c", "int main(void) {\n\tint x;\n\treturn y;\n}\n")});
  expectSays(outcome, 1,
             {"a.c:3:9: error: use of undeclared identifier 'y'\n\treturn y;\n\t       ^\n", "1 error generated."});
  expectSays(
      run({"-Wall", file("b.c", "int main(void) {\n  int x;\n  return 0;\n}\n")}), 0,
      {"b.c:2:7: warning: unused variable 'x' [-Wunused-variable]\n  int x;\n      ^\n", "1 warning generated."});
}

TEST_F(UpmemCcErrors, WhatTheLinkerMissesIsNamedByTheLineOfC) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  expectSays(run({file("a.c", "int helper(int);\n\nint main(void) {\n  return helper(3);\n}\n")}), 1,
             {"a.c:4: error: 'helper' is not defined [dpu-link-undefined]\n  return helper(3);\n"});
}

TEST_F(UpmemCcErrors, WhatADpuCannotDoIsNamedByTheLineOfC) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  for (const auto &[text, line] : std::vector<std::pair<const char *, const char *>>{
           {"int x;\nvoid f(void) {\n  __sync_fetch_and_add(&x, 1);\n}\n", "c:3:"},
           {"_Atomic int x;\nvoid f(void) {\n  x++;\n}\n", "c:3:"},
           {"void f(long long p) {\n  __asm__(\"move r0, %0\" :: \"r\"(p));\n}\n", "c:2:"},
           {"int h(int);\nint f(int a) {\n  __attribute__((musttail)) return h(a);\n}\n", "c:3:"}})
    expectSays(run({"-c", file("a.c", text)}), 1, {line, "[dpu-backend-unsupported]", "  hint: "});
}

TEST_F(UpmemCcErrors, WrongAssemblyInCIsNamedByTheLineOfC) {
  if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  expectSays(run({file("a.c",
                       "int main(void) {\n  int x = 1;\n  __asm__ volatile(\"ad %0, %0, 1\" : \"+r\"(x));\n"
                       "  return x;\n}\n")}),
             1, {"a.c:3: error:", "[dpu-asm-mnemonic]", "in 'ad r"});
}

}  // namespace
}  // namespace pimento::driver
