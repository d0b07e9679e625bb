// What readers of DCC text refuse, with places.
#include <gtest/gtest.h>

#include <string>

#include "pimento/kernel/zoo.h"
#include "pimento/mapping/dcc.h"

namespace pimento::mapping {
namespace {

/// A matrix-vector product; line 1 is the platform.
const std::string kText = R"dcc(@hardware_platform[2, 4] small channel bank
func @mv(%A: <8x6xf32>, %x: <6xf32>): (%y: <8xf32>) {
  complex_dimset %i {%i[0], %i[1]} parallel
  %i[0] = %A.dim[0] -> i [representative]
  %i[1] = %y.dim[0] -> i
  %i.range = (0, 8, 1)
  complex_dimset %j {%j[0], %j[1]} reduction
  %j[0] = %A.dim[1] -> j [representative]
  %j[1] = %x.dim[0] -> j
  %j.range = (0, 6, 1)
  data_tile %dt_i: (2, 2) -> (2, 2, 2)
  data_tile %dt_j: (1, 2) -> (1, 2, 3)
  compute_tile %ct_i: (2, 2, 2) -> [[0:2, 2:4], [4:6, 6:8]]
  compute_tile %ct_j: (1, 2, 3) -> [[0:3, 3:6]]
  tensor_tile %tt_A[0]: %ct_i -> [[0:2, 2:4], [4:6, 6:8]]
  tensor_tile %tt_A[1]: %ct_j -> [[0:3, 3:6]]
  %A_core = rearrange %A -> %tt_A [to_PIM_core]
  %x_core = rearrange %x -> %tt_x [to_PIM_core]
  parallel_PIM (2, 4) {
    loop (i, j) in (%ct_i, %ct_j) {
      @0 = read A_core[i,j]
      @1 = read x_core[j]
      %0 = load f32 @0
      %1 = load f32 @1
      %2 = mul f32 %0 %1
      store add y_core[i] %2
    }
  }
  %y = rearrange %y_core -> %tt_y [to_host]
}
)dcc";

std::string with(const std::string &what, const std::string &instead) {
  std::string text = kText;
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), instead);
}

struct Broken {
  std::string what, instead, code;
  int line;
  std::string message, hint;
};

TEST(DccErrors, TheTextItselfIsRight) {
  const auto read = parseDcc(kText, "t.dcc");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  EXPECT_TRUE(verify(*read)) << "its kernel is one";
}

