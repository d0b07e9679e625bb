#include "pimento/kernel/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "pimento/kernel/scalar.h"

namespace pimento::kernel {

namespace {

constexpr std::uint32_t kQuietNan = 0x7fc00000u;

/// A float rounded to what binary16 holds, without a branch so that loops over it vectorize.
inline float roundToF16(float x) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t sign = u & 0x80000000u;
  const auto a = static_cast<std::int32_t>(u & 0x7fffffffu);
  // Of NaN up to the largest code: without a sign, the sum does not overflow.
  const auto bits = static_cast<std::uint32_t>(a);
  const auto normal = static_cast<std::int32_t>((bits + 0xfffu + ((bits >> 13) & 1u)) & ~0x1fffu & 0x7fffffffu);
  const float subnormal = (std::bit_cast<float>(a) + 0.5f) - 0.5f;
  std::int32_t r = normal >= 0x47800000 ? 0x7f800000 : normal;
  r = a < 0x38800000 ? std::bit_cast<std::int32_t>(subnormal) : r;
  const std::uint32_t withSign = static_cast<std::uint32_t>(r) | sign;
  return std::bit_cast<float>(a > 0x7f800000 ? kQuietNan : withSign);
}

inline float roundToBF16(float x) {
  const std::uint32_t u = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t r = (u + 0x7fffu + ((u >> 16) & 1u)) & 0xffff0000u;
  return std::bit_cast<float>((u & 0x7fffffffu) > 0x7f800000u ? kQuietNan : r);
}

template <DType T>
inline float roundSmall(float x) {
  if constexpr (T == DType::kF16) {
    return roundToF16(x);
  } else if constexpr (T == DType::kBF16) {
    return roundToBF16(x);
  } else if constexpr (T == DType::kF32) {
    return x != x ? std::bit_cast<float>(kQuietNan) : x;
  } else {
    return static_cast<float>(decodeFloat(T, encodeFloat(T, static_cast<double>(x))));
  }
}

/// Calls `body.template operator()<T>()` with the floating type that float lanes hold.
template <typename Body>
void withFloatType(DType type, Body body) {
  switch (type) {
    case DType::kF16:
      return body.template operator()<DType::kF16>();
    case DType::kBF16:
      return body.template operator()<DType::kBF16>();
    case DType::kF8E4M3:
      return body.template operator()<DType::kF8E4M3>();
    case DType::kF8E5M2:
      return body.template operator()<DType::kF8E5M2>();
    default:
      return body.template operator()<DType::kF32>();
  }
}

/// Rounds lanes [begin, end) to a floating type; NaN becomes the positive quiet NaN.
void roundLanes(DType type, Lanes &x, int begin, int end) {
  if (type == DType::kF64) {
    for (int l = begin; l < end; ++l) x.d[l] = x.d[l] != x.d[l] ? std::bit_cast<double>(0x7ff8000000000000ull) : x.d[l];
    return;
  }
  withFloatType(type, [&]<DType T>() {
    for (int l = begin; l < end; ++l) x.f[l] = roundSmall<T>(x.f[l]);
  });
}

double roundDouble(DType type, double x) {
  return decodeFloat(type, encodeFloat(type, x));
}

// ---- Folding ----

template <Combine C, typename F>
inline F combineFloat(F a, F b) {
  if constexpr (C == Combine::kAdd) return a + b;
  if constexpr (C == Combine::kMul) return a * b;
  if constexpr (C == Combine::kMin) return floatMin(a, b);
  if constexpr (C == Combine::kMax) return floatMax(a, b);
}

template <typename Body>
void withCombine(Combine combine, Body body) {
  switch (combine) {
    case Combine::kAdd:
      return body.template operator()<Combine::kAdd>();
    case Combine::kMul:
      return body.template operator()<Combine::kMul>();
    case Combine::kMin:
      return body.template operator()<Combine::kMin>();
    case Combine::kMax:
      return body.template operator()<Combine::kMax>();
    case Combine::kAssign:
      PIMENTO_CHECK(false && "an accumulation");
  }
}

std::int64_t foldIntegers(Combine combine, DType type, std::int64_t acc, const std::int64_t *in, int begin, int end) {
  if (combine == Combine::kAdd) {  // wrapping once at the end is the same
    auto sum = static_cast<std::uint64_t>(acc);
    for (int l = begin; l < end; ++l) sum += static_cast<std::uint64_t>(in[l]);
    return wrapInteger(type, static_cast<std::int64_t>(sum));
  }
  const Op op = opOf(combine);
  for (int l = begin; l < end; ++l) acc = integerOperation(op, type, acc, in[l]);
  return acc;
}

// ---- Operations ----

template <typename F>
void floatLoop(Op op, F *out, const F *a, const F *b, int count) {
  // The common operations get a loop of their own; the rest pay for a switch per lane.
  switch (op) {
    case Op::kAdd:
      for (int l = 0; l < count; ++l) out[l] = a[l] + b[l];
      return;
    case Op::kSub:
      for (int l = 0; l < count; ++l) out[l] = a[l] - b[l];
      return;
    case Op::kMul:
      for (int l = 0; l < count; ++l) out[l] = a[l] * b[l];
      return;
    case Op::kDiv:
      for (int l = 0; l < count; ++l) out[l] = a[l] / b[l];
      return;
    case Op::kRelu:
      for (int l = 0; l < count; ++l) out[l] = std::signbit(a[l]) ? F{0} : a[l];
      return;
    default: {
      const F *second = argumentCount(op) == 2 ? b : a;
      for (int l = 0; l < count; ++l) out[l] = floatOperation(op, a[l], second[l]);
    }
  }
}

void integerLoop(Op op, DType type, std::int64_t *out, const std::int64_t *a, const std::int64_t *b, int count) {
  switch (op) {
    case Op::kAdd:
      for (int l = 0; l < count; ++l)
        out[l] = static_cast<std::int64_t>(static_cast<std::uint64_t>(a[l]) + static_cast<std::uint64_t>(b[l]));
      break;
    case Op::kMul:
      for (int l = 0; l < count; ++l)
        out[l] = static_cast<std::int64_t>(static_cast<std::uint64_t>(a[l]) * static_cast<std::uint64_t>(b[l]));
      break;
    default: {
      const std::int64_t *second = argumentCount(op) == 2 ? b : a;
      for (int l = 0; l < count; ++l) out[l] = integerOperation(op, type, a[l], second[l]);
      return;
    }
  }
  if (type == DType::kI32) {
    for (int l = 0; l < count; ++l) out[l] = static_cast<std::int32_t>(out[l]);
  } else {
    for (int l = 0; l < count; ++l) out[l] = wrapInteger(type, out[l]);
  }
}

bool isTranscendental(Op op) {
  return op == Op::kExp || op == Op::kLog || op == Op::kTanh;
}

void compareLanes(Op op, DType type, Lanes &out, const Lanes &a, const Lanes &b, int count) {
  switch (laneClass(type)) {
    case LaneClass::kFloat:
      for (int l = 0; l < count; ++l) out.i[l] = compare(op, a.f[l], b.f[l]) ? 1 : 0;
      return;
    case LaneClass::kDouble:
      for (int l = 0; l < count; ++l) out.i[l] = compare(op, a.d[l], b.d[l]) ? 1 : 0;
      return;
    case LaneClass::kInteger:
      for (int l = 0; l < count; ++l) out.i[l] = compareIntegers(op, type, a.i[l], b.i[l]) ? 1 : 0;
      return;
  }
}

void selectLanes(DType type, Lanes &out, const Lanes &condition, const Lanes &a, const Lanes &b, int count) {
  if (laneClass(type) == LaneClass::kFloat) {
    for (int l = 0; l < count; ++l) out.f[l] = condition.i[l] != 0 ? a.f[l] : b.f[l];
  } else {  // double and integer lanes alike: 64 bits moved unchanged
    for (int l = 0; l < count; ++l) out.i[l] = condition.i[l] != 0 ? a.i[l] : b.i[l];
  }
}

}  // namespace

