// Graphs that break a rule: one test per diagnostic code of the verifier.
#include <gtest/gtest.h>

#include <functional>

#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"

namespace pimento::kernel {
namespace {

/// y[i] += A[i,j] * x[j], i < 3, j < 4. Tensors: A, x, y; body: load A, load x, mul.
Graph matrixVector() {
  return *parseNotation("y[i] += A[i,j] * x[j]", {{"i", 3}, {"j", 4}}, DType::kF32);
}

void expectCode(const Graph &graph, const std::string &code, const std::string &part = {}) {
  const Status status = verify(graph);
  ASSERT_FALSE(status) << code;
  bool isFound = false;
  for (const Diagnostic &d : status.diagnostics()) {
    isFound |= d.code == code && d.message.find(part) != std::string::npos;
    EXPECT_FALSE(d.hint.empty());
  }
  EXPECT_TRUE(isFound) << code << "\n" << status.diagnostics()[0].str();
}

void breaking(const std::string &code, const std::function<void(Graph &)> &change, const std::string &part = {}) {
  Graph graph = matrixVector();
  change(graph);
  expectCode(graph, code, part);
}

TEST(VerifyErrors, TheUnchangedGraphIsFine) {
  EXPECT_TRUE(verify(matrixVector()));
}

TEST(VerifyErrors, AGraphWithoutKernelsIsEmpty) {
  expectCode({}, "empty-graph");
}

TEST(VerifyErrors, FindingsCarryTheKernelsPlace) {
  Graph graph = matrixVector();
  graph.kernels[0].stores.clear();
  const Status status = verify(graph);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.diagnostics()[0].where.str(), "<notation>:1:1");
}

TEST(VerifyErrors, NamesAreUnique) {
  breaking("duplicate-name", [](Graph &g) { g.tensors[1].name = "A"; }, "'A'");
  breaking("duplicate-name", [](Graph &g) { g.kernels[0].dims[1].name = "i"; }, "'i'");
}

TEST(VerifyErrors, ExtentsStartAtOne) {
  breaking("bad-extent", [](Graph &g) { g.tensors[0].shape[0] = 0; }, "'A'");
  breaking("bad-extent", [](Graph &g) { g.kernels[0].dims[0].extent = -1; }, "'i'");
}

TEST(VerifyErrors, SizesStayFarFromOverflow) {
  breaking("too-large", [](Graph &g) { g.tensors[0].shape = {1ll << 40, 1ll << 40}; }, "'A'");
  breaking("too-large", [](Graph &g) { g.kernels[0].dims[0].extent = 1ll << 60; }, "points");
  breaking("too-large", [](Graph &g) { g.kernels[0].loads[1].index[0].coefficients[1] = 1ll << 60; }, "coefficient");
}

TEST(VerifyErrors, ReferencesExist) {
  breaking("bad-reference", [](Graph &g) { g.kernels[0].loads[0].tensor = 3; }, "tensor number 3");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].loads[0].index[0].coefficients.pop_back(); }, "coefficients");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].guards.push_back({{1}, 0}); }, "guard");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].body[2].args[0] = 2; }, "before it");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].body[0].access = 9; }, "access 9");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].stores[0].value = 7; }, "%7");
  breaking(
      "bad-reference",
      [](Graph &g) {
        g.kernels[0].stores[0].target.indirectAt = 0;
        g.kernels[0].stores[0].target.indirectIndex = 7;
      },
      "indirect");
  breaking("bad-reference", [](Graph &g) { g.kernels[0].predicate = 7; }, "predicate");
  breaking(
      "bad-reference",
      [](Graph &g) {
        g.kernels[0].body[0].op = Op::kIndex;
        g.kernels[0].body[0].dim = 5;
      },
      "dim 5");
}

TEST(VerifyErrors, AccessesHaveTheTensorsRank) {
  breaking("rank-mismatch", [](Graph &g) { g.kernels[0].loads[0].index.pop_back(); }, "'A' has 2");
}

TEST(VerifyErrors, SomethingIsStored) {
  breaking("no-store", [](Graph &g) { g.kernels[0].stores.clear(); });
}

TEST(VerifyErrors, TypesFitTogether) {
  breaking("type-mismatch", [](Graph &g) { g.kernels[0].body[2].type = DType::kF16; }, "needs f16");
  breaking("type-mismatch", [](Graph &g) { g.tensors[0].type = DType::kF16; }, "loads f32 from 'A'");
  breaking("type-mismatch", [](Graph &g) { g.kernels[0].body[2].op = Op::kAnd; }, "not defined on f32");
  breaking("type-mismatch", [](Graph &g) { g.kernels[0].body[2].op = Op::kCmpLt; }, "has type f32");
  breaking(
      "type-mismatch",
      [](Graph &g) {
        g.kernels[0].body[0].op = Op::kIndex;
        g.kernels[0].body[0].dim = 0;
      },
      "index");
  breaking(
      "type-mismatch",
      [](Graph &g) {
        g.kernels[0].body[2].op = Op::kSelect;
        g.kernels[0].body[2].args = {0, 0, 1};
      },
      "select");
}

