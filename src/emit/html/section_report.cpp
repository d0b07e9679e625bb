// A report of estimate or simulate.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit::html {

namespace {

std::string exactnessHtml(const ReportResult &r) {
  if (r.cycles == 0) return "none: no kernel runs on the device";
  const std::string of = fmt::format("{} of {} device cycles", number(Quantity::kCycles, r.cyclesSimulated),
                                     number(Quantity::kCycles, r.cycles));
  if (r.exact == "simulated") return fmt::format("every command was simulated ({})", of);
  if (r.exact == "fast-forwarded")
    return fmt::format(
        "{} were simulated; the rest provably repeat these and were skipped, so the numbers equal those of a full "
        "simulation",
        of);
  if (r.exact == "sampled") {
    std::string text = "estimated from samples";
    if (r.intervalLow && r.intervalHigh)
      text += fmt::format("; {} to {} cycles with {} confidence", number(Quantity::kCycles, *r.intervalLow),
                          number(Quantity::kCycles, *r.intervalHigh), plain(100 * r.intervalLevel.value_or(0)) + " %");
    return text;
  }
  if (r.exact == "extrapolated")
    return fmt::format("extrapolated from two pieces, not exact: {} cycles were simulated",
                       number(Quantity::kCycles, r.cyclesSimulated));
  return escape(r.exact);
}

std::string unitsHtml(const UnitResult &u) {
  if (u.identical <= u.simulated) return {};
  return fmt::format("{} simulated, representing {} identical ones", number(Quantity::kCount, u.simulated),
                     number(Quantity::kCount, u.identical));
}

/// "channels" at the beginning of a line.
std::string capitalised(std::string word) {
  if (!word.empty()) word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  return word;
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
    t.add("Results", "checked",
          r.checkedAgainst.empty() ? "bit for bit against the reference interpreter"
                                   : "compared with: " + escape(r.checkedAgainst));
  else if (!r.profile.functions.empty())
    t.add("Results", "not checked", "a program without a kernel to compare with");
  else
    t.add("Results", "not checked", "<code>simulate</code> with data checks it");
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
  f.add(capitalised(r.unit.plural), unitsHtml(r.unit));
  if (r.setupCycles > 0 || r.setupEnergyPj > 0)
    f.add("Set-up, not included in the totals",
          fmt::format("{} cycles and {} to place constant operands once", number(Quantity::kCycles, r.setupCycles),
                      number(Quantity::kEnergy, r.setupEnergyPj)));
  f.add("Command", commandHtml(r.run));
  return f.html();
}

/// The steps of the run, where they say more than the parts do: of several kernels, or on several clocks.
std::string phasesHtml(const ReportResult &r) {
  constexpr std::size_t kMost = 200;
  const auto isOther = [](const PhaseResult &p) { return p.clock != "device"; };
  if (r.stages.size() < 2 && std::ranges::none_of(r.phases, isOther)) return {};
  Grid g("Phases in order", {{"#", true, ""},
                             {"phase", false, "name"},
                             {"part", false, ""},
                             {"cycles", true, ""},
                             {"clock", false, ""},
                             {"time", true, ""},
                             {"share", true, ""}});
  for (std::size_t i = 0; i < std::min(kMost, r.phases.size()); ++i) {
    const PhaseResult &p = r.phases[i];
    const Series s = seriesOfPart(p.part);
    g.row({std::to_string(i + 1),
           escape(p.name),
           swatch(s.style) + escape(s.name),
           {Quantity::kCycles, p.cycles},
           escape(p.clock),
           {Quantity::kTime, p.ns},
           shareText(p.ns, r.timeNs)});
  }
  if (g.isEmpty()) return {};
  return "<h4>Phases</h4>\n" + g.html() +
         (r.phases.size() > kMost ? fmt::format("<p class=\"remark\">The first {} of {}.</p>\n", kMost, r.phases.size())
                                  : std::string());
}

std::string timeHtml(const ReportResult &r) {
  const double total = r.parts.total();
  const double nsPerCycle = r.totalCycles > 0 ? r.timeNs / r.totalCycles : 0;
  std::string out = figure(partsChart(
      {{"", "", &r.parts}}, fmt::format("The {} of the run by part", shortText(Quantity::kCycles, total) + " cycles")));
  Grid g("Time by part",
         {{"part", false, "name"}, {"cycles", true, ""}, {"time", true, ""}, {"share", true, ""}, {"", false, "bar"}});
  for (const auto &[key, cycles] : r.parts.parts) {
    const auto part = std::ranges::find(evaluate::kParts, key, &evaluate::PartInfo::key);
    if (cycles == 0 && part != evaluate::kParts.end() && part->isOptional) continue;
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
         "<p class=\"remark\">The engine runs the compute part command by command. The other parts come from bandwidth "
         "models of the host and its memory.</p>\n" +
         phasesHtml(r);
}

/// How far the results of a converted kernel lie from the original's.
std::string conversionHtml(const ConversionResult &c) {
  const auto value = [](double x) { return fmt::format("{:.6g}", x); };
  Facts f;
  f.add("Converted", escape(c.rules));
  for (const auto &[tensor, scale] : c.scales) f.add("1 of " + escape(tensor), "stands for " + value(scale));
  if (c.errors.empty()) f.add("Error", "not computed: " + escape(c.whyNot));
  std::string out = f.html();
  if (c.errors.empty()) return out;
  Grid g("Difference from the kernel in its own types", {{"tensor", false, "name"},
                                                         {"largest", true, ""},
                                                         {"at", false, ""},
                                                         {"relative", true, ""},
                                                         {"at", false, ""},
                                                         {"mean", true, ""},
                                                         {"largest result", true, ""},
                                                         {"lost", true, ""}});
  for (const ErrorResult &e : c.errors)
    g.row({e.tensor.empty() ? std::string("all") : escape(e.tensor), value(e.largest), escape(e.where),
           value(e.largestRelative), escape(e.relativeWhere), value(e.mean), value(e.magnitude), value(e.lost)});
  return out + g.html() +
         "<p class=\"remark\">Lost elements are finite on one side only; the other columns leave them out, the "
         "relative "
         "error elements that are 0 in the original.</p>\n";
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
      "<p>{} in all, between {}. The range puts every constant at the low or high end of its sources; it is not a "
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
  const std::string of = r.unit.plural.empty() ? std::string("Counts")
                         : r.unit.isMany()     ? fmt::format("Counts, all {} together", r.unit.plural)
                                               : fmt::format("Counts of one {}", r.unit.singular);
  Grid g(of, {{"command or event", false, ""}, {"count", true, ""}});
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

/// `names`: the columns before those of the profile; `last`: the one behind.
Grid profileGrid(const Profile &p, std::string_view caption, std::vector<GridColumn> names, GridColumn last) {
  for (const Profile::Column &c : p.columns) {
    if (c.showsAmount) names.push_back({c.title, true, ""});
    if (c.showsShare) names.push_back({c.showsAmount ? "share" : c.title, true, ""});
  }
  names.push_back(std::move(last));
  return {caption, std::move(names)};
}

void addProfileRow(Grid &g, const Profile &p, const Profile::Row &row, std::vector<GridCell> cells, GridCell last) {
  cells.emplace_back(row.function.empty() ? std::string("no symbol") : escape(row.function));
  for (std::size_t c = 0; c < p.columns.size(); ++c) {
    const Profile::Column &column = p.columns[c];
    if (column.showsAmount) cells.emplace_back(column.isCycles ? Quantity::kCycles : Quantity::kCount, row.amounts[c]);
    if (column.showsShare) cells.emplace_back(shareText(row.amounts[c], column.total));
  }
  cells.push_back(std::move(last));
  g.row(std::move(cells));
}

std::string profileHtml(const Profile &p) {
  constexpr std::size_t kMostLines = 200;
  const GridColumn function{"function", false, "name"};
  Grid functions = profileGrid(p, "By function", {function}, {"", false, "bar"});
  for (const Profile::Row &row : p.functions)
    addProfileRow(functions, p, row, {},
                  p.columns.empty() ? std::string() : shareBar(row.amounts.back(), p.columns.back().total, "c0"));
  std::string out = functions.html();
  if (!p.lines.empty()) {
    Grid lines = profileGrid(p, "By line", {{"line", false, "name"}, function}, {"source", false, "long"});
    for (std::size_t i = 0; i < std::min(kMostLines, p.lines.size()); ++i) {
      const Profile::Row &row = p.lines[i];
      const std::string place = row.file.empty() ? "unknown" : fmt::format("{}:{:.0f}", escape(row.file), row.line);
      addProfileRow(lines, p, row, {place}, "<code>" + escape(row.text) + "</code>");
    }
    out += lines.html();
    if (p.lines.size() > kMostLines)
      out += fmt::format("<p class=\"remark\">The {} lines with the most time, out of {}.</p>\n", kMostLines,
                         p.lines.size());
  }
  return p.about.empty() ? out : out + "<p class=\"remark\">" + escape(capitalised(p.about)) + ".</p>\n";
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
  s.parts.push_back({"Run", runHtml(r)});
  if (const std::string left = leftHtml(r); !left.empty()) s.parts.push_back({"Output", left});
  if (r.conversion) s.parts.push_back({"Error", conversionHtml(*r.conversion)});
  s.parts.push_back({"Time", timeHtml(r)});
  if (!r.profile.functions.empty()) s.parts.push_back({"Profile", profileHtml(r.profile)});
  if (r.stages.size() > 1) s.parts.push_back({"Layers", stagesHtml(r)});
  s.parts.push_back({"Energy", energyHtml(r)});
  if (!r.counts.empty()) s.parts.push_back({"Counts", countsHtml(r)});
  return s;
}

}  // namespace pimento::emit::html
