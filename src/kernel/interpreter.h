// The reference interpreter: what a Graph computes, by definition.
//
// Independent of every lowering: it walks the iteration space and evaluates the body with the rounding each Value
// states, in row-major order or in a given Order. An f64 evaluation with a rounding-error bound guards the order
// itself. Sizes are host memory sizes; time is linear in points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/order.h"

namespace pimento::kernel {

/// Runs the graph on `data` (inputs and in-outs given; the rest is made). `orders` has one entry per kernel or is
/// empty; an order counts where a kernel is affine and has reduction dims, else points run row-major. The graph must
/// verify. Fails with a diagnostic only where the data decide (an indirect index out of range). Elements no point
/// writes are 0, or the identity of what accumulates into them.
Status interpret(const Graph &graph, DataSet &data, const std::vector<Order> &orders = {});

/// Runs kernel number `kernel` alone, row-major or in `order`, on what the kernels before it left in `data` (every
/// tensor made).
Status interpretKernel(const Graph &graph, int kernel, DataSet &data, const Order &order = {});

/// An f64 evaluation of the graph beside a bound on how far any floating-point evaluation in any order may lie from
/// it. Per output tensor of the graph (roles kOutput, kInOut): value and bound per element; an infinite bound claims
/// nothing (overflow is possible, a decision hangs on an inexact value). Integers that stay exact have bound 0.
/// Bound: running error analysis (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.3); a sum
/// of n terms in any order with unit roundoff u adds n * u * sum |terms| (Jeannerod and Rump, SIMAX 34, 2013; no limit
/// on n). It holds for orders whose nodes are at least as precise as the less precise of tensor and stored value.
struct BoundedData {
  int tensor = -1;
  std::vector<double> value, bound;
};
std::vector<BoundedData> evaluateWithBound(const Graph &graph, const DataSet &inputs);

}  // namespace pimento::kernel
