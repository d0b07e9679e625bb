// Graph -> MLIR text -> (mlir-opt) -> Graph: what comes back computes the same bits.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "pimento/base/rng.h"
#include "pimento/emit/mlir.h"
#include "pimento/frontend/frontend.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/interpreter.h"
#include "pimento/kernel/isolate.h"
#include "pimento/kernel/networks.h"
#include "pimento/kernel/notation.h"
#include "pimento/kernel/zoo.h"
#include "test/support/same_results.h"

namespace pimento {
namespace {

using kernel::Combine;
using kernel::DimKind;
using kernel::Graph;
using kernel::Op;
using kernel::Role;

/// What mlir-opt 19 makes of a text; empty if it is not installed.
std::string optimized(const std::string &text, const std::string &passes) {
  if (std::system("command -v mlir-opt-19 > /dev/null 2>&1") != 0) return {};
  const std::string stem = fmt::format("{}/round_trip_{}", PIMENTO_BINARY_DIR, getpid());
  std::ofstream(stem + ".mlir") << text;
  const int status = std::system(fmt::format("mlir-opt-19 {0} {1}.mlir -o {1}.out 2> {1}.err", passes, stem).c_str());
  std::stringstream result, said;
  result << std::ifstream(stem + ".out").rdbuf();
  said << std::ifstream(stem + ".err").rdbuf();
  for (const char *ending : {".mlir", ".out", ".err"}) std::remove((stem + ending).c_str());
  EXPECT_EQ(status, 0) << said.str() << text;
  return result.str();
}

Graph imported(const std::string &text, const std::string &function = {}) {
  Result<Graph> graph = frontend::importMlir(text, "t.mlir", {function, {}});
  if (graph) return std::move(*graph);
  for (const Diagnostic &d : graph.diagnostics()) ADD_FAILURE() << d.str() << "\n" << text;
  return {};
}

/// As a function says it: arguments before temporaries, constants rounded to their type.
Graph asFunction(Graph g) {
  for (kernel::Kernel &k : g.kernels) {
    for (kernel::Value &v : k.body) {
      if (v.op == Op::kConstant && isFloat(v.type)) v.constant = decodeFloat(v.type, encodeFloat(v.type, v.constant));
    }
  }
  std::vector<int> to(g.tensors.size());
  std::vector<kernel::Tensor> tensors;
  for (const bool isLate : {false, true}) {
    for (std::size_t t = 0; t < g.tensors.size(); ++t) {
      if ((g.tensors[t].role == Role::kTemporary) != isLate) continue;
      to[t] = static_cast<int>(tensors.size());
      tensors.push_back(g.tensors[t]);
    }
  }
  g.tensors = std::move(tensors);
  for (kernel::Kernel &k : g.kernels) {
    for (kernel::Access &a : k.loads) a.tensor = to[static_cast<std::size_t>(a.tensor)];
    for (kernel::Store &s : k.stores) s.target.tensor = to[static_cast<std::size_t>(s.target.tensor)];
  }
  return g;
}

kernel::Sizes smallSizes(const kernel::ZooEntry &entry) {
  kernel::Sizes sizes;
  for (const auto &[name, value] : entry.defaults) sizes[name] = std::min<std::int64_t>(value, 12);
  return sizes;
}

TEST(MlirRoundTrip, EveryAffineKernelOfTheZooComesBack) {
  int count = 0;
  for (const kernel::ZooEntry &entry : kernel::zoo()) {
    if (entry.isNetwork) continue;
    for (const DType type : {DType::kF16, DType::kF32, DType::kI32}) {
      Result<Graph> graph = kernel::makeZooKernel(entry.name, smallSizes(entry), type);
      if (!graph) graph = kernel::makeZooKernel(entry.name, {}, type);
      if (!graph) continue;
      const Result<std::string> text = emit::toMlir(*graph);
      if (!text) {
        EXPECT_EQ(text.diagnostics().front().code, "no-mlir-form") << entry.name;
        continue;
      }
      const Graph back = imported(*text);
      if (back.kernels.empty()) continue;
      // Loads of a loop nest come back in the order in which the body uses them.
      if (text->find("affine.for") == std::string::npos) {
        EXPECT_EQ(kernel::shapeText(asFunction(*graph)), kernel::shapeText(back)) << entry.name << *text;
      }
      test::expectSameResults(*graph, back, *text);
      ++count;
      if (type == DType::kF16) continue;
      const std::string canonical = optimized(*text, "--canonicalize");
      if (!canonical.empty()) test::expectSameResults(*graph, imported(canonical), canonical);
    }
  }
  EXPECT_GT(count, 20);
}

/// Small kernels of random loops, accesses, types and bodies.
class RandomKernel {
 public:
  explicit RandomKernel(std::uint64_t seed) : rng_(seed) {}

