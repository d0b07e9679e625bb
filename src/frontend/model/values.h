// What operators take and give: constants whose contents are known, and views of tensors that kernels make.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pimento/frontend/graph_builder.h"
#include "pimento/kernel/builder.h"
#include "pimento/kernel/data.h"

namespace pimento::frontend::model {

using Shape = std::vector<std::int64_t>;

std::int64_t elementsOf(const Shape &shape);
std::string text(const Shape &shape);

/// Index along one axis of a tensor: constant + sum of coefficients[d] * (index d of the value).
struct Walk {
  std::vector<std::int64_t> coefficients;
  std::int64_t constant = 0;

  bool operator==(const Walk &) const = default;
};

struct Value {
  std::string name;
  DType type = DType::kF32;
  Shape shape;
  std::optional<kernel::TensorData> constant;  ///< else `buffer` and `view`
  int buffer = -1;                             ///< of the GraphBuilder
  std::vector<Walk> view;                      ///< per axis of the buffer

  bool isConstant() const { return constant.has_value(); }
  std::size_t rank() const { return shape.size(); }
  bool isWhole(const Shape &stored) const;  ///< the view is the buffer itself
};

Value constantOf(kernel::TensorData data);

/// Each index walks its own axis.
std::vector<Walk> wholeView(std::size_t rank);

/// A value whose index d is `from`'s index walk[d] of the new indices: transposes, slices, added and dropped axes of
/// extent 1, splits.
Value viewed(const Value &from, const Shape &shape, const std::vector<Walk> &walks);

/// Dimensions that old and new ones are products of (a reshape): extents, and for each old and new dimension which
/// stretch [first, end) of them it is. Nothing: there are none.
struct Refinement {
  Shape extents;
  std::vector<std::pair<std::size_t, std::size_t>> before, after;
};
std::optional<Refinement> refine(const Shape &before, const Shape &after);

/// The shape that two operands have together (ONNX's multidirectional broadcasting); nothing: they do not fit.
std::optional<Shape> broadcast(const Shape &a, const Shape &b);

}  // namespace pimento::frontend::model
