// A report of estimate or simulate.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

std::string exactnessHtml(const ReportResult &r) {
  if (r.cycles == 0) return "none: nothing runs on the device";
  const std::string of = fmt::format("{} of {} device cycles", number(Quantity::kCycles, r.cyclesSimulated),
                                     number(Quantity::kCycles, r.cycles));
  if (r.exact == "simulated") return fmt::format("every command was simulated ({})", of);
  if (r.exact == "fast-forwarded")
    return fmt::format(
        "{} were simulated; the others repeat these, which was proved, and were skipped: the numbers are those "
        "of a full simulation",
        of);
  if (r.exact == "sampled") {
    std::string text = "estimated from samples";
    if (r.intervalLow && r.intervalHigh)
      text += fmt::format("; {} to {} cycles with {} confidence", number(Quantity::kCycles, *r.intervalLow),
                          number(Quantity::kCycles, *r.intervalHigh), plain(100 * r.intervalLevel.value_or(0)) + " %");
    return text;
  }
  if (r.exact == "extrapolated")
    return fmt::format("extrapolated from two pieces of it, not exact: {} cycles were simulated",
                       number(Quantity::kCycles, r.cyclesSimulated));
  return escape(r.exact);
}

std::string unitsHtml(const ReportResult &r) {
  if (r.unitsIdentical <= r.unitsSimulated) return {};
  return fmt::format("{} simulated, standing for {} identical ones", number(Quantity::kCount, r.unitsSimulated),
                     number(Quantity::kCount, r.unitsIdentical));
}

std::string tilesHtml(const ReportResult &r) {
  Tiles t;
  t.add("Time, host included", number(Quantity::kTime, r.timeNs), number(Quantity::kCycles, r.totalCycles) + " cycles");
  t.add("Device kernel", number(Quantity::kCycles, r.cycles) + " <small>cycles</small>",
        shareText(r.cycles, r.totalCycles) + " of the time");
  t.add("Energy, host included", number(Quantity::kEnergy, r.energyPj),
        rangeHtml(r.energyLow, r.energyHigh) + ", " + escape(r.energyNote));
  if (r.stages.size() > 1) {
    const auto onPim = static_cast<double>(
        std::count_if(r.stages.begin(), r.stages.end(), [](const StageResult &s) { return s.where == "pim"; }));
    t.add("Layers", number(Quantity::kCount, static_cast<double>(r.stages.size())),
          fmt::format("{:.0f} on the device, {:.0f} on the host", onPim, static_cast<double>(r.stages.size()) - onPim));
  }
  if (r.isChecked)
    t.add("Answer", "checked", "bit for bit against the reference interpreter");
  else if (!r.functions.empty())
    t.add("Answer", "not checked", "a program: no kernel says what its answer is");
  else
    t.add("Answer", "not checked", "<code>simulate</code> with data checks it");
  return t.html();
}

std::string runHtml(const ReportResult &r) {
  Facts f;
  f.add("Kernel", escape(r.kernel));
  f.add("Sizes", sizesHtml(r.sizes));
  f.add("Element type", escape(r.dtype));
  f.add("Target", escape(r.target));
  if (!r.mapping.empty() && r.stages.size() < 2) f.add("Mapping", "<code>" + escape(r.mapping) + "</code>");
  if (r.run && !r.run->data.empty()) f.add("Data", escape(r.run->data));
  f.add("Cycles", exactnessHtml(r));
  f.add("Channels", unitsHtml(r));
  if (r.setupCycles > 0 || r.setupEnergyPj > 0)
    f.add("Set-up, not included",
          fmt::format("{} cycles and {} to place constant operands once", number(Quantity::kCycles, r.setupCycles),
                      number(Quantity::kEnergy, r.setupEnergyPj)));
  f.add("To repeat it", commandHtml(r.run));
  return f.html();
}

std::string timeHtml(const ReportResult &r) {
  const double total = r.parts.total();
  const double nsPerCycle = r.totalCycles > 0 ? r.timeNs / r.totalCycles : 0;
  std::string out = figure(partsChart(
      {{"", "", &r.parts}}, fmt::format("The {} of the run by part", shortText(Quantity::kCycles, total) + " cycles")));
  Grid g("Time by part",
         {{"part", false, "name"}, {"cycles", true, ""}, {"time", true, ""}, {"share", true, ""}, {"", false, "bar"}});
  for (const auto &[key, cycles] : r.parts.parts) {
    if (key == "host" && cycles == 0) continue;
    const Series s = seriesOfPart(key);
    g.row({swatch(s.style) + escape(s.name),
           {Quantity::kCycles, cycles},
           {Quantity::kTime, cycles * nsPerCycle},
           shareText(cycles, total),
           shareBar(cycles, total, s.style)});
  }
  g.total({std::string("total"),
           {Quantity::kCycles, total},
           {Quantity::kTime, total * nsPerCycle},
           shareText(total, total)});
  out += g.html();
  return out +
         "<p class=\"remark\">The device kernel is what the engine runs, command by command. The other parts come from "
         "bandwidth models of the host and its memory.</p>\n";
}

