// The optimiser of tensor graphs: known optima, the appendix's example, and random graphs against the executor.
#include "pimento/tdfg/optimise.h"

#include <gtest/gtest.h>

#include "pimento/tdfg/text.h"
#include "test/support/cases.h"
#include "test/support/random_affine_graph.h"
#include "test/support/random_data_graph.h"
#include "test/unit/tdfg/equal.h"

namespace pimento::tdfg {
namespace {

/// Cycles in arrays of 16 x 16 tiles: an operation 1,024, a move along dim 0 672, along dim 1 1,280.
std::int64_t costOfTiles(const Node &node) {
  switch (node.kind) {
    case NodeKind::kCmp:
      return 1024;
    case NodeKind::kMv:
      return node.dim == 0 ? 672 : 1280;
    case NodeKind::kBc:
      return 2000;
    case NodeKind::kReduce:
      return 8000;
    default:
      return 0;
  }
}

Program programOf(const std::string &text) {
  auto read = readProgram(text, "test");
  EXPECT_TRUE(read) << textOf(read.diagnostics());
  return read->program;
}

int countOf(const Region &region, NodeKind kind) {
  return static_cast<int>(std::ranges::count(region.nodes, kind, &Node::kind));
}

constexpr const char *kConv2d = R"(tdfg conv2d least 3
size m
size n
array A f32 [m, n] input
array out f32 [m, n] inout
array c0 f32 [] input
array c1 f32 [] input
array c2 f32 [] input
region r0 lattice 2
  domain [1:n - 1, 1:m - 1]
  %0 = const f32 element c0 []
  %1 = tensor A [0:n - 2, 0:m - 2]
  %2 = mv %1 dim 0 by 1
  %3 = mv %2 dim 1 by 1
  %4 = cmp mul f32 %0, %3
  %5 = const f32 element c1 []
  %6 = tensor A [1:n - 1, 0:m - 2]
  %7 = mv %6 dim 1 by 1
  %8 = cmp mul f32 %5, %7
  %9 = cmp add f32 %4, %8
  %10 = tensor A [2:n, 0:m - 2]
  %11 = mv %10 dim 0 by -1
  %12 = mv %11 dim 1 by 1
  %13 = cmp mul f32 %0, %12
  %14 = cmp add f32 %9, %13
  %15 = tensor A [0:n - 2, 1:m - 1]
  %16 = mv %15 dim 0 by 1
  %17 = cmp mul f32 %5, %16
  %18 = cmp add f32 %14, %17
  %19 = const f32 element c2 []
  %20 = tensor A [1:n - 1, 1:m - 1]
  %21 = cmp mul f32 %19, %20
  %22 = cmp add f32 %18, %21
  %23 = tensor A [2:n, 1:m - 1]
  %24 = mv %23 dim 0 by -1
  %25 = cmp mul f32 %5, %24
  %26 = cmp add f32 %22, %25
  %27 = tensor A [0:n - 2, 2:m]
  %28 = mv %27 dim 0 by 1
  %29 = mv %28 dim 1 by -1
  %30 = cmp mul f32 %0, %29
  %31 = cmp add f32 %26, %30
  %32 = tensor A [1:n - 1, 2:m]
  %33 = mv %32 dim 1 by -1
  %34 = cmp mul f32 %5, %33
  %35 = cmp add f32 %31, %34
  %36 = tensor A [2:n, 2:m]
  %37 = mv %36 dim 0 by -1
  %38 = mv %37 dim 1 by -1
  %39 = cmp mul f32 %0, %38
  %40 = cmp add f32 %35, %39
  out out = %40 over [1:n - 1, 1:m - 1]
end
)";

/// What `compile --emit tdfg` calls one region's graph, of one dim.
std::string lineOf(const std::string &nodes, const std::string &domain, int last, const std::string &type = "f32") {
  return "tdfg line least 8\nsize n\narray A " + type + " [n] input\narray B " + type + " [n] input\narray o " + type +
         " [n] inout\nregion r0 lattice 1\n  domain " + domain + "\n" + nodes + "  out o = %" + std::to_string(last) +
         " over " + domain + "\nend\n";
}

TEST(Optimiser, FindsTheConvolutionThatIsBestByHand) {
  Program program = programOf(kConv2d);
  const OptimiserReport report = optimise(program, program.regions[0], costOfTiles, {.mayReassociate = true});
  EXPECT_EQ(report.unchanged, "");
  EXPECT_EQ(report.before, 17 * 1024 + 6 * 672 + 6 * 1280);
  EXPECT_EQ(report.after, 13'120);
  EXPECT_EQ(report.stop, egraph::StopReason::kSaturated);
  EXPECT_EQ(report.contradictions, 0);
  EXPECT_EQ(countOf(program.regions[0], NodeKind::kCmp), 9);
  EXPECT_EQ(countOf(program.regions[0], NodeKind::kMv), 4);
  EXPECT_TRUE(verify(program)) << textOf(verify(program).diagnostics());
  // Without another order of sums: moves and products that are the same are one.
  Program strict = programOf(kConv2d);
  const OptimiserReport kept = optimise(strict, strict.regions[0], costOfTiles, {});
  EXPECT_EQ(countOf(strict.regions[0], NodeKind::kCmp), 8 + 3);
  EXPECT_LT(kept.after, 24'000);
}

TEST(Optimiser, FollowsTheAppendixsExample) {
  Program program = programOf(lineOf(R"(  %0 = const f32 "3"
  %1 = tensor A [0:n - 2]
  %2 = mv %1 dim 0 by 1
  %3 = cmp mul f32 %2, %0
  %4 = tensor A [2:n]
  %5 = mv %4 dim 0 by -1
  %6 = cmp mul f32 %5, %0
  %7 = cmp add f32 %3, %6
)",
                                     "[1:n - 1]", 7));
  const OptimiserReport report = optimise(program, program.regions[0], costOfTiles, {.explains = true});
  EXPECT_EQ(report.before, 3 * 1024 + 2 * 672);
  EXPECT_EQ(report.after, 2 * 1024 + 2 * 672) << "one product";
  EXPECT_TRUE(report.isReplayed);
  const auto has = [&](const std::string &equation) {
    return std::ranges::any_of(report.steps,
                               [&](const OptimiserReport::Step &s) { return s.rule.starts_with(equation); });
  };
  for (const char *equation : {"Eq. 4a", "Eq. 5", "Eq. 7", "Eq. 9"}) EXPECT_TRUE(has(equation)) << equation;
  EXPECT_EQ(report.steps.back().cost, report.after);
}

TEST(Optimiser, MovesWhatMovesTheSameWayOnceAndMultipliesByAConstantOnce) {
  // Two parts of A, moved by the same distance.
  Program moves = programOf(lineOf(R"(  %0 = tensor A [0:n - 4]
  %1 = mv %0 dim 0 by 2
  %2 = tensor A [1:n - 3]
  %3 = mv %2 dim 0 by 2
  %4 = cmp mul f32 %1, %3
)",
                                   "[3:n - 2]", 4));
  const OptimiserReport merged = optimise(moves, moves.regions[0], costOfTiles, {});
  EXPECT_EQ(merged.before - merged.after, 672) << "one move of the box around both";
  EXPECT_EQ(countOf(moves.regions[0], NodeKind::kTensor), 1);

  std::string four = "  %0 = const f32 \"0.25\"\n";
  int next = 1;
  std::vector<int> products;
  for (int k = 0; k < 4; ++k) {
    four +=
        "  %" + std::to_string(next) + " = tensor A [" + std::to_string(k) + ":n - " + std::to_string(4 - k) + "]\n";
    four += "  %" + std::to_string(next + 1) + " = mv %" + std::to_string(next) + " dim 0 by " + std::to_string(4 - k) +
            "\n";
    four += "  %" + std::to_string(next + 2) + " = cmp mul f32 %0, %" + std::to_string(next + 1) + "\n";
    products.push_back(next + 2);
    next += 3;
  }
  for (int k = 1; k < 4; ++k) {
    four += "  %" + std::to_string(next) + " = cmp add f32 %" + std::to_string(k == 1 ? products[0] : next - 1) +
            ", %" + std::to_string(products[static_cast<std::size_t>(k)]) + "\n";
    ++next;
  }
  Program sums = programOf(lineOf(four, "[4:n]", next - 1));
  const OptimiserReport factored = optimise(sums, sums.regions[0], costOfTiles, {.mayReassociate = true});
  EXPECT_EQ(factored.unchanged, "");
  const auto products2 = std::ranges::count_if(
      sums.regions[0].nodes, [](const Node &n) { return n.kind == NodeKind::kCmp && n.op == kernel::Op::kMul; });
  EXPECT_EQ(products2, 1);
}

// ---- Random graphs ----

/// Sums, differences and products of what lies around a cell, in arrays A and B and of scalars.
class RandomStencil {
 public:
  RandomStencil(Rng &rng, std::string type) : rng_(rng), type_(std::move(type)) {}

