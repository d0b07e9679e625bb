#include "pimento/lower/host_data.h"

#include <cstring>

#include "pimento/base/integer.h"
#include "pimento/lower/accumulation.h"

namespace pimento::lower {

using kernel::Combine;
using kernel::Scalar;

void gather(const kernel::TensorData &tensor, const std::vector<BoxSide> &box, std::byte *to) {
  const std::int64_t size = sizeOf(tensor.type).value;
  if (box.empty()) {
    std::memcpy(to, tensor.bytes.data(), static_cast<std::size_t>(size));
    return;
  }
  // Elements [low, high) of each side lie in the tensor.
  std::vector<std::int64_t> low, high, stride;
  for (const BoxSide &side : box) {
    const std::int64_t shape = tensor.shape[static_cast<std::size_t>(side.index)];
    const std::int64_t begin = side.step > 0 ? side.first : shape - 1 - side.first;  // from the end they come from
    const std::int64_t step = std::abs(side.step), left = shape - begin;
    low.push_back(begin >= 0 ? 0 : ceilDiv(-begin, step));
    high.push_back(left <= 0 ? 0 : std::min(side.extent, ceilDiv(left, step)));
    if (low.back() >= high.back()) return;
    stride.push_back(1);
    for (std::size_t i = static_cast<std::size_t>(side.index) + 1; i < tensor.shape.size(); ++i)
      stride.back() *= tensor.shape[i];
  }
  const std::int64_t count = high.back() - low.back(), step = box.back().step * stride.back();
  high.back() = low.back() + 1;  // rows are copied as a whole
  std::vector<std::int64_t> at = low;
  do {
    std::int64_t from = 0, into = 0;
    for (std::size_t p = 0; p < box.size(); ++p) {
      from += (box[p].first + at[p] * box[p].step) * stride[p];
      into += at[p] * box[p].pitch;
    }
    const std::byte *source = tensor.bytes.data() + from * size;
    if (step == 1) {
      std::memcpy(to + into, source, static_cast<std::size_t>(count * size));
    } else {
      for (std::int64_t k = 0; k < count; ++k)
        std::memcpy(to + into + k * size, source + k * step * size, static_cast<std::size_t>(size));
    }
  } while (kernel::advance(at, low, high));
}

void startAccumulations(const kernel::Graph &graph, int kernel, kernel::DataSet &data) {
  for (const kernel::Store &s : graph.kernels[static_cast<std::size_t>(kernel)].stores) {
    if (s.combine == Combine::kAssign || s.combine == Combine::kAdd || hasInitial(graph, kernel, s)) continue;
    kernel::TensorData &t = data[static_cast<std::size_t>(s.target.tensor)];
    for (std::int64_t e = 0; e < t.elements(); ++e)
      kernel::store(t.type, t.bytes.data(), e, kernel::identity(s.combine, t.type));
  }
}

PartialSums::PartialSums(Combine combine, DType type, std::int64_t elements, std::vector<std::int64_t> instances)
    : combine_(combine), type_(type), instances_(std::move(instances)), levels_(instances_.size() + 1) {
  for (Level &l : levels_) {
    l.values.resize(static_cast<std::size_t>(elements));
    l.isThere.resize(static_cast<std::size_t>(elements));
  }
}

void PartialSums::merge(Level &into, std::int64_t element, Scalar x) const {
  const auto e = static_cast<std::size_t>(element);
  PIMENTO_SLOW_CHECK(e < into.values.size());
  if (!into.isThere[e]) into.touched.push_back(element);
  into.values[e] = into.isThere[e] ? kernel::merge(combine_, type_, into.values[e], x) : x;
  into.isThere[e] = true;
}

void PartialSums::closeUnit() {
  ++units_;
  std::int64_t units = 1;
  for (std::size_t l = instances_.size(); l-- > 0;) {
    Level &inner = levels_[l + 1];
    for (const std::int64_t e : inner.touched) {
      merge(levels_[l], e, inner.values[static_cast<std::size_t>(e)]);
      inner.isThere[static_cast<std::size_t>(e)] = false;
    }
    inner.touched.clear();
    units *= instances_[l];
    if (units_ % units != 0) break;
  }
}

void PartialSums::finish(kernel::TensorData &tensor, bool hasInitial) {
  for (const std::int64_t e : levels_.front().touched) {
    Scalar x = levels_.front().values[static_cast<std::size_t>(e)];
    if (hasInitial) {
      const Scalar given = kernel::load(tensor.type, tensor.bytes.data(), e);
      x = kernel::merge(combine_, type_, x, kernel::convert(tensor.type, type_, given));
    }
    kernel::store(tensor.type, tensor.bytes.data(), e, kernel::convert(type_, tensor.type, x));
  }
}

}  // namespace pimento::lower