TEST(VerifyErrors, AccessesStayInBounds) {
  breaking("out-of-bounds", [](Graph &g) { g.tensors[1].shape = {3}; }, "runs over 0..3, but its extent is 3");
  breaking("out-of-bounds", [](Graph &g) { g.kernels[0].loads[1].index[0].constant = -1; }, "-1..2");
  breaking("out-of-bounds", [](Graph &g) { g.kernels[0].stores[0].target.index[0].constant = 1; }, "'y'");
}

TEST(VerifyErrors, RolesAreKept) {
  breaking("bad-role", [](Graph &g) { g.tensors[2].role = Role::kInput; }, "'y'");
  breaking("use-before-definition", [](Graph &g) { g.tensors[1].role = Role::kTemporary; }, "'x'");
  breaking("never-written", [](Graph &g) { g.tensors.push_back({"z", DType::kF32, {1}, Role::kOutput}); }, "'z'");
}

TEST(VerifyErrors, ElementsAreWrittenOnce) {
  breaking("duplicate-write", [](Graph &g) { g.kernels[0].stores[0].combine = Combine::kAssign; }, "dim 'j'");
  breaking("duplicate-write", [](Graph &g) { g.kernels[0].dims[1].kind = DimKind::kParallel; }, "parallel dim 'j'");
  breaking("duplicate-write", [](Graph &g) { g.kernels[0].stores.push_back(g.kernels[0].stores[0]); }, "two stores");
}

TEST(VerifyErrors, AKernelDoesNotReadWhatOtherPointsWrite) {
  Graph graph = *parseNotation("y[i+1] = y[i] + x[i]", {{"i", 4}}, DType::kF32);
  graph.kernels[0].dims[0].kind = DimKind::kParallel;
  expectCode(graph, "self-dependence", "'y'");
}

TEST(VerifyErrors, FormsHaveWhatTheyNeed) {
  breaking("bad-form", [](Graph &g) { g.kernels[0].form = Form::kIndirect; }, "0 stores");
  breaking("bad-form", [](Graph &g) { g.kernels[0].form = Form::kSelect; }, "predicate");
  breaking(
      "bad-form",
      [](Graph &g) {
        Access &target = g.kernels[0].stores[0].target;
        target.indirectAt = target.indirectIndex = 0;
        target.index[0].coefficients = {0, 0};
      },
      "not indirect");
  breaking("bad-form", [](Graph &g) { g.kernels[0].stores[0].target.indirectIndex = 0; }, "without a position");
  breaking("bad-form", [](Graph &g) { g.kernels[0].limit = 4; }, "a limit of 4 without a selection");
  Graph selection = *makeZooKernel("sel", {{"n", 5}}, DType::kI32);
  selection.tensors[1].shape = {4};
  expectCode(selection, "bad-form", "hold every point");
  Graph counted = *makeZooKernel("sel", {{"n", 5}}, DType::kI32);
  counted.kernels[0].stores[1].combine = Combine::kAssign;
  expectCode(counted, "bad-form", "the count");
  Graph histogram = *makeZooKernel("hst", {{"n", 5}}, DType::kI32);
  histogram.tensors[1].shape = {};
  histogram.kernels[0].stores[0].target.index.clear();
  expectCode(histogram, "bad-reference", "is indirect");
}

/// y[i] = x[i] in rounds of `k`.
Graph inRounds() {
  return *parseNotation("for k in 0..3 { y[i] = x[i] + k }", {{"i", 4}}, DType::kI32);
}

