// Mistakes in DPU assembly: what is said, and where.
#include "pimento/dpu/assembler.h"

#include <gtest/gtest.h>

namespace pimento::dpu {
namespace {

Diagnostics allOf(std::string_view text) {
  const Result<Object> object = assemble(text, "a.s");
  EXPECT_FALSE(object.ok()) << text;
  return object ? Diagnostics{} : object.diagnostics();
}

Diagnostic firstOf(std::string_view text) {
  const Diagnostics all = allOf(text);
  return all.empty() ? Diagnostic{} : all.front();
}

/// "code@line:column" of the first diagnostic.
std::string complaint(std::string_view text) {
  const Diagnostic d = firstOf(text);
  EXPECT_EQ(d.where.file, "a.s");
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

std::string hint(std::string_view text) {
  return firstOf(text).hint;
}

TEST(AssemblerErrors, AMisspeltMnemonicIsCorrected) {
  EXPECT_EQ(complaint(" nop\n  mvoe r1, 2\n"), "dpu-asm-mnemonic@2:3");
  EXPECT_EQ(hint(" mvoe r1, 2"), "did you mean 'move'?");
  EXPECT_EQ(complaint(" xyzzyplugh"), "dpu-asm-mnemonic@1:2");
}

TEST(AssemblerErrors, OperandsThatNoFormTakesAreMetWithTheForms) {
  EXPECT_EQ(complaint(" lw r1, r2"), "dpu-asm-operands@1:2");
  EXPECT_NE(hint(" lw r1, r2").find("lw rc, ra, off"), std::string::npos);
  EXPECT_EQ(complaint(" add r1, r2, zero"), "dpu-asm-operands@1:14") << "the second source is r0 to r23 or a number";
  EXPECT_EQ(complaint(" nop 4"), "dpu-asm-operands@1:6");
  EXPECT_EQ(complaint(" movd d2, r4"), "dpu-asm-operands@1:11");
}

TEST(AssemblerErrors, RegistersThatDoNotExist) {
  EXPECT_EQ(complaint(" add r1, r24, 1"), "dpu-asm-register@1:10");
  EXPECT_EQ(complaint(" ld d3, r1, 0"), "dpu-asm-register@1:5") << "pairs are even";
  EXPECT_EQ(complaint(" lw r01, r1, 0"), "dpu-asm-register@1:5");
}

TEST(AssemblerErrors, AConditionOfAnotherOperationIsNamed) {
  EXPECT_EQ(complaint(" add r1, r2, r3, ltu, 4"), "dpu-asm-condition@1:18");
  EXPECT_NE(hint(" and r1, r2, r3, nzz, 4").find("did you mean 'nz'?"), std::string::npos);
  EXPECT_EQ(complaint(" acquire r1, 0, pl, ."), "dpu-asm-condition@1:17");
}

TEST(AssemblerErrors, NumbersThatDoNotFit) {
  EXPECT_EQ(complaint(" add r1, r2, 200, nz, 4"), "dpu-asm-range@1:14");
  EXPECT_NE(hint(" add r1, r2, 200, nz, 4").find("-128 to 127"), std::string::npos);
  EXPECT_EQ(complaint(" lsl r1, r2, 32"), "dpu-asm-range@1:14");
  EXPECT_EQ(complaint(" jump r1, 0x10000000"), "dpu-asm-range@1:11");
  EXPECT_EQ(complaint(" jeq r1, 0, 70000"), "dpu-asm-range@1:13");
  EXPECT_EQ(complaint(" jeq r1, 0, -1"), "dpu-asm-range@1:13");
  EXPECT_EQ(complaint(" ldma r1, r2, 256"), "dpu-asm-range@1:15");
  EXPECT_EQ(complaint(" move r1, 0x100000000"), "dpu-asm-range@1:11");
  EXPECT_EQ(complaint(" .data\n .byte 256"), "dpu-asm-range@2:8");
}

TEST(AssemblerErrors, ExpressionsAreSums) {
  EXPECT_EQ(complaint(" move r1, 2 +"), "dpu-asm-expression@1:14");
  EXPECT_EQ(complaint(" move r1, 2 3"), "dpu-asm-expression@1:13");
  EXPECT_EQ(complaint(" move r1, 2 * 3"), "dpu-asm-expression@1:13");
  EXPECT_EQ(complaint(" move r1, (3)"), "dpu-asm-expression@1:11");
  EXPECT_EQ(complaint(" move r1, 0x"), "dpu-asm-expression@1:11");
  EXPECT_EQ(complaint(" .data\n .quad 0x10000000000000000"), "dpu-asm-expression@2:8");
  EXPECT_EQ(complaint(" .data\n .quad -0x8000000000000001"), "dpu-asm-expression@2:9");
  EXPECT_EQ(complaint(" .data\n .long 0x8000000000000000"), "dpu-asm-range@2:8");
  EXPECT_EQ(complaint(" move r1, 2 + r3"), "dpu-asm-expression@1:15");
  EXPECT_EQ(complaint(" move r1, f + g"), "dpu-asm-expression@1:11") << "two labels";
  EXPECT_EQ(complaint(" move r1, 1 - f"), "dpu-asm-expression@1:11") << "nothing to subtract it from";
  EXPECT_EQ(complaint(" .data\na: .byte 1\n .text\nb: move r1, a - b"), "dpu-asm-expression@4:13");
  EXPECT_EQ(complaint("a = b + 1\nb = a + 1\n"), "dpu-asm-expression@1:1") << "a circle";
  EXPECT_EQ(complaint("f: nop\n .size f, f"), "dpu-asm-expression@2:11");
  EXPECT_EQ(complaint("f: move r1, f + 0x7fffffff"), "dpu-asm-expression@1:13");
}

TEST(AssemblerErrors, StringsEnd) {
  EXPECT_EQ(complaint(" .data\n .ascii \"abc"), "dpu-asm-string@2:9");
  EXPECT_EQ(complaint(" .data\n .ascii abc"), "dpu-asm-string@2:9");
  EXPECT_EQ(complaint(" .data\n .asciz \"\\q\""), "dpu-asm-string@2:9");
}

TEST(AssemblerErrors, AMisspeltDirectiveIsCorrected) {
  EXPECT_EQ(complaint(" .globel f"), "dpu-asm-directive@1:2");
  EXPECT_EQ(hint(" .globel f"), "did you mean '.globl'?");
  EXPECT_EQ(complaint(" .macro"), "dpu-asm-directive@1:2");
}

TEST(AssemblerErrors, DirectivesCheckTheirOperands) {
  EXPECT_EQ(complaint(" .p2align"), "dpu-asm-argument@1:2");
  EXPECT_EQ(complaint(" .p2align 40"), "dpu-asm-argument@1:11");
  EXPECT_EQ(complaint(" .zero f"), "dpu-asm-argument@1:8");
  EXPECT_EQ(complaint(" .type f"), "dpu-asm-argument@1:2");
  EXPECT_EQ(complaint(" .section"), "dpu-asm-argument@1:2");
  EXPECT_EQ(complaint(" .loc 3 1 1"), "dpu-asm-argument@1:2") << "no .file 3";
  EXPECT_EQ(complaint(" .comm x, 1, 99999"), "dpu-asm-argument@1:14");
}

TEST(AssemblerErrors, LabelsAreNames) {
  EXPECT_EQ(complaint("r1: nop"), "dpu-asm-label@1:1");
  EXPECT_EQ(complaint("1x: nop"), "dpu-asm-label@1:1");
  EXPECT_EQ(complaint(" .globl id"), "dpu-asm-label@1:9");
  EXPECT_EQ(complaint("\"\": nop"), "dpu-asm-label@1:1");
  EXPECT_EQ(complaint("\"a b\": nop"), "dpu-asm-label@1:1");
  EXPECT_EQ(complaint(" move r0, 1 + \"id"), "dpu-asm-expression@1:15");
  EXPECT_EQ(complaint(".: nop"), "dpu-asm-label@1:1");
}

TEST(AssemblerErrors, ALocalLabelIsDefinedInTheFile) {
  EXPECT_EQ(complaint(".Lnext: nop\n jump .Lnxet"), "dpu-asm-undefined@2:7");
  EXPECT_EQ(hint(".Lnext: nop\n jump .Lnxet"), "did you mean '.Lnext'?");
  EXPECT_EQ(complaint(" .type .Lx,\n jump .Lx"), "dpu-asm-undefined@2:7");
}

TEST(AssemblerErrors, ASymbolIsDefinedOnce) {
  EXPECT_EQ(complaint("f: nop\nf: nop"), "dpu-asm-defined-twice@2:1");
  EXPECT_EQ(complaint("f: nop\n .set f, 2"), "dpu-asm-defined-twice@2:7");
  EXPECT_EQ(complaint("a = 1\na = 2"), "dpu-asm-defined-twice@2:1");
  EXPECT_EQ(complaint("f: nop\n .comm f, 2"), "dpu-asm-defined-twice@2:8");
}

TEST(AssemblerErrors, CodeAndDataStandWhereTheyBelong) {
  EXPECT_EQ(complaint(" .data\n nop"), "dpu-asm-place@2:2");
  EXPECT_EQ(complaint(" .bss\n .byte 1"), "dpu-asm-place@2:8");
  EXPECT_EQ(complaint(" .bss\n .long f"), "dpu-asm-place@2:8");
}

TEST(AssemblerErrors, AnObjectLargerThanAllMemoriesIsRefused) {
  EXPECT_EQ(complaint(" .data\n .zero 0x4000000\n .zero 1\n"), "dpu-asm-size@3:2");
  EXPECT_EQ(complaint(" .section .mram.noinit,\"aw\",@nobits\n .zero 73400320\n"), "dpu-asm-size@2:2")
      << "a single array, too";
}

TEST(AssemblerErrors, AllMistakesAreReportedUpToTwentyInOrder) {
  const Diagnostics all = allOf(" jeq r0, 0, 99999\n bad1\n nop\n bad2\n");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].where.line, 1);
  EXPECT_EQ(all[2].where.line, 4);
  std::string many;
  for (int i = 0; i < 100; ++i) many += " bad\n";
  EXPECT_EQ(allOf(many).size(), 20u);
}

}  // namespace
}  // namespace pimento::dpu
