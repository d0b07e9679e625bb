// Registers that instructions read and write, by the architectures' manuals: not by what the decoder or LLVM says.
#include "pimento/frontend/decoder/decoder.h"

#include <gtest/gtest.h>

#include <set>
#include <span>

#include "decoder_row.h"
#include "decoder_rows_a32.h"
#include "decoder_rows_a64.h"
#include "decoder_rows_rv64.h"
#include "decoder_rows_t32.h"

namespace pimento::frontend {
namespace {

using trace::Instruction;

constexpr std::span<const Row> kTables[] = {kA64Rows, kA32Rows, kT32Rows, kRv64Rows};

Instruction decoded(const Row &row) {
  const EncodedInstruction e{0x1000, bytesOf(row.bytes), row.isa == Isa::kA32 ? std::string(row.text) : ""};
  // Four bytes of T32 are told from A32 by a neighbour of two.
  std::vector<EncodedInstruction> code = {e};
  if (row.isa == Isa::kT32) code.push_back({0x1004, bytesOf("00bf"), "nop"});
  const auto out = decodeInstructions(row.isa, code);
  if (!out) {
    ADD_FAILURE() << out.diagnostics().front().str();
    return {};
  }
  return out->front();
}

TEST(Decoder, ReadsAndWritesWhatTheManualsSay) {
  for (const std::span<const Row> rows : kTables)
    for (const Row &row : rows) {
      const Instruction in = decoded(row);
      EXPECT_EQ(in.isa, row.isa) << row.text;
      expectAs(row, in);
    }
}

TEST(Decoder, HasManyInstructionsOfEachIsa) {
  constexpr std::size_t kAtLeast = 150;
  for (const std::span<const Row> rows : kTables) {
    std::set<std::string> bytes, texts;
    for (const Row &row : rows) {
      EXPECT_EQ(row.isa, rows.front().isa) << row.text;
      EXPECT_TRUE(bytes.insert(row.bytes).second) << row.text << ": again";
      EXPECT_TRUE(texts.insert(row.text).second) << row.text << ": again";
    }
    EXPECT_GE(bytes.size(), kAtLeast) << trace::name(rows.front().isa);
  }
}

Instruction of(Isa isa, const char *bytes, const char *text) {
  return decoded({isa, bytes, text, "", "", ""});
}

TEST(Decoder, KnowsConstants) {
  EXPECT_EQ(of(Isa::kA64, "201c1812", "and w0, w1, #0xff00").operands[1].immediate, 0xff00);
  EXPECT_EQ(of(Isa::kA64, "20144091", "add x0, x1, #5, lsl #12").operands[1].immediate, 5 << 12);
  EXPECT_EQ(of(Isa::kA32, "ff0c81e2", "add r0, r1, #0xff00").operands[1].immediate, 0xff00);
  EXPECT_EQ(of(Isa::kA32, "00008fe0", "add r0, pc, r0").operands[0].immediate, 0x1008) << "the program counter";
}

TEST(Decoder, KnowsAddresses) {
  const auto addressOf = [](Isa isa, const char *bytes, const char *text) {
    return setOf(of(isa, bytes, text).addressRegisters, isa);
  };
  EXPECT_EQ(addressOf(Isa::kA64, "200000fd", "str d0, [x1]"), setOf("x1"));
  EXPECT_EQ(addressOf(Isa::kA64, "206822fc", "str d0, [x1, x2]"), setOf("x1 x2"));
  EXPECT_EQ(addressOf(Isa::kA64, "e10bbfa9", "stp x1, x2, [sp, #-16]!"), setOf("sp"));
  EXPECT_EQ(addressOf(Isa::kA64, "410020b8", "ldadd w0, w1, [x2]"), setOf("x2"));
  EXPECT_EQ(addressOf(Isa::kA32, "920fa4e1", "strexd r0, r2, r3, [r4]"), setOf("r4"));
  EXPECT_EQ(addressOf(Isa::kA32, "f800e2e1", "strd r0, r1, [r2, #8]!"), setOf("r2"));
  EXPECT_EQ(addressOf(Isa::kA32, "cf0a01f4", "vst1.64 {d0, d1}, [r1]"), setOf("r1"));
  EXPECT_EQ(addressOf(Isa::kT32, "c3e87012", "strexd r0, r1, r2, [r3]"), setOf("r3"));
  EXPECT_EQ(addressOf(Isa::kRv64, "2f25b600", "amoadd.w a0, a1, (a2)"), setOf("x12"));
}

TEST(Decoder, KnowsWhatIsNoInstruction) {
  const Instruction in = of(Isa::kA64, "ffffffff", "");
  EXPECT_TRUE(in.text.starts_with(".inst"));
  EXPECT_EQ(in.reads.size(), 0);
}

TEST(Decoder, TellsJumpsApart) {
  using enum trace::Operation;
  EXPECT_EQ(of(Isa::kA32, "1080bde8", "pop {r4, pc}").operation, kReturn);
  EXPECT_EQ(of(Isa::kA32, "00f091e5", "ldr pc, [r1]").operation, kIndirect);
  EXPECT_EQ(of(Isa::kA32, "1eff2fe1", "bx lr").operation, kReturn);
  EXPECT_EQ(of(Isa::kA64, "c0035fd6", "ret").operation, kReturn);
  EXPECT_EQ(of(Isa::kRv64, "8280", "ret").operation, kReturn);
  EXPECT_EQ(of(Isa::kRv64, "ef008000", "jal ra, 8").operation, kCall);
}

}  // namespace
}  // namespace pimento::frontend
