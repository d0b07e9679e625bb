// The UPMEM DPU instruction set as data: every assembly form, and what derives from it.
//
// One compact table (isa_table.cpp) lists families of operations against operand patterns. Expanded, it gives 1,080
// forms; assembler, disassembler, decoder and encoder know nothing else about the ISA. What an operation does is
// said in instruction.h, and done by the DPU engine. An alias (`jeq`, `move`, `lws`) shares the words of another form,
// its base: decoding takes the operands from the base and the text from the most specific form.
//
// Written from the public description of the ISA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/dpu/condition.h"
#include "pimento/dpu/field.h"
#include "pimento/dpu/instruction.h"

namespace pimento::dpu {

enum class OperandKind : std::uint8_t {
  kRegister,       ///< r0 to r23
  kSource,         ///< r0 to r23 or a read-only register
  kNonZero,        ///< a source other than zero
  kConstant,       ///< a read-only register
  kStackRegister,  ///< s0 to s23
  kStackSource,    ///< s0 to s23 or a read-only register
  kPair,           ///< d0, d2, ... d22
  kZero,           ///< the word `zero`, in no bits
  kImmediate,      ///< number or symbol
  kTarget,         ///< instruction index of a branch
  kCondition,
  kEndian,  ///< !little or !big
};

/// The part of an Instruction that an operand fills.
enum class OperandRole : std::uint8_t { kDst, kA, kB, kImm, kValue, kShift, kCondition, kTarget, kEndian };

struct Operand {
  OperandKind kind = OperandKind::kSource;
  OperandRole role = OperandRole::kDst;
  bool isUnsigned = false;       ///< immediates: 0 to 2^N - 1
  bool isEitherSign = false;     ///< immediates: -2^(N-1) to 2^N - 1, stored modulo 2^N
  std::uint8_t width = 0;        ///< bits of an immediate
  std::uint8_t relocation = 0;   ///< type that fills an immediate, as in field.h
  std::uint8_t shift = 0;        ///< 1: the field holds the number of a pair without its lowest bit
  std::vector<BitRange> ranges;  ///< where it stands
  std::string_view name;         ///< as in the form's name: "ra", "imm"
};

/// What issuing costs beside one slot.
enum class Issue : std::uint8_t {
  kSlot,      ///< nothing
  kTransfer,  ///< the tasklet leaves the pipeline until the transfer is done
  kSuspend,   ///< the tasklet leaves the pipeline until resumed
  kRetry,     ///< a slot for every attempt
};

struct Form {
  std::string name;      ///< unique: "add:rc,ra,imm,cc(set)"
  std::string mnemonic;  ///< "add.s"
  std::string pattern;   ///< 48 characters, bit 47 first: 0, 1, or the letter of an operand field
  Op op = Op::kNop;
  Extension extension = Extension::kNone;
  ConditionUse use = ConditionUse::kNone;
  const ConditionFamily *family = nullptr;  ///< null: no condition operand
  std::vector<Operand> operands;            ///< in the order of the text
  std::uint64_t mask = 0, value = 0;        ///< constant bits
  std::uint16_t base = 0;                   ///< the form itself, or that whose words an alias shares
  bool isAlias = false;
  bool isStackChecked = false;
  bool isEstablished = true;  ///< apart from conditions and byte order
  Issue issue = Issue::kSlot;
};

/// All forms. Two forms of one mnemonic that take the same text are tried in this order.
const std::vector<Form> &forms();

/// Indices of the forms with this mnemonic (lower case); empty where there is none.
const std::vector<std::uint16_t> &formsNamed(std::string_view mnemonic);

/// All mnemonics, sorted.
const std::vector<std::string> &mnemonics();

/// Empty: the word is no instruction. Bits 63:48 must be 0.
std::optional<Instruction> decode(std::uint64_t word);

/// The word; of several that do the same, that of `form` if it is one of them. Empty: no word does this (an immediate
/// too wide, a register that the form cannot name).
std::optional<std::uint64_t> encode(const Instruction &instruction);

/// "r5", "zero", "id8"; registers 0 to 31.
std::string registerName(unsigned number);

}  // namespace pimento::dpu
