// The instruction set: forms, words, text.
#include "pimento/dpu/isa.h"

#include <fstream>

#include "assembled.h"
#include "pimento/base/rng.h"
#include "pimento/dpu/disassembler.h"

namespace pimento::dpu {
namespace {

Instruction decoded(std::string_view text) {
  const std::optional<Instruction> instruction = decode(assembledWord(text));
  EXPECT_TRUE(instruction.has_value()) << text;
  return instruction.value_or(Instruction{});
}

/// What decoding and printing makes of a text.
std::string canonical(std::string_view text) {
  return print(decoded(text));
}

TEST(Isa, ThereAre1080FormsWithDifferentNames) {
  std::vector<std::string> names;
  for (const Form &form : forms()) names.push_back(form.name);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names.size(), 1080u);
  EXPECT_EQ(std::unique(names.begin(), names.end()), names.end());
}

TEST(Isa, TheProjectsOwnWordsAreTextAndBack) {
  std::ifstream in(PIMENTO_SOURCE_DIR "/test/unit/dpu/words.txt");
  int count = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("//")) continue;
    const std::uint64_t word = std::stoull(line.substr(0, 12), nullptr, 16);
    const std::string text = line.substr(13);
    EXPECT_EQ(assembledWord(text), word) << text;
    const std::optional<Instruction> instruction = decode(word);
    ASSERT_TRUE(instruction.has_value()) << text;
    EXPECT_EQ(encode(*instruction), word) << text;
    EXPECT_EQ(assembledWord(print(*instruction)), word) << text << " | " << print(*instruction);
    ++count;
  }
  EXPECT_GT(count, 300);
}

