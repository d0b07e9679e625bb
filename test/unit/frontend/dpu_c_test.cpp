// C for DPUs through Clang: types and layout (docs/decisions/0010-dpu-c-abi.md), headers, flags, what a module says.
#include "pimento/frontend/dpu_c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "pimento/frontend/c/dpu_target.h"
#include "pimento/program/dpu_compiler.h"

namespace {

using namespace pimento;

std::string said(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &d : diagnostics) text += d.str() + "\n";
  return text;
}

Result<frontend::DpuModule> read(const std::string &text, const std::vector<std::string> &arguments = {}) {
  return frontend::readDpuC({"file.c", text, arguments});
}

/// A module in text form.
class Ir {
 public:
  explicit Ir(const std::string &text, const std::vector<std::string> &arguments = {}) {
    const Result<frontend::DpuModule> made = read(text, arguments);
    if (!made) {
      ADD_FAILURE() << said(made.diagnostics());
      return;
    }
    auto parsed = llvm::parseBitcodeFile(llvm::MemoryBufferRef(made->bytes, "module"), context_);
    if (!parsed) {
      ADD_FAILURE() << llvm::toString(parsed.takeError());
      return;
    }
    module = std::move(*parsed);
    llvm::raw_string_ostream out(text_);
    module->print(out, nullptr);
  }
  /// What a variable holds at first.
  std::vector<unsigned> bytesOf(const char *name) const {
    const llvm::GlobalVariable &variable = *module->getNamedGlobal(name);
    const llvm::DataLayout &layout = module->getDataLayout();
    std::vector<unsigned> bytes;
    for (unsigned i = 0; i < layout.getTypeAllocSize(variable.getValueType()); ++i) {
      const llvm::Constant *byte =
          llvm::ConstantFoldLoadFromConst(const_cast<llvm::Constant *>(variable.getInitializer()),
                                          llvm::Type::getInt8Ty(variable.getContext()), llvm::APInt(32, i), layout);
      const auto *number = llvm::dyn_cast_or_null<llvm::ConstantInt>(byte);
      bytes.push_back(number != nullptr ? static_cast<unsigned>(number->getZExtValue()) : 0);
    }
    return bytes;
  }
  bool has(const std::string &part) const { return text_.find(part) != std::string::npos; }
  bool lacks(const std::string &part) const { return text_.find(part) == std::string::npos; }

 private:
  llvm::LLVMContext context_;
  std::string text_;

 public:
  std::unique_ptr<llvm::Module> module;
};

/// Whether the assertions hold on a DPU.
testing::AssertionResult holds(const std::string &declarations, const std::vector<std::string> &facts) {
  std::string text = "#include <stddef.h>\n#include <stdint.h>\n#include <stdarg.h>\n" + declarations + "\n";
  for (const std::string &fact : facts) text += "_Static_assert(" + fact + ", \"\");\n";
  const Result<frontend::DpuModule> made = read(text);
  return made ? testing::AssertionSuccess() : testing::AssertionFailure() << said(made.diagnostics());
}

TEST(DpuC, ATypeHasTheSizeOfTheDecision) {
  EXPECT_TRUE(holds(
      "", {"sizeof(char) == 1", "sizeof(short) == 2", "sizeof(int) == 4", "sizeof(long) == 4", "sizeof(long long) == 8",
           "sizeof(float) == 4", "sizeof(double) == 8", "sizeof(long double) == 8", "sizeof(void *) == 4",
           "sizeof(void (*)(void)) == 4", "sizeof(size_t) == 4", "sizeof(ptrdiff_t) == 4", "sizeof(wchar_t) == 4",
           "sizeof(_Bool) == 1", "sizeof(enum { A }) == 4", "sizeof(intptr_t) == 4", "sizeof(int64_t) == 8",
           "sizeof(va_list) == 4", "sizeof(void __attribute__((address_space(255))) *) == 4"}));
}

TEST(DpuC, ATypeIsAlignedToItsSize) {
  EXPECT_TRUE(holds("", {"_Alignof(short) == 2", "_Alignof(int) == 4", "_Alignof(long) == 4",
                         "_Alignof(long long) == 8", "_Alignof(double) == 8", "_Alignof(long double) == 8",
                         "_Alignof(void *) == 4", "_Alignof(max_align_t) == 8", "__BIGGEST_ALIGNMENT__ == 8"}));
}

TEST(DpuC, ATypeIsTheOneTheInterfaceExpects) {
  EXPECT_TRUE(
      holds("", {"(char)-1 < 0", "(wchar_t)-1 < 0", "__builtin_types_compatible_p(size_t, unsigned int)",
                 "__builtin_types_compatible_p(ptrdiff_t, int)", "__builtin_types_compatible_p(int32_t, int)",
                 "__builtin_types_compatible_p(uintptr_t, unsigned int)",
                 "__builtin_types_compatible_p(int64_t, long long)", "__builtin_types_compatible_p(va_list, void *)",
                 "SIZE_MAX == 0xffffffffu", "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__"}));
}

