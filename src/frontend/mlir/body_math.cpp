#include "pimento/frontend/mlir/body_math.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "pimento/frontend/nest/float_ops.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

/// Values of a body of one type.
class Floats : public FloatOps<ScalarSink> {
 public:
  using FloatOps::FloatOps;

  int in(int x) { return values().cast(type(), x); }
  int either(int a, int b) { return values().op(Op::kOr, DType::kU8, a, b); }
  int isOdd(int x) {
    const int bit = values().op(Op::kAnd, whole(), values().cast(whole(), x), values().integer(whole(), 1));
    return values().op(Op::kCmpNe, DType::kU8, bit, values().integer(whole(), 0));
  }

  /// c[0] + c[1] x + ...
  template <std::size_t N>
  int polynomial(const std::array<double, N> &c, int x) {
    int sum = number(c[N - 1]);
    for (std::size_t i = N - 1; i-- > 0;) sum = add(mul(sum, x), number(c[i]));
    return sum;
  }
};

/// erf(x) = x P(x x) up to 1, 1 - exp(-x x) t Q(t) with t = 1 / (1 + x / 2) beyond: interpolation at Chebyshev nodes.
constexpr std::array kErfNear{1.1283791670954921,     -0.37612638902791323,    0.11283791658158387,
                              -0.02686616901429711,   0.005223967017583242,    -0.0008547928800711301,
                              0.00012046178270207713, -1.4794207779527414e-05, 1.5301935622980797e-06,
                              -1.0459116404944581e-07};
constexpr std::array kErfFar{0.28209867784719983, 0.28198364029011264,  0.24826586208533435, 0.16533094694189993,
                             0.1391629968271269,  -0.19704242200201644, 0.40939899225458753, -0.8227036927542959,
                             0.802418009495362,   -0.3833517093722038,  0.07445599126875006};

int erf(ScalarSink &sink, DType type, int argument) {
  Floats wide(sink, DType::kF64), own(sink, type);
  const int x = wide.in(argument), size = wide.op(Op::kMin, wide.abs(x), wide.number(6));
  const int near = wide.mul(size, wide.polynomial(kErfNear, wide.mul(size, size)));
  const int t = wide.div(wide.number(1), wide.add(wide.number(1), wide.mul(size, wide.number(0.5))));
  const int tail = wide.in(own.op(Op::kExp, own.in(wide.negated(wide.mul(size, size)))));
  const int far = wide.sub(wide.number(1), wide.mul(wide.mul(tail, t), wide.polynomial(kErfFar, t)));
  const int value = wide.choose(wide.is(Op::kCmpLt, size, 1.0), near, far);
  const int isNan = wide.is(Op::kCmpNe, x, x);
  const int negated = wide.choose(wide.is(Op::kCmpLt, x, 0.0), wide.negated(value), value);
  return own.in(wide.choose(isNan, x, negated));
}

