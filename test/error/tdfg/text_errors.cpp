// What the reader, the verifier and the executor of tensor graphs refuse, with places.
#include <gtest/gtest.h>

#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/fit.h"
#include "pimento/tdfg/graph.h"
#include "pimento/tdfg/text.h"

namespace pimento::tdfg {
namespace {

constexpr const char *kHead = "tdfg t\nsize n\nindex k\narray a f32 [n] input\narray b f32 [n] inout\n";

Diagnostic first(const std::string &rest) {
  const auto read = readProgram(kHead + rest, "t.tdfg");
  if (read) return {};
  return read.diagnostics().front();
}

/// A region of one dim with these lines.
Diagnostic ofRegion(const std::string &lines) {
  return first("region r lattice 1\ndomain [0:n]\n" + lines + "end\n");
}

void expect(const Diagnostic &d, const std::string &code, const std::string &part, int line) {
  EXPECT_EQ(d.code, code) << d.str();
  EXPECT_NE(d.message.find(part), std::string::npos) << d.str();
  EXPECT_EQ(d.where.line, line) << d.str();
}

TEST(TdfgTextErrors, SyntaxIsNamedWhereItStands) {
  expect(first("tensor\n"), "tdfg-syntax", "expected a statement", 6);
  expect(first("array c f33 [n] input\n"), "tdfg-syntax", "'f33' is no element type", 6);
  expect(first("array c f32 [n] wrong\n"), "tdfg-syntax", "expected a role", 6);
  expect(first("region r lattice 1\n  %1 = tensor a [0:n]\nend\n"), "tdfg-syntax", "%1 stands where %0 is due", 7);
  expect(ofRegion("%0 = blub a\n"), "tdfg-syntax", "'blub' is no kind of node", 8);
  expect(ofRegion("%0 = tensor a [0 n]\n"), "tdfg-syntax", "expected ':'", 8);
  expect(ofRegion("%0 = tensor a [0:$0]\n"), "tdfg-syntax", "no '$' variables", 8);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = cmp mad f32 %0\n"), "tdfg-syntax", "'mad' is no operation", 9);
  expect(ofRegion("%0 = const f32 1.5\n"), "tdfg-syntax", "a number in quotation marks", 8);
  expect(first("region r lattice 1\n"), "tdfg-syntax", "expected a line of a region", 7);
}

TEST(TdfgTextErrors, NamesThatNobodyDeclared) {
  expect(ofRegion("%0 = tensor c [0:n]\n"), "tdfg-name", "there is no array 'c'", 8);
  expect(ofRegion("%0 = tensor a [0:m]\n"), "tdfg-name", "there is no size, quotient or index 'm'", 8);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = mv %3 dim 0 by 1\n"), "tdfg-name", "there is no node %3", 9);
  expect(ofRegion("%0 = strm f32 load a [$1] over [0:n]\n"), "tdfg-name", "there is no variable '$1'", 8);
  expect(first("schedule 256x256 q\nend\n"), "tdfg-name", "there is no region 'q'", 6);
}

TEST(TdfgTextErrors, NumbersOutOfRange) {
  expect(first("region r lattice 4\nend\n"), "tdfg-number", "a lattice of 4 dims", 6);
  expect(ofRegion("%0 = tensor a [0:n:0]\n"), "tdfg-number", "a stride is 0", 8);
  expect(ofRegion("%0 = tensor a [0:99999999999999999999]\n"), "tdfg-number", "beyond 64 bits", 8);
  expect(ofRegion("%0 = tensor a [0:1099511627776*n + n]\n"), "tdfg-number", "a factor beyond 2^40", 8);
  expect(first("quotient q = (n) / 1\n"), "tdfg-number", "a divisor is 1", 6);
}

TEST(TdfgTextErrors, GraphsThatMeanNothing) {
  expect(ofRegion("%0 = tensor a [0:n, 0:1]\n"), "tdfg-invalid", "a box of 2 dims in a lattice of 1", 6);
  expect(ofRegion("%0 = const f32 \"1\"\n%1 = cmp neg f32 %0\n"), "tdfg-invalid", "constants alone", 6);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = cmp add i32 %0, %0\n"), "tdfg-invalid", "%1 (add) needs i32 but %0 is f32",
         6);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = cmp add f32 %0\n"), "tdfg-invalid", "takes 1 nodes, not 2", 6);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = mv %0 dim 1 by 1\n"), "tdfg-invalid", "along dim 1", 6);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = cmp and f32 %0, %0\n"), "tdfg-invalid", "(and) is not defined on f32", 6);
  expect(ofRegion("%0 = tensor a [0:n]\n%1 = cmp cmp_lt f32 %0, %0\n"), "tdfg-invalid", "(cmp_lt) has type f32", 6);
  expect(first("loop k to n regions 0:1\n"), "tdfg-invalid", "a loop around no regions", 0);
  expect(first("region r lattice 0\nend\nregion r lattice 0\nend\n"), "tdfg-invalid", "two regions of that name", 8);
  expect(first("array a f32 [n] input\n"), "tdfg-invalid", "two arrays 'a'", 0);
  expect(first("size k\n"), "tdfg-invalid", "stands for two numbers", 0);
  expect(ofRegion("streams affine s\ndim i parallel n\nv0 = add f32 v0, v0\nstore b [$i] = v0\nend\n"), "tdfg-invalid",
         "takes a value that is not before it", 6);
}

