#include "pimento/frontend/c/kernel_library.h"

#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "pimento/frontend/nest/float_ops.h"

namespace pimento::frontend {

using kernel::Op;

namespace {

/// Functions of math.h on expressions of one type.
class Composer : public FloatOps<ExpressionPool> {
 public:
  using FloatOps::FloatOps;

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

struct LibraryFunction {
  std::string_view name;
  std::optional<Op> op;  ///< that it is
  One made = nullptr;    ///< of operations
  bool isInteger = false;
};

constexpr std::array<LibraryFunction, 20> kFunctions{{{"exp", Op::kExp},
                                                      {"log", Op::kLog},
                                                      {"sqrt", Op::kSqrt},
                                                      {"tanh", Op::kTanh},
                                                      {"fabs", Op::kAbs},
                                                      {"fmin", Op::kMin},
                                                      {"fmax", Op::kMax},
                                                      {"fmod", Op::kRem},
                                                      {"pow", {}},
                                                      {"floor", {}, &Composer::floor},
                                                      {"ceil", {}, &Composer::ceil},
                                                      {"trunc", {}, &Composer::trunc},
                                                      {"round", {}, &Composer::round},
                                                      {"rint", {}, &Composer::roundEven},
                                                      {"nearbyint", {}, &Composer::roundEven},
                                                      {"lround", {}, &Composer::round},
                                                      {"lrint", {}, &Composer::roundEven},
                                                      {"abs", Op::kAbs, nullptr, true},
                                                      {"labs", Op::kAbs, nullptr, true},
                                                      {"llabs", Op::kAbs, nullptr, true}}};

/// Its name, or that with f or f16 for a narrower type.
const LibraryFunction *functionOf(std::string_view name) {
  constexpr std::string_view kBuiltin = "__builtin_";
  if (name.starts_with(kBuiltin)) name.remove_prefix(kBuiltin.size());
  for (const LibraryFunction &f : kFunctions) {
    if (!name.starts_with(f.name)) continue;
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
  const std::size_t expected = f->op ? static_cast<std::size_t>(argumentCount(*f->op)) : f->made != nullptr ? 1U : 2U;
  if (arguments.size() != expected) return -1;
  if (f->op) return pool.op(*f->op, type, arguments[0], expected > 1 ? arguments[1] : -1);
  if (f->made != nullptr) return (Composer(pool, type).*f->made)(arguments[0]);
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
