// Loop nests as text: what the Python package hands over becomes the same kernels that C and MLIR become.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pimento/frontend/nest/text.h"
#include "pimento/kernel/interpreter.h"

namespace {

using namespace pimento;
using frontend::NestKernels;

/// y[i] += A[i, j] * x[j], from zeros.
const std::string kGemv = R"({"nest": 1, "function": "gemv", "files": ["gemv.py"], "at": [3, 1],
  "loops": [{"name": "d0", "extent": 4, "at": [4, 9]}, {"name": "i", "extent": 4, "at": [5, 9]},
            {"name": "j", "extent": 8, "at": [6, 13]}],
  "buffers": [{"name": "A", "kind": "argument", "type": "f16", "shape": [4, 8], "at": [3, 10]},
              {"name": "x", "kind": "argument", "type": "f16", "shape": [8], "at": [3, 13]},
              {"name": "y", "kind": "result", "type": "f16", "shape": [4], "at": [4, 9]}],
  "values": [["constant", "f16", 0.0], ["load", "f16", 2, [[0, 1, 1]], [7, 13]],
             ["load", "f16", 0, [[0, 1, 1], [0, 2, 1]], [7, 21]], ["load", "f16", 1, [[0, 2, 1]], [7, 31]],
             ["mul", "f16", 2, 3], ["add", "f16", 1, 4]],
  "statements": [{"buffer": 2, "index": [[0, 0, 1]], "value": 0, "loops": [0], "guards": [], "if": [], "at": [4, 9],
                  "in": "gemv"},
                 {"buffer": 2, "index": [[0, 1, 1]], "value": 5, "loops": [1, 2], "guards": [], "if": [], "at": [7, 13],
                  "in": "gemv"}]})";

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(NestText, AProductBecomesOneKernelAtItsPlace) {
  const Result<NestKernels> read = frontend::readNest(kGemv, "gemv.nest");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  const kernel::Graph &g = read->graph;
  EXPECT_EQ(g.name, "gemv");
  ASSERT_EQ(g.kernels.size(), 1U);
  EXPECT_EQ(g.kernels[0].where.str(), "gemv.py:7:13");
  EXPECT_EQ(g.kernels[0].dims[0].kind, kernel::DimKind::kParallel);
  EXPECT_EQ(g.kernels[0].dims[1].kind, kernel::DimKind::kReduction);
  ASSERT_EQ(g.tensors.size(), 3U);
  EXPECT_EQ(g.tensors[2].name, "y");
  EXPECT_EQ(g.tensors[2].role, kernel::Role::kOutput);
}

TEST(NestText, ConditionsOnLoopsAreGuardsAndOthersPredicates) {
  // if (i > 0): y[i] += ...
  std::string text = replaced(kGemv, R"(["add", "f16", 1, 4]])",
                              R"(["add", "f16", 1, 4], ["index", "i64", [0, 1, 1]], ["constant", "i64", 0],
                                  ["cmp_gt", "u8", 6, 7], ["cmp_gt", "u8", 3, 0], ["false", 9]])");
  const Result<NestKernels> guarded =
      frontend::readNest(replaced(text, R"("if": [], "at": [7, 13])", R"("if": [8], "at": [7, 13])"), "t");
  ASSERT_TRUE(guarded) << guarded.diagnostics().front().str();
  ASSERT_EQ(guarded->graph.kernels.back().guards.size(), 1U);
  EXPECT_EQ(guarded->graph.kernels.back().guards[0].constant, -1);
  const Result<NestKernels> chosen =
      frontend::readNest(replaced(text, R"("if": [], "at": [7, 13])", R"("if": [10], "at": [7, 13])"), "t");
  ASSERT_TRUE(chosen) << chosen.diagnostics().front().str();
  EXPECT_TRUE(chosen->graph.kernels.back().guards.empty());
  EXPECT_TRUE(std::ranges::any_of(chosen->graph.kernels.back().body,
                                  [](const kernel::Value &v) { return v.op == kernel::Op::kSelect; }));
}

