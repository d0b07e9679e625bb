// Soft float and double give what IEEE 754 arithmetic on the host gives, bit for bit; every NaN is the positive quiet
// one.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

float f(U64 bits) {
  return std::bit_cast<float>(static_cast<U32>(bits));
}
double d(U64 bits) {
  return std::bit_cast<double>(bits);
}
U64 bits(float x) {
  return std::bit_cast<U32>(x);
}
U64 bits(double x) {
  return std::bit_cast<U64>(x);
}

// Numbers of a binary format that tell right from wrong: edges, neighbours of powers of two, subnormals, all bits.
U64 number(Rng &rng, unsigned exponentBits, unsigned fractionBits) {
  const U64 sign = U64{rng.below(2)} << (exponentBits + fractionBits);
  const U64 top = (U64{1} << exponentBits) - 1, bias = top / 2, fractions = (U64{1} << fractionBits) - 1;
  const auto make = [&](U64 exponent, U64 fraction) {
    return sign | exponent << fractionBits | (fraction & fractions);
  };
  switch (rng.below(10)) {
    case 0: {
      const U64 exponents[] = {0,         1,         2,         bias - 1,  bias,    bias + 1,
                               bias + 31, bias + 32, bias + 63, bias + 64, top - 1, top};
      const U64 edges[] = {0, 1, 2, fractions, fractions - 1, (fractions >> 1) + 1};
      return make(exponents[rng.below(std::size(exponents))], edges[rng.below(std::size(edges))]);
    }
    case 1:
    case 2:
      return make(bias - 18 + rng.below(36), rng.next());
    case 3:
      return make(rng.below(4), (rng.next() & fractions) >> rng.below(fractionBits + 1));
    case 4:
      return make(top - rng.below(6), rng.next());
    case 5:
      return make(bias - 6 + rng.below(12), (rng.below(2) ? fractions : 0) ^ U64{1} << rng.below(fractionBits));
    case 6:
      return make(bias - 160 * (exponentBits > 8) + rng.below(exponentBits > 8 ? 320 : 40),
                  rng.next() & (fractions << (fractionBits / 2)));
    default:
      return sign | (rng.next() & ((U64{1} << (exponentBits + fractionBits)) - 1));
  }
}

U64 floatNumber(Rng &rng) {
  return number(rng, 8, 23);
}
U64 doubleNumber(Rng &rng) {
  return number(rng, 11, 52);
}
U64 integerNumber(Rng &rng) {
  const U64 x = rng.below(4) == 0 ? (U64{1} << rng.below(64)) + (U64{1} << rng.below(64)) + rng.below(3) - 1
                                  : rng.next() >> rng.below(64);
  return rng.below(2) ? x : 0 - x;
}

U64 order(auto x, auto y, U64 unordered) {
  return (x < y ? ~U64{0} : x == y ? 0 : x > y ? 1 : unordered) & 0xffffffff;
}

// What does not fit becomes the nearest that does; a NaN becomes 0.
template <typename Int>
U64 toInteger(double x) {
  const double low = static_cast<double>(std::numeric_limits<Int>::min());
  const double beyond = std::ldexp(1.0, std::numeric_limits<Int>::digits);
  if (std::isnan(x)) return 0;
  if (x >= beyond) return static_cast<U64>(std::numeric_limits<Int>::max());
  if (x <= low) return static_cast<U64>(std::numeric_limits<Int>::min());
  return static_cast<U64>(static_cast<Int>(x));
}

enum class Kind { kFloat, kDouble, kInt, kLong };

struct Routine {
  const char *name;
  Kind operands, result;
  std::function<U64(U64, U64)> expected;
};

