#include "pimento/evaluate/attribution.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace pimento::evaluate {

namespace {

void addTo(std::vector<std::int64_t> &sum, std::span<const std::int64_t> more) {
  sum.resize(more.size());
  std::ranges::transform(sum, more, sum.begin(), std::plus<>());
}

}  // namespace

AttributionSum::AttributionSum(std::vector<AttributionColumn> columns) {
  out_.totals.resize(columns.size());
  out_.columns = std::move(columns);
}

void AttributionSum::addToFunction(const std::string &function, std::span<const std::int64_t> amounts) {
  addTo(functions_[{"", 0, function}], amounts);
  addTo(out_.totals, amounts);
}

void AttributionSum::addToLine(const std::string &file, int line, const std::string &function,
                               std::span<const std::int64_t> amounts) {
  addTo(lines_[{file, line, function}], amounts);
}

Attribution AttributionSum::take(std::string about) {
  out_.functions = sorted(functions_);
  out_.lines = sorted(lines_);
  out_.about = std::move(about);
  return std::move(out_);
}

std::vector<AttributionRow> AttributionSum::sorted(const Rows &rows) const {
  std::vector<AttributionRow> out;
  for (const auto &[key, amounts] : rows)
    out.push_back({std::get<2>(key), std::get<0>(key), std::get<1>(key), "", amounts});
  std::ranges::stable_sort(out, std::greater<>(), [](const AttributionRow &r) { return r.amounts.back(); });
  return out;
}

}  // namespace pimento::evaluate