TEST(NestText, AnIndexMayComeFromData) {
  const Result<NestKernels> read = frontend::readNest(R"({"nest": 1, "function": "f", "at": [1, 1],
    "loops": [{"name": "i", "extent": 5, "at": [1, 1]}],
    "buffers": [{"name": "x", "kind": "argument", "type": "i32", "shape": [5], "at": [1, 1]},
                {"name": "h", "kind": "argument", "type": "i32", "shape": [9], "at": [1, 1]}],
    "values": [["load", "i32", 0, [[0, 0, 1]], [2, 1]], ["load", "i32", 1, [[0]], [2, 1], 0, 0],
               ["constant", "i32", 1], ["add", "i32", 1, 2]],
    "statements": [{"buffer": 1, "index": [[0]], "data": [0, 0], "value": 3, "loops": [0], "guards": [], "if": [],
                    "at": [2, 1], "in": "f"}]})",
                                                      "t");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  EXPECT_EQ(read->graph.kernels.back().form, kernel::Form::kIndirect);
  kernel::DataSet data(read->graph.tensors.size());
  for (std::size_t t = 0; t < data.size(); ++t) data[t] = {read->graph.tensors[t].type, read->graph.tensors[t].shape};
  const auto x = static_cast<std::size_t>(read->graph.tensorNamed("x"));
  for (int i = 0; i < 5; ++i) data[x].setInteger(i, i < 3 ? 7 : 1);
  ASSERT_TRUE(kernel::interpret(read->graph, data));
  const kernel::TensorData &h = data[static_cast<std::size_t>(read->graph.tensorNamed("h"))];
  EXPECT_EQ(h.asInteger(7), 3);
  EXPECT_EQ(h.asInteger(1), 2);
}

TEST(NestText, AStatementOfWhichOnlyTheLastIterationCountsIsNoPartOfALoopAroundKernels) {
  // for i: for j: t[0] += s[i]; y[0] = a[i]; s[i + 1] = t[0]
  const Result<NestKernels> read = frontend::readNest(R"({"nest": 1, "function": "f", "at": [1, 1],
    "loops": [{"name": "i", "extent": 5, "at": [1, 1]}, {"name": "j", "extent": 5, "at": [1, 1]}],
    "buffers": [{"name": "t", "kind": "argument", "type": "f32", "shape": [1], "at": [1, 1]},
                {"name": "y", "kind": "argument", "type": "f32", "shape": [1], "at": [1, 1]},
                {"name": "s", "kind": "argument", "type": "f32", "shape": [6], "at": [1, 1]},
                {"name": "a", "kind": "argument", "type": "f32", "shape": [5], "at": [1, 1]}],
    "values": [["load", "f32", 0, [[0]], [1, 1]], ["load", "f32", 2, [[0, 0, 1]], [1, 1]], ["add", "f32", 0, 1],
               ["load", "f32", 3, [[0, 0, 1]], [1, 1]]],
    "statements": [
      {"buffer": 0, "index": [[0]], "value": 2, "loops": [0, 1], "guards": [], "if": [], "at": [2, 1], "in": "f"},
      {"buffer": 1, "index": [[0]], "value": 3, "loops": [0], "guards": [], "if": [], "at": [3, 1], "in": "f"},
      {"buffer": 2, "index": [[1, 0, 1]], "value": 0, "loops": [0], "guards": [], "if": [], "at": [4, 1], "in": "f"}]})",
                                                      "t");
  ASSERT_TRUE(read) << read.diagnostics().front().str();
  ASSERT_EQ(read->graph.loops.size(), 1U);
  EXPECT_EQ(read->graph.loops[0].first, 1);
  EXPECT_EQ(read->graph.loops[0].end, 3);
  EXPECT_TRUE(read->graph.kernels[0].dims.empty());
}

}  // namespace
