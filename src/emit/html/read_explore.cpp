// explore: from JSON to what is shown.
#include <fmt/format.h>

#include <unordered_map>

#include "pimento/base/suggest.h"
#include "pimento/base/text.h"
#include "pimento/emit/html/results.h"

namespace pimento::emit::html {

namespace {

constexpr double kMostRows = 1e9;

using Columns = std::unordered_map<std::string, std::size_t>;

/// A cell that may stand for a number or a text.
std::string cellText(const Node &cell) {
  if (cell.isNumber()) return numberText(cell.number());
  return cell.isNull() ? std::string() : cell.text();
}

std::optional<double> cellAmount(const std::vector<Node> &cells, const Columns &columns, const std::string &name) {
  const auto it = columns.find(name);
  if (it == columns.end() || cells[it->second].isNull()) return std::nullopt;
  return cells[it->second].amount();
}

Candidate readRow(const Node &row, const Columns &columns, const ExploreResult &result) {
  Candidate c;
  const std::vector<Node> cells = row.items();
  if (cells.size() != columns.size()) {
    row.refuse(fmt::format("has {} cells for {} columns", cells.size(), columns.size()),
               "every row has one cell per column, null where nothing is known");
    return c;
  }
  const auto text = [&](const std::string &name) {
    const auto it = columns.find(name);
    return it == columns.end() ? std::string() : cellText(cells[it->second]);
  };
  for (const auto &[path, values] : result.sweep) c.swept.push_back(text(path));
  c.mapping = text("mapping");
  c.how = text("how");
  c.error = text("error");
  if (const auto row = cellAmount(cells, columns, "like"); row && *row < kMostRows)
    c.like = static_cast<std::size_t>(*row);
  c.cycles = cellAmount(cells, columns, "cycles");
  c.totalCycles = cellAmount(cells, columns, "total_cycles");
  c.timeNs = cellAmount(cells, columns, "time_ns");
  c.energyPj = cellAmount(cells, columns, "energy_pj");
  c.energyKernelPj = cellAmount(cells, columns, "energy_kernel_pj");
  return c;
}

/// The number of a row that exists.
std::optional<std::size_t> readRowNumber(const Node &node, std::size_t rows) {
  const double x = node.number();
  if (x >= 0 && x < static_cast<double>(rows)) return static_cast<std::size_t>(x);
  node.refuse(fmt::format("is not a row: there are {}", rows), "rows count from 0");
  return std::nullopt;
}

void readRows(const Node &node, ExploreResult &r) {
  Columns columns;
  for (const Node &column : node.at("columns").items())
    if (!columns.emplace(column.text(), columns.size()).second)
      column.refuse("appears twice", "use different column names");
  for (const char *needed : {"time_ns", "energy_pj"})
    if (columns.count(needed) == 0)
      node.at("columns").refuse(fmt::format("has no '{}'", needed), "this column is required");
  for (const auto &[path, values] : r.sweep)
    if (columns.count(path) == 0)
      node.at("columns").refuse(fmt::format("has no '{}'", path), "there is a column for every path of 'sweep'");
  for (const Node &row : node.at("rows").items()) r.rows.push_back(readRow(row, columns, r));
}

/// How many candidates there were, which are best, and what they are compared with. Rows count from `first`.
void readFound(const Node &node, std::size_t first, ExploreResult &r) {
  r.space = node.maybeAmount("space");
  r.explored = node.maybeAmount("explored");
  r.estimated = node.maybeAmount("estimated");
  r.equal = node.maybeAmount("equal");
  r.bounded = node.maybeAmount("bounded");
  r.illegal = node.maybeAmount("illegal");
  r.open = node.maybeAmount("open");
  if (const auto proof = node.find("proof"))
    r.proof = search::Proof{{proof->maybeAmount("time_gap").value_or(0), proof->maybeAmount("energy_gap").value_or(0)},
                            proof->find("sampled") && proof->at("sampled").truth()};
  const auto rowOf = [&](const Node &n) -> std::optional<std::size_t> {
    const auto row = readRowNumber(n, first + r.rows.size());
    if (!row) return std::nullopt;
    if (*row >= first) return *row - first;
    n.refuse("is a row of another kernel", "keep the rows of a kernel together");
    return std::nullopt;
  };
  if (const auto pareto = node.find("pareto"))
    for (const Node &row : pareto->items())
      if (const auto number = rowOf(row)) r.pareto.push_back(*number);
  const auto bestBy = [&](const Node &best, std::string_view measure) -> std::optional<Best> {
    const auto found = best.find(measure);
    if (!found) return std::nullopt;
    const auto row = rowOf(found->at("row"));
    if (!row) return std::nullopt;
    Best b{*row, std::nullopt};
    if (const auto checked = found->find("checked")) b.isChecked = checked->truth();
    return b;
  };
  if (const auto best = node.find("best")) {
    r.bestTime = bestBy(*best, "time");
    r.bestEnergy = bestBy(*best, "energy");
  }
  if (const auto reference = node.find("reference")) r.reference = readCandidate(*reference, "reference");
}

/// The kernels of a graph, each with its part of the rows.
void readKernels(const Node &kernels, ExploreResult &r) {
  std::size_t first = 0;
  for (const Node &node : kernels.items()) {
    ExploreResult k;
    k.kernel = node.at("kernel").text();
    k.target = r.target;
    const double rows = node.at("explored").amount();
    if (rows > static_cast<double>(r.rows.size() - first))
      return node.at("explored").refuse("exceeds the number of rows", "give the number of rows of the kernel");
    const auto begin = r.rows.begin() + static_cast<std::ptrdiff_t>(first);
    k.rows.assign(begin, begin + static_cast<std::ptrdiff_t>(rows));
    for (Candidate &c : k.rows) c.like = c.like && *c.like >= first ? std::optional(*c.like - first) : std::nullopt;
    readFound(node, first, k);
    first += k.rows.size();
    r.kernels.push_back(std::move(k));
  }
}

}  // namespace

Candidate readCandidate(const Node &node, std::string_view name) {
  Candidate c;
  c.mapping = node.textOr("mapping", name);
  c.cycles = node.maybeAmount("cycles");
  c.totalCycles = node.maybeAmount("total_cycles");
  c.timeNs = node.maybeAmount("time_ns");
  c.energyPj = node.maybeAmount("energy_pj");
  c.energyKernelPj = node.maybeAmount("energy_kernel_pj");
  return c;
}

ExploreResult readExplore(const Node &node) {
  ExploreResult r;
  const Node kind = node.at("explore");
  const std::string what = kind.text();
  r.isSweep = what == "sweep";
  if (what != "sweep" && what != "mappings")
    kind.refuse(fmt::format("is '{}'", what), suggest(what, {"mappings", "sweep"}));
  r.kernel = node.at("kernel").text();
  if (const auto sizes = node.find("sizes")) r.sizes = readAmounts(*sizes);
  r.dtype = node.textOr("dtype", "");
  r.target = node.at("target").text();
  r.sharing = readRanks(node);
  r.run = readRun(node);
  r.seconds = node.maybeAmount("seconds");
  if (const auto sweep = node.find("sweep"))
    for (const Node &axis : sweep->items()) {
      std::vector<std::string> values;
      for (const Node &v : axis.at("values").items()) values.push_back(cellText(v));
      r.sweep.emplace_back(axis.at("path").text(), std::move(values));
    }
  readRows(node, r);
  readFound(node, 0, r);
  if (const auto kernels = node.find("kernels")) readKernels(*kernels, r);
  if (const auto map = node.find("map")) {
    r.mapTime = map->textOr("time", "");
    r.mapEnergy = map->textOr("energy", "");
  }
  r.warnings = node.textsOr("warnings");
  return r;
}

}  // namespace pimento::emit::html
