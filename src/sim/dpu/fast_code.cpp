#include "pimento/sim/dpu/fast_code.h"

#include <array>
#include <optional>

namespace pimento::sim::dpu {

namespace {

struct Row {
  Op op;
  ConditionUse use;
  Condition condition;
  Piece piece;
};

constexpr std::array kRows = {
#define PIMENTO_PLAIN(op) Row{Op::k##op, ConditionUse::kNone, Condition::kFalse, Piece::k##op},
#define PIMENTO_BRANCH(op, condition) \
  Row{Op::k##op, ConditionUse::kBranch, Condition::k##condition, Piece::k##op##condition},
#define PIMENTO_SET(op, condition) \
  Row{Op::k##op, ConditionUse::kSet, Condition::k##condition, Piece::k##op##Set##condition},
#include "pimento/sim/dpu/fast_pieces.def"
};

Piece loadPiece(Op op) {
  switch (op) {
#define PIMENTO_LOAD(name) \
  case Op::k##name:        \
    return Piece::k##name;
#include "pimento/sim/dpu/fast_pieces.def"
    default:
      return Piece::kLoadOther;
  }
}

Piece storePiece(Op op) {
  switch (op) {
#define PIMENTO_STORE(name) \
  case Op::k##name:         \
    return Piece::k##name;
#include "pimento/sim/dpu/fast_pieces.def"
    default:
      return Piece::kStoreOther;
  }
}

/// Subtraction from an immediate is the other subtraction of the register.
Op exchanged(Op op) {
  switch (op) {
    case Op::kSub:
      return Op::kRsub;
    case Op::kSubc:
      return Op::kRsubc;
    default:
      return Op::kNop;
  }
}

/// By operation, use and condition.
class Pieces {
 public:
  Pieces() {
    for (const Row &r : kRows) at(r.op, r.use, r.condition) = r.piece;
  }
  Piece of(Op op, ConditionUse use, Condition condition) const {
    return table_[index(op, use, use == ConditionUse::kNone ? Condition::kFalse : condition)];
  }

 private:
  static constexpr std::size_t kOps = static_cast<std::size_t>(Op::kLdmai) + 1, kUses = 3,
                               kConditions = static_cast<std::size_t>(Condition::kNc14) + 1;
  static std::size_t index(Op op, ConditionUse use, Condition condition) {
    return (static_cast<std::size_t>(op) * kUses + static_cast<std::size_t>(use)) * kConditions +
           static_cast<std::size_t>(condition);
  }
  Piece &at(Op op, ConditionUse use, Condition condition) { return table_[index(op, use, condition)]; }

  std::vector<Piece> table_ = std::vector<Piece>(kOps * kUses * kConditions, Piece::kGeneric);
};

Piece aluPiece(const Step &s) {
  static const Pieces pieces;
  if (s.extension != Extension::kNone) return Piece::kGeneric;
  const bool isPlain =
      s.use == ConditionUse::kNone || (s.use == ConditionUse::kBranch && s.condition == Condition::kFalse);
  switch (s.op) {
    case Op::kMulStep:
      return isPlain                                                          ? Piece::kMulStep
             : s.use == ConditionUse::kBranch && s.condition == Condition::kZ ? Piece::kMulStepZ
                                                                              : Piece::kGeneric;
    case Op::kDivStep:
      return isPlain ? Piece::kDivStep : Piece::kGeneric;
    case Op::kMovd:
      return isPlain ? Piece::kMovd : Piece::kGeneric;
    default:
      break;
  }
  const Op op = s.isImmediateFirst ? exchanged(s.op) : s.op;
  return pieces.of(op, isPlain ? ConditionUse::kNone : s.use, s.condition);
}

FastOp fastOf(const Step &s, std::uint32_t pc) {
  FastOp f;
  f.dst = s.dst;
  f.a = s.a;
  f.b = s.b == kImmediateSlot ? pimento::dpu::kZero : s.b;
  f.shift = s.shift;
  f.bytes = s.bytes;
  f.value = s.value;
  f.imm = s.b == kImmediateSlot || s.kind == Class::kLoad || s.kind == Class::kStore ? s.imm : 0;
  f.jump = static_cast<std::int32_t>(s.target) - static_cast<std::int32_t>(pc);
  switch (s.kind) {
    case Class::kAlu:
      f.piece = aluPiece(s);
      break;
    case Class::kLoad:
      f.piece = s.extension == Extension::kNone ? loadPiece(s.op) : Piece::kLoadOther;
      break;
    case Class::kStore:
      f.piece = s.b == kImmediateSlot ? Piece::kStoreOther : storePiece(s.op);
      break;
    case Class::kCall:
      f.piece = Piece::kCall;
      break;
    default:
      f.piece = Piece::kEvent;
  }
  return f;
}

}  // namespace

FastCode::FastCode(const std::vector<Step> &steps) {
  ops_.reserve(steps.size());
  for (std::uint32_t pc = 0; pc < steps.size(); ++pc) {
    const Step &s = steps[pc];
    FastOp f = fastOf(s, pc);
    if (s.kind == Class::kCall && s.a == pimento::dpu::kZero && s.b == kImmediateSlot && s.imm < steps.size()) {
      f.piece = Piece::kJump;
      f.jump = static_cast<std::int32_t>(s.imm) - static_cast<std::int32_t>(pc);
    }
    const bool leaves = s.kind == Class::kAlu && s.use == ConditionUse::kBranch && s.target >= steps.size();
    if (leaves) f.piece = Piece::kEvent;  // at its time, the plain executor says what is wrong
    changesItself_ = changesItself_ || s.op == Op::kLdmai;
    ops_.push_back(f);
  }
}

}  // namespace pimento::sim::dpu
