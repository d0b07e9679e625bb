#include "pimento/llm/gpu_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "pimento/base/csv.h"
#include "pimento/base/text.h"
#include "pimento/machine/quantity.h"

namespace pimento::llm {

namespace {

constexpr std::array<OperationKind, 7> kKinds = {
    OperationKind::kProducts,   OperationKind::kLinear, OperationKind::kSoftmax,    OperationKind::kNorm,
    OperationKind::kActivation, OperationKind::kGated,  OperationKind::kElementwise};
constexpr std::array<std::string_view, 4> kHead = {"gpu", "clock", "driver", "cuda"};
constexpr std::array<std::string_view, 6> kColumns = {"kernel", "bytes", "m", "n", "k", "count"};

/// The sizes between which times are interpolated, in this order.
constexpr std::array<double Operation::*, 4> kSizes = {&Operation::m, &Operation::n, &Operation::k, &Operation::count};

struct Sample {
  std::array<double, kSizes.size()> at;
  double time;
};

/// Tables round the fractional widths of published models.
bool isSame(double a, double b) {
  constexpr double kNear = 1e-6;
  return std::fabs(a - b) <= kNear * std::max(a, b);
}

/// Of repeated measurements.
double medianOf(std::vector<Sample> samples) {
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::ranges::nth_element(samples, middle, {}, &Sample::time);
  return middle->time;
}

/// The value at `x`: of samples that have it in size `i`, else between the two nearest around it. Nothing where none
/// are.
std::optional<double> interpolated(const std::vector<Sample> &samples, const std::array<double, kSizes.size()> &x,
                                   std::size_t i) {
  if (samples.empty()) return std::nullopt;
  if (i == kSizes.size()) return medianOf(samples);
  const auto with = [&](double value) {
    std::vector<Sample> some;
    for (const Sample &s : samples)
      if (isSame(s.at[i], value)) some.push_back(s);
    return interpolated(some, x, i + 1);
  };
  if (const auto exact = with(x[i])) return exact;
  std::set<double> below, above;
  for (const Sample &s : samples)
    if (!isSame(s.at[i], x[i])) (s.at[i] < x[i] ? below : above).insert(s.at[i]);
  std::optional<std::pair<double, double>> low, high;
  for (auto b = below.rbegin(); b != below.rend() && !low; ++b)
    if (const auto t = with(*b)) low = {*b, *t};
  for (auto a = above.begin(); a != above.end() && !high; ++a)
    if (const auto t = with(*a)) high = {*a, *t};
  if (!low || !high) return std::nullopt;
  return low->second + (high->second - low->second) * (x[i] - low->first) / (high->first - low->first);
}

std::string sizesText(const Operation &o) {
  return fmt::format("m={}, n={}, k={}, count={}", numberText(o.m), numberText(o.n), numberText(o.k),
                     numberText(o.count));
}

}  // namespace

Status GpuTable::readHead(std::string_view text) {
  int line = 0, clockLine = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++line;
    const std::string_view content = trim(raw);
    if (!content.starts_with('#')) continue;
    const std::size_t colon = content.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string key(trim(content.substr(1, colon - 1)));
    if (std::ranges::find(kHead, key) == kHead.end()) continue;
    head_[key] = std::string(trim(content.substr(colon + 1)));
    if (key == "clock") clockLine = line;
  }
  for (const std::string_view key : kHead)
    if (!head_.contains(key) || head_.find(key)->second.empty())
      return error("table-head", {file_, 1, 0}, fmt::format("the table does not say its {}", key),
                   "times of a GPU hold for one card, clock and driver: begin with '# gpu: NAME', '# clock: 1980 MHz', "
                   "'# driver: NUMBER' and '# cuda: NUMBER'");
  const auto clock = machine::parseQuantity(head_.find("clock")->second);
  if (!clock || !machine::unitFactor(clock->unit, "GHz"))
    return error("table-without-units", {file_, clockLine, 0},
                 fmt::format("the clock '{}' has no unit of frequency", head_.find("clock")->second),
                 "write it with its unit: '# clock: 1980 MHz'");
  return okStatus();
}

