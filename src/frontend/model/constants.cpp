// Operators whose results are known before anything runs: constants, and numbers of shapes.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pimento/base/integer.h"
#include "pimento/frontend/model/importer.h"

namespace pimento::frontend::model {

using kernel::TensorData;

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 24;  // elements of a constant that the model computes

Diagnostic tooMany(const Operator &op, const std::string &what) {
  return Importer::wrong(op, "model-shape", what + " elements are too many for a constant",
                         "give the model an input instead");
}

Status shapeOf(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  const auto rank = static_cast<std::int64_t>(x->rank());
  const auto within = [&](std::int64_t n) { return std::clamp<std::int64_t>(n < 0 ? n + rank : n, 0, rank); };
  const std::int64_t first = within(m.attribute(op, "start", std::int64_t{0})),
                     end = within(m.attribute(op, "end", rank));
  TensorData data(DType::kI64, {std::max<std::int64_t>(end - first, 0)});
  for (std::int64_t d = first; d < end; ++d) data.setInteger(d - first, x->shape[static_cast<std::size_t>(d)]);
  m.give(op, 0, constantOf(std::move(data)));
  return okStatus();
}

Status sizeOfValue(Importer &m, const Operator &op) {
  const Result<Value> x = m.input(op, 0);
  if (!x) return x.diagnostics();
  TensorData data(DType::kI64, {});
  data.setInteger(0, elementsOf(x->shape));
  m.give(op, 0, constantOf(std::move(data)));
  return okStatus();
}

Status constant(Importer &m, const Operator &op) {
  for (const auto &[name, attribute] : op.attributes) {
    if (const auto *data = std::get_if<TensorData>(&attribute)) {
      m.give(op, 0, constantOf(*data));
      return okStatus();
    }
    if (const auto *n = std::get_if<std::int64_t>(&attribute)) {
      TensorData one(DType::kI64, {});
      one.setInteger(0, *n);
      m.give(op, 0, constantOf(std::move(one)));
      return okStatus();
    }
    if (const auto *x = std::get_if<double>(&attribute)) {
      TensorData one(DType::kF32, {});
      one.setDouble(0, *x);
      m.give(op, 0, constantOf(std::move(one)));
      return okStatus();
    }
    if (const auto *list = std::get_if<std::vector<std::int64_t>>(&attribute)) {
      TensorData data(DType::kI64, {static_cast<std::int64_t>(list->size())});
      for (std::size_t i = 0; i < list->size(); ++i) data.setInteger(static_cast<std::int64_t>(i), (*list)[i]);
      m.give(op, 0, constantOf(std::move(data)));
      return okStatus();
    }
    if (const auto *list = std::get_if<std::vector<double>>(&attribute)) {
      TensorData data(DType::kF32, {static_cast<std::int64_t>(list->size())});
      for (std::size_t i = 0; i < list->size(); ++i) data.setDouble(static_cast<std::int64_t>(i), (*list)[i]);
      m.give(op, 0, constantOf(std::move(data)));
      return okStatus();
    }
  }
  return Importer::wrong(op, "model-attribute", "a constant without a value of numbers", "constants are tensors");
}

Status constantOfShape(Importer &m, const Operator &op) {
  const auto shape = m.integers(op, 0);
  if (!shape) return shape.diagnostics();
  TensorData value(DType::kF32, {1});
  if (const auto a = op.attributes.find("value"); a != op.attributes.end())
    if (const auto *data = std::get_if<TensorData>(&a->second)) value = *data;
  for (const std::int64_t extent : *shape)
    if (extent < 0)
      return Importer::wrong(op, "model-value", fmt::format("an extent of {}", extent), "extents are at least 0");
  if (elementsOf(*shape) > kMost) return tooMany(op, text(*shape));
  TensorData data(value.type, *shape);
  for (std::int64_t n = 0; n < data.elements(); ++n) {
    if (isFloat(value.type))
      data.setDouble(n, value.asDouble(0));
    else
      data.setInteger(n, value.asInteger(0));
  }
  m.give(op, 0, constantOf(std::move(data)));
  return okStatus();
}

Status range(Importer &m, const Operator &op) {
  double bounds[3] = {0, 0, 1};
  DType type = DType::kI64;
  for (std::size_t i = 0; i < 3; ++i) {
    const Result<Value> v = m.input(op, i);
    if (!v) return v.diagnostics();
    if (!v->isConstant())
      return Importer::wrong(op, "model-value", "bounds are not known before the model runs",
                             "export the model with fixed shapes");
    bounds[i] = v->constant->asDouble(0);
    type = v->type;
  }
  const double steps = bounds[2] == 0 ? 0 : (bounds[1] - bounds[0]) / bounds[2];
  if (!(std::abs(steps) <= static_cast<double>(kMost))) return tooMany(op, fmt::format("{}", std::ceil(steps)));
  const auto count = static_cast<std::int64_t>(std::max(0.0, std::ceil(steps)));
  TensorData data(type, {count});
  for (std::int64_t n = 0; n < count; ++n) data.setDouble(n, bounds[0] + static_cast<double>(n) * bounds[2]);
  m.give(op, 0, constantOf(std::move(data)));
  return okStatus();
}

}  // namespace

void addConstants(Handlers &h) {
  h.byKind.insert({{"Shape", shapeOf},
                   {"Size", sizeOfValue},
                   {"Constant", constant},
                   {"ConstantOfShape", constantOfShape},
                   {"Range", range}});
}

}  // namespace pimento::frontend::model
