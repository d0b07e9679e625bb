#include "pimento/sim/sram/host_program.h"

#include <algorithm>
#include <cstddef>

#include "pimento/sim/sram/host_vector.h"

namespace pimento::sim::sram {

namespace {

using Run = HostProgram::Run;

// ---- Runs ----

/// Whether a step may follow others in one run: latches change as along a chain of bits, or not at all.
bool isChained(const Run &r) {
  return r.tag == TagUpdate::kHold && (r.carry == CarryUpdate::kHold || r.carry == CarryUpdate::kMajority);
}

bool isAlike(const Run &a, const Run &b) {
  return a.sense == b.sense && a.carry == b.carry && a.isTagged == b.isTagged && isChained(a) && isChained(b);
}

/// Whether `next` goes on where `of`, of a run of `count`, ends; sets its step.
bool extend(Run::Wordlines &of, int count, const Run::Wordlines &next) {
  if (of.place != next.place) return false;
  if (count == 1) {
    of.step = next.first - of.first;
    return true;
  }
  return next.first == of.first + count * of.step;
}

bool join(Run &run, const Run &next) {
  if (!isAlike(run, next)) return false;
  Run longer = run;
  if (!extend(longer.a, run.count, next.a) || !extend(longer.b, run.count, next.b) ||
      !extend(longer.dest, run.count, next.dest))
    return false;
  ++longer.count;
  run = longer;
  return true;
}

// ---- Steps ----

template <Sense kSense>
PIMENTO_INLINE void sense(Vector &value, const Vector &a, const Vector &b, const Vector &carry) {
  switch (kSense) {
    case Sense::kZero:
      value = Vector{};
      break;
    case Sense::kOne:
      value = ~Vector{};
      break;
    case Sense::kA:
      value = a;
      break;
    case Sense::kNotA:
      value = ~a;
      break;
    case Sense::kAnd:
      value = a & b;
      break;
    case Sense::kNand:
      value = ~(a & b);
      break;
    case Sense::kOr:
      value = a | b;
      break;
    case Sense::kNor:
      value = ~(a | b);
      break;
    case Sense::kXor:
      value = a ^ b;
      break;
    case Sense::kXnor:
      value = ~(a ^ b);
      break;
    case Sense::kSum:
      value = a ^ b ^ carry;
      break;
    case Sense::kNotSum:
      value = ~(a ^ b ^ carry);
      break;
    case Sense::kCarry:
      value = carry;
      break;
    case Sense::kNotCarry:
      value = ~carry;
      break;
  }
}

PIMENTO_INLINE void majority(Vector &carry, const Vector &a, const Vector &b) {
  carry = (a & b) | (carry & (a ^ b));
}

/// Where a run's micro-ops read and write, in words from one to the next.
struct Places {
  const std::uint64_t *a, *b;
  std::uint64_t *dest;
  std::ptrdiff_t stepA, stepB, stepDest;
  int count;
};

/// One vector of a step of a chain.
template <Sense kSense, bool kIsMajority, bool kIsPartly>
PIMENTO_INLINE void step(const Places &p, std::ptrdiff_t at, Vector &carry, const Vector &where) {
  Vector a, b, value;
  load(a, p.a + at);
  load(b, p.b + at);
  sense<kSense>(value, a, b, carry);
  if (kIsPartly) {
    Vector old;
    load(old, p.dest + at);
    value = old ^ ((old ^ value) & where);
  }
  store(p.dest + at, value);
  if (kIsMajority) majority(carry, a, b);
}

/// A chain. kIsMajority: the carry goes along; kIsPartly: it writes where `where` is set.
template <Sense kSense, bool kIsMajority, bool kIsPartly>
PIMENTO_INLINE void chain(Places p, Block &carry, const Block &where) {
  Block c = carry;
  const Block w = where;
  for (int i = 0; i < p.count; ++i) {
    step<kSense, kIsMajority, kIsPartly>(p, 0, c.a, w.a);
    step<kSense, kIsMajority, kIsPartly>(p, kVectorWords, c.b, w.b);
    step<kSense, kIsMajority, kIsPartly>(p, 2 * kVectorWords, c.c, w.c);
    step<kSense, kIsMajority, kIsPartly>(p, 3 * kVectorWords, c.d, w.d);
    p.a += p.stepA;
    p.b += p.stepB;
    p.dest += p.stepDest;
  }
  if (kIsMajority) carry = c;
}

/// One vector of a micro-op that changes latches in other ways.
template <Sense kSense>
PIMENTO_INLINE void changeLatches(const Run &r, const Places &p, std::ptrdiff_t at, Vector &carry, Vector &tag,
                                  const Vector &where) {
  Vector a, b, value, old;
  load(a, p.a + at);
  load(b, p.b + at);
  sense<kSense>(value, a, b, carry);
  load(old, p.dest + at);
  old ^= (old ^ value) & where;
  store(p.dest + at, old);
  switch (r.carry) {
    case CarryUpdate::kHold:
      break;
    case CarryUpdate::kClear:
      carry = Vector{};
      break;
    case CarryUpdate::kSet:
      carry = ~Vector{};
      break;
    case CarryUpdate::kLoad:
      carry = value;
      break;
    case CarryUpdate::kMajority:
      majority(carry, a, b);
      break;
  }
  if (r.tag == TagUpdate::kLoad) tag = value;
}

template <Sense kSense>
PIMENTO_INLINE void single(const Run &r, const Places &p, Block &carry, Block &tag, const Block &where) {
  changeLatches<kSense>(r, p, 0, carry.a, tag.a, where.a);
  changeLatches<kSense>(r, p, kVectorWords, carry.b, tag.b, where.b);
  changeLatches<kSense>(r, p, 2 * kVectorWords, carry.c, tag.c, where.c);
  changeLatches<kSense>(r, p, 3 * kVectorWords, carry.d, tag.d, where.d);
}

PIMENTO_WIDEST
void runBlock(const Run *run, const Run *end, std::uint64_t *const *bases, const std::uint64_t *enabled) {
  const auto at = [bases](const Run::Wordlines &w) { return bases[w.place] + w.first * kBlockWords; };
  Block mask, carry, tag;
  load(mask, enabled);
  carry.a = carry.b = carry.c = carry.d = Vector{};
  tag = carry;
  bool isWhole = true;
  for (int w = 0; w < kBlockWords; ++w) isWhole &= enabled[w] == ~std::uint64_t{0};
  for (; run != end; ++run) {
    const bool isOwn = run->dest.place < kPlaces - 1;  // wordlines of the array: others are nobody's
    bool isPartly = isOwn && !isWhole;
    Block where = mask;
    if (run->isTagged) {
      where = tag;
      if (isPartly) intersect(where, mask);
      isPartly = true;
    }
    const Places places{at(run->a),
                        at(run->b),
                        at(run->dest),
                        run->a.step * kBlockWords,
                        run->b.step * kBlockWords,
                        run->dest.step * kBlockWords,
                        run->count};
    const bool isMajority = run->carry == CarryUpdate::kMajority;
    const bool isSingle = !isChained(*run);
    switch (run->sense) {
#define PIMENTO_SENSE(S)                                                                                     \
  case S:                                                                                                    \
    if (isSingle)                                                                                            \
      single<S>(*run, places, carry, tag, where);                                                            \
    else if (isMajority)                                                                                     \
      isPartly ? chain<S, true, true>(places, carry, where) : chain<S, true, false>(places, carry, where);   \
    else                                                                                                     \
      isPartly ? chain<S, false, true>(places, carry, where) : chain<S, false, false>(places, carry, where); \
    break;
      PIMENTO_SENSE(Sense::kZero)
      PIMENTO_SENSE(Sense::kOne)
      PIMENTO_SENSE(Sense::kA)
      PIMENTO_SENSE(Sense::kNotA)
      PIMENTO_SENSE(Sense::kAnd)
      PIMENTO_SENSE(Sense::kNand)
      PIMENTO_SENSE(Sense::kOr)
      PIMENTO_SENSE(Sense::kNor)
      PIMENTO_SENSE(Sense::kXor)
      PIMENTO_SENSE(Sense::kXnor)
      PIMENTO_SENSE(Sense::kSum)
      PIMENTO_SENSE(Sense::kNotSum)
      PIMENTO_SENSE(Sense::kCarry)
      PIMENTO_SENSE(Sense::kNotCarry)
#undef PIMENTO_SENSE
    }
  }
}

}  // namespace

HostProgram::HostProgram(const MicroProgram &program) : scratchRows_(program.scratchRows) {
  constexpr int kWorking = kPlaces - 1;
  const auto at = [&](Row r, int none) -> Run::Wordlines {
    if (r.isNone()) return {kWorking, none, 0};
    const auto place = static_cast<int>(r.place);
    if (place == kWorking) return {kWorking, kFixedRows + r.bit, 0};
    int &named = wordlines_[static_cast<std::size_t>(place)];
    named = std::max(named, r.bit + 1);
    return {place, r.bit, 0};
  };
  std::vector<bool> isWritten;
  const auto needsOld = [&](Row r) {
    return !r.isNone() && r.place == Place::kResult &&
           (static_cast<std::size_t>(r.bit) >= isWritten.size() || !isWritten[static_cast<std::size_t>(r.bit)]);
  };
  for (const MicroOp &op : program.ops) {
    readsResult_ |= needsOld(op.a) || needsOld(op.b) || (op.isTagged && needsOld(op.dest));
    if (needsOld(op.dest)) {
      isWritten.resize(std::max(isWritten.size(), static_cast<std::size_t>(op.dest.bit) + 1));
      isWritten[static_cast<std::size_t>(op.dest.bit)] = true;
    }
    const Run one{op.sense, op.carry, op.tag, op.isTagged, at(op.a, 0), at(op.b, 0), at(op.dest, 1), 1};
    if (runs_.empty() || !join(runs_.back(), one)) runs_.push_back(one);
  }
}

void HostProgram::run(const std::array<std::uint64_t *, kPlaces - 1> &at, std::uint64_t *working,
                      const std::uint64_t *enabled) const {
  std::array<std::uint64_t *, kPlaces> bases{};
  std::copy(at.begin(), at.end(), bases.begin());
  bases[kPlaces - 1] = working;
  runBlock(runs_.data(), runs_.data() + runs_.size(), bases.data(), enabled);
}

}  // namespace pimento::sim::sram
