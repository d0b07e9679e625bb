#include "pimento/targets/c_text/helpers.h"

#include <fmt/format.h>

#include <bit>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>

#include "pimento/kernel/scalar.h"

namespace pimento::targets::c_text {

using kernel::Combine;
using kernel::Op;

namespace {

bool isSmall(DType t) {
  return isFloat(t) && sizeOf(t).value < 4;
}
std::int64_t width(DType t) {
  return 8 * sizeOf(t).value;
}
/// C's operator between two arguments.
std::string_view signOf(Op op) {
  static const std::map<Op, std::string_view> kSigns = {
      {Op::kAdd, "+"},   {Op::kSub, "-"},    {Op::kMul, "*"},   {Op::kDiv, "/"},    {Op::kRem, "%"},
      {Op::kAnd, "&"},   {Op::kOr, "|"},     {Op::kXor, "^"},   {Op::kCmpEq, "=="}, {Op::kCmpNe, "!="},
      {Op::kCmpLt, "<"}, {Op::kCmpLe, "<="}, {Op::kCmpGt, ">"}, {Op::kCmpGe, ">="}};
  return kSigns.at(op);
}

/// "f" or "d": which of the two floating types a value is computed in.
const char *lane(DType t) {
  return t == DType::kF64 ? "d" : "f";
}

}  // namespace

std::string valueType(DType t) {
  if (t == DType::kF64) return "double";
  if (isFloat(t)) return "float";
  return fmt::format("{}int{}_t", isSigned(t) ? "" : "u", width(t));
}

std::string memoryType(DType t) {
  return isSmall(t) ? unsignedType(t) : valueType(t);
}

std::string unsignedType(DType t) {
  return fmt::format("uint{}_t", width(t));
}

std::string literal(DType t, double real, std::int64_t integer) {
  if (isFloat(t)) {
    const double x = decodeFloat(t, encodeFloat(t, real));
    const char *suffix = t == DType::kF64 ? "" : "f";
    if (std::isnan(x)) return fmt::format("__builtin_nan{}(\"\")", suffix);
    if (std::isinf(x)) return fmt::format("{}__builtin_inf{}()", x < 0 ? "-" : "", suffix);
    return fmt::format("{:a}{}", x, suffix);
  }
  const std::int64_t x = wrapInteger(t, integer);
  if (sizeOf(t).value == 8) {
    if (!isSigned(t)) return fmt::format("{}ULL", static_cast<std::uint64_t>(x));
    return x == std::numeric_limits<std::int64_t>::min() ? "(-9223372036854775807LL - 1)" : fmt::format("{}LL", x);
  }
  if (x == std::numeric_limits<std::int32_t>::min()) return "(-2147483647 - 1)";
  return fmt::format("{}{}", x, t == DType::kU32 ? "u" : "");
}

std::string identityOf(Combine c, DType t) {
  return literal(t, kernel::floatIdentity(c), isFloat(t) ? 0 : kernel::integerIdentity(c, t));
}

std::string uniqueName(const std::string &name, std::set<std::string> &taken) {
  std::string clean;
  for (const char c : name) clean += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  std::string unique = clean;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}_{}", clean, n);
  return unique;
}

std::string Helpers::computed(const kernel::Kernel &kernel, const kernel::Value &value) {
  const auto arg = [&](std::size_t i) { return fmt::format("v{}", value.args[i]); };
  switch (value.op) {
    case Op::kConstant:
      return literal(value.type, value.constant, value.integer);
    case Op::kSelect:
      return fmt::format("{} != 0 ? {} : {}", arg(0), arg(1), arg(2));
    case Op::kCast:
      return convert(kernel.body[static_cast<std::size_t>(value.args[0])].type, value.type, arg(0));
    default:
      break;
  }
  const std::string a = arg(0), b = kernel::argumentCount(value.op) > 1 ? arg(1) : "";
  if (std::string simple = ofConstant(kernel, value, a, b); !simple.empty()) return simple;
  const bool isComparison = kernel::isComparison(value.op);
  return operation(value.op, isComparison ? kernel.body[static_cast<std::size_t>(value.args[0])].type : value.type, a,
                   b);
}

