// One UPMEM DPU instruction, decoded: what the executor, the disassembler and the assembler share.
//
// `decode` and `encode` (isa.h) convert between this and the 48-bit word. The operands are those of the written form;
// the semantics of each Op stand beside it, with x and y the two sources: x is register `a`, y is register `b` or `imm`
// (exchanged where `isImmediateFirst`). t is the 32-bit result. Flags kept per tasklet: Z (t == 0) and C. Written from
// the public descriptions of the ISA; what is not established faults (`isEstablished`).
#pragma once

#include <cstdint>

namespace pimento::dpu {

/// Registers 0 to 23 are r0 to r23. Read-only ones follow; as a destination kZero discards.
inline constexpr std::uint8_t kRegisters = 24;
inline constexpr std::uint8_t kZero = 24, kOne = 25, kLneg = 26, kMneg = 27, kId = 28, kId2 = 29, kId4 = 30, kId8 = 31;
/// In `b`: the second source is `imm`.
inline constexpr std::uint8_t kImmediate = 32;

enum class Op : std::uint8_t {
  // Arithmetic: Z, C = carry out; after a subtraction C = no borrow.
  kAdd,    ///< x + y
  kAddc,   ///< x + y + C
  kSub,    ///< x - y
  kSubc,   ///< x - y - (1 - C)
  kRsub,   ///< y - x
  kRsubc,  ///< y - x - (1 - C)
  // Logic: Z, C = 0.
  kAnd,
  kAndn,  ///< ~x & y
  kNand,
  kOr,
  kOrn,  ///< ~x | y
  kNor,
  kXor,
  kNxor,
  kHash,  ///< function not established
  // Shifts by y & 31: Z, C = 0.
  kLsl,
  kLslx,  ///< the bits that kLsl pushes out; 0 for amount 0
  kLsl1,  ///< ones come in
  kLsl1x,
  kLsr,
  kLsrx,  ///< the bits that kLsr pushes out, at the top
  kLsr1,
  kLsr1x,
  kAsr,
  kRol,
  kRor,
  // Fused shifts: y op (x << shift). Z, C of the addition or subtraction. `b` is y, `a` is x, `shift` the amount.
  kLslAdd,
  kLslSub,
  kLsrAdd,
  kRolAdd,
  // One source, x: Z, C = 0.
  kCao,  ///< population count
  kClo,
  kCls,
  kClz,
  kExtsb,
  kExtsh,
  kExtub,
  kExtuh,
  kSats,   ///< function not established
  kCmpb4,  ///< per byte: equal ? 1 : 0 (two sources)
  // 8 x 8 bit products: sign and byte of x, then of y.
  kMulShSh,
  kMulShSl,
  kMulShUh,
  kMulShUl,
  kMulSlSh,
  kMulSlSl,
  kMulSlUh,
  kMulSlUl,
  kMulUhUh,
  kMulUhUl,
  kMulUlUh,
  kMulUlUl,
  // Pairs: `b` is the source pair db, `dst` the destination pair.
  kMulStep,  ///< bit = db.even & 1; odd = db.odd + (bit ? x << shift : 0); even = t = db.even >> 1; Z
  kDivStep,  ///< v = x << shift; ge = db.odd >= v; odd = db.odd - (ge ? v : 0); even = (db.even << 1) | ge
  kMovd,     ///< pair `b` to pair `dst`; flags unchanged
  kSwapd,    ///< halves exchanged
  // Control. Targets and links are instruction indices.
  kCall,  ///< dst = pc + 1; pc = x + y (a `jump` is a call that discards the link)
  kStop,  ///< suspends the tasklet; goes on at `target` if the condition holds, else behind
  kNop,
  kTell,
  kFault,  ///< code in `imm`; bkp is fault 0
  // Synchronisation: t = 0 on success.
  kAcquire,  ///< atomic bit (x + imm): t = was set; sets it
  kRelease,  ///< t = was set; clears it
  kBoot,     ///< starts tasklet (x + imm) at pc 0
  kResume,   ///< wakes suspended tasklet (x + imm)
  kClrRun,
  kReadRun,
  kTime,     ///< t = the performance counter, in units of 16
  kTimeCfg,  ///< configures it from y, t = counter before
  // WRAM. Address x + imm; flags unchanged.
  kLbs,
  kLbu,
  kLhs,
  kLhu,
  kLw,
  kLd,
  kSb,  ///< stores register `b`, or `value` where b is kImmediate
  kSh,
  kSw,
  kSd,    ///< pair `b`; `value` sign-extended to 64 bits
  kSbId,  ///< stores (id | value)
  kShId,
  kSwId,
  kSdId,
  // DMA: WRAM (kLdmai: IRAM) address in x bits 23:0, 8 * (1 + ((x >> 24) + imm) & 255) bytes, MRAM address in `b`.
  kLdma,
  kSdma,
  kLdmai,
};

/// Destination: the register, or the pair that holds the sign- or zero-extended result (`.s`, `.u`).
enum class Extension : std::uint8_t { kNone, kSigned, kUnsigned };

/// What a condition does: nothing there, writes 1 or 0 as the result, branches to `target`.
enum class ConditionUse : std::uint8_t { kNone, kSet, kBranch };

/// N, V: sign and overflow of the subtraction actually made (x - y; operands exchanged after rsub and immediate
/// first). "Source" is register `a`.
enum class Condition : std::uint8_t {
  kFalse,
  kTrue,
  kZ,
  kNz,
  kXz,   ///< t == 0 and Z was set before
  kXnz,  ///< not kXz
  kPl,
  kMi,
  kSz,  ///< source == 0
  kSnz,
  kSpl,
  kSmi,
  kOv,
  kNov,
  kC,
  kNc,
  kLts,
  kGes,
  kLes,
  kGts,
  kLeu,
  kGtu,
  kXles,  ///< (N xor V) or kXz
  kXgts,
  kXleu,  ///< C == 0 or kXz
  kXgtu,
  kE,  ///< t even
  kO,
  kSe,  ///< source even
  kSo,
  kNsh32,  ///< bit 5 of the shift amount is 0
  kSh32,
  kMax,  ///< t == 32
  kNmax,
  kSmall,  ///< product below 256; not established
  kLarge,
  kNc5,  ///< an addition without carry out of its low 5 bits (kNc14: 14)
  kNc6,
  kNc7,
  kNc8,
  kNc9,
  kNc10,
  kNc11,
  kNc12,
  kNc13,
  kNc14,
};

struct Instruction {
  Op op = Op::kNop;
  Extension extension = Extension::kNone;
  ConditionUse use = ConditionUse::kNone;
  Condition condition = Condition::kFalse;
  std::uint8_t dst = kZero;           ///< 0 to 23 (even for pairs), or kZero
  std::uint8_t a = kZero, b = kZero;  ///< source registers 0 to 31; `b` may be kImmediate
  std::uint8_t shift = 0;             ///< of fused shifts, kMulStep and kDivStep
  bool isImmediateFirst = false;      ///< x is `imm`, y is register `a` (sub, subc) - `b` is kImmediate
  bool isBigEndian = false;           ///< `!big`; byte order not established
  bool isStackChecked = false;        ///< `s` forms; fault rule not established, executed as the plain form
  bool isEstablished = true;          ///< false: executing it faults, with a diagnostic that names it
  std::int32_t imm = 0;               ///< immediate, offset, shift amount of immediate shifts, DMA size field
  std::int32_t value = 0;             ///< of store-immediate forms
  std::uint16_t target = 0;           ///< of branches
  std::uint16_t form = 0;             ///< index into forms() (isa.h)

  bool operator==(const Instruction &) const = default;
};

}  // namespace pimento::dpu
