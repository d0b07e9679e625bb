// `upmem-cc`: what goes in and comes out, what the linker learns from flags, dependencies for make, one compiler that
// keeps what it made.
#include "pimento/driver/upmem_cc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/load.h"
#include "pimento/dpu/padded_routines.h"
#include "pimento/dpu/stack_use.h"
#include "pimento/driver/dpu_compiler.h"
#include "pimento/driver/upmem_cc_arguments.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "test/support/archive.h"
#include "test/support/linked_dpu.h"

namespace pimento::driver {
namespace {

class UpmemCc : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) /
              ("upmem_cc_unit_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string &name) const { return (folder_ / name).string(); }
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
    const CcOutcome done = upmemCc(arguments, {PIMENTO_SOURCE_DIR "/machines"});
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
  std::filesystem::path folder_;
};

TEST_F(UpmemCc, AProgramIsLinkedForOneTaskletUnlessTold) {
  const std::string main = file("main.s", kMain);
  EXPECT_EQ(linked({main}).tasklets, 1);
  EXPECT_EQ(linked({main, "-DNR_TASKLETS=16"}).tasklets, 16);
  EXPECT_EQ(linked({main, "-D", "NR_TASKLETS=11"}).tasklets, 11);
  EXPECT_EQ(linked({main, "-Wl,--defsym,NR_TASKLETS=12"}).tasklets, 12);
  EXPECT_EQ(linked({main, "-DNR_TASKLETS=3", "-DNR_TASKLETS=4"}).tasklets, 4);
}

/// The word of WRAM that a symbol names, as it is loaded.
std::uint32_t wordAt(const program::Code &code, const char *name) {
  const program::Code::Symbol *symbol = code.symbolNamed(name);
  std::uint32_t word = 0;
  for (const program::Code::Segment &s : code.segments) {
    if (symbol == nullptr || symbol->address < s.address || symbol->address + 4 > s.address + s.bytes.size()) continue;
    for (std::uint32_t i = 4; i-- > 0;) word = word << 8 | s.bytes[symbol->address - s.address + i];
  }
  return word;
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

/// What needs Clang.
class UpmemCcC : public UpmemCc {
 protected:
  void SetUp() override {
    UpmemCc::SetUp();
    if (!makeDpuCompiler()) GTEST_SKIP() << "this build has no LLVM";
  }
  const std::string kProgram = "#include \"part.h\"\nint main(void) { return VALUE; }\n";
};

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

const std::string kDebugging =
    "#include <mram.h>\n#include <stdio.h>\n__host int result;\n__mram_noinit int data[4];\nint unused[100] = {1};\n"
    "__attribute__((used)) int kept = 5;\nvoid debug(int x) { printf(\"x is %d\\n\", x + unused[x]); }\n"
    "int main(void) { return 0; }\n";

TEST_F(UpmemCcC, AnUnusedFunctionThatPrintsTakesNoMemory) {
  const program::Code code = linked({file("main.c", kDebugging)});
  EXPECT_EQ(code.mramUsed, 16u) << "data alone, no log";
  for (const char *name : {"debug", "unused", "printf", "__log_buffer"})
    EXPECT_EQ(code.symbolNamed(name), nullptr) << name;
  for (const char *name : {"result", "data", "kept"}) EXPECT_NE(code.symbolNamed(name), nullptr) << name;
}

TEST_F(UpmemCcC, ThatHoldsForObjectsToo) {
  const std::string main = file("main.c", kDebugging);
  ASSERT_EQ(upmemCc({"-c", main, "-o", path("main.o"), "-ffunction-sections", "-fdata-sections"}).status, 0);
  EXPECT_EQ(linked({path("main.o"), "-Wl,--gc-sections"}).mramUsed, 16u);
  EXPECT_GT(linked({path("main.o"), "-Wl,--no-gc-sections"}).mramUsed, 65536u);
  EXPECT_NE(linked({path("main.o"), "-u", "debug"}).symbolNamed("printf"), nullptr);
}

TEST_F(UpmemCcC, EveryProgramSaysHowManyClocksASecondHas) {
  const program::Code code = linked({file("main.c", "int main(void) { return 0; }\n")});
  EXPECT_NE(code.symbolNamed("CLOCKS_PER_SEC"), nullptr);
}

TEST_F(UpmemCcC, AProgramsOwnFunctionsTakeThePlaceOfTheLibrarys) {
  // exp and expf come from one file of the library; memcpy and memmove too.
  const program::Code code = linked({file(
      "main.c",
      "#include <math.h>\n#include <string.h>\nfloat expf(float x) { return x + 1; }\n"
      "float ldexpf(float x, int e) { return x * (float)(1 << e); }\nvolatile double d;\nvolatile float f;\nchar "
      "a[64], b[64];\n"
      "void *memcpy(void *restrict to, const void *restrict from, size_t n) { for (size_t i = 0; i < n; ++i) "
      "((volatile char *)to)[i] = ((const char *)from)[i]; return to; }\n"
      "int main(void) { d = exp(d) + ldexp(d, 3); f = expf(f) + ldexpf(f, 2); memmove(a, b, sizeof a); memcpy(b, a, "
      "(unsigned)f); return 0; }\n")});
  EXPECT_NE(code.symbolNamed("expf"), nullptr);
}

TEST_F(UpmemCcC, AThinArchiveIsReadThroughItsFiles) {
  ASSERT_EQ(upmemCc({"-c", file("part.c", "int part(void) { return 3; }\n"), "-o", path("part.o")}).status, 0);
  const std::string header = "part.o/         0           0     0     644     1000      `\n";
  const std::string main = file("main.c", "int part(void);\nint main(void) { return part(); }\n");
  EXPECT_NE(linked({main, file("libpart.a", "!<thin>\n" + header)}).symbolNamed("part"), nullptr);
  const CcOutcome missing =
      upmemCc({main, file("libnone.a", "!<thin>\n" + std::string(header).replace(0, 6, "none.o"))});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.messages.find("none.o"), std::string::npos) << missing.messages;
}

// The interface.

TEST_F(UpmemCcC, DefinitionsByMacroStandWithAndWithoutASemicolon) {
  const std::string text =
      "#include <barrier.h>\n#include <mutex.h>\n#include <mutex_pool.h>\n#include <profiling.h>\n#include <sem.h>\n"
      "#include <vmutex.h>\nBARRIER_INIT(b, NR_TASKLETS)\nSEMAPHORE_INIT(s, -1)\nMUTEX_INIT(m)\nMUTEX_POOL_INIT(p, 4)\n"
      "VMUTEX_INIT(v, 8, 2)\nPROFILING_INIT(c)\nATOMIC_BIT_INIT(a)\nBARRIER_INIT(b2, NR_TASKLETS);\n"
      "SEMAPHORE_INIT(s2, 1);\nMUTEX_INIT(m2);\nMUTEX_POOL_INIT(p2, 4);\nVMUTEX_INIT(v2, 8, 2);\nPROFILING_INIT(c2);\n"
      "ATOMIC_BIT_INIT(a2);\n_Static_assert(sizeof b == 4 && sizeof s == 4 && sizeof b.lock == 1, \"\");\n"
      "int main(void) { barrier_wait(&b); barrier_wait(&b2); sem_give(&s); return 0; }\n";
  const CcOutcome done = upmemCc({"-c", "-Wall", "-Wextra", file("main.c", text), "-o", path("main.o")});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.messages, "");
  const program::Code code = linked({path("main.o")});
  EXPECT_EQ(wordAt(code, "b") & 0xffffff, 0x0101ffU) << "nobody waits, one to come of one";
  EXPECT_EQ(wordAt(code, "b") >> 24, valueOf(code, "__atomic_bit_barrier_b") & 0xff);
  EXPECT_EQ(wordAt(code, "s") & 0xffffff, 0xffffffU);
}