TEST(Isa, RandomWordsThatDecodeComeBackThroughTheirText) {
  Rng random(7);
  int count = 0;
  for (int i = 0; i < 60'000; ++i) {
    // Half of them near a form, so that the rare ones appear.
    const Form &form = forms()[random.next() % forms().size()];
    std::uint64_t word = random.next() & ((1ULL << 48) - 1);
    if (i % 2) word = (word & ~form.mask) | form.value;
    const std::optional<Instruction> instruction = decode(word);
    if (!instruction) continue;
    ++count;
    ASSERT_EQ(encode(*instruction), word) << print(*instruction);
    if (i % 10 > 1) continue;
    ASSERT_EQ(assembledWord(print(*instruction)), word) << print(*instruction);
  }
  EXPECT_GT(count, 20'000);
}

TEST(Isa, WordsOfMoreThan48BitsAreNoInstructions) {
  EXPECT_TRUE(decode(0x7c6300000000).has_value());
  EXPECT_FALSE(decode(0x17c6300000000).has_value());
  EXPECT_FALSE(decode(0xffffffffffff).has_value());
}

TEST(Isa, AnAdditionNamesItsOperands) {
  const Instruction i = decoded("add r5, r6, -1, nz, 12");
  EXPECT_EQ(i.op, Op::kAdd);
  EXPECT_EQ(i.use, ConditionUse::kBranch);
  EXPECT_EQ(i.condition, Condition::kNz);
  EXPECT_EQ(i.dst, 5);
  EXPECT_EQ(i.a, 6);
  EXPECT_EQ(i.b, kImmediate);
  EXPECT_EQ(i.imm, -1);
  EXPECT_EQ(i.target, 12);
  EXPECT_TRUE(i.isEstablished);
}

TEST(Isa, WithAZeroDestinationTheSingleRegisterIsTheFirstSource) {
  const Instruction i = decoded("add zero, r9, 0x12345678");
  EXPECT_EQ(i.dst, kZero);
  EXPECT_EQ(i.a, 9);
  EXPECT_EQ(i.b, kImmediate);
  EXPECT_EQ(i.imm, 0x12345678);
  EXPECT_EQ(decoded("or.u d4, r9, 7").a, 9);
}

TEST(Isa, ASubtractionFromANumberKeepsTheRegisterAsItsSource) {
  const Instruction i = decoded("sub r1, 100, r2");
  EXPECT_TRUE(i.isImmediateFirst);
  EXPECT_EQ(i.a, 2);
  EXPECT_EQ(i.b, kImmediate);
  EXPECT_EQ(i.imm, 100);
  EXPECT_FALSE(decoded("sub r1, r2, 100, ltu").isImmediateFirst);
  const Instruction negated = decoded("neg r3, r4");
  EXPECT_EQ(negated.op, Op::kSub);
  EXPECT_TRUE(negated.isImmediateFirst);
  EXPECT_EQ(negated.imm, 0);
}

TEST(Isa, AliasesDecodeToWhatTheyStandFor) {
  const Instruction jump = decoded("jlts r1, 7, 33");
  EXPECT_EQ(jump.op, Op::kSub);
  EXPECT_EQ(jump.dst, kZero);
  EXPECT_EQ(jump.use, ConditionUse::kBranch);
  EXPECT_EQ(jump.condition, Condition::kLts);
  EXPECT_EQ(decoded("jgeu r1, r2, 33").condition, Condition::kC);
  const Instruction move = decoded("move r1, 77");
  EXPECT_EQ(move.op, Op::kOr);
  EXPECT_EQ(move.a, kZero);
  EXPECT_EQ(move.imm, 77);
  const Instruction pair = decoded("move.s d2, -5");
  EXPECT_EQ(pair.op, Op::kAnd);
  EXPECT_EQ(pair.a, kLneg);
  EXPECT_EQ(pair.extension, Extension::kSigned);
  const Instruction inverted = decoded("not r1, r2");
  EXPECT_EQ(inverted.op, Op::kXor);
  EXPECT_EQ(inverted.imm, -1);
  const Instruction leave = decoded("jump r23");
  EXPECT_EQ(leave.op, Op::kCall);
  EXPECT_EQ(leave.dst, kZero);
  EXPECT_EQ(leave.a, 23);
  EXPECT_EQ(leave.b, kImmediate);
}

TEST(Isa, TheMostSpecificTextIsPrinted) {
  EXPECT_EQ(canonical("or r0, zero, 5"), "move r0, 5");
  EXPECT_EQ(canonical("sub zero, r1, 0, eq, 3"), "jz r1, 3");
  EXPECT_EQ(canonical("sub zero, r1, r2, c, 3"), "jgeu r1, r2, 3");
  EXPECT_EQ(canonical("call zero, r23, 0"), "jump r23");
  EXPECT_EQ(canonical("lw !little, r1, r2, 4"), "lw r1, r2, 4");
  EXPECT_EQ(canonical("lw !little, r1, s2, 4"), "lws r1, r2, 4");
  EXPECT_EQ(canonical("lw !big, r1, s2, 4"), "lw !big, r1, s2, 4");
  EXPECT_EQ(canonical("fault 0"), "bkp");
  EXPECT_EQ(canonical("andn r1, r2, 3, false"), "andn r1, r2, 3");
  EXPECT_EQ(canonical("ADD R1, R2, R3, ?NZ, 5"), "add r1, r2, r3, nz, 5");
}

TEST(Isa, FusedShiftsNameTheShiftedRegisterLast) {
  const Instruction i = decoded("lsl_add r1, r2, r3, 24");
  EXPECT_EQ(i.b, 2);
  EXPECT_EQ(i.a, 3);
  EXPECT_EQ(i.shift, 24);
  const Instruction step = decoded("mul_step d2, r4, d6, 31, z, 9");
  EXPECT_EQ(step.a, 4);
  EXPECT_EQ(step.b, 6);
  EXPECT_EQ(step.shift, 31);
  const Instruction plain = decoded("lsr r1, r2, 31");
  EXPECT_EQ(plain.b, kImmediate);
  EXPECT_EQ(plain.imm, 31);
}

TEST(Isa, StoresNameBaseOffsetAndValue) {
  const Instruction reg = decoded("sw r1, -4, r3");
  EXPECT_EQ(reg.a, 1);
  EXPECT_EQ(reg.imm, -4);
  EXPECT_EQ(reg.b, 3);
  const Instruction imm = decoded("sb r1, 12, 255");
  EXPECT_EQ(imm.b, kImmediate);
  EXPECT_EQ(imm.imm, 12);
  EXPECT_EQ(imm.value, -1);
  EXPECT_EQ(decoded("sd r22, 0, d22").b, 22);
  EXPECT_EQ(decoded("ldma r1, r2, 255").imm, 255);
}

TEST(Isa, WhatTheFactsLeaveOpenIsMarked) {
  for (const char *text : {"hash r1, r2, r3", "sats r1, r2", "lsl1x r1, r2, 3", "lsr1x r1, r2, r3",
                           "ldma_dbg r1, r2, 0", "sdma_dbg r1, r2, 0", "lw !big, r1, r2, 0", "sh !big, r1, 0, r2",
                           "sd r1, 0, -1", "mul_ul_ul r1, r2, r3, small, 4"}) {
    EXPECT_FALSE(decoded(text).isEstablished) << text;
  }
  for (const char *text : {"cmpb4 r1, r2, r3", "cls r1, r2", "sd r1, 0, 1", "add r1, r2, r3, nc, 4", "lw r1, r2, 0",
                           "add r1, r2, r3, nc5, 4", "addc r1, r2, 7, nc14, 4"}) {
    EXPECT_TRUE(decoded(text).isEstablished) << text;
  }
}

TEST(Isa, StackFormsArePlainOnesThatAreChecked) {
  const Instruction i = decoded("add s1, s2, s3");
  EXPECT_TRUE(i.isStackChecked);
  EXPECT_EQ(i.op, Op::kAdd);
  EXPECT_EQ(i.a, 2);
  EXPECT_EQ(i.b, 3);
  EXPECT_EQ(decoded("subs r1, r2, -65536").imm, -65536);
}

TEST(Isa, IssueBehaviourIsPartOfTheTable) {
  auto issueOf = [](std::string_view text) { return forms()[decoded(text).form].issue; };
  EXPECT_EQ(issueOf("ldma r1, r2, 0"), Issue::kTransfer);
  EXPECT_EQ(issueOf("stop"), Issue::kSuspend);
  EXPECT_EQ(issueOf("acquire r1, 0, nz, 4"), Issue::kRetry);
  EXPECT_EQ(issueOf("add r1, r2, r3"), Issue::kSlot);
}

TEST(Isa, InstructionsMadeByHandAreEncoded) {
  Instruction i;
  i.op = Op::kAdd;
  i.dst = 1;
  i.a = 2;
  i.b = 3;
  EXPECT_EQ(encode(i), assembledWord("add r1, r2, r3"));
  i.b = kImmediate;
  i.imm = INT32_MIN;
  EXPECT_EQ(encode(i), assembledWord("add r1, r2, 0x80000000"));
  i.use = ConditionUse::kBranch;
  i.condition = Condition::kTrue;
  EXPECT_EQ(encode(i), std::nullopt) << "eight bits hold no such number";
  i.imm = -128;
  EXPECT_EQ(encode(i), assembledWord("add r1, r2, -128, true, 0"));
  i.condition = Condition::kLts;
  EXPECT_EQ(encode(i), std::nullopt) << "an addition does not test this";
}

TEST(Isa, TargetsNearbyArePrintedRelativeToTheInstruction) {
  EXPECT_EQ(print(decoded("acquire zero, 5, nz, 40"), 40), "acquire zero, 5, nz, .");
  EXPECT_EQ(print(decoded("release zero, 5, nz, 41"), 40), "release zero, 5, nz, . + 1");
  EXPECT_EQ(print(decoded("release zero, 5, nz, 40"), 41), "release zero, 5, nz, 40");
}

}  // namespace
}  // namespace pimento::dpu
