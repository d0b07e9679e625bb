// What a validation suite found: our error per kernel.
#include <fmt/format.h>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

std::string share(double part, double whole) {
  return whole > 0 ? plain(100 * part / whole, 4) + " %" : std::string("–");
}

std::string chartHtml(const ValidateResult &r) {
  BarChart chart;
  chart.about = "Share of the points of each kernel that are reproduced exactly, within 15 percent, or worse";
  chart.axis = "share of points";
  chart.quantity = Quantity::kPercent;
  chart.series = {{"c0", "exact"}, {"c5", "within 15 %"}, {"c3", "more than 15 % off"}};
  for (const SuiteKernel &k : r.kernels) {
    if (!(k.rows > 0)) continue;
    const double exact = 100 * k.exact / k.rows, within = std::max(0.0, k.within15Pct - exact);
    Bar bar;
    bar.label = k.name;
    bar.note = shortText(Quantity::kCount, k.rows) + (k.rows == 1 ? " point" : " points");
    const double values[] = {exact, within, std::max(0.0, 100 - exact - within)};
    for (std::size_t i = 0; i < 3; ++i)
      bar.segments.push_back({i, values[i], fmt::format("{}; {}: {:.2f} %", k.name, chart.series[i].name, values[i])});
    chart.bars.push_back(std::move(bar));
  }
  return chart.bars.empty() ? std::string() : figure(chart);
}

}  // namespace

Section sectionOf(const ValidateResult &r) {
  Section s;
  s.kind = "validation";
  s.title = "validation " + r.suite;
  double rows = 0, exact = 0, within = 0, worst = 0, sum = 0;
  for (const SuiteKernel &k : r.kernels) {
    rows += k.rows;
    exact += k.exact;
    within += k.rows * k.within15Pct / 100;
    sum += k.rows * k.meanPct;
    worst = std::max(worst, k.worstPct);
  }
  Tiles t;
  t.add("Reference points", number(Quantity::kCount, r.points), counted(r.kernels.size(), "kernel"));
  t.add("Exact", share(exact, rows), number(Quantity::kCount, exact) + " of " + number(Quantity::kCount, rows));
  t.add("Within 15 %", share(within, rows), "");
  t.add("Worst error", number(Quantity::kPercent, worst),
        rows > 0 ? "mean " + number(Quantity::kPercent, sum / rows) : "");
  s.head = t.html() + warningsHtml(r.warnings);
  Grid g("Absolute errors of our cycles against the reference points", {{"kernel", false, ""},
                                                                        {"points", true, ""},
                                                                        {"exact", true, ""},
                                                                        {"mean error", true, ""},
                                                                        {"worst error", true, ""},
                                                                        {"within 15 %", true, ""},
                                                                        {"worst point", false, "long"}});
  for (const SuiteKernel &k : r.kernels)
    g.row({escape(k.name),
           {Quantity::kCount, k.rows},
           {Quantity::kCount, k.exact},
           {Quantity::kPercent, k.meanPct},
           {Quantity::kPercent, k.worstPct},
           {Quantity::kPercent, k.within15Pct},
           k.exact == k.rows ? std::string("all exact") : escape(k.worstRow)});
  s.parts.push_back({"Errors", chartHtml(r) + g.html()});
  addRanks(r.sharing, s);
  return s;
}

}  // namespace pimento::emit::html