TEST_F(UpmemCcC, EveryInstructionHasABuiltIn) {
  const std::string text =
      "#include <built_ins.h>\n#include <macro_utils.h>\nunsigned f(unsigned a, unsigned b) {\n  unsigned p, q, r, s, "
      "t;\n"
      "  __builtin_nop_();\n  __builtin_add_rri(p, a, \"0x12\");\n  __builtin_sub_rrrc(q, a, b, \"eq\");\n"
      "  __builtin_acquire_rici(b, \"0\", \"nz\", __AT_THIS_INSTRUCTION);\n  __builtin_lw_rri(r, a, \"4\");\n"
      "  __builtin_add_ssi(s, b, \"8\");\n  __builtin_time_r(t);\n  return p + q + r + s + t;\n}\n";
  const CcOutcome done = upmemCc({"-S", "-o", "-", file("f.c", text)});
  ASSERT_EQ(done.status, 0) << done.messages;
  for (const char *line : {"nop\n", ", 0x12", ", eq", ", 0, nz, .", "lw r", "add s", "time r"})
    EXPECT_NE(done.text.find(line), std::string::npos) << line << "\n" << done.text;
}

TEST_F(UpmemCcC, AProgramIsCompiledForOneTaskletUnlessTold) {
  const std::string main = file("main.c", "int one[NR_TASKLETS == 1 ? 1 : -1];\nint main(void) { return one[0]; }\n");
  EXPECT_NE(linked({main}).symbolNamed("one"), nullptr);
  EXPECT_EQ(upmemCc({"-c", "-DNR_TASKLETS=2", main, "-o", path("main.o")}).status, 1);
}

