#include "pimento/frontend/mlir/body_math.h"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "pimento/frontend/nest/math_ops.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

using Floats = MathOps<ScalarSink>;

int power(ScalarSink &sink, DType type, int x, int y, std::optional<double> exponent) {
  constexpr double kMostFactors = 16;
  Floats f(sink, type);
  if (exponent == 0.0) return f.number(1);
  if (exponent == 1.0) return x;
  if (exponent == 2.0) return f.mul(x, x);
  if (exponent == 0.5) return f.op(Op::kSqrt, x);
  if (exponent == -0.5) return f.div(f.number(1), f.op(Op::kSqrt, x));
  if (exponent && std::abs(*exponent) <= kMostFactors && *exponent == std::trunc(*exponent))
    return f.product(x, static_cast<int>(*exponent));
  const int size = f.op(Op::kExp, f.mul(y, f.op(Op::kLog, f.abs(x))));
  // Below 0 there are powers to whole exponents only.
  const int isWhole = f.is(Op::kCmpEq, f.trunc(y), y);
  const int signedSize = f.choose(f.isOdd(y), f.negated(size), size);
  const int below = f.choose(isWhole, signedSize, f.number(std::numeric_limits<double>::quiet_NaN()));
  return f.choose(f.is(Op::kCmpEq, y, 0.0), f.number(1), f.choose(f.is(Op::kCmpLt, x, 0.0), below, size));
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

template <auto kMember>
int one(ScalarSink &sink, DType type, Arguments x, std::optional<double>) {
  return (Floats(sink, type).*kMember)(x[0]);
}
template <auto kMember>
int two(ScalarSink &sink, DType type, Arguments x, std::optional<double>) {
  return (Floats(sink, type).*kMember)(x[0], x[1]);
}

constexpr std::array kComposed{
    Composed{"math.trunc", one<&Floats::trunc>},
    Composed{"math.floor", one<&Floats::floor>},
    Composed{"math.ceil", one<&Floats::ceil>},
    Composed{"math.round", one<&Floats::round>},
    Composed{"math.roundeven", one<&Floats::roundEven>},
    Composed{"math.rsqrt", one<&Floats::rsqrt>},
    Composed{"math.erf", one<&Floats::erf>},
    Composed{"math.sin", one<&Floats::sin>},
    Composed{"math.cos", one<&Floats::cos>},
    Composed{"math.tan", one<&Floats::tan>},
    Composed{"math.powf",
             [](ScalarSink &s, DType t, Arguments x, std::optional<double> e) { return power(s, t, x[0], x[1], e); }},
    Composed{"math.exp2", one<&Floats::exp2>},
    Composed{"math.expm1", one<&Floats::expm1>},
    Composed{"math.log1p", one<&Floats::log1p>},
    Composed{"math.log2", one<&Floats::log2>},
    Composed{"math.log10", one<&Floats::log10>},
    Composed{"math.copysign", two<&Floats::copysign>},
    Composed{"math.fma", [](ScalarSink &s, DType t, Arguments x,
                            std::optional<double>) { return Floats(s, t).fma(x[0], x[1], x[2]); }},
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
