#include <initializer_list>

#include "pimento/guest/rv64/instruction.h"

namespace pimento::guest::rv64 {

namespace {

/// Bits `high` to `low` of a word.
constexpr std::uint32_t bits(std::uint32_t word, int high, int low) {
  return word >> low & ((std::uint32_t{2} << (high - low)) - 1);
}
constexpr std::int64_t signExtend(std::uint32_t value, int width) {
  const int unused = 64 - width;
  return static_cast<std::int64_t>(std::uint64_t{value} << unused) >> unused;
}

constexpr Op after(Op first, unsigned by) {
  return static_cast<Op>(static_cast<unsigned>(first) + by);
}

// Immediates by format.
std::int64_t immediateI(std::uint32_t w) {
  return signExtend(bits(w, 31, 20), 12);
}
std::int64_t immediateS(std::uint32_t w) {
  return signExtend(bits(w, 31, 25) << 5 | bits(w, 11, 7), 12);
}
std::int64_t immediateB(std::uint32_t w) {
  return signExtend(bits(w, 31, 31) << 12 | bits(w, 7, 7) << 11 | bits(w, 30, 25) << 5 | bits(w, 11, 8) << 1, 13);
}
std::int64_t immediateU(std::uint32_t w) {
  return signExtend(w & 0xfffff000U, 32);
}
std::int64_t immediateJ(std::uint32_t w) {
  return signExtend(bits(w, 31, 31) << 20 | bits(w, 19, 12) << 12 | bits(w, 20, 20) << 11 | bits(w, 30, 21) << 1, 21);
}

/// Picks from operations by funct3; kIllegal where there is none.
Op pick(const Op (&ops)[8], std::uint32_t word) {
  return ops[bits(word, 14, 12)];
}

constexpr Op kNone = Op::kIllegal;

Op registerOp(std::uint32_t w) {
  static constexpr Op kPlain[8] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu, Op::kXor, Op::kSrl, Op::kOr, Op::kAnd};
  static constexpr Op kOther[8] = {Op::kSub, kNone, kNone, kNone, kNone, Op::kSra, kNone, kNone};
  static constexpr Op kM[8] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu, Op::kDiv, Op::kDivu, Op::kRem, Op::kRemu};
  switch (bits(w, 31, 25)) {
    case 0:
      return pick(kPlain, w);
    case 0x20:
      return pick(kOther, w);
    case 1:
      return pick(kM, w);
    default:
      return kNone;
  }
}

Op registerOpW(std::uint32_t w) {
  static constexpr Op kPlain[8] = {Op::kAddw, Op::kSllw, kNone, kNone, kNone, Op::kSrlw, kNone, kNone};
  static constexpr Op kOther[8] = {Op::kSubw, kNone, kNone, kNone, kNone, Op::kSraw, kNone, kNone};
  static constexpr Op kM[8] = {Op::kMulw, kNone, kNone, kNone, Op::kDivw, Op::kDivuw, Op::kRemw, Op::kRemuw};
  switch (bits(w, 31, 25)) {
    case 0:
      return pick(kPlain, w);
    case 0x20:
      return pick(kOther, w);
    case 1:
      return pick(kM, w);
    default:
      return kNone;
  }
}

/// Shifts by a constant have its bits where others have a function: `width` of them.
void decodeShift(std::uint32_t w, int width, Op left, Op right, Op arithmetic, Decoded &out) {
  const std::uint32_t function = w >> (20 + width);
  const bool isArithmetic = function == 0x400U >> width;
  out.op = kNone;
  if (bits(w, 14, 12) == 1 && function == 0) out.op = left;
  if (bits(w, 14, 12) == 5 && (function == 0 || isArithmetic)) out.op = isArithmetic ? arithmetic : right;
  out.constant = bits(w, 19 + width, 20);
}

void decodeImmediateOp(std::uint32_t w, Decoded &out) {
  static constexpr Op kOps[8] = {Op::kAddi, kNone, Op::kSlti, Op::kSltiu, Op::kXori, kNone, Op::kOri, Op::kAndi};
  out.op = pick(kOps, w);
  out.constant = immediateI(w);
  if (out.op == kNone) decodeShift(w, 6, Op::kSlli, Op::kSrli, Op::kSrai, out);
}

