#include "pimento/emit/explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/format.h"
#include "pimento/tune/distribution.h"

namespace pimento::emit {

namespace {

using Json = nlohmann::ordered_json;

/// Rows and columns as JSON values: what JSON and CSV share.
struct Grid {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

double timeNs(Cycles cycles, double clockGHz) {
  // As Machine::toTime and Report::timeNs round.
  return static_cast<double>(cycles.value) * 1000.0 / clockGHz / 1000.0;
}

bool hasSeveral(const MappingExploration &e) {
  return e.kernels.size() > 1;
}

/// Where the rows of each kernel begin.
std::vector<std::int64_t> firstRows(const MappingExploration &e) {
  std::vector<std::int64_t> out;
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) {
    out.push_back(rows);
    rows += static_cast<std::int64_t>(k.found.rows.size());
  }
  return out;
}

Grid gridOf(const MappingExploration &e) {
  Grid g;
  if (hasSeveral(e)) g.columns.emplace_back("kernel");
  for (const char *c :
       {"mapping", "how", "cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj", "like", "error"})
    g.columns.emplace_back(c);
  std::int64_t first = 0;
  for (const ExploredKernel &k : e.kernels) {
    for (const tune::Row &r : k.found.rows) {
      std::vector<Json> cells;
      if (hasSeveral(e)) cells.emplace_back(k.kernel);
      cells.emplace_back(r.mapping);
      cells.emplace_back(tune::name(r.how));
      if (r.how == tune::How::kIllegal)
        cells.insert(cells.end(), 5, Json(nullptr));
      else
        for (Json cell : {Json(r.cost.kernel.value), Json(r.cost.total.value), Json(timeNs(r.cost.total, e.clockGHz)),
                          Json(r.cost.energy.value), Json(r.cost.kernelEnergy.value)})
          cells.push_back(std::move(cell));
      cells.push_back(r.like < 0 ? Json(nullptr) : Json(first + r.like));
      cells.push_back(r.error.empty() ? Json(nullptr) : Json(r.error));
      g.rows.push_back(std::move(cells));
    }
    first += static_cast<std::int64_t>(k.found.rows.size());
  }
  return g;
}

Grid gridOf(const SweepExploration &e) {
  Grid g;
  for (const tune::Axis &a : e.axes) g.columns.push_back(a.path);
  for (const char *c : {"mapping", "cycles", "total_cycles", "time_ns", "energy_pj", "energy_kernel_pj", "error"})
    g.columns.emplace_back(c);
  for (const tune::SweepRow &r : e.rows) {
    std::vector<Json> cells(r.values.begin(), r.values.end());
    if (r.error.empty()) {
      const evaluate::Cost &c = r.result.cost;
      for (Json cell : {Json(r.result.mapping), Json(c.kernel.value), Json(c.total.value), Json(r.result.timeNs),
                        Json(c.energy.value), Json(c.kernelEnergy.value), Json(nullptr)})
        cells.push_back(std::move(cell));
    } else {
      cells.insert(cells.end(), 6, Json(nullptr));
      cells.emplace_back(r.error);
    }
    g.rows.push_back(std::move(cells));
  }
  return g;
}

// --- JSON

Json headOf(const ExploreHead &h, const char *what) {
  Json j = {{"explore", what}, {"kernel", h.kernel}, {"sizes", Json::object()}};
  for (const auto &[name, extent] : h.sizes) j["sizes"][name] = extent;
  j["dtype"] = h.dtype;
  j["target"] = h.target;
  const RunText &r = h.run;
  j["run"] = {
      {"verb", r.verb},          {"input", r.input},       {"sizes", r.sizes},     {"dtype", r.dtype},
      {"variant", r.variant},    {"function", r.function}, {"target", r.target},   {"sets", r.sets},
      {"map", r.maps},           {"data", r.data},         {"seed", r.seed},       {"offload", r.offload},
      {"sweeps", r.sweeps},      {"chunks", r.chunks},     {"orders", r.orders},   {"exhaustive", r.isExhaustive},
      {"bounds", r.bounds},      {"space", r.space},       {"kernels", r.kernels}, {"limit", r.limit},
      {"constants", r.constants}};
  return j;
}

void addGrid(Json &j, Grid grid) {
  j["columns"] = std::move(grid.columns);
  j["rows"] = Json::array();
  for (std::vector<Json> &row : grid.rows) j["rows"].push_back(std::move(row));
}

Json costJson(const std::string &mapping, const evaluate::Cost &c, double clockGHz) {
  return {{"mapping", mapping},
          {"cycles", c.kernel.value},
          {"total_cycles", c.total.value},
          {"time_ns", timeNs(c.total, clockGHz)},
          {"energy_pj", c.energy.value},
          {"energy_kernel_pj", c.kernelEnergy.value}};
}

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
}

/// A best row, and how it compares with the reference mapping (below 1: better).
Json bestJson(const ExploredKernel &k, std::int64_t row, std::int64_t first, double clockGHz) {
  const tune::Row &r = k.found.rows[static_cast<std::size_t>(row)];
  Json j = costJson(r.mapping, r.cost, clockGHz);
  j["row"] = first + row;
  const auto checked = k.checked.find(row);
  j["checked"] = checked != k.checked.end() && checked->second;
  if (const auto &ref = k.found.reference)
    j["of_reference"] = {
        {"cycles", ratio(static_cast<double>(r.cost.kernel.value), static_cast<double>(ref->kernel.value))},
        {"total_cycles", ratio(static_cast<double>(r.cost.total.value), static_cast<double>(ref->total.value))},
        {"energy_pj", ratio(r.cost.energy.value, ref->energy.value)}};
  return j;
}

Json countsOf(const tune::Exploration &f) {
  const auto rows = static_cast<std::int64_t>(f.rows.size());
  return {{"space", f.space},     {"explored", rows},     {"estimated", f.estimated},   {"equal", f.equal},
          {"bounded", f.bounded}, {"illegal", f.illegal}, {"device_runs", f.deviceRuns}};
}

/// Quantiles named by percent.
Json distributionJson(const tune::Distribution &d) {
  Json j = {
      {"mappings", d.mappings}, {"percent", Json::array()}, {"cycles", Json::array()}, {"total_cycles", Json::array()}};
  for (std::size_t i = 0; i < d.kernel.size(); ++i) {
    j["percent"].push_back(std::llround(100 * tune::Distribution::kShares[i]));
    j["cycles"].push_back(d.kernel[i].value);
    j["total_cycles"].push_back(d.total[i].value);
  }
  return j;
}

Json foundJson(const ExploredKernel &k, std::int64_t first, double clockGHz) {
  Json j = {{"pareto", Json::array()}, {"best", Json::object()}, {"checked", Json::array()}};
  for (const std::int64_t row : k.found.front) j["pareto"].push_back(first + row);
  for (const auto &[row, isChecked] : k.checked)
    if (isChecked) j["checked"].push_back(first + row);
  j["best"]["time"] = bestJson(k, k.found.front.front(), first, clockGHz);
  j["best"]["energy"] = bestJson(k, k.found.front.back(), first, clockGHz);
  if (const auto d = tune::distributionOf(k.found)) j["distribution"] = distributionJson(*d);
  j["reference"] = k.found.reference ? costJson(k.found.referenceMapping, *k.found.reference, clockGHz) : Json(nullptr);
  return j;
}

/// What --map takes to run the whole graph with the best mapping of every kernel that has one.
std::string graphMap(const MappingExploration &e, bool isByTime) {
  std::map<std::string, std::string> best;
  for (const ExploredKernel &k : e.kernels) {
    const std::int64_t row = isByTime ? k.found.front.front() : k.found.front.back();
    best[k.kernel] = k.found.rows[static_cast<std::size_t>(row)].mapping;
    for (const std::string &name : k.same) best[name] = best[k.kernel];
  }
  std::vector<std::string> maps;
  for (const std::string &name : e.graphKernels) maps.push_back(best.count(name) > 0 ? best[name] : "reference");
  return join(maps, " | ");
}

std::string print(const Json &json) {
  // Rows one per line: thousands of them are to be read, too.
  Json head = json;
  const Json rows = std::move(head["rows"]);
  head["rows"] = "@rows@";
  std::string text = head.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string lines = "[";
  for (std::size_t i = 0; i < rows.size(); ++i)
    lines += (i == 0 ? "\n    " : ",\n    ") + rows[i].dump(-1, ' ', false, Json::error_handler_t::replace);
  lines += rows.empty() ? "]" : "\n  ]";
  const std::string mark = "\"rows\": \"@rows@\"";
  return text.replace(text.rfind(mark), mark.size(), "\"rows\": " + lines);
}

// --- CSV

std::string csvCell(const Json &cell) {
  if (cell.is_null()) return "";
  if (!cell.is_string()) return cell.dump();
  const auto &text = cell.get_ref<const std::string &>();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

void addDistribution(const tune::Distribution &d, std::string &out) {
  Columns table("lrr");
  table.row({"all mappings", "cycles", "total"});
  table.rule();
  for (std::size_t i = 0; i < d.kernel.size(); ++i)
    table.row({fmt::format("{:.0f} % below", 100 * tune::Distribution::kShares[i]), grouped(d.kernel[i].value),
               grouped(d.total[i].value)});
  out += "\n" + table.str();
}

std::string csvOf(const Grid &grid, const std::vector<std::string> &comments) {
  std::string out;
  for (const std::string &c : comments) out += "# " + c + "\n";
  out += join(grid.columns, ",") + "\n";
  for (const std::vector<Json> &row : grid.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) out += (i == 0 ? "" : ",") + csvCell(row[i]);
    out += "\n";
  }
  return out;
}

std::string titleOf(const ExploreHead &h) {
  std::vector<std::string> sizes;
  for (const auto &[name, extent] : h.sizes) sizes.push_back(fmt::format("{}={}", name, extent));
  return fmt::format("{}{}{}, {}, on {}", h.kernel, sizes.empty() ? "" : " ", join(sizes, ","), h.dtype, h.target);
}

std::string countsText(const tune::Exploration &f) {
  return fmt::format("{} estimated, {} equal, {} bounded, {} illegal", grouped(f.estimated), grouped(f.equal),
                     grouped(f.bounded), grouped(f.illegal));
}

std::string ratioText(double a, double b) {
  return b == 0 ? "-" : fmt::format("{:.3f}", a / b);
}

std::string ofReference(const evaluate::Cost &c, const evaluate::Cost &ref) {
  return fmt::format("{} of its cycles, {} of its total cycles, {} of its energy",
                     ratioText(static_cast<double>(c.kernel.value), static_cast<double>(ref.kernel.value)),
                     ratioText(static_cast<double>(c.total.value), static_cast<double>(ref.total.value)),
                     ratioText(c.energy.value, ref.energy.value));
}

std::vector<std::string> commentsOf(const MappingExploration &e) {
  std::vector<std::string> out = {fmt::format("mappings of {}", titleOf(e.head))};
  const std::vector<std::int64_t> firsts = firstRows(e);
  for (std::size_t i = 0; i < e.kernels.size(); ++i) {
    const ExploredKernel &k = e.kernels[i];
    const std::string lead = hasSeveral(e) ? k.kernel + ": " : "";
    out.push_back(fmt::format("{}{} explored: {}", lead, k.found.rows.size(), countsText(k.found)));
    for (const auto &[what, row] :
         {std::pair<const char *, std::int64_t>{"time", k.found.front.front()}, {"energy", k.found.front.back()}}) {
      const tune::Row &r = k.found.rows[static_cast<std::size_t>(row)];
      out.push_back(fmt::format("{}best in {}: row {} {}", lead, what, firsts[i] + row, r.mapping));
      if (k.found.reference)
        out.push_back(
            fmt::format("{}  against the reference mapping: {}", lead, ofReference(r.cost, *k.found.reference)));
    }
  }
  out.emplace_back(
      "rows count from 0; numbers of bounded rows are lower bounds, 'like' is the row that equals or beats them");
  for (const std::string &w : e.head.warnings) out.push_back("warning: " + w);
  return out;
}

// --- tables

constexpr std::size_t kMostShown = 20;

void addCost(std::vector<std::string> &cells, const evaluate::Cost &c, double ns) {
  cells.push_back(grouped(c.kernel.value));
  cells.push_back(grouped(c.total.value));
  cells.push_back(timeText(ns));
  cells.push_back(energyText(c.energy));
}

std::string checkText(const ExploredKernel &k, std::int64_t row) {
  const auto checked = k.checked.find(row);
  return checked == k.checked.end() ? "" : checked->second ? "yes" : "no";
}

void addBest(const ExploredKernel &k, double clockGHz, std::string &out) {
  Columns table("lrrrrll", 2);
  table.row({"", "cycles", "total", "time", "energy", "checked", "mapping"});
  table.rule();
  const auto add = [&](const std::string &what, std::int64_t row) {
    const tune::Row &r = k.found.rows[static_cast<std::size_t>(row)];
    std::vector<std::string> cells = {what};
    addCost(cells, r.cost, timeNs(r.cost.total, clockGHz));
    cells.push_back(checkText(k, row));
    cells.push_back(r.mapping);
    table.row(cells);
  };
  add("best in time", k.found.front.front());
  add("best in energy", k.found.front.back());
  if (const auto &ref = k.found.reference) {
    std::vector<std::string> cells = {"reference"};
    addCost(cells, *ref, timeNs(ref->total, clockGHz));
    cells.insert(cells.end(), {"", k.found.referenceMapping});
    table.row(cells);
  }
  out += table.str();
  if (!k.found.reference) {
    out += "  the reference mapping is not legal here\n";
    return;
  }
  const tune::Row &best = k.found.rows[static_cast<std::size_t>(k.found.front.front())];
  out +=
      fmt::format("  the best in time takes, against the reference: {}\n", ofReference(best.cost, *k.found.reference));
}

void addFront(const ExploredKernel &k, std::int64_t first, double clockGHz, std::string &out) {
  const std::size_t count = k.found.front.size();
  out += fmt::format("\n  front of time and energy: {} mapping{}{}\n", count, count == 1 ? "" : "s",
                     count == 1 ? ", the best in both" : "");
  if (count == 1) return;
  Columns table("rrrrrll", 2);
  table.row({"row", "cycles", "total", "time", "energy", "checked", "mapping"});
  table.rule();
  for (std::size_t i = 0; i < std::min(count, kMostShown); ++i) {
    const std::int64_t row = k.found.front[i];
    const tune::Row &r = k.found.rows[static_cast<std::size_t>(row)];
    std::vector<std::string> cells = {std::to_string(first + row)};
    addCost(cells, r.cost, timeNs(r.cost.total, clockGHz));
    cells.push_back(checkText(k, row));
    cells.push_back(r.mapping);
    table.row(cells);
  }
  out += table.str();
  if (count > kMostShown) out += fmt::format("  and {} more: see --json or -o FILE.csv\n", count - kMostShown);
}

void addWarnings(const std::vector<std::string> &warnings, std::string &out) {
  if (warnings.empty()) return;
  out += "\nnotes\n";
  Columns table("ll");
  for (const std::string &w : warnings) table.row({"  -", w});
  out += table.str();
}

}  // namespace

