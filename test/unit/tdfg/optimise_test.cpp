// The optimiser of tensor graphs: known optima, the appendix's example, and random graphs against the executor.
#include <gtest/gtest.h>

#include "pimento/tdfg/optimise.h"
#include "pimento/tdfg/text.h"
#include "test/unit/tdfg/equal.h"
#include "test/support/cases.h"

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

TEST(Optimiser, FindsTheConvolutionThatIsBestByHand) {
  Program program = programOf(kConv2d);
  const OptimiserReport report = optimise(program, program.regions[0], costOfTiles, {.mayReassociate = true});
  EXPECT_EQ(report.unchanged, "");
  std::cout << report.before << " -> " << report.after << ", " << name(report.stop) << ", " << report.nodes << " nodes, "
            << report.classes << " classes, " << report.rounds << " rounds\n"
            << print(program, Part::kGraphs);
  EXPECT_EQ(report.after, 13'120);
  EXPECT_EQ(report.contradictions, 0);
  EXPECT_EQ(countOf(program.regions[0], NodeKind::kCmp), 9);
  EXPECT_EQ(countOf(program.regions[0], NodeKind::kMv), 4);
  EXPECT_TRUE(verify(program)) << textOf(verify(program).diagnostics());
}

}  // namespace
}  // namespace pimento::tdfg