void decodeImmediateOpW(std::uint32_t w, Decoded &out) {
  out.constant = immediateI(w);
  if (bits(w, 14, 12) == 0)
    out.op = Op::kAddiw;
  else
    decodeShift(w, 5, Op::kSlliw, Op::kSrliw, Op::kSraiw, out);
}

void decodeSystem(std::uint32_t w, Decoded &out) {
  constexpr std::uint32_t kEcallWord = 0x00000073, kEbreakWord = 0x00100073;
  static constexpr Op kCsr[4] = {kNone, Op::kCsrrw, Op::kCsrrs, Op::kCsrrc};
  if (w == kEcallWord) out.op = Op::kEcall;
  if (w == kEbreakWord) out.op = Op::kEbreak;
  if (bits(w, 13, 12) == 0) return;
  out.op = kCsr[bits(w, 13, 12)];
  out.rs2 = static_cast<std::uint8_t>(bits(w, 14, 14));
  out.constant = bits(w, 31, 20);
}

void decodeAtomic(std::uint32_t w, Decoded &out) {
  constexpr std::uint32_t kLr = 2, kSc = 3;
  const std::uint32_t function = bits(w, 31, 27), width = bits(w, 14, 12);
  if (width != 2 && width != 3) return;
  const unsigned isDouble = width == 3 ? static_cast<unsigned>(Op::kLrD) - static_cast<unsigned>(Op::kLrW) : 0;
  if (function == kLr && out.rs2 == 0) out.op = after(Op::kLrW, isDouble);
  if (function == kSc) out.op = after(Op::kScW, isDouble);
  const bool isAmo = function == 1 || (function % 4 == 0 && function <= 0x1c);
  if (isAmo) out.op = after(Op::kAmoW, isDouble);
  out.constant = function;
}

/// Those of single precision; those of double follow in the same order.
constexpr unsigned kToDouble = static_cast<unsigned>(Op::kMaddD) - static_cast<unsigned>(Op::kMaddS);

void decodeFloat(std::uint32_t w, Decoded &out) {
  const std::uint32_t format = bits(w, 26, 25), function = bits(w, 31, 27), variant = bits(w, 14, 12);
  if (format > 1) return;
  const auto set = [&](Op single) { out.op = after(single, format == 1 ? kToDouble : 0); };
  static constexpr Op kArithmetic[4] = {Op::kAddS, Op::kSubS, Op::kMulS, Op::kDivS};
  constexpr std::uint32_t kMostIntegers = 4;
  out.rounding = static_cast<std::uint8_t>(variant);
  switch (function) {
    case 0x00:
    case 0x01:
    case 0x02:
    case 0x03:
      return set(kArithmetic[function]);
    case 0x0b:
      if (out.rs2 == 0) set(Op::kSqrtS);
      return;
    case 0x04:
      if (variant <= 2) set(after(Op::kSgnjS, variant));
      return;
    case 0x05:
      if (variant <= 1) set(after(Op::kMinS, variant));
      return;
    case 0x08:
      if (out.rs2 == 1 - format) out.op = format == 0 ? Op::kNarrow : Op::kWiden;
      return;
    case 0x14:
      if (variant <= 2) set(after(Op::kLeS, variant));
      return;
    case 0x18:
    case 0x1a:
      if (out.rs2 < kMostIntegers) set(function == 0x18 ? Op::kToIntegerS : Op::kFromIntegerS);
      out.constant = out.rs2;
      return;
    case 0x1c:
      if (out.rs2 == 0 && variant <= 1) set(variant == 0 ? Op::kMoveToXS : Op::kClassS);
      return;
    case 0x1e:
      if (out.rs2 == 0 && variant == 0) set(Op::kMoveFromXS);
      return;
    default:
      return;
  }
}

