#include "pimento/emit/explore.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "pimento/base/text.h"
#include "pimento/emit/explore_json.h"
#include "pimento/emit/explore_texts.h"
#include "pimento/emit/sharing.h"
#include "pimento/tune/distribution.h"

namespace pimento::emit {

namespace {

using Json = nlohmann::ordered_json;

/// Rows and columns as JSON values: what JSON and CSV share.
struct Grid {
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
};

double ratio(double a, double b) {
  return b == 0 ? 0 : a / b;
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
      cells.emplace_back(search::name(r.how));
      if (r.how == search::Fate::kIllegal)
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
  const bool hasBase = e.hasBase();
  if (hasBase)
    for (const char *c : {"base_cycles", "base_energy_pj", "speedup", "energy_improvement"}) g.columns.emplace_back(c);
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
    if (hasBase && r.result.base) {
      const evaluate::Cost &base = *r.result.base, &c = r.result.cost;
      for (Json cell : {Json(base.total.value), Json(base.energy.value),
                        Json(ratio(static_cast<double>(base.total.value), static_cast<double>(c.total.value))),
                        Json(ratio(base.energy.value, c.energy.value))})
        cells.push_back(std::move(cell));
    } else if (hasBase) {
      cells.insert(cells.end(), 4, Json(nullptr));
    }
    g.rows.push_back(std::move(cells));
  }
  return g;
}

// --- JSON

void addGrid(Json &j, Grid grid) {
  j["columns"] = std::move(grid.columns);
  j["rows"] = Json::array();
  for (std::vector<Json> &row : grid.rows) j["rows"].push_back(std::move(row));
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
  return {{"space", f.space}, {"explored", rows},          {"estimated", f.estimated},
          {"equal", f.equal}, {"bounded", f.bounded},      {"illegal", f.illegal},
          {"open", f.open},   {"illegal_by", f.illegalBy}, {"device_runs", f.deviceRuns}};
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
  const search::Proof &proof = k.found.proof;
  j["proof"] = {{"optimal", proof.isOptimal()},
                {"stop", search::name(k.found.stop)},
                {"time_gap", proof.gap.time},
                {"energy_gap", proof.gap.energy},
                {"sampled", proof.isSampled}};
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
  return mapText(best, e.graphKernels);
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

}  // namespace

std::string toJson(const MappingExploration &e) {
  Json j = headJson("explore", "mappings", e.head);
  tune::Exploration sum;
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) {
    rows += static_cast<std::int64_t>(k.found.rows.size());
    sum.estimated += k.found.estimated;
    sum.equal += k.found.equal;
    sum.bounded += k.found.bounded;
    sum.illegal += k.found.illegal;
    sum.open += k.found.open;
    for (const auto &[code, n] : k.found.illegalBy) sum.illegalBy[code] += n;
    sum.deviceRuns += k.found.deviceRuns;
    sum.space += k.found.space;
  }
  j.update(countsOf(sum));
  j["explored"] = rows;
  j["seconds"] = e.head.seconds;
  if (e.head.compileSeconds > 0) j["compile_seconds"] = e.head.compileSeconds;
  if (e.head.sharing) j["ranks"] = sharingJson(*e.head.sharing);
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
  Json j = headJson("explore", "sweep", e.head);
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
  if (e.head.sharing) j["ranks"] = sharingJson(*e.head.sharing);
  j["sweep"] = Json::array();
  for (const tune::Axis &a : e.axes) j["sweep"].push_back({{"path", a.path}, {"values", a.values}});
  addGrid(j, gridOf(e));
  j["pareto"] = e.front;
  j["best"] = {{"time", {{"row", e.front.front()}}}, {"energy", {{"row", e.front.back()}}}};
  j["reference"] = nullptr;
  j["warnings"] = e.head.warnings;
  return print(j);
}

bool SweepExploration::hasBase() const {
  return std::ranges::any_of(rows, [](const tune::SweepRow &r) { return r.result.base.has_value(); });
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