std::string toTable(const MappingExploration &e) {
  std::string out = fmt::format("mappings of {}\n", titleOf(e.head));
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) rows += static_cast<std::int64_t>(k.found.rows.size());
  out += fmt::format("{} explored in {:.2f} s, {} per second", grouped(rows), e.head.seconds,
                     grouped(static_cast<std::int64_t>(static_cast<double>(rows) / std::max(e.head.seconds, 1e-6))));
  if (e.head.compileSeconds > 0)
    out += fmt::format("; compiling programs took {:.2f} s of its threads", e.head.compileSeconds);
  out += '\n';
  const std::vector<std::int64_t> firsts = firstRows(e);
  for (std::size_t i = 0; i < e.kernels.size(); ++i) {
    const ExploredKernel &k = e.kernels[i];
    const std::string more = k.same.empty() ? "" : fmt::format(" (and {} like it)", k.same.size());
    out += fmt::format("\n{}{} mappings: {}; {} command streams run\n", hasSeveral(e) ? k.kernel + more + ": " : "",
                       grouped(static_cast<std::int64_t>(k.found.rows.size())), countsText(k.found),
                       grouped(k.found.deviceRuns));
    addBest(k, e.clockGHz, out);
    addFront(k, firsts[i], e.clockGHz, out);
    if (const auto d = tune::distributionOf(k.found)) addDistribution(*d, out);
  }
  addWarnings(e.head.warnings, out);
  return out;
}