TEST_F(UpmemCcC, ArraysOfEightBytesAndMoreAreAlignedForTransfers) {
  const program::Code code = linked({file("main.c",
                                          "char a = 1, buffer[9] = {2}, c = 3;\nvolatile short table[4] = {4};\n"
                                          "int main(void) { volatile char local[8]; local[0] = 0; return a + buffer[1] "
                                          "+ c + table[2] + ((int)local & 7); }\n")});
  EXPECT_EQ(valueOf(code, "buffer") % 8, 0U);
  EXPECT_EQ(valueOf(code, "table") % 8, 0U);
}

TEST_F(UpmemCcC, BothCountsOfTheCounterAreGivenAtOnce) {
  const program::Code code = linked(
      {file("main.c",
            "#include <attributes.h>\n#include <perfcounter.h>\n__host perfcounter_pair_t both;\nvolatile int x;\n"
            "int main(void) { perfcounter_config(COUNT_ENABLE_BOTH, true); for (int i = 0; i < 1000; ++i) x = i;\n"
            "both = perfcounter_get_both(false); return 0; }\n")});
  const auto image = sim::dpu::Image::make(code);
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(image.ok() && machine.ok());
  sim::dpu::Dpu dpu(*image, *machine->dpu);
  EXPECT_FALSE(dpu.simulate({}).fault);
  std::vector<std::byte> bytes(16);
  dpu.readWram(valueOf(code, "both"), bytes);
  std::uint64_t both[2];
  std::memcpy(both, bytes.data(), sizeof both);
  EXPECT_NEAR(static_cast<double>(both[0]), 11.0 * static_cast<double>(both[1]), 11 * 48.0) << "of one tasklet";
  EXPECT_GT(both[1], 1000U);
}

// Times as of the vendor's compiler.

/// Cycles of a run of one tasklet.
double cyclesOf(const program::Code &code) {
  const auto image = sim::dpu::Image::make(code);
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  if (!image || !machine) return 0;
  sim::dpu::Dpu dpu(*image, *machine->dpu);
  const auto run = dpu.simulate({});
  EXPECT_FALSE(run.fault) << run.fault->str();
  return static_cast<double>(run.cycles.value);
}

/// `count` calls of a routine on numbers from 1 to 1,000.
std::string callsOf(const std::string &routine, bool isWide, int count) {
  std::string data;
  std::uint32_t random = 1;
  for (int i = 0; i < 2 * count; ++i) {
    random = random * 1664525 + 1013904223;
    const double value = 1 + (random >> 12) * 0.001;
    const auto narrow = static_cast<float>(value);
    data += isWide ? fmt::format(".quad {}\n", std::bit_cast<std::uint64_t>(value))
                   : fmt::format(".long {}\n", std::bit_cast<std::uint32_t>(narrow));
  }
  return fmt::format(
      ".text\n.globl main\nmain: move r16, r23\n  move r14, {}\n  move r15, numbers\n1: {}\n  call r23, {}\n"
      "  add r14, r14, -1, nz, 1b\n  jump r16\n.data\n.p2align 3\nnumbers:\n{}",
      count,
      isWide ? "ld d0, r15, 0; ld d2, r15, 8; add r15, r15, 16" : "lw r0, r15, 0; lw r1, r15, 4; add r15, r15, 8",
      routine, data);
}