std::string componentsHtml(const ReportResult &r) {
  if (r.components.empty()) return {};
  BarChart chart;
  chart.about = "Energy by component, with the range of the total";
  chart.axis = "energy";
  chart.quantity = Quantity::kEnergy;
  Bar bar;
  for (const EnergyComponent &c : r.components) {
    bar.segments.push_back(
        {chart.series.size(), c.pj, fmt::format("{}: {}", c.name, exactText(Quantity::kEnergy, c.pj))});
    chart.series.push_back(seriesOfComponent(c.name));
  }
  bar.low = r.energyLow;
  bar.high = r.energyHigh;
  chart.bars = {std::move(bar)};
  Grid g("Energy by component", {{"component", false, "name"},
                                 {"dynamic", true, ""},
                                 {"background", true, ""},
                                 {"total", true, ""},
                                 {"share", true, ""},
                                 {"", false, "bar"}});
  double dynamic = 0, background = 0;
  for (const EnergyComponent &c : r.components) {
    const Series s = seriesOfComponent(c.name);
    g.row({swatch(s.style) + escape(s.name),
           {Quantity::kEnergy, c.dynamic},
           {Quantity::kEnergy, c.background},
           {Quantity::kEnergy, c.pj},
           shareText(c.pj, r.energyPj),
           shareBar(c.pj, r.energyPj, s.style)});
    dynamic += c.dynamic;
    background += c.background;
  }
  g.total({std::string("total"),
           {Quantity::kEnergy, dynamic},
           {Quantity::kEnergy, background},
           {Quantity::kEnergy, r.energyPj},
           shareText(r.energyPj, r.energyPj)});
  return figure(chart) + g.html();
}

std::string termsChart(const ReportResult &r) {
  BarChart chart;
  chart.about = "Energy by term, each with the range of its sources";
  chart.axis = "energy";
  chart.quantity = Quantity::kEnergy;
  for (const EnergyTerm &t : r.terms) {
    if (t.pj == 0 && t.high == 0) continue;
    const Series s = seriesOfComponent(t.component);
    auto at = std::find_if(chart.series.begin(), chart.series.end(), [&](const Series &x) { return x.name == s.name; });
    if (at == chart.series.end()) at = chart.series.insert(chart.series.end(), s);
    Bar bar;
    bar.label = t.name;
    bar.note = shortText(Quantity::kEnergy, t.pj);
    bar.segments = {{static_cast<std::size_t>(at - chart.series.begin()), t.pj,
                     fmt::format("{}: {}, range {} to {}", t.name, shortText(Quantity::kEnergy, t.pj),
                                 shortText(Quantity::kEnergy, t.low), shortText(Quantity::kEnergy, t.high))}};
    bar.low = t.low;
    bar.high = t.high;
    chart.bars.push_back(std::move(bar));
  }
  return chart.bars.empty() ? std::string() : figure(chart);
}

std::string termsTable(const ReportResult &r) {
  Grid g("Energy by term: count times unit cost; background power times time",
         {{"term", false, "name"},
          {"of", false, ""},
          {"energy", true, ""},
          {"share", true, ""},
          {"range", true, "range"},
          {"count × unit cost", true, ""},
          {"confidence", false, ""},
          {"counted as; source of the cost", false, "long"}});
  for (const EnergyTerm &t : r.terms)
    g.row(
        {"<code>" + escape(t.name) + "</code>",
         escape(t.component) + (t.isBackground ? "<br/><small>background</small>" : ""),
         {Quantity::kEnergy, t.pj},
         shareText(t.pj, r.energyPj),
         rangeHtml(t.low, t.high),
         fmt::format("{} ×<br/>{} {}", number(Quantity::kCount, t.count), number(Quantity::kPlain, t.unitCost),
                     escape(t.unit)),
         fmt::format("<span class=\"tag {}\">{}</span>", t.confidence == "assumed" ? "weak" : "", escape(t.confidence)),
         fmt::format("<code>{}</code><br/>{}", escape(t.formula), escape(t.source))});
  return g.isEmpty() ? std::string() : g.html();
}

std::string energyHtml(const ReportResult &r) {
  std::string out = fmt::format(
      "<p>{} in all, between {}. The range puts every constant at the low, or at the high, end of its sources; it is "
      "no "
      "confidence interval. Energy is <strong>{}</strong>.</p>\n",
      number(Quantity::kEnergy, r.energyPj), rangeHtml(r.energyLow, r.energyHigh), escape(r.energyNote));
  if (r.energyKernelPj) {
    out += fmt::format("<p>The device kernel alone takes {}", number(Quantity::kEnergy, *r.energyKernelPj));
    if (r.energyKernelLow && r.energyKernelHigh)
      out += ", between " + rangeHtml(*r.energyKernelLow, *r.energyKernelHigh);
    out += ".</p>\n";
  }
  if (!r.energyCovers.empty()) out += "<p class=\"remark\">Covers: " + escape(r.energyCovers) + "</p>\n";
  out += componentsHtml(r);
  if (!r.terms.empty()) out += "<h4>Terms</h4>\n" + termsChart(r) + termsTable(r);
  return out;
}