TEST(VerifyErrors, LoopsAreAroundKernelsThatCountThem) {
  const auto broken = [](const std::function<void(Graph &)> &change, const char *code, const char *what) {
    Graph graph = inRounds();
    change(graph);
    expectCode(graph, code, what);
  };
  broken([](Graph &g) { g.loops[0].extent = 0; }, "bad-extent", "0 rounds");
  broken([](Graph &g) { g.loops[0].end = 2; }, "bad-loop", "contains kernels 0 to 1");
  broken([](Graph &g) { g.kernels[0].dims[0].kind = DimKind::kParallel; }, "bad-loop",
         "lacks the counter of the enclosing loop 'k'");
  broken([](Graph &g) { g.kernels[0].dims[1].kind = DimKind::kCounter; }, "bad-loop", "not the counter of a loop");
  broken([](Graph &g) { g.kernels[0].dims[0].extent = 5; }, "bad-loop", "'k' has extent 5, loop 'k' 3 rounds");
  broken([](Graph &g) { g.loops[0].end = 0; }, "bad-loop", "contains no kernels");
  broken([](Graph &g) { g.loops[0].swaps = {{1, 1}}; }, "bad-reference", "swaps 'y' with itself");
  broken([](Graph &g) { g.loops[0].swaps = {{0, 7}}; }, "bad-reference", "swaps tensors number 0 and 7");
  broken(
      [](Graph &g) {
        g.tensors[0].shape = {9};
        g.loops[0].swaps = {{0, 1}};
      },
      "bad-loop", "differ in type or shape");
  broken(
      [](Graph &g) {
        g.kernels.push_back(g.kernels[0]);
        g.kernels[1].dims.insert(g.kernels[1].dims.begin(), {"l", 2, DimKind::kCounter});
        g.loops = {{"k", 3, 0, 1, {}, {}}, {"l", 2, 0, 2, {}, {}}};
      },
      "bad-loop", "neither nested in another loop nor separate");
}

TEST(VerifyErrors, AFollowerGoesWithAMinimum) {
  const Graph good = *parseNotation("m[i] min= x[i,j] with b[i] = j", {{"i", 4}, {"j", 5}}, DType::kI32);
  ASSERT_TRUE(verify(good));
  Graph sum = good;
  sum.kernels[0].stores[0].combine = Combine::kAdd;
  expectCode(sum, "bad-form", "not a minimum or maximum");
  Graph none = good;
  none.kernels[0].stores[1].follows = 1;
  expectCode(none, "bad-reference", "follows store number 1");
}

/// y[i] += v[e] for e in p[i]..p[i+1]: values 1 and 2 are the bounds.
void breakingRows(const std::string &code, const std::function<void(Kernel &)> &change, const std::string &part = {}) {
  Graph graph = *parseNotation("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 3}, {"e", 4}}, DType::kF32);
  ASSERT_EQ(graph.kernels[0].bounds[0].first, 1);
  change(graph.kernels[0]);
  expectCode(graph, code, part);
}

TEST(VerifyErrors, BoundsNameADimAndValues) {
  breakingRows("bad-reference", [](Kernel &k) { k.bounds[0].dim = 2; }, "dim number 2");
  breakingRows("bad-reference", [](Kernel &k) { k.bounds[0].end = 7; }, "a bound is %7");
  breakingRows("bad-bounds", [](Kernel &k) { k.bounds[0].first = k.bounds[0].end = -1; }, "has empty bounds");
}

TEST(VerifyErrors, ADimIsBoundedOnce) {
  breakingRows("bad-bounds", [](Kernel &k) { k.bounds.push_back(k.bounds[0]); }, "'e' has two sets of bounds");
}

TEST(VerifyErrors, BoundsAreIntegers) {
  breakingRows("type-mismatch", [](Kernel &k) { k.bounds[0].end = 0; }, "a bound of dim 'e' is not an integer");
}

TEST(VerifyErrors, BoundsAreKnownBeforeTheirDimRuns) {
  breakingRows(
      "bad-bounds",
      [](Kernel &k) { std::swap(k.loads[1].index[0].coefficients[0], k.loads[1].index[0].coefficients[1]); },
      "depend on dim 'e', which does not come before it");
  breakingRows("bad-bounds", [](Kernel &k) { k.bounds[0].dim = 0; }, "depend on dim 'i'");
}

TEST(VerifyErrors, BoundsStayAsTheyAre) {
  Graph graph = *parseNotation("y[i] += v[e] for e in p[i]..p[i+1]", {{"i", 3}, {"e", 4}}, DType::kI32);
  graph.tensors[static_cast<std::size_t>(graph.tensorNamed("p"))].role = Role::kInOut;
  graph.kernels[0].stores[0].target.tensor = graph.tensorNamed("p");
  expectCode(graph, "bad-bounds", "are read from 'p', which the kernel writes");
}

TEST(VerifyErrors, DataDoNotBoundCounters) {
  Graph graph = *parseNotation("for t in 0..3 { y[t] += v[e] for e in p[t]..p[t+1] }", {{"e", 4}}, DType::kF32);
  graph.kernels[0].bounds.push_back({0, -1, 1});
  expectCode(graph, "bad-bounds", "a loop counter");
}

}  // namespace
}  // namespace pimento::kernel