/// Shifts and divisions by constants need none of their corners; empty: it is none.
std::string Helpers::ofConstant(const kernel::Kernel &kernel, const kernel::Value &value, const std::string &a,
                                const std::string &b) {
  const bool isShift = value.op == Op::kShl || value.op == Op::kShr,
             isQuotient = value.op == Op::kDiv || value.op == Op::kRem;
  if ((!isShift && !isQuotient) || isFloat(value.type)) return {};
  const kernel::Value &second = kernel.body[static_cast<std::size_t>(value.args[1])];
  const std::int64_t n = second.op == Op::kConstant ? wrapInteger(second.type, second.integer) : -1;
  const std::string type = valueType(value.type);
  if (isShift && n >= 0 && n < width(value.type))
    return value.op == Op::kShr
               ? fmt::format("({})({} >> {})", type, a, b)
               : fmt::format("({})(({}){} << {})", type, width(value.type) == 64 ? "uint64_t" : "uint32_t", a, b);
  if (isQuotient && n > 0) return fmt::format("({})({} {} {})", type, a, signOf(value.op), b);
  return {};
}

std::string Helpers::need(const std::string &name, const std::string &text) {
  if (names_.insert(name).second) text_ += text + "\n";
  return name;
}

std::string Helpers::bits(DType t) {
  const bool isDouble = t == DType::kF64;
  const std::string name = isDouble ? "double_bits" : "float_bits";
  return need(name, fmt::format("static inline {0} {1}({2} x) {{\n  {0} bits;\n  __builtin_memcpy(&bits, &x, sizeof "
                                "bits);\n  return bits;\n}}\n",
                                isDouble ? "uint64_t" : "uint32_t", name, isDouble ? "double" : "float"));
}

std::string Helpers::fromBits(DType t) {
  const bool isDouble = t == DType::kF64;
  const std::string name = isDouble ? "double_of" : "float_of";
  return need(name, fmt::format("static inline {2} {1}({0} bits) {{\n  {2} x;\n  __builtin_memcpy(&x, &bits, sizeof "
                                "x);\n  return x;\n}}\n",
                                isDouble ? "uint64_t" : "uint32_t", name, isDouble ? "double" : "float"));
}

std::string Helpers::fromMemory(DType t, const std::string &x) {
  if (t == DType::kBF16) return fmt::format("{}((uint32_t)({}) << 16)", fromBits(DType::kF32), x);
  if (t != DType::kF16) return x;
  const std::string of = fromBits(DType::kF32);
  need("half_value", fmt::format(R"(static inline float half_value(uint16_t bits) {{
  const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16, a = bits & 0x7fffu;
  if (a >= 0x7c00u) return {0}(sign | ((a << 13) + 0x70000000u));
  if (a >= 0x0400u) return {0}(sign | ((a << 13) + 0x38000000u));
  return {0}(sign | {1}({0}(0x3f000000u + a) - 0.5f));
}}
)",
                                 of, bits(DType::kF32)));
  return fmt::format("half_value({})", x);
}

std::string Helpers::toMemory(DType t, const std::string &x) {
  if (!isSmall(t)) return x;
  const std::string of = bits(DType::kF32), from = fromBits(DType::kF32);
  if (t == DType::kBF16) {
    need("bfloat_code", fmt::format(R"(static inline uint16_t bfloat_code(float x) {{
  const uint32_t u = {}(x);
  if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}}
)",
                                    of));
    return fmt::format("bfloat_code({})", x);
  }
  need("half_code", fmt::format(R"(static inline uint16_t half_code(float x) {{
  const uint32_t u = {0}(x), sign = (u >> 16) & 0x8000u, a = u & 0x7fffffffu;
  if (a > 0x7f800000u) return 0x7e00u;
  if (a >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
  if (a >= 0x38800000u) return (uint16_t)(sign | ((a - 0x38000000u + 0xfffu + ((a >> 13) & 1u)) >> 13));
  return (uint16_t)(sign | ({0}({1}(a) + 0.5f) - 0x3f000000u));
}}
)",
                                of, from));
  return fmt::format("half_code({})", x);
}

std::string Helpers::fromWord(DType t, const std::string &x) {
  return t == DType::kF32 ? fmt::format("{}({})", fromBits(t), x) : fmt::format("({}){}", valueType(t), x);
}

std::string Helpers::toWord(DType t, const std::string &x) {
  return t == DType::kF32 ? fmt::format("{}({})", bits(t), x) : fmt::format("(uint32_t){}", x);
}

std::string Helpers::rounded(DType t, const std::string &x) {
  return isSmall(t) ? fromMemory(t, toMemory(t, x)) : x;
}

std::string Helpers::operation(Op op, DType t, const std::string &a, const std::string &b) {
  if (kernel::isComparison(op)) return fmt::format("{} {} {}", a, signOf(op), b);
  return isFloat(t) ? floatOperation(op, t, a, b) : integerOperation(op, t, a, b);
}

