// The C extension: each instruction as the one of 32 bits that it stands for.
#include "pimento/guest/rv64/instruction.h"

namespace pimento::guest::rv64 {

namespace {

/// Bits `high` to `low` of an instruction, moved to bit `to` of a constant.
constexpr std::uint32_t field(std::uint32_t c, int high, int low, int to) {
  return (c >> low & ((std::uint32_t{2} << (high - low)) - 1)) << to;
}
constexpr std::uint32_t signExtend(std::uint32_t value, int width) {
  const std::uint32_t sign = std::uint32_t{1} << (width - 1);
  return (value ^ sign) - sign;
}

// Formats of 32 bits.
constexpr std::uint32_t makeR(std::uint32_t opcode, std::uint32_t f3, std::uint32_t f7, std::uint32_t rd,
                              std::uint32_t rs1, std::uint32_t rs2) {
  return opcode | rd << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | f7 << 25;
}
constexpr std::uint32_t makeI(std::uint32_t opcode, std::uint32_t f3, std::uint32_t rd, std::uint32_t rs1,
                              std::uint32_t imm) {
  return opcode | rd << 7 | f3 << 12 | rs1 << 15 | imm << 20;
}
constexpr std::uint32_t makeS(std::uint32_t opcode, std::uint32_t f3, std::uint32_t rs1, std::uint32_t rs2,
                              std::uint32_t imm) {
  return opcode | field(imm, 4, 0, 7) | f3 << 12 | rs1 << 15 | rs2 << 20 | field(imm, 11, 5, 25);
}
constexpr std::uint32_t makeB(std::uint32_t f3, std::uint32_t rs1, std::uint32_t imm) {
  return 0x63 | field(imm, 11, 11, 7) | field(imm, 4, 1, 8) | f3 << 12 | rs1 << 15 | field(imm, 10, 5, 25) |
         field(imm, 12, 12, 31);
}
constexpr std::uint32_t makeJ(std::uint32_t rd, std::uint32_t imm) {
  return 0x6f | rd << 7 | field(imm, 19, 12, 12) | field(imm, 11, 11, 20) | field(imm, 10, 1, 21) |
         field(imm, 20, 20, 31);
}

constexpr std::uint32_t kLoad = 0x03, kFloatLoad = 0x07, kOpImmediate = 0x13, kOpImmediateW = 0x1b, kStore = 0x23,
                        kFloatStore = 0x27, kOp = 0x33, kLui = 0x37, kOpW = 0x3b, kJalr = 0x67, kEbreak = 0x00100073;
constexpr std::uint32_t kWord = 2, kDouble = 3;  // funct3 of accesses
constexpr std::uint32_t kStackPointer = 2;

// Constants by format, as the manual scrambles them.
constexpr std::uint32_t immediate6(std::uint32_t c) {
  return field(c, 12, 12, 5) | field(c, 6, 2, 0);
}
constexpr std::uint32_t offsetWord(std::uint32_t c) {
  return field(c, 12, 10, 3) | field(c, 6, 6, 2) | field(c, 5, 5, 6);
}
constexpr std::uint32_t offsetDouble(std::uint32_t c) {
  return field(c, 12, 10, 3) | field(c, 6, 5, 6);
}
constexpr std::uint32_t offsetJump(std::uint32_t c) {
  return signExtend(field(c, 12, 12, 11) | field(c, 11, 11, 4) | field(c, 10, 9, 8) | field(c, 8, 8, 10) |
                        field(c, 7, 7, 6) | field(c, 6, 6, 7) | field(c, 5, 3, 1) | field(c, 2, 2, 5),
                    12);
}
constexpr std::uint32_t offsetBranch(std::uint32_t c) {
  return signExtend(
      field(c, 12, 12, 8) | field(c, 11, 10, 3) | field(c, 6, 5, 6) | field(c, 4, 3, 1) | field(c, 2, 2, 5), 9);
}

/// Quadrant 0: accesses by a register, and addresses in the stack.
std::uint32_t expand0(std::uint32_t c) {
  const std::uint32_t rs1 = 8 + field(c, 9, 7, 0), rd = 8 + field(c, 4, 2, 0);
  const std::uint32_t wide = field(c, 10, 7, 6) | field(c, 12, 11, 4) | field(c, 5, 5, 3) | field(c, 6, 6, 2);
  switch (c >> 13) {
    case 0:
      return wide == 0 ? 0 : makeI(kOpImmediate, 0, rd, kStackPointer, wide);
    case 1:
      return makeI(kFloatLoad, kDouble, rd, rs1, offsetDouble(c));
    case 2:
      return makeI(kLoad, kWord, rd, rs1, offsetWord(c));
    case 3:
      return makeI(kLoad, kDouble, rd, rs1, offsetDouble(c));
    case 5:
      return makeS(kFloatStore, kDouble, rs1, rd, offsetDouble(c));
    case 6:
      return makeS(kStore, kWord, rs1, rd, offsetWord(c));
    case 7:
      return makeS(kStore, kDouble, rs1, rd, offsetDouble(c));
    default:
      return 0;
  }
}

/// Quadrant 1, funct3 4: computations on eight registers.
std::uint32_t expandCompute(std::uint32_t c) {
  const std::uint32_t rd = 8 + field(c, 9, 7, 0), rs2 = 8 + field(c, 4, 2, 0), imm = immediate6(c);
  constexpr std::uint32_t kArithmetic = 0x400;
  switch (field(c, 11, 10, 0)) {
    case 0:
      return makeI(kOpImmediate, 5, rd, rd, imm);
    case 1:
      return makeI(kOpImmediate, 5, rd, rd, imm | kArithmetic);
    case 2:
      return makeI(kOpImmediate, 7, rd, rd, signExtend(imm, 6));
    default:
      break;
  }
  switch (field(c, 12, 12, 2) | field(c, 6, 5, 0)) {
    case 0:
      return makeR(kOp, 0, 0x20, rd, rd, rs2);
    case 1:
      return makeR(kOp, 4, 0, rd, rd, rs2);
    case 2:
      return makeR(kOp, 6, 0, rd, rd, rs2);
    case 3:
      return makeR(kOp, 7, 0, rd, rd, rs2);
    case 4:
      return makeR(kOpW, 0, 0x20, rd, rd, rs2);
    case 5:
      return makeR(kOpW, 0, 0, rd, rd, rs2);
    default:
      return 0;
  }
}

/// Quadrant 1: constants and jumps.
std::uint32_t expand1(std::uint32_t c) {
  const std::uint32_t rd = field(c, 11, 7, 0), imm = signExtend(immediate6(c), 6);
  const std::uint32_t stack =
      field(c, 12, 12, 9) | field(c, 6, 6, 4) | field(c, 5, 5, 6) | field(c, 4, 3, 7) | field(c, 2, 2, 5);
  switch (c >> 13) {
    case 0:
      return makeI(kOpImmediate, 0, rd, rd, imm);
    case 1:
      return rd == 0 ? 0 : makeI(kOpImmediateW, 0, rd, rd, imm);
    case 2:
      return makeI(kOpImmediate, 0, rd, 0, imm);
    case 3:
      if (immediate6(c) == 0) return 0;
      if (rd == kStackPointer) return makeI(kOpImmediate, 0, rd, rd, signExtend(stack, 10));
      return kLui | rd << 7 | imm << 12;
    case 4:
      return expandCompute(c);
    case 5:
      return makeJ(0, offsetJump(c));
    default:
      return makeB(c >> 13 == 6 ? 0 : 1, 8 + field(c, 9, 7, 0), offsetBranch(c));
  }
}

/// Quadrant 2, funct3 4: moves, additions, jumps to registers.
std::uint32_t expandMove(std::uint32_t c) {
  const std::uint32_t rd = field(c, 11, 7, 0), rs2 = field(c, 6, 2, 0);
  const bool isSecond = field(c, 12, 12, 0) != 0;
  if (rs2 != 0) return makeR(kOp, 0, 0, rd, isSecond ? rd : 0, rs2);
  if (rd == 0) return isSecond ? kEbreak : 0;
  return makeI(kJalr, 0, isSecond ? 1 : 0, rd, 0);
}

/// Quadrant 2: accesses by the stack pointer.
std::uint32_t expand2(std::uint32_t c) {
  const std::uint32_t rd = field(c, 11, 7, 0), rs2 = field(c, 6, 2, 0);
  const std::uint32_t loadWord = field(c, 12, 12, 5) | field(c, 6, 4, 2) | field(c, 3, 2, 6),
                      loadDouble = field(c, 12, 12, 5) | field(c, 6, 5, 3) | field(c, 4, 2, 6),
                      storeWord = field(c, 12, 9, 2) | field(c, 8, 7, 6),
                      storeDouble = field(c, 12, 10, 3) | field(c, 9, 7, 6);
  switch (c >> 13) {
    case 0:
      return makeI(kOpImmediate, 1, rd, rd, immediate6(c));
    case 1:
      return makeI(kFloatLoad, kDouble, rd, kStackPointer, loadDouble);
    case 2:
      return rd == 0 ? 0 : makeI(kLoad, kWord, rd, kStackPointer, loadWord);
    case 3:
      return rd == 0 ? 0 : makeI(kLoad, kDouble, rd, kStackPointer, loadDouble);
    case 4:
      return expandMove(c);
    case 5:
      return makeS(kFloatStore, kDouble, kStackPointer, rs2, storeDouble);
    case 6:
      return makeS(kStore, kWord, kStackPointer, rs2, storeWord);
    default:
      return makeS(kStore, kDouble, kStackPointer, rs2, storeDouble);
  }
}

}  // namespace

std::uint32_t expand(std::uint16_t compressed) {
  switch (compressed & 3) {
    case 0:
      return expand0(compressed);
    case 1:
      return expand1(compressed);
    case 2:
      return expand2(compressed);
    default:
      return 0;
  }
}

}  // namespace pimento::guest::rv64