Status GpuTable::readRows(std::string_view text) {
  const CsvTable table = readCsv(text);
  const int headLine = table.rows.empty() ? 1 : table.rows.front().line - 1;
  for (const std::string_view column : kColumns)
    if (!table.has(column))
      return error("table-columns", {file_, headLine, 0}, fmt::format("column '{}' is missing", column),
                   fmt::format("columns: {}, and time_ns or time_us", fmt::join(kColumns, ", ")));
  const bool isNs = table.has("time_ns"), isUs = table.has("time_us");
  if (isNs == isUs)
    return error("table-without-units", {file_, headLine, 0},
                 isNs ? "times are given twice, in two units" : "no column says in which unit times are",
                 "name the column of times time_ns or time_us");
  for (const CsvTable::Row &row : table.rows) {
    const auto bad = [&](std::string_view column, std::string_view what) {
      return error("table-value", {file_, row.line, 0},
                   fmt::format("column '{}' holds '{}'", column, table.cell(row, column).value_or("")),
                   fmt::format("it takes {}", what));
    };
    Row r;
    r.line = row.line;
    const auto kind =
        std::ranges::find(kKinds, table.cell(row, "kernel").value_or(""), [](OperationKind k) { return name(k); });
    if (kind == kKinds.end()) {
      std::vector<std::string> names;
      for (const OperationKind k : kKinds) names.emplace_back(name(k));
      return bad("kernel", "one of " + join(names, ", "));
    }
    r.operation.kind = *kind;
    const auto number = [&](std::string_view column, double &out) {
      const auto x = parseNumber(table.cell(row, column).value_or(""));
      if (!x || !(*x > 0)) return false;
      out = *x;
      return true;
    };
    for (const auto &[column, out] :
         std::initializer_list<std::pair<std::string_view, double *>>{{"bytes", &r.operation.elementBytes},
                                                                      {"m", &r.operation.m},
                                                                      {"n", &r.operation.n},
                                                                      {"k", &r.operation.k},
                                                                      {"count", &r.operation.count},
                                                                      {isNs ? "time_ns" : "time_us", &r.time.value}})
      if (!number(column, *out)) return bad(column, "a number above 0");
    r.time.value *= isNs ? kPsPerNs : kPsPerUs;
    rows_.push_back(r);
  }
  if (rows_.empty())
    return error("table-columns", {file_, headLine, 0}, "the table has no rows", "measure at least one kernel");
  return okStatus();
}

Result<GpuTable> GpuTable::parse(std::string_view text, const std::string &file) {
  GpuTable table(file);
  if (Status s = table.readHead(text); !s) return s.diagnostics();
  if (Status s = table.readRows(text); !s) return s.diagnostics();
  return table;
}

Result<Picoseconds> GpuTable::time(const Operation &o) const {
  std::vector<Sample> samples;
  const auto at = [](const Operation &of) {
    std::array<double, kSizes.size()> sizes{};
    for (std::size_t i = 0; i < kSizes.size(); ++i) sizes[i] = of.*kSizes[i];
    return sizes;
  };
  for (const Row &r : rows_)
    if (r.operation.kind == o.kind && r.operation.elementBytes == o.elementBytes)
      samples.push_back({at(r.operation), r.time.value});
  if (const auto ps = interpolated(samples, at(o), 0)) return Picoseconds(*ps);
  return error("not-in-table", {file_, 0, 0},
               fmt::format("no time of '{}' with {} and elements of {} bytes can be found in the table", name(o.kind),
                           sizesText(o), numberText(o.elementBytes)),
               samples.empty() ? "measure this kernel"
                               : fmt::format("nothing is extrapolated: measure this shape, or shapes on both sides of "
                                             "it; {} shapes of this kernel are there",
                                             samples.size()));
}

}  // namespace pimento::llm
