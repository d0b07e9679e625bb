#include <gtest/gtest.h>

#include <string>

#include "pimento/mapping/mapping.h"

namespace pimento::mapping {
namespace {

struct Broken {
  std::string text, code;
  int line, column;
  std::string message, hint;  ///< parts of them
};

std::string repeated(const std::string &part, std::size_t n) {
  std::string s;
  for (std::size_t i = 0; i < n; ++i) s += part;
  return s;
}

std::string manySubspaces() {
  std::string s = "M1:{(1),(1)}";
  for (int i = 2; i <= 1025; ++i) s += ",M" + std::to_string(i) + ":{(1),(1)}";
  return s;
}

class BrokenMap : public testing::TestWithParam<Broken> {};

TEST_P(BrokenMap, IsReportedWithItsPlaceAndAHint) {
  const Broken &broken = GetParam();
  const Result<MapSpec> spec = parseMapSpec(broken.text);
  ASSERT_FALSE(spec);
  ASSERT_EQ(spec.diagnostics().size(), 1u);
  const Diagnostic &d = spec.diagnostics().front();
  EXPECT_EQ(d.code, broken.code) << d.str();
  EXPECT_EQ(d.where.file, "<map>");
  EXPECT_EQ(d.where.line, broken.line) << d.str();
  EXPECT_EQ(d.where.column, broken.column) << d.str();
  EXPECT_NE(d.message.find(broken.message), std::string::npos) << d.str();
  EXPECT_NE(d.hint.find(broken.hint), std::string::npos) << d.str();
  EXPECT_FALSE(d.hint.empty());
}

INSTANTIATE_TEST_SUITE_P(
    MapNotation, BrokenMap,
    testing::Values(
        Broken{"", "map-empty", 1, 1, "empty", "reference, auto, host"},
        Broken{" \n ", "map-empty", 1, 1, "empty", "reference, auto, host"},
        Broken{"refrence", "map-unknown-keyword", 1, 1, "'refrence'", "did you mean 'reference'?"},
        Broken{"m1:{(1),(2)}", "map-unknown-keyword", 1, 1, "'m1'", "did you mean 'M1'?"},
        Broken{"M:{(1),(2)}", "map-unknown-keyword", 1, 1, "'M'", "M1"},
        Broken{"{(1),(2)}", "map-syntax", 1, 1, "expected 'M1', 'reference', 'auto' or 'host', found '{'", "M1:{(2,9)"},
        Broken{"M1{(1),(2)}", "map-syntax", 1, 3, "expected ':'", "M1:{(2,9)"},
        Broken{"M1:(1),(2)", "map-syntax", 1, 4, "expected '{'", "M1:{(2,9)"},
        Broken{"M1:{}", "map-syntax", 1, 5, "expected '(' of a tuple, found '}'", "M1:{(2,9)"},
        Broken{"M1:{(1,2)(3,4)}", "map-syntax", 1, 10, "expected ',' or '}' after a tuple, found '('", "M1:{"},
        Broken{"M1:{(1,2),(3 4)}", "map-syntax", 1, 14, "expected ',' or ')' after a factor, found '4'", "M1:{"},
        Broken{"M1:{(1,x),(3,4)}", "map-syntax", 1, 8, "expected a number (a factor), found 'x'", "decimal"},
        Broken{"M1:{(1,2),(3,4)", "map-syntax", 1, 16, "found the end of the text", "M1:{"},
        Broken{"M1:{(1,2),(3,4)} auto", "map-syntax", 1, 18, "expected ';' before an extension", "M1:{"},
        Broken{"reference auto", "map-syntax", 1, 11, "found 'auto'", "M1:{"},
        Broken{"M1:{(1,-2),(3,4)}", "map-character", 1, 8, "'-' is not allowed", "expected a number"},
        Broken{"M1:{(4),(3)};by i", "map-syntax", 1, 17, "expected '(' after 'by', found 'i'", "M1:{"},
        Broken{"M1:{(4),(3)};by(3: A[0]=i)", "map-syntax", 1, 17, "expected the name of a dim", "by(DIM: TENSOR"},
        Broken{"M1:{(4),(3)};by(i, A[0]=i)", "map-syntax", 1, 18, "expected ':' after the dim", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: 4[0]=i)", "map-syntax", 1, 20, "expected the name of a tensor", "by(DIM: TENSOR"},
        Broken{"M1:{(4),(3)};by(i: A=i)", "map-syntax", 1, 21, "expected '[' after the tensor", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: A[i]=i)", "map-syntax", 1, 22, "expected the number of an axis", "A[0]=2*i-3"},
        Broken{"M1:{(4),(3)};by(i: A[5000]=i)", "map-number", 1, 22, "an axis is too large", "0 to 1000"},
        Broken{"M1:{(4),(3)};by(i: A[0=i)", "map-syntax", 1, 23, "expected ']' after the axis", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: A[0]+i)", "map-syntax", 1, 24, "expected '=' before the function", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: A[0]=j)", "map-syntax", 1, 25, "expected a function of 'i', found 'j'", "by(DIM"},
        Broken{"M1:{(4),(3)};by(i: A[0]=3)", "map-syntax", 1, 26, "expected '*' after the factor", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: A[0]=2*j)", "map-syntax", 1, 27, "expected 'i', found 'j'", "by(DIM"},
        Broken{"M1:{(4),(3)};by(i: A[0]=0*i+2)", "map-number", 1, 25, "the factor of a dim is 0", "1 to"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i*0)", "map-number", 1, 27, "the factor of a dim is 0", "1 to"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i+)", "map-syntax", 1, 27, "expected a number (the offset)", "without a sign"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i+j)", "map-syntax", 1, 27, "expected a number (the offset)", "decimal"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i+1099511627777)", "map-number", 1, 27, "the offset is too large", "0 to"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i/2)", "map-character", 1, 26, "'/' is not allowed", "M1:{"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i 2)", "map-syntax", 1, 27, "expected '+', '-' or ')' after the function",
               "M1"},
        Broken{"M1:{(4),(3)};by(i: A[0]=i);by(i: B[0]=i)", "map-duplicate", 1, 28, "by(i) is given twice", "column 14"},
        Broken{"reference;by(i: A[0]=i+1)", "map-by", 1, 11, "a mapping that is written out", "M1:{...};by("},
        Broken{"M1:{(1,\xc3\x97)}", "map-character", 1, 8, "byte 0xc3", "expected a number"},
        Broken{"M1:{(0,2),(3,4)}", "map-number", 1, 6, "a factor is 0", "1 to 1099511627776"},
        Broken{"M1:{(1,99999999999999999999999999),(3,4)}", "map-number", 1, 8, "a factor is too large", "1 to"},
        Broken{"M0:{(1),(2)}", "map-number", 1, 1, "the index of a subspace is 0", "1 to 1000000"},
        Broken{"M1:{(1,1048577),\n(1,1048577)}", "map-number", 2, 4, "the factors of dim 2 multiply to more than",
               "padded extent"},
        Broken{"M1:{(1,2),(3)}", "map-ragged", 1, 11, "this tuple has 1 elements, the first one of M1 has 2",
               "per dim"},
        Broken{"M1:{(1,2),(3,4)},M2:{(1,2)}", "map-ragged", 1, 18, "M2 has 1 tuples, M1 has 2 tuples", "per level"},
        Broken{"M1:{(1,2),(3,4)},M2:{(1),(2)}", "map-ragged", 1, 18, "M2 has 1 dims, M1 has 2 dims", "per dim"},
        Broken{"M7:{(1),(2)},M7:{(1),(2)}", "map-duplicate", 1, 14, "M7 is defined twice", "first at column 1"},
        Broken{"auto;dpus=1;dpus=2", "map-duplicate", 1, 13, "dpus is given twice", "first at column 6"},
        Broken{"auto;cyclic(a,1);cyclic(a,2)", "map-duplicate", 1, 18, "cyclic(a) is given twice", "first at column 6"},
        Broken{"auto;order(i,j,i)", "map-duplicate", 1, 16, "'i' appears twice", "outermost first"},
        Broken{"auto;bufer=16", "map-unknown-extension", 1, 6, "'bufer'", "did you mean 'buffer'?"},
        Broken{"auto;7", "map-syntax", 1, 6, "expected an extension",
               "cyclic, merge, mode, order, part, program, tail, append, bank_group_order, batch_reuse, buffer, "
               "direct, dpus"},
        Broken{"auto;tail=truncated", "map-unknown-value", 1, 11, "tail cannot be 'truncated'",
               "did you mean 'truncate'?"},
        Broken{"auto;tail=", "map-unknown-value", 1, 11, "the end of the text", "pad, truncate"},
        Broken{"auto;merge=hosts", "map-unknown-value", 1, 12, "merge cannot be 'hosts'", "did you mean 'host'?"},
        Broken{"auto;program=refrence", "map-unknown-value", 1, 14, "program cannot be 'refrence'",
               "did you mean 'reference'?"},
        Broken{"auto;program=compiled;program=compiled", "map-duplicate", 1, 23, "program is given twice", "column 6"},
        Broken{"auto;tail pad", "map-syntax", 1, 11, "expected '=' after 'tail'", "M1:{"},
        Broken{"auto;dpus=0", "map-number", 1, 11, "dpus is 0", "1 to"},
        Broken{"auto;cyclic 8", "map-syntax", 1, 13, "expected '(' after 'cyclic'", "M1:{"},
        Broken{"auto;cyclic(8,channel)", "map-syntax", 1, 13, "expected the name of a level", "cyclic(LEVEL,CHUNK)"},
        Broken{"auto;cyclic(channel)", "map-syntax", 1, 20, "expected ',' and a chunk", "M1:{"},
        Broken{"auto;order()", "map-syntax", 1, 12, "expected the name of a dim", "order(OUTER,...,INNER)"},
        Broken{"M1:{" + repeated("(1),", 16) + "(1)}", "map-too-large", 1, 69, "more than 16 tuples", "per level"},
        Broken{"M1:{(" + repeated("1,", 16) + "1)}", "map-too-large", 1, 38, "more than 16 elements", "per dim"},
        Broken{manySubspaces(), "map-too-large", 1, 15278, "more than 1024 subspaces", "larger"},
        Broken{"auto" + std::string(70000, ' '), "map-too-large", 1, 1, "70004 bytes", "larger"}));

TEST(MapNotationErrors, MoreDimsThanAnyKernelHasAreRefused) {
  std::string text = "auto;order(d0";
  for (int i = 1; i <= 16; ++i) text += ",d" + std::to_string(i);
  const Result<MapSpec> spec = parseMapSpec(text + ")");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.diagnostics().front().code, "map-too-large");
}

TEST(MapNotationErrors, TheFileNameIsTheCallers) {
  const Result<MapSpec> spec = parseMapSpec("nonsense", "best.map");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.diagnostics().front().where.str(), "best.map:1:1");
}

}  // namespace
}  // namespace pimento::mapping