std::vector<Routine> arithmetic() {
  using enum Kind;
  return {
      {"__addsf3", kFloat, kFloat, [](U64 a, U64 b) { return bits(f(a) + f(b)); }},
      {"__subsf3", kFloat, kFloat, [](U64 a, U64 b) { return bits(f(a) - f(b)); }},
      {"__mulsf3", kFloat, kFloat, [](U64 a, U64 b) { return bits(f(a) * f(b)); }},
      {"__divsf3", kFloat, kFloat, [](U64 a, U64 b) { return bits(f(a) / f(b)); }},
      {"__negsf2", kFloat, kInt, [](U64 a, U64) { return a ^ 0x80000000; }},
      {"__adddf3", kDouble, kDouble, [](U64 a, U64 b) { return bits(d(a) + d(b)); }},
      {"__subdf3", kDouble, kDouble, [](U64 a, U64 b) { return bits(d(a) - d(b)); }},
      {"__muldf3", kDouble, kDouble, [](U64 a, U64 b) { return bits(d(a) * d(b)); }},
      {"__divdf3", kDouble, kDouble, [](U64 a, U64 b) { return bits(d(a) / d(b)); }},
      {"__negdf2", kDouble, kLong, [](U64 a, U64) { return a ^ U64 { 1 } << 63; }},
  };
}

std::vector<Routine> comparisons() {
  using enum Kind;
  std::vector<Routine> all;
  for (const char *name : {"__eqsf2", "__nesf2", "__ltsf2", "__lesf2"})
    all.push_back({name, kFloat, kInt, [](U64 a, U64 b) { return order(f(a), f(b), 1); }});
  for (const char *name : {"__gtsf2", "__gesf2"})
    all.push_back({name, kFloat, kInt, [](U64 a, U64 b) { return order(f(a), f(b), ~U64{0}); }});
  for (const char *name : {"__eqdf2", "__nedf2", "__ltdf2", "__ledf2"})
    all.push_back({name, kDouble, kInt, [](U64 a, U64 b) { return order(d(a), d(b), 1); }});
  for (const char *name : {"__gtdf2", "__gedf2"})
    all.push_back({name, kDouble, kInt, [](U64 a, U64 b) { return order(d(a), d(b), ~U64{0}); }});
  all.push_back({"__unordsf2", kFloat, kInt, [](U64 a, U64 b) { return U64{std::isunordered(f(a), f(b))}; }});
  all.push_back({"__unorddf2", kDouble, kInt, [](U64 a, U64 b) { return U64{std::isunordered(d(a), d(b))}; }});
  return all;
}

std::vector<Routine> conversions() {
  using enum Kind;
  using I32 = std::int32_t;
  using I64 = std::int64_t;
  return {
      {"__extendsfdf2", kFloat, kDouble, [](U64 a, U64) { return bits(static_cast<double>(f(a))); }},
      {"__truncdfsf2", kDouble, kFloat, [](U64 a, U64) { return bits(static_cast<float>(d(a))); }},
      {"__fixsfsi", kFloat, kInt, [](U64 a, U64) { return toInteger<I32>(f(a)); }},
      {"__fixunssfsi", kFloat, kInt, [](U64 a, U64) { return toInteger<U32>(f(a)); }},
      {"__fixsfdi", kFloat, kLong, [](U64 a, U64) { return toInteger<I64>(f(a)); }},
      {"__fixunssfdi", kFloat, kLong, [](U64 a, U64) { return toInteger<U64>(f(a)); }},
      {"__fixdfsi", kDouble, kInt, [](U64 a, U64) { return toInteger<I32>(d(a)); }},
      {"__fixunsdfsi", kDouble, kInt, [](U64 a, U64) { return toInteger<U32>(d(a)); }},
      {"__fixdfdi", kDouble, kLong, [](U64 a, U64) { return toInteger<I64>(d(a)); }},
      {"__fixunsdfdi", kDouble, kLong, [](U64 a, U64) { return toInteger<U64>(d(a)); }},
      {"__floatsisf", kInt, kFloat, [](U64 a, U64) { return bits(static_cast<float>(static_cast<I32>(a))); }},
      {"__floatunsisf", kInt, kFloat, [](U64 a, U64) { return bits(static_cast<float>(static_cast<U32>(a))); }},
      {"__floatdisf", kLong, kFloat, [](U64 a, U64) { return bits(static_cast<float>(static_cast<I64>(a))); }},
      {"__floatundisf", kLong, kFloat, [](U64 a, U64) { return bits(static_cast<float>(a)); }},
      {"__floatsidf", kInt, kDouble, [](U64 a, U64) { return bits(static_cast<double>(static_cast<I32>(a))); }},
      {"__floatunsidf", kInt, kDouble, [](U64 a, U64) { return bits(static_cast<double>(static_cast<U32>(a))); }},
      {"__floatdidf", kLong, kDouble, [](U64 a, U64) { return bits(static_cast<double>(static_cast<I64>(a))); }},
      {"__floatundidf", kLong, kDouble, [](U64 a, U64) { return bits(static_cast<double>(a)); }},
  };
}

