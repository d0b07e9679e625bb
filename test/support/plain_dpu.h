// A plain executor of one tasklet's instructions, written without the engine's: the oracle of its functional core.
//
// Arithmetic in 64 bits and bit by bit where that is the plainest definition; no timing, one tasklet, no transfers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pimento/dpu/instruction.h"

namespace pimento::test {

class PlainDpu {
 public:
  explicit PlainDpu(std::vector<dpu::Instruction> code) : code_(std::move(code)), wram(64 << 10) {}

  /// Runs from instruction 0 until `stop`; false if that does not happen within `limit` instructions.
  bool run(std::int64_t limit) {
    for (executed = 0; executed < limit; ++executed) {
      const dpu::Instruction &i = code_.at(static_cast<std::size_t>(pc_));
      if (i.op == dpu::Op::kStop) {
        ++executed;
        return true;
      }
      step(i);
    }
    return false;
  }

 private:
  using U = std::uint64_t;
  static constexpr U kWord = 0xffffffff;

  U get(int r) const {
    switch (r) {
      case dpu::kZero:
        return 0;
      case dpu::kOne:
        return 1;
      case dpu::kLneg:
        return kWord;
      case dpu::kMneg:
        return 0x80000000;
      default:
        return r < dpu::kRegisters ? regs_[static_cast<std::size_t>(r)] : 0;  // id of tasklet 0 and multiples
    }
  }
  void set(int r, U v) {
    if (r < dpu::kRegisters) regs_[static_cast<std::size_t>(r)] = v & kWord;
  }
  static std::int64_t sign(U v, int bits) {
    v &= (U{1} << bits) - 1;
    return static_cast<std::int64_t>(v) - (((v >> (bits - 1)) & 1) != 0 ? std::int64_t{1} << bits : 0);
  }
  static U byteOf(U v, int n) { return (v >> (8 * n)) & 255; }
  static int leading(U v, U bit) {
    int n = 0;
    while (n < 32 && ((v >> (31 - n)) & 1) == bit) ++n;
    return n;
  }

