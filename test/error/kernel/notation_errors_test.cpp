// Broken index notation: each mistake has a code, a place and a hint.
#include <gtest/gtest.h>

#include "pimento/kernel/notation.h"

namespace pimento::kernel {
namespace {

const Sizes kSizes{{"i", 3}, {"j", 4}};

/// The first diagnostic of `text` has this code and place, and a hint that contains `hint`.
void expectError(const std::string &text, const std::string &code, int line, int column, const std::string &hint,
                 const Sizes &sizes = kSizes, DType type = DType::kF32) {
  const auto graph = parseNotation(text, sizes, type);
  ASSERT_FALSE(graph) << text;
  const Diagnostic &d = graph.diagnostics()[0];
  EXPECT_EQ(d.code, code) << text << "\n" << d.str();
  EXPECT_EQ(d.where.line, line) << text << "\n" << d.str();
  EXPECT_EQ(d.where.column, column) << text << "\n" << d.str();
  EXPECT_EQ(d.where.file, "<notation>");
  EXPECT_FALSE(d.hint.empty());
  EXPECT_NE(d.hint.find(hint), std::string::npos) << d.str();
}

TEST(NotationErrors, AReductionWithPlainAssignmentNamesItsIndex) {
  expectError("y[i] = A[i,j] * x[j]", "reduction-needs-accumulation", 1, 6, "+=");
}

TEST(NotationErrors, AnExtentNoOneStatesIsNamed) {
  expectError("y[i] += A[i,k]", "unknown-extent", 1, 13, "--size k=N");
  expectError("y[i] += A[i,jj]", "unknown-extent", 1, 13, "did you mean 'j'");
}

TEST(NotationErrors, ASizeWithoutIndexIsUnknown) {
  expectError("y[i] = x[i]", "unknown-size", 0, 0, "choices: i");
}

TEST(NotationErrors, ASizeBelowOneIsBad) {
  expectError("y[i] = x[i]", "bad-extent", 0, 0, "at least 1", {{"i", 0}});
}

TEST(NotationErrors, AStrayCharacterIsShown) {
  expectError("y[i] = x[i] @ 2", "unexpected-character", 1, 13, "+ - *");
  expectError("y[i] =\n  x[i] + \x01", "unexpected-character", 2, 10, "index notation");
}

TEST(NotationErrors, AMissingOperandIsASyntaxError) {
  expectError("y[i] = x[i] +", "syntax", 1, 14, "complete the expression");
  expectError("y[i] = * 2", "syntax", 1, 8, "complete the expression");
}

TEST(NotationErrors, AnUnclosedBracketIsASyntaxError) {
  expectError("y[i = x[i]", "syntax", 1, 5, "]");
  expectError("y[i] = (x[i]", "syntax", 1, 13, ")");
  expectError("y[i] = max(x[i], 1", "syntax", 1, 19, ")");
}

TEST(NotationErrors, AMissingAssignmentListsTheChoices) {
  expectError("y[i]", "syntax", 1, 5, "min=");
  expectError("y[i] x[i]", "syntax", 1, 6, "min=");
}

TEST(NotationErrors, AStatementStartsWithItsTarget) {
  expectError("2 = x[i]", "syntax", 1, 1, "y[i] =");
}

TEST(NotationErrors, TwoStatementsNeedASeparator) {
  expectError("y[i] = x[i] z[i] = 1", "syntax", 1, 13, "';'");
}

TEST(NotationErrors, AChoiceNeedsBothBranches) {
  expectError("y[i] = x[i] > 0 ? 1", "syntax", 1, 20, ":");
}

TEST(NotationErrors, NoStatementAtAllIsAnError) {
  expectError("", "empty-notation", 1, 1, "y[i]", {});
  expectError(" ; # nothing\n", "empty-notation", 1, 1, "y[i]", {});
}

TEST(NotationErrors, AProductOfIndicesIsNotAffine) {
  expectError("y[i] += x[i*j]", "non-affine-index", 1, 12, "by a number");
  expectError("y[i] = x[i/2]", "non-affine-index", 1, 11, "integers times index", {{"i", 3}});
  expectError("y[i] = x[max(i, 2)]", "non-affine-index", 1, 10, "integers times index", {{"i", 3}});
  expectError("y[i] = x[1.5]", "non-affine-index", 1, 10, "whole number", {{"i", 3}});
}

TEST(NotationErrors, IndicesFromData) {
  expectError("y[i] = x[p[i]]", "unknown-extent", 1, 8, "--size x=N", {{"i", 3}});
  expectError("y[i] = x[p[i],q[i]]", "non-affine-index", 1, 15, "one index may", {{"i", 3}});
  expectError("y[i] = x[1.5 * p[i]]", "literal-type", 1, 10, "whole number", {{"i", 3}, {"x", 9}});
  expectError("y[i,j] = x[p[i]]", "unknown-extent", 1, 5, "--size j=N", {{"i", 3}, {"x", 9}});
}

TEST(NotationErrors, LoopsAreClosedAndCount) {
  expectError("for k in 0..4 { y[i] = x[i]", "syntax", 1, 28, "for k in", {{"i", 3}});
  expectError("for k of 0..4 { y[i] = x[i] }", "syntax", 1, 7, "in 0..n", {{"i", 3}});
  expectError("for k in 4..4 { y[i] = x[i] }", "bad-extent", 1, 10, "at least once", {{"i", 3}});
  expectError("for k in 0..n { y[i] = x[i] }", "unknown-extent", 1, 13, "--size n=N", {{"i", 3}});
  expectError("for k in 0..4 { }", "empty-notation", 1, 17, "remove it", {{"i", 3}});
  expectError("for k in 0..4 { for k in 0..2 { y[i] = x[i] } }", "duplicate-name", 1, 17, "rename", {{"i", 3}});
  expectError("y[i] = x[i] }", "syntax", 1, 13, "write, for example", {{"i", 3}});
}

TEST(NotationErrors, SwapsBelongInLoops) {
  expectError("y[i] = x[i]; swap x, y", "misplaced-swap", 1, 14, "end of a loop", {{"i", 3}});
  expectError("for k in 0..4 { y[i] = x[i]; swap x, z }", "unknown-tensor", 1, 30, "choices", {{"i", 3}});
  expectError("for k in 0..4 { for l in 0..k+1 { y[i] = x[i]; swap x, y } }", "misplaced-swap", 1, 48,
              "constant bounds", {{"i", 3}});
}

TEST(NotationErrors, ConditionsAndFollowers) {
  expectError("y[i] = x[i] where x[i] > 0", "non-affine-condition", 1, 24, "c ? a : b", {{"i", 3}});
  expectError("y[i] = x[i] where i", "non-affine-condition", 1, 19, "where i > k", {{"i", 3}});
  expectError("y[i] = x[i] where i > n", "unknown-extent", 1, 23, "--size n=N", {{"i", 3}});
  expectError("y[i] = x[i] with b[i] = i", "bad-with", 1, 18, "min=", {{"i", 3}});
  expectError("m[i] min= x[i,j] with b[j] = j", "bad-with", 1, 23, "min=", {{"i", 3}, {"j", 3}});
  expectError("o[i] append= x[i,j]", "syntax", 1, 20, "selection", {{"i", 3}, {"j", 3}});
  expectError("o[i] append= x[i,j] if x[i,j] > 0 limit 0", "bad-extent", 1, 41, "limit 8", {{"i", 3}, {"j", 3}});
}

TEST(NotationErrors, AnIndexBelowZeroNeedsAShift) {
  expectError("y[i] = x[i - 1]", "negative-index", 1, 8, "add a constant", {{"i", 3}});
}

TEST(NotationErrors, ATensorKeepsItsNumberOfIndices) {
  expectError("y[i] += A[i,j]; z[i] = A[i]", "rank-mismatch", 1, 24, "same number");
}

TEST(NotationErrors, OverlappingElementsOnTheLeftAreRefused) {
  expectError("y[i+j] = x[i,j]", "overlapping-write", 1, 1, "one index per position");
  expectError("y[3*i+j] = x[i,j]", "overlapping-write", 1, 1, "digits");
}

TEST(NotationErrors, AnUnknownFunctionSuggestsItsNeighbour) {
  expectError("y[i] = sqrd(x[i])", "unknown-function", 1, 8, "did you mean 'sqrt'", {{"i", 3}});
}

TEST(NotationErrors, AFunctionTakesItsArgumentsOnly) {
  expectError("y[i] = max(x[i])", "wrong-arguments", 1, 8, "exactly 2", {{"i", 3}});
  expectError("y[i] = f16(x[i], 2)", "wrong-arguments", 1, 8, "exactly 1", {{"i", 3}});
}

TEST(NotationErrors, MixedTypesNeedACast) {
  expectError("y[i] = x[i] + f16(x[i])", "type-mismatch", 1, 15, "f32(...)", {{"i", 3}});
  expectError("y[i] = x[i] * (x[i] > 0)", "type-mismatch", 1, 21, "f32(...)", {{"i", 3}});
}

TEST(NotationErrors, OperationsKeepToTheirKindOfNumber) {
  expectError("y[i] = exp(x[i])", "type-mismatch", 1, 8, "floating", {{"i", 3}}, DType::kI32);
  expectError("y[i] = x[i] & 1", "type-mismatch", 1, 13, "integer", {{"i", 3}});
  expectError("y[i] = x[i] ? 1 : 2", "type-mismatch", 1, 13, "compare", {{"i", 3}});
}

TEST(NotationErrors, ANumberMustSuitItsType) {
  expectError("y[i] = x[i] + 2.5", "literal-type", 1, 15, "whole number", {{"i", 3}}, DType::kI32);
  expectError("y[i] = x[i] + 300", "literal-range", 1, 15, "wider", {{"i", 3}}, DType::kU8);
  expectError("y[i] = x[i] + -1", "literal-range", 1, 16, "wider", {{"i", 3}}, DType::kU8);
  expectError("y[i] = x[i] * 70000", "literal-range", 1, 15, "wider", {{"i", 3}}, DType::kF16);
  expectError("y[i] = x[i] * 1e999", "literal-range", 1, 15, "double precision", {{"i", 3}});
}

TEST(NotationErrors, IntegersOfAnIndexMustFit) {
  expectError("y[i] = x[9223372036854775807 * i * 2]", "too-large", 1, 34, "smaller", {{"i", 3}});
  expectError("y[i] = x[9223372036854775808]", "non-affine-index", 1, 10, "small", {{"i", 3}});
  expectError("y[i] = x[9223372036854775807 * i]", "too-large", 1, 8, "smaller", {{"i", 3}});
}

TEST(NotationErrors, NestingIsBounded) {
  const std::string open(300, '('), close(300, ')');
  expectError("y[i] = " + open + "x[i]" + close, "too-deep", 1, 208, "several statements", {{"i", 3}});
  std::string sum = "y[i] = x[i]";
  for (int n = 0; n < 300; ++n) sum += "+1";
  expectError(sum, "too-deep", 1, 408, "several statements", {{"i", 3}});
  expectError("y[i] = " + std::string(300, '-') + "x[i]", "too-deep", 1, 207, "several statements", {{"i", 3}});
}

TEST(NotationErrors, AStatementHasAtMostThirtyTwoIndices) {
  std::string indices = "a0";
  Sizes sizes{{"a0", 1}};
  for (int n = 1; n < 33; ++n) {
    indices += ",a" + std::to_string(n);
    sizes["a" + std::to_string(n)] = 1;
  }
  expectError("y[" + indices + "] = 1", "too-many-dims", 1, 1, "32", sizes);
}

TEST(NotationErrors, AnAccumulationCannotReadItself) {
  expectError("y[i] += y[i] * x[j]", "self-dependence", 1, 1, "sequential");
}

TEST(NotationErrors, HugeExtentsAreRefused) {
  expectError("y[i] += A[i,j]", "too-large", 1, 9, "reduce", {{"i", 1 << 30}, {"j", 1 << 30}});
}

TEST(NotationErrors, ARangeHasAnIndexAndTwoEnds) {
  expectError("y[i] += x[j] for 3 in p[i]..p[i+1]", "syntax", 1, 18, "names are letters");
  expectError("y[i] += x[j] for j = p[i]..p[i+1]", "syntax", 1, 20, "for e in p[i]..p[i+1]");
  expectError("y[i] += x[j] for j in p[i], p[i+1]", "syntax", 1, 27, "'..'");
}

TEST(NotationErrors, AnIndexHasOneRange) {
  expectError("y[i] += x[j] for j in p[i]..p[i+1], j in 0..p[i]", "duplicate-name", 1, 37, "one range");
}

TEST(NotationErrors, BoundsHangOnIndicesOutsideAlone) {
  expectError("y[i] += x[j] for j in p[j]..p[i]", "bad-bounds", 1, 1, "outer dims");
  expectError("y[i] += x[j] for j in p[k]..q[j], k in 0..p[j]", "bad-bounds", 1, 1, "outer dims",
              {{"i", 3}, {"j", 4}, {"k", 4}});
}

TEST(NotationErrors, ABoundIsAnInteger) {
  expectError("y[i] += x[j] for j in 0..f32(p[i])", "type-mismatch", 1, 1, "cast");
}

}  // namespace
}  // namespace pimento::kernel
