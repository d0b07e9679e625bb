#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/emit/columns.h"
#include "pimento/emit/explore_texts.h"
#include "pimento/emit/format.h"
#include "pimento/emit/sharing.h"
#include "pimento/tune/distribution.h"

namespace pimento::emit {

namespace {

void addDistribution(const tune::Distribution &d, std::string &out) {
  Columns table("lrr");
  table.row({"all mappings", "cycles", "total"});
  table.rule();
  for (std::size_t i = 0; i < d.kernel.size(); ++i)
    table.row({fmt::format("{:.0f} % below", 100 * tune::Distribution::kShares[i]), grouped(d.kernel[i].value),
               grouped(d.total[i].value)});
  out += "\n" + table.str();
}

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
  const char *where = k.found.every > 1 ? "among those explored" : "in this space";
  out += fmt::format("  {}\n", search::proofText(k.found.proof, "mapping", where));
  if (!k.found.reference) {
    out += "  the reference mapping is not legal for this kernel\n";
    return;
  }
  const tune::Row &best = k.found.rows[static_cast<std::size_t>(k.found.front.front())];
  out += fmt::format("  best in time relative to the reference: {}\n", ofReference(best.cost, *k.found.reference));
}

void addFront(const ExploredKernel &k, std::int64_t first, double clockGHz, std::string &out) {
  const std::size_t count = k.found.front.size();
  out += fmt::format("\n  front of time and energy: {} mapping{}{}\n", count, count == 1 ? "" : "s",
                     count == 1 ? ", best in both" : "");
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
  if (count > kMostShown) out += fmt::format("  and {} more; use --json or -o FILE.csv for all\n", count - kMostShown);
}

}  // namespace

std::string toTable(const MappingExploration &e) {
  std::string out = fmt::format("mappings of {}\n", titleOf(e.head));
  std::int64_t rows = 0;
  for (const ExploredKernel &k : e.kernels) rows += static_cast<std::int64_t>(k.found.rows.size());
  out += fmt::format("{} explored in {:.2f} s, {} per second", grouped(rows), e.head.seconds,
                     grouped(static_cast<std::int64_t>(static_cast<double>(rows) / std::max(e.head.seconds, 1e-6))));
  if (e.head.compileSeconds > 0)
    out += fmt::format("; compiling programs took {:.2f} s of thread time", e.head.compileSeconds);
  out += '\n' + sharingText(e.head.sharing.get());
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
  out += fmt::format("{} points in {:.2f} s\n{}\n", grouped(static_cast<std::int64_t>(e.rows.size())), e.head.seconds,
                     sharingText(e.head.sharing.get()));
  const bool hasBase = e.hasBase();
  Columns table(std::string(e.axes.size(), 'r') + (hasBase ? "rrrrrrl" : "rrrrl"));
  std::vector<std::string> titles;
  for (const tune::Axis &a : e.axes) titles.push_back(a.path);
  for (const char *t : {"cycles", "total", "time", "energy"}) titles.emplace_back(t);
  if (hasBase) titles.insert(titles.end(), {"speedup", "less energy"});
  titles.emplace_back();
  table.row(titles);
  table.rule();
  for (std::size_t i = 0; i < std::min(e.rows.size(), kMostPoints); ++i) {
    const tune::SweepRow &r = e.rows[i];
    std::vector<std::string> cells = r.values;
    if (r.error.empty())
      addCost(cells, r.result.cost, r.result.timeNs);
    else
      cells.insert(cells.end(), 4, "-");
    if (hasBase && r.result.base) {
      const evaluate::Cost &base = *r.result.base, &c = r.result.cost;
      cells.push_back(
          fmt::format("{:.3f}", static_cast<double>(base.total.value) / static_cast<double>(c.total.value)));
      cells.push_back(c.energy.value == 0 ? "-" : fmt::format("{:.3f}", base.energy.value / c.energy.value));
    } else if (hasBase) {
      cells.insert(cells.end(), 2, "-");
    }
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
    out += fmt::format("and {} more; use --json or -o FILE.csv for all\n", e.rows.size() - kMostPoints);
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

}  // namespace pimento::emit
