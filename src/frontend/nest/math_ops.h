// Functions of math.h and of MLIR's math dialect that kernel::Op does not have, made of operations that it has. Each is
// defined here, once for C and MLIR: what a device computes is what the interpreter does, bit for bit, since both run
// these operations. Internal to the front ends.
//
// Of a type: rsqrt is 1 / sqrt, exp2 exp(x ln 2), log2 and log10 log(x) times a constant, expm1 and log1p as below with
// exp and log of their type. erf, sin, cos and tan are computed in double precision (to 1e-12) and rounded once; the
// exp in erf is of the type. fma rounds the sum in double precision and once more, in f64 product and sum. hypot is
// sqrt(x x + y y) in double precision, rounded once, which can neither overflow nor vanish; of f64 it is
// big sqrt(1 + (small / big)^2), to 2 units of the last place; it is infinite where one argument is.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

#include "pimento/frontend/nest/float_ops.h"

namespace pimento::frontend {

/// Values of one floating-point type.
template <class Values>
class MathOps : public FloatOps<Values> {
 public:
  using FloatOps<Values>::FloatOps;
  using Op = kernel::Op;

  int exp2(int x) { return exp(this->mul(x, this->number(0.69314718055994530942))); }
  int log2(int x) { return this->mul(log(x), this->number(1.4426950408889634074)); }
  int log10(int x) { return this->mul(log(x), this->number(0.43429448190325182765)); }
  int rsqrt(int x) { return this->div(this->number(1), this->op(Op::kSqrt, x)); }
  int sin(int x) { return circular(x, kSine); }
  int cos(int x) { return circular(x, kCosine); }
  int tan(int x) { return circular(x, kTangent); }

