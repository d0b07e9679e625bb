// What is wrong with C for a DPU is said at its line.
#include "pimento/frontend/dpu_c.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace pimento;

struct Case {
  const char *text;
  int line;
  const char *message;
  std::vector<std::string> arguments{};
};

Diagnostics of(const Case &c) {
  const auto made = frontend::readDpuC({"broken.c", c.text, c.arguments});
  return made ? Diagnostics{} : made.diagnostics();
}

void expectAll(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    const Diagnostics found = of(c);
    ASSERT_FALSE(found.empty()) << "no error in\n" << c.text;
    EXPECT_EQ(found[0].code, "dpu-c") << found[0].str();
    EXPECT_EQ(found[0].severity, Severity::kError);
    EXPECT_EQ(found[0].where.file, "broken.c") << found[0].str();
    EXPECT_EQ(found[0].where.line, c.line) << found[0].str();
    EXPECT_GT(found[0].where.column, 0) << found[0].str();
    EXPECT_NE(found[0].message.find(c.message), std::string::npos) << found[0].str();
  }
}

TEST(DpuCErrors, WhatIsNoCIsSaidByClang) {
  expectAll({
      {"int f(void) {\n  return y;\n}\n", 2, "use of undeclared identifier 'y'"},
      {"int f(void) {\n  return 1\n}\n", 2, "expected ';'"},
      {"int f(void) {\n  int *p = 0;\n  return p.x;\n}\n", 3, "member reference base type 'int *'"},
      {"struct S { int a; };\nint f(struct S s) { return s.b; }\n", 2, "no member named 'b'"},
      {"struct S s;\nstruct T t;\nint x = sizeof(t);\n", 3, "incomplete type"},
      {"#include <no_such_header.h>\n", 1, "'no_such_header.h' file not found"},
      {"int f(int a);\nint g(void) { return f(); }\n", 2, "too few arguments"},
      {"int f(void) { return 1; }\nint f(void) { return 2; }\n", 2, "redefinition of 'f'"},
      {"#error no\n", 1, "no"},
      {"#if 1\nint x;\n", 1, "unterminated conditional directive"},
      {"int x = 1 / 0 ? f : 2;\n", 1, "undeclared identifier 'f'"},
      {"int a[-1];\n", 1, "negative size"},
      {"void f(void) {\n  break;\n}\n", 2, "'break' statement not in loop"},
      {"int f(void) {\n  goto out;\n}\n", 2, "use of undeclared label 'out'"},
      {"void f(const int *p) {\n  *p = 1;\n}\n", 2, "read-only variable"},
      {"void f(int n) {\n  switch (n) { case 1: case 1:; }\n}\n", 2, "duplicate case value '1'"},
      {"int f(void) {\n  int x;\n  return 1;\n}\n",
       2,
       "unused variable 'x' (-Werror=unused-variable)",
       {"-Wall", "-Werror"}},
  });
}

TEST(DpuCErrors, WhatADpuLacksIsSaidAtItsLine) {
  expectAll({
      {"int a;\n__int128 b;\n", 2, "__int128 is not supported"},
      {"_Thread_local int a;\n", 1, "thread-local storage is not supported"},
      {"__float128 a;\n", 1, "__float128 is not supported"},
      {"_Float16 a;\n", 1, "_Float16 is not supported"},
      {"void f(int a) {\n  __asm__(\"add %0, %0, 1\" :: \"q\"(a));\n}\n", 2, "invalid input constraint 'q'"},
      {"void f(int a) {\n  __asm__(\"nop\" ::: \"eax\");\n}\n", 2, "unknown register name 'eax'"},
      {"void f(int a) {\n  __asm__(\"move r0, %1\" :: \"r\"(a));\n}\n", 2, "invalid operand number"},
      {"class A {};\n", 1, "unknown type name 'class'"},
      {"int x = _Generic(1.0, int: 1);\n", 1, "not compatible with any generic association"},
  });
}