TEST(TdfgTextErrors, NumbersThatNoLatticeHolds) {
  const auto read = readProgram(std::string(kHead) +
                                    "region r lattice 1\nround k in 0:1000000000*n\ndomain [0:n]\n"
                                    "%0 = tensor a [0:n]\nout b = %0 over [0:n]\nend\n",
                                "t.tdfg");
  ASSERT_TRUE(read.ok());
  kernel::DataSet data(2, kernel::TensorData(DType::kF32, {100000}));
  EXPECT_EQ(execute(read->program, {{"n", 100000}}, data).diagnostics().front().code, "tdfg-range");
}

TEST(TdfgTextErrors, ArraysOfAnotherShapeThanTheProgramSays) {
  const auto read = readProgram(kHead, "t.tdfg");
  ASSERT_TRUE(read.ok());
  kernel::DataSet data(2, kernel::TensorData(DType::kF32, {5}));
  EXPECT_EQ(execute(read->program, {{"n", 6}}, data).diagnostics().front().code, "array-shape");
}

TEST(TdfgTextErrors, FormsThatNoLoopNestSays) {
  for (const std::string form : {"2*k", "half"}) {
    const auto read = readProgram(kHead + ("quotient half = (k) / 2\nregion r lattice 0\nstreams affine s\n"
                                           "dim i parallel n\nload a [$i]\nv0 = load f32 0\nv1 = form i32 " +
                                           form +
                                           "\nv2 = cast f32 v1\nv3 = add f32 v0, v2\nstore b [$i] = v3\nend\nend\n"
                                           "loop k to 3 regions 0:1\n"),
                                  "t.tdfg");
    ASSERT_TRUE(read.ok());
    const auto graph = graphOf(read->program, *bindSizes(read->program, {{"n", 4}}));
    ASSERT_FALSE(graph.ok()) << form;
    EXPECT_EQ(graph.diagnostics().front().code, "tdfg-form");
  }
}

TEST(TdfgTextErrors, SourcesThatAreOtherProgramsAtOtherSizes) {
  const auto program = fitStreams({"n"}, [](const auto &sizes) {
    kernel::Graph graph;
    const std::int64_t n = sizes.at("n");
    graph.tensors.push_back({"a", DType::kF32, {n * n}, kernel::Role::kInput, false});
    return Result<kernel::Graph>(graph);
  });
  ASSERT_FALSE(program.ok());
  EXPECT_EQ(program.diagnostics().front().code, "tdfg-sizes");
  EXPECT_NE(program.diagnostics().front().message.find("no sum of its sizes"), std::string::npos);
}

}  // namespace
}  // namespace pimento::tdfg
