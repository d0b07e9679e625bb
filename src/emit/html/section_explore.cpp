// Explorations: many mappings of one kernel, or many settings of one machine.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "pimento/base/text.h"
#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kTableRows = 40;
constexpr std::size_t kMostPoints = 3000;
constexpr double kFromZeroBelow = 0.6;

/// Rows that have their own numbers, by time and then energy.
std::vector<std::size_t> ranked(const ExploreResult &r) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < r.rows.size(); ++i)
    if (r.rows[i].isKnown()) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(*r.rows[a].timeNs, *r.rows[a].energyPj) < std::pair(*r.rows[b].timeNs, *r.rows[b].energyPj);
  });
  return order;
}

std::string nameOf(const ExploreResult &r, const Candidate &c) {
  std::string name;
  for (std::size_t i = 0; i < c.swept.size() && i < r.sweep.size(); ++i)
    name += fmt::format("{}{} = {}", name.empty() ? "" : ", ", r.sweep[i].first, c.swept[i]);
  return name.empty() ? c.mapping : name;
}

std::string tipOf(const ExploreResult &r, const Candidate &c, std::string_view role) {
  std::string tip = nameOf(r, c);
  if (!role.empty()) tip = std::string(role) + ": " + tip;
  if (c.timeNs)
    tip += fmt::format("\ntime {}{}", c.isBounded() ? "at least " : "", shortText(Quantity::kTime, *c.timeNs));
  if (c.cycles) tip += fmt::format(" ({} device cycles)", shortText(Quantity::kCycles, *c.cycles));
  if (c.energyPj)
    tip += fmt::format("\nenergy {}{}", c.isBounded() ? "at least " : "", shortText(Quantity::kEnergy, *c.energyPj));
  return tip;
}

/// "2.3 times as fast as", "1.1 times as slow as", "as fast as" the reference.
std::string against(double ours, double reference, std::string_view better, std::string_view worse) {
  if (ours <= 0 || reference <= 0) return {};
  if (ours == reference) return "as the reference";
  return ours < reference ? fmt::format("{} times {} than the reference", plain(reference / ours, 3), better)
                          : fmt::format("{} times {} than the reference", plain(ours / reference, 3), worse);
}

std::string bestRemark(const Best &best, const std::string &comparison) {
  std::string out = comparison;
  if (best.isChecked)
    out += fmt::format("{}{}", out.empty() ? "" : "; ", *best.isChecked ? "results checked" : "results not checked");
  return out;
}

std::string tilesHtml(const ExploreResult &r) {
  Tiles t;
  const Candidate *reference = r.reference && r.reference->timeNs && r.reference->energyPj ? &*r.reference : nullptr;
  if (r.bestTime && r.rows[r.bestTime->row].timeNs) {
    const double ns = *r.rows[r.bestTime->row].timeNs;
    t.add("Shortest time", number(Quantity::kTime, ns),
          bestRemark(*r.bestTime, reference ? against(ns, *reference->timeNs, "faster", "slower") : ""));
  }
  if (r.bestEnergy && r.rows[r.bestEnergy->row].energyPj) {
    const double pj = *r.rows[r.bestEnergy->row].energyPj;
    t.add("Lowest energy", number(Quantity::kEnergy, pj),
          bestRemark(*r.bestEnergy, reference ? against(pj, *reference->energyPj, "less", "more") : ""));
  }
  if (!r.kernels.empty())
    t.add("Kernels", number(Quantity::kCount, static_cast<double>(r.kernels.size())), "each explored separately");
  else if (!r.isSweep && !r.pareto.empty())
    t.add("Pareto front", number(Quantity::kCount, static_cast<double>(r.pareto.size())),
          r.pareto.size() == 1 ? "mapping, best in both" : "mappings that no other beats in both");
  t.add(r.isSweep ? "Settings" : "Mappings",
        number(Quantity::kCount, r.explored.value_or(static_cast<double>(r.rows.size()))),
        r.space ? "of " + number(Quantity::kCount, *r.space) + " in the space" : "");
  return t.html();
}

/// The mapping of a sweep's rows, where they all have the same.
std::optional<std::string> commonMapping(const ExploreResult &r) {
  if (r.sweep.empty() || r.rows.empty()) return std::nullopt;
  for (const Candidate &c : r.rows)
    if (c.mapping != r.rows.front().mapping) return std::nullopt;
  return r.rows.front().mapping;
}

