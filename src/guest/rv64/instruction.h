// Instructions of RV64GC as the hart runs them: one operation, registers, one constant.
//
// From the RISC-V Instruction Set Manual, volume I (unprivileged, 20191213): RV64I, M, A, F, D, C, Zicsr, Zifencei.
// Compressed instructions are decoded as what they stand for. Not here: what timing and searches see of an instruction
// (trace/instruction.h).
#pragma once

#include <cstdint>

namespace pimento::guest::rv64 {

/// What it does. Of floating-point operations those of single precision stand before those of double, in one order.
enum class Op : std::uint16_t {
  kIllegal,
  kEndOfBlock,  ///< none: what follows is another block
  kConstant,    ///< lui, auipc: `constant`
  kJal,
  kJalr,
  kBeq,
  kBne,
  kBlt,
  kBge,
  kBltu,
  kBgeu,
  kLb,
  kLh,
  kLw,
  kLd,
  kLbu,
  kLhu,
  kLwu,
  kSb,
  kSh,
  kSw,
  kSd,
  kAddi,
  kSlti,
  kSltiu,
  kXori,
  kOri,
  kAndi,
  kSlli,
  kSrli,
  kSrai,
  kAdd,
  kSub,
  kSll,
  kSlt,
  kSltu,
  kXor,
  kSrl,
  kSra,
  kOr,
  kAnd,
  kAddiw,
  kSlliw,
  kSrliw,
  kSraiw,
  kAddw,
  kSubw,
  kSllw,
  kSrlw,
  kSraw,
  kFence,
  kFenceI,
  kEcall,
  kEbreak,
  kCsrrw,  ///< register or, where rs2 is 1, rs1 itself as a number; `constant`: the register's number
  kCsrrs,
  kCsrrc,
  kMul,
  kMulh,
  kMulhsu,
  kMulhu,
  kDiv,
  kDivu,
  kRem,
  kRemu,
  kMulw,
  kDivw,
  kDivuw,
  kRemw,
  kRemuw,
  kLrW,
  kScW,
  kAmoW,  ///< `constant`: which, as the manual numbers them (funct5)
  kLrD,
  kScD,
  kAmoD,
  kFlw,
  kFld,
  kFsw,
  kFsd,
  kMaddS,
  kMsubS,
  kNmsubS,
  kNmaddS,
  kAddS,
  kSubS,
  kMulS,
  kDivS,
  kSqrtS,
  kSgnjS,
  kSgnjnS,
  kSgnjxS,
  kMinS,
  kMaxS,
  kLeS,
  kLtS,
  kEqS,
  kToIntegerS,    ///< `constant`: to w, wu, l, lu
  kFromIntegerS,  ///< `constant`: from w, wu, l, lu
  kMoveToXS,
  kMoveFromXS,
  kClassS,
  kNarrow,  ///< fcvt.s.d
  kMaddD,
  kMsubD,
  kNmsubD,
  kNmaddD,
  kAddD,
  kSubD,
  kMulD,
  kDivD,
  kSqrtD,
  kSgnjD,
  kSgnjnD,
  kSgnjxD,
  kMinD,
  kMaxD,
  kLeD,
  kLtD,
  kEqD,
  kToIntegerD,
  kFromIntegerD,
  kMoveToXD,
  kMoveFromXD,
  kClassD,
  kWiden,  ///< fcvt.d.s
};

/// Integer registers are 0 to 31; writes to x0 go to kNowhere.
inline constexpr std::uint8_t kNowhere = 32;

struct Decoded {
  Op op = Op::kIllegal;
  std::uint8_t rd = 0, rs1 = 0, rs2 = 0, rs3 = 0;
  std::uint8_t rounding = 0;
  std::uint8_t bytes = 4;
  std::int64_t constant = 0;  ///< immediate; of branches and jal the target, of lui and auipc the result

  bool operator==(const Decoded &) const = default;
};

/// Whether an instruction ends a block.
constexpr bool endsBlock(Op op) {
  return op == Op::kIllegal || (op >= Op::kJal && op <= Op::kBgeu) || op == Op::kFenceI || op == Op::kEcall ||
         op == Op::kEbreak;
}

/// `word`: what lies at the address, of compressed instructions in its lower half.
Decoded decode(std::uint32_t word, std::uint64_t address);
/// The bytes of the instruction that begins with these 16 bits: 2, or 4 (also of longer ones, which are none of ours).
constexpr std::uint8_t bytesOf(std::uint16_t first) {
  return (first & 3) == 3 ? 4 : 2;
}
/// What a compressed instruction stands for; 0, which is illegal, where it is none.
std::uint32_t expand(std::uint16_t compressed);

}  // namespace pimento::guest::rv64
