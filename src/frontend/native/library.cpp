#include "pimento/frontend/native/library.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "pimento/base/dtype.h"
#include "pimento/frontend/native/defined_math.h"
#include "pimento/frontend/native/process.h"

namespace pimento::frontend {

namespace {

template <typename T>
T least(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a < b || (a == b && std::signbit(a)) ? a : b;
}

template <typename T>
T greatest(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  return a > b || (a == b && !std::signbit(a)) ? a : b;
}

/// 16-bit floats travel in the low half of a register for floats.
template <DType type, typename T>
float narrowed(T x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(encodeFloat(type, static_cast<double>(x))));
}

float fromHalf(float half) {
  return f16ToFloat(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(half)));
}

/// What the data of every check begins with (compiler-rt's interface, ubsan_handlers.h).
struct CheckedPlace {
  const char *file;
  std::uint32_t line, column;
};

template <Undefined what>
void onUndefined(const CheckedPlace *place) {
  endUndefined(what, static_cast<int>(place->line), static_cast<int>(place->column));
}

/// What checks call that our own passes put into MLIR.
void onUndefinedMlir(std::int32_t what, std::int32_t line, std::int32_t column) {
  endUndefined(static_cast<Undefined>(what), line, column);
}

/// What LLVM makes of a sine and a cosine of one number.
template <typename T>
void bothOf(T x, T *sine, T *cosine) {
  *sine = std::sin(x);
  *cosine = std::cos(x);
}

/// exp(y log |x|) with the sign of an odd power; small powers are products. What kernels compute (c/kernel_library.h).
double power(double x, double y) {
  if (y == 0) return 1;
  if (y == 0.5) return std::sqrt(x);
  if (y == 2) return x * x;
  if (y == 3) return x * x * x;
  if (y == 4) return x * x * (x * x);
  const double magnitude = std::exp(y * std::log(std::fabs(x)));
  if (!(x < 0)) return magnitude;
  if (std::trunc(y) != y) return std::numeric_limits<double>::quiet_NaN();
  return std::fmod(y, 2) != 0 ? -magnitude : magnitude;
}

using Functions = std::vector<std::pair<std::string, void *>>;

template <typename F>
void add(Functions &to, const char *name, F *function) {
  to.emplace_back(name, reinterpret_cast<void *>(function));
}

void addMath(Functions &to) {
  using D = double (*)(double);
  using F = float (*)(float);
  using D2 = double (*)(double, double);
  using F2 = float (*)(float, float);
  const auto once = [&](const char *name, D function) { add(to, name, function); };
  once("exp", std::exp), once("log", std::log), once("tanh", std::tanh);
  add(to, "expf", F([](float x) { return static_cast<float>(std::exp(static_cast<double>(x))); }));
  add(to, "logf", F([](float x) { return static_cast<float>(std::log(static_cast<double>(x))); }));
  add(to, "tanhf", F([](float x) { return static_cast<float>(std::tanh(static_cast<double>(x))); }));
  add(to, "fmin", D2(least<double>)), add(to, "fmax", D2(greatest<double>));
  add(to, "fminf", F2(least<float>)), add(to, "fmaxf", F2(greatest<float>));
  add(to, "sqrt", D(std::sqrt)), add(to, "sqrtf", F(std::sqrt));
  add(to, "fabs", D(std::fabs)), add(to, "fabsf", F(std::fabs));
  add(to, "floor", D(std::floor)), add(to, "floorf", F(std::floor));
  add(to, "ceil", D(std::ceil)), add(to, "ceilf", F(std::ceil));
  add(to, "trunc", D(std::trunc)), add(to, "truncf", F(std::trunc));
  add(to, "round", D(std::round)), add(to, "roundf", F(std::round));
  using L = long (*)(double);
  using LF = long (*)(float);
  add(to, "lround", L(std::lround)), add(to, "lroundf", LF(std::lround));
  add(to, "lrint", L(std::lrint)), add(to, "lrintf", LF(std::lrint));
  add(to, "rint", D(std::rint)), add(to, "rintf", F(std::rint));
  add(to, "nearbyint", D(std::nearbyint)), add(to, "nearbyintf", F(std::nearbyint));
  add(to, "fmod", D2(std::fmod)), add(to, "fmodf", F2(std::fmod));
  add(to, "pow", D2(power));
  add(to, "powf",
      F2([](float x, float y) { return static_cast<float>(power(static_cast<double>(x), static_cast<double>(y))); }));
  add(to, "sin", D(std::sin)), add(to, "sinf", F(std::sin));
  add(to, "cos", D(std::cos)), add(to, "cosf", F(std::cos));
  add(to, "sincos", bothOf<double>), add(to, "sincosf", bothOf<float>);
  add(to, "exp2", D(std::exp2)), add(to, "exp2f", F(std::exp2));
  add(to, "log2", D(std::log2)), add(to, "log2f", F(std::log2));
  add(to, "erf", D(std::erf)), add(to, "erff", F(std::erf));
  add(to, "log10", D(std::log10)), add(to, "expm1", D(std::expm1)), add(to, "log1p", D(std::log1p));
  add(to, "roundeven", D(std::nearbyint)), add(to, "roundevenf", F(std::nearbyint));  // as the process rounds
  add(to, "copysign", D2(std::copysign)), add(to, "copysignf", F2(std::copysign));
  using D3 = double (*)(double, double, double);
  using F3 = float (*)(float, float, float);
  add(to, "fma", D3(std::fma)), add(to, "fmaf", F3(std::fma));
}

void addMemory(Functions &to) {
  add(to, "memset", std::memset);
  add(to, "memcpy", std::memcpy);
  add(to, "memmove", std::memmove);
  add(to, "memcmp", static_cast<int (*)(const void *, const void *, std::size_t)>(std::memcmp));
  add(to, "malloc", std::malloc);
  add(to, "calloc", std::calloc);
  add(to, "aligned_alloc", std::aligned_alloc);
  add(to, "free", std::free);
  add(to, "abort", std::abort);
}

void addChecks(Functions &to) {
  add(to, "__ubsan_handle_divrem_overflow_abort", onUndefined<Undefined::kDivision>);
  add(to, "__ubsan_handle_shift_out_of_bounds_abort", onUndefined<Undefined::kShift>);
  add(to, "__ubsan_handle_float_cast_overflow_abort", onUndefined<Undefined::kConversion>);
  add(to, "__ubsan_handle_out_of_bounds_abort", onUndefined<Undefined::kIndex>);
  add(to, "pimento_undefined", onUndefinedMlir);
}

Functions allFunctions() {
  Functions all;
  addMath(all);
  addMemory(all);
  addChecks(all);
  for (const auto &[name, function] : definedFunctions()) all.emplace_back(definedName(name), function);
  add(all, "__truncsfhf2", narrowed<DType::kF16, float>);
  add(all, "__truncdfhf2", narrowed<DType::kF16, double>);
  add(all, "__truncsfbf2", narrowed<DType::kBF16, float>);
  add(all, "__truncdfbf2", narrowed<DType::kBF16, double>);
  add(all, "__extendhfsf2", fromHalf);
  return all;
}

}  // namespace

const std::vector<std::pair<std::string, void *>> &libraryFunctions() {
  static const Functions all = allFunctions();
  return all;
}

}  // namespace pimento::frontend
