#include "pimento/sim/dpu/loop_proof.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace pimento::sim::dpu {

namespace {

constexpr std::int64_t kUnbounded = std::numeric_limits<std::int64_t>::max() / 4;
constexpr int kMaxRounds = 12;  // each round turns a register unknown; real loops need one or two

/// First i >= 0 with base + step * i = 0 mod 2^32; kUnbounded if there is none. step != 0.
std::int64_t firstZero(std::uint32_t base, std::uint32_t step) {
  const int zeros = std::countr_zero(step);
  if (base != 0 && std::countr_zero(base) < zeros) return kUnbounded;
  const std::uint32_t odd = step >> zeros, target = (0U - base) >> zeros;
  std::uint32_t inverse = odd;  // Newton: each step doubles the number of correct bits, from 3
  for (int i = 0; i < 4; ++i) inverse *= 2 - odd * inverse;
  const std::uint32_t mask = zeros == 0 ? 0xffffffffU : (1U << (32 - zeros)) - 1;
  return (target * inverse) & mask;
}

/// Iterations for which low <= base + step * i <= high.
std::int64_t iterationsWithin(std::int64_t base, std::int64_t step, std::int64_t low, std::int64_t high) {
  if (base < low || base > high) return 0;
  if (step == 0) return kUnbounded;
  return (step > 0 ? (high - base) / step : (base - low) / -step) + 1;
}

/// Iterations for which base + step * i < 0 keeps its first truth.
std::int64_t iterationsOfSign(std::int64_t base, std::int64_t step) {
  return base < 0 ? iterationsWithin(base, step, std::numeric_limits<std::int32_t>::min() * std::int64_t{4}, -1)
                  : iterationsWithin(base, step, 0, std::numeric_limits<std::int32_t>::max() * std::int64_t{4});
}

std::int64_t asSigned(std::uint32_t v) {
  return static_cast<std::int32_t>(v);
}

bool isSubtraction(Op op) {
  return op == Op::kSub || op == Op::kRsub || op == Op::kLslSub;
}

}  // namespace

void LoopProof::limit(std::int64_t iterations) {
  iterations_ = std::min(iterations_, iterations);
}

bool LoopProof::isStored(const ByteRange &r) const {
  return std::ranges::any_of(stored_, [&](const ByteRange &s) { return s.first < r.end && r.first < s.end; });
}

ByteRange LoopProof::hull(const Value &address, int bytes, std::int64_t iterations) {
  const std::int64_t first = address.base, last = first + asSigned(address.step) * (iterations - 1);
  return {static_cast<std::uint32_t>(std::min(first, last)), static_cast<std::uint32_t>(std::max(first, last) + bytes)};
}

std::vector<ByteRange> LoopProof::hulls(const std::vector<Access> &accesses, std::int64_t iterations) {
  std::vector<ByteRange> out;
  for (const Access &a : accesses) out.push_back(hull(a.address, a.bytes, iterations));
  return out;
}

void LoopProof::begin(const Start &start) {
  for (std::uint8_t r = 0; r < kSlots; ++r) {
    Value &v = head_[r];
    v.base = start.now->regs[r];
    v.isKnown = ((start.unknown >> r) & 1) == 0 && r < kDiscardSlot;
    v.step = v.isKnown && r < pimento::dpu::kRegisters ? v.base - start.before->regs[r] : 0;
  }
  assumed_ = 0;
  stored_.clear();
}

bool LoopProof::runRound(std::span<const std::uint32_t> path) {
  regs_ = head_;
  z_ = c_ = {};
  iterations_ = kUnbounded;
  needsLoads_ = false;
  loads_.clear();
  stores_.clear();
  return runPath(path) && iterations_ > 1;
}

bool LoopProof::keepsForms() {
  bool isStable = true;
  for (std::uint8_t r = 0; r < pimento::dpu::kRegisters; ++r) {
    Value &h = head_[r];
    if (!h.isKnown || regs_[r] == Value{h.base + h.step, h.step, true}) continue;
    h = {};
    isStable = false;
  }
  return isStable;
}

