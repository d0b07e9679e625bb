// The instructions of an HBM-PIM block (its command register file, CRF): fields, 32-bit words and assembly text.
//
// Not here: when an instruction executes and what it computes (src/sim). Instruction set and operand rules: Lee et al.,
// "Hardware Architecture and Software Stack for PIM Based on Commercial DRAM Technology", ISCA 2021, section IV;
// word layout: op[31:28] dst[27:25] src0[24:22] src1[21:19] src2[18:16] aam[15] relu[12] and three register indices
// [11:8] [7:4] [3:0]; JUMP count[27:11] offset[10:0]; NOP count[10:0]. Bits an instruction does not use are zero.
//
// Assembly, one instruction per line, comments after ';' or '#':
//
//   FILL GRF_A, EVEN_BANK relu       registers 0 to 7 from eight commands
//   ADD GRF_A, GRF_A, ODD_BANK aam   register numbers come from the command's row and column
//   MUL GRF_B[1], GRF_A[2], SRF_M[3] register numbers are part of the instruction
//   MAC GRF_B, GRF_A, EVEN_BANK aam  GRF_B += GRF_A * bank
//   MAD GRF_A, GRF_B, SRF_M, SRF_A aam
//   MOV GRF_A[0], GRF_A[0] relu
//   JUMP 127, 1                      127 times: continue 1 instruction earlier
//   NOP 7                            8 commands do nothing else
//   EXIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::program::hbm_pim {

/// Words of the CRF: a program has at most this many instructions.
inline constexpr int kCrfWords = 32;
/// Registers of each of GRF_A, GRF_B, SRF_M, SRF_A.
inline constexpr int kRegisters = 8;
inline constexpr int kMaxJumpCount = (1 << 17) - 1;
inline constexpr int kMaxNopCount = (1 << 11) - 1;

/// The values are the encoding.
enum class Opcode : std::uint8_t {
  kNop = 0,
  kAdd = 1,
  kMul = 2,
  kMac = 3,
  kMad = 4,
  kMov = 8,
  kFill = 9,
  kJump = 14,
  kExit = 15,
};

/// What an operand names. The values are the encoding; kAOut and kMOut (the ALU outputs) mark an unused operand.
enum class Source : std::uint8_t { kAOut, kMOut, kEvenBank, kOddBank, kGrfA, kGrfB, kSrfM, kSrfA };

std::string_view name(Opcode op);
std::string_view name(Source source);

constexpr bool isBank(Source s) {
  return s == Source::kEvenBank || s == Source::kOddBank;
}
constexpr bool isRegister(Source s) {
  return s >= Source::kGrfA;
}

/// One instruction. Fields that `op` does not use keep their defaults.
struct Instruction {
  Opcode op = Opcode::kNop;
  Source dst = Source::kAOut, src0 = Source::kAOut, src1 = Source::kAOut;
  Source src2 = Source::kAOut;  ///< MAD only: the addend; its register number is that of src1
  bool isAam = false;           ///< address-aligned mode: repeats for 8 commands, register numbers from the address
  bool isRelu = false;          ///< MOV, FILL: clears values whose sign bit is set
  int dstIndex = 0, src0Index = 0, src1Index = 0;
  int jumpCount = 0;   ///< JUMP: how often it is taken
  int jumpOffset = 0;  ///< JUMP: distance back; the target is the JUMP's own position - offset
  int nopCount = 0;    ///< NOP: occupies nopCount + 1 commands

  bool operator==(const Instruction &) const = default;
};

/// Operands an instruction has, the destination included: 3 for ADD, 4 for MAD, 2 for MOV, 0 for JUMP.
int operandCount(Opcode op);
/// Whether register numbers are part of the instruction: not in address-aligned mode, and never for FILL.
bool hasIndices(const Instruction &instruction);

/// Whether the instruction is one the block executes. Diagnostics: pim-destination, pim-operand, pim-two-banks,
/// pim-index, pim-relu, pim-aam, pim-range, pim-unused-field.
Status check(const Instruction &instruction);
/// ... and whether a sequence of them is a CRF program: length and jump targets (pim-too-long, pim-jump-target).
Status check(const std::vector<Instruction> &instructions);

/// The CRF word. The instruction must pass check().
std::uint32_t encode(const Instruction &instruction);
/// Inverse of encode(). Diagnostics: pim-opcode, pim-reserved-bits, and those of check().
Result<Instruction> decode(std::uint32_t word);

/// Assembly text of one instruction, without a line end.
std::string print(const Instruction &instruction);
/// One instruction per line.
std::string print(const std::vector<Instruction> &instructions);
/// Parses assembly text. Diagnostics carry the place in `file`; besides those of check(): pim-syntax,
/// pim-unknown-opcode, pim-unknown-operand.
Result<std::vector<Instruction>> parse(std::string_view text, std::string file = {});
/// ... of exactly one instruction.
Result<Instruction> parseInstruction(std::string_view text, std::string file = {});

}  // namespace pimento::program::hbm_pim
