#include "pimento/frontend/native/defined_math.h"

#include <array>
#include <cstdint>

#include "pimento/frontend/nest/math_ops.h"
#include "pimento/kernel/scalar.h"

namespace pimento::frontend {

namespace {

/// Computes what MathOps makes, at once.
class Numbers {
 public:
  int real(DType type, double x) { return add({type, x, 0}); }
  int integer(DType type, std::int64_t x) { return add({type, 0, x}); }

  int op(kernel::Op op, DType type, int a, int b = -1, int c = -1) {
    const Number &first = at(a);
    if (op == kernel::Op::kSelect) return add(first.integer != 0 ? at(b) : at(c));
    const Number second = b >= 0 ? at(b) : Number{};
    if (kernel::isComparison(op)) {
      const bool is = isFloat(first.type) ? kernel::compare(op, first.real, second.real)
                                          : kernel::compareIntegers(op, first.type, first.integer, second.integer);
      return integer(type, is ? 1 : 0);
    }
    if (!isFloat(type)) return integer(type, kernel::integerOperation(op, type, first.integer, second.integer));
    if (type == DType::kF64) return real(type, kernel::floatOperation(op, first.real, second.real));
    const float result = kernel::floatOperation(op, static_cast<float>(first.real), static_cast<float>(second.real));
    return real(type, static_cast<double>(result));
  }

  int cast(DType type, int a) {
    const Number x = at(a);
    if (isFloat(type)) {
      const double value = isFloat(x.type) ? x.real : kernel::integerToDouble(x.type, x.integer);
      return real(type, type == DType::kF64 ? value : static_cast<double>(static_cast<float>(value)));
    }
    return integer(type, isFloat(x.type) ? kernel::doubleToInteger(type, x.real) : wrapInteger(type, x.integer));
  }

  double valueOf(int a) const { return at(a).real; }

 private:
  struct Number {
    DType type = DType::kF64;
    double real = 0;
    std::int64_t integer = 0;
  };
  static constexpr std::size_t kMost = 256;

  const Number &at(int n) const { return numbers_[static_cast<std::size_t>(n)]; }
  int add(const Number &n) {
    PIMENTO_CHECK(count_ < kMost);
    numbers_[count_] = n;
    return static_cast<int>(count_++);
  }

  std::array<Number, kMost> numbers_;
  std::size_t count_ = 0;
};

using Ops = MathOps<Numbers>;

template <typename F>
constexpr DType kTypeOf = sizeof(F) == sizeof(double) ? DType::kF64 : DType::kF32;

template <typename F, int (Ops::*kMember)(int)>
F one(F x) {
  Numbers numbers;
  Ops ops(numbers, kTypeOf<F>);
  return static_cast<F>(numbers.valueOf((ops.*kMember)(numbers.real(kTypeOf<F>, static_cast<double>(x)))));
}

template <typename F, int (Ops::*kMember)(int, int)>
F two(F x, F y) {
  Numbers numbers;
  Ops ops(numbers, kTypeOf<F>);
  const int a = numbers.real(kTypeOf<F>, static_cast<double>(x)), b = numbers.real(kTypeOf<F>, static_cast<double>(y));
  return static_cast<F>(numbers.valueOf((ops.*kMember)(a, b)));
}

template <typename F>
F fusedOf(F x, F y, F z) {
  Numbers numbers;
  const auto number = [&](F v) { return numbers.real(kTypeOf<F>, static_cast<double>(v)); };
  const int a = number(x), b = number(y), c = number(z);
  return static_cast<F>(numbers.valueOf(Ops(numbers, kTypeOf<F>).fma(a, b, c)));
}

using Functions = std::vector<std::pair<std::string, void *>>;

template <int (Ops::*kMember)(int)>
void add(Functions &to, const std::string &name) {
  to.emplace_back(name, reinterpret_cast<void *>(&one<double, kMember>));
  to.emplace_back(name + "f", reinterpret_cast<void *>(&one<float, kMember>));
}

Functions mathFunctions() {
  Functions all;
  add<&Ops::sin>(all, "sin");
  add<&Ops::cos>(all, "cos");
  add<&Ops::tan>(all, "tan");
  add<&Ops::erf>(all, "erf");
  add<&Ops::exp2>(all, "exp2");
  add<&Ops::expm1>(all, "expm1");
  add<&Ops::log2>(all, "log2");
  add<&Ops::log10>(all, "log10");
  add<&Ops::log1p>(all, "log1p");
  all.emplace_back("hypot", reinterpret_cast<void *>(&two<double, &Ops::hypot>));
  all.emplace_back("hypotf", reinterpret_cast<void *>(&two<float, &Ops::hypot>));
  all.emplace_back("fdim", reinterpret_cast<void *>(&two<double, &Ops::fdim>));
  all.emplace_back("fdimf", reinterpret_cast<void *>(&two<float, &Ops::fdim>));
  all.emplace_back("fma", reinterpret_cast<void *>(&fusedOf<double>));
  all.emplace_back("fmaf", reinterpret_cast<void *>(&fusedOf<float>));
  return all;
}

}  // namespace

std::string definedName(std::string_view name) {
  return "pimento_" + std::string(name);
}

const std::vector<std::pair<std::string, void *>> &definedFunctions() {
  static const Functions all = mathFunctions();
  return all;
}

}  // namespace pimento::frontend