std::string countsHtml(const ReportResult &r) {
  Grid g(r.unit == "DPU" ? "Counts of all DPUs together" : "Counts of one channel",
         {{"command or event", false, ""}, {"count", true, ""}});
  std::vector<std::string> none;
  for (const auto &[name, count] : r.counts) {
    if (count == 0)
      none.push_back(escape(name));
    else
      g.row({escape(name), {Quantity::kCount, count}});
  }
  return g.html() +
         (none.empty() ? std::string() : fmt::format("<p class=\"remark\">None of: {}.</p>\n", fmt::join(none, ", ")));
}

/// What a machine-code program left: values that were asked for, and what it printed.
std::string leftHtml(const ReportResult &r) {
  std::string out;
  if (!r.fault.empty()) out += fmt::format("<p><strong>The run ended early:</strong> {}</p>\n", escape(r.fault));
  if (!r.outputs.empty()) {
    Grid g("Memory after the run", {{"place", false, ""}, {"values", false, "long"}});
    for (const auto &[place, values] : r.outputs)
      g.row({"<code>" + escape(place) + "</code>", escape(fmt::format("{}", fmt::join(values, " ")))});
    out += g.html();
  }
  if (!r.log.empty()) out += fmt::format("<h4>Log</h4>\n<pre>{}</pre>\n", escape(r.log));
  return out;
}

void addProfileRows(Grid &g, const std::vector<ProfileRow> &rows, std::size_t most, bool isLines) {
  double slots = 0, cycles = 0;
  for (const ProfileRow &row : rows) {
    slots += row.slots;
    cycles += row.taskletCycles;
  }
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    const ProfileRow &row = rows[i];
    const std::string function = row.function.empty() ? std::string("no symbol") : escape(row.function);
    std::vector<GridCell> cells;
    if (isLines)
      cells.emplace_back(row.file.empty() ? std::string("unknown")
                                          : fmt::format("{}:{:.0f}", escape(row.file), row.line));
    cells.emplace_back(function);
    cells.emplace_back(Quantity::kCount, row.slots);
    cells.emplace_back(shareText(row.slots, slots));
    cells.emplace_back(Quantity::kCycles, row.waited);
    cells.emplace_back(shareText(row.taskletCycles, cycles));
    cells.emplace_back(isLines ? "<code>" + escape(row.text) + "</code>" : shareBar(row.taskletCycles, cycles, "c0"));
    g.row(std::move(cells));
  }
}

std::string profileHtml(const ReportResult &r) {
  constexpr std::size_t kMostLines = 200;
  const GridColumn slots{"slots", true, ""}, share{"share", true, ""}, waits{"cycles of DMA waits", true, ""},
      time{"of the tasklets' time", true, ""};
  Grid functions("Time by function", {{"function", false, "name"}, slots, share, waits, time, {"", false, "bar"}});
  addProfileRows(functions, r.functions, r.functions.size(), false);
  std::string out = functions.html();
  if (!r.lines.empty()) {
    Grid lines(
        "Time by line",
        {{"line", false, "name"}, {"function", false, "name"}, slots, share, waits, time, {"source", false, "long"}});
    addProfileRows(lines, r.lines, kMostLines, true);
    out += lines.html();
    if (r.lines.size() > kMostLines)
      out += fmt::format("<p class=\"remark\">The {} lines that took most, of {}.</p>\n", kMostLines, r.lines.size());
  }
  return out +
         "<p class=\"remark\">Counted, not sampled. Time is that of all tasklets together: the interval between two "
         "instructions of a tasklet for every slot, and waiting for transfers. Waiting for a turn or for other "
         "tasklets "
         "belongs to no line.</p>\n";
}

}  // namespace

Section sectionOf(const ReportResult &r) {
  Section s;
  s.kind = r.run && !r.run->verb.empty() ? r.run->verb : "report";
  s.title = r.kernel + " on " + r.target;
  s.head = fmt::format("<p class=\"lead\">{}</p>\n",
                       fmt::join(
                           [&] {
                             std::vector<std::string> words;
                             for (const std::string &w : {sizesHtml(r.sizes), escape(r.dtype), escape(r.exact)})
                               if (!w.empty()) words.push_back(w);
                             return words;
                           }(),
                           " · "));
  s.head += tilesHtml(r) + warningsHtml(r.warnings);
  s.parts.push_back({"What was run", runHtml(r)});
  if (const std::string left = leftHtml(r); !left.empty()) s.parts.push_back({"What it left", left});
  s.parts.push_back({"Time", timeHtml(r)});
  if (!r.functions.empty()) s.parts.push_back({"Profile", profileHtml(r)});
  if (r.stages.size() > 1) s.parts.push_back({"Layers", stagesHtml(r)});
  s.parts.push_back({"Energy", energyHtml(r)});
  if (!r.counts.empty()) s.parts.push_back({"Counts", countsHtml(r)});
  return s;
}

}  // namespace pimento::emit::html
