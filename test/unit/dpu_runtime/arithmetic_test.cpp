// Integer routines of the run-time library give what the host computes.
#include <functional>

#include "test/unit/dpu_runtime/run.h"

namespace pimento::test {
namespace {

std::uint64_t operand(Rng &rng, unsigned bits) {
  const std::uint64_t mask = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  switch (rng.below(8)) {
    case 0: {
      const std::uint64_t edges[] = {0, 1, 2, 3, mask, mask - 1, top, top - 1, top + 1, 0xffff, 0x10000, 0xffffffff};
      return edges[rng.below(std::size(edges))] & mask;
    }
    case 1:
      return std::uint64_t{1} << rng.below(bits);
    case 2:
    case 3:
      return (rng.next() & mask) >> rng.below(bits);
    default:
      return rng.next() & mask;
  }
}

struct Routine {
  const char *name;
  unsigned bits;  ///< of operands and result
  std::function<std::uint64_t(std::uint64_t, std::uint64_t)> expected;
  bool divides = false;
};

std::uint64_t sext(std::uint64_t x) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(x)));
}

// Quotient and remainder of two's complement numbers, without the overflow of the most negative by -1.
std::uint64_t quotient(std::uint64_t a, std::uint64_t b) {
  return b == ~std::uint64_t{0}
             ? 0 - a
             : static_cast<std::uint64_t>(static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
}
std::uint64_t remainder(std::uint64_t a, std::uint64_t b) {
  return a - quotient(a, b) * b;
}

std::vector<Routine> routines() {
  using U = std::uint64_t;
  return {
      {"__mulsi3", 32, [](U a, U b) { return a * b; }},
      {"__udivsi3", 32, [](U a, U b) { return a / b; }, true},
      {"__umodsi3", 32, [](U a, U b) { return a % b; }, true},
      {"__divsi3", 32, [](U a, U b) { return quotient(sext(a), sext(b)); }, true},
      {"__modsi3", 32, [](U a, U b) { return remainder(sext(a), sext(b)); }, true},
      {"__muldi3", 64, [](U a, U b) { return a * b; }},
      {"__udivdi3", 64, [](U a, U b) { return a / b; }, true},
      {"__umoddi3", 64, [](U a, U b) { return a % b; }, true},
      {"__divdi3", 64, quotient, true},
      {"__moddi3", 64, remainder, true},
  };
}

std::vector<std::string> namesOf(const std::vector<Routine> &routines) {
  std::vector<std::string> names;
  for (const Routine &r : routines) names.emplace_back(r.name);
  return names;
}

TEST(DpuArithmetic, EqualsTheHosts) {
  const auto all = routines();
  Callee callee(namesOf(all));
  Rng rng(1);
  for (const Routine &r : all) {
    std::vector<Callee::Case> cases(static_cast<std::size_t>(caseCount(10000)));
    Words a(cases.size()), b(cases.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      a[i] = operand(rng, r.bits);
      do b[i] = operand(rng, r.bits);
      while (r.divides && b[i] == 0);
      if (r.bits == 64)
        cases[i] = {a[i], b[i], {}};
      else
        cases[i] = {a[i] << 32 | b[i], 0, {}};
    }
    callee.call(r.name, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::uint64_t got = r.bits == 64 ? cases[i].d0 : cases[i].d0 >> 32;
      const std::uint64_t want = r.bits == 64 ? r.expected(a[i], b[i]) : r.expected(a[i], b[i]) & 0xffffffff;
      ASSERT_EQ(got, want) << r.name << "(" << a[i] << ", " << b[i] << ")";
    }
  }
}

TEST(DpuArithmetic, ShiftsOf64BitsTakeEveryAmount) {
  Callee callee({"__ashldi3", "__lshrdi3", "__ashrdi3"});
  Rng rng(2);
  for (const std::string name : {"__ashldi3", "__lshrdi3", "__ashrdi3"}) {
    std::vector<Callee::Case> cases;
    for (std::uint64_t n = 0; n < 64; ++n)
      for (int i = 0; i < 50; ++i) cases.push_back({operand(rng, 64), n << 32, {}});
    const std::vector<Callee::Case> before = cases;
    callee.call(name, cases);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const std::uint64_t x = before[i].d0, n = before[i].d2 >> 32;
      const std::uint64_t want = name == "__ashldi3"   ? x << n
                                 : name == "__lshrdi3" ? x >> n
                                                       : static_cast<std::uint64_t>(static_cast<std::int64_t>(x) >> n);
      ASSERT_EQ(cases[i].d0, want) << name << "(" << x << ", " << n << ")";
    }
  }
}

TEST(DpuArithmetic, AProductTakesEightSlotsAndOnePerBitOfTheSmallerFactor) {
  Callee callee({"__mulsi3"});
  std::vector<Callee::Case> one(1);
  const std::int64_t withoutCall = callee.call("nothing", one) - 2;  // the call and the return
  const auto slots = [&](std::uint64_t a, std::uint64_t b) {
    one = {{a << 32 | b, 0, {}}};
    return callee.call("__mulsi3", one) - withoutCall;
  };
  EXPECT_EQ(slots(0, 12345), 8);
  EXPECT_EQ(slots(12345, 0), 8);
  for (int k = 0; k < 32; ++k) {
    const std::uint64_t factor = std::uint64_t{1} << k;
    EXPECT_EQ(slots(factor, 0xffffffff), 8 + k);
    EXPECT_EQ(slots(0xffffffff, factor), 8 + k);
    EXPECT_EQ(slots(factor, factor), 8 + k);
    EXPECT_EQ(slots(2 * factor - 1, 0xffffffff), 8 + k);
  }
}

TEST(DpuArithmetic, DivisionByZeroFaults) {
  for (const char *name : {"__udivsi3", "__divsi3", "__umodsi3", "__modsi3", "__udivdi3", "__divdi3", "__umoddi3"}) {
    Callee callee({name});
    for (const std::uint64_t a : {std::uint64_t{0}, std::uint64_t{7} << 32, ~std::uint64_t{0} << 32}) {
      std::vector<Callee::Case> one = {{a, 0, {}}};
      EXPECT_THROW(callee.call(name, one), std::runtime_error) << name;
    }
  }
}

}  // namespace
}  // namespace pimento::test