void evaluate(const Value &node, DType argumentType, Lanes &out, const Lanes &a, const Lanes &b, const Lanes &c,
              int count) {
  if (isComparison(node.op)) return compareLanes(node.op, argumentType, out, a, b, count);
  if (node.op == Op::kSelect) return selectLanes(node.type, out, a, b, c, count);
  if (node.op == Op::kCast) return convert(argumentType, node.type, a, out, 0, count);
  const LaneClass kind = laneClass(node.type);
  if (kind == LaneClass::kInteger) return integerLoop(node.op, node.type, out.i, a.i, b.i, count);
  if (kind == LaneClass::kDouble) {
    floatLoop(node.op, out.d, a.d, b.d, count);
  } else if (isTranscendental(node.op)) {  // in double, so that the small formats round once
    for (int l = 0; l < count; ++l) {
      const auto x = static_cast<double>(a.f[l]);
      out.f[l] = static_cast<float>(roundDouble(node.type, floatOperation(node.op, x, x)));
    }
    return;
  } else {
    floatLoop(node.op, out.f, a.f, b.f, count);
  }
  // A relu gives one of its arguments: nothing to round, and a NaN it lets through stays as it is.
  if (node.op != Op::kRelu) roundLanes(node.type, out, 0, count);
}

void convert(DType from, DType to, const Lanes &in, Lanes &out, int begin, int end) {
  const LaneClass source = laneClass(from), target = laneClass(to);
  if (target == LaneClass::kInteger) {
    for (int l = begin; l < end; ++l) {
      out.i[l] = source == LaneClass::kInteger  ? wrapInteger(to, in.i[l])
                 : source == LaneClass::kDouble ? doubleToInteger(to, in.d[l])
                                                : doubleToInteger(to, static_cast<double>(in.f[l]));
    }
    return;
  }
  if (source == LaneClass::kFloat && target == LaneClass::kFloat) {
    if (&in != &out) std::copy(in.f + begin, in.f + end, out.f + begin);
    if (from != to && to != DType::kF32) roundLanes(to, out, begin, end);
    return;
  }
  for (int l = begin; l < end; ++l) {
    double x = 0;
    if (source == LaneClass::kInteger) {
      x = target == LaneClass::kDouble ? integerToDouble(from, in.i[l]) : integerToDoubleOdd(from, in.i[l]);
    } else {
      x = source == LaneClass::kDouble ? in.d[l] : static_cast<double>(in.f[l]);
    }
    if (target == LaneClass::kDouble) {
      out.d[l] = x;
    } else {
      out.f[l] = to == DType::kF32 ? static_cast<float>(x) : static_cast<float>(roundDouble(to, x));
    }
  }
}