  Graph make(int number) {
    Graph g;
    g.name = fmt::format("f{}", number);
    const std::vector<DType> types{DType::kF32, DType::kF16, DType::kI32, DType::kI8};
    type_ = types[pick(types.size())];
    std::vector<kernel::Dim> dims;
    const std::size_t count = 1 + pick(4);
    bool hasReduction = false;
    for (std::size_t d = 0; d < count; ++d) {
      const bool isReduction = pick(3) == 0;
      hasReduction = hasReduction || isReduction;
      dims.push_back({fmt::format("d{}", d), static_cast<std::int64_t>(1 + pick(5)),
                      isReduction ? DimKind::kReduction : DimKind::kParallel});
    }
    const std::vector<Combine> combines{Combine::kAdd, Combine::kMul, Combine::kMin, Combine::kMax};
    const Combine combine = hasReduction ? combines[pick(4)] : Combine::kAssign;
    kernel::KernelBuilder k("k", dims);
    // One operand that all loops index, so that linalg knows their extents.
    std::vector<kernel::Affine> all, target;
    kernel::Tensor whole{"a", type_, {}, Role::kInput}, result{"y", type_, {}, Role::kOutput};
    for (std::size_t d = 0; d < count; ++d) {
      all.push_back(k.index(static_cast<int>(d)));
      whole.shape.push_back(dims[d].extent);
      if (dims[d].kind == DimKind::kReduction) continue;
      target.push_back(k.index(static_cast<int>(d)));
      result.shape.push_back(dims[d].extent);
    }
    if (hasReduction && pick(3) == 0) result.role = Role::kInOut;
    g.tensors.push_back(whole);
    std::vector<int> values{k.load(0, type_, all)};
    addShifted(g, k, dims, values);
    const std::size_t steps = 1 + pick(4);
    for (std::size_t s = 0; s < steps; ++s) values.push_back(step(k, values, dims.size()));
    // Every operand counts, so that none is left out of what comes back.
    values.push_back(k.op(Op::kAdd, type_, values.back(), values[0]));
    values.push_back(k.op(Op::kAdd, type_, values.back(), values[1]));
    g.tensors.push_back(result);
    k.store(static_cast<int>(g.tensors.size()) - 1, target, values.back(), combine);
    g.kernels.push_back(k.take());
    return g;
  }

 private:
  std::size_t pick(std::size_t n) { return static_cast<std::size_t>(rng_.below(n)); }

  /// An operand read at a sum of loops.
  void addShifted(Graph &g, kernel::KernelBuilder &k, const std::vector<kernel::Dim> &dims, std::vector<int> &values) {
    if (pick(2) == 0) return;
    kernel::Affine form = k.at(static_cast<std::int64_t>(pick(2)));
    std::int64_t last = form.constant;
    for (std::size_t d = 0; d < dims.size(); ++d) {
      form.coefficients[d] = static_cast<std::int64_t>(pick(3));
      last += form.coefficients[d] * (dims[d].extent - 1);
    }
    form.constant += 1;  // never a loop alone
    g.tensors.push_back({"b", type_, {last + 3}, Role::kInput});
    values.push_back(k.load(static_cast<int>(g.tensors.size()) - 1, type_, {form}));
  }

  int step(kernel::KernelBuilder &k, const std::vector<int> &values, std::size_t dims) {
    // Unequal, so that mlir-opt folds nothing away.
    const int a = values[pick(values.size())];
    const int b = values.size() > 1 && a != values.back() ? values.back() : k.constant(type_, 2);
    switch (pick(9)) {
      case 0:
        return k.op(Op::kSub, type_, a, b);
      case 1:
        return k.op(Op::kMul, type_, a, b);
      case 2:
        return k.op(Op::kMax, type_, a, b);
      case 3:
        return k.op(Op::kAbs, type_, a);
      case 4:
        return k.op(Op::kAdd, type_, a, k.constant(type_, 3));
      case 5:
        return k.op(Op::kSelect, type_, k.op(Op::kCmpLt, DType::kU8, a, b), a, b);
      case 6:
        return k.cast(type_, k.op(Op::kMul, DType::kF64, k.cast(DType::kF64, a), k.cast(DType::kF64, b)));
      case 7:
        return k.op(Op::kAdd, type_, a, k.cast(type_, k.indexValue(static_cast<int>(pick(dims)), DType::kI64)));
      default:
        return k.op(Op::kAdd, type_, a, b);
    }
  }