/// Sine or cosine: x = k pi / 2 + r.
int circular(ScalarSink &sink, DType type, int argument, bool isCosine) {
  constexpr std::array kSine{1.0,          -1.0 / 6,        1.0 / 120,          -1.0 / 5040,
                             1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr std::array kCosine{1.0,         -1.0 / 2,       1.0 / 24,          -1.0 / 720,
                               1.0 / 40320, -1.0 / 3628800, 1.0 / 479001600.0, -1.0 / 87178291200.0};
  constexpr double kHigh = 0x1.921fb544p+0, kLow = 0x1.0b4611a626331p-34;  // pi / 2, so that k * kHigh is exact
  Floats wide(sink, DType::kF64);
  const int x = wide.in(argument);
  const int turns = wide.roundEven(wide.mul(x, wide.number(0.63661977236758134308)));
  const int rest = wide.sub(wide.sub(x, wide.mul(turns, wide.number(kHigh))), wide.mul(turns, wide.number(kLow)));
  const int square = wide.mul(rest, rest);
  const int sine = wide.mul(rest, wide.polynomial(kSine, square)), cosine = wide.polynomial(kCosine, square);
  const auto integer = [&](std::int64_t n) { return sink.integer(DType::kI64, n); };
  const int quarter = sink.op(Op::kAdd, DType::kI64, sink.cast(DType::kI64, turns), integer(isCosine ? 1 : 0));
  const auto hasBit = [&](std::int64_t bit) {
    return sink.op(Op::kCmpNe, DType::kU8, sink.op(Op::kAnd, DType::kI64, quarter, integer(bit)), integer(0));
  };
  const int value = wide.choose(hasBit(1), cosine, sine);
  return sink.cast(type, wide.choose(hasBit(2), wide.negated(value), value));
}

/// x to a whole power, in double precision.
int product(ScalarSink &sink, DType type, int argument, int n) {
  Floats wide(sink, DType::kF64);
  int factor = wide.in(argument), all = -1;
  for (int rest = std::abs(n); rest > 0; rest /= 2) {
    if (rest % 2 == 1) all = all < 0 ? factor : wide.mul(all, factor);
    if (rest > 1) factor = wide.mul(factor, factor);
  }
  return sink.cast(type, n < 0 ? wide.div(wide.number(1), all) : all);
}

int power(ScalarSink &sink, DType type, int x, int y, std::optional<double> exponent) {
  constexpr double kMostFactors = 16;
  Floats f(sink, type);
  if (exponent == 0.0) return f.number(1);
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return f.mul(x, x);
  if (exponent == 0.5) return f.op(Op::kSqrt, x);
  if (exponent == -0.5) return f.div(f.number(1), f.op(Op::kSqrt, x));
  if (exponent && std::abs(*exponent) <= kMostFactors && *exponent == std::trunc(*exponent))
    return product(sink, type, x, static_cast<int>(*exponent));
  const int size = f.op(Op::kExp, f.mul(y, f.op(Op::kLog, f.abs(x))));
  // Below 0 there are powers to whole exponents only.
  const int isWhole = f.is(Op::kCmpEq, f.trunc(y), y);
  const int signedSize = f.choose(f.isOdd(y), f.negated(size), size);
  const int below = f.choose(isWhole, signedSize, f.number(std::numeric_limits<double>::quiet_NaN()));
  return f.choose(f.is(Op::kCmpEq, y, 0.0), f.number(1), f.choose(f.is(Op::kCmpLt, x, 0.0), below, size));
}

int expm1(Floats &f, int x) {
  constexpr std::array kSeries{1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040};
  const int far = f.sub(f.op(Op::kExp, x), f.number(1));
  return f.choose(f.is(Op::kCmpLt, f.abs(x), 0.35), f.mul(x, f.polynomial(kSeries, x)), far);
}

/// log(u) x / (u - 1) with u = 1 + x: what rounding u loses is in both.
int log1p(Floats &f, int x) {
  const int u = f.add(x, f.number(1));
  const int value = f.mul(f.op(Op::kLog, u), f.div(x, f.sub(u, f.number(1))));
  return f.choose(f.is(Op::kCmpEq, u, 1.0), x, value);
}

int copysign(Floats &f, int x, int sign) {
  const int isMinus = f.either(f.is(Op::kCmpLt, sign, 0.0),
                               f.both(f.is(Op::kCmpEq, sign, 0.0), f.is(Op::kCmpLt, f.div(f.number(1), sign), 0.0)));
  const int size = f.abs(x);
  return f.choose(isMinus, f.negated(size), size);
}

int fma(ScalarSink &sink, DType type, int a, int b, int c) {
  Floats wide(sink, DType::kF64);
  return sink.cast(type, wide.add(wide.mul(wide.in(a), wide.in(b)), wide.in(c)));
}

/// Quotients of integers that are rounded down or up.
int divided(ScalarSink &sink, DType type, int a, int b, bool isUp) {
  const int q = sink.op(Op::kDiv, type, a, b), rest = sink.op(Op::kRem, type, a, b), zero = sink.integer(type, 0);
  const auto is = [&](Op op, int x) { return sink.op(op, DType::kU8, x, zero); };
  const int differ = sink.op(Op::kXor, DType::kU8, is(Op::kCmpLt, a), is(Op::kCmpLt, b));
  const int isOff = isUp ? sink.op(Op::kXor, DType::kU8, differ, sink.integer(DType::kU8, 1)) : differ;
  const int moves = sink.op(Op::kAnd, DType::kU8, is(Op::kCmpNe, rest), isOff);
  return sink.op(Op::kSelect, type, moves, sink.op(Op::kAdd, type, q, sink.integer(type, isUp ? 1 : -1)), q);
}

int ceilOfUnsigned(ScalarSink &sink, DType type, int a, int b) {
  const DType as = type == DType::kI64   ? DType::kU64
                   : type == DType::kI32 ? DType::kU32
                   : type == DType::kI16 ? DType::kU16
                                         : DType::kU8;
  return sink.cast(type, divided(sink, as, sink.cast(as, a), sink.cast(as, b), true));
}

using Arguments = const std::vector<int> &;
struct Composed {
  std::string_view name;
  int (*make)(ScalarSink &, DType, Arguments, std::optional<double>);
};

constexpr std::array kComposed{
    Composed{"math.trunc",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return Floats(s, t).trunc(x[0]); }},
    Composed{"math.floor",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return Floats(s, t).floor(x[0]); }},
    Composed{"math.ceil",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return Floats(s, t).ceil(x[0]); }},
    Composed{"math.round",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return Floats(s, t).round(x[0]); }},
    Composed{"math.roundeven",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return Floats(s, t).roundEven(x[0]); }},
    Composed{"math.rsqrt",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return f.div(f.number(1), f.op(Op::kSqrt, x[0]));
             }},
    Composed{"math.erf", [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return erf(s, t, x[0]); }},
    Composed{"math.sin",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return circular(s, t, x[0], false); }},
    Composed{"math.cos",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return circular(s, t, x[0], true); }},
    Composed{"math.powf",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double> e) { return power(s, t, x[0], x[1], e); }},
    Composed{"math.exp2",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return f.op(Op::kExp, f.mul(x[0], f.number(0.69314718055994530942)));
             }},
    Composed{"math.expm1",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return expm1(f, x[0]);
             }},
    Composed{"math.log1p",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return log1p(f, x[0]);
             }},
    Composed{"math.log2",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return f.mul(f.op(Op::kLog, x[0]), f.number(1.4426950408889634074));
             }},
    Composed{"math.log10",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return f.mul(f.op(Op::kLog, x[0]), f.number(0.43429448190325182765));
             }},
    Composed{"math.copysign",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) {
               Floats f(s, t);
               return copysign(f, x[0], x[1]);
             }},
    Composed{"math.fma",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double>) { return fma(s, t, x[0], x[1], x[2]); }},
    Composed{"arith.floordivsi", [](ScalarSink &s, DType t, Arguments x,
                                    std::optional<double>) { return divided(s, t, x[0], x[1], false); }},
    Composed{"arith.ceildivsi", [](ScalarSink &s, DType t, Arguments x,
                                   std::optional<double>) { return divided(s, t, x[0], x[1], true); }},
    Composed{"arith.ceildivui", [](ScalarSink &s, DType t, Arguments x,
                                   std::optional<double>) { return ceilOfUnsigned(s, t, x[0], x[1]); }},
};

const Composed *find(std::string_view name) {
  for (const Composed &c : kComposed)
    if (c.name == name) return &c;
  return nullptr;
}

}  // namespace

bool isComposedOp(std::string_view name) {
  return find(name) != nullptr;
}

int compose(ScalarSink &sink, std::string_view name, const std::vector<int> &arguments,
            std::optional<double> exponent) {
  return find(name)->make(sink, sink.typeOf(arguments.front()), arguments, exponent);
}

std::string composedOps() {
  std::string all;
  for (const Composed &c : kComposed)
    all += (all.empty() ? "" : " ") + std::string(c.name.substr(c.name.find('.') + 1));
  return all;
}

}  // namespace pimento::frontend
