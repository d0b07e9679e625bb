#include "pimento/sim/sram/operations.h"

#include <fmt/format.h>

#include "pimento/base/element_bits.h"
#include "pimento/kernel/scalar.h"
#include "pimento/sim/sram/float_programs.h"
#include "pimento/sim/sram/integer_programs.h"

namespace pimento::sim::sram {

using kernel::Op;

namespace {

class Generator {
 public:
  explicit Generator(const Operation &o)
      : o_(o),
        a_(Writer::place(Place::kFirst, argumentBits(o, 0))),
        b_(Writer::place(Place::kSecond, argumentBits(o, 1))),
        c_(Writer::place(Place::kThird, argumentBits(o, 2))),
        dest_(Writer::place(Place::kResult, resultBits(o))) {}

  MicroProgram generate() {
    if (o_.op == Op::kSelect)
      select();
    else if (o_.op == Op::kCast)
      cast();
    else if (kernel::isComparison(o_.op))
      compare();
    else if (isFloat(o_.type))
      floats();
    else
      integers();
    return w_.take();
  }

 private:
  void select() {
    const Row isTrue = w_.row();
    w_.orOf(isTrue, a_);
    w_.copy(dest_, c_);
    w_.loadTag(Sense::kA, isTrue);
    w_.copyTagged(dest_, b_);
  }

  void cast() {
    if (isFloat(o_.type)) {
      FloatWriter floats(w_, o_.type, o_.hasSubnormals);
      if (isFloat(o_.argument)) return floats.fromFloat(dest_, a_, o_.argument);
      return FloatWriter(w_, o_.type, true).fromInteger(dest_, a_, isSigned(o_.argument));
    }
    if (isFloat(o_.argument)) return FloatWriter(w_, o_.argument, true).toInteger(dest_, a_, isSigned(o_.type));
    for (std::size_t i = 0; i < dest_.size(); ++i)
      w_.write(Sense::kA, dest_[i], i < a_.size() ? a_[i] : isSigned(o_.argument) ? a_.back() : Row{});
  }

  void compare() {
    const Row result = dest_[0];
    w_.clear(slice(dest_, 1, dest_.size() - 1));
    if (isFloat(o_.type)) return FloatWriter(w_, o_.type, true).compare(result, a_, b_, o_.op);
    if (o_.op == Op::kCmpEq || o_.op == Op::kCmpNe) {
      differ(w_, result, a_, b_);
      if (o_.op == Op::kCmpEq) w_.write(Sense::kNotA, result, result);
      return;
    }
    const bool isSwapped = o_.op == Op::kCmpGt || o_.op == Op::kCmpLe;
    lessIntegers(w_, isSwapped ? b_ : a_, isSwapped ? a_ : b_, isSigned(o_.type));
    const bool isInverted = o_.op == Op::kCmpLe || o_.op == Op::kCmpGe;
    w_.write(isInverted ? Sense::kNotCarry : Sense::kCarry, result);
  }

  void floats() {
    FloatWriter whole(w_, o_.type, true), f(w_, o_.type, o_.hasSubnormals);
    switch (o_.op) {
      case Op::kAdd:
      case Op::kSub:
        return whole.add(dest_, a_, b_, o_.op == Op::kSub);
      case Op::kMul:
        return f.multiply(dest_, a_, b_);
      case Op::kDiv:
        return f.divide(dest_, a_, b_);
      case Op::kMin:
      case Op::kMax:
        return whole.extreme(dest_, a_, b_, o_.op == Op::kMax);
      case Op::kNeg:
      case Op::kAbs:
        return whole.withSign(dest_, a_, o_.op == Op::kNeg);
      default:
        return whole.relu(dest_, a_);
    }
  }

  void integers() {
    const bool isSigned = pimento::isSigned(o_.type);
    switch (o_.op) {
      case Op::kAdd:
        w_.clearCarry();
        return w_.add(dest_, a_, b_);
      case Op::kSub:
        return w_.subtract(dest_, a_, b_);
      case Op::kMul:
        return multiply(w_, dest_, a_, b_);
      case Op::kDiv:
      case Op::kRem:
        return divideIntegers(w_, dest_, a_, b_, isSigned, o_.op == Op::kRem);
      case Op::kMin:
      case Op::kMax:
        lessIntegers(w_, a_, b_, isSigned);
        w_.loadTag(Sense::kCarry);
        w_.copy(dest_, o_.op == Op::kMin ? b_ : a_);
        return w_.copyTagged(dest_, o_.op == Op::kMin ? a_ : b_);
      case Op::kAnd:
        return w_.logic(Sense::kAnd, dest_, a_, b_);
      case Op::kOr:
        return w_.logic(Sense::kOr, dest_, a_, b_);
      case Op::kXor:
        return w_.logic(Sense::kXor, dest_, a_, b_);
      case Op::kShl:
      case Op::kShr:
        return shiftIntegers(w_, dest_, a_, b_, o_.op == Op::kShl, isSigned);
      case Op::kNeg:
        return negate(w_, dest_, a_);
      case Op::kAbs:
        return isSigned ? magnitude(w_, dest_, a_) : w_.copy(dest_, a_);
      default:
        return isSigned ? FloatWriter(w_, DType::kF32, true).relu(dest_, a_) : w_.copy(dest_, a_);
    }
  }

  const Operation &o_;
  const Bits a_, b_, c_, dest_;
  Writer w_;
};

bool isEightBitFloat(DType type) {
  return type == DType::kF8E4M3 || type == DType::kF8E5M2;
}

bool hasProgram(const Operation &o) {
  if (isEightBitFloat(o.type) || (o.op == Op::kCast && isEightBitFloat(o.argument))) return false;
  switch (o.op) {
    case Op::kConstant:
    case Op::kLoad:
    case Op::kIndex:
    case Op::kExp:
    case Op::kLog:
    case Op::kSqrt:
    case Op::kTanh:
      return false;
    case Op::kRem:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kShl:
    case Op::kShr:
      return !isFloat(o.type);
    default:
      return true;
  }
}

}  // namespace

int argumentBits(const Operation &o, int argument) {
  if (argument >= kernel::argumentCount(o.op)) return 0;
  const bool isOther = argument == 0 && (o.op == Op::kCast || o.op == Op::kSelect);
  return bitsOf(isOther ? o.argument : o.type);
}

int resultBits(const Operation &o) {
  return bitsOf(kernel::isComparison(o.op) ? DType::kU8 : o.type);
}

Result<MicroProgram> microProgram(const Operation &operation) {
  if (!hasProgram(operation))
    return usageError(
        "sram-operation", "",
        fmt::format("SRAM arrays have no program for '{}' of {}", kernel::name(operation.op), name(operation.type)),
        "they compute +, -, *, /, the remainder and bits of integers, min, max, abs, neg, relu, "
        "comparisons, select and casts, of all types but f8; the rest is for streams or cores");
  return Generator(operation).generate();
}

}  // namespace pimento::sim::sram
