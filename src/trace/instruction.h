// One machine instruction of a program, decoded: what it computes, which registers it reads and writes. One form for
// A32, T32, AArch64 and RV64; saved in traces, so that reading them needs no decoder.
//
// Not here: decoding (frontend/decoder/decoder.h) and what ran (stream.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pimento::trace {

enum class Isa : std::uint8_t { kA32, kT32, kA64, kRv64 };
/// "a32" "t32" "aarch64" "rv64".
std::string_view name(Isa isa);

/// A register by number, dense in each ISA: integer registers from 0, then the flags and others, then vector registers
/// from kFirstVector. Parts of a register are the register (w3 is x3, s1 is v1).
using Register = std::uint8_t;
inline constexpr int kRegisters = 128;
inline constexpr Register kStackPointer = 32;   ///< of A64; A32's is 13, RV64's 2
inline constexpr Register kFlags = 33;          ///< NZCV, Q and GE with it
inline constexpr Register kFloatStatus = 34;    ///< FPSCR, FPSR and FPCR, fcsr
inline constexpr Register kOtherRegister = 35;  ///< thread pointers, system registers, vector lengths
/// Of reshaped streams: what holds the address of an operand whose own registers change before a cache computes.
inline constexpr Register kFirstAddress = 40;
inline constexpr int kAddressRegisters = 24;
inline constexpr Register kFirstVector = 64;  ///< v0 to v31, d0 to d31, f0 to f31
/// As the ISA's assembler has it: "r3", "x3", "flags".
std::string registerName(Isa isa, Register reg);

/// What an instruction does.
enum class Operation : std::uint8_t {
  kAdd,
  kSub,         ///< first less second operand
  kReverseSub,  ///< second less first
  kAddCarry,    ///< with the carry flag; sub and reverse sub with it, too
  kAnd,
  kOr,
  kXor,
  kAndNot,
  kOrNot,  ///< A64's eon is this of kind kOther
  kMove,
  kMoveNot,
  kShift,       ///< and rotate
  kCompare,     ///< writes flags alone
  kSetCompare,  ///< RV64: 1 if less; A64: cset, csel
  kMultiply,    ///< with or without accumulation
  kDivide,
  kAddress,  ///< adr, lui, auipc: a constant
  kExtend,   ///< of width or field
  kOther,    ///< integer, anything else
  kLoad,
  kStore,
  kLoadStore,  ///< exchanges, atomic operations: `loads` and `stores`
  kBranch,     ///< direct
  kCall,
  kIndirect,  ///< to a register
  kIndirectCall,
  kReturn,
  kFloatAdd,
  kFloatMultiply,
  kFloatMultiplyAdd,
  kFloatDivide,
  kFloatSqrt,
  kFloatOther,  ///< comparisons, conversions, moves
  kVector,
  kVectorMultiply,
  kSystem,  ///< system calls, barriers, hints, system registers
  kCim,     ///< of reshaped streams alone: a cache computes (CimWork)
};
inline constexpr int kOperations = 37;
std::string_view name(Operation operation);
constexpr bool isBranch(Operation o) {
  return o >= Operation::kBranch && o <= Operation::kReturn;
}
constexpr bool isFloat(Operation o) {
  return o >= Operation::kFloatAdd && o <= Operation::kFloatOther;
}
/// Registers of one instruction; lists of A32 have 16, and a base and flags with them.
class RegisterSet {
 public:
  void add(Register r) {
    if (!has(r)) items_[static_cast<std::size_t>(size_++)] = r;
  }
  void remove(Register r);
  bool has(Register r) const;
  const Register *begin() const { return items_.data(); }
  const Register *end() const { return items_.data() + size_; }
  int size() const { return size_; }
  bool operator==(const RegisterSet &other) const;

 private:
  static constexpr std::size_t kMost = 40;  // ldm and vldm of 32 registers
  std::array<Register, kMost> items_{};
  int size_ = 0;
};

/// An operand of a computation: a register or an immediate.
struct Operand {
  bool isImmediate = false;
  bool isShifted = false;  ///< or extended: not the register's own value
  Register reg = 0;
  std::int64_t immediate = 0;

  bool operator==(const Operand &) const = default;
};

/// A step of what a cache computes, in post-order.
struct CimStep {
  enum class Kind : std::uint8_t { kOperand, kConstant, kOperation } kind = Kind::kOperand;
  Operation operation = Operation::kOther;  ///< takes the last two results
  std::uint16_t operand = 0;                ///< its place among the loads
  std::int64_t constant = 0;

  bool operator==(const CimStep &) const = default;
};
/// What a cache computes: of `width` bits, from as many operands in memory as the instruction loads. The result goes to
/// memory where the instruction stores, else to its destination.
struct CimWork {
  std::vector<CimStep> steps;
  int level = 0;  ///< index into Machine::caches of the one that computes

  bool operator==(const CimWork &) const = default;
};

struct Instruction {
  std::uint64_t address = 0;
  std::uint8_t bytes = 4;
  Isa isa = Isa::kA64;
  Operation operation = Operation::kOther;
  std::uint8_t width = 0;              ///< bits that a computation has
  bool loads = false, stores = false;  ///< also branches may load their target
  bool isSigned = false;               ///< loads: sign-extended
  bool isConditional = false;          ///< predicated, or in an IT block; of branches: may fall through
  bool writesFlags = false, readsFlags = false;
  bool writesBack = false;   ///< changes its base register, too
  bool isExclusive = false;  ///< exclusive, acquire, release, or atomic
  bool isVector = false;
  RegisterSet reads, writes;     ///< all of them: flags, old destinations of predicated instructions, bases, lists
  RegisterSet addressRegisters;  ///< those of `reads` that make the address
  /// Of two-operand computations (add to or not, in the order of the operation), moves (one) and stores (what is
  /// stored, one); else empty.
  std::array<Operand, 2> operands{};
  std::uint8_t operandCount = 0;
  Register destination = 0;  ///< of such computations, moves and plain loads
  bool hasDestination = false;
  std::string text;  ///< disassembly, for people
  CimWork cim;       ///< of kind kCim

  bool operator==(const Instruction &) const = default;
};

/// Instructions that run one after the other unless one of them faults or leaves: what is translated at once.
struct Block {
  std::vector<Instruction> instructions;
  /// Of reshaped ones: the addresses of the program's instructions that they stand for. Empty: their own.
  std::vector<std::uint64_t> origins;
};

}  // namespace pimento::trace