Scalar fold(Combine combine, DType type, Scalar start, const Lanes &in, int begin, int end) {
  Scalar acc = start;
  if (begin >= end) return acc;
  switch (laneClass(type)) {
    case LaneClass::kInteger:
      acc.i = foldIntegers(combine, type, acc.i, in.i, begin, end);
      return acc;
    case LaneClass::kDouble:
      withCombine(combine, [&]<Combine C>() {
        for (int l = begin; l < end; ++l) acc.d = combineFloat<C>(acc.d, in.d[l]);
      });
      if (acc.d != acc.d) acc.d = std::bit_cast<double>(0x7ff8000000000000ull);
      return acc;
    case LaneClass::kFloat:
      withCombine(combine, [&]<Combine C>() {
        withFloatType(type, [&]<DType T>() {
          float x = acc.f;
          for (int l = begin; l < end; ++l) {
            x = combineFloat<C>(x, in.f[l]);
            if constexpr (T != DType::kF32) x = roundSmall<T>(x);
          }
          acc.f = roundSmall<T>(x);
        });
      });
      return acc;
  }
  return acc;
}

Scalar laneOf(DType type, const Lanes &lanes, int l) {
  Scalar x;
  x.i = 0;
  switch (laneClass(type)) {
    case LaneClass::kFloat:
      x.f = lanes.f[l];
      break;
    case LaneClass::kDouble:
      x.d = lanes.d[l];
      break;
    case LaneClass::kInteger:
      x.i = lanes.i[l];
      break;
  }
  return x;
}

void setLanes(DType type, Lanes &lanes, int begin, int end, Scalar x) {
  switch (laneClass(type)) {
    case LaneClass::kFloat:
      std::fill(lanes.f + begin, lanes.f + end, x.f);
      return;
    case LaneClass::kDouble:
      std::fill(lanes.d + begin, lanes.d + end, x.d);
      return;
    case LaneClass::kInteger:
      std::fill(lanes.i + begin, lanes.i + end, x.i);
      return;
  }
}

Scalar convert(DType from, DType to, Scalar x) {
  if (from == to) return x;
  Lanes in, out;
  setLanes(from, in, 0, 1, x);
  convert(from, to, in, out, 0, 1);
  return laneOf(to, out, 0);
}

Scalar merge(Combine combine, DType type, Scalar a, Scalar b) {
  Lanes lanes;
  setLanes(type, lanes, 0, 1, b);
  return fold(combine, type, a, lanes, 0, 1);
}

bool isLess(DType type, Scalar a, Scalar b) {
  switch (laneClass(type)) {
    case LaneClass::kFloat:
      return a.f < b.f;
    case LaneClass::kDouble:
      return a.d < b.d;
    default:
      return compareIntegers(Op::kCmpLt, type, a.i, b.i);
  }
}

Scalar identity(Combine combine, DType type) {
  Scalar x;
  x.i = 0;
  switch (laneClass(type)) {
    case LaneClass::kFloat:
      x.f = static_cast<float>(floatIdentity(combine));
      break;
    case LaneClass::kDouble:
      x.d = floatIdentity(combine);
      break;
    case LaneClass::kInteger:
      x.i = integerIdentity(combine, type);
      break;
  }
  return x;
}

Scalar constantOf(const Value &node) {
  Scalar x;
  x.i = 0;
  switch (laneClass(node.type)) {
    case LaneClass::kFloat:
      x.f = static_cast<float>(roundDouble(node.type, node.constant));
      break;
    case LaneClass::kDouble:
      x.d = node.constant;
      break;
    case LaneClass::kInteger:
      x.i = wrapInteger(node.type, node.integer);
      break;
  }
  return x;
}

}  // namespace pimento::kernel
