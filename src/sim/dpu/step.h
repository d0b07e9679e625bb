// One DPU instruction ready to execute: operands resolved to register slots, and the arithmetic of every operation.
//
// A tasklet's registers lie in one array, the read-only ones included, so that operands need no cases; results that
// are discarded go to a slot of their own. The semantics are those stated beside each Op (dpu/instruction.h).
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "pimento/dpu/instruction.h"

namespace pimento::sim::dpu {

using pimento::dpu::Condition;
using pimento::dpu::ConditionUse;
using pimento::dpu::Extension;
using pimento::dpu::Instruction;
using pimento::dpu::Op;

inline constexpr int kMaxTasklets = 24;
/// Slots behind the 32 register numbers: the instruction's immediate, and where discarded results go.
inline constexpr std::uint8_t kImmediateSlot = pimento::dpu::kImmediate, kDiscardSlot = 34, kSlots = 36;

/// What the engine has to do with an instruction.
enum class Class : std::uint8_t {
  kAlu,      ///< registers and flags only, branches included
  kLoad,     ///< WRAM to register
  kStore,    ///< register to WRAM
  kCall,     ///< the next instruction is computed
  kEvent,    ///< touches what tasklets share beside WRAM: DMA, atomic bits, other tasklets, the clock; or ends the run
  kProduct,  ///< begins a 32-bit product that the machine's multiplier does (product.h)
};

struct Step {
  Op op = Op::kNop;
  Class kind = Class::kAlu;
  Extension extension = Extension::kNone;
  ConditionUse use = ConditionUse::kNone;
  Condition condition = Condition::kFalse;
  std::uint8_t dst = kDiscardSlot, a = 0, b = 0, shift = 0;
  std::uint8_t bytes = 0;  ///< of loads and stores
  bool isImmediateFirst = false;
  bool keepsFlags = false;  ///< Z and C stay as they are
  bool readsCarry = false, readsZero = false;
  std::uint32_t imm = 0, value = 0;
  std::uint32_t target = 0;
  std::uint32_t product = 0;  ///< of class kProduct: which of the program's

  explicit Step(const Instruction &i);
  Step() = default;
};

/// Registers, flags and position of one tasklet.
struct Context {
  std::array<std::uint32_t, kSlots> regs{};
  bool z = false, c = false;
  std::uint32_t pc = 0;

  /// As at boot: registers 0, the read-only ones set for tasklet `id`.
  void reset(int id);
};

/// t, and the flags it leaves.
struct AluResult {
  std::uint32_t t = 0;
  bool c = false, v = false;
};

namespace detail {

inline AluResult add(std::uint32_t x, std::uint32_t y, bool carry) {
  const std::uint64_t sum = static_cast<std::uint64_t>(x) + y + (carry ? 1U : 0U);
  const auto t = static_cast<std::uint32_t>(sum);
  return {t, (sum >> 32) != 0, (((x ^ t) & (y ^ t)) >> 31) != 0};
}
/// x - y - (1 - carry); carry out means: no borrow.
inline AluResult subtract(std::uint32_t x, std::uint32_t y, bool carry) {
  return add(x, ~y, carry);
}

inline std::uint32_t signedByte(std::uint32_t x, int byte) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(x >> (8 * byte))));
}
inline std::uint32_t unsignedByte(std::uint32_t x, int byte) {
  return (x >> (8 * byte)) & 0xff;
}

inline std::uint32_t equalBytes(std::uint32_t x, std::uint32_t y) {
  std::uint32_t t = 0;
  for (int i = 0; i < 4; ++i)
    if (unsignedByte(x, i) == unsignedByte(y, i)) t |= 1U << (8 * i);
  return t;
}

}  // namespace detail

