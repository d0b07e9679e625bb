// `upmem-cc`: what goes in and comes out, what the linker learns from flags, dependencies for make, one compiler that
// keeps what it made.
#include "pimento/driver/upmem_cc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/stack_use.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc_arguments.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "test/support/archive.h"
#include "test/support/linked_dpu.h"
#include "test/support/upmem_cc.h"

namespace pimento::driver {
namespace {

using test::UpmemCc;
using test::UpmemCcC;

TEST_F(UpmemCc, AProgramIsLinkedForOneTaskletUnlessTold) {
  const std::string main = file("main.s", kMain);
  EXPECT_EQ(linked({main}).tasklets, 1);
  EXPECT_EQ(linked({main, "-DNR_TASKLETS=16"}).tasklets, 16);
  EXPECT_EQ(linked({main, "-D", "NR_TASKLETS=11"}).tasklets, 11);
  EXPECT_EQ(linked({main, "-Wl,--defsym,NR_TASKLETS=12"}).tasklets, 12);
  EXPECT_EQ(linked({main, "-DNR_TASKLETS=3", "-DNR_TASKLETS=4"}).tasklets, 4);
}

/// Where tasklet 0's stack begins, as the stack table says.
std::uint32_t stackOf(const program::Code &code) {
  const program::Code::Symbol *table = code.symbolNamed("__stack_table");
  for (const program::Code::Segment &s : code.segments) {
    if (table == nullptr || table->address < s.address || table->address + 8 > s.address + s.bytes.size()) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t i = 8; i-- > 4;) begin = begin << 8 | s.bytes[table->address - s.address + i];
    return begin;
  }
  ADD_FAILURE() << "no stack table";
  return 0;
}

/// Bytes of tasklet 0's stack that a run writes to.
std::int64_t stackWritten(const program::Code &code) {
  const std::uint32_t begin = stackOf(code), size = code.symbolNamed("STACK_SIZE_TASKLET_0")->address;
  const auto image = sim::dpu::Image::make(code);
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  if (!image || !machine) return -1;
  sim::dpu::Dpu dpu(*image, *machine->dpu);
  std::vector<std::byte> bytes(size, std::byte{0xa5});
  dpu.writeWram(begin, bytes);
  const auto run = dpu.simulate({});
  EXPECT_FALSE(run.fault) << run.fault->str();
  dpu.readWram(begin, bytes);
  while (!bytes.empty() && bytes.back() == std::byte{0xa5}) bytes.pop_back();
  return static_cast<std::int64_t>(bytes.size());
}

TEST_F(UpmemCc, StacksGetAsDeepAsTheCompilerSays) {
  if (!frontend::hasDpuC()) GTEST_SKIP() << "this build has no Clang";
  const std::string texts[] = {
      // A leaf with an array, spilled registers, a library routine on top.
      "volatile double x = 3; __attribute__((noinline)) double leaf(int n) { volatile int a[50]; for (int i = 0; i < "
      "50;"
      " ++i) a[i] = -1; return a[n] * x; }\nint main(void) { volatile long long b[20]; for (int i = 0; i < 20; ++i) "
      "b[i]"
      " = -1; return (int)(leaf(3) * leaf((int)b[2] + 5)); }\n",
      // Arguments on the stack, a pointer, a jump table.
      "__attribute__((noinline)) int many(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j, int k, "
      "int l) { volatile int s[4] = {a + l, b + k, c + j, d + i}; return s[a & 3] + e + f + g + h; }\n"
      "typedef int (*many_t)(int, int, int, int, int, int, int, int, int, int, int, int);\nmany_t volatile p = many;\n"
      "int main(void) { return p(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12); }\n",
      "#include <stdio.h>\nint main(void) { printf(\"%d %x %s %f\\n\", -2147483647, -1, \"text\", 1.5); return 0; }\n",
  };
  for (const std::string &text : texts) {
    const program::Code code = linked({"-O1", file("main.c", text), "-DSTACK_SIZE_DEFAULT=2048"});
    const dpu::StackUse use = dpu::stackUse(code);
    EXPECT_TRUE(use.doubts.empty()) << use.doubts.front();
    const std::int64_t written = stackWritten(code);
    EXPECT_LE(written, use.bytes) << text << use.str();
    EXPECT_GE(written, use.bytes - 64) << text << use.str();
  }
}

TEST_F(UpmemCc, StacksHaveTheSizesOfTheFlags) {
  const program::Code code =
      linked({file("main.s", kMain), "-DNR_TASKLETS=3", "-DSTACK_SIZE_DEFAULT=512", "-DSTACK_SIZE_TASKLET_1=2048"});
  EXPECT_EQ(valueOf(code, "STACK_SIZE_TASKLET_0"), 512u);
  EXPECT_EQ(valueOf(code, "STACK_SIZE_TASKLET_1"), 2048u);
  EXPECT_EQ(valueOf(code, "STACK_SIZE_TASKLET_2"), 512u);
  EXPECT_EQ(valueOf(code, "STACK_SIZE_TASKLET_3"), 0u);
  EXPECT_EQ(valueOf(linked({path("main.s")}), "STACK_SIZE_TASKLET_0"), 1024u);
}

TEST_F(UpmemCc, ArgumentsThatAreNotItsOwnAreForClang) {
  const Result<CcRequest> read = readCcArguments({"-O3", "-I", "inc", "-DA=1", "-D", "B", "a.c", "-isystem", "sys",
                                                  "-Wall", "-o", "x", "-lm", "-Wl,-z,now", "-MMD", "-MF", "x.d"});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->flags, (std::vector<std::string>{"-O3", "-I", "inc", "-DA=1", "-DB", "-isystem", "sys", "-Wall"}));
  ASSERT_EQ(read->inputs.size(), 1u);
  EXPECT_EQ(read->inputs[0].file, "a.c");
  EXPECT_EQ(read->output, "x");
  EXPECT_EQ(read->dependencyFile, "x.d");
}

