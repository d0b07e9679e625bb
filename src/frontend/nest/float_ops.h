// Roundings of floating-point values, made of operations that kernels have. Internal to the front ends.
//
// `Values` makes the operations: expressions of a nest (ExpressionPool) or values of a body (ScalarSink). Results are
// those of C's math.h and of MLIR's math dialect, bit for bit: -0, infinities and NaN included.
#pragma once

#include "pimento/kernel/kernel.h"

namespace pimento::frontend {

/// Values of one floating-point type.
template <class Values>
class FloatOps {
 public:
  FloatOps(Values &values, DType type) : values_(values), type_(type) {}

  DType type() const { return type_; }
  int number(double x) { return values_.real(type_, x); }
  int op(kernel::Op op, int a, int b = -1) { return values_.op(op, type_, a, b); }
  int add(int a, int b) { return op(kernel::Op::kAdd, a, b); }
  int sub(int a, int b) { return op(kernel::Op::kSub, a, b); }
  int mul(int a, int b) { return op(kernel::Op::kMul, a, b); }
  int div(int a, int b) { return op(kernel::Op::kDiv, a, b); }
  int abs(int a) { return op(kernel::Op::kAbs, a); }
  int negated(int a) { return op(kernel::Op::kNeg, a); }
  int is(kernel::Op comparison, int a, int b) { return values_.op(comparison, DType::kU8, a, b); }
  int is(kernel::Op comparison, int a, double b) { return is(comparison, a, number(b)); }
  int both(int a, int b) { return values_.op(kernel::Op::kAnd, DType::kU8, a, b); }
  int choose(int condition, int a, int b) { return values_.op(kernel::Op::kSelect, type_, condition, a, b); }
  int withSignOf(int x, int size) { return choose(is(kernel::Op::kCmpLt, x, 0.0), negated(size), size); }

  /// The largest whole number that is not above x.
  int floor(int x) {
    const int whole = toward0(x);
    return choose(isFraction(x, whole), choose(is(kernel::Op::kCmpGt, whole, x), sub(whole, number(1)), whole), x);
  }
  int ceil(int x) { return negated(floor(negated(x))); }
  int trunc(int x) {
    const int size = abs(x), whole = toward0(size);
    return choose(isFraction(size, whole), withSignOf(x, whole), x);
  }
  /// Halves go away from 0.
  int round(int x) {
    const int size = abs(x), whole = toward0(size);
    const int up = choose(is(kernel::Op::kCmpGe, sub(size, whole), 0.5), add(whole, number(1)), whole);
    return choose(isFraction(size, whole), withSignOf(x, up), x);
  }
  /// Halves go to the even number, as sums do.
  int roundEven(int x) {
    const int size = abs(x), whole = toward0(size), far = number(limit());
    return choose(isFraction(size, whole), withSignOf(x, sub(add(size, far), far)), x);
  }

  /// An integer type that holds every number below limit().
  DType whole() const { return type_ == DType::kF64 ? DType::kI64 : DType::kI32; }
  /// From here on all numbers are whole.
  double limit() const {
    switch (type_) {
      case DType::kF64:
        return 0x1p52;
      case DType::kF32:
        return 0x1p23;
      case DType::kF16:
        return 0x1p10;
      default:
        return 0x1p7;  // bf16
    }
  }

 protected:
  Values &values() { return values_; }

 private:
  int toward0(int x) { return values_.cast(type_, values_.cast(whole(), x)); }
  /// Not of NaN: comparisons with it are false.
  int isFraction(int x, int whole) {
    return both(is(kernel::Op::kCmpLt, abs(x), limit()), is(kernel::Op::kCmpNe, whole, x));
  }

  Values &values_;
  DType type_;
};

}  // namespace pimento::frontend