/// The operation on x and y; `shift` of fused shifts. Not for pairs, memory and events. Long because it has one case
/// per operation.
inline AluResult compute(Op op, std::uint32_t x, std::uint32_t y, bool carry, int shift) {
  using namespace detail;
  const int n = static_cast<int>(y & 31);
  switch (op) {
    case Op::kAdd:
      return add(x, y, false);
    case Op::kAddc:
      return add(x, y, carry);
    case Op::kSub:
      return subtract(x, y, true);
    case Op::kSubc:
      return subtract(x, y, carry);
    case Op::kRsub:
      return subtract(y, x, true);
    case Op::kRsubc:
      return subtract(y, x, carry);
    case Op::kAnd:
      return {x & y};
    case Op::kAndn:
      return {~x & y};
    case Op::kNand:
      return {~(x & y)};
    case Op::kOr:
      return {x | y};
    case Op::kOrn:
      return {~x | y};
    case Op::kNor:
      return {~(x | y)};
    case Op::kXor:
      return {x ^ y};
    case Op::kNxor:
      return {~(x ^ y)};
    case Op::kLsl:
      return {x << n};
    case Op::kLslx:
      return {n == 0 ? 0 : x >> (32 - n)};
    case Op::kLsl1:
      return {(x << n) | ((1U << n) - 1)};
    case Op::kLsr:
      return {x >> n};
    case Op::kLsrx:
      return {n == 0 ? 0 : x << (32 - n)};
    case Op::kLsr1:
      return {n == 0 ? x : (x >> n) | ~(0xffffffffU >> n)};
    case Op::kAsr:
      return {static_cast<std::uint32_t>(static_cast<std::int32_t>(x) >> n)};
    case Op::kRol:
      return {std::rotl(x, n)};
    case Op::kRor:
      return {std::rotr(x, n)};
    case Op::kLslAdd:
      return add(y, x << shift, false);
    case Op::kLslSub:
      return subtract(y, x << shift, true);
    case Op::kLsrAdd:
      return add(y, x >> shift, false);
    case Op::kRolAdd:
      return add(y, std::rotl(x, shift), false);
    case Op::kCao:
      return {static_cast<std::uint32_t>(std::popcount(x))};
    case Op::kClo:
      return {static_cast<std::uint32_t>(std::countl_one(x))};
    case Op::kClz:
      return {static_cast<std::uint32_t>(std::countl_zero(x))};
    case Op::kCls:
      return {static_cast<std::uint32_t>((x >> 31) != 0 ? std::countl_one(x) : std::countl_zero(x))};
    case Op::kExtsb:
      return {signedByte(x, 0)};
    case Op::kExtsh:
      return {static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(x)))};
    case Op::kExtub:
      return {x & 0xff};
    case Op::kExtuh:
      return {x & 0xffff};
    case Op::kCmpb4:
      return {equalBytes(x, y)};
    case Op::kMulShSh:
      return {signedByte(x, 1) * signedByte(y, 1)};
    case Op::kMulShSl:
      return {signedByte(x, 1) * signedByte(y, 0)};
    case Op::kMulShUh:
      return {signedByte(x, 1) * unsignedByte(y, 1)};
    case Op::kMulShUl:
      return {signedByte(x, 1) * unsignedByte(y, 0)};
    case Op::kMulSlSh:
      return {signedByte(x, 0) * signedByte(y, 1)};
    case Op::kMulSlSl:
      return {signedByte(x, 0) * signedByte(y, 0)};
    case Op::kMulSlUh:
      return {signedByte(x, 0) * unsignedByte(y, 1)};
    case Op::kMulSlUl:
      return {signedByte(x, 0) * unsignedByte(y, 0)};
    case Op::kMulUhUh:
      return {unsignedByte(x, 1) * unsignedByte(y, 1)};
    case Op::kMulUhUl:
      return {unsignedByte(x, 1) * unsignedByte(y, 0)};
    case Op::kMulUlUh:
      return {unsignedByte(x, 0) * unsignedByte(y, 1)};
    case Op::kMulUlUl:
      return {unsignedByte(x, 0) * unsignedByte(y, 0)};
    default:
      return {};
  }
}

/// The number of low bits that a condition kNc5 to kNc14 looks at.
inline int lowBitsOf(Condition k) {
  return 5 + static_cast<int>(k) - static_cast<int>(Condition::kNc5);
}

