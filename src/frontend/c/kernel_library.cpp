#include "pimento/frontend/c/kernel_library.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "pimento/frontend/nest/math_ops.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

/// Functions of math.h on expressions of one type.
class Composer : public MathOps<ExpressionPool> {
 public:
  using MathOps::MathOps;

  /// In double precision. Squares, cubes and fourth powers are products, x ^ 0.5 is the root; else exp(y log |x|), with
  /// the sign of an odd power.
  int pow(int x, int y) {
    ExpressionPool &pool = values();
    const int magnitude = op(Op::kExp, mul(y, op(Op::kLog, abs(x))));
    const int count = pool.cast(DType::kI64, y);
    const int isWhole = is(Op::kCmpEq, pool.cast(type(), count), y);
    const int isOdd = pool.isTrue(pool.op(Op::kAnd, DType::kI64, count, pool.integer(DType::kI64, 1)));
    const int ofWhole = choose(isOdd, negated(magnitude), magnitude);
    const int ofSmall = choose(isWhole, ofWhole, number(std::numeric_limits<double>::quiet_NaN()));
    const int ofNegative = choose(is(Op::kCmpLt, abs(y), limit()), ofSmall, magnitude);
    const int square = mul(x, x);
    int result = choose(is(Op::kCmpLt, x, 0.0), ofNegative, magnitude);
    for (const auto &[exponent, value] :
         {std::pair{4.0, mul(square, square)}, std::pair{3.0, mul(square, x)}, std::pair{2.0, square},
          std::pair{0.5, op(Op::kSqrt, x)}, std::pair{0.0, number(1)}})
      result = choose(is(Op::kCmpEq, y, exponent), value, result);
    return result;
  }
  int isNan(int x) { return is(Op::kCmpNe, x, x); }
  int isInfinite(int x) { return is(Op::kCmpEq, abs(x), std::numeric_limits<double>::infinity()); }
  int isFinite(int x) { return is(Op::kCmpLt, abs(x), std::numeric_limits<double>::infinity()); }
};

using One = int (Composer::*)(int);
using Two = int (Composer::*)(int, int);

struct LibraryFunction {
  std::string_view name;
  std::optional<Op> op;  ///< that it is
  One made = nullptr;    ///< of operations
  Two madeOfTwo = nullptr;
  bool isInteger = false;
  bool isDefinedHere = false;  ///< by math_ops.h: native code calls the same, but not for a __builtin_
};

constexpr std::array kFunctions{
    LibraryFunction{"exp", Op::kExp},
    LibraryFunction{"log", Op::kLog},
    LibraryFunction{"sqrt", Op::kSqrt},
    LibraryFunction{"tanh", Op::kTanh},
    LibraryFunction{"fabs", Op::kAbs},
    LibraryFunction{"fmin", Op::kMin},
    LibraryFunction{"fmax", Op::kMax},
    LibraryFunction{"fmod", Op::kRem},
    LibraryFunction{"pow", {}},
    LibraryFunction{"fma", {}, nullptr, nullptr, false, true},
    LibraryFunction{"floor", {}, &Composer::floor},
    LibraryFunction{"ceil", {}, &Composer::ceil},
    LibraryFunction{"trunc", {}, &Composer::trunc},
    LibraryFunction{"round", {}, &Composer::round},
    LibraryFunction{"rint", {}, &Composer::roundEven},
    LibraryFunction{"nearbyint", {}, &Composer::roundEven},
    LibraryFunction{"lround", {}, &Composer::round},
    LibraryFunction{"lrint", {}, &Composer::roundEven},
    LibraryFunction{"sin", {}, &Composer::sin, nullptr, false, true},
    LibraryFunction{"cos", {}, &Composer::cos, nullptr, false, true},
    LibraryFunction{"tan", {}, &Composer::tan, nullptr, false, true},
    LibraryFunction{"erf", {}, &Composer::erf, nullptr, false, true},
    LibraryFunction{"exp2", {}, &Composer::exp2, nullptr, false, true},
    LibraryFunction{"expm1", {}, &Composer::expm1, nullptr, false, true},
    LibraryFunction{"log2", {}, &Composer::log2, nullptr, false, true},
    LibraryFunction{"log10", {}, &Composer::log10, nullptr, false, true},
    LibraryFunction{"log1p", {}, &Composer::log1p, nullptr, false, true},
    LibraryFunction{"hypot", {}, nullptr, &Composer::hypot, false, true},
    LibraryFunction{"copysign", {}, nullptr, &Composer::copysign},
    LibraryFunction{"fdim", {}, nullptr, &Composer::fdim, false, true},
    LibraryFunction{"abs", Op::kAbs, nullptr, nullptr, true},
    LibraryFunction{"labs", Op::kAbs, nullptr, nullptr, true},
    LibraryFunction{"llabs", Op::kAbs, nullptr, nullptr, true},
};

/// How many arguments it takes.
std::size_t arityOf(const LibraryFunction &f) {
  if (f.op) return static_cast<std::size_t>(argumentCount(*f.op));
  return f.made != nullptr ? 1 : f.name == "fma" ? 3 : 2;
}

/// Its name, or that with f or f16 for a narrower type.
const LibraryFunction *functionOf(std::string_view name) {
  constexpr std::string_view kBuiltin = "__builtin_";
  const bool isBuiltin = name.starts_with(kBuiltin);
  if (isBuiltin) name.remove_prefix(kBuiltin.size());
  for (const LibraryFunction &f : kFunctions) {
    if (!name.starts_with(f.name) || (isBuiltin && f.isDefinedHere)) continue;
    const std::string_view suffix = name.substr(f.name.size());
    if (suffix.empty() || (!f.isInteger && (suffix == "f" || suffix == "f16"))) return &f;
  }
  return nullptr;
}

/// What math.h's macros for kinds of numbers call.
One classification(std::string_view name) {
  if (name == "__builtin_isnan") return &Composer::isNan;
  if (name == "__builtin_isinf") return &Composer::isInfinite;
  return name == "__builtin_isfinite" ? &Composer::isFinite : nullptr;
}

}  // namespace

int libraryCall(ExpressionPool &pool, std::string_view name, DType type, const std::vector<int> &arguments) {
  if (const One kind = classification(name); kind != nullptr && arguments.size() == 1)
    return (Composer(pool, type).*kind)(arguments[0]);
  const LibraryFunction *f = functionOf(name);
  if (f == nullptr || f->isInteger == isFloat(type)) return -1;
  if (arguments.size() != arityOf(*f)) return -1;
  if (f->op) return pool.op(*f->op, type, arguments[0], arguments.size() > 1 ? arguments[1] : -1);
  Composer own(pool, type);
  if (f->made != nullptr) return (own.*f->made)(arguments[0]);
  if (f->madeOfTwo != nullptr) return (own.*f->madeOfTwo)(arguments[0], arguments[1]);
  if (arguments.size() == 3) return own.fma(arguments[0], arguments[1], arguments[2]);
  Composer wide(pool, DType::kF64);
  return pool.cast(type, wide.pow(pool.cast(DType::kF64, arguments[0]), pool.cast(DType::kF64, arguments[1])));
}

std::string libraryNames() {
  std::string names;
  for (const LibraryFunction &f : kFunctions)
    if (!f.isInteger) names += (names.empty() ? "" : " ") + std::string(f.name);
  return names + " (also with f), abs, isnan, isinf and isfinite";
}

}  // namespace pimento::frontend