  void step(const dpu::Instruction &i) {
    using dpu::Op;
    U x = get(i.a), y = i.b == dpu::kImmediate ? static_cast<U>(static_cast<std::int64_t>(i.imm)) & kWord : get(i.b);
    const U source = x;
    if (i.isImmediateFirst) std::swap(x, y);
    if (memory(i)) {
      ++pc_;
      return;
    }
    if (i.op == Op::kCall) {
      set(i.dst, static_cast<U>(pc_) + 1);
      pc_ = static_cast<std::int64_t>((x + y) & kWord);
      return;
    }
    U t = 0;
    bool carry = false, overflow = false, setsFlags = true;
    const auto subtract = [&](U a, U b, U borrow) {
      carry = a >= b + borrow;
      const std::int64_t exact = sign(a, 32) - sign(b, 32) - static_cast<std::int64_t>(borrow);
      t = (a - b - borrow) & kWord;
      overflow = exact != sign(t, 32);
    };
    const auto addUp = [&](U a, U b, U c) {
      carry = a + b + c > kWord;
      for (int bits = 0; bits < 32; ++bits) {
        const U low = (U{1} << bits) - 1;
        carries_[static_cast<std::size_t>(bits)] = (a & low) + (b & low) + c > low;
      }
      t = (a + b + c) & kWord;
      overflow = sign(a, 32) + sign(b, 32) + static_cast<std::int64_t>(c) != sign(t, 32);
    };
    const int n = static_cast<int>(y % 32);
    const auto rotate = [](U v, int k) { return ((v << k) | (v >> (32 - k))) & kWord; };
    switch (i.op) {
      case Op::kAdd:
        addUp(x, y, 0);
        break;
      case Op::kAddc:
        addUp(x, y, c_ ? 1 : 0);
        break;
      case Op::kSub:
        subtract(x, y, 0);
        break;
      case Op::kSubc:
        subtract(x, y, c_ ? 0 : 1);
        break;
      case Op::kRsub:
        subtract(y, x, 0);
        break;
      case Op::kRsubc:
        subtract(y, x, c_ ? 0 : 1);
        break;
      case Op::kAnd:
        t = x & y;
        break;
      case Op::kAndn:
        t = (kWord - x) & y;
        break;
      case Op::kNand:
        t = kWord - (x & y);
        break;
      case Op::kOr:
        t = x | y;
        break;
      case Op::kOrn:
        t = (kWord - x) | y;
        break;
      case Op::kNor:
        t = kWord - (x | y);
        break;
      case Op::kXor:
        t = x ^ y;
        break;
      case Op::kNxor:
        t = kWord - (x ^ y);
        break;
      case Op::kLsl:
        t = (x << n) & kWord;
        break;
      case Op::kLslx:
        t = (x << n) >> 32;
        break;
      case Op::kLsl1:
        t = ((x << n) | ((U{1} << n) - 1)) & kWord;
        break;
      case Op::kLsr:
        t = x >> n;
        break;
      case Op::kLsrx:
        t = ((x << 32) >> n) & kWord;
        break;
      case Op::kLsr1:
        t = ((x | (kWord << 32)) >> n) & kWord;
        break;
      case Op::kAsr:
        t = static_cast<U>(sign(x, 32) >> n) & kWord;
        break;
      case Op::kRol:
        t = rotate(x, n);
        break;
      case Op::kRor:
        t = rotate(x, (32 - n) % 32);
        break;
      case Op::kLslAdd:
        addUp(y, (x << i.shift) & kWord, 0);
        break;
      case Op::kLslSub:
        subtract(y, (x << i.shift) & kWord, 0);
        break;
      case Op::kLsrAdd:
        addUp(y, x >> i.shift, 0);
        break;
      case Op::kRolAdd:
        addUp(y, rotate(x, i.shift), 0);
        break;
      case Op::kCao:
        for (int b = 0; b < 32; ++b) t += (x >> b) & 1;
        break;
      case Op::kClo:
        t = static_cast<U>(leading(x, 1));
        break;
      case Op::kClz:
        t = static_cast<U>(leading(x, 0));
        break;
      case Op::kCls:
        t = static_cast<U>(leading(x, x >> 31));
        break;
      case Op::kExtsb:
        t = static_cast<U>(sign(x, 8)) & kWord;
        break;
      case Op::kExtsh:
        t = static_cast<U>(sign(x, 16)) & kWord;
        break;
      case Op::kExtub:
        t = x % 256;
        break;
      case Op::kExtuh:
        t = x % 65536;
        break;
      case Op::kCmpb4:
        for (int b = 0; b < 4; ++b) t += byteOf(x, b) == byteOf(y, b) ? U{1} << (8 * b) : 0;
        break;
      case Op::kMulUlUl:
        t = byteOf(x, 0) * byteOf(y, 0);
        break;
      case Op::kMulSlSh:
        t = static_cast<U>(sign(byteOf(x, 0), 8) * sign(byteOf(y, 1), 8)) & kWord;
        break;
      case Op::kMulStep: {
        const U even = get(i.b), odd = get(i.b + 1);
        set(i.dst + 1, even % 2 == 1 ? odd + ((x << i.shift) & kWord) : odd);
        set(i.dst, even / 2);
        z_ = even / 2 == 0;
        ++pc_;
        return;
      }
      case Op::kDivStep: {
        const U even = get(i.b), odd = get(i.b + 1), v = (x << i.shift) & kWord;
        set(i.dst + 1, odd >= v ? odd - v : odd);
        set(i.dst, 2 * even + (odd >= v ? 1 : 0));
        ++pc_;
        return;
      }
      case Op::kMovd:
      case Op::kSwapd: {
        const U even = get(i.b), odd = get(i.b + 1);
        set(i.dst, i.op == Op::kMovd ? even : odd);
        set(i.dst + 1, i.op == Op::kMovd ? odd : even);
        ++pc_;
        return;
      }
      default:
        setsFlags = false;
        break;
    }
    const bool isTrue = i.use != dpu::ConditionUse::kNone && holds(i.condition, t, carry, overflow, source, y);
    const U result = i.use == dpu::ConditionUse::kSet ? (isTrue ? 1 : 0) : t;
    if (i.extension == dpu::Extension::kNone) {
      set(i.dst, result);
    } else if (i.dst < dpu::kRegisters) {
      set(i.dst, i.extension == dpu::Extension::kSigned && result >> 31 != 0 ? kWord : 0);
      set(i.dst + 1, result);
    }
    if (setsFlags) {
      z_ = t == 0;
      c_ = carry;
    }
    pc_ = i.use == dpu::ConditionUse::kBranch && isTrue ? i.target : pc_ + 1;
  }