  int expm1(int x) {
    constexpr std::array kSeries{1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
    constexpr std::array kLongSeries{
        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,         1.0 / 5040,
        1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800.0};
    const int near = this->type() == DType::kF64 ? polynomial(kLongSeries, x) : polynomial(kSeries, x);
    const int far = this->sub(exp(x), this->number(1));
    return this->choose(this->is(Op::kCmpLt, this->abs(x), 0.35), this->mul(x, near), far);
  }
  /// log(u) x / (u - 1) with u = 1 + x: what rounding u loses is in both.
  int log1p(int x) {
    const int u = this->add(x, this->number(1));
    const int value = this->mul(log(u), this->div(x, this->sub(u, this->number(1))));
    return this->choose(this->is(Op::kCmpEq, u, 1.0), x, value);
  }
  int copysign(int x, int sign) {
    const int isMinus0 =
        this->both(this->is(Op::kCmpEq, sign, 0.0), this->is(Op::kCmpLt, this->div(this->number(1), sign), 0.0));
    const int isMinus = either(this->is(Op::kCmpLt, sign, 0.0), isMinus0), size = this->abs(x);
    return this->choose(isMinus, this->negated(size), size);
  }
  /// x - y where that is positive, else 0; NaN where one is.
  int fdim(int x, int y) {
    const int difference = this->sub(x, y);
    return this->choose(this->is(Op::kCmpLe, x, y), this->number(0), difference);
  }
  int fma(int a, int b, int c) {
    MathOps w = wide();
    return in(w.add(w.mul(w.in(a), w.in(b)), w.in(c)));
  }
  int hypot(int x, int y) {
    MathOps w = wide();
    const int a = w.abs(w.in(x)), b = w.abs(w.in(y));
    if (this->type() != DType::kF64) {
      const int length = w.op(Op::kSqrt, w.add(w.mul(a, a), w.mul(b, b)));
      return in(w.choose(w.eitherInfinite(a, b), w.number(kInfinity), length));
    }
    const int big = w.op(Op::kMax, a, b), small = w.op(Op::kMin, a, b), ratio = w.div(small, big);
    const int length = w.mul(big, w.op(Op::kSqrt, w.add(w.number(1), w.mul(ratio, ratio))));
    const int nonZero = w.choose(w.is(Op::kCmpEq, big, 0.0), big, length);
    const int isNan = w.either(w.is(Op::kCmpNe, x, x), w.is(Op::kCmpNe, y, y));  // a maximum leaves it out
    const int finite = w.choose(isNan, w.add(x, y), nonZero);
    return w.choose(w.eitherInfinite(a, b), w.number(kInfinity), finite);
  }
  int erf(int argument);
  /// x to a whole power, in double precision.
  int product(int argument, int n);

  int in(int x) { return this->values().cast(this->type(), x); }
  int exp(int x) { return this->op(Op::kExp, x); }
  int log(int x) { return this->op(Op::kLog, x); }
  int either(int a, int b) { return this->values().op(Op::kOr, DType::kU8, a, b); }
  int isOdd(int x) {
    Values &v = this->values();
    const int bit = v.op(Op::kAnd, this->whole(), v.cast(this->whole(), x), v.integer(this->whole(), 1));
    return v.op(Op::kCmpNe, DType::kU8, bit, v.integer(this->whole(), 0));
  }

  /// c[0] + c[1] x + ...
  template <std::size_t N>
  int polynomial(const std::array<double, N> &c, int x) {
    int sum = this->number(c[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) sum = this->add(this->mul(sum, x), this->number(c[i]));
    return sum;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();
  enum Circular : std::uint8_t { kSine, kCosine, kTangent };

  MathOps wide() { return MathOps(this->values(), DType::kF64); }
  int eitherInfinite(int a, int b) {
    return either(this->is(Op::kCmpEq, a, kInfinity), this->is(Op::kCmpEq, b, kInfinity));
  }
  int circular(int argument, Circular which);
};

/// x P(x x) up to 1, 1 - exp(-x x) t Q(t) with t = 1 / (1 + x / 2) beyond: interpolation at Chebyshev nodes.
template <class Values>
int MathOps<Values>::erf(int argument) {
  constexpr std::array kNear{1.1283791670954921,     -0.37612638902791323,    0.11283791658158387,
                             -0.02686616901429711,   0.005223967017583242,    -0.0008547928800711301,
                             0.00012046178270207713, -1.4794207779527414e-05, 1.5301935622980797e-06,
                             -1.0459116404944581e-07};
  constexpr std::array kFar{0.28209867784719983, 0.28198364029011264,  0.24826586208533435, 0.16533094694189993,
                            0.1391629968271269,  -0.19704242200201644, 0.40939899225458753, -0.8227036927542959,
                            0.802418009495362,   -0.3833517093722038,  0.07445599126875006};
  MathOps w = wide();
  const int x = w.in(argument), size = w.op(Op::kMin, w.abs(x), w.number(6));
  const int near = w.mul(size, w.polynomial(kNear, w.mul(size, size)));
  const int t = w.div(w.number(1), w.add(w.number(1), w.mul(size, w.number(0.5))));
  const int tail = w.in(exp(in(w.negated(w.mul(size, size)))));
  const int far = w.sub(w.number(1), w.mul(w.mul(tail, t), w.polynomial(kFar, t)));
  const int value = w.choose(w.is(Op::kCmpLt, size, 1.0), near, far);
  const int isNan = w.is(Op::kCmpNe, x, x);
  const int negated = w.choose(w.is(Op::kCmpLt, x, 0.0), w.negated(value), value);
  return in(w.choose(isNan, x, negated));
}

/// x = k pi / 2 + r.
template <class Values>
int MathOps<Values>::circular(int argument, Circular which) {
  constexpr std::array kSines{1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
                              1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr std::array kCosines{1.0,         -1.0 / 2,       1.0 / 24,          -1.0 / 720,
                                1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0};
  constexpr double kHigh = 0x1.921fb544p+0, kLow = 0x1.0b4611a626331p-34;  // pi / 2, so that k * kHigh is exact
  Values &v = this->values();
  MathOps w = wide();
  const int x = w.in(argument);
  const int turns = w.roundEven(w.mul(x, w.number(0.63661977236758134308)));
  const int rest = w.sub(w.sub(x, w.mul(turns, w.number(kHigh))), w.mul(turns, w.number(kLow)));
  const int square = w.mul(rest, rest);
  const int sine = w.mul(rest, w.polynomial(kSines, square)), cosine = w.polynomial(kCosines, square);
  const auto integer = [&](std::int64_t n) { return v.integer(DType::kI64, n); };
  const int quarter = v.op(Op::kAdd, DType::kI64, v.cast(DType::kI64, turns), integer(which == kCosine ? 1 : 0));
  const auto hasBit = [&](std::int64_t bit) {
    return v.op(Op::kCmpNe, DType::kU8, v.op(Op::kAnd, DType::kI64, quarter, integer(bit)), integer(0));
  };
  if (which == kTangent) return in(w.choose(hasBit(1), w.negated(w.div(cosine, sine)), w.div(sine, cosine)));
  const int value = w.choose(hasBit(1), cosine, sine);
  return in(w.choose(hasBit(2), w.negated(value), value));
}

template <class Values>
int MathOps<Values>::product(int argument, int n) {
  MathOps w = wide();
  int factor = w.in(argument), all = -1;
  for (int rest = std::abs(n); rest > 0; rest /= 2) {
    if (rest % 2 == 1) all = all < 0 ? factor : w.mul(all, factor);
    if (rest > 1) factor = w.mul(factor, factor);
  }
  return in(n < 0 ? w.div(w.number(1), all) : all);
}

}  // namespace pimento::frontend