std::int64_t LoopProof::prove(std::span<const std::uint32_t> path, const Start &start) {
  begin(start);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!runRound(path)) return 0;
    const bool isStable = keepsForms();
    // Only for a bound does a range mean something; without one the round still tells which forms are kept.
    if (iterations_ >= kUnbounded && isStable) return 0;
    stored_ = hulls(stores_, std::min(iterations_, static_cast<std::int64_t>(wram_.size())));
    if (!isStable) continue;
    if (needsLoads_) {
      if (assumed_ != 0) return 0;
      assumed_ = iterations_;
      continue;
    }
    reads_ = hulls(loads_, iterations_);
    if (std::ranges::any_of(reads_, [&](const ByteRange &r) { return isStored(r); })) continue;
    writes_ = stored_;
    unknownAfter_ = 0;
    for (std::uint8_t r = 0; r < pimento::dpu::kRegisters; ++r) {
      after_[r] = regs_[r].base + regs_[r].step * static_cast<std::uint32_t>(iterations_ - 1);
      if (!regs_[r].isKnown) unknownAfter_ |= std::uint64_t{1} << r;
    }
    return iterations_;
  }
  return 0;
}

bool LoopProof::runPath(std::span<const std::uint32_t> path) {
  for (std::size_t i = 0; i < path.size(); ++i) {
    const Step &s = steps_[path[i]];
    const std::uint32_t next = i + 1 < path.size() ? path[i + 1] : path[0];
    switch (s.kind) {
      case Class::kAlu:
        if (s.use == ConditionUse::kBranch && s.target == path[i] + 1) return false;  // both ways look the same
        if (!runAlu(s, next)) return false;
        break;
      case Class::kLoad:
        if (!runLoad(s)) return false;
        break;
      case Class::kStore:
        if (!runStore(s)) return false;
        break;
      case Class::kCall:
        if (!runCall(s, path[i], next)) return false;
        break;
      case Class::kEvent:
      case Class::kProduct:
        return false;
    }
    if (iterations_ <= 1) return false;
  }
  return true;
}

bool LoopProof::runCall(const Step &s, std::uint32_t pc, std::uint32_t next) {
  regs_[kImmediateSlot] = constant(s.imm);
  const Value x = regs_[s.a], y = regs_[s.b];
  if (!x.isConstant() || !y.isConstant() || x.base + y.base != next) return false;
  if (s.dst < pimento::dpu::kRegisters) regs_[s.dst] = constant(pc + 1);
  return true;
}

LoopProof::Value LoopProof::compute(const Step &s, const Value &x, const Value &y) {
  if (!x.isKnown || !y.isKnown) return {};
  if (s.readsCarry && !c_.isKnown) return {};
  if (x.step == 0 && y.step == 0) return constant(sim::dpu::compute(s.op, x.base, y.base, c_.value, s.shift).t);
  switch (s.op) {
    case Op::kAdd:
      return {x.base + y.base, x.step + y.step, true};
    case Op::kSub:
      return {x.base - y.base, x.step - y.step, true};
    case Op::kRsub:
      return {y.base - x.base, y.step - x.step, true};
    case Op::kLslAdd:
      return {y.base + (x.base << s.shift), y.step + (x.step << s.shift), true};
    case Op::kLslSub:
      return {y.base - (x.base << s.shift), y.step - (x.step << s.shift), true};
    case Op::kLsl:
      if (y.step != 0) return {};
      return {x.base << (y.base & 31), x.step << (y.base & 31), true};
    case Op::kAnd:
      if (y.step == 0 && y.base == 0xffffffffU) return x;
      if (x.step == 0 && x.base == 0xffffffffU) return y;
      return {};
    case Op::kOr:
    case Op::kXor:
      if (y.step == 0 && y.base == 0) return x;
      if (x.step == 0 && x.base == 0) return y;
      return {};
    default:
      return {};
  }
}