std::string runHtml(const ExploreResult &r) {
  Facts f;
  f.add("Kernel", escape(r.kernel));
  f.add("Sizes", sizesHtml(r.sizes));
  f.add("Element type", escape(r.dtype));
  f.add("Target", escape(r.target));
  for (const auto &[path, values] : r.sweep)
    f.add("Swept", "<code>" + escape(path + " = " + join(values, ", ")) + "</code>");
  if (const auto mapping = commonMapping(r); mapping && !mapping->empty())
    f.add("Mapping", "<code>" + escape(*mapping) + "</code>");
  const auto count = [&](std::string_view name, const std::optional<double> &n, std::string_view what) {
    if (n && *n > 0) f.add(name, number(Quantity::kCount, *n) + " " + std::string(what));
  };
  count("Estimated", r.estimated, r.isSweep ? "settings" : "mappings, each estimated as by <code>estimate</code>");
  count("Equal", r.equal, "run the same commands as another mapping and share its numbers");
  count("Bounded", r.bounded, "were not run: their lower bounds of time and energy are above the best found");
  count("Illegal", r.illegal, "are illegal for the kernel or the machine");
  count("Open", r.open, "were not evaluated: the budget was exhausted");
  if (r.proof && !r.isSweep) f.add("Proved", escape(search::proofText(*r.proof, "mapping", "among those explored")));
  if (!r.mapTime.empty()) f.add("Fastest of all kernels", "<code>--map " + escape(r.mapTime) + "</code>");
  if (!r.mapEnergy.empty()) f.add("Lowest energy of all", "<code>--map " + escape(r.mapEnergy) + "</code>");
  if (r.seconds) f.add("Took", escape(plain(*r.seconds, 3)) + " s");
  f.add("Command", commandHtml(r.run));
  return f.html();
}

std::size_t countOf(const ExploreResult &r, std::string_view how) {
  return static_cast<std::size_t>(
      std::count_if(r.rows.begin(), r.rows.end(), [&](const Candidate &c) { return c.how == how; }));
}

/// What is special about a row.
Mark markOf(const ExploreResult &r, std::size_t row, const std::set<std::size_t> &front) {
  const bool isFastest = r.bestTime && r.bestTime->row == row, isLeast = r.bestEnergy && r.bestEnergy->row == row;
  if (isFastest && isLeast) return Mark::kBestBoth;
  if (isFastest) return Mark::kBestTime;
  if (isLeast) return Mark::kBestEnergy;
  if (front.count(row) != 0) return Mark::kFront;
  return r.rows[row].isBounded() ? Mark::kBound : Mark::kDot;
}

std::string_view roleOf(Mark mark) {
  switch (mark) {
    case Mark::kFront:
      return "Pareto front";
    case Mark::kBestTime:
      return "fastest";
    case Mark::kBestEnergy:
      return "lowest energy";
    case Mark::kBestBoth:
      return "fastest, lowest energy";
    case Mark::kReference:
      return "reference";
    case Mark::kBound:
      return "lower bound only";
    case Mark::kDot:
      break;
  }
  return {};
}

std::string scatterHtml(const ExploreResult &r) {
  PointChart chart = timeEnergyChart(fmt::format("Energy against time of {}", counted(r.rows.size(), "mapping")));
  const std::set<std::size_t> front(r.pareto.begin(), r.pareto.end());
  std::set<Mark> used;
  std::size_t left = 0;
  const std::size_t stride = r.rows.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const Candidate &c = r.rows[i];
    if (!c.timeNs || !c.energyPj || c.how == "illegal" || !c.error.empty()) continue;
    const Mark mark = markOf(r, i, front);
    if (i % stride != 0 && (mark == Mark::kDot || mark == Mark::kBound)) {
      ++left;
      continue;
    }
    used.insert(mark);
    chart.points.push_back({*c.timeNs, *c.energyPj, mark, tipOf(r, c, roleOf(mark))});
  }
  if (r.reference && r.reference->timeNs && r.reference->energyPj) {
    used.insert(Mark::kReference);
    chart.points.push_back(
        {*r.reference->timeNs, *r.reference->energyPj, Mark::kReference, tipOf(r, *r.reference, "reference")});
  }
  if (chart.points.empty()) return "<p>No mapping has both a time and an energy.</p>\n";
  for (const std::size_t i : r.pareto)
    if (r.rows[i].timeNs && r.rows[i].energyPj) chart.line.emplace_back(*r.rows[i].timeNs, *r.rows[i].energyPj);
  std::sort(chart.line.begin(), chart.line.end());
  chart.legend.assign(used.begin(), used.end());
  std::string out = figure(chart);
  if (left > 0)
    out += fmt::format(
        "<p class=\"remark\">{} are not drawn, only one in {}; the front, the best ones and the reference all are."
        "</p>\n",
        counted(left, "further point"), stride);
  return out;
}

/// What is to be said of a row beside its numbers; markup.
std::string remarkOf(const ExploreResult &r, const Candidate &c, Mark mark) {
  std::vector<std::string> words;
  if (!c.error.empty()) words.push_back(escape(c.error));
  if (!roleOf(mark).empty()) words.push_back("<b>" + escape(roleOf(mark)) + "</b>");
  if (c.like && *c.like < r.rows.size() && !c.isBounded())
    words.push_back("equal to <code>" + escape(r.rows[*c.like].mapping) + "</code>");
  else if (!c.how.empty() && c.how != "estimated" && mark != Mark::kBound)
    words.push_back(escape(c.how));
  return join(words, "; ");
}

