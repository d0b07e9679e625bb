#include "pimento/evaluate/checker.h"

#include <fmt/format.h>

#include <utility>

#include "pimento/evaluate/difference.h"
#include "pimento/evaluate/rounding.h"

namespace pimento::evaluate {

namespace {

Status compare(const kernel::Tensor &tensor, const kernel::TensorData &device, const kernel::TensorData &reference) {
  const auto at = firstDifference(tensor, device, reference);
  if (!at) return okStatus();
  return error(DiagnosticKind::kOurs, "wrong-answer", {},
               fmt::format("{} is {} on the device, but {} in the reference interpreter", elementName(tensor, *at),
                           valueText(device, *at), valueText(reference, *at)),
               "this is a bug in Pimento: please report it with the command you ran");
}

kernel::Order orderOf(const std::vector<kernel::Order> &orders, int kernel) {
  const auto k = static_cast<std::size_t>(kernel);
  return k < orders.size() ? orders[k] : kernel::Order();
}

}  // namespace

Checker::Checker(const kernel::Graph &graph, kernel::DataSet *data) : graph_(graph), data_(data) {
  if (data_ == nullptr) return;
  for (std::size_t t = 0; t < graph_.tensors.size(); ++t) {
    const kernel::Tensor &tensor = graph_.tensors[t];
    const bool isMade = tensor.role == kernel::Role::kOutput || tensor.role == kernel::Role::kTemporary;
    if (isMade) (*data_)[t] = kernel::TensorData(tensor.type, tensor.shape);
  }
}

void Checker::before(const PlannedPart &part) {
  kept_.clear();
  for (int k = part.first; k < part.first + part.count; ++k)
    for (const kernel::Store &s : graph_.kernels[static_cast<std::size_t>(k)].stores) {
      const auto t = static_cast<std::size_t>(s.target.tensor);
      kept_.emplace(t, (*data_)[t]);
    }
}

Status Checker::afterReordered(const PlannedPart &part) {
  kernel::DataSet before = *data_;
  for (const auto &[t, contents] : kept_) before[t] = contents;
  const auto bound = RoundingBound::of(graph_, part.first, before);
  if (!bound) return bound.diagnostics();
  for (const auto &[t, contents] : kept_) {
    const auto at = bound->firstBeyond(t, (*data_)[t]);
    if (!at) continue;
    return error(DiagnosticKind::kOurs, "wrong-answer", {},
                 fmt::format("{} is {} on the device, but {}", elementName(graph_.tensors[t], *at),
                             valueText((*data_)[t], *at), bound->valueText(t, *at)),
                 "this is a bug in Pimento: please report it with the command you ran");
  }
  return okStatus();
}

Status Checker::after(const PlannedPart &part, const std::vector<kernel::Order> &orders, bool mayReorder) {
  if (mayReorder) return afterReordered(part);
  for (auto &[t, contents] : kept_) std::swap(contents, (*data_)[t]);
  for (int k = part.first; k < part.first + part.count; ++k)
    if (Status s = kernel::interpretKernel(graph_, k, *data_, orderOf(orders, k - part.first)); !s) return s;
  Status result = okStatus();
  for (auto &[t, device] : kept_) {
    if (part.count > 1 && isInside({&graph_, part.first, part.count}, static_cast<int>(t))) continue;
    if (result) result = compare(graph_.tensors[t], device, (*data_)[t]);
    (*data_)[t] = std::move(device);
  }
  return result;
}

}  // namespace pimento::evaluate
