// Which instructions small functions become. What they compute is tested by running them (unit/driver, validation).
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "pimento/backend_dpu/backend.h"
#include "pimento/dpu/assembler.h"

namespace pimento::backend_dpu {
namespace {

/// The instructions of the only function of `ir`, one per line, a single space after the mnemonic.
std::string body(const std::string &ir, Options options = {}) {
  const auto assembly = compile(ir, options);
  EXPECT_TRUE(assembly.ok()) << assembly.diagnostics().front().str();
  if (!assembly) return {};
  EXPECT_TRUE(dpu::assemble(*assembly, "f.s").ok()) << *assembly;
  std::istringstream lines(*assembly);
  std::string line, text;
  while (std::getline(lines, line)) {
    const bool isLabel = !line.empty() && line[0] == '.' && line.back() == ':' && line.rfind(".Lfunc", 0) != 0;
    if (isLabel) text += line + "\n";
    if (line.empty() || line[0] != '\t' || line[1] == '.' || line[1] == '/') continue;
    line = std::regex_replace(line.substr(1), std::regex("\t"), " ");
    text += line + "\n";
  }
  return text;
}

TEST(Selection, A64BitSumIsTwoInstructions) {
  EXPECT_EQ(body("define i64 @f(i64 %a, i64 %b) { %s = add i64 %a, %b\n ret i64 %s }"),
            "add r1, r3, r1\naddc r0, r2, r0\njump r23\n");
  EXPECT_EQ(body("define i64 @f(i64 %a) { %s = add i64 %a, 4294967297\n ret i64 %s }"),
            "add r1, r1, 1\naddc r0, r0, 1\njump r23\n");
}

TEST(Selection, AComparisonIsOneInstructionWhereItIsAValueAndWhereItBranches) {
  EXPECT_EQ(body("define i32 @f(i32 %a, i32 %b) { %c = icmp slt i32 %a, %b\n %r = zext i1 %c to i32\n ret i32 %r }"),
            "sub r0, r0, r1, lts\njump r23\n");
  EXPECT_EQ(body("define i32 @f(i64 %a, i64 %b) { %c = icmp ule i64 %a, %b\n %r = zext i1 %c to i32\n ret i32 %r }"),
            "sub zero, r1, r3\nsubc r0, r0, r2, xleu\njump r23\n");
  const std::string text = body(
      "define void @f(i32 %a, ptr %p) { %c = icmp ugt i32 %a, 1000\n br i1 %c, label %x, label %y\n"
      "x: store i32 7, ptr %p\n ret void\n y: ret void }");
  EXPECT_NE(text.find("jleu r0, 1000, "), std::string::npos) << text;
  EXPECT_NE(text.find("sw r1, 0, 7\n"), std::string::npos) << text;
}

/// What `f` becomes that compares %a and %b, 64 bits each, and branches.
std::string branchOn(const std::string &comparison) {
  return body("declare void @g()\ndefine void @f(i64 %a, i64 %b) { %c = icmp " + comparison +
              "\n br i1 %c, label %x, label %y\nx: call void @g()\n ret void\ny: ret void }");
}

TEST(Selection, ABranchOn64BitsIsTwoInstructionsAndOneOnZero) {
  for (const auto &[comparison, first, second] :
       {std::tuple("eq i64 %a, %b", "sub zero, r1, r3\n", "subc zero, r0, r2, xnz, .L"),
        std::tuple("ne i64 %a, %b", "sub zero, r1, r3\n", "subc zero, r0, r2, xz, .L"),
        std::tuple("slt i64 %a, %b", "sub zero, r1, r3\n", "subc zero, r0, r2, ges, .L"),
        std::tuple("ugt i64 %a, %b", "sub zero, r1, r3\n", "subc zero, r0, r2, xleu, .L"),
        std::tuple("eq i64 %a, 7", "sub zero, r1, 7, false\n", "subc zero, r0, 0, xnz, .L")}) {
    const std::string text = branchOn(comparison);
    EXPECT_NE(text.find(std::string(first) + second), std::string::npos) << text;
    EXPECT_EQ(text.find("jneq"), std::string::npos) << text;
  }
  EXPECT_NE(branchOn("ne i64 %a, 0").find("or r0, r1, r0, z, .L"), std::string::npos) << branchOn("ne i64 %a, 0");
  EXPECT_EQ(body("define i32 @f(i64 %a, i64 %b, i32 %x, i32 %y) { %c = icmp eq i64 %a, %b\n"
                 " %r = select i1 %c, i32 %x, i32 %y\n ret i32 %r }")
                .find("jneq"),
            std::string::npos);
}

/// The instructions of `text` between the first line with `from` and the first behind it with `to`.
std::string between(const std::string &text, const std::string &from, const std::string &to) {
  const std::size_t begin = text.find('\n', text.find(from)) + 1;
  return text.substr(begin, text.rfind('\n', text.find(to, begin)) + 1 - begin);
}

TEST(Selection, NothingThatNeedsNoLockStandsBetweenAcquireAndRelease) {
  const std::string lock = " call void asm sideeffect \"acquire $0, 0, nz, .\", \"r,~{memory}\"(i32 %l)\n",
                    unlock = " call void asm sideeffect \"release $0, 0, nz, . + 1\", \"r,~{memory}\"(i32 %l)\n",
                    bump = " %v = load i32, ptr %p\n %w = add i32 %v, 1\n store i32 %w, ptr %p\n";
  // A product by the library, made before the lock, of which the place depends.
  const std::string wide = body(
      "@h = external global [64 x i32]\ndefine void @f(i64 %a, i64 %b, i32 %l) {\n"
      " %m = mul i64 %a, %b\n %s = lshr i64 %m, 40\n" +
      lock + " %p = getelementptr [64 x i32], ptr @h, i32 0, i64 %s\n" + bump + unlock + " ret void }");
  EXPECT_LT(wide.find("call r23, __muldi3"), wide.find("acquire")) << wide;
  EXPECT_TRUE(std::regex_match(between(wide, "acquire", "release"),
                               std::regex("lw (r\\d+), (r\\d+), h\nadd \\1, \\1, 1\nsw \\2, h, \\1\n")))
      << wide;
  // A sum of products in place: not fused with the sum that the lock guards.
  const std::string steps = body(
      "define void @f(ptr %q, ptr %p, i32 %l) { br label %n\nn: %i = phi i32 [0, %0], [%k, %n]\n"
      " %x = load volatile i32, ptr %q\n %y = load volatile i32, ptr %q\n %m = mul i32 %x, %y\n" +
      lock + " %v = load i32, ptr %p\n %w = add i32 %v, %m\n store i32 %w, ptr %p\n" + unlock +
      " %k = add i32 %i, 1\n %c = icmp ne i32 %k, 100\n br i1 %c, label %n, label %e\ne: ret void }");
  EXPECT_EQ(between(steps, "acquire", "release").find("mul_step"), std::string::npos) << steps;
  // What the source computes inside, and what it computes behind.
  const std::string inside =
      body("define i32 @f(i32 %a, i32 %b, ptr %p, i32 %l) {\n" + lock +
           " %x = xor i32 %a, %b\n %y = lshr i32 %x, 3\n %v = load i32, ptr %p\n %w = add i32 %v, %y\n"
           " store i32 %w, ptr %p\n" +
           unlock + " %r = mul i32 %a, 77\n ret i32 %r }");
  EXPECT_TRUE(std::regex_match(between(inside, "acquire", "release"),
                               std::regex("lw (r\\d+), r2, 0\nadd (r\\d+), \\1, r\\d+\nsw r2, 0, \\2\n")))
      << inside;
}

TEST(Selection, AnAddressThatIsComputedFurtherAfterALockStaysAfterItsOperands) {
  // An element of an array in MRAM is read through a number.
  const std::string text = body(
      "@t = external addrspace(255) global [8 x i32]\ndeclare i32 @__mram_load32(i32)\n"
      "define i32 @f(i32 %i, i32 %l) {\n %k = and i32 %i, 7\n"
      " call void asm sideeffect \"acquire $0, 0, nz, .\", \"r,~{memory}\"(i32 %l)\n"
      " %p = getelementptr [8 x i32], ptr addrspace(255) @t, i32 0, i32 %k\n"
      " %n = ptrtoint ptr addrspace(255) %p to i32\n %v = call i32 @__mram_load32(i32 %n)\n ret i32 %v }");
  EXPECT_LT(text.find("acquire"), text.find("call r23, __mram_load32")) << text;
}

TEST(Selection, ALoopEndsInTheOperationThatCounts) {
  const std::string text = body(
      "define void @f(ptr %p, i32 %n) { br label %l\n"
      "l: %i = phi i32 [%n, %0], [%k, %l]\n store volatile i32 %i, ptr %p\n %k = add i32 %i, -1\n"
      " %c = icmp ne i32 %k, 0\n br i1 %c, label %l, label %e\n e: ret void }",
      {.level = 1});
  EXPECT_NE(text.find("add r1, r1, -4, nz, .L"), std::string::npos) << text;
}

TEST(Selection, ShiftedOperandsAreFoldedIntoTheSum) {
  EXPECT_EQ(body("define i32 @f(i32 %a, i32 %b) { %s = shl i32 %b, 5\n %r = add i32 %a, %s\n ret i32 %r }"),
            "lsl_add r0, r0, r1, 5\njump r23\n");
  EXPECT_EQ(body("define i32 @f(i32 %a, i32 %b) { %s = shl i32 %b, 5\n %r = sub i32 %a, %s\n ret i32 %r }"),
            "lsl_sub r0, r0, r1, 5\njump r23\n");
}

TEST(Selection, AddressesTakeSymbolsAndDisplacements) {
  EXPECT_EQ(
      body("@t = external global [8 x i32]\n"
           "define i32 @f(i32 %i) { %p = getelementptr i8, ptr @t, i32 %i\n %v = load i32, ptr %p\n ret i32 %v }"),
      "lw r0, r0, t\njump r23\n");
  EXPECT_EQ(body("@t = external global [8 x i32]\n"
                 "define i32 @f() { %v = load i32, ptr getelementptr (i8, ptr @t, i32 12)\n ret i32 %v }"),
            "lw r0, zero, t+12\njump r23\n");
}

TEST(Selection, AlignedWordsAreLoadedAndStoredInPairs) {
  EXPECT_EQ(body("define void @f(ptr %p, ptr %q) { %v = load i64, ptr %p, align 8\n store i64 %v, ptr %q, align 8\n"
                 " ret void }"),
            "ld d2, r0, 0\nsd r1, 0, d2\njump r23\n");
  const std::string apart = body("define i64 @f(ptr %p) { %v = load i64, ptr %p, align 4\n ret i64 %v }");
  EXPECT_EQ(apart.find("ld "), std::string::npos) << apart;
}

TEST(Selection, ProductsTakeAsManyStepsAsTheirFactorsNeed) {
  EXPECT_EQ(body("define i32 @f(i8 zeroext %a, i8 zeroext %b) { %x = zext i8 %a to i32\n %y = zext i8 %b to i32\n"
                 " %r = mul i32 %x, %y\n ret i32 %r }"),
            "mul_ul_ul r0, r1, r0\njump r23\n");
  const std::string once = body("define i32 @f(i32 %a, i32 %b) { %r = mul i32 %a, %b\n ret i32 %r }");
  EXPECT_NE(once.find("call r23, __mulsi3"), std::string::npos) << once;
  const std::string often = body(
      "define i32 @f(ptr %p) { br label %l\n"
      "l: %s = phi i32 [0, %0], [%t, %l]\n %a = load volatile i32, ptr %p\n %b = load volatile i32, ptr %p\n"
      " %m = mul i32 %a, %b\n %t = add i32 %s, %m\n %c = icmp ne i32 %a, 0\n br i1 %c, label %l, label %e\n"
      "e: ret i32 %t }");
  EXPECT_NE(often.find("mul_step"), std::string::npos) << often;
  EXPECT_EQ(body("define i32 @f(i32 %a) { %r = mul i32 %a, 10\n ret i32 %r }"),
            "lsl r1, r0, 1\nlsl_add r0, r1, r0, 3\njump r23\n");
}

TEST(Selection, AFunctionThatCallsNothingLeavesTheStackPointerAlone) {
  const std::string text = body(
      "define i32 @f(i32 %i) { %p = alloca [4 x i32]\n %q = getelementptr [4 x i32], ptr %p, i32 0, i32 %i\n"
      " store volatile i32 %i, ptr %q\n %v = load volatile i32, ptr %p\n ret i32 %v }");
  EXPECT_EQ(text.find("d22"), std::string::npos) << text;
  const std::string caller = body("declare void @g()\ndefine void @f() { call void @g()\n call void @g()\n ret void }");
  EXPECT_EQ(caller, "sd r22, 0, d22\nadd r22, r22, 8\ncall r23, g\ncall r23, g\nld d22, r22, -8\njump r23\n");
}

TEST(Selection, MramIsReadByTheLibrary) {
  const std::string text =
      body("define i32 @f(ptr addrspace(255) %p) { %v = load i32, ptr addrspace(255) %p\n ret i32 %v }");
  EXPECT_NE(text.find("call r23, __mram_load32"), std::string::npos) << text;
}

TEST(Selection, TheSameModuleGivesTheSameTextAtEveryLevelAndTime) {
  const std::string ir =
      "declare i32 @g(i32)\ndefine i32 @f(i32 %a) { %x = call i32 @g(i32 %a)\n %y = call i32 @g(i32 %x)\n"
      " %r = add i32 %x, %y\n ret i32 %r }";
  for (int level = 0; level <= 3; ++level) EXPECT_EQ(body(ir, {.level = level}), body(ir, {.level = level}));
}

}  // namespace
}  // namespace pimento::backend_dpu