bool isWide(Kind kind) {
  return kind == Kind::kDouble || kind == Kind::kLong;
}

U64 operand(Rng &rng, Kind kind) {
  switch (kind) {
    case Kind::kFloat:
      return floatNumber(rng);
    case Kind::kDouble:
      return doubleNumber(rng);
    case Kind::kInt:
      return integerNumber(rng) & 0xffffffff;
    case Kind::kLong:
      return integerNumber(rng);
  }
  return 0;
}

struct Format {
  unsigned exponentBits, fractionBits;

  U64 top() const { return (U64{1} << exponentBits) - 1; }
  std::int64_t bias() const { return static_cast<std::int64_t>(top() / 2); }
  U64 fractions() const { return (U64{1} << fractionBits) - 1; }
  U64 make(U64 sign, U64 exponent, U64 fraction) const {
    return sign << (exponentBits + fractionBits) | exponent << fractionBits | fraction;
  }
};

Format formatOf(Kind kind) {
  return kind == Kind::kFloat ? Format{8, 23} : Format{11, 52};
}

// A second operand that stands to the first as roundings are decided: a sum at a tie or one step from it, a product or
// a quotient at either end of the exponents.
U64 counterpart(Rng &rng, Format format, U64 a) {
  const auto exponentOf = [&](U64 x) { return static_cast<std::int64_t>((x >> format.fractionBits) & format.top()); };
  const std::int64_t bits = format.fractionBits, top = static_cast<std::int64_t>(format.top());
  std::int64_t exponent = exponentOf(a);
  U64 fraction = rng.next() & (format.fractions() << rng.below(format.fractionBits + 1)) & format.fractions();
  switch (rng.below(4)) {
    case 0: {
      const U64 ties[] = {0, 1, format.fractions(), (format.fractions() >> 1) + 1, fraction};
      fraction = ties[rng.below(std::size(ties))];
      exponent -= bits - 1 + rng.integer(0, 3);
      break;
    }
    case 1:
      exponent = format.bias() + rng.integer(-bits - 3, 3) - exponent;  // the product is subnormal or nearly
      break;
    case 2:
      exponent -= rng.integer(-bits - 3, 3) - format.bias();  // so is the quotient
      break;
    default: {
      const std::int64_t result = top - rng.integer(0, 3);
      exponent = rng.below(2) ? result + format.bias() - exponent : exponent + format.bias() - result;
    }
  }
  return format.make(rng.below(2), static_cast<U64>(std::clamp(exponent, std::int64_t{0}, top)), fraction);
}

// The second operand is often close to the first, so that differences cancel.
U64 partner(Rng &rng, Kind kind, U64 a) {
  switch (rng.below(8)) {
    case 0: {
      const U64 b = a + rng.below(7) - 3;
      return isWide(kind) ? b ^ rng.below(2) << 63 : (b ^ rng.below(2) << 31) & 0xffffffff;
    }
    case 1:
    case 2:
      if (kind == Kind::kFloat || kind == Kind::kDouble) return counterpart(rng, formatOf(kind), a);
      [[fallthrough]];
    default:
      return operand(rng, kind);
  }
}