// Written once, compiled here by the compiler of the tests and there for a DPU.
#define PIMENTO_SHARED(...) \
  __VA_ARGS__;              \
  constexpr const char *kShared = #__VA_ARGS__ ";";
PIMENTO_SHARED(
    struct Mixed {
      char c;
      short s;
      char d;
      int i;
      long long l;
      float f;
      double x;
      unsigned char e;
    };
    struct Inner {
      uint8_t tag;
      int64_t value;
    };
    struct Outer {
      char name[5];
      struct Inner inner[3];
      uint16_t tail[3];
    };
    struct Bits {
      unsigned a : 3, b : 7;
      unsigned c : 25;
      unsigned long long d : 40;
      signed char e : 2;
      unsigned short f : 9;
    };
    union Either {
      int32_t words[3];
      double x;
    };
    struct Packed {
      char a;
      int b;
      long long c;
    } __attribute__((packed)))

std::string sizeIs(const char *type, std::size_t size, std::size_t alignment) {
  return std::string("sizeof(") + type + ") == " + std::to_string(size) + " && _Alignof(" + type +
         ") == " + std::to_string(alignment);
}
std::string offsetIs(const char *type, const char *member, std::size_t offset) {
  return std::string("offsetof(") + type + ", " + member + ") == " + std::to_string(offset);
}
#define SIZE(T) sizeIs(#T, sizeof(T), alignof(T))
#define OFFSET(T, M) offsetIs(#T, #M, offsetof(T, M))

TEST(DpuC, AStructWithoutPointersAndLongLiesAsOnA64BitHost) {
  EXPECT_TRUE(holds(kShared, {SIZE(struct Mixed), SIZE(struct Inner), SIZE(struct Outer), SIZE(struct Bits),
                              SIZE(union Either), SIZE(struct Packed)}));
  EXPECT_TRUE(holds(
      kShared, {OFFSET(struct Mixed, s), OFFSET(struct Mixed, d), OFFSET(struct Mixed, i), OFFSET(struct Mixed, l),
                OFFSET(struct Mixed, f), OFFSET(struct Mixed, x), OFFSET(struct Mixed, e), OFFSET(struct Inner, value),
                OFFSET(struct Outer, inner), OFFSET(struct Outer, inner[2].value), OFFSET(struct Outer, tail),
                OFFSET(struct Packed, b), OFFSET(struct Packed, c)}));
  EXPECT_FALSE(holds(kShared, {"sizeof(struct Mixed) == 40"}));
}

TEST(DpuC, BitFieldsLieAsOnA64BitHost) {
  Bits bits{};
  bits.a = 5, bits.b = 99, bits.c = 0x1abcdef, bits.d = 0x9123456789, bits.e = -1, bits.f = 300;
  unsigned char bytes[sizeof bits];
  std::copy_n(reinterpret_cast<const unsigned char *>(&bits), sizeof bits, bytes);
  const Ir ir(std::string("#include <stdint.h>\n") + kShared +
              "struct Bits bits = {5, 99, 0x1abcdef, 0x9123456789ull, -1, 300};\n");
  ASSERT_TRUE(ir.module);
  EXPECT_EQ(ir.bytesOf("bits"), std::vector<unsigned>(std::begin(bytes), std::end(bytes)));
}

TEST(DpuC, PointersAndLongAreWhereADpuDiffersFromTheHost) {
  EXPECT_TRUE(holds("struct S { char c; void *p; long l; char d; };",
                    {"sizeof(struct S) == 16", "offsetof(struct S, p) == 4", "offsetof(struct S, l) == 8"}));
}

TEST(DpuC, AModuleSaysItsTripleAndLayout) {
  const Ir ir("int f(int a) { return a + 1; }");
  EXPECT_EQ(ir.module->getTargetTriple(), frontend::kDpuTriple);
  EXPECT_EQ(ir.module->getDataLayoutStr(), frontend::kDpuDataLayout);
}

TEST(DpuC, AModuleIsNotOptimisedButMayBe) {
  for (const char *level : {"-O0", "-O2", "-Os"}) {
    const Ir ir("int f(int a) { int b = a; return b + 0; }", {level});
    EXPECT_TRUE(ir.has("alloca")) << level;
    EXPECT_TRUE(ir.lacks("optnone")) << level;
  }
  EXPECT_EQ(read("", {})->level, 2);
  EXPECT_EQ(read("", {"-O0"})->level, 0);
  EXPECT_EQ(read("", {"-O"})->level, 1);
  EXPECT_EQ(read("", {"-O1", "-O3"})->level, 3);
  EXPECT_EQ(read("", {"-Os"})->level, 2);
}

TEST(DpuC, StructsTravelThroughMemory) {
  const Ir ir("struct P { int x, y; }; struct P f(struct P p) { p.x++; return p; }");
  EXPECT_TRUE(ir.has("sret(%struct.P)"));
  EXPECT_TRUE(ir.has("byval(%struct.P)"));
}