TEST(DccErrors, AreSaidWhereTheyStand) {
  const Broken cases[] = {
      {"@hardware_platform", "@hardware", "cnm-syntax", 1, "expected 'hardware_platform'",
       "@hardware_platform[16, 64]"},
      {"[2, 4]", "[2 4]", "cnm-syntax", 1, "expected", "@hardware_platform"},
      {"[2, 4]", "[0, 4]", "cnm-number", 1, "", ""},
      {" small channel bank", " small channel", "dcc-platform", 1, "at least two levels", "@hardware_platform"},
      {"func @mv", "fun @mv", "cnm-syntax", 2, "expected 'func'", "func @name"},
      {"<8x6xf32>", "<8x6xf33>", "cnm-unknown-word", 2, "'f33' is no element type", "f16"},
      {"<8x6xf32>", "<8x0xf32>", "cnm-number", 2, "'0' is no extent", "at least 1"},
      {"<8x6xf32>", "<8x-6xf32>", "cnm-number", 2, "no extent", "at least 1"},
      {"(%y: <8xf32>)", "(y: <8xf32>)", "cnm-syntax", 2, "expected", "func @name"},
      {": (%y: <8xf32>) {", ": (%y: <8xf32>)", "cnm-syntax", 2, "expected", "func @name"},
      {"} parallel", "} paralel", "cnm-unknown-word", 3, "paralel", "parallel"},
      {"complex_dimset %j", "complex_dimset %i", "cnm-duplicate", 7, "already exists", "rename"},
      {"%i.range", "%k.range", "cnm-unknown-induction", 6, "no set %k", ""},
      {"(0, 8, 1)", "(1, 8, 1)", "cnm-number", 6, "", ""},
      {"(0, 8, 1)", "(0, 8, 2)", "cnm-number", 6, "", ""},
      {"  %i.range = (0, 8, 1)\n", "\n", "cnm-syntax", 3, "has no range", "%i.range = (0, N, 1)"},
      {"-> i [representative]", "-> i+1 [representative]", "dcc-derived", 4, "not what the function", "%A.dim[0] -> i"},
      {"%i[1] = %y.dim[0]", "%i[1] = %x.dim[0]", "dcc-derived", 5, "not what the function", "%y.dim[0] -> i"},
      {"{%j[0], %j[1]}", "{%j[0]}", "dcc-derived", 7, "", "{%j[0], %j[1]}"},
      {"data_tile %dt_i", "data_tile %i", "cnm-syntax", 11, "called %dt_", "data_tile %dt_i"},
      {"data_tile %dt_i", "data_tile %dt_k", "cnm-unknown-induction", 11, "no set %k", "i"},
      {"(2, 2) -> (2, 2, 2)", "(2, 2) -> (1, 2, 2)", "dcc-tile", 11, "before and behind the arrow", ""},
      {"(2, 2) -> (2, 2, 2)", "(2, 2) -> (2, 2, 1)", "dcc-tile", 11, "hold 4 values of 8", "cover the range"},
      {"(2, 2) -> (2, 2, 2)", "(4, 2) -> (4, 2, 1)", "dcc-tile", 11, "take 4 groups of 4 cores", "fewer groups"},
      {"(1, 2) -> (1, 2, 3)", "(1, 4) -> (1, 4, 2)", "dcc-tile", 11, "take 2 groups of 8 cores", "fewer groups"},
      {"(2, 2) -> (2, 2, 2)", "(2, 2) -> (2, 2, 2) by rank 2", "cnm-unknown-level", 11, "no level rank", "bank"},
      {"(2, 2) -> (2, 2, 2)", "(2, 2) -> (2, 2, 2) by channel 2 bank 2", "dcc-tile", 11, "behind 'by'", "product"},
      {"  data_tile %dt_j: (1, 2) -> (1, 2, 3)\n", "\n", "dcc-tile", 7, "%j has no data tile", "data_tile"},
      {"[[0:2, 2:4], [4:6, 6:8]]", "[[0:2, 2:4], [4:6, 6:7]]", "dcc-derived", 13, "", "[4:6, 6:8]"},
      {"%tt_A[1]: %ct_j -> [[0:3, 3:6]]", "%tt_A[1]: %ct_j -> [[0:3, 3:5]]", "dcc-derived", 16, "", "3:6"},
      {"rearrange %x -> %tt_x", "rearrange %x -> %tt_A", "dcc-derived", 18, "", "%tt_x"},
      {"[to_host]", "[to_PIM_core]", "dcc-derived", 29, "", "[to_host]"},
      {"parallel_PIM (2, 4)", "parallel_PIM (2, 8)", "dcc-tile", 19, "2 groups of 4 cores", "parallel_PIM"},
      {"parallel_PIM (2, 4) {", "parallel_PIM (2, 4) with \"blub=1\" {", "map-unknown-extension", 19, "blub", ""},
      {"loop (i, j)", "loop (j, i)", "dcc-tile", 20, "not the sets, in their order", "loop"},
      {"loop (i, j)", "loop (i, k)", "cnm-unknown-induction", 20, "no set %k", ""},
      {"(%ct_i, %ct_j) {", "(%ct_i, %ct_i) {", "dcc-tile", 20, "not the compute tile of j", "loop"},
      {"read A_core[i,j]", "read A[i,j]", "cnm-unknown-operand", 21, "unknown operand A", ""},
      {"read A_core[i,j]", "read A_core[i]", "cnm-rank", 21, "2 dimensions", ""},
      {"%1 = load f32 @1", "%1 = load f32 @2", "cnm-unknown-value", 24, "no request @2", ""},
      {"%2 = mul", "%3 = mul", "cnm-numbering", 25, "expected value %2", ""},
      {"store add y_core[i] %2", "space M1 {", "cnm-unknown-word", 26, "statement of a kernel", ""},
      {"  %y = rearrange %y_core -> %tt_y [to_host]\n}\n", "", "cnm-unclosed", 2, "mv is not closed", "'}'"},
  };
  for (const Broken &b : cases) {
    const auto read = parseDcc(with(b.what, b.instead), "t.dcc");
    ASSERT_FALSE(read) << b.instead;
    const Diagnostic &d = read.diagnostics().front();
    EXPECT_EQ(d.code, b.code) << b.instead << ": " << d.str();
    EXPECT_EQ(d.where.line, b.line) << b.instead << ": " << d.str();
    EXPECT_NE(d.message.find(b.message), std::string::npos) << d.str();
    EXPECT_NE(d.hint.find(b.hint), std::string::npos) << b.instead << ": " << d.str();
    EXPECT_FALSE(d.hint.empty()) << d.str();
  }
}

TEST(DccErrors, OtherPlacesAndTwoPlatforms) {
  const auto code = [](const std::string &text) {
    const auto read = parseDcc(text, "t.dcc");
    return read ? "" : read.diagnostics().front().code;
  };
  EXPECT_EQ(code(""), "cnm-syntax");
  EXPECT_EQ(code("@host\n" + kText), "cnm-duplicate");
  EXPECT_EQ(code(kText.substr(kText.find("func"))), "dcc-platform");
  std::string other = kText;
  other.replace(other.find("small"), 5, "large");
  EXPECT_EQ(code(kText + other), "dcc-platform");
  EXPECT_EQ(code(with("%j[0] = %A.dim[1] -> j [representative]", "%j[0] = %A.dim[1] -> j")), "");
  EXPECT_EQ(code(std::string(5 << 20, ' ')), "cnm-too-large");
  // Tiles in cyclic chunks hold other values than these.
  EXPECT_EQ(code(with("parallel_PIM (2, 4) {", "parallel_PIM (2, 4) with \"cyclic(bank,1)\" {")), "dcc-derived");
}