  std::string make() {
    text_ = "tdfg random least 8\nsize m\nsize n\narray A " + type_ + " [m, n] input\narray B " + type_ +
            " [m, n] input\narray o " + type_ + " [m, n] inout\narray p " + type_ + " [m, n] inout\narray c " + type_ +
            " [3] input\nregion r0 lattice 2\n  domain [2:n - 2, 2:m - 2]\n";
    const int first = expression(2 + below(5)), second = expression(1 + below(3));
    text_ += "  out o = %" + std::to_string(first) + " over [2:n - 2, 2:m - 2]\n";
    text_ += "  out p = %" + std::to_string(second) + " over [3:n - 2, 2:m - 3]\nend\n";
    return text_;
  }

 private:
  int below(int n) { return static_cast<int>(rng_.below(static_cast<std::uint64_t>(n))); }
  int line(const std::string &what) {
    text_ += "  %" + std::to_string(next_) + " = " + what + "\n";
    return next_++;
  }
  std::string node(int n) const { return "%" + std::to_string(n); }
  int scalar() { return line("const " + type_ + " element c [" + std::to_string(below(3)) + "]"); }
  int tap() {
    const int x = below(5) - 2, y = below(3) - 1;
    const auto bounds = [](const char *size, int d) {
      return std::to_string(2 + d) + ":" + size + (d == 2 ? "" : " - " + std::to_string(2 - d));
    };
    int n =
        line("tensor " + std::string(below(3) == 0 ? "B" : "A") + " [" + bounds("n", x) + ", " + bounds("m", y) + "]");
    if (x != 0) n = line("mv " + node(n) + " dim 0 by " + std::to_string(-x));
    if (y != 0) n = line("mv " + node(n) + " dim 1 by " + std::to_string(-y));
    return n;
  }
  int expression(int leaves) {
    if (leaves <= 1) return tap();
    if (below(3) == 0) {
      const int x = expression(leaves - 1), s = scalar();
      const bool isFirst = below(2) == 0;
      return line("cmp mul " + type_ + " " + node(isFirst ? s : x) + ", " + node(isFirst ? x : s));
    }
    const int left = 1 + below(leaves - 1);
    const int a = expression(left), b = expression(leaves - left);
    static constexpr std::array<const char *, 6> kOps{"add", "add", "add", "sub", "mul", "add"};
    return line(std::string("cmp ") + kOps[static_cast<std::size_t>(below(6))] + " " + type_ + " " + node(a) + ", " +
                node(b));
  }