TEST_F(UpmemCc, OfSeveralStagesItStopsAtTheEarliest) {
  const auto stage = [](const std::vector<std::string> &flags) {
    std::vector<std::string> all = flags;
    all.push_back("a.c");
    const Result<CcRequest> read = readCcArguments(all);
    EXPECT_TRUE(read);
    return read->stage;
  };
  EXPECT_EQ(stage({}), CcRequest::Stage::kProgram);
  EXPECT_EQ(stage({"-S", "-c"}), CcRequest::Stage::kAssembly);
  EXPECT_EQ(stage({"-c", "-S"}), CcRequest::Stage::kAssembly);
  EXPECT_EQ(stage({"-E", "-c"}), CcRequest::Stage::kPreprocessed);
  EXPECT_EQ(stage({"-M", "-c"}), CcRequest::Stage::kDependencies);
}

TEST_F(UpmemCc, ObjectsAreLinkedLater) {
  const std::string main = file("main.s", kMain);
  ASSERT_EQ(upmemCc({"-c", main, "-o", path("main.o")}).status, 0);
  EXPECT_EQ(dpu::elfKind(contents("main.o")), dpu::ElfKind::kRelocatable);
  EXPECT_EQ(linked({path("main.o")}).instructions, linked({main}).instructions);
}

/// Assembly with a function of this name, which calls another.
std::string functionThatCalls(const std::string &name, const std::string &other) {
  return ".text\n.globl " + name + "\n" + name + ":\n  call r23, " + other + "\n  jump r23\n";
}

TEST_F(UpmemCc, OfAnArchiveItTakesWhatIsMissing) {
  const auto object = [&](const std::string &name, const std::string &text) {
    EXPECT_EQ(upmemCc({"-c", file(name + ".s", text), "-o", path(name + ".o")}).status, 0);
    return std::pair(name + "_with_a_long_name.o", contents(name + ".o"));
  };
  const std::string leaf = ".text\n.globl leaf\nleaf:\n  jump r23\n";
  const std::string archive =
      file("libparts.a", test::archiveOf({object("leaf", leaf), object("unused", functionThatCalls("unused", "nobody")),
                                          object("inner", functionThatCalls("inner", "leaf"))}));
  const std::string main = file("main.s", functionThatCalls("main", "inner"));
  for (const std::vector<std::string> &arguments :
       {std::vector{main, archive}, std::vector{archive, main},
        std::vector{main, std::string("-lparts"), "-L" + path("")},
        std::vector{main, std::string("-l:libparts.a"), std::string("-L"), path("")}}) {
    const program::Code code = linked(arguments);
    EXPECT_NE(code.symbolNamed("inner"), nullptr);
    EXPECT_NE(code.symbolNamed("leaf"), nullptr);
    EXPECT_EQ(code.symbolNamed("unused"), nullptr);
  }
}

