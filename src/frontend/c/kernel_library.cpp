#include "pimento/frontend/c/kernel_library.h"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace pimento::frontend {

using kernel::Op;

namespace {

/// Expressions of one floating-point type.
class Composer {
 public:
  Composer(ExpressionPool &pool, DType type) : pool_(pool), type_(type) {}

  /// The largest whole number that is not above x. Numbers of `limit()` and more are whole, and -0 stays -0.
  int floor(int x) const {
    const int whole = toward0(x);
    return where(isFraction(x, whole), choose(op(Op::kCmpGt, whole, x), minus(whole, 1), whole), x);
  }
  int ceil(int x) const { return negated(floor(negated(x))); }
  int trunc(int x) const {
    const int size = absolute(x), whole = toward0(size);
    return where(isFraction(size, whole), withSignOf(x, whole), x);
  }
  /// Halves go away from 0.
  int round(int x) const {
    const int size = absolute(x), whole = toward0(size);
    const int isUp = op(Op::kCmpGe, pool_.op(Op::kSub, type_, size, whole), real(0.5));
    return where(isFraction(size, whole), withSignOf(x, choose(isUp, minus(whole, -1), whole)), x);
  }
  /// Halves go to the even number, as sums do.
  int rint(int x) const {
    const int size = absolute(x), whole = toward0(size), far = real(limit());
    const int rounded = pool_.op(Op::kSub, type_, pool_.op(Op::kAdd, type_, size, far), far);
    return where(isFraction(size, whole), withSignOf(x, rounded), x);
  }
  /// In double precision. Squares, cubes and fourth powers are products, x ^ 0.5 is the root; else exp(y log |x|), with
  /// the sign of an odd power.
  int pow(int x, int y) const {
    const int magnitude =
        pool_.op(Op::kExp, type_, pool_.op(Op::kMul, type_, y, pool_.op(Op::kLog, type_, absolute(x))));
    const int count = pool_.cast(DType::kI64, y);
    const int isWhole = op(Op::kCmpEq, pool_.cast(type_, count), y);
    const int isOdd = pool_.isTrue(pool_.op(Op::kAnd, DType::kI64, count, pool_.integer(DType::kI64, 1)));
    const int ofWhole = choose(isOdd, negated(magnitude), magnitude);
    const int ofSmall = choose(isWhole, ofWhole, real(std::numeric_limits<double>::quiet_NaN()));
    const int ofNegative = choose(op(Op::kCmpLt, absolute(y), real(limit())), ofSmall, magnitude);
    const int any = choose(isNegative(x), ofNegative, magnitude);
    const int square = pool_.op(Op::kMul, type_, x, x);
    int result = any;
    for (const auto &[exponent, value] : {std::pair{4.0, pool_.op(Op::kMul, type_, square, square)},
                                          std::pair{3.0, pool_.op(Op::kMul, type_, square, x)}, std::pair{2.0, square},
                                          std::pair{0.5, pool_.op(Op::kSqrt, type_, x)}, std::pair{0.0, real(1)}})
      result = choose(op(Op::kCmpEq, y, real(exponent)), value, result);
    return result;
  }
  int isNan(int x) const { return op(Op::kCmpNe, x, x); }
  int isInfinite(int x) const { return op(Op::kCmpEq, absolute(x), real(std::numeric_limits<double>::infinity())); }
  int isFinite(int x) const { return op(Op::kCmpLt, absolute(x), real(std::numeric_limits<double>::infinity())); }

 private:
  int real(double x) const { return pool_.real(type_, x); }
  int op(Op comparison, int a, int b) const { return pool_.op(comparison, DType::kU8, a, b); }
  int choose(int condition, int a, int b) const { return pool_.op(Op::kSelect, type_, condition, a, b); }
  int where(int condition, int a, int b) const { return choose(condition, a, b); }
  int minus(int x, double y) const { return pool_.op(Op::kSub, type_, x, real(y)); }
  int negated(int x) const { return pool_.op(Op::kNeg, type_, x); }
  int absolute(int x) const { return pool_.op(Op::kAbs, type_, x); }
  int isNegative(int x) const { return op(Op::kCmpLt, x, real(0)); }
  int withSignOf(int x, int size) const { return choose(isNegative(x), negated(size), size); }
  /// Through an integer that holds every number below limit().
  int toward0(int x) const {
    return pool_.cast(type_, pool_.cast(type_ == DType::kF64 ? DType::kI64 : DType::kI32, x));
  }
  /// From here on all numbers are whole.
  double limit() const {
    switch (type_) {
      case DType::kF64:
        return std::ldexp(1, 52);
      case DType::kF32:
        return std::ldexp(1, 23);
      case DType::kF16:
        return std::ldexp(1, 10);
      default:
        return std::ldexp(1, 7);  // bf16
    }
  }
  /// Not of NaN: comparisons with it are false.
  int isFraction(int x, int whole) const {
    return pool_.both(op(Op::kCmpLt, absolute(x), real(limit())), op(Op::kCmpNe, whole, x));
  }

  ExpressionPool &pool_;
  DType type_;
};

using One = int (Composer::*)(int) const;

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
                                                      {"rint", {}, &Composer::rint},
                                                      {"nearbyint", {}, &Composer::rint},
                                                      {"lround", {}, &Composer::round},
                                                      {"lrint", {}, &Composer::rint},
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
  const Composer wide(pool, DType::kF64);
  return pool.cast(type, wide.pow(pool.cast(DType::kF64, arguments[0]), pool.cast(DType::kF64, arguments[1])));
}

std::string libraryNames() {
  std::string names;
  for (const LibraryFunction &f : kFunctions)
    if (!f.isInteger) names += (names.empty() ? "" : " ") + std::string(f.name);
  return names + " (also with f), abs, isnan, isinf and isfinite";
}

}  // namespace pimento::frontend