  Rng &rng_;
  std::string type_, text_;
  int next_ = 0;
};

constexpr std::int64_t kRows = 9, kColumns = 11;

/// Data of the five arrays; `isMagnitude`: without signs.
kernel::DataSet dataOf(DType type, std::uint64_t seed, bool isMagnitude) {
  Rng rng(seed);
  kernel::DataSet data;
  for (int a = 0; a < 5; ++a) {
    kernel::TensorData t{type, a == 4 ? std::vector<std::int64_t>{3} : std::vector<std::int64_t>{kRows, kColumns}};
    for (std::int64_t e = 0; e < t.elements(); ++e) {
      const std::int64_t x = rng.integer(-1000, 1000);
      if (isFloat(type))
        t.setDouble(e, static_cast<double>(isMagnitude ? std::abs(x) : x) / 64);
      else
        t.setInteger(e, x);
    }
    data.push_back(std::move(t));
  }
  return data;
}

std::string replacedAll(std::string text, const std::string &what, const std::string &by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

kernel::DataSet ran(const Program &program, kernel::DataSet data) {
  const Status status = execute(program, {{"m", kRows}, {"n", kColumns}}, data);
  EXPECT_TRUE(status) << textOf(status.diagnostics()) << print(program);
  return data;
}

TEST(Optimiser, KeepsEveryBitOfRandomGraphsUnlessItMayNot) {
  Rng rng(5);
  int changed = 0, reordered = 0, proved = 0;
  std::size_t steps = 0;
  for (std::int64_t n = test::caseCount(300); n > 0; --n) {
    const bool isInteger = n % 4 == 0, mayReassociate = n % 2 == 0;
    const std::string text = RandomStencil(rng, isInteger ? "i32" : "f32").make();
    const Program before = programOf(text);
    Program after = before;
    const OptimiserReport report =
        optimise(after, after.regions[0], costOfTiles,
                 {.mayReassociate = mayReassociate, .explains = true, .nodes = 3000, .steps = 2000});
    ASSERT_TRUE(verify(after)) << text << print(after);
    EXPECT_LE(report.after, report.before);
    EXPECT_EQ(report.contradictions, 0) << text;
    if (report.unchanged.empty()) {
      EXPECT_TRUE(report.isReplayed) << text << print(after);
      steps += report.steps.size();
    }
    changed += report.unchanged.empty() ? 1 : 0;
    proved += report.isProved ? 1 : 0;
    const std::uint64_t seed = rng.next();
    const DType type = isInteger ? DType::kI32 : DType::kF32;
    const kernel::DataSet want = ran(before, dataOf(type, seed, false)), have = ran(after, dataOf(type, seed, false));
    if (!mayReassociate || isInteger) {
      for (std::size_t a = 0; a < want.size(); ++a) ASSERT_EQ(want[a].bytes, have[a].bytes) << text << print(after);
      continue;
    }
    // Around the value without rounding: every operation errs by half a unit in the last place of what it would be if
    // nothing cancelled.
    const kernel::DataSet exact = ran(programOf(replacedAll(text, "f32", "f64")), dataOf(DType::kF64, seed, false));
    const kernel::DataSet magnitude = ran(programOf(replacedAll(replacedAll(text, "f32", "f64"), "cmp sub", "cmp add")),
                                          dataOf(DType::kF64, seed, true));
    const double operations = 2.0 * countOf(before.regions[0], NodeKind::kCmp) + 4;
    for (const std::size_t a : {2U, 3U})
      for (std::int64_t e = 0; e < want[a].elements(); ++e) {
        const double error = std::abs(have[a].asDouble(e) - exact[a].asDouble(e));
        ASSERT_LE(error, operations * 0x1p-24 * magnitude[a].asDouble(e)) << text << print(after);
        reordered += have[a].asDouble(e) != want[a].asDouble(e) ? 1 : 0;
      }
  }
  EXPECT_GT(changed, 0);
  // A quarter of the graphs may reorder floats, few of these gain by it.
  EXPECT_TRUE(reordered > 0 || test::caseCount(300) < 300);
  std::cout << changed << " graphs are cheaper, " << proved << " extractions proved, " << steps << " steps replayed\n";
}

/// Kernels of all kinds, at their own sizes.
TEST(Optimiser, KeepsEveryBitOfRandomKernels) {
  constexpr std::array kTypes{DType::kF32, DType::kI32, DType::kF16, DType::kU8, DType::kF64};
  Rng rng(6);
  int graphs = 0, changed = 0;
  for (std::int64_t n = test::caseCount(300); n > 0; --n) {
    const DType type = kTypes[static_cast<std::size_t>(n) % kTypes.size()];
    const kernel::Graph graph =
        n % 3 == 0 ? test::RandomDataGraph(rng, type).make() : test::RandomAffineGraph(rng, type).make();
    if (!kernel::verify(graph).ok()) continue;
    auto program = fitStreams({}, [&](const auto &) { return Result<kernel::Graph>(graph); });
    ASSERT_TRUE(program.ok());
    extract(*program);
    for (Region &region : program->regions) {
      if (region.nodes.empty()) continue;
      ++graphs;
      const OptimiserReport report =
          optimise(*program, region, costOfTiles, {.mayReassociate = !isFloat(type), .explains = true, .nodes = 2000});
      EXPECT_EQ(report.contradictions, 0) << kernel::print(graph);
      changed += report.unchanged.empty() ? 1 : 0;
      EXPECT_TRUE(report.isReplayed || !report.unchanged.empty()) << kernel::print(graph) << print(*program);
    }
    ASSERT_TRUE(verify(*program)) << textOf(verify(*program).diagnostics()) << print(*program);
    expectEqual(graph, *program, {}, {}, 1 + static_cast<std::uint64_t>(n));
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(graphs, 0);
  std::cout << changed << " of " << graphs << " graphs are cheaper\n";
}

}  // namespace
}  // namespace pimento::tdfg