TEST_F(UpmemCc, AnArchiveComesBeforeTheRunTimeLibrary) {
  const std::string own = ".text\n.globl memcpy\nmemcpy:\n  jump r23\n";
  ASSERT_EQ(upmemCc({"-c", file("own.s", own), "-o", path("own.o")}).status, 0);
  const std::string archive = file("own.a", test::archiveOf({{"own.o", contents("own.o")}}));
  const std::string main = file("main.s", functionThatCalls("main", "memcpy"));
  EXPECT_LT(linked({main, archive}).instructions.size(), linked({main}).instructions.size());
}

TEST_F(UpmemCc, ArgumentsMayStandInAFile) {
  const std::string main = file("main with a space.s", kMain);
  file("inner", "-DNR_TASKLETS=7");
  const std::string all = file("all", "\"" + main + "\"\n  '@" + path("inner") + "'\n");
  EXPECT_EQ(linked({"@" + all}).tasklets, 7);
}

TEST_F(UpmemCc, QuestionsOfBuildSystemsAreAnswered) {
  EXPECT_EQ(upmemCc({"-dumpmachine"}).text, "dpu-upmem-dpurt\n");
  EXPECT_NE(upmemCc({"--version"}).text.find("Target: dpu-upmem-dpurt"), std::string::npos);
  EXPECT_NE(upmemCc({"--help"}).text.find("-DNR_TASKLETS=N"), std::string::npos);
  EXPECT_EQ(upmemCc({"--help"}).status, 0);
}

TEST_F(UpmemCcC, StagesHaveTheirOutputs) {
  file("part.h", "#define VALUE 77\n");
  const std::string main = file("main.c", kProgram);
  EXPECT_EQ(upmemCc({"-S", main, "-o", path("main.s")}).status, 0);
  EXPECT_NE(contents("main.s").find("main:"), std::string::npos);
  EXPECT_EQ(upmemCc({"-S", "-emit-llvm", main, "-o", path("main.ll")}).status, 0);
  EXPECT_NE(contents("main.ll").find("ret i32 77"), std::string::npos);
  EXPECT_EQ(upmemCc({"-c", "-emit-llvm", main, "-o", path("main.bc")}).status, 0);
  EXPECT_TRUE(contents("main.bc").starts_with("BC"));
  EXPECT_NE(upmemCc({"-E", main}).text.find("return 77;"), std::string::npos);
  EXPECT_EQ(upmemCc({"-c", main, "-o", path("main.o")}).status, 0);
  EXPECT_FALSE(linked({main}).instructions.empty());
}

TEST_F(UpmemCcC, SeveralFilesMakeOneProgram) {
  file("part.h", "#define VALUE helper()\nint helper(void);\n");
  const program::Code code =
      linked({file("main.c", kProgram), file("helper.c", "int more(void);\nint helper(void) { return 5 + more(); }\n"),
              file("more.s", ".text\n.globl more\nmore:\n  jump r23\n")});
  for (const char *name : {"main", "helper", "more", "__bootstrap"}) EXPECT_NE(code.symbolNamed(name), nullptr) << name;
}

TEST_F(UpmemCcC, VariablesAndFunctionsHaveAnyNameThatCKnows) {
  for (const char *name : {"id", "zero", "one", "r0", "d2", "s31", "größe"}) {
    const std::string n = name;
    const program::Code variable =
        linked({file("v.c", "int " + n + " = 3, *p = &" + n + ";\nint main(void) { return " + n + " += *p; }\n")});
    EXPECT_NE(variable.symbolNamed(n), nullptr) << n;
    const program::Code function = linked({file("f.c", "int " + n + "(int);\nint (*p)(int) = " + n +
                                                           ";\nint main(void) { return " + n + "(4) + p(3); }\n"),
                                           file("g.c", "int " + n + "(int a) { return a * 3; }\n")});
    EXPECT_NE(function.symbolNamed(n), nullptr) << n;
  }
}

