#include <gtest/gtest.h>

#include <string>

#include "pimento/mapping/cnm.h"

namespace pimento::mapping {
namespace {

struct Broken {
  std::string statements, code;  ///< of the kernel below
  int line, column;
  std::string message, hint;  ///< parts of them
};

/// Line 7 is the first of `statements`.
std::string kernelWith(const std::string &statements) {
  return "cnm t\n"
         "target three rank dpu tasklet\n"
         "operand A f16[8,4] input\n"
         "operand y f16[8] output\n"
         "kernel k {\n"
         "  induction i 8 parallel\n" +
         statements;
}

std::string repeated(const std::string &part, std::size_t n) {
  std::string s;
  for (std::size_t i = 0; i < n; ++i) s += part;
  return s;
}

void expectFirst(const Result<CnmModule> &module, const Broken &broken) {
  ASSERT_FALSE(module);
  const Diagnostic &d = module.diagnostics().front();
  EXPECT_EQ(d.code, broken.code) << d.str();
  EXPECT_EQ(d.where.str(), "t.cnm:" + std::to_string(broken.line) + ":" + std::to_string(broken.column)) << d.str();
  EXPECT_NE(d.message.find(broken.message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(broken.hint), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty());
}

class BrokenKernel : public testing::TestWithParam<Broken> {};

TEST_P(BrokenKernel, IsReportedWithItsPlaceAndAHint) {
  expectFirst(parseCnm(kernelWith(GetParam().statements), "t.cnm"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Statements, BrokenKernel,
    testing::Values(
        Broken{"induktion j 4 reduction\n}", "cnm-unknown-word", 7, 1, "'induktion' is not a statement",
               "did you mean 'induction'?"},
        Broken{"induction j 4 reductoin\n}", "cnm-unknown-word", 7, 15, "'reductoin'", "did you mean 'reduction'?"},
        Broken{"induction j 0 reduction\n}", "cnm-number", 7, 13, "the extent is out of range", "legal: 1 to"},
        Broken{"induction i 4 parallel\n}", "cnm-duplicate", 7, 11, "induction variable i already exists", "rename"},
        Broken{"guard i\ninduction j 4 parallel\n}", "cnm-misplaced", 8, 11, "j is declared too late",
               "variables first"},
        Broken{"guard i*k\n}", "cnm-syntax", 7, 9, "expected a number or an induction", "sums of terms"},
        Broken{"guard 3*k-1\n}", "cnm-unknown-induction", 7, 9, "no induction variable k", "choices: i"},
        Broken{"guard i+\n}", "cnm-syntax", 7, 9, "found end of line", "induction variables and sizes"},
        Broken{"guard 99999999999999999999\n}", "cnm-number", 7, 7, "too large", "64 bits"},
        Broken{"guard 9223372036854775807+1\n}", "cnm-number", 7, 27, "add up", "64 bits"},
        Broken{"@0 = read B[i]\n}", "cnm-unknown-operand", 7, 11, "unknown operand B", "choices: A, y"},
        Broken{"@0 = read A[i]\n}", "cnm-rank", 7, 1, "A has 2 dimensions, but gets 1 indices", "one index per"},
        Broken{"@0 = read A[i;0]\n}", "cnm-syntax", 7, 17, "expected ','", "A[i,2*j+1]"},
        Broken{"@1 = read A[i,0]\n}", "cnm-numbering", 7, 2, "expected request @0, found @1", "from 0"},
        Broken{"@0 = raed A[i,0]\n}", "cnm-unknown-word", 7, 6, "'raed'", "did you mean 'read'?"},
        Broken{"%0 = load f16 @0\n}", "cnm-unknown-value", 7, 15, "no request @0 before this", "none was defined"},
        Broken{"%0 = constant f16 1\n%1 = add f16 %0 %1\n}", "cnm-unknown-value", 8, 17, "no value %1", "only %0"},
        Broken{"%0 = constant f17 1\n}", "cnm-unknown-word", 7, 15, "'f17' is not an element type",
               "did you mean 'f16'?"},
        Broken{"%0 = konstant f16 1\n}", "cnm-unknown-word", 7, 6, "'konstant' is not an operation", "'constant'"},
        Broken{"%0 = constant f16 1.5x\n}", "cnm-number", 7, 19, "1.5x is not a number", "nan, inf, -inf"},
        Broken{"%0 = constant f64 nan:7ff0000000000000\n}", "cnm-number", 7, 19, "is not a number", "nan"},
        Broken{"%0 = constant i32 1.5\n}", "cnm-syntax", 7, 20, "expected end of line", "one statement"},
        Broken{"%0 = constant i32 99999999999\n}", "cnm-number", 7, 19, "99999999999 is out of range for i32", "wider"},
        Broken{"%0 = constant u8 -1\n}", "cnm-number", 7, 18, "-1 is out of range for u8", "cast"},
        Broken{"%0 = constant i64 9223372036854775808\n}", "cnm-number", 7, 19, "the number is too large", "64 bits"},
        Broken{"%0 = index i32 j\n}", "cnm-unknown-induction", 7, 16, "no induction variable j", "choices: i"},
        Broken{"%0 = constant f16 1\n%1 = add f16 %0\n}", "cnm-syntax", 8, 16, "expected a value (%N)", "arguments"},
        Broken{"%0 = constant f16 1\nstore put y[i] %0\n}", "cnm-unknown-word", 8, 7, "'put' is not a store kind",
               "assign, add, mul, min, max"},
        Broken{"%0 = constant f16 1\nstore assign y[i] %1\n}", "cnm-unknown-value", 8, 19, "no value %1", "%0"},
        Broken{"%0 = constant i32 1\nstore assign A[%0,%0] %0\n}", "cnm-syntax", 8, 19, "two indices are values",
               "only one index"},
        Broken{"bound j from %0\n}", "cnm-unknown-induction", 7, 7, "variable j", "choices: i"},
        Broken{"bound i from %0\n}", "cnm-unknown-value", 7, 14, "no value %0", "none was defined"},
        Broken{"%0 = constant i32 1\nbound i %0\n}", "cnm-syntax", 8, 9, "'from' or 'to'", "bound e from %1 to %3"},
        Broken{"%0 = constant i32 1\nbound i to %0\nbound i from %0\n}", "cnm-duplicate", 9, 1, "already has bounds",
               "remove one"},
        Broken{"%0 = constant i32 1\npredicate %0\npredicate %0\n}", "cnm-duplicate", 9, 1, "already has a predicate",
               "remove one"}));

INSTANTIATE_TEST_SUITE_P(
    Mappings, BrokenKernel,
    testing::Values(
        Broken{"space 1 {\n}\n}", "cnm-syntax", 7, 7, "spaces are named M1", "order of execution"},
        Broken{"space M1\n}", "cnm-syntax", 7, 9, "expected '{'", "must end the line"},
        Broken{"space M1 {\nloop j range 8\n}\n}", "cnm-unknown-induction", 8, 6, "variable j", "choices: i"},
        Broken{"space M1 {\nloop i bank 2 range 4\n}\n}", "cnm-unknown-level", 8, 8, "no level bank",
               "choices: rank, dpu"},
        Broken{"space M1 {\nloop i dpu 2\n}\n}", "cnm-syntax", 8, 13, "expected 'range'", "a loop is"},
        Broken{"space M1 {\nloop i dpu 2 dpu 4 range 1\n}\n}", "cnm-duplicate", 8, 14, "given twice", "a loop is"},
        Broken{"space M1 {\nloop i dpu 0 range 4\n}\n}", "cnm-number", 8, 12, "a factor is out of range", "1 to"},
        Broken{"space M1 {\nloop i dpu 1048577 range 1048577\n}\n}", "cnm-number", 8, 26, "multiply to more than",
               "padded extent"},
        Broken{"space M1 {\n}\n}", "cnm-loops", 7, 7, "M1 has no loop over i", "loop i range N"},
        Broken{"space M1 {\nloop i range 8\nloop i range 8\n}\n}", "cnm-duplicate", 9, 6, "i already has a loop",
               "one loop per"},
        Broken{"space M1 {\nlop i range 8\n}\n}", "cnm-unknown-word", 8, 1, "'lop' is not", "did you mean 'loop'?"},
        Broken{"space M1 {\nloop i range 8\n}\nspace M1 {\nloop i range 8\n}\n}", "cnm-duplicate", 10, 7,
               "M1 is defined twice", "first in line 7"},
        Broken{"mapping refrence\n}", "cnm-mapping", 7, 9, "refrence is not a mapping keyword",
               "did you mean 'reference'?"},
        Broken{"mapping \"auto;dpus=2\"\n}", "cnm-mapping", 7, 1, "write extensions of auto as statements", "dpus 64"},
        Broken{"mapping host\nspace M1 {\nloop i range 8\n}\n}", "cnm-mapping", 7, 1,
               "'mapping host' cannot be combined with", "remove one of them"},
        Broken{"dpus 2\n}", "cnm-mapping", 7, 1, "the kernel has none", "mapping auto"},
        Broken{"mapping auto\ndpus 2\ndpus 3\n}", "cnm-duplicate", 9, 1, "dpus is given twice", "line 8"},
        Broken{"mapping auto\ncyclic bank 3\n}", "cnm-unknown-level", 8, 8, "no level bank", "rank"},
        Broken{"mapping auto\norder i i\n}", "cnm-duplicate", 8, 9, "i appears twice", "outermost first"},
        Broken{"mapping auto\norder\n}", "cnm-syntax", 8, 6, "expected an induction variable", "once"},
        Broken{"mapping auto\ntail pads\n}", "cnm-unknown-word", 8, 6, "'pads'", "did you mean 'pad'?"},
        Broken{"mapping auto\nprogram measured\n}", "cnm-unknown-word", 8, 9, "'measured'", "reference, compiled"},
        Broken{"mapping auto\nmerge 3\n}", "cnm-syntax", 8, 7, "where partial results are merged", "device, host"},
        Broken{"space M1 {\nloop i range 8\n", "cnm-unclosed", 7, 1, "space M1 is not closed", "a line with '}'"},
        Broken{"guard i\n", "cnm-unclosed", 5, 1, "kernel k is not closed", "a line with '}'"}));

class BrokenModule : public testing::TestWithParam<Broken> {};

TEST_P(BrokenModule, IsReportedWithItsPlaceAndAHint) {
  expectFirst(parseCnm(GetParam().statements, "t.cnm"), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, BrokenModule,
    testing::Values(
        Broken{"", "cnm-syntax", 1, 1, "expected 'cnm', found end of file", "cnm NAME"},
        Broken{"program x", "cnm-syntax", 1, 1, "found 'program'", "cnm NAME"},
        Broken{"cnm", "cnm-syntax", 1, 4, "the name of the graph", "names have"},
        Broken{"cnm t\noperands", "cnm-unknown-word", 2, 1, "'operands'", "did you mean 'operand'?"},
        Broken{"cnm t\ntarget", "cnm-syntax", 2, 7, "the name of a machine", "names have"},
        Broken{"cnm t\ntarget a x\ntarget b y", "cnm-duplicate", 3, 1, "a target is already named", "line 2"},
        Broken{"cnm t\ntarget a x x", "cnm-duplicate", 2, 12, "level x is named twice", "outermost first"},
        Broken{"cnm t\ntarget a x range", "cnm-duplicate", 2, 12, "not a level", "outermost first"},
        Broken{"cnm t\ntarget a" + repeated(" x", 1) + " b c d e f g h i j k l m n o p", "cnm-too-large", 2, 40,
               "more than 15 levels", "mappings split"},
        Broken{"cnm t\noperand x f16[4] input\noperand x f16[4] input", "cnm-duplicate", 3, 9,
               "operand x already exists", "rename"},
        Broken{"cnm t\noperand x f16 input", "cnm-syntax", 2, 15, "expected '['", "an operand is"},
        Broken{"cnm t\noperand x f16[0] input", "cnm-number", 2, 15, "an extent is out of range", "legal: 1"},
        Broken{"cnm t\noperand x f16[n] input", "unknown-size", 2, 15, "unknown size n", "size n 64"},
        Broken{"cnm t\nsize n 4\noperand x f16[2*m] input", "unknown-size", 3, 17, "unknown size m", "did you mean"},
        Broken{"cnm t\nsize n 4\noperand x f16[n-4] input", "cnm-number", 3, 15, "out of range: 0", "legal: 1"},
        Broken{"cnm t\nsize n 4\noperand x f16[n*9223372036854775807] input", "cnm-number", 3, 15, "out of range",
               "legal: 1"},
        Broken{"cnm t\nsize n 4\nsize n 5", "cnm-duplicate", 3, 6, "size n already exists", "remove one"},
        Broken{"cnm t\nsize n", "unknown-extent", 2, 6, "the size of n is unknown", "--size n=N"},
        Broken{"cnm t\nsize n 0", "cnm-number", 2, 8, "a size is out of range", "legal: 1"},
        Broken{"cnm t\nsize 4", "cnm-syntax", 2, 6, "the name of a size", "letters"},
        Broken{"cnm t\noperand x f16[4] inptu", "cnm-unknown-word", 2, 18, "'inptu' is not a role",
               "did you mean 'input'?"},
        Broken{"cnm t\nkernel k indrect {\n}", "cnm-unknown-word", 2, 10, "'indrect' is not a form", "'indirect'"},
        Broken{"cnm t\nkernel k {\n}\ntarget a x", "cnm-misplaced", 4, 1, "too late", "before the first kernel"},
        Broken{"cnm t\nkernel k {\nspace M1 {\n}\n}", "cnm-unknown-level", 3, 1, "levels are unknown", "target NAME"},
        Broken{"cnm t\noperand x i8[" + repeated("1,", 33) + "1] input", "cnm-too-large", 2, 78, "more than 32",
               "merge"},
        Broken{"cnm t" + std::string(kMaxCnmBytes, ' '), "cnm-too-large", 1, 1, "bytes, more than", "split"}));

TEST(CnmErrors, ATextHasAtMostTwentyDiagnosticsEachForItsOwnLine) {
  const Result<CnmModule> m = parseCnm(kernelWith(repeated("gard i\n", 30) + "}\n"), "t.cnm");
  ASSERT_FALSE(m);
  ASSERT_EQ(m.diagnostics().size(), kMaxCnmDiagnostics);
  for (std::size_t i = 0; i < kMaxCnmDiagnostics; ++i)
    EXPECT_EQ(m.diagnostics()[i].where.line, 7 + static_cast<int>(i));
}

TEST(CnmErrors, AMistakeDoesNotMakeOthersOfWhatRefersToIt) {
  const Result<CnmModule> m =
      parseCnm(kernelWith("@0 = read B[i]\n%0 = lod f16 @0\n%1 = neg f16 %0\nstore assign y[i] %1\n}\n"), "t.cnm");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.diagnostics().size(), 2u);
}

TEST(CnmErrors, TextsThatWouldFillTheMemoryAreRefused) {
  std::string text = "cnm t\noperand A i8[1,1,1,1,1,1,1,1] input\nkernel k {\n";
  for (int d = 0; d < 32; ++d) text += "induction d" + std::to_string(d) + " 2 parallel\n";
  for (int n = 0; n < 20000; ++n) text += "@" + std::to_string(n) + " = read A[0,0,0,0,0,0,0,0]\n";
  const Result<CnmModule> m = parseCnm(text, "t.cnm");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.diagnostics().front().code, "cnm-too-large");
}

TEST(CnmErrors, RulesOfKernelsAreReportedAtTheStatementThatBreaksThem) {
  const auto placeOf = [](const std::string &statements) {
    const Result<CnmModule> m = parseCnm(kernelWith(statements), "t.cnm");
    EXPECT_TRUE(m.ok()) << m.diagnostics().front().str();
    const Status s = verify(*m);
    EXPECT_FALSE(s);
    return s.diagnostics().front().code + " " + s.diagnostics().front().where.str();
  };
  EXPECT_EQ(placeOf("@0 = read A[i,4]\n%0 = load f16 @0\nstore assign y[i] %0\n}"), "out-of-bounds t.cnm:7:1");
  EXPECT_EQ(placeOf("@0 = read A[i,0]\n%0 = load f32 @0\nstore assign y[i] %0\n}"), "type-mismatch t.cnm:8:1");
  EXPECT_EQ(placeOf("%0 = constant f16 1\nstore assign y[0] %0\n}"), "duplicate-write t.cnm:8:1");
  EXPECT_EQ(placeOf("%0 = constant f16 1\nstore assign A[i,0] %0\n}"), "bad-role t.cnm:8:1");
  EXPECT_EQ(placeOf("%0 = constant f16 1\n}"), "no-store t.cnm:5:1");
  EXPECT_EQ(placeOf("induction j 4 parallel\nguard 999999999999999*i\n%0 = constant f16 1\nstore assign y[i] %0\n}"),
            "too-large t.cnm:8:1");
}

TEST(CnmErrors, RulesAreReportedTwentyTimesAtMostToo) {
  std::string text = kernelWith("");
  for (int n = 0; n < 30; ++n) text += "@" + std::to_string(n) + " = read A[i,4]\n";
  const Result<CnmModule> m = parseCnm(text + "%0 = constant f16 1\nstore assign y[i] %0\n}", "t.cnm");
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(verify(*m).diagnostics().size(), kMaxCnmDiagnostics);
}

TEST(CnmErrors, GuardsThatWouldTakeLongToCheckAreRefused) {
  const Result<CnmModule> m = parseCnm(kernelWith(repeated("guard i\n", kMaxCnmGuards + 1) + "}"), "t.cnm");
  ASSERT_FALSE(m);
  EXPECT_EQ(m.diagnostics().front().code, "cnm-too-large");
  EXPECT_EQ(m.diagnostics().front().where.line, 7 + static_cast<int>(kMaxCnmGuards));
}

machine::Machine threeLevels() {
  machine::Machine machine;
  machine.name = "three";
  machine.levels = {
      {"rank", 4, true, "host", false}, {"dpu", 6, true, "host", false}, {"tasklet", 8, true, "dpu", false}};
  return machine;
}

TEST(CnmErrors, RulesOfMappingsAreReportedAtTheLoopThatBreaksThem) {
  const std::string body = "%0 = constant f16 1\nstore assign y[i] %0\n";
  const Result<CnmModule> m = parseCnm(kernelWith(body + "space M1 {\nloop i dpu 7 range 2\n}\n}"), "t.cnm");
  ASSERT_TRUE(m.ok());
  const Status s = verify(*m, threeLevels());
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "mapping-count");
  EXPECT_EQ(s.diagnostics().front().where.str(), "t.cnm:10:8");
}

TEST(CnmErrors, LevelsOfAnotherMachineAreNamed) {
  const Result<CnmModule> m = parseCnm(kernelWith("%0 = constant f16 1\nstore assign y[i] %0\n}"), "t.cnm");
  ASSERT_TRUE(m.ok());
  machine::Machine machine = threeLevels();
  EXPECT_TRUE(verify(*m, machine).ok());
  machine.levels.pop_back();
  const Status s = verify(*m, machine);
  ASSERT_FALSE(s);
  EXPECT_EQ(s.diagnostics().front().code, "cnm-levels");
  EXPECT_EQ(s.diagnostics().front().where.str(), "t.cnm:2:8");
}

}  // namespace
}  // namespace pimento::mapping
