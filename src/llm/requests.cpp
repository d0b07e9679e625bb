#include "pimento/llm/requests.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "pimento/base/csv.h"
#include "pimento/base/text.h"

namespace pimento::llm {

namespace {

struct ArrivalColumn {
  std::string_view name;
  double ps;  ///< of one of its unit
};
constexpr std::array<ArrivalColumn, 3> kArrivals = {{{"arrival_s", 1e12}, {"arrival_ms", 1e9}, {"arrival_us", 1e6}}};

}  // namespace

Result<std::vector<Request>> readRequests(std::string_view text, const std::string &file) {
  const CsvTable table = readCsv(text);
  const int headLine = table.rows.empty() ? 1 : table.rows.front().line - 1;
  const ArrivalColumn *arrival = nullptr;
  for (const ArrivalColumn &c : kArrivals) {
    if (!table.has(c.name)) continue;
    if (arrival != nullptr)
      return error("requests-without-units", {file, headLine, 0}, "arrivals are given twice, in two units",
                   "keep one of the columns");
    arrival = &c;
  }
  if (arrival == nullptr)
    return error("requests-without-units", {file, headLine, 0},
                 "no column says when requests arrive, and in which unit",
                 "name it arrival_s, arrival_ms or arrival_us");
  for (const char *column : {"prompt", "output"})
    if (!table.has(column))
      return error("requests-columns", {file, headLine, 0}, fmt::format("column '{}' is missing", column),
                   "columns: arrival_s (or arrival_ms, arrival_us), prompt, output");
  std::vector<Request> requests;
  for (const CsvTable::Row &row : table.rows) {
    const auto bad = [&](std::string_view column, std::string_view what) {
      return error("requests-value", {file, row.line, 0},
                   fmt::format("column '{}' holds '{}'", column, table.cell(row, column).value_or("")),
                   fmt::format("it takes {}", what));
    };
    Request r;
    const auto at = parseNumber(table.cell(row, arrival->name).value_or(""));
    if (!at || !(*at >= 0)) return bad(arrival->name, "a number of 0 or more");
    r.arrival = Picoseconds(*at * arrival->ps);
    constexpr std::int64_t kMost = 1'000'000;
    for (const auto &[column, out] : std::initializer_list<std::pair<std::string_view, std::int64_t *>>{
             {"prompt", &r.prompt}, {"output", &r.output}}) {
      const auto n = parseInteger(table.cell(row, column).value_or(""));
      if (!n || *n < 1 || *n > kMost) return bad(column, "a whole number from 1 to 1,000,000");
      *out = *n;
    }
    if (!requests.empty() && r.arrival < requests.back().arrival)
      return error("requests-go-back", {file, row.line, 0},
                   fmt::format("the request arrives at {}, before the one above it",
                               table.cell(row, arrival->name).value_or("")),
                   "sort the requests by their arrival");
    requests.push_back(r);
  }
  if (requests.empty())
    return error("requests-columns", {file, headLine, 0}, "the table has no requests", "add a row for each of them");
  return requests;
}

}  // namespace pimento::llm