/// Whether `rd` is an integer register.
bool writesInteger(Op op) {
  if (op >= Op::kConstant && op <= Op::kJalr) return true;
  if (op >= Op::kLb && op <= Op::kLwu) return true;
  if (op >= Op::kAddi && op <= Op::kSraw) return true;
  if (op >= Op::kCsrrw && op <= Op::kAmoD) return true;
  for (const Op single : {Op::kLeS, Op::kLtS, Op::kEqS, Op::kToIntegerS, Op::kMoveToXS, Op::kClassS})
    if (op == single || op == after(single, kToDouble)) return true;
  return false;
}

}  // namespace

Decoded decode(std::uint32_t word, std::uint64_t address) {
  Decoded out;
  out.bytes = bytesOf(static_cast<std::uint16_t>(word));
  const std::uint32_t w = out.bytes == 2 ? expand(static_cast<std::uint16_t>(word)) : word;
  out.rd = static_cast<std::uint8_t>(bits(w, 11, 7));
  out.rs1 = static_cast<std::uint8_t>(bits(w, 19, 15));
  out.rs2 = static_cast<std::uint8_t>(bits(w, 24, 20));
  const auto target = [&](std::int64_t offset) {
    return static_cast<std::int64_t>(address + static_cast<std::uint64_t>(offset));
  };
  static constexpr Op kLoads[8] = {Op::kLb, Op::kLh, Op::kLw, Op::kLd, Op::kLbu, Op::kLhu, Op::kLwu, kNone};
  static constexpr Op kStores[8] = {Op::kSb, Op::kSh, Op::kSw, Op::kSd, kNone, kNone, kNone, kNone};
  static constexpr Op kFloatLoads[8] = {kNone, kNone, Op::kFlw, Op::kFld, kNone, kNone, kNone, kNone};
  static constexpr Op kFloatStores[8] = {kNone, kNone, Op::kFsw, Op::kFsd, kNone, kNone, kNone, kNone};
  static constexpr Op kBranches[8] = {Op::kBeq, Op::kBne, kNone, kNone, Op::kBlt, Op::kBge, Op::kBltu, Op::kBgeu};
  static constexpr Op kFences[8] = {Op::kFence, Op::kFenceI, kNone, kNone, kNone, kNone, kNone, kNone};
  const std::uint32_t opcode = bits(w, 6, 0);
  switch (opcode) {
    case 0x03:
    case 0x07:
      out.op = pick(opcode == 0x03 ? kLoads : kFloatLoads, w);
      out.constant = immediateI(w);
      break;
    case 0x23:
    case 0x27:
      out.op = pick(opcode == 0x23 ? kStores : kFloatStores, w);
      out.constant = immediateS(w);
      break;
    case 0x0f:
      out.op = pick(kFences, w);
      break;
    case 0x13:
      decodeImmediateOp(w, out);
      break;
    case 0x1b:
      decodeImmediateOpW(w, out);
      break;
    case 0x17:
      out.op = Op::kConstant;
      out.constant = target(immediateU(w));
      break;
    case 0x37:
      out.op = Op::kConstant;
      out.constant = immediateU(w);
      break;
    case 0x33:
      out.op = registerOp(w);
      break;
    case 0x3b:
      out.op = registerOpW(w);
      break;
    case 0x2f:
      decodeAtomic(w, out);
      break;
    case 0x43:
    case 0x47:
    case 0x4b:
    case 0x4f:
      if (bits(w, 26, 25) <= 1)
        out.op = after(Op::kMaddS, (opcode - 0x43) / 4 + (bits(w, 26, 25) == 1 ? kToDouble : 0));
      out.rs3 = static_cast<std::uint8_t>(bits(w, 31, 27));
      out.rounding = static_cast<std::uint8_t>(bits(w, 14, 12));
      break;
    case 0x53:
      decodeFloat(w, out);
      break;
    case 0x63:
      out.op = pick(kBranches, w);
      out.constant = target(immediateB(w));
      break;
    case 0x67:
      if (bits(w, 14, 12) == 0) out.op = Op::kJalr;
      out.constant = immediateI(w);
      break;
    case 0x6f:
      out.op = Op::kJal;
      out.constant = target(immediateJ(w));
      break;
    case 0x73:
      decodeSystem(w, out);
      break;
    default:
      break;
  }
  if (out.rd == 0 && writesInteger(out.op)) out.rd = kNowhere;
  return out;
}

}  // namespace pimento::guest::rv64
