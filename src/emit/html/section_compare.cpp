// One kernel on several targets, side by side.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/base/text.h"
#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

/// A row of the table: a name, and a cell for every target that ran.
struct Measure {
  std::string_view name;
  GridCell (*cell)(const ReportResult &);
};

GridCell energyRange(const ReportResult &r) {
  return rangeHtml(r.energyLow, r.energyHigh);
}

const Measure kMeasures[] = {
    {"time, host included", [](const ReportResult &r) { return GridCell(Quantity::kTime, r.timeNs); }},
    {"device cycles", [](const ReportResult &r) { return GridCell(Quantity::kCycles, r.cycles); }},
    {"all cycles", [](const ReportResult &r) { return GridCell(Quantity::kCycles, r.totalCycles); }},
    {"energy, host included", [](const ReportResult &r) { return GridCell(Quantity::kEnergy, r.energyPj); }},
    {"range of the energy", energyRange},
    {"energy of the device kernel",
     [](const ReportResult &r) { return GridCell(Quantity::kEnergy, r.energyKernelPj); }},
    {"element type", [](const ReportResult &r) { return GridCell(escape(r.dtype)); }},
    {"mapping", [](const ReportResult &r) { return GridCell("<code>" + escape(r.mapping) + "</code>"); }},
    {"cycles are", [](const ReportResult &r) { return GridCell(escape(r.exact)); }},
    {"results checked", [](const ReportResult &r) { return GridCell(r.isChecked ? "yes" : "no"); }},
};

std::string sideBySide(const CompareResult &result) {
  std::vector<GridColumn> columns = {{"", false, "name"}};
  for (const ComparedTarget &t : result.rows) columns.push_back({t.target, true, ""});
  Grid g("Targets side by side", columns);
  for (const Measure &m : kMeasures) {
    std::vector<GridCell> cells = {std::string(m.name)};
    for (const ComparedTarget &t : result.rows) cells.push_back(t.report ? m.cell(*t.report) : GridCell("–"));
    g.row(std::move(cells));
  }
  std::vector<GridCell> errors = {std::string("reason it cannot run")};
  bool isAny = false;
  for (const ComparedTarget &t : result.rows) {
    errors.emplace_back(escape(t.error));
    isAny = isAny || !t.report;
  }
  if (isAny) g.row(std::move(errors), "errors");
  return g.html(false);
}

std::string energyBars(const CompareResult &result) {
  BarChart chart;
  chart.about = "Energy of each target, by component, with its range";
  chart.axis = "energy";
  chart.quantity = Quantity::kEnergy;
  for (const ComparedTarget &t : result.rows) {
    if (!t.report) continue;
    Bar bar;
    bar.label = t.target;
    bar.note = shortText(Quantity::kEnergy, t.report->energyPj);
    std::vector<EnergyComponent> components = t.report->components;
    if (components.empty()) components = {{"energy", t.report->energyPj, 0, 0}};
    for (const EnergyComponent &c : components) {
      const Series s = seriesOfComponent(c.name);
      auto at =
          std::find_if(chart.series.begin(), chart.series.end(), [&](const Series &x) { return x.name == s.name; });
      if (at == chart.series.end()) at = chart.series.insert(chart.series.end(), s);
      bar.segments.push_back({static_cast<std::size_t>(at - chart.series.begin()), c.pj,
                              fmt::format("{}; {}: {}", t.target, c.name, exactText(Quantity::kEnergy, c.pj))});
    }
    bar.low = t.report->energyLow;
    bar.high = t.report->energyHigh;
    chart.bars.push_back(std::move(bar));
  }
  return figure(chart);
}

/// Targets have clocks of their own, so bars are in time, not in cycles.
std::string timeBars(const CompareResult &result) {
  std::vector<Parts> scaled(result.rows.size());
  std::vector<LabelledParts> rows;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (!result.rows[i].report) continue;
    const ReportResult &r = *result.rows[i].report;
    const double nsPerCycle = r.totalCycles > 0 ? r.timeNs / r.totalCycles : 0;
    for (const auto &[key, cycles] : r.parts.parts) scaled[i].parts.emplace_back(key, cycles * nsPerCycle);
    rows.push_back({result.rows[i].target, shortText(Quantity::kTime, r.timeNs), &scaled[i]});
  }
  return figure(partsChart(rows, "Time on each target, by part", Quantity::kTime));
}

}  // namespace

Section sectionOf(const CompareResult &result) {
  Section s;
  s.kind = "comparison";
  s.title = "comparison of targets";
  std::vector<std::pair<std::string, std::vector<std::string>>> warnings;  // and who has it
  bool isAny = false;
  for (const ComparedTarget &t : result.rows) {
    if (!t.report) continue;
    const ReportResult &r = *t.report;
    if (!isAny) {
      s.title = r.kernel + " on " + counted(result.rows.size(), "target");
      s.head = "<p class=\"lead\">" + sizesHtml(r.sizes) + "</p>\n";
    }
    isAny = true;
    for (const std::string &w : r.warnings) {
      auto at = std::find_if(warnings.begin(), warnings.end(), [&](const auto &x) { return x.first == w; });
      if (at == warnings.end()) at = warnings.insert(warnings.end(), {w, {}});
      at->second.push_back(t.target);
    }
  }
  std::vector<std::string> texts;
  for (const auto &[warning, targets] : warnings) texts.push_back(join(targets, ", ") + ": " + warning);
  s.head += warningsHtml(texts);
  s.parts.push_back(
      {"Side by side", result.rows.empty() ? std::string("<p>No target was compared.</p>\n") : sideBySide(result)});
  if (!isAny) return s;
  s.parts.push_back({"Time", timeBars(result)});
  s.parts.push_back({"Energy", energyBars(result)});
  return s;
}

}  // namespace pimento::emit::html