TEST_F(UpmemCcC, InstructionsKnowTheirLinesOfC) {
  const std::string main = file("main.c", "int x;\nint main(void) {\n  x = 5;\n  return 0;\n}\n");
  const program::Code code = linked({main});
  bool isKnown = false;
  for (const program::Code::Line &line : code.lines)
    isKnown |= line.line == 3 && line.file >= 0 && code.files[static_cast<std::size_t>(line.file)].ends_with("main.c");
  EXPECT_TRUE(isKnown);
}

TEST_F(UpmemCcC, FilesAreNamedAsTheyWereGiven) {
  const auto compiler = makeDpuCompiler();
  const Result<std::string> text =
      compiler->compile({"dir/name.c",
                         "#include <seqread.h>\nint main(void) { seqreader_t r; return seqread_seek(0, &r) != 0; }\n",
                         {"-O0"}});
  ASSERT_TRUE(text);
  const Result<dpu::Object> object = dpu::assembleCompiled(*text, "dir/name.c");
  ASSERT_TRUE(object);
  ASSERT_GE(object->files.size(), 2u);
  EXPECT_EQ(object->files[0], "dir/name.c");
  EXPECT_NE(std::find(object->files.begin(), object->files.end(), "include/seqread.h"), object->files.end());
}

TEST_F(UpmemCcC, MakeLearnsWhatAnObjectIsMadeOf) {
  const std::string header = file("part.h", "#define VALUE 1\n"), main = file("main.c", kProgram);
  ASSERT_EQ(upmemCc({"-c", main, "-MMD", "-MP", "-MT", "main.o", "-o", path("main.o")}).status, 0);
  const std::string rule = contents("main.d");
  EXPECT_EQ(rule, "main.o: \\\n  " + main + " \\\n  " + header + "\n\n" + header + ":\n");
  EXPECT_EQ(upmemCc({"-M", main, "-MT", "x"}).text, "x: \\\n  " + main + " \\\n  " + header + "\n");
}

TEST_F(UpmemCcC, ThePartOfTheLibraryThatIsCIsCompiledWhereItIsMissing) {
  const std::string text =
      "#include <stdlib.h>\nstatic int less(const void *a, const void *b) { return *(const int *)a - *(const int *)b; "
      "}\n"
      "int v[4], k;\nint main(void) { return bsearch(&k, v, 4, 4, less) != 0; }\n";
  EXPECT_NE(linked({file("main.c", text)}).symbolNamed("bsearch"), nullptr);
  EXPECT_EQ(linked({file("other.c", "int main(void) { return 0; }\n")}).symbolNamed("bsearch"), nullptr);
}

TEST_F(UpmemCcC, ACompilerKeepsWhatItMade) {
  const auto compiler = makeDpuCompiler();
  const program::DpuSource source{"a.c", "int f(void) { return 1; }\n", {"-O2"}};
  const auto first = compiler->compileUnit(source), second = compiler->compileUnit(source);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
  const auto other = compiler->compileUnit({"a.c", source.text, {"-O1"}});
  ASSERT_TRUE(other);
  EXPECT_NE(first->get(), other->get());
}

TEST_F(UpmemCcC, FilesThatMayChangeAreReadAgain) {
  const auto compiler = makeDpuCompiler();
  file("part.h", "#define VALUE 1\n");
  const program::DpuSource source{path("main.c"), kProgram, {}};
  const Result<std::string> before = compiler->compile(source);
  file("part.h", "#define VALUE 2\n");
  const Result<std::string> after = compiler->compile(source);
  ASSERT_TRUE(before && after);
  EXPECT_NE(*before, *after);
}

// What nobody needs.

}  // namespace
}  // namespace pimento::driver
