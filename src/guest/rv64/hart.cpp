#include "pimento/guest/rv64/hart.h"

#include <algorithm>
#include <limits>

namespace pimento::guest::rv64 {

namespace {

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;
using S64 = std::int64_t;
using U64 = std::uint64_t;
using U32 = std::uint32_t;

constexpr U64 signedWord(U32 value) {
  return static_cast<U64>(S64{static_cast<std::int32_t>(value)});
}
template <typename T>
constexpr U64 extended(T value) {
  return static_cast<U64>(static_cast<S64>(value));
}

// Division as the manual has it: by zero gives all ones and the dividend, and the one overflow wraps.
template <typename T>
constexpr T quotient(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::numeric_limits<T>::is_signed)
    if (b == -1) return static_cast<T>(0 - static_cast<U64>(a));
  return a / b;
}
template <typename T>
constexpr T remainder(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::numeric_limits<T>::is_signed)
    if (b == -1) return 0;
  return a % b;
}

constexpr U64 highOf(Wide product) {
  return static_cast<U64>(product >> 64);
}
constexpr U64 mulh(U64 a, U64 b) {
  return highOf(static_cast<Wide>(SignedWide{static_cast<S64>(a)} * static_cast<S64>(b)));
}
constexpr U64 mulhsu(U64 a, U64 b) {
  return highOf(Wide{a} * b) - (static_cast<S64>(a) < 0 ? b : 0);
}

/// What an atomic operation stores, by its number (funct5).
template <typename T>
T combined(S64 function, T old, T operand) {
  using Signed = std::make_signed_t<T>;
  const auto a = static_cast<Signed>(old), b = static_cast<Signed>(operand);
  switch (function) {
    case 0x00:
      return old + operand;
    case 0x01:
      return operand;
    case 0x04:
      return old ^ operand;
    case 0x08:
      return old | operand;
    case 0x0c:
      return old & operand;
    case 0x10:
      return static_cast<T>(std::min(a, b));
    case 0x14:
      return static_cast<T>(std::max(a, b));
    case 0x18:
      return std::min(old, operand);
    default:
      return std::max(old, operand);
  }
}

/// A number of a register; singles that are not boxed are NaN.
template <typename Bits>
Bits unboxed(U64 value) {
  if constexpr (sizeof(Bits) == 4) return value >> 32 == 0xffffffffU ? static_cast<U32>(value) : kNan<U32>;
  return static_cast<Bits>(value);
}
template <typename Bits>
U64 boxed(Bits value) {
  if constexpr (sizeof(Bits) == 4) return U64{0xffffffffU} << 32 | value;
  return value;
}

/// fcvt to w, wu, l, lu, extended as registers have them.
template <typename Bits>
U64 convertedToInteger(S64 which, Bits a, Rounding rounding, std::uint8_t &flags) {
  switch (which) {
    case 0:
      return extended(toInteger<std::int32_t>(a, rounding, flags));
    case 1:
      return signedWord(toInteger<U32>(a, rounding, flags));
    case 2:
      return extended(toInteger<S64>(a, rounding, flags));
    default:
      return toInteger<U64>(a, rounding, flags);
  }
}
template <typename Bits>
Bits convertedFromInteger(S64 which, U64 a, Rounding rounding, std::uint8_t &flags) {
  switch (which) {
    case 0:
      return fromInteger<Bits>(S64{static_cast<std::int32_t>(a)}, rounding, flags);
    case 1:
      return fromInteger<Bits>(U64{static_cast<U32>(a)}, rounding, flags);
    case 2:
      return fromInteger<Bits>(static_cast<S64>(a), rounding, flags);
    default:
      return fromInteger<Bits>(a, rounding, flags);
  }
}

constexpr std::uint8_t kFlagsMask = 0x1f, kRoundingMask = 7;
constexpr int kRoundingShift = 5;

}  // namespace

void Hart::setFloatStatus(std::uint64_t fcsr) {
  flags_ = fcsr & kFlagsMask;
  rounding_ = fcsr >> kRoundingShift & kRoundingMask;
}

/// The block ends before this instruction, which did not run.
Stop Hart::stop(Stop why, const CodeBlock &block, const Decoded &in) {
  executed_ = static_cast<int>(&in - block.code.data());
  instructions_ += executed_;
  pc = block.address;
  for (const Decoded *d = block.code.data(); d != &in; ++d) pc += d->bytes;
  return why;
}