// What tells most about a format: both ends and the middle of exponents and of fractions, with either sign.
Words corners(Format format) {
  const U64 bias = format.top() / 2, bits = format.fractionBits;
  const U64 exponents[] = {0,
                           1,
                           2,
                           bits,
                           bits + 1,
                           bias - bits - 1,
                           bias - 1,
                           bias,
                           bias + 1,
                           bias + bits,
                           bias + bits + 1,
                           format.top() - 2,
                           format.top() - 1,
                           format.top()};
  const U64 fractions[] = {0, 1, (format.fractions() >> 1) + 1, format.fractions() - 1, format.fractions()};
  Words all;
  for (const U64 sign : {0, 1})
    for (const U64 exponent : exponents)
      for (const U64 fraction : fractions) all.push_back(format.make(sign, exponent, fraction));
  return all;
}

// x86's own NaN is negative, and the payload of a result is nobody's promise: here there is one NaN.
U64 withOneNan(Kind kind, U64 value) {
  if (kind == Kind::kFloat && std::isnan(f(value))) return 0x7fc00000;
  if (kind == Kind::kDouble && std::isnan(d(value))) return U64{0x7ff80000} << 32;
  return value;
}

void checkOn(Callee &callee, const Routine &r, const Words &a, const Words &b) {
  const bool isWideIn = isWide(r.operands), isWideOut = isWide(r.result);
  std::vector<Callee::Case> cases(a.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (isWideIn)
      cases[i] = {a[i], b[i], {}};
    else
      cases[i] = {a[i] << 32 | b[i], 0, {}};
  }
  callee.call(r.name, cases);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const U64 got = isWideOut ? cases[i].d0 : cases[i].d0 >> 32;
    const U64 want = withOneNan(r.result, isWideOut ? r.expected(a[i], b[i]) : r.expected(a[i], b[i]) & 0xffffffff);
    ASSERT_EQ(got, want) << std::hex << r.name << "(0x" << a[i] << ", 0x" << b[i] << ") = 0x" << got << ", not 0x"
                         << want;
  }
}

Callee calleeOf(const std::vector<Routine> &routines) {
  std::vector<std::string> names;
  for (const Routine &r : routines) names.emplace_back(r.name);
  return Callee(names);
}

void check(const std::vector<Routine> &routines, std::uint64_t seed) {
  Callee callee = calleeOf(routines);
  Rng rng(seed);
  for (const Routine &r : routines) {
    Words a(static_cast<std::size_t>(caseCount(10000))), b(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = operand(rng, r.operands);
      b[i] = partner(rng, r.operands, a[i]);
    }
    checkOn(callee, r, a, b);
  }
}

void checkCorners(const std::vector<Routine> &routines) {
  Callee callee = calleeOf(routines);
  for (const Routine &r : routines) {
    Words a, b;
    for (const U64 x : corners(formatOf(r.operands)))
      for (const U64 y : corners(formatOf(r.operands))) {
        a.push_back(x);
        b.push_back(y);
      }
    checkOn(callee, r, a, b);
  }
}

TEST(SoftFloat, ArithmeticEqualsTheHosts) {
  check(arithmetic(), 1);
}
TEST(SoftFloat, ComparisonsEqualTheHosts) {
  check(comparisons(), 2);
}
TEST(SoftFloat, ArithmeticEqualsTheHostsOnEveryPairOfCorners) {
  checkCorners(arithmetic());
}
TEST(SoftFloat, ComparisonsEqualTheHostsOnEveryPairOfCorners) {
  checkCorners(comparisons());
}
TEST(SoftFloat, ConversionsEqualTheHostsAndSaturate) {
  check(conversions(), 3);
}

}  // namespace
}  // namespace pimento::test