TEST(DpuCErrors, WramAndMramAreNotMixed) {
  expectAll({
      {"#include <mram.h>\nint x;\n__mram_ptr int *p = &x;\n", 3, "changes address space"},
      {"#include <mram.h>\n__mram int v;\nint *p = &v;\n", 3,
       "initializing 'int *' with an expression of type '__mram_ptr int *'"},
      {"#include <mram.h>\nint *f(__mram_ptr int *p) {\n  return p;\n}\n", 3, "changes address space"},
      {"#include <mram.h>\nvoid f(void) {\n  __mram_ptr int x;\n}\n", 3, "address space"},
      {"#include <mram.h>\nint b[4];\nvoid f(void) {\n  mram_read(b, b, 16);\n}\n", 4, "changes address space"},
  });
}

TEST(DpuCErrors, AnErrorInAHeaderSaysWhoIncludesIt) {
  const Diagnostics found = of({"\n#include <barrier.h>\nBARRIER_INIT(b, x)\n", 3, ""});
  ASSERT_FALSE(found.empty());
  const auto made =
      frontend::readDpuC({"main.c", "\n#include \"part.h\"\n", {"-I" PIMENTO_SOURCE_DIR "/test/error/frontend/dpu_c"}});
  ASSERT_FALSE(made);
  EXPECT_NE(made.diagnostics()[0].where.file.find("dpu_c/part.h"), std::string::npos);
  EXPECT_EQ(made.diagnostics()[0].where.line, 2);
  EXPECT_EQ(made.diagnostics()[0].hint, "included from main.c:2");
}

TEST(DpuCErrors, NotesFollowTheirError) {
  const Diagnostics found = of({"int f(void) { return 1; }\nint f(void) { return 2; }\n", 2, ""});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].severity, Severity::kNote);
  EXPECT_EQ(found[1].str(), "broken.c:1:5: note: previous definition is here [dpu-c]");
}

TEST(DpuCErrors, FlagsThatCannotBeForADpuAreRefused) {
  for (const auto &[arguments, message] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"-fsnadwich"}, "unknown flag '-fsnadwich'"},
           {{"-Xclang", "-load"}, "does not apply to DPUs"},
           {{"-mllvm", "-debug"}, "does not apply to DPUs"},
           {{"-fopenmp"}, "does not apply to DPUs"},
           {{"-fsanitize=address"}, "does not apply to DPUs"},
           {{"-target", "x86_64-linux-gnu"}, "another target"},
           {{"-o", "file"}, "not a flag for compiling one file"},
           {{"-v"}, "not a flag for compiling one file"},
           {{"--version"}, "not a flag for compiling one file"},
           {{"-print-search-dirs"}, "not a flag for compiling one file"},
           {{"other.c"}, "not a flag for compiling one file"},
           {{"-D"}, "needs a value"}}) {
    const Diagnostics found = of({"int x;", 0, "", arguments});
    ASSERT_FALSE(found.empty()) << arguments[0];
    EXPECT_EQ(found[0].code, "dpu-c-flag") << found[0].str();
    EXPECT_NE(found[0].message.find(message), std::string::npos) << found[0].str();
    EXPECT_FALSE(found[0].hint.empty());
  }
  EXPECT_NE(of({"", 0, "", {"-funrol-loops"}})[0].hint.find("-funroll-loops"), std::string::npos);
}

TEST(DpuCErrors, OtherLanguagesAreRefused) {
  for (const char *file : {"a.cpp", "a.cc", "a.cu", "a.m"})
    EXPECT_EQ(frontend::readDpuC({file, "", {}}).diagnostics()[0].code, "dpu-c-language") << file;
  for (const char *flag : {"-std=c++17", "-std=gnu++20", "-xc++"})
    EXPECT_EQ(of({"", 0, "", {flag}})[0].code, "dpu-c-language") << flag;
}

TEST(DpuCErrors, NoTextBreaksTheReader) {
  for (const std::string &text : {std::string(20000, '('), std::string(20000, '{'), std::string("\0\xff\x80", 3),
                                  "#include \"" + std::string(5000, 'a') + "\"", std::string("int x = 1")})
    EXPECT_FALSE(frontend::readDpuC({"broken.c", text, {}}));
  for (const char *file : {"", "-", "no/such/folder/file.c", "name with space.c"})
    EXPECT_TRUE(frontend::readDpuC({file, "int x;\n", {}})) << file;
}

}  // namespace