  bool holds(dpu::Condition k, U t, bool carry, bool overflow, U source, U y) const {
    using dpu::Condition;
    const bool isNegative = t >> 31 != 0, isLess = isNegative != overflow, isBoth = t == 0 && z_;
    switch (k) {
      case Condition::kTrue:
        return true;
      case Condition::kZ:
        return t == 0;
      case Condition::kNz:
        return t != 0;
      case Condition::kXz:
        return isBoth;
      case Condition::kXnz:
        return !isBoth;
      case Condition::kPl:
        return !isNegative;
      case Condition::kMi:
        return isNegative;
      case Condition::kSz:
        return source == 0;
      case Condition::kSnz:
        return source != 0;
      case Condition::kSpl:
        return source >> 31 == 0;
      case Condition::kSmi:
        return source >> 31 != 0;
      case Condition::kOv:
        return overflow;
      case Condition::kNov:
        return !overflow;
      case Condition::kC:
        return carry;
      case Condition::kNc:
        return !carry;
      case Condition::kLts:
        return isLess;
      case Condition::kGes:
        return !isLess;
      case Condition::kLes:
        return isLess || t == 0;
      case Condition::kGts:
        return !isLess && t != 0;
      case Condition::kLeu:
        return !carry || t == 0;
      case Condition::kGtu:
        return carry && t != 0;
      case Condition::kXles:
        return isLess || isBoth;
      case Condition::kXgts:
        return !isLess && !isBoth;
      case Condition::kXleu:
        return !carry || isBoth;
      case Condition::kXgtu:
        return carry && !isBoth;
      case Condition::kE:
        return t % 2 == 0;
      case Condition::kO:
        return t % 2 == 1;
      case Condition::kSe:
        return source % 2 == 0;
      case Condition::kSo:
        return source % 2 == 1;
      case Condition::kNsh32:
        return y % 64 < 32;
      case Condition::kSh32:
        return y % 64 >= 32;
      case Condition::kMax:
        return t == 32;
      case Condition::kNmax:
        return t != 32;
      case Condition::kNc5:
        return !carries_[5];
      case Condition::kNc6:
        return !carries_[6];
      case Condition::kNc7:
        return !carries_[7];
      case Condition::kNc8:
        return !carries_[8];
      case Condition::kNc9:
        return !carries_[9];
      case Condition::kNc10:
        return !carries_[10];
      case Condition::kNc11:
        return !carries_[11];
      case Condition::kNc12:
        return !carries_[12];
      case Condition::kNc13:
        return !carries_[13];
      case Condition::kNc14:
        return !carries_[14];
      default:
        return false;
    }
  }

  bool memory(const dpu::Instruction &i) {
    using dpu::Op;
    const auto at = static_cast<std::size_t>((get(i.a) + static_cast<U>(static_cast<std::int64_t>(i.imm))) & kWord);
    const auto read = [&](std::size_t first, int bytes) {
      U v = 0;
      for (int b = bytes - 1; b >= 0; --b) v = 256 * v + wram.at(first + static_cast<std::size_t>(b));
      return v;
    };
    const auto write = [&](std::size_t first, U v, int bytes) {
      for (int b = 0; b < bytes; ++b)
        wram.at(first + static_cast<std::size_t>(b)) = static_cast<std::uint8_t>(byteOf(v, b));
    };
    const U value = i.b == dpu::kImmediate ? static_cast<U>(static_cast<std::int64_t>(i.value)) : get(i.b);
    switch (i.op) {
      case Op::kLbs:
        set(i.dst, static_cast<U>(sign(read(at, 1), 8)));
        return true;
      case Op::kLbu:
        set(i.dst, read(at, 1));
        return true;
      case Op::kLhs:
        set(i.dst, static_cast<U>(sign(read(at, 2), 16)));
        return true;
      case Op::kLhu:
        set(i.dst, read(at, 2));
        return true;
      case Op::kLw:
        set(i.dst, read(at, 4));
        return true;
      case Op::kLd:
        if (i.dst < dpu::kRegisters) {
          set(i.dst, read(at + 4, 4));
          set(i.dst + 1, read(at, 4));
        }
        return true;
      case Op::kSb:
        write(at, value, 1);
        return true;
      case Op::kSh:
        write(at, value, 2);
        return true;
      case Op::kSw:
        write(at, value, 4);
        return true;
      case Op::kSd:
        if (i.b == dpu::kImmediate) {
          write(at, value, 8);
        } else {
          write(at, get(i.b + 1), 4);
          write(at + 4, get(i.b), 4);
        }
        return true;
      default:
        return false;
    }
  }

  std::vector<dpu::Instruction> code_;
  std::array<U, dpu::kRegisters> regs_{};
  bool z_ = false, c_ = false;
  std::array<bool, 32> carries_{};  // of the last addition, out of so many low bits
  std::int64_t pc_ = 0;

 public:
  std::vector<std::uint8_t> wram;
  std::int64_t executed = 0;
};

}  // namespace pimento::test
