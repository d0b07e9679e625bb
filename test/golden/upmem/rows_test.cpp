// Selections with a list per row, or up to a limit, compiled for DPUs.
#include <gtest/gtest.h>

#include "pimento/kernel/builder.h"
#include "test/support/compiled_test.h"

namespace pimento::test {
namespace {

class Rows : public CompiledTest {
 protected:
  static kernel::DataSpec around() { return {kernel::DataSpec::Kind::kUniform, -3, 3, 5}; }
};

TEST_F(Rows, EachHasItsListAndItsCount) {
  for (const DType type : {DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kF16, DType::kF32})
    for (const char *map : {"M1:{(1,1),(1,1),(1,1),(7,50)}", "M1:{(1,1),(2,1),(3,1),(2,50)};buffer=8",
                            "M1:{(1,2),(2,1),(2,3),(2,9)}", "auto"})
      expectRight("o[i] append= x[i,j] if x[i,j] > 0 count n[i]", {{"i", 7}, {"j", 50}}, type, map, around());
}

TEST_F(Rows, WhatExceedsTheLimitIsNeitherKeptNorCounted) {
  for (const DType type : {DType::kI16, DType::kF32})
    for (const char *map : {"M1:{(1,1),(1,1),(1,1),(7,50)}", "M1:{(1,1),(2,1),(3,1),(2,50)};buffer=8",
                            "M1:{(1,2),(2,2),(2,3),(2,5)}", "auto"})
      for (const char *limit : {"1", "5", "40"})
        expectRight(std::string("o[i] append= x[i,j] if x[i,j] > 0 count n[i] limit ") + limit, {{"i", 7}, {"j", 50}},
                    type, map, around());
}

TEST_F(Rows, OneListMayHaveALimit) {
  for (const char *map : {"M1:{(1),(1),(1),(200)}", "M1:{(2),(2),(7),(8)}", "M1:{(1),(3),(5),(14)};buffer=8"})
    for (const char *limit : {"3", "100"}) {
      expectRight(std::string("o[] append= x[i] if x[i] > 0 count n[] limit ") + limit, {{"i", 200}}, DType::kI32, map,
                  around());
      expectRight(std::string("o[] append= x[i] + 1 if x[i] > 0 limit ") + limit, {{"i", 200}}, DType::kI8, map,
                  around());
    }
}

TEST_F(Rows, RowsMayBeInnerDimsOrHaveSeveral) {
  // Columns; a threshold per row; rows of two dims, lists along two.
  expectRight("o[j] append= x[i,j] if x[i,j] > 0 count n[j]", {{"i", 60}, {"j", 9}}, DType::kI32,
              "M1:{(1,1),(2,2),(2,2),(3,15)}", around());
  expectRight("o[i] append= x[i,j] if x[i,j] > t[i] count n[i] limit 7", {{"i", 13}, {"j", 40}}, DType::kI8,
              "M1:{(1,1),(2,1),(2,2),(4,20)}", around());
  expectRight("o[i,k] append= x[i,j,k,l] if x[i,j,k,l] > y[j] count n[i,k]", {{"i", 3}, {"j", 4}, {"k", 5}, {"l", 6}},
              DType::kI16, "M1:{(1,1,1,1),(1,2,2,1),(3,2,1,1),(1,2,2,6)}", around());
  expectRight("o[i] append= x[i] if x[i] > 0 count n[i]", {{"i", 30}}, DType::kI32, "M1:{(1),(2),(3),(5)}", around());
}

TEST_F(Rows, GuardsLeavePointsOut) {
  expectRight("o[i] append= x[i,j] if x[i,j] > 0 count n[i] where j > i", {{"i", 12}, {"j", 12}}, DType::kI32,
              "M1:{(1,1),(2,1),(2,2),(3,6)}", around());
}

TEST_F(Rows, OfALoopInsideOthersTakeTurns) {
  kernel::Graph graph;
  graph.tensors = {{"x", DType::kI32, {40, 6}, kernel::Role::kInput},
                   {"o", DType::kI32, {6, 40}, kernel::Role::kOutput},
                   {"n", DType::kI64, {6}, kernel::Role::kOutput}};
  kernel::KernelBuilder k("columns", {{"i", 40, kernel::DimKind::kParallel}, {"j", 6, kernel::DimKind::kParallel}});
  const int x = k.load(0, DType::kI32, {k.index(0), k.index(1)});
  k.store(1, {k.index(1), k.at(0)}, x);
  k.store(2, {k.index(1)}, k.integer(DType::kI64, 1), kernel::Combine::kAdd);
  k.select(k.op(kernel::Op::kCmpGt, DType::kU8, x, k.integer(DType::kI32, 0)), 9);
  graph.kernels.push_back(k.take());
  ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
  for (const char *map : {"M1:{(1,1),(2,3),(4,2),(5,1)}", "M1:{(1,1),(1,1),(1,1),(40,6)};buffer=8", "auto"})
    expectRight(graph, map, around());
}

TEST_F(Rows, CountsGoOntoWhatIsThereInTheirType) {
  kernel::Graph graph;
  graph.tensors = {{"x", DType::kI32, {5, 300}, kernel::Role::kInput},
                   {"o", DType::kI32, {8, 300}, kernel::Role::kInOut},
                   {"n", DType::kI8, {9}, kernel::Role::kInOut}};
  kernel::KernelBuilder k("rows", {{"i", 5, kernel::DimKind::kParallel}, {"j", 300, kernel::DimKind::kParallel}});
  const int x = k.load(0, DType::kI32, {k.index(0), k.index(1)});
  k.store(1, {k.index(0, 1, 2), k.at(0)}, x);
  k.store(2, {k.index(0, 1, 2)}, k.integer(DType::kI8, 1), kernel::Combine::kAdd);
  k.select(k.op(kernel::Op::kCmpGt, DType::kU8, x, k.integer(DType::kI32, -2)));
  graph.kernels.push_back(k.take());
  ASSERT_TRUE(kernel::verify(graph)) << kernel::verify(graph).diagnostics().front().str();
  for (const char *map : {"M1:{(1,1),(2,3),(3,4),(1,25)}", "M1:{(1,1),(1,1),(5,1),(1,300)}"})
    expectRight(graph, map, around());
}

}  // namespace
}  // namespace pimento::test