std::string toTable(const SweepExploration &e) {
  constexpr std::size_t kMostPoints = 60;
  std::string out = fmt::format("sweep of {}\n", titleOf(e.head));
  out += fmt::format("{} points in {:.2f} s\n\n", grouped(static_cast<std::int64_t>(e.rows.size())), e.head.seconds);
  Columns table(std::string(e.axes.size(), 'r') + "rrrrl");
  std::vector<std::string> titles;
  for (const tune::Axis &a : e.axes) titles.push_back(a.path);
  for (const char *t : {"cycles", "total", "time", "energy", ""}) titles.emplace_back(t);
  table.row(titles);
  table.rule();
  for (std::size_t i = 0; i < std::min(e.rows.size(), kMostPoints); ++i) {
    const tune::SweepRow &r = e.rows[i];
    std::vector<std::string> cells = r.values;
    if (r.error.empty())
      addCost(cells, r.result.cost, r.result.timeNs);
    else
      cells.insert(cells.end(), 4, "-");
    const auto row = static_cast<std::int64_t>(i);
    cells.push_back(!r.error.empty()                                  ? r.error
                    : row == e.front.front() && row == e.front.back() ? "best in time and energy"
                    : row == e.front.front()                          ? "best in time"
                    : row == e.front.back()                           ? "best in energy"
                                                                      : "");
    table.row(cells);
  }
  out += table.str();
  if (e.rows.size() > kMostPoints) {
    out += fmt::format("and {} more: see --json or -o FILE.csv\n", e.rows.size() - kMostPoints);
    for (const auto &[what, row] :
         {std::pair<const char *, std::int64_t>{"time", e.front.front()}, {"energy", e.front.back()}}) {
      const tune::SweepRow &r = e.rows[static_cast<std::size_t>(row)];
      std::vector<std::string> point;
      for (std::size_t a = 0; a < e.axes.size(); ++a) point.push_back(e.axes[a].path + "=" + r.values[a]);
      out += fmt::format("best in {}: {} ({}, {})\n", what, join(point, " "), timeText(r.result.timeNs),
                         energyText(r.result.cost.energy));
    }
  }
  addWarnings(e.head.warnings, out);
  return out;
}