std::string Helpers::integerOperation(Op op, DType t, const std::string &a, const std::string &b) {
  const std::string type = valueType(t), wide = width(t) == 64 ? "uint64_t" : "uint32_t";
  const std::string suffix(pimento::name(t));
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
      return fmt::format("({0})(({1}){2} {3} ({1}){4})", type, wide, a, signOf(op), b);
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
      return fmt::format("({})({} {} {})", type, a, signOf(op), b);
    case Op::kMin:
      return fmt::format("({1} < {0} ? {1} : {0})", a, b);
    case Op::kMax:
      return fmt::format("({0} < {1} ? {1} : {0})", a, b);
    case Op::kNeg:
      return fmt::format("({})(0 - ({}){})", type, wide, a);
    case Op::kAbs:
      return isSigned(t) ? fmt::format("({0} < 0 ? ({1})(0 - ({2}){0}) : {0})", a, type, wide) : a;
    case Op::kRelu:
      return isSigned(t) ? fmt::format("({0} < 0 ? 0 : {0})", a) : a;
    case Op::kDiv:
    case Op::kRem: {
      const bool isDiv = op == Op::kDiv;
      const std::string name = fmt::format("{}_{}", isDiv ? "quotient" : "remainder", suffix);
      const std::string corner = !isSigned(t) ? ""
                                 : isDiv      ? fmt::format("  if (b == -1) return ({})(0 - ({})a);\n", type, wide)
                                              : "  if (b == -1) return 0;\n";
      need(name, fmt::format("static inline {0} {1}({0} a, {0} b) {{\n  if (b == 0) return 0;\n{2}  return ({0})(a {3} "
                             "b);\n}}\n",
                             type, name, corner, signOf(op)));
      return fmt::format("{}({}, {})", name, a, b);
    }
    case Op::kShl:
    case Op::kShr: {
      const bool isLeft = op == Op::kShl;
      const std::string name = fmt::format("shift_{}_{}", isLeft ? "left" : "right", suffix);
      const std::string over = !isLeft && isSigned(t) ? "a < 0 ? -1 : 0" : "0";
      const std::string result =
          isLeft ? fmt::format("({})(({})a << b)", type, wide) : fmt::format("({})(a >> b)", type);
      need(name, fmt::format("static inline {0} {1}({0} a, {0} b) {{\n  return ({2})b >= {3} ? {4} : {5};\n}}\n", type,
                             name, unsignedType(t), width(t), fmt::format("({})({})", type, over), result));
      return fmt::format("{}({}, {})", name, a, b);
    }
    default:
      PIMENTO_CHECK(false && "an integer operation");
      return {};
  }
}

std::string Helpers::floatOperation(Op op, DType t, const std::string &a, const std::string &b) {
  const std::string type = valueType(t);
  const char *l = lane(t);
  const auto named = [&](const std::string &name, const std::string &text) {
    return need(fmt::format("{}_{}", name, l), text);
  };
  switch (op) {
    case Op::kAdd:
    case Op::kSub:
    case Op::kMul:
    case Op::kDiv:
      return rounded(t, fmt::format("{} {} {}", a, signOf(op), b));
    case Op::kNeg:
      return fmt::format("-{}", a);
    case Op::kMin:
    case Op::kMax: {
      const bool isMin = op == Op::kMin;
      const std::string name = isMin ? "least" : "most", of = bits(t);
      named(name,
            fmt::format("static inline {0} {1}_{2}({0} a, {0} b) {{\n  if (a != a) return b;\n  if (b != b) return "
                        "a;\n  if (a == b) return {3}(a) >> {4} ? {5} : {6};\n  return a < b ? {7} : {8};\n}}\n",
                        type, name, l, of, t == DType::kF64 ? 63 : 31, isMin ? "a" : "b", isMin ? "b" : "a",
                        isMin ? "a" : "b", isMin ? "b" : "a"));
      return fmt::format("{}_{}({}, {})", name, l, a, b);
    }
    case Op::kAbs: {
      const std::string mask = t == DType::kF64 ? "0x7fffffffffffffffULL" : "0x7fffffffu";
      return fmt::format("{}({}({}) & {})", fromBits(t), bits(t), a, mask);
    }
    case Op::kRelu:
      return fmt::format("({}({}) >> {} ? 0 : {})", bits(t), a, t == DType::kF64 ? 63 : 31, a);
    default: {
      const std::string name = library(op, t);
      // In double and rounded once, as kernel.h wants it.
      if (op == Op::kExp || op == Op::kLog || op == Op::kTanh)
        return convert(DType::kF64, t, fmt::format("{}({})", name, a));
      return rounded(t, op == Op::kRem ? fmt::format("{}({}, {})", name, a, b) : fmt::format("{}({})", name, a));
    }
  }
}