/// The matrix has a row more, and i + 1 is marked: tiles of three rows on four cores.
std::string withBorders() {
  std::string text = with("%A: <8x6xf32>", "%A: <9x6xf32>");
  const auto swap = [&text](const std::string &what, const std::string &instead) {
    text.replace(text.find(what), what.size(), instead);
  };
  swap("-> i [representative]", "-> i+1 [representative]");
  swap("read A_core[i,j]", "read A_core[i+1,j]");
  swap("(2, 2) -> (2, 2, 2)", "(2, 2) -> (2, 2, 3)");
  swap("(2, 2, 2) -> [[0:2, 2:4], [4:6, 6:8]]", "(2, 2, 3) -> [[0:2, 2:5], [5:8, -]]");
  swap("tensor_tile %tt_A[0]: %ct_i -> [[0:2, 2:4], [4:6, 6:8]]",
       "tensor_tile %tt_A[0]: %ct_i -> [[1:3, 3:6], [6:9, -]]");
  return text;
}

TEST(DccErrors, OfBordersInAFunctionThatIsNotTheLoop) {
  const auto read = parseDcc(withBorders(), "t.dcc");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  EXPECT_EQ(print(*read->mappings[0]), "M1:{(2,1),(2,2),(3,3)};by(i: A[0]=i+1)");
  const auto found = [](const std::string &what, const std::string &instead) {
    std::string text = withBorders();
    EXPECT_NE(text.find(what), std::string::npos) << what;
    text.replace(text.find(what), what.size(), instead);
    const auto broken = parseDcc(text, "t.dcc");
    return broken ? ""
                  : broken.diagnostics().front().code + " " + std::to_string(broken.diagnostics().front().where.line);
  };
  EXPECT_EQ(found("%i[1] = %y.dim[0] -> i", "%i[1] = %y.dim[0] -> i [representative]"), "dcc-representative 5");
  EXPECT_EQ(found("(2, 2) -> (2, 2, 3)", "(2, 2) -> (2, 2, 2)"), "dcc-tile 11");
  EXPECT_EQ(found("(2, 2) -> (2, 2, 3)", "(2, 2) -> (2, 2, 3) by channel 2 range 3"), "dcc-tile 11");
  EXPECT_EQ(found("[[0:2, 2:5], [5:8, -]]", "[[0:3, 3:6], [6:8, -]]"), "dcc-derived 13");
  EXPECT_EQ(found("[[1:3, 3:6], [6:9, -]]", "[[0:3, 3:6], [6:9, -]]"), "dcc-derived 15");
  EXPECT_EQ(found("parallel_PIM (2, 4) {", "parallel_PIM (2, 4) with \"by(j: A[1]=j)\" {"), "map-by 19");
}

TEST(DccErrors, AFunctionWithoutTilesHasNoBorders) {
  const std::string text = R"dcc(func @mv(%A: <9xf32>): (%y: <8xf32>) {
  complex_dimset %i {%i[0], %i[1]} parallel
  %i[0] = %A.dim[0] -> i+1 [representative]
  %i.range = (0, 8, 1)
  loop (i) {
    @0 = read A_core[i+1]
    %0 = load f32 @0
    store assign y_core[i] %0
  }
}
)dcc";
  const auto read = parseDcc(text, "t.dcc");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.diagnostics().front().code, "dcc-representative") << read.diagnostics().front().str();
  EXPECT_EQ(read.diagnostics().front().where.line, 3);
}

TEST(DccErrors, WhatItCannotSay) {
  const auto machine = machine::loadMachine("hbm-pim", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_TRUE(machine);
  CnmModule m;
  m.graph = *kernel::makeZooKernel("gemv", {{"m", 64}, {"n", 64}}, DType::kF16);
  m.mappings = {*parseMapSpec("M1:{(2,1),(4,1),(1,16),(4,4)},M2:{(1,1),(8,1),(1,16),(4,4)}")};
  ASSERT_FALSE(printDcc(m, *machine));
  EXPECT_EQ(printDcc(m, *machine).diagnostics().front().code, "unsupported-dcc");
  m.graph = *kernel::makeZooKernel("hst", {}, DType::kI32);
  m.mappings = {std::nullopt};
  ASSERT_FALSE(printDcc(m, *machine));
  EXPECT_EQ(printDcc(m, *machine).diagnostics().front().code, "unsupported-dcc");
}

}  // namespace
}  // namespace pimento::mapping