TEST_F(UpmemCc, RoutinesTakeTheSlotsThatTheySayAndThoseOfTheVendorsLibraryWhereAsked) {
  const auto slotsOf = [&](const std::string &routine, bool isWide, std::vector<std::string> flags) {
    double cycles[2];
    for (const int many : {0, 1}) {
      std::vector<std::string> arguments = flags;
      arguments.push_back(file("calls.s", callsOf(routine, isWide, many == 0 ? 100 : 300)));
      cycles[many] = cyclesOf(linked(arguments));
    }
    return (cycles[1] - cycles[0]) / 200 / 11 - 4;  // beside the call: two loads, an address, the counter
  };
  const auto machine = machine::loadMachine("upmem", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine.ok() && machine->compute);
  for (const dpu::RoutineCost &cost : dpu::libraryCosts()) {
    if (cost.name == "__muldi3") continue;  // its operands here are no numbers that it is of
    const bool isWide = cost.name.find("df3") != std::string::npos;
    EXPECT_NEAR(slotsOf(cost.name, isWide, {}), cost.slots, 0.02 * cost.slots + 1) << cost.name;
    const char *operation = cost.name.find("mul") != std::string::npos   ? "mul"
                            : cost.name.find("div") != std::string::npos ? "div"
                                                                         : "add";
    const auto *published = machine->compute->costOf(operation, isWide ? DType::kF64 : DType::kF32);
    ASSERT_NE(published, nullptr);
    EXPECT_NEAR(slotsOf(cost.name, isWide, {"--like=vendor"}), static_cast<double>(published->slots),
                0.02 * cost.slots + 1)
        << cost.name;
  }
}

TEST_F(UpmemCcC, LoopsAndProductsAreAsTheVendorsWhereAsked) {
  const std::string text = "void f(int *restrict a, int s, int n) { for (int i = 0; i < n; ++i) a[i] = a[i] * s; }\n";
  const CcOutcome own = upmemCc({"-S", "-O2", "-o", "-", file("f.c", text)}),
                  like = upmemCc({"--like=vendor", "-S", "-O2", "-o", "-", file("f.c", text)});
  ASSERT_TRUE(own.status == 0 && like.status == 0) << own.messages << like.messages;
  EXPECT_NE(own.text.find("mul_step"), std::string::npos);
  EXPECT_EQ(like.text.find("mul_step"), std::string::npos);
  EXPECT_NE(like.text.find("call\tr23, __mulsi3"), std::string::npos);
  EXPECT_EQ(like.text.find("call\tr23, __mulsi3"), like.text.rfind("call\tr23, __mulsi3")) << "not unrolled";
  EXPECT_NE(like.text.find("lsl_add"), std::string::npos) << "an address from the index: " << like.text;
  EXPECT_EQ(upmemCc({"--like=else", "f.c"}).status, 2);
}

TEST_F(UpmemCcC, ATransferMayBeOfAKnownSizeInOnePlaceOnly) {
  // Inlined after `count == 16`, its size is a constant; at the end it is not.
  const std::string program = file("buffer.c", R"(#include <defs.h>
#include <mram.h>
__mram_noinit uint64_t out[4096];
__host uint32_t n;
static uint64_t cache[16];
static uint32_t at;
static void flush(uint32_t *count) {
  if (*count == 0) return;
  if (at + *count > 4096) halt();
  mram_write(cache, &out[at], *count * 8);
  at += *count;
  *count = 0;
}
int main() {
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; ++i) {
    cache[count++] = i;
    if (count == 16) flush(&count);
  }
  flush(&count);
  return 0;
}
)");
  for (const char *level : {"-O0", "-O1", "-O2", "-O3", "-Os"}) {
    auto image = sim::dpu::Image::make(linked({level, program}));
    ASSERT_TRUE(image) << level;
    sim::dpu::Dpu dpu(*image, test::plainDpu());
    const std::uint32_t n = 37;
    dpu.writeWram(valueOf((*image)->code, "n"), std::as_bytes(std::span(&n, 1)));
    EXPECT_FALSE(dpu.simulate({}).fault) << level;
    std::vector<std::uint64_t> words(n);
    dpu.readMram(0, std::as_writable_bytes(std::span(words)));
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(words[i], i) << level;
  }
}

}  // namespace
}  // namespace pimento::driver