Stop Hart::fault(Stop why, std::uint64_t address, int bytes, const CodeBlock &block, const Decoded &in) {
  faultAddress_ = why == Stop::kMisaligned
                      ? address
                      : memory_.firstWithout(address, static_cast<U64>(bytes), why == Stop::kStore ? kWrite : kRead);
  return stop(why, block, in);
}

void Hart::note(const CodeBlock &block, const Decoded &in, std::uint64_t address, int bytes, bool isStore,
                std::uint64_t value) {
  accesses_[accessCount_++] = {address, static_cast<std::uint16_t>(&in - block.code.data()),
                               static_cast<std::uint8_t>(bytes), isStore, value & valueMask_};
}

Stop Hart::runRecorded(CodeBlock &block, bool hasValues) {
  accessCount_ = 0;
  valueMask_ = hasValues ? ~U64{0} : 0;
  CodeBlock *only = &block;
  std::int64_t blocks = 1;
  return run<true>(only, blocks);
}

/// lr, sc and amo. A reservation is of an address; nobody else stores.
template <typename T, bool kRecords>
Stop Hart::runAtomic(const CodeBlock &block, const Decoded &in) {
  using Signed = std::make_signed_t<T>;
  constexpr int kBytes = sizeof(T);
  const U64 address = x[in.rs1];
  if (address % kBytes != 0) return fault(Stop::kMisaligned, address, kBytes, block, in);
  T old = 0;
  const T operand = static_cast<T>(x[in.rs2]);
  const auto value = [&] { return extended(static_cast<Signed>(old)); };
  if (in.op == Op::kLrW || in.op == Op::kLrD) {
    if (!memory_.load(address, old)) return fault(Stop::kLoad, address, kBytes, block, in);
    if constexpr (kRecords) note(block, in, address, kBytes, false, old);
    hasReservation_ = true;
    reserved_ = address;
    x[in.rd] = value();
    return Stop::kNone;
  }
  if (in.op == Op::kScW || in.op == Op::kScD) {
    const bool isReserved = hasReservation_ && reserved_ == address;
    hasReservation_ = false;
    if (isReserved && (!memory_.load(address, old) || !memory_.store(address, operand)))
      return fault(Stop::kStore, address, kBytes, block, in);
    // QEMU compares what is there first, and its load is in streams.
    if constexpr (kRecords)
      if (isReserved) {
        note(block, in, address, kBytes, false, old);
        note(block, in, address, kBytes, true, operand);
      }
    x[in.rd] = isReserved ? 0 : 1;
    return Stop::kNone;
  }
  const T next = memory_.load(address, old) ? combined(in.constant, old, operand) : 0;
  if (!memory_.store(address, next)) return fault(Stop::kStore, address, kBytes, block, in);
  if constexpr (kRecords) {
    note(block, in, address, kBytes, false, old);
    note(block, in, address, kBytes, true, next);
  }
  x[in.rd] = value();
  return Stop::kNone;
}

/// csrrw, csrrs, csrrc; false: there is no such register, or it cannot be written.
bool Hart::runControl(const Decoded &in, std::int64_t before) {
  enum : S64 { kFflags = 1, kFrm = 2, kFcsr = 3, kCycle = 0xc00, kTime = 0xc01, kInstret = 0xc02 };
  const bool isWritten = in.op == Op::kCsrrw || in.rs1 != 0;
  const U64 operand = in.rs2 == 1 ? in.rs1 : x[in.rs1];
  U64 old = 0;
  switch (in.constant) {
    case kFflags:
      old = flags_;
      break;
    case kFrm:
      old = rounding_;
      break;
    case kFcsr:
      old = static_cast<U64>(rounding_) << kRoundingShift | flags_;
      break;
    case kCycle:
    case kTime:
    case kInstret:
      if (isWritten) return false;
      old = static_cast<U64>(before);
      break;
    default:
      return false;
  }
  const U64 next = in.op == Op::kCsrrw ? operand : in.op == Op::kCsrrs ? old | operand : old & ~operand;
  x[in.rd] = old;
  if (!isWritten) return true;
  if (in.constant != kFrm) flags_ = next & kFlagsMask;
  if (in.constant != kFflags) rounding_ = (in.constant == kFrm ? next : next >> kRoundingShift) & kRoundingMask;
  return true;
}

