#include "pimento/program/hbm_pim_isa.h"

#include <gtest/gtest.h>

#include <vector>

#include "pimento/base/rng.h"

namespace pimento::program::hbm_pim {
namespace {

using enum Opcode;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  int upTo(int limit) { return static_cast<int>(random_.integer(0, limit)); }

  /// Any legal instruction; rejection sampling keeps it independent of the rules in check().
  Instruction instruction() {
    static constexpr Opcode kAll[] = {kNop, kAdd, kMul, kMac, kMad, kMov, kFill, kJump, kExit};
    for (;;) {
      Instruction i;
      i.op = kAll[upTo(8)];
      if (i.op == kNop) i.nopCount = upTo(2047);
      if (i.op == kJump) {
        i.jumpCount = upTo(131071);
        i.jumpOffset = 1 + upTo(30);
      }
      const int operands = operandCount(i.op);
      if (operands > 0) i.dst = source();
      if (operands > 1) i.src0 = source();
      if (operands > 2) i.src1 = source();
      if (operands > 3) i.src2 = source();
      i.isAam = upTo(1) != 0;
      i.isRelu = upTo(3) == 0;
      if (upTo(1) != 0) {
        i.dstIndex = upTo(7);
        i.src0Index = upTo(7);
        i.src1Index = upTo(7);
      }
      for (int *index : {&i.dstIndex, &i.src0Index, &i.src1Index})
        if (upTo(2) == 0) *index = 0;
      if (check(i)) return i;
    }
  }

 private:
  Source source() { return static_cast<Source>(upTo(7)); }

