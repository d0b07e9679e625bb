// Dims that data bound: what their bounds hang on, and where they run.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "pimento/kernel/data.h"
#include "pimento/kernel/kernel.h"
#include "pimento/kernel/lanes.h"

namespace pimento::kernel {

/// The body values that `value` hangs on, itself included, in the order of the body. -1: none.
std::vector<int> valuesBelow(const Kernel &kernel, int value);
/// Those of both bounds.
std::vector<int> valuesBelow(const Kernel &kernel, const DataBounds &bounds);
/// By dim: whether one of `values` has it as an index, or in one.
std::vector<bool> dimsIn(const Kernel &kernel, const std::vector<int> &values);
/// By dim: whether a bound hangs on it.
std::vector<bool> dimsThatBound(const Kernel &kernel);

/// Product of the extents, where dims that only tell which row of another runs count as 1: all rows together are that
/// dim once. An estimate, as far as rows overlap or leave something out.
std::int64_t pointsOfRows(const Kernel &kernel);

/// Evaluates bounds point by point.
class DataRanges {
 public:
  /// All must outlive it, and what the bounds load stay as it is.
  DataRanges(const Graph &graph, const Kernel &kernel, const DataSet &data);

  struct Range {
    std::int64_t first = 0, end = 0;  ///< first <= end
  };
  /// Where `dim` runs at a point whose coordinates before it are set; nothing: failure() says why.
  std::optional<Range> of(std::size_t dim, const std::vector<std::int64_t> &point);
  bool isBounded(std::size_t dim) const { return numbers_[dim] >= 0; }
  /// Whether a bound hangs on `dim`.
  bool bounds(std::size_t dim) const { return isBounding_[dim]; }
  /// A bound, or an index from data below it, was out of range: "bound-out-of-range", "index-out-of-range".
  const Diagnostics &failure() const { return failure_; }

 private:
  struct Bound {
    const DataBounds *bounds;
    std::vector<int> values;
    std::vector<std::size_t> dims;  ///< that it hangs on
    std::vector<std::int64_t> at;   ///< their coordinates when it was evaluated last
    std::optional<Range> range;
  };

  bool evaluate(const Bound &bound, const std::vector<std::int64_t> &point);
  bool load(const Value &value, std::size_t v, const std::vector<std::int64_t> &point);
  std::optional<Range> checked(const Bound &bound, const std::vector<std::int64_t> &point);
  std::string shown(int value, const std::vector<std::int64_t> &point) const;

  const Graph &graph_;
  const Kernel &kernel_;
  const DataSet &data_;
  std::vector<Bound> list_;
  std::vector<int> numbers_;  ///< by dim: in the list, or -1
  std::vector<bool> isBounding_;
  std::vector<Lanes> lanes_;  ///< by body value, the first of each
  Diagnostics failure_;
};

/// What is wrong with an index from data that lies outside its tensor.
Diagnostic indexOutOfRange(const Kernel &kernel, const Tensor &tensor, int at, std::int64_t index);

}  // namespace pimento::kernel