std::string toJson(const MappingExploration &e) {
  Json j = headOf(e.head, "mappings");
  tune::Exploration sum;
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) {
    rows += static_cast<std::int64_t>(k.found.rows.size());
    sum.estimated += k.found.estimated;
    sum.equal += k.found.equal;
    sum.bounded += k.found.bounded;
    sum.illegal += k.found.illegal;
    sum.deviceRuns += k.found.deviceRuns;
    sum.space += k.found.space;
  }
  j.update(countsOf(sum));
  j["explored"] = rows;
  j["seconds"] = e.head.seconds;
  if (e.head.compileSeconds > 0) j["compile_seconds"] = e.head.compileSeconds;
  j["sweep"] = Json::array();
  addGrid(j, gridOf(e));
  const std::vector<std::int64_t> firsts = firstRows(e);
  if (!hasSeveral(e)) {
    j.update(foundJson(e.kernels.front(), 0, e.clockGHz));
  } else {
    // A graph has no one best row: each kernel has its own, and together they are the best of the graph.
    j["pareto"] = Json::array();
    j["best"] = Json::object();
    j["reference"] = nullptr;
    j["kernels"] = Json::array();
    for (std::size_t i = 0; i < e.kernels.size(); ++i) {
      const ExploredKernel &k = e.kernels[i];
      Json part = {{"kernel", k.kernel}, {"same", k.same}};
      part.update(countsOf(k.found));
      part.update(foundJson(k, firsts[i], e.clockGHz));
      for (const Json &row : part["pareto"]) j["pareto"].push_back(row);
      j["kernels"].push_back(std::move(part));
    }
    j["map"] = {{"time", graphMap(e, true)}, {"energy", graphMap(e, false)}};
  }
  j["warnings"] = e.head.warnings;
  return print(j);
}

