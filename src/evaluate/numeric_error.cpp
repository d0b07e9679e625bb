#include "pimento/evaluate/numeric_error.h"

#include <algorithm>
#include <cmath>

#include "pimento/evaluate/difference.h"

namespace pimento::evaluate {

namespace {

/// Of an element that is finite on both sides.
void add(NumericError &e, double was, double is, const kernel::Tensor &tensor, std::int64_t element, double &sum) {
  const double difference = std::abs(is - was);
  sum += difference;
  e.magnitude = std::max(e.magnitude, std::abs(was));
  if (difference > e.largest) {
    e.largest = difference;
    e.where = elementName(tensor, element);
  }
  if (was != 0 && difference / std::abs(was) > e.largestRelative) {
    e.largestRelative = difference / std::abs(was);
    e.relativeWhere = elementName(tensor, element);
  }
}

NumericError errorOf(const kernel::Tensor &tensor, const kernel::TensorData &original, const kernel::TensorData &result,
                     double scale) {
  NumericError e;
  e.tensor = tensor.name;
  e.elements = original.elements();
  double sum = 0;
  for (std::int64_t i = 0; i < e.elements; ++i) {
    const double was = original.asDouble(i);
    const double is = result.asDouble(i) * scale;
    if (std::isfinite(was) && std::isfinite(is)) {
      add(e, was, is, tensor, i, sum);
    } else if (was != is && !(std::isnan(was) && std::isnan(is))) {
      if (e.lost++ == 0) e.lostWhere = elementName(tensor, i);
    }
  }
  if (e.elements > e.lost) e.mean = sum / static_cast<double>(e.elements - e.lost);
  return e;
}

}  // namespace

std::vector<NumericError> numericErrors(const kernel::Graph &graph, const kernel::DataSet &original,
                                        const kernel::Converted &converted, const kernel::DataSet &results) {
  std::vector<NumericError> errors;
  for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph.tensors[t];
    if (tensor.role != kernel::Role::kOutput && tensor.role != kernel::Role::kInOut) continue;
    errors.push_back(errorOf(tensor, original[t], results[t], converted.scales[t]));
  }
  return errors;
}

}  // namespace pimento::evaluate