  Rng rng_;
  DType type_ = DType::kF32;
};

TEST(MlirRoundTrip, RandomKernelsComeBackAndTheirAffineLoopsComputeTheSame) {
  constexpr int kCount = 80;
  RandomKernel random(7);
  std::vector<Graph> graphs;
  std::string module;
  for (int n = 0; n < kCount; ++n) {
    Graph g = random.make(n);
    ASSERT_TRUE(kernel::verify(g).ok()) << kernel::print(g);
    const Result<std::string> text = emit::toMlir(g);
    ASSERT_TRUE(text);
    module += *text;
    graphs.push_back(std::move(g));
  }
  const std::string lowered = optimized(module, "--convert-linalg-to-affine-loops");
  const std::string canonical = optimized(module, "--canonicalize");
  for (const Graph &g : graphs) {
    test::expectSameResults(g, imported(module, g.name), *emit::toMlir(g));
    if (lowered.empty()) continue;
    test::expectSameResults(g, imported(canonical, g.name), *emit::toMlir(g));
    const Graph loops = imported(lowered, g.name);
    test::expectSameResults(g, loops, *emit::toMlir(g));
    const Result<std::string> again = emit::toMlir(loops);
    ASSERT_TRUE(again);
    test::expectSameResults(g, imported(*again), *again);
  }
}

/// Loops that exchange tensors; others may come back as loops of a kernel.
long exchanges(const Graph &graph) {
  return std::count_if(graph.loops.begin(), graph.loops.end(), [](const kernel::Loop &l) { return !l.swaps.empty(); });
}

TEST(MlirRoundTrip, RoundsAndIndicesFromDataComeBack) {
  struct Case {
    const char *text;
    kernel::Sizes sizes;
  };
  const std::vector<Case> cases{
      {"for t in 0..5 { b[i] = a[i-1] + a[i] + a[i+1] where i >= 1, i < 7; swap a, b }", {{"i", 8}}},
      {"for t in 0..4 { b[i] = a[i] + t; swap a, b }; y[i] = a[i] * b[i]", {{"i", 8}}},
      {"for t in 0..3 { for u in 0..3 { b[i] = a[i] + u; swap a, b }; b[i] = b[i] * a[i]; swap a, b }; y[i] = a[i]",
       {{"i", 8}}},
      {"for k in 0..5 { f[i] = A[i,k] - A[k,k] where i > k; A[i,j] = A[i,j] - f[i] * A[k,j] where i > k, j >= k }",
       {{"i", 5}, {"j", 5}}},
      {"for k in 1..4 { for l in k..2*k+1 { y[i] = y[i] + 10*k + l where i <= k } }", {{"i", 6}}},
      {"for k in 0..3 { s[] += x[i] }", {{"i", 4}}},
      {"for k in 0..3 { t[i] += A[i,j] * x[j]; x[i] = t[i] }", {{"i", 4}, {"j", 4}}},
      {"for k in 0..3 { z[k] = x[k]; y[k] = z[k] * z[k] }", {}},
      {"y[i] = x[p[i]]", {{"i", 4}, {"x", 6}}},
      {"n[p[i],j] += x[i,j]", {{"i", 6}, {"j", 3}, {"n_1", 5}}},
      {"y[p[i]] = x[i]", {{"i", 9}, {"y", 5}}},
      {"for k in 0..3 { y[p[i]] += x[p[i]] * k }", {{"i", 5}, {"x", 6}, {"y", 6}}},
      {"m[i] min= x[i,j] with b[i] = j", {{"i", 4}, {"j", 7}}},
      {"m[i] max= x[i,j] with b[i] = j; y[i] = w[b[i]]", {{"i", 4}, {"j", 7}, {"w", 7}}},
      {"o append= x[i] if x[i] > 0 count n", {{"i", 12}}},
      {"y[i+1] = y[i] + x[i]", {{"i", 8}}},
  };
  int count = 0;
  for (const Case &c : cases) {
    for (const DType type : {DType::kI32, DType::kF32}) {
      SCOPED_TRACE(c.text);
      const Result<Graph> graph = kernel::parseNotation(c.text, c.sizes, type);
      if (!graph && type == DType::kF32) continue;  // what data index is an integer
      ASSERT_TRUE(graph.ok()) << graph.diagnostics().front().str();
      const Result<std::string> text = emit::toMlir(*graph);
      ASSERT_TRUE(text.ok()) << text.diagnostics().front().str();
      const Graph back = imported(*text);
      if (back.kernels.empty()) continue;
      EXPECT_EQ(exchanges(*graph), exchanges(back)) << *text << kernel::print(back);
      test::expectSameResults(*graph, back, *text);
      const std::string canonical = optimized(*text, "--canonicalize");
      if (!canonical.empty()) test::expectSameResults(*graph, imported(canonical), canonical);
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

TEST(MlirRoundTrip, SelectionsByRowsAndExtremesBesideOtherStoresHaveNoForm) {
  for (const char *text : {"o[i] append= x[i,j] if x[i,j] > 0 count n[i]", "o append= x[i] if x[i] > 0 count n limit 3",
                           "o append= x[i] if x[i] > 0"}) {
    const Result<Graph> graph = kernel::parseNotation(text, {{"i", 8}, {"j", 8}}, DType::kI32);
    if (!graph) continue;
    const Result<std::string> written = emit::toMlir(*graph);
    ASSERT_FALSE(written.ok()) << text;
    EXPECT_EQ(written.diagnostics().front().code, "no-mlir-form");
    EXPECT_FALSE(written.diagnostics().front().hint.empty());
  }
}

TEST(MlirRoundTrip, NamesAndMappingsComeBack) {
  const Result<Graph> graph = kernel::makeZooKernel("gemv", {{"m", 16}, {"n", 8}}, DType::kF16);
  ASSERT_TRUE(graph);
  const std::string mapping = "M1:{(16,1),(1,8)};cyclic(lane,1)";
  const Result<std::string> text = emit::toMlir(*graph, {mapping}, "hbm-pim");
  ASSERT_TRUE(text);
  const Result<frontend::Imported> back = frontend::importMlirFile(*text, "t.mlir", {});
  ASSERT_TRUE(back);
  EXPECT_EQ(back->graph.kernels[0].name, graph->kernels[0].name);
  EXPECT_EQ(back->mappings, std::vector<std::string>{mapping});
  EXPECT_EQ(back->target, "hbm-pim");
}

TEST(MlirRoundTrip, UnsignedElementsComeBackWithTheirBits) {
  for (const char *formula : {"y[i,j] = x[i,j] / (w[i] + 1)", "y[i] min= x[i,j]", "y[i] max= x[i,j]",
                              "y[i,j] = x[i,j] >> 3", "y[i,j] = select(x[i,j] < w[i], x[i,j] % 7, w[i])"}) {
    for (const DType type : {DType::kU8, DType::kU32, DType::kU64}) {
      const Result<Graph> graph = kernel::parseNotation(formula, {{"i", 16}, {"j", 9}}, type);
      ASSERT_TRUE(graph) << graph.diagnostics().front().str();
      const Result<std::string> text = emit::toMlir(*graph);
      ASSERT_TRUE(text) << text.diagnostics().front().str();
      test::expectSameResults(*graph, imported(*text), *text);
    }
  }
}

TEST(MlirRoundTrip, ConstantsStayConstants) {
  const Graph network = kernel::rnnt(DType::kF16);
  const Result<std::string> text = emit::toMlir(network);
  ASSERT_TRUE(text.ok());
  const Graph again = imported(*text);
  int constants = 0;
  for (const kernel::Tensor &t : network.tensors) {
    const int other = again.tensorNamed(t.name);
    if (t.role == Role::kTemporary || other < 0) continue;
    EXPECT_EQ(again.tensors[static_cast<std::size_t>(other)].isConstant, t.isConstant) << t.name;
    constants += t.isConstant ? 1 : 0;
  }
  EXPECT_GT(constants, 5);
}

}  // namespace
}  // namespace pimento
