#include "pimento/machine/expression.h"

#include <gtest/gtest.h>

#include <map>

namespace pimento::machine {
namespace {

const std::map<std::string, std::int64_t, std::less<>> kNames{
    {"RL", 20}, {"WL", 8}, {"BL", 4}, {"zero", 0}, {"organization.channels", 64}, {"least", INT64_MIN}};

Result<std::int64_t> value(std::string_view text) {
  const auto parsed = Expression::parse(text, {"f.yaml", 3, 10});
  if (!parsed) return parsed.diagnostics();
  return parsed->evaluate(
      [](std::string_view n) {
        const auto it = kNames.find(n);
        return it == kNames.end() ? std::nullopt : std::optional(it->second);
      },
      {"RL", "WL", "BL"});
}

std::int64_t valueOf(std::string_view text) {
  const auto v = value(text);
  EXPECT_TRUE(v.ok()) << text << ": " << v.diagnostics().front().str();
  return v ? *v : -999;
}

TEST(Expression, ProductsBindTighterThanSums) {
  EXPECT_EQ(valueOf("RL + BL/2 - WL"), 14);
  EXPECT_EQ(valueOf("2 + 3 * 4"), 14);
  EXPECT_EQ(valueOf("(2 + 3) * 4"), 20);
}

TEST(Expression, OperatorsOfOneRankGroupFromTheLeft) {
  EXPECT_EQ(valueOf("20 - 8 - 4"), 8);
  EXPECT_EQ(valueOf("64 / 4 / 2"), 8);
  EXPECT_EQ(valueOf("7 / 2 * 2"), 6);
}

TEST(Expression, DivisionRoundsTowardsZero) {
  EXPECT_EQ(valueOf("7/2"), 3);
}

TEST(Expression, MaximumAndMinimumTakeAnyNumberOfArguments) {
  EXPECT_EQ(valueOf("max(WL, BL, RL)"), 20);
  EXPECT_EQ(valueOf("min(WL, BL, RL)"), 4);
  EXPECT_EQ(valueOf("max(3)"), 3);
  EXPECT_EQ(valueOf("BL/2 + max(5, BL) - BL"), 3);
}

TEST(Expression, NamesMayHoldDots) {
  EXPECT_EQ(valueOf("organization.channels / 16"), 4);
}

TEST(Expression, MinusSignsStack) {
  EXPECT_EQ(valueOf("--3 - -2"), 5);
}

TEST(Expression, IntegersMayBeHexadecimal) {
  EXPECT_EQ(valueOf("0x10 + 1"), 17);
}

TEST(Expression, MistakesPointAtTheirColumn) {
  const auto v = value("RL + + WL * )");
  ASSERT_FALSE(v);
  EXPECT_EQ(v.diagnostics().front().code, "bad-formula");
  EXPECT_EQ(v.diagnostics().front().where.str(), "f.yaml:3:15");
  EXPECT_FALSE(v.diagnostics().front().hint.empty());
}

TEST(Expression, BrokenFormulasAreRefused) {
  for (const char *text :
       {"", "RL +", "(RL", "RL)", "max(RL", "max(", "2x", "RL WL", "RL $ 2", "99999999999999999999", "a..b + "}) {
    const auto v = value(text);
    ASSERT_FALSE(v) << text;
    EXPECT_EQ(v.diagnostics().front().code, "bad-formula") << text;
  }
}

TEST(Expression, AnUnknownNameSuggestsTheNearest) {
  const auto v = value("RLL + 1");
  ASSERT_FALSE(v);
  EXPECT_EQ(v.diagnostics().front().code, "unknown-name");
  EXPECT_NE(v.diagnostics().front().hint.find("did you mean 'RL'"), std::string::npos);
}

TEST(Expression, ArithmeticIsChecked) {
  for (const char *text : {"1 / zero", "9223372036854775807 + 1", "least - 1", "least * 2", "-least", "least / -1"}) {
    const auto v = value(text);
    ASSERT_FALSE(v) << text;
    EXPECT_EQ(v.diagnostics().front().code, "bad-formula") << text;
  }
}

TEST(Expression, DeepNestingIsRefusedNotFollowed) {
  EXPECT_FALSE(value(std::string(100000, '(') + "1" + std::string(100000, ')')));
  EXPECT_FALSE(value(std::string(100000, '-') + "1"));
  EXPECT_EQ(valueOf(std::string(40, '(') + "1" + std::string(40, ')')), 1);
}

TEST(Expression, OnlySumsAndProductsAreMonotone) {
  EXPECT_TRUE(Expression::parse("8 * (a + b)", {})->isMonotone());
  for (const char *text : {"a - b", "-a", "a / 2"}) EXPECT_FALSE(Expression::parse(text, {})->isMonotone()) << text;
}

TEST(RealExpression, ReadsWhatMachineFilesSayAndMore) {
  const auto f = Expression::parseReal("BL/2 + max(tRTPL, tCCDL) - tCCDL");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->operands(), (std::vector<std::string>{"BL", "tRTPL", "tCCDL"}));
  const std::vector<std::int64_t> v = {4, 5, 4};
  EXPECT_EQ(f->evaluateInteger(v), 3);
  EXPECT_EQ(f->substitute({"4", "5", "4"}), "4/2 + max(5, 4) - 4");
  const auto g = Expression::parseReal("ceil(a.b / 2e1 - 1e-9) * -1");
  ASSERT_TRUE(g);
  EXPECT_EQ(g->evaluateReal(std::vector<double>{41}), -3);
  EXPECT_FALSE(g->evaluateInteger(std::vector<std::int64_t>{41}));
}

TEST(RealExpression, RefusesWhatIsNone) {
  for (const char *text : {"", "a +", "(a", "a b", "2x", "f(a)", "ceil(a, b)", "max()", "a ** b", "+"})
    EXPECT_FALSE(Expression::parseReal(text)) << text;
  EXPECT_FALSE(Expression::parseReal(std::string(1000, '(') + "1" + std::string(1000, ')')));
}

TEST(RealExpression, IntegersThatDoNotFitHaveNoValue) {
  const auto f = Expression::parseReal("a * a / (a - a)");
  ASSERT_TRUE(f);
  EXPECT_FALSE(f->evaluateInteger(std::vector<std::int64_t>{std::int64_t{1} << 40}));
  EXPECT_FALSE(f->evaluateInteger(std::vector<std::int64_t>{2}));
}

}  // namespace
}  // namespace pimento::machine