// One function, since its cases share what they run on; each is a line or two.
// clang-format off
template <bool kRecords>
Stop Hart::run(CodeBlock *&last, std::int64_t &blocks) {
  const Memory::View view = memory_.view();
  U64 *const r = x.data();
  U64 *const fp = f.data();
  CodeBlock *block = last;

#define STOP(why) (last = block, stop(why, *block, *in))
#define FAULT(why) (last = block, fault(why, address, sizeof value, *block, *in))
#define RS1 r[in->rs1]
#define RS2 r[in->rs2]
#define IMM static_cast<U64>(in->constant)
#define CASE(name, value) case Op::name: r[in->rd] = (value); break;
#define BRANCH(name, condition) case Op::name: pc = (condition) ? IMM : block->end; goto done;
#define LOAD(name, type, target)                                                             \
  case Op::name: {                                                                           \
    type value;                                                                              \
    const U64 address = RS1 + IMM;                                                           \
    if (!view.load(address, value)) return FAULT(Stop::kLoad); \
    if constexpr (kRecords)                                                                  \
      note(*block, *in, address, sizeof value, false, static_cast<std::make_unsigned_t<type>>(value)); \
    target;                                                                                  \
    break;                                                                                   \
  }
#define STORE(name, type, source)                                                            \
  case Op::name: {                                                                           \
    const auto value = static_cast<type>(source);                                            \
    const U64 address = RS1 + IMM;                                                           \
    if (!view.store(address, value)) return FAULT(Stop::kStore); \
    if constexpr (kRecords) note(*block, *in, address, sizeof value, true, value);            \
    break;                                                                                   \
  }
#define ATOMIC(name, type)                                                                   \
  case Op::name:                                                                             \
    if (const Stop why = runAtomic<type, kRecords>(*block, *in); why != Stop::kNone) return last = block, why; \
    break;
// With a rounding mode, which may be one that there is none of.
#define ROUNDED(name, statement)                                                             \
  case Op::name: {                                                                           \
    const std::uint8_t mode = in->rounding == kRoundingMask ? rounding_ : in->rounding;      \
    if (mode > static_cast<std::uint8_t>(Rounding::kAway)) return STOP(Stop::kIllegal); \
    const auto rounding = static_cast<Rounding>(mode);                                       \
    statement;                                                                               \
    break;                                                                                   \
  }
#define F1 unboxed<Bits>(fp[in->rs1])
#define F2 unboxed<Bits>(fp[in->rs2])
#define F3 unboxed<Bits>(fp[in->rs3])
#define FLOAT(name, value) ROUNDED(name, fp[in->rd] = boxed<Bits>(value))
#define FLOAT_PLAIN(name, value) case Op::name: fp[in->rd] = boxed<Bits>(value); break;
#define FLOATS(letter)                                                                       \
  FLOAT(kMadd##letter, multiplyAdd<Bits>(F1, F2, F3, rounding, flags_))                      \
  FLOAT(kMsub##letter, multiplyAdd<Bits>(F1, F2, F3 ^ kSign<Bits>, rounding, flags_))        \
  FLOAT(kNmsub##letter, multiplyAdd<Bits>(F1 ^ kSign<Bits>, F2, F3, rounding, flags_))       \
  FLOAT(kNmadd##letter, multiplyAdd<Bits>(F1 ^ kSign<Bits>, F2, F3 ^ kSign<Bits>, rounding, flags_)) \
  FLOAT(kAdd##letter, add<Bits>(F1, F2, rounding, flags_))                                   \
  FLOAT(kSub##letter, subtract<Bits>(F1, F2, rounding, flags_))                              \
  FLOAT(kMul##letter, multiply<Bits>(F1, F2, rounding, flags_))                              \
  FLOAT(kDiv##letter, divide<Bits>(F1, F2, rounding, flags_))                                \
  FLOAT(kSqrt##letter, squareRoot<Bits>(F1, rounding, flags_))                               \
  FLOAT_PLAIN(kSgnj##letter, (F1 & ~kSign<Bits>) | (F2 & kSign<Bits>))                       \
  FLOAT_PLAIN(kSgnjn##letter, (F1 & ~kSign<Bits>) | (~F2 & kSign<Bits>))                     \
  FLOAT_PLAIN(kSgnjx##letter, F1 ^ (F2 & kSign<Bits>))                                       \
  FLOAT_PLAIN(kMin##letter, least<Bits>(F1, F2, flags_))                                     \
  FLOAT_PLAIN(kMax##letter, greatest<Bits>(F1, F2, flags_))                                  \
  CASE(kLe##letter, isLessOrEqual<Bits>(F1, F2, flags_) ? 1 : 0)                             \
  CASE(kLt##letter, isLess<Bits>(F1, F2, flags_) ? 1 : 0)                                    \
  CASE(kEq##letter, isEqual<Bits>(F1, F2, flags_) ? 1 : 0)                                   \
  ROUNDED(kToInteger##letter, r[in->rd] = convertedToInteger<Bits>(in->constant, F1, rounding, flags_)) \
  FLOAT(kFromInteger##letter, convertedFromInteger<Bits>(in->constant, RS1, rounding, flags_)) \
  CASE(kMoveToX##letter, extended(static_cast<std::make_signed_t<Bits>>(fp[in->rs1])))       \
  FLOAT_PLAIN(kMoveFromX##letter, static_cast<Bits>(RS1))                                    \
  CASE(kClass##letter, classOf<Bits>(F1))

next: __attribute__((unused));
  --blocks;
  for (const Decoded *in = block->code.data();; ++in) {
    switch (in->op) {
      case Op::kIllegal: return STOP(Stop::kIllegal);
      case Op::kEbreak: return STOP(Stop::kBreak);
      case Op::kEndOfBlock: pc = block->end; goto done;
      case Op::kEcall:
      case Op::kFenceI:
        pc = block->end;
        executed_ = block->count;
        instructions_ += executed_;
        last = block;
        return in->op == Op::kEcall ? Stop::kCall : Stop::kFenceI;
      CASE(kConstant, IMM)
      case Op::kJal: r[in->rd] = block->end; pc = IMM; goto done;
      case Op::kJalr: {
        const U64 target = (RS1 + IMM) & ~U64{1};
        r[in->rd] = block->end;
        pc = target;
        goto done;
      }
      BRANCH(kBeq, RS1 == RS2)
      BRANCH(kBne, RS1 != RS2)
      BRANCH(kBlt, static_cast<S64>(RS1) < static_cast<S64>(RS2))
      BRANCH(kBge, static_cast<S64>(RS1) >= static_cast<S64>(RS2))
      BRANCH(kBltu, RS1 < RS2)
      BRANCH(kBgeu, RS1 >= RS2)
      LOAD(kLb, std::int8_t, r[in->rd] = extended(value))
      LOAD(kLh, std::int16_t, r[in->rd] = extended(value))
      LOAD(kLw, std::int32_t, r[in->rd] = extended(value))
      LOAD(kLd, U64, r[in->rd] = value)
      LOAD(kLbu, std::uint8_t, r[in->rd] = value)
      LOAD(kLhu, std::uint16_t, r[in->rd] = value)
      LOAD(kLwu, U32, r[in->rd] = value)
      STORE(kSb, std::uint8_t, RS2)
      STORE(kSh, std::uint16_t, RS2)
      STORE(kSw, U32, RS2)
      STORE(kSd, U64, RS2)
      CASE(kAddi, RS1 + IMM)
      CASE(kSlti, static_cast<S64>(RS1) < in->constant ? 1 : 0)
      CASE(kSltiu, RS1 < IMM ? 1 : 0)
      CASE(kXori, RS1 ^ IMM)
      CASE(kOri, RS1 | IMM)
      CASE(kAndi, RS1 & IMM)
      CASE(kSlli, RS1 << (IMM & 63))
      CASE(kSrli, RS1 >> (IMM & 63))
      CASE(kSrai, static_cast<U64>(static_cast<S64>(RS1) >> (IMM & 63)))
      CASE(kAdd, RS1 + RS2)
      CASE(kSub, RS1 - RS2)
      CASE(kSll, RS1 << (RS2 & 63))
      CASE(kSlt, static_cast<S64>(RS1) < static_cast<S64>(RS2) ? 1 : 0)
      CASE(kSltu, RS1 < RS2 ? 1 : 0)
      CASE(kXor, RS1 ^ RS2)
      CASE(kSrl, RS1 >> (RS2 & 63))
      CASE(kSra, static_cast<U64>(static_cast<S64>(RS1) >> (RS2 & 63)))
      CASE(kOr, RS1 | RS2)
      CASE(kAnd, RS1 & RS2)
      CASE(kAddiw, signedWord(static_cast<U32>(RS1 + IMM)))
      CASE(kSlliw, signedWord(static_cast<U32>(RS1) << (IMM & 31)))
      CASE(kSrliw, signedWord(static_cast<U32>(RS1) >> (IMM & 31)))
      CASE(kSraiw, extended(static_cast<std::int32_t>(RS1) >> (IMM & 31)))
      CASE(kAddw, signedWord(static_cast<U32>(RS1 + RS2)))
      CASE(kSubw, signedWord(static_cast<U32>(RS1 - RS2)))
      CASE(kSllw, signedWord(static_cast<U32>(RS1) << (RS2 & 31)))
      CASE(kSrlw, signedWord(static_cast<U32>(RS1) >> (RS2 & 31)))
      CASE(kSraw, extended(static_cast<std::int32_t>(RS1) >> (RS2 & 31)))
      case Op::kFence: break;
      case Op::kCsrrw:
      case Op::kCsrrs:
      case Op::kCsrrc:
        if (!runControl(*in, instructions_ + (in - block->code.data()))) return STOP(Stop::kIllegal);
        break;
      CASE(kMul, RS1 * RS2)
      CASE(kMulh, mulh(RS1, RS2))
      CASE(kMulhsu, mulhsu(RS1, RS2))
      CASE(kMulhu, highOf(Wide{RS1} * RS2))
      CASE(kDiv, static_cast<U64>(quotient(static_cast<S64>(RS1), static_cast<S64>(RS2))))
      CASE(kDivu, quotient(RS1, RS2))
      CASE(kRem, static_cast<U64>(remainder(static_cast<S64>(RS1), static_cast<S64>(RS2))))
      CASE(kRemu, remainder(RS1, RS2))
      CASE(kMulw, signedWord(static_cast<U32>(RS1 * RS2)))
      CASE(kDivw, extended(quotient(static_cast<std::int32_t>(RS1), static_cast<std::int32_t>(RS2))))
      CASE(kDivuw, signedWord(quotient(static_cast<U32>(RS1), static_cast<U32>(RS2))))
      CASE(kRemw, extended(remainder(static_cast<std::int32_t>(RS1), static_cast<std::int32_t>(RS2))))
      CASE(kRemuw, signedWord(remainder(static_cast<U32>(RS1), static_cast<U32>(RS2))))
      ATOMIC(kLrW, U32)
      ATOMIC(kScW, U32)
      ATOMIC(kAmoW, U32)
      ATOMIC(kLrD, U64)
      ATOMIC(kScD, U64)
      ATOMIC(kAmoD, U64)
      LOAD(kFlw, U32, fp[in->rd] = boxed<U32>(value))
      LOAD(kFld, U64, fp[in->rd] = value)
      STORE(kFsw, U32, fp[in->rs2])
      STORE(kFsd, U64, fp[in->rs2])
#define Bits U32
      FLOATS(S)
#undef Bits
#define Bits U64
      FLOATS(D)
#undef Bits
      ROUNDED(kNarrow, fp[in->rd] = boxed<U32>(narrow(fp[in->rs1], rounding, flags_)))
      ROUNDED(kWiden, fp[in->rd] = widen(unboxed<U32>(fp[in->rs1]), flags_); static_cast<void>(rounding))
      default: __builtin_unreachable();
    }
  }
done:
  instructions_ += block->count;
  if constexpr (!kRecords)
    if (blocks > 0)
      for (CodeBlock *n : block->next)
        if (n != nullptr && n->address == pc) {
          block = n;
          goto next;
        }
  executed_ = block->count;
  last = block;
  return Stop::kNone;
}
// clang-format on

template Stop Hart::run<false>(CodeBlock *&, std::int64_t &);
template Stop Hart::run<true>(CodeBlock *&, std::int64_t &);

}  // namespace pimento::guest::rv64
