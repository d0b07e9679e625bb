// Mistakes in HBM-PIM assembly: what is said, and where.
#include <gtest/gtest.h>

#include "pimento/program/hbm_pim_isa.h"

namespace pimento::program::hbm_pim {
namespace {

Diagnostic firstOf(std::string_view text) {
  const Result<std::vector<Instruction>> r = parse(text, "a.pim");
  EXPECT_FALSE(r.ok()) << text;
  return r ? Diagnostic{} : r.diagnostics().front();
}

/// Code and place of the first diagnostic: "code@line:column".
std::string complaint(std::string_view text) {
  const Diagnostic d = firstOf(text);
  EXPECT_EQ(d.where.file, "a.pim");
  EXPECT_FALSE(d.hint.empty()) << d.str();
  return d.code + "@" + std::to_string(d.where.line) + ":" + std::to_string(d.where.column);
}

TEST(HbmPimAssemblyErrors, AMisspeltInstructionIsCorrected) {
  EXPECT_EQ(complaint("NOP 7\n  FILLL GRF_A, EVEN_BANK"), "pim-unknown-opcode@2:3");
  EXPECT_NE(firstOf("FILLL GRF_A, EVEN_BANK").hint.find("FILL"), std::string::npos);
}

TEST(HbmPimAssemblyErrors, AMisspeltOperandIsCorrected) {
  EXPECT_EQ(complaint("MAC GRF_B, GFR_A, EVEN_BANK aam"), "pim-unknown-operand@1:12");
  EXPECT_NE(firstOf("MAC GRF_B, GFR_A, EVEN_BANK aam").hint.find("GRF_A"), std::string::npos);
}

TEST(HbmPimAssemblyErrors, ABankIsNoDestination) {
  EXPECT_EQ(complaint("; store\nMOV EVEN_BANK, GRF_A[0]"), "pim-destination@2:1");
}

TEST(HbmPimAssemblyErrors, TwoBanksAreNotReadAtOnce) {
  EXPECT_EQ(complaint("ADD GRF_A, EVEN_BANK, ODD_BANK aam"), "pim-two-banks@1:1");
}

TEST(HbmPimAssemblyErrors, RegisterNumbersAreNeededWithoutAamAndRefusedWithIt) {
  EXPECT_EQ(complaint("ADD GRF_A, GRF_A[1], EVEN_BANK"), "pim-index@1:1");
  EXPECT_EQ(complaint("ADD GRF_A[0], GRF_A, EVEN_BANK aam"), "pim-index@1:1");
  EXPECT_EQ(complaint("FILL GRF_A[0], EVEN_BANK"), "pim-index@1:1");
  EXPECT_EQ(complaint("ADD GRF_A[0], GRF_A[8], EVEN_BANK"), "pim-index@1:1");
  EXPECT_EQ(complaint("ADD GRF_A[0], GRF_A[1], EVEN_BANK[1]"), "pim-index@1:34");
  EXPECT_EQ(complaint("MAD GRF_A[0], GRF_A[1], SRF_M[1], SRF_A[2]"), "pim-index@1:40");
}

TEST(HbmPimAssemblyErrors, ScalarRegistersFeedTheirOwnHalfOfTheUnit) {
  EXPECT_EQ(complaint("MUL GRF_A, GRF_A, SRF_A aam"), "pim-operand@1:1");
  EXPECT_EQ(complaint("ADD GRF_A, GRF_A, SRF_M aam"), "pim-operand@1:1");
}

TEST(HbmPimAssemblyErrors, FlagsStandWhereTheyMeanSomething) {
  EXPECT_EQ(complaint("MAC GRF_B, GRF_A, EVEN_BANK aam relu"), "pim-relu@1:1");
  EXPECT_EQ(complaint("NOP 7 aam"), "pim-aam@1:1");
  EXPECT_EQ(complaint("EXIT now"), "pim-syntax@1:6");
  EXPECT_EQ(complaint("MAC GRF_B, GRF_A, EVEN_BANK aam aam"), "pim-syntax@1:33");
}

TEST(HbmPimAssemblyErrors, MissingPartsAreNamed) {
  EXPECT_EQ(complaint("ADD GRF_A"), "pim-syntax@1:10");
  EXPECT_EQ(complaint("ADD GRF_A,"), "pim-syntax@1:11");
  EXPECT_EQ(complaint("JUMP 3"), "pim-syntax@1:7");
  EXPECT_EQ(complaint("NOP"), "pim-syntax@1:4");
  EXPECT_EQ(complaint("MOV GRF_A[0, GRF_B[0]"), "pim-syntax@1:12");
  EXPECT_EQ(complaint("\n*"), "pim-syntax@2:1");
  EXPECT_NE(firstOf("ADD GRF_A").message.find("found end of file"), std::string::npos);
}

TEST(HbmPimAssemblyErrors, CountsStayInTheirFields) {
  EXPECT_EQ(complaint("NOP 2048"), "pim-range@1:1");
  EXPECT_EQ(complaint("NOP 99999999999999999999999"), "pim-range@1:5");
  EXPECT_EQ(complaint("NOP 7\nJUMP 131072, 1"), "pim-range@2:6");
  EXPECT_EQ(complaint("NOP 7\nJUMP 1, 0"), "pim-range@2:1");
}

TEST(HbmPimAssemblyErrors, JumpsStayInsideTheProgram) {
  EXPECT_EQ(complaint("NOP 7\nNOP 7\nJUMP 3, 3"), "pim-jump-target@3:1");
}

TEST(HbmPimAssemblyErrors, TheCrfHoldsThirtyTwoInstructions) {
  std::string text;
  for (int i = 0; i < 33; ++i) text += "NOP 1\n";
  EXPECT_EQ(complaint(text), "pim-too-long@33:1");
}

TEST(HbmPimAssemblyErrors, EveryWrongLineIsReported) {
  const auto r = parse("NOPE\nNOP 1\nADD\nJUMP 1, 2\n", "a.pim");
  ASSERT_FALSE(r);
  ASSERT_EQ(r.diagnostics().size(), 2U);
  EXPECT_EQ(r.diagnostics()[1].where.line, 3);
}

TEST(HbmPimAssemblyErrors, OneInstructionIsExactlyOne) {
  EXPECT_EQ(parseInstruction("").diagnostics().front().code, "pim-syntax");
  EXPECT_EQ(parseInstruction("NOP 1\nNOP 2").diagnostics().front().code, "pim-syntax");
  EXPECT_TRUE(parseInstruction("JUMP 5, 31"));
}

}  // namespace
}  // namespace pimento::program::hbm_pim