/// Whether condition `k` holds. `isZeroBefore`: Z before the instruction; `source`: register `a`; `y`: second source.
/// Long because it has one case per condition.
inline bool holds(Condition k, const AluResult &r, bool isZeroBefore, std::uint32_t source, std::uint32_t y) {
  const bool z = r.t == 0, n = (r.t >> 31) != 0;
  const bool xz = z && isZeroBefore;
  switch (k) {
    case Condition::kFalse:
      return false;
    case Condition::kTrue:
      return true;
    case Condition::kZ:
      return z;
    case Condition::kNz:
      return !z;
    case Condition::kXz:
      return xz;
    case Condition::kXnz:
      return !xz;
    case Condition::kPl:
      return !n;
    case Condition::kMi:
      return n;
    case Condition::kSz:
      return source == 0;
    case Condition::kSnz:
      return source != 0;
    case Condition::kSpl:
      return (source >> 31) == 0;
    case Condition::kSmi:
      return (source >> 31) != 0;
    case Condition::kOv:
      return r.v;
    case Condition::kNov:
      return !r.v;
    case Condition::kC:
      return r.c;
    case Condition::kNc:
      return !r.c;
    case Condition::kLts:
      return n != r.v;
    case Condition::kGes:
      return n == r.v;
    case Condition::kLes:
      return z || n != r.v;
    case Condition::kGts:
      return !z && n == r.v;
    case Condition::kLeu:
      return z || !r.c;
    case Condition::kGtu:
      return !z && r.c;
    case Condition::kXles:
      return xz || n != r.v;
    case Condition::kXgts:
      return !(xz || n != r.v);
    case Condition::kXleu:
      return xz || !r.c;
    case Condition::kXgtu:
      return !(xz || !r.c);
    case Condition::kE:
      return (r.t & 1) == 0;
    case Condition::kO:
      return (r.t & 1) != 0;
    case Condition::kSe:
      return (source & 1) == 0;
    case Condition::kSo:
      return (source & 1) != 0;
    case Condition::kNsh32:
      return (y & 32) == 0;
    case Condition::kSh32:
      return (y & 32) != 0;
    case Condition::kMax:
      return r.t == 32;
    case Condition::kNmax:
      return r.t != 32;
    case Condition::kNc5:
    case Condition::kNc6:
    case Condition::kNc7:
    case Condition::kNc8:
    case Condition::kNc9:
    case Condition::kNc10:
    case Condition::kNc11:
    case Condition::kNc12:
    case Condition::kNc13:
    case Condition::kNc14:
      // A bit of a sum differs from the exclusive or of its summands where a carry came in from the bits below.
      return (((source ^ y ^ r.t) >> lowBitsOf(k)) & 1) == 0;
    default:
      return false;
  }
}

/// Executes an instruction of class kAlu and moves to the next one.
inline void executeAlu(const Step &s, Context &k) {
  auto &regs = k.regs;
  regs[kImmediateSlot] = s.imm;
  std::uint32_t x = regs[s.a], y = regs[s.b];
  if (s.isImmediateFirst) std::swap(x, y);
  AluResult r;
  switch (s.op) {
    case Op::kMulStep: {
      const std::uint32_t even = regs[s.b];
      regs[s.dst + 1] = regs[s.b + 1] + ((even & 1) != 0 ? x << s.shift : 0);
      r.t = even >> 1;
      regs[s.dst] = r.t;
      k.pc = s.use == ConditionUse::kBranch && holds(s.condition, r, k.z, x, y) ? s.target : k.pc + 1;
      k.z = r.t == 0;
      return;
    }
    case Op::kDivStep: {
      const std::uint32_t v = x << s.shift, even = regs[s.b], odd = regs[s.b + 1];
      const bool ge = odd >= v;
      regs[s.dst + 1] = ge ? odd - v : odd;
      regs[s.dst] = (even << 1) | (ge ? 1U : 0U);
      r.t = regs[s.dst];
      k.pc = s.use == ConditionUse::kBranch && holds(s.condition, r, k.z, x, y) ? s.target : k.pc + 1;
      return;
    }
    case Op::kMovd:
    case Op::kSwapd: {
      const std::uint32_t even = regs[s.b], odd = regs[s.b + 1];
      regs[s.dst] = s.op == Op::kMovd ? even : odd;
      regs[s.dst + 1] = s.op == Op::kMovd ? odd : even;
      k.pc = s.use == ConditionUse::kBranch && holds(s.condition, r, k.z, x, y) ? s.target : k.pc + 1;
      return;
    }
    case Op::kNop:
    case Op::kTell:
      ++k.pc;
      return;
    default:
      r = compute(s.op, x, y, k.c, s.shift);
  }
  std::uint32_t result = r.t;
  std::uint32_t next = k.pc + 1;
  if (s.use != ConditionUse::kNone) {
    const bool isTrue = holds(s.condition, r, k.z, regs[s.a], y);
    if (s.use == ConditionUse::kSet)
      result = isTrue ? 1 : 0;
    else if (isTrue)
      next = s.target;
  }
  if (s.extension == Extension::kNone) {
    regs[s.dst] = result;
  } else {
    regs[s.dst] = s.extension == Extension::kSigned && (result >> 31) != 0 ? 0xffffffffU : 0;
    regs[s.dst + 1] = result;
  }
  k.z = r.t == 0;
  k.c = r.c;
  k.pc = next;
}

}  // namespace pimento::sim::dpu