std::string toJson(const SweepExploration &e) {
  Json j = headOf(e.head, "sweep");
  std::int64_t errors = 0;
  for (const tune::SweepRow &r : e.rows) errors += r.error.empty() ? 0 : 1;
  const auto rows = static_cast<std::int64_t>(e.rows.size());
  j["space"] = rows;
  j["explored"] = rows;
  j["estimated"] = rows - errors;
  j["equal"] = 0;
  j["bounded"] = 0;
  j["illegal"] = errors;
  j["seconds"] = e.head.seconds;
  j["sweep"] = Json::array();
  for (const tune::Axis &a : e.axes) j["sweep"].push_back({{"path", a.path}, {"values", a.values}});
  addGrid(j, gridOf(e));
  j["pareto"] = e.front;
  j["best"] = {{"time", {{"row", e.front.front()}}}, {"energy", {{"row", e.front.back()}}}};
  j["reference"] = nullptr;
  j["warnings"] = e.head.warnings;
  return print(j);
}

std::string toCsv(const MappingExploration &e) {
  return csvOf(gridOf(e), commentsOf(e));
}

std::string toCsv(const SweepExploration &e) {
  std::vector<std::string> comments = {fmt::format("sweep of {}", titleOf(e.head))};
  comments.push_back(
      fmt::format("best in time: row {}; best in energy: row {}; rows count from 0", e.front.front(), e.front.back()));
  for (const std::string &w : e.head.warnings) comments.push_back("warning: " + w);
  return csvOf(gridOf(e), comments);
}

}  // namespace pimento::emit
