// A triangle whose first row has no point, and stores to an element that does not exist there.
#pragma once

#include "pimento/kernel/builder.h"
#include "pimento/kernel/kernel.h"

namespace pimento::test {

/// for (i = 0; i <= n; i++) for (j = 0; j < i; j++) y[i - 1] = combine(y[i - 1], x[j]), in a row of y[2][n] if
/// `isInRow`, where the element before the first belongs to another row.
inline kernel::Graph triangleGraph(std::int64_t n, DType type, kernel::Combine combine, kernel::Role role,
                                   bool isInRow = false) {
  kernel::Graph graph;
  graph.name = "triangle";
  graph.tensors = {{"x", type, {n}, kernel::Role::kInput}, {"y", type, {n}, role}};
  if (isInRow) graph.tensors[1].shape = {2, n};
  kernel::KernelBuilder k("triangle",
                          {{"i", n + 1, kernel::DimKind::kParallel}, {"j", n, kernel::DimKind::kReduction}});
  const kernel::Affine before{{1, 0}, -1};
  const int x = k.load(0, type, {k.index(1)});
  k.store(1, isInRow ? std::vector<kernel::Affine>{{{0, 0}, 1}, before} : std::vector{before}, x, combine);
  k.guard({{1, -1}, -1});
  graph.kernels.push_back(k.take());
  return graph;
}

}  // namespace pimento::test