  Rng random_;
};

std::string codeOf(const Diagnostics &d) {
  return d.empty() ? "" : d.front().code;
}

template <typename T>
std::string codeOf(const Result<T> &r) {
  return r ? "ok" : codeOf(r.diagnostics());
}

Instruction parsed(std::string_view text) {
  Result<Instruction> r = parseInstruction(text);
  EXPECT_TRUE(r.ok()) << text << ": " << (r ? "" : r.diagnostics().front().str());
  return r ? *r : Instruction{};
}

TEST(HbmPimIsa, WordsAndTextsOfRandomLegalInstructionsComeBack) {
  Generator g(1);
  int seen[16] = {};
  for (int n = 0; n < 20000; ++n) {
    const Instruction i = g.instruction();
    ++seen[static_cast<int>(i.op)];
    const Result<Instruction> decoded = decode(encode(i));
    ASSERT_TRUE(decoded) << print(i);
    ASSERT_EQ(*decoded, i) << print(i);
    const Result<Instruction> read = parseInstruction(print(i));
    ASSERT_TRUE(read) << print(i) << "\n" << read.diagnostics().front().str();
    ASSERT_EQ(*read, i) << print(i);
  }
  for (const Opcode op : {kNop, kAdd, kMul, kMac, kMad, kMov, kFill, kJump, kExit})
    EXPECT_GT(seen[static_cast<int>(op)], 50) << name(op);
}

TEST(HbmPimIsa, EveryWordThatDecodesEncodesToItself) {
  Rng random(2);
  int legal = 0;
  for (int n = 0; n < 2000000; ++n) {
    std::uint32_t word = static_cast<std::uint32_t>(random.next());
    // Half of the words keep few bits, so that legal ones appear.
    if (n % 2 == 0) word &= static_cast<std::uint32_t>(random.next()) | 0xf0000000U;
    const Result<Instruction> i = decode(word);
    if (!i) continue;
    ++legal;
    ASSERT_EQ(encode(*i), word);
  }
  EXPECT_GT(legal, 1000);
}

TEST(HbmPimIsa, EveryOpcodeNibbleDecodesOrIsNamedAsIllegal) {
  // Operand fields that suit all three-operand instructions.
  const std::uint32_t three = (5U << 25) | (4U << 22) | (2U << 19) | (1U << 15);
  const std::uint32_t two = (5U << 25) | (4U << 22) | (1U << 15);
  const std::vector<std::pair<std::uint32_t, std::string>> expected = {
      {7, "NOP 7"},
      {three, "ADD GRF_B, GRF_A, EVEN_BANK aam"},
      {three, "MUL GRF_B, GRF_A, EVEN_BANK aam"},
      {three, "MAC GRF_B, GRF_A, EVEN_BANK aam"},
      {three | (7U << 16), "MAD GRF_B, GRF_A, EVEN_BANK, SRF_A aam"},
      {0, ""},
      {0, ""},
      {0, ""},
      {two | (1U << 12), "MOV GRF_B, GRF_A aam relu"},
      {(4U << 25) | (2U << 22), "FILL GRF_A, EVEN_BANK"},
      {0, ""},
      {0, ""},
      {0, ""},
      {0, ""},
      {(127U << 11) | 1U, "JUMP 127, 1"},
      {0, "EXIT"}};
  ASSERT_EQ(expected.size(), 16U);
  for (std::uint32_t op = 0; op < 16; ++op) {
    const auto &[rest, text] = expected[op];
    const Result<Instruction> i = decode((op << 28) | rest);
    if (text.empty()) {
      EXPECT_EQ(codeOf(i), "pim-opcode") << op;
      continue;
    }
    ASSERT_TRUE(i) << op << i.diagnostics().front().str();
    EXPECT_EQ(print(*i), text);
  }
}

TEST(HbmPimIsa, FieldsStandWhereTheDatasheetPutsThem) {
  EXPECT_EQ(encode(parsed("MAC GRF_B, GRF_A, EVEN_BANK aam")), 0x3B108000U);
  EXPECT_EQ(encode(parsed("FILL GRF_A, EVEN_BANK relu")), 0x98801000U);
  EXPECT_EQ(encode(parsed("ADD GRF_A[1], GRF_B[2], ODD_BANK")), 0x19580120U);
  EXPECT_EQ(encode(parsed("MAD GRF_A[1], GRF_B[2], SRF_M[3], SRF_A[3]")), 0x49770123U);
  EXPECT_EQ(encode(parsed("JUMP 131071, 31")), 0xEFFFF81FU);
  EXPECT_EQ(encode(parsed("NOP 2047")), 0x7FFU);
  EXPECT_EQ(encode(parsed("EXIT")), 0xF0000000U);
}

TEST(HbmPimIsa, AProgramOfThePaperReadsBackLineByLine) {
  const std::string text =
      "MAC GRF_B, GRF_A, EVEN_BANK aam\nJUMP 7, 1\nMAC GRF_B, GRF_A, ODD_BANK aam\nJUMP 7, 1\nNOP 7\nEXIT\n";
  const Result<std::vector<Instruction>> p = parse("; gemv\n\n" + text + "# end", "gemv.pim");
  ASSERT_TRUE(p);
  EXPECT_EQ(p->size(), 6U);
  EXPECT_EQ(print(*p), text);
  EXPECT_TRUE(check(*p));
}

TEST(HbmPimIsa, IllegalWordsSayWhichFieldIsWrong) {
  EXPECT_EQ(codeOf(decode(0x34108000)), "pim-destination");  // MAC into the even bank
  EXPECT_EQ(codeOf(decode(0x3C108000)), "pim-destination");  // MAC into SRF_M
  EXPECT_EQ(codeOf(decode(0x3A008000)), "pim-operand");      // MAC reads A_OUT
  EXPECT_EQ(codeOf(decode(0x3B388000)), "pim-operand");      // MAC with SRF_A
  EXPECT_EQ(codeOf(decode(0x3A980000 | 0x8000)), "pim-two-banks");
  EXPECT_EQ(codeOf(decode(0x3B100908)), "pim-index");  // GRF_B[9]
  EXPECT_EQ(codeOf(decode(0x3B108100)), "pim-index");  // a number in address-aligned mode
  EXPECT_EQ(codeOf(decode(0x3B109000)), "pim-relu");
  EXPECT_EQ(codeOf(decode(0xF0008000)), "pim-aam");
  EXPECT_EQ(codeOf(decode(0xE0000800)), "pim-range");         // JUMP to itself
  EXPECT_EQ(codeOf(decode(0xE0000820)), "pim-range");         // JUMP back by 32
  EXPECT_EQ(codeOf(decode(0x3B138000)), "pim-unused-field");  // MAC has no source 2
  EXPECT_EQ(codeOf(decode(0x3B10C000)), "pim-reserved-bits");
  EXPECT_EQ(codeOf(decode(0x00001007)), "pim-reserved-bits");
  EXPECT_NE(decode(0x34108000).diagnostics().front().message.find("0x34108000"), std::string::npos);
}

TEST(HbmPimIsa, ProgramsKeepToTheCrfAndJumpInsideIt) {
  Instruction jump;
  jump.op = kJump;
  jump.jumpCount = 3;
  jump.jumpOffset = 2;
  EXPECT_EQ(codeOf(check(std::vector<Instruction>{Instruction{}, jump})), "pim-jump-target");
  EXPECT_EQ(codeOf(check(std::vector<Instruction>{Instruction{}, Instruction{}, jump})), "ok");
  EXPECT_EQ(codeOf(check(std::vector<Instruction>(33))), "pim-too-long");
  EXPECT_EQ(codeOf(check(std::vector<Instruction>(32))), "ok");
}

}  // namespace
}  // namespace pimento::program::hbm_pim