TEST(DpuC, LinesAreKeptUnlessToldOtherwise) {
  const char *text = "int f(int a) {\n  return a * 3;\n}\n";
  EXPECT_TRUE(Ir(text).has("!DILocation(line: 2"));
  EXPECT_TRUE(Ir(text, {"-g"}).has("!DILocation(line: 2"));
  EXPECT_TRUE(Ir(text, {"-g0"}).lacks("!DILocation"));
  EXPECT_FALSE(read(text, {"-g0"})->keepsLines);
}

TEST(DpuC, FlagsMeanWhatTheyMeanToClang) {
  EXPECT_TRUE(Ir("int f(void) { return VALUE; }", {"-DVALUE=77"}).has("ret i32 77"));
  EXPECT_TRUE(Ir("int f(void) { return VALUE; }", {"-D", "VALUE=78"}).has("ret i32 78"));
  EXPECT_TRUE(Ir("_Static_assert((char)-1 > 0, \"\");", {"-funsigned-char"}).has("triple"));
  EXPECT_TRUE(Ir("int f(int *p) { return *p; }").has("!tbaa"));
  EXPECT_TRUE(Ir("int f(int *p) { return *p; }", {"-fno-strict-aliasing"}).lacks("!tbaa"));
  EXPECT_TRUE(Ir("_Static_assert(__STDC_VERSION__ == 201112, \"\");").has("triple"));
  EXPECT_TRUE(Ir("_Static_assert(__STDC_VERSION__ == 199901, \"\");", {"-std=c99"}).has("triple"));
  EXPECT_TRUE(
      Ir("_Static_assert(__dpu__ && __DPU__, \"\");", {"-Wall", "-pedantic", "-mcpu=v1A", "-target", "dpu-upmem-dpurt"})
          .has("triple"));
  for (const char *flag : {"--target=dpu-upmem-dpurt", "--target=dpu-upmem-dpurte"})
    EXPECT_TRUE(Ir("int x;", {flag}).has("triple")) << "what UPMEM's tools call it, too: " << flag;
}

TEST(DpuC, TheInterfacesHeadersAreFoundWithoutBeingInstalled) {
  for (const char *header : {"stdint.h", "stddef.h", "stdbool.h", "stdarg.h", "limits.h", "float.h", "string.h",
                             "mram.h", "defs.h", "barrier.h", "alloc.h"})
    EXPECT_TRUE(read(std::string("#include <") + header + ">\n", {"-DNR_TASKLETS=16"})) << header;
}

TEST(DpuC, TheCounterGoesOnAsBefore) {
  EXPECT_TRUE(
      read("#include <perfcounter.h>\nperfcounter_t f(void) { return perfcounter_config(COUNT_SAME, true); }\n"));
}

TEST(DpuC, MramIsAnAddressSpace) {
  const Ir ir("#include <mram.h>\n__mram int value[4]; int f(void) { return value[1]; }");
  EXPECT_TRUE(ir.has("addrspace(255) global [4 x i32]"));
  EXPECT_TRUE(ir.has("load i32, ptr addrspace(255)"));
}

TEST(DpuC, WarningsAreKeptApart) {
  const auto made = read("int f(void) {\n  int x;\n  return 1;\n}\n", {"-Wall"});
  ASSERT_TRUE(made);
  ASSERT_EQ(made->warnings.size(), 1u);
  EXPECT_EQ(made->warnings[0].str(), "file.c:2:7: warning: unused variable 'x' (-Wunused-variable) [dpu-c]");
  EXPECT_TRUE(read("int f(void) { int x; return 1; }", {"-Wall", "-w"})->warnings.empty());
}

TEST(DpuC, OldHabitsAreWarnedOfAsUpmemsCompilerDoes) {
  const auto made = read("int f(void) { return later(1); }\nint *g(void) { return 5; }\nh(void) { return 1; }\n");
  ASSERT_TRUE(made) << said(made.diagnostics());
  EXPECT_EQ(made->warnings.size(), 3u) << said(made->warnings);
}

TEST(DpuC, ThePreprocessedTextHasLineMarkers) {
  const auto made = frontend::readDpuC({"file.c", "#define A 3\nint x = A;\n", {}}, frontend::DpuOutput::kPreprocessed);
  ASSERT_TRUE(made);
  EXPECT_NE(made->bytes.find("# 1 \"file.c\""), std::string::npos) << made->bytes;
  EXPECT_NE(made->bytes.find("int x = 3;"), std::string::npos);
}

TEST(DpuC, InlineAssemblyReachesTheModule) {
  EXPECT_TRUE(
      Ir("int f(int a) { int r; __asm__ volatile(\"add %0, %1, 1\" : \"=r\"(r) : \"r\"(a) : \"r5\"); return r; }")
          .has("\"add $0, $1, 1\", \"=r,r,~{r5}\""));
}

}  // namespace