/// A table of candidates. A mapping that all have in common stands elsewhere.
std::string candidatesTable(const ExploreResult &r, std::string_view caption, const std::vector<std::size_t> &rows) {
  std::vector<GridColumn> columns;
  for (const auto &[path, values] : r.sweep) columns.push_back({path, true, ""});
  const bool isNamed = !commonMapping(r);
  if (isNamed) columns.push_back({"mapping", false, "spec"});
  columns.insert(columns.end(), {{"time", true, ""},
                                 {"energy", true, ""},
                                 {"device cycles", true, ""},
                                 {"all cycles", true, ""},
                                 {"kernel energy", true, ""},
                                 {"remark", false, "remarks"}});
  Grid g(caption, columns);
  const std::set<std::size_t> front(r.pareto.begin(), r.pareto.end());
  for (const std::size_t i : rows) {
    const Candidate &c = r.rows[i];
    std::vector<GridCell> cells;
    for (const std::string &v : c.swept) {
      GridCell cell(escape(v));
      cell.key = v;
      cells.push_back(std::move(cell));
    }
    if (isNamed) cells.emplace_back("<code>" + escape(c.mapping) + "</code>");
    cells.insert(cells.end(), {{Quantity::kTime, c.timeNs},
                               {Quantity::kEnergy, c.energyPj},
                               {Quantity::kCycles, c.cycles},
                               {Quantity::kCycles, c.totalCycles},
                               {Quantity::kEnergy, c.energyKernelPj}});
    const Mark mark = markOf(r, i, front);
    cells.emplace_back(remarkOf(r, c, mark));
    const bool isMarked = mark == Mark::kBestTime || mark == Mark::kBestEnergy || mark == Mark::kBestBoth;
    g.row(std::move(cells), isMarked ? "marked" : "");
  }
  return g.html();
}

std::string shownCount(std::size_t n) {
  return shortText(Quantity::kCount, static_cast<double>(n));
}

std::string mappingsTable(const ExploreResult &r) {
  std::vector<std::size_t> order = ranked(r);
  const std::size_t all = order.size();
  // The fastest, and everything on the front or best by another measure.
  std::set<std::size_t> special(r.pareto.begin(), r.pareto.end());
  if (r.bestEnergy) special.insert(r.bestEnergy->row);
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i < kTableRows || (special.count(order[i]) != 0 && shown.size() < 4 * kTableRows)) shown.push_back(order[i]);
  std::string out = candidatesTable(
      r, shown.size() < all ? "The fastest mappings, and those on the front" : "Mappings by time", shown);
  std::vector<std::string> others;
  if (shown.size() < all) others.push_back(shownCount(all - shown.size()) + " slower ones");
  if (const std::size_t n = countOf(r, "bounded"); n > 0) others.push_back(shownCount(n) + " only bounded");
  if (const std::size_t n = countOf(r, "illegal"); n > 0) others.push_back(shownCount(n) + " illegal");
  if (others.empty()) return out;
  return out + fmt::format("<p class=\"remark\">Only in the result file: {}.</p>\n", fmt::join(others, ", "));
}

/// One quantity of a sweep of one number, as a line.
std::string sweepLine(const ExploreResult &r, bool isTime) {
  const auto &[path, values] = r.sweep.front();
  PointChart chart;
  chart.yTitle = isTime ? "time" : "energy";
  chart.yQuantity = isTime ? Quantity::kTime : Quantity::kEnergy;
  chart.xTitle = path;
  chart.about = fmt::format("{} for each value of {}", isTime ? "Time" : "Energy", path);
  bool isNumeric = true;
  for (const std::string &v : values) isNumeric = isNumeric && parseNumber(v).has_value();
  if (!isNumeric) chart.names = values;
  const std::optional<Best> &best = isTime ? r.bestTime : r.bestEnergy;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const Candidate &c = r.rows[i];
    if (!c.isKnown() || c.swept.empty()) continue;
    double x = 0;
    if (isNumeric) {
      const std::optional<double> value = parseNumber(c.swept[0]);
      if (!value) continue;
      x = *value;
    } else {
      const auto at = std::find(values.begin(), values.end(), c.swept[0]);
      if (at == values.end()) continue;
      x = static_cast<double>(at - values.begin());
    }
    const double y = isTime ? *c.timeNs : *c.energyPj;
    const Mark mark = best && best->row == i ? (isTime ? Mark::kBestTime : Mark::kBestEnergy) : Mark::kFront;
    chart.points.push_back({x, y, mark, tipOf(r, c, roleOf(mark == Mark::kFront ? Mark::kDot : mark))});
    chart.line.emplace_back(x, y);
  }
  std::stable_sort(chart.line.begin(), chart.line.end(),
                   [](const auto &a, const auto &b) { return a.first < b.first; });
  if (chart.points.empty()) return {};
  const auto [low, high] = std::minmax_element(chart.points.begin(), chart.points.end(),
                                               [](const Point &a, const Point &b) { return a.y < b.y; });
  // Small differences should be seen, and large ones in proportion.
  chart.isYFromZero = low->y < kFromZeroBelow * high->y;
  std::string out = figure(chart);
  if (!chart.isYFromZero && chart.points.size() > 1) out += "<p class=\"remark\">The axis does not start at 0.</p>\n";
  return out;
}

