#include "pimento/kernel/data_bounds.h"

#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/kernel/linear.h"

namespace pimento::kernel {

namespace {

/// Marks what `value` hangs on.
void mark(const Kernel &kernel, int value, std::vector<bool> &isBelow) {
  if (value < 0) return;
  isBelow[static_cast<std::size_t>(value)] = true;
  for (std::size_t v = kernel.body.size(); v-- > 0;) {
    if (!isBelow[v]) continue;
    const Value &node = kernel.body[v];
    for (int a = 0; a < argumentCount(node.op); ++a)
      isBelow[static_cast<std::size_t>(node.args[static_cast<std::size_t>(a)])] = true;
    if (node.op != Op::kLoad) continue;
    const Access &access = kernel.loads[static_cast<std::size_t>(node.access)];
    if (access.isIndirect()) isBelow[static_cast<std::size_t>(access.indirectIndex)] = true;
  }
}

std::vector<int> listed(const std::vector<bool> &isBelow) {
  std::vector<int> values;
  for (std::size_t v = 0; v < isBelow.size(); ++v)
    if (isBelow[v]) values.push_back(static_cast<int>(v));
  return values;
}

}  // namespace

std::vector<int> valuesBelow(const Kernel &kernel, int value) {
  std::vector<bool> isBelow(kernel.body.size(), false);
  mark(kernel, value, isBelow);
  return listed(isBelow);
}

std::vector<int> valuesBelow(const Kernel &kernel, const DataBounds &bounds) {
  std::vector<bool> isBelow(kernel.body.size(), false);
  mark(kernel, bounds.first, isBelow);
  mark(kernel, bounds.end, isBelow);
  return listed(isBelow);
}

std::vector<bool> dimsIn(const Kernel &kernel, const std::vector<int> &values) {
  std::vector<bool> isIn(kernel.dims.size(), false);
  for (const int v : values) {
    const Value &node = kernel.body[static_cast<std::size_t>(v)];
    if (node.op == Op::kIndex) isIn[static_cast<std::size_t>(node.dim)] = true;
    if (node.op != Op::kLoad) continue;
    for (const Affine &index : kernel.loads[static_cast<std::size_t>(node.access)].index)
      for (std::size_t d = 0; d < isIn.size(); ++d) isIn[d] = isIn[d] || index.coefficients[d] != 0;
  }
  return isIn;
}

std::vector<bool> dimsThatBound(const Kernel &kernel) {
  std::vector<bool> isBounding(kernel.dims.size(), false);
  for (const DataBounds &b : kernel.bounds) {
    const std::vector<bool> isIn = dimsIn(kernel, valuesBelow(kernel, b));
    for (std::size_t d = 0; d < isIn.size(); ++d) isBounding[d] = isBounding[d] || isIn[d];
  }
  return isBounding;
}

std::int64_t pointsOfRows(const Kernel &kernel) {
  std::vector<bool> isRow(kernel.dims.size(), false);
  for (const DataBounds &b : kernel.bounds) {
    if (b.first < 0 || b.end < 0) continue;  // a length for each: rows begin at the same place
    const std::vector<bool> isIn = dimsIn(kernel, valuesBelow(kernel, b));
    for (std::size_t d = 0; d < isIn.size(); ++d) isRow[d] = isRow[d] || isIn[d];
  }
  std::int64_t n = 1;
  for (std::size_t d = 0; d < kernel.dims.size(); ++d)
    if (!isRow[d]) n = multiplySaturated(n, kernel.dims[d].extent);
  return n;
}

Diagnostic indexOutOfRange(const Kernel &kernel, const Tensor &tensor, int at, std::int64_t index,
                           const std::string &where) {
  const std::int64_t extent = tensor.shape[static_cast<std::size_t>(at)];
  return error("index-out-of-range", kernel.where,
               fmt::format("kernel '{}': index {} of '{}' is {}{}; its extent is {}", kernel.name, at + 1, tensor.name,
                           index, where, extent),
               fmt::format("legal: 0..{}; use other data, or a larger '{}'", extent - 1, tensor.name));
}

DataRanges::DataRanges(const Graph &graph, const Kernel &kernel, const DataSet &data)
    : graph_(graph),
      kernel_(kernel),
      data_(data),
      numbers_(kernel.dims.size(), -1),
      isBounding_(kernel.dims.size(), false) {
  if (kernel.bounds.empty()) return;
  lanes_.resize(kernel.body.size());
  isBounding_ = dimsThatBound(kernel);
  for (const DataBounds &b : kernel.bounds) {
    Bound bound{&b, valuesBelow(kernel, b), {}, {}, {}};
    const std::vector<bool> isIn = dimsIn(kernel, bound.values);
    for (std::size_t d = 0; d < isIn.size(); ++d)
      if (isIn[d]) bound.dims.push_back(d);
    numbers_[static_cast<std::size_t>(b.dim)] = static_cast<int>(list_.size());
    list_.push_back(std::move(bound));
  }
}

std::optional<DataRanges::Range> DataRanges::of(std::size_t dim, const std::vector<std::int64_t> &point) {
  if (!isBounded(dim)) return Range{0, kernel_.dims[dim].extent};
  Bound &bound = list_[static_cast<std::size_t>(numbers_[dim])];
  const auto isThere = [&](std::size_t i) { return bound.at[i] == point[bound.dims[i]]; };
  bool isKnown = bound.range.has_value();
  for (std::size_t i = 0; isKnown && i < bound.dims.size(); ++i) isKnown = isThere(i);
  if (isKnown) return bound.range;
  bound.range.reset();
  if (!failure_.empty() || !evaluate(bound, point)) return std::nullopt;
  bound.range = checked(bound, point);
  bound.at.clear();
  for (const std::size_t d : bound.dims) bound.at.push_back(point[d]);
  return bound.range;
}

bool DataRanges::evaluate(const Bound &bound, const std::vector<std::int64_t> &point) {
  for (const int value : bound.values) {
    const auto v = static_cast<std::size_t>(value);
    const Value &node = kernel_.body[v];
    if (node.op == Op::kConstant) {
      setLanes(node.type, lanes_[v], 0, 1, constantOf(node));
    } else if (node.op == Op::kLoad) {
      if (!load(node, v, point)) return false;
    } else if (node.op == Op::kIndex) {
      Scalar coordinate;
      coordinate.i = point[static_cast<std::size_t>(node.dim)];
      setLanes(node.type, lanes_[v], 0, 1, convert(DType::kI64, node.type, coordinate));
    } else {
      const int count = argumentCount(node.op);
      const auto argument = [&](int a) {
        return static_cast<std::size_t>(node.args[static_cast<std::size_t>(a < count ? a : 0)]);
      };
      kernel::evaluate(node, kernel_.body[argument(count - 1)].type, lanes_[v], lanes_[argument(0)],
                       lanes_[argument(1)], lanes_[argument(2)], 1);
    }
  }
  return true;
}

bool DataRanges::load(const Value &value, std::size_t v, const std::vector<std::int64_t> &point) {
  const Access &access = kernel_.loads[static_cast<std::size_t>(value.access)];
  const auto t = static_cast<std::size_t>(access.tensor);
  const Tensor &tensor = graph_.tensors[t];
  std::int64_t element = valueAt(linearize(access, tensor, kernel_.dims.size()), point);
  if (access.isIndirect()) {
    const std::int64_t index = lanes_[static_cast<std::size_t>(access.indirectIndex)].i[0];
    if (index < 0 || index >= tensor.shape[static_cast<std::size_t>(access.indirectAt)]) {
      failure_.push_back(indexOutOfRange(kernel_, tensor, access.indirectAt, index, {}));
      return false;
    }
    element += index * strideOf(tensor, access.indirectAt);
  }
  gather(value.type, data_[t].bytes.data(), element, 0, lanes_[v], 0, 1);
  return true;
}

/// The element that a bound is, where it is one.
std::string DataRanges::shown(int value, const std::vector<std::int64_t> &point) const {
  if (value < 0) return {};
  const Value *node = &kernel_.body[static_cast<std::size_t>(value)];
  while (node->op == Op::kCast) node = &kernel_.body[static_cast<std::size_t>(node->args[0])];
  if (node->op != Op::kLoad) return {};
  const Access &access = kernel_.loads[static_cast<std::size_t>(node->access)];
  std::vector<std::int64_t> index;
  for (const Affine &form : access.index) index.push_back(valueAt(form, point));
  if (access.isIndirect())
    index[static_cast<std::size_t>(access.indirectAt)] = lanes_[static_cast<std::size_t>(access.indirectIndex)].i[0];
  return fmt::format(", which is {}[{}]", graph_.tensors[static_cast<std::size_t>(access.tensor)].name,
                     fmt::join(index, ","));
}

std::optional<DataRanges::Range> DataRanges::checked(const Bound &bound, const std::vector<std::int64_t> &point) {
  const DataBounds &b = *bound.bounds;
  const Dim &dim = kernel_.dims[static_cast<std::size_t>(b.dim)];
  Range range{0, dim.extent};
  if (b.first >= 0) range.first = lanes_[static_cast<std::size_t>(b.first)].i[0];
  if (b.end >= 0) range.end = lanes_[static_cast<std::size_t>(b.end)].i[0];
  if (range.first >= range.end) return Range{0, 0};
  if (range.first >= 0 && range.end <= dim.extent) return range;
  const bool isFirst = range.first < 0;
  failure_.push_back(error("bound-out-of-range", kernel_.where,
                           fmt::format("kernel '{}' runs dim '{}' {} {}{}; its extent is {}", kernel_.name, dim.name,
                                       isFirst ? "from" : "up to", isFirst ? range.first : range.end,
                                       shown(isFirst ? b.first : b.end, point), dim.extent),
                           fmt::format("use data with bounds in 0..{}, or a larger extent", dim.extent)));
  return std::nullopt;
}

}  // namespace pimento::kernel
