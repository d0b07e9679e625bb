// The kernels of a graph, usually the layers of a network.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMostBars = 32;  // more layers stand as columns side by side

std::string whereHtml(const std::string &where) {
  if (where == "pim") return "<span class=\"tag\">device</span>";
  if (where == "host") return "<span class=\"tag host\">host</span>";
  return "<span class=\"tag\">" + escape(where) + "</span>";
}

/// A time as what the device computes, what the host computes, and what the host does to move and merge.
std::string splitChart(const ReportResult &r) {
  const auto of = [&](evaluate::Part part) { return r.parts.of(evaluate::infoOf(part).key); };
  const double device = of(evaluate::Part::kCompute), host = of(evaluate::Part::kHost),
               moving = r.parts.total() - device - host;
  BarChart chart;
  chart.about = "Time by device, host layers, and host data movement";
  chart.axis = "time";
  chart.quantity = Quantity::kCycles;
  chart.series = {
      {"c0", "device computes"}, {"c3", "host computes its layers"}, {"c1", "host moves, rearranges and merges data"}};
  Bar bar;
  const double values[] = {device, host, std::max(0.0, moving)};
  for (std::size_t i = 0; i < 3; ++i)
    bar.segments.push_back(
        {i, values[i], fmt::format("{}: {}", chart.series[i].name, exactText(Quantity::kCycles, values[i]))});
  chart.bars = {std::move(bar)};
  return figure(chart);
}

std::string layerLabel(std::size_t i, const StageResult &s) {
  return fmt::format("{}  {}{}", i + 1, s.kernel, s.where == "host" ? " (host)" : "");
}

std::string layersChart(const ReportResult &r) {
  std::vector<LabelledParts> rows;
  for (std::size_t i = 0; i < r.stages.size(); ++i)
    rows.push_back(
        {layerLabel(i, r.stages[i]), shortText(Quantity::kCycles, r.stages[i].totalCycles), &r.stages[i].parts});
  BarChart bars = partsChart(rows, "Time of every layer, by part");
  if (rows.size() <= kMostBars) return figure(bars);
  ColumnChart columns;
  columns.about = bars.about;
  columns.axis = bars.axis;
  columns.quantity = bars.quantity;
  columns.across = "layer (number in the table)";
  columns.first = 0.5;
  columns.series = bars.series;
  columns.columns = std::move(bars.bars);
  return figure(columns);
}

/// Mappings and reasons are long and shared by many layers: cells show what is special.
std::string remarkHtml(const StageResult &s) {
  if (!s.why.empty()) return escape(s.why);
  return s.mapping.empty() ? std::string() : "<code>" + escape(s.mapping) + "</code>";
}

}  // namespace

std::string stagesHtml(const ReportResult &r) {
  double total = 0;
  std::optional<double> energy = 0.0, time = 0.0;
  for (const StageResult &s : r.stages) {
    total += s.totalCycles;
    energy = energy && s.energyPj ? std::optional(*energy + *s.energyPj) : std::nullopt;
    time = time && s.timeNs ? std::optional(*time + *s.timeNs) : std::nullopt;
  }
  Grid g("Layers in order of execution", {{"#", true, ""},
                                          {"layer", false, "name"},
                                          {"runs on", false, ""},
                                          {"device cycles", true, ""},
                                          {"all cycles", true, ""},
                                          {"share", true, ""},

                                          {"time", true, ""},
                                          {"energy", true, ""},
                                          {"mapping, or why it is on the host", false, "long"}});
  for (std::size_t i = 0; i < r.stages.size(); ++i) {
    const StageResult &s = r.stages[i];
    g.row({std::to_string(i + 1),
           escape(s.kernel) + (s.repeat > 1 ? fmt::format(" × {}", shortText(Quantity::kCount, s.repeat)) : ""),
           whereHtml(s.where),
           {Quantity::kCycles, s.where == "host" ? std::nullopt : std::optional(s.cycles)},
           {Quantity::kCycles, s.totalCycles},
           shareText(s.totalCycles, total),
           {Quantity::kTime, s.timeNs},
           {Quantity::kEnergy, s.energyPj},
           remarkHtml(s)},
          s.where == "host" ? "on-host" : "");
  }
  g.total({std::string(),
           std::string("total"),
           std::string(),
           {Quantity::kCycles, r.cycles},
           {Quantity::kCycles, total},
           shareText(total, total),
           {Quantity::kTime, time},
           {Quantity::kEnergy, energy},
           std::string()});
  return "<h4>Device and host</h4>\n" + splitChart(r) + "<h4>Time by layer</h4>\n" + layersChart(r) + g.html();
}

}  // namespace pimento::emit::html