void LoopProof::setResult(const Step &s, const Value &v) {
  if (s.dst >= pimento::dpu::kRegisters) return;
  if (s.extension == Extension::kNone) {
    regs_[s.dst] = v;
    return;
  }
  regs_[s.dst + 1] = v;
  if (s.extension == Extension::kUnsigned)
    regs_[s.dst] = constant(0);
  else
    regs_[s.dst] = v.isConstant() ? constant((v.base >> 31) != 0 ? 0xffffffffU : 0) : Value{};
}

bool LoopProof::runAlu(const Step &s, std::uint32_t next) {
  if (s.op == Op::kNop || s.op == Op::kTell) return true;
  regs_[kImmediateSlot] = constant(s.imm);
  Value x = regs_[s.a], y = regs_[s.b];
  if (s.op == Op::kMulStep || s.op == Op::kDivStep || s.op == Op::kMovd || s.op == Op::kSwapd)
    return runPairs(s, next, x);
  if (s.isImmediateFirst) std::swap(x, y);
  const Value t = compute(s, x, y);
  const bool isExact = x.isConstant() && y.isConstant() && (!s.readsCarry || c_.isKnown);
  Value result = t;
  if (s.use == ConditionUse::kSet) {
    result = {};
    if (isExact && (!s.readsZero || z_.isKnown))
      result = constant(holds(s.condition, sim::dpu::compute(s.op, x.base, y.base, c_.value, s.shift), z_.value,
                              regs_[s.a].base, y.base)
                            ? 1
                            : 0);
  } else if (s.use == ConditionUse::kBranch) {
    if (!runBranch(s, next == s.target, x, y, t, z_, c_)) return false;
  }
  z_ = {t.isConstant(), t.base == 0};
  c_ = {isExact, isExact && sim::dpu::compute(s.op, x.base, y.base, c_.value, s.shift).c};
  setResult(s, result);
  return true;
}

bool LoopProof::runPairs(const Step &s, std::uint32_t next, const Value &x) {
  const Value even = regs_[s.b], odd = s.b + 1 < kSlots ? regs_[s.b + 1] : Value{};
  const bool isExact = x.isConstant() && even.isConstant() && odd.isConstant();
  const bool isMove = s.op == Op::kMovd || s.op == Op::kSwapd;
  if (isExact) {
    // With constants the plain executor says it all.
    Context k;
    k.regs[s.a] = x.base;
    k.regs[s.b] = even.base;
    k.regs[s.b + 1] = odd.base;
    k.z = z_.value;
    k.pc = next == s.target && s.use == ConditionUse::kBranch ? 0xffff0000U : next - 1;
    const std::uint32_t fallThrough = k.pc + 1;
    if (s.use == ConditionUse::kBranch && s.readsZero && !z_.isKnown) return false;
    executeAlu(s, k);
    const bool isTaken = k.pc != fallThrough;
    if (s.use == ConditionUse::kBranch && isTaken != (next == s.target)) return false;
    if (s.dst < pimento::dpu::kRegisters) {
      regs_[s.dst] = constant(k.regs[s.dst]);
      regs_[s.dst + 1] = constant(k.regs[s.dst + 1]);
    }
    if (s.op == Op::kMulStep) z_ = {true, k.z};
    return true;
  }
  if (s.use == ConditionUse::kBranch && !(s.condition == Condition::kTrue || s.condition == Condition::kFalse)) {
    needsLoads_ = true;
    if (assumed_ != 0) return false;
  }
  if (s.dst < pimento::dpu::kRegisters) {
    regs_[s.dst] = isMove ? (s.op == Op::kMovd ? even : odd) : Value{};
    regs_[s.dst + 1] = isMove ? (s.op == Op::kMovd ? odd : even) : Value{};
  }
  if (s.op == Op::kMulStep) z_ = {};
  return true;
}