std::string Helpers::convert(DType from, DType to, const std::string &x) {
  if (from == to) return x;
  if (!isFloat(to)) {
    if (!isFloat(from)) return fmt::format("({}){}", valueType(to), x);
    const char *l = lane(from);
    const bool isU64 = to == DType::kU64;
    const std::string name = fmt::format("{}_from_{}", isU64 ? "u64" : "i64", l);
    const char *s = from == DType::kF64 ? "" : "f";
    const std::string high = isU64 ? fmt::format(
                                         "  if (x >= 0x1p64{0}) return ~0ULL;\n  if (x >= 0x1p63{0}) return "
                                         "(uint64_t)x;\n",
                                         s)
                                   : fmt::format("  if (x >= 0x1p63{}) return 0x7fffffffffffffffLL;\n", s);
    need(name, fmt::format("static inline {0} {1}({2} x) {{\n  if (x != x) return 0;\n{3}  if (x < -0x1p63{4}) return "
                           "({0})0x8000000000000000ULL;\n  return ({0})(int64_t)x;\n}}\n",
                           isU64 ? "uint64_t" : "int64_t", name, valueType(from), high, s));
    return fmt::format("({}){}({})", valueType(to), name, x);
  }
  if (isSmall(to) && from == DType::kF64) {  // rounded to odd, so that the second rounding is the only one that counts
    const std::string of = bits(DType::kF64), odd = bits(DType::kF32), from32 = fromBits(DType::kF32);
    need("odd_float", fmt::format(R"(static inline float odd_float(double x) {{
  const float near = (float)x;
  const double back = near;
  uint32_t u = {0}(near);
  if (x != x || back == x || (u & 1u)) return near;
  const double magnitude = x < 0 ? -x : x, size = back < 0 ? -back : back;
  u += size > magnitude ? -1u : 1u;
  return {1}(u);
}}
)",
                                  odd, from32));
    return rounded(to, fmt::format("odd_float({})", x));
  }
  if (isSmall(to) && !isFloat(from) && sizeOf(from).value >= 4) {
    need("odd_integer", fmt::format(R"(static inline float odd_integer(uint64_t magnitude, int is_negative) {{
  uint32_t lost = 0;
  while (magnitude >> 24) {{
    lost += 1;
    magnitude = (magnitude >> 1) | (magnitude & 1);
  }}
  float x = (float)(uint32_t)magnitude;
  for (; lost > 0; --lost) x = x + x;
  return is_negative ? -x : x;
}}
)"));
    return rounded(to, isSigned(from)
                           ? fmt::format("odd_integer({0} < 0 ? 0 - (uint64_t){0} : (uint64_t){0}, {0} < 0)", x)
                           : fmt::format("odd_integer({}, 0)", x));
  }
  return rounded(to, fmt::format("({}){}", valueType(to), x));
}

std::string Helpers::library(Op op, DType t) {
  needsMath_ = true;
  switch (op) {
    case Op::kExp:
    case Op::kLog:
    case Op::kTanh:
      return std::string(name(op));
    case Op::kSqrt:
      return t == DType::kF64 ? "sqrt" : "sqrtf";
    case Op::kRem:
      return t == DType::kF64 ? "fmod" : "fmodf";
    default:
      PIMENTO_CHECK(false && "a library function");
      return {};
  }
}

std::string Helpers::call(const std::string &name) {
  if (name == "fetch")
    return need(name, R"(/// Copies any number of whole transfers to WRAM.
static inline void fetch(const __mram_ptr uint8_t *from, uint8_t *to, uint32_t bytes) {
#pragma nounroll
  for (; bytes > 2048; bytes -= 2048, from += 2048, to += 2048) mram_read(from, to, 2048);
  mram_read(from, to, bytes);
}
)");
  PIMENTO_CHECK(name == "put");
  return need(name, R"(/// Copies any number of whole transfers to MRAM.
static inline void put(const uint8_t *from, __mram_ptr uint8_t *to, uint32_t bytes) {
#pragma nounroll
  for (; bytes > 2048; bytes -= 2048, from += 2048, to += 2048) mram_write(from, to, 2048);
  mram_write(from, to, bytes);
}
)");
}

}  // namespace pimento::targets::c_text