std::string sweepHeat(const ExploreResult &r, bool isTime) {
  const auto &[xPath, xValues] = r.sweep[0];
  const auto &[yPath, yValues] = r.sweep[1];
  HeatMap chart;
  chart.what = isTime ? "time" : "energy";
  chart.quantity = isTime ? Quantity::kTime : Quantity::kEnergy;
  chart.about = fmt::format("{} for each pair of {} and {}", isTime ? "Time" : "Energy", xPath, yPath);
  chart.xTitle = xPath;
  chart.yTitle = yPath;
  chart.xNames = xValues;
  chart.yNames = yValues;
  const std::optional<Best> &best = isTime ? r.bestTime : r.bestEnergy;
  for (std::size_t i = 0; i < r.rows.size(); ++i) {
    const Candidate &c = r.rows[i];
    if (!c.isKnown() || c.swept.size() < 2) continue;
    const auto x = std::find(xValues.begin(), xValues.end(), c.swept[0]);
    const auto y = std::find(yValues.begin(), yValues.end(), c.swept[1]);
    if (x == xValues.end() || y == yValues.end()) continue;
    chart.cells.push_back({static_cast<std::size_t>(x - xValues.begin()), static_cast<std::size_t>(y - yValues.begin()),
                           isTime ? *c.timeNs : *c.energyPj, tipOf(r, c, ""), best && best->row == i});
  }
  return chart.cells.empty() ? std::string() : figure(chart);
}

Part sweepCharts(const ExploreResult &r) {
  if (r.sweep.size() == 1)
    return {"Time and energy", "<h4>Time</h4>\n" + sweepLine(r, true) + "<h4>Energy</h4>\n" + sweepLine(r, false)};
  if (r.sweep.size() == 2)
    return {"Time and energy", "<h4>Time</h4>\n" + sweepHeat(r, true) + "<h4>Energy</h4>\n" + sweepHeat(r, false)};
  return {"Time and energy", scatterHtml(r)};
}

}  // namespace

Section sectionOf(const ExploreResult &r) {
  Section s;
  s.kind = r.isSweep ? "sweep" : "exploration of mappings";
  s.title = r.kernel + " on " + r.target + (r.isSweep ? ": sweep" : ": mappings");
  for (std::size_t i = 0; i < r.sweep.size(); ++i) s.title += (i == 0 ? " of " : " and ") + r.sweep[i].first;
  std::string sizes = sizesHtml(r.sizes);
  s.head = fmt::format("<p class=\"lead\">{}{}{}</p>\n", sizes, sizes.empty() || r.dtype.empty() ? "" : " · ",
                       escape(r.dtype));
  s.head += tilesHtml(r) + warningsHtml(r.warnings);
  if (!r.kernels.empty()) {
    for (const ExploreResult &k : r.kernels)
      s.parts.push_back({k.kernel, tilesHtml(k) + scatterHtml(k) + "<h4>Best mappings of " + escape(k.kernel) +
                                       "</h4>\n" + mappingsTable(k)});
    addRanks(r.sharing, s);
    s.parts.push_back({"Exploration", runHtml(r)});
    return s;
  }
  if (r.isSweep)
    s.parts.push_back(sweepCharts(r));
  else
    s.parts.push_back({"Time against energy", scatterHtml(r)});
  if (r.isSweep) {
    std::vector<std::size_t> all(std::min<std::size_t>(r.rows.size(), 10 * kTableRows));
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::string table = candidatesTable(r, "All settings", all);
    if (all.size() < r.rows.size())
      table += fmt::format("<p class=\"remark\">The first {} of {} settings; the others are in the result file.</p>\n",
                           all.size(), r.rows.size());
    s.parts.push_back({"Settings", std::move(table)});
  } else {
    s.parts.push_back({"Best mappings", mappingsTable(r)});
  }
  addRanks(r.sharing, s);
  s.parts.push_back({"Exploration", runHtml(r)});
  return s;
}

}  // namespace pimento::emit::html