bool LoopProof::runBranch(const Step &s, bool isTaken, const Value &x, const Value &y, const Value &t,
                          const Flag &zBefore, const Flag &cBefore) {
  if (s.condition == Condition::kTrue || s.condition == Condition::kFalse)
    return isTaken == (s.condition == Condition::kTrue);
  const Value source = regs_[s.a];
  const auto undecided = [&] {
    needsLoads_ = true;
    return assumed_ == 0;  // the second look knows what loads read
  };
  const bool isSource = s.condition == Condition::kSz || s.condition == Condition::kSnz ||
                        s.condition == Condition::kSpl || s.condition == Condition::kSmi ||
                        s.condition == Condition::kSe || s.condition == Condition::kSo;
  if (isSource ? !source.isKnown : !t.isKnown || (s.readsZero && !zBefore.isKnown)) return undecided();
  if ((isSource ? source.step : x.step | y.step) == 0) {
    const AluResult r =
        isSource && !t.isKnown ? AluResult{} : sim::dpu::compute(s.op, x.base, y.base, cBefore.value, s.shift);
    return holds(s.condition, r, zBefore.value, source.base, y.base) == isTaken;
  }
  // `first`: what holds in the next iteration; then for how many it stays.
  const Value &v = isSource ? source : t;
  const auto equalZero = [&](bool isZeroWanted) {
    if (v.step == 0) {
      if ((v.base == 0) != isZeroWanted) return false;
      return true;
    }
    const std::int64_t zero = firstZero(v.base, v.step);
    limit(isZeroWanted ? (zero == 0 ? 1 : 0) : zero);
    return true;
  };
  const auto sign = [&](const Value &w, bool isNegativeWanted) {
    const std::int64_t base = asSigned(w.base), step = asSigned(w.step);
    if ((base < 0) != isNegativeWanted) return false;
    limit(std::min(iterationsOfSign(base, step), iterationsWithin(base, step, std::numeric_limits<std::int32_t>::min(),
                                                                  std::numeric_limits<std::int32_t>::max())));
    return true;
  };
  const auto lowBit = [&](bool isOddWanted) {
    if (((v.base & 1) != 0) != isOddWanted) return false;
    if ((v.step & 1) != 0) limit(1);
    return true;
  };
  /// `left < right`, both without wrapping; `plus` moves the limit for <=.
  const auto less = [&](bool isLessWanted, bool isUnsigned, std::int64_t plus) {
    if (!isSubtraction(s.op)) return undecided();
    Value left = s.op == Op::kSub ? x : y, right = s.op == Op::kSub ? y : x;
    if (s.op == Op::kLslSub) {
      if (x.step != 0) return undecided();
      right = constant(x.base << s.shift);
    }
    const auto number = [&](std::uint32_t u) { return isUnsigned ? static_cast<std::int64_t>(u) : asSigned(u); };
    const std::int64_t low = isUnsigned ? 0 : std::numeric_limits<std::int32_t>::min();
    const std::int64_t high =
        isUnsigned ? std::numeric_limits<std::uint32_t>::max() : std::int64_t{std::numeric_limits<std::int32_t>::max()};
    limit(iterationsWithin(number(left.base), asSigned(left.step), low, high));
    limit(iterationsWithin(number(right.base), asSigned(right.step), low, high));
    const std::int64_t base = number(left.base) - number(right.base) - plus;
    const std::int64_t step = asSigned(left.step) - asSigned(right.step);
    if ((base < 0) != isLessWanted) return false;
    limit(iterationsOfSign(base, step));
    return true;
  };
  // Of an addition, as long as the low bits of neither summand wrap.
  const auto carry = [&](bool isCarryWanted) {
    if (s.op != Op::kAdd) return undecided();
    const std::int64_t end = std::int64_t{1} << lowBitsOf(s.condition);
    const std::int64_t left = x.base & (end - 1), right = y.base & (end - 1);
    if ((left + right >= end) != isCarryWanted) return false;
    limit(iterationsWithin(left, asSigned(x.step), 0, end - 1));
    limit(iterationsWithin(right, asSigned(y.step), 0, end - 1));
    limit(iterationsWithin(left + right, asSigned(x.step) + asSigned(y.step), isCarryWanted ? end : 0,
                           isCarryWanted ? 2 * end : end - 1));
    return true;
  };
  if (s.condition >= Condition::kNc5) return carry(!isTaken);
  switch (s.condition) {
    case Condition::kZ:
      return equalZero(isTaken);
    case Condition::kNz:
      return equalZero(!isTaken);
    case Condition::kSz:
      return equalZero(isTaken);
    case Condition::kSnz:
      return equalZero(!isTaken);
    case Condition::kPl:
      return sign(t, !isTaken);
    case Condition::kMi:
      return sign(t, isTaken);
    case Condition::kSpl:
      return sign(source, !isTaken);
    case Condition::kSmi:
      return sign(source, isTaken);
    case Condition::kE:
    case Condition::kSe:
      return lowBit(!isTaken);
    case Condition::kO:
    case Condition::kSo:
      return lowBit(isTaken);
    case Condition::kNc:
      return less(isTaken, true, 0);
    case Condition::kC:
      return less(!isTaken, true, 0);
    case Condition::kLeu:
      return less(isTaken, true, 1);
    case Condition::kGtu:
      return less(!isTaken, true, 1);
    case Condition::kLts:
      return less(isTaken, false, 0);
    case Condition::kGes:
      return less(!isTaken, false, 0);
    case Condition::kLes:
      return less(isTaken, false, 1);
    case Condition::kGts:
      return less(!isTaken, false, 1);
    default:
      return false;
  }
}

bool LoopProof::confine(const Value &address, int bytes) {
  if (!address.isKnown) return false;
  limit(iterationsWithin(address.base, asSigned(address.step), 0, static_cast<std::int64_t>(wram_.size()) - bytes));
  return iterations_ > 1;
}

std::int64_t LoopProof::sameWords(const Value &address, std::size_t bytes, std::int64_t iterations) const {
  const ByteRange r = hull(address, static_cast<int>(bytes), iterations);
  // A dense walk forwards over bytes that all are known and repeat: two library calls tell.
  if (address.step == bytes && std::memchr(&unknownBytes_[r.first], 1, r.end - r.first) == nullptr &&
      std::memcmp(&wram_[r.first], &wram_[r.first + bytes], r.end - r.first - bytes) == 0)
    return iterations;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const auto at = static_cast<std::size_t>(address.base + asSigned(address.step) * i);
    if (std::memchr(&unknownBytes_[at], 1, bytes) != nullptr ||
        std::memcmp(&wram_[at], &wram_[address.base], bytes) != 0)
      return i;
  }
  return iterations;
}

LoopProof::Value LoopProof::loaded(const Step &s, const Value &address) {
  if (address.step != 0 && assumed_ == 0) return {};
  const std::int64_t n = address.step == 0 ? 1 : std::min(assumed_, iterations_);
  if (isStored(hull(address, s.bytes, n))) return {};
  const std::int64_t same = sameWords(address, s.bytes, n);
  if (same < n) {
    if (same < 2) return {};
    limit(same);
  }
  std::uint64_t first = 0;
  std::memcpy(&first, &wram_[address.base], s.bytes);
  loads_.push_back({address, s.bytes});
  switch (s.op) {
    case Op::kLbs:
      return constant(detail::signedByte(static_cast<std::uint32_t>(first), 0));
    case Op::kLhs:
      return constant(static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(first))));
    default:
      return constant(static_cast<std::uint32_t>(first));
  }
}

bool LoopProof::runLoad(const Step &s) {
  const Value base = regs_[s.a];
  const Value address = {base.base + s.imm, base.step, base.isKnown};
  if (!confine(address, s.bytes)) return false;
  const Value v = loaded(s, address);
  if (s.op != Op::kLd) {
    setResult(s, v);
    return true;
  }
  if (s.dst >= pimento::dpu::kRegisters) return true;
  regs_[s.dst] = regs_[s.dst + 1] = {};
  if (v.isKnown) {
    std::uint32_t high = 0;
    std::memcpy(&high, &wram_[address.base + 4], 4);
    regs_[s.dst] = constant(high);
    regs_[s.dst + 1] = v;
  }
  return true;
}

bool LoopProof::runStore(const Step &s) {
  const Value base = regs_[s.a];
  const Value address = {base.base + s.imm, base.step, base.isKnown};
  if (!confine(address, s.bytes)) return false;
  stores_.push_back({address, s.bytes});
  return true;
}

}  // namespace pimento::sim::dpu
