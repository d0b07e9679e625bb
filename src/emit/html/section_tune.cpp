// Tuned kernels: what became of the drafts, the best ones, and what was proved.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

struct Fate {
  std::string_view key, name;
};
constexpr std::array<Fate, 8> kFates = {{{"evaluated", "evaluated exactly"},
                                         {"equal", "equal to an evaluated one"},
                                         {"bounded", "ruled out by a lower bound"},
                                         {"illegal", "illegal"},
                                         {"open", "not evaluated"},
                                         {"rule1", "left out by rule 1"},
                                         {"rule2", "left out by rule 2"},
                                         {"rule3", "left out by rule 3"}}};

double amountOf(const Amounts &amounts, std::string_view key) {
  const auto at = std::ranges::find(amounts, key, [](const auto &a) { return std::string_view(a.first); });
  return at == amounts.end() ? 0 : at->second;
}

std::string stopText(const TunedResult &k) {
  if (k.stop == "optimal") return "optimal in this space";
  return fmt::format("{}: every draft costs at least {} % of what the best one found does", k.stop,
                     plain(100 * (1 - k.gap), 3));
}

std::string againstReference(const std::optional<double> &ours, const std::optional<Candidate> &reference,
                             std::optional<double> Candidate::*field) {
  if (!ours || !reference || !((*reference).*field) || *ours <= 0) return {};
  return fmt::format("reference: {} times as much", plain(*((*reference).*field) / *ours, 3));
}

std::string tilesHtml(const TuneResult &r) {
  Tiles t;
  const bool isOne = r.kernels.size() == 1;
  const TunedResult &first = r.kernels.front();
  t.add("Time", number(Quantity::kTime, r.timeNs),
        isOne ? againstReference(first.winner.timeNs, first.reference, &Candidate::timeNs) : "all kernels");
  t.add("Energy", number(Quantity::kEnergy, r.energyPj),
        isOne ? againstReference(first.winner.energyPj, first.reference, &Candidate::energyPj) : "all kernels");
  double drafts = 0, evaluated = 0;
  bool isOptimal = true;
  for (const TunedResult &k : r.kernels) {
    drafts += amountOf(k.drafts, "all");
    evaluated += amountOf(k.drafts, "evaluated");
    isOptimal = isOptimal && k.stop == "optimal";
  }
  t.add("Drafts", number(Quantity::kCount, drafts), number(Quantity::kCount, evaluated) + " evaluated");
  t.add("Proof", isOptimal ? "optimal" : "not optimal", r.isChecked ? "results checked on data" : "not run on data");
  return t.html();
}

std::string fatesHtml(const TuneResult &r) {
  BarChart chart;
  chart.about = "Drafts by what became of them";
  chart.axis = "drafts";
  chart.quantity = Quantity::kCount;
  std::vector<std::size_t> used;
  for (std::size_t f = 0; f < kFates.size(); ++f)
    if (std::ranges::any_of(r.kernels, [&](const TunedResult &k) { return amountOf(k.drafts, kFates[f].key) > 0; })) {
      used.push_back(f);
      chart.series.push_back({fmt::format("c{}", f), std::string(kFates[f].name)});
    }
  for (const TunedResult &k : r.kernels) {
    Bar bar{k.kernel, shortText(Quantity::kCount, amountOf(k.drafts, "all")), {}, {}, {}};
    for (std::size_t s = 0; s < used.size(); ++s)
      if (const double n = amountOf(k.drafts, kFates[used[s]].key); n > 0)
        bar.segments.push_back({s, n, fmt::format("{}: {}", kFates[used[s]].name, shortText(Quantity::kCount, n))});
    chart.bars.push_back(std::move(bar));
  }
  return figure(chart);
}

std::string tipOf(std::string_view role, const Candidate &c) {
  return fmt::format("{}: {}\ntime {}\nenergy {}", role, c.mapping, shortText(Quantity::kTime, *c.timeNs),
                     shortText(Quantity::kEnergy, *c.energyPj));
}

std::string frontHtml(const TunedResult &k) {
  PointChart chart = timeEnergyChart(fmt::format("Energy against time of {}", counted(k.front.size(), "draft")));
  const auto add = [&](const Candidate &c, Mark mark, std::string_view role) {
    if (!c.timeNs || !c.energyPj) return;
    chart.points.push_back({*c.timeNs, *c.energyPj, mark, tipOf(role, c)});
    if (std::ranges::find(chart.legend, mark) == chart.legend.end()) chart.legend.push_back(mark);
  };
  for (const Candidate &c : k.front) {
    if (c.mapping != k.winner.mapping) add(c, Mark::kFront, "Pareto front");
    if (c.timeNs && c.energyPj) chart.line.emplace_back(*c.timeNs, *c.energyPj);
  }
  add(k.winner, Mark::kBestTime, "winner");
  if (k.reference) add(*k.reference, Mark::kReference, "reference");
  return chart.points.empty() ? std::string() : figure(chart);
}

std::string tableHtml(const TunedResult &k) {
  Grid g("The winner, the reference and the other evaluated drafts that nothing beats in both",
         {{"", false, ""},
          {"mapping", false, "spec"},
          {"time", true, ""},
          {"energy", true, ""},
          {"device cycles", true, ""},
          {"all cycles", true, ""}});
  const auto add = [&](std::string_view role, const Candidate &c, bool isMarked) {
    g.row({GridCell(std::string(role)),
           GridCell("<code>" + escape(c.mapping) + "</code>"),
           {Quantity::kTime, c.timeNs},
           {Quantity::kEnergy, c.energyPj},
           {Quantity::kCycles, c.cycles},
           {Quantity::kCycles, c.totalCycles}},
          isMarked ? "marked" : "");
  };
  add("<b>winner</b>", k.winner, true);
  if (k.reference) add("reference", *k.reference, false);
  for (const Candidate &c : k.front)
    if (c.mapping != k.winner.mapping) add("", c, false);
  return g.html();
}

std::string runHtml(const TuneResult &r) {
  Facts f;
  f.add("Kernel", escape(r.kernel));
  f.add("Sizes", sizesHtml(r.sizes));
  f.add("Element type", escape(r.dtype));
  f.add("Target", escape(r.target));
  f.add("Minimised", escape(r.objective == "kernel" ? "device cycles" : r.objective));
  f.add("Space", escape(r.space));
  for (const TunedResult &k : r.kernels)
    f.add(r.kernels.size() == 1 ? "Proved" : "Proved of " + k.kernel, escape(stopText(k)));
  f.add("Mapping", "<code>--map " + escape(r.map) + "</code>");
  if (r.seconds) f.add("Took", escape(plain(*r.seconds, 3)) + " s");
  f.add("Command", commandHtml(r.run));
  return f.html();
}

}  // namespace

Section sectionOf(const TuneResult &r) {
  Section s;
  s.kind = "tuned mapping";
  s.title = r.kernel + " on " + r.target + ": tuned";
  const std::string sizes = sizesHtml(r.sizes);
  s.head = fmt::format("<p class=\"lead\">{}{}{}</p>\n", sizes, sizes.empty() || r.dtype.empty() ? "" : " · ",
                       escape(r.dtype));
  s.head += tilesHtml(r) + warningsHtml(r.warnings);
  s.parts.push_back({"What became of the drafts", fatesHtml(r)});
  for (const TunedResult &k : r.kernels)
    s.parts.push_back({r.kernels.size() == 1 ? "Time against energy" : k.kernel, frontHtml(k) + tableHtml(k)});
  addRanks(r.sharing, s);
  s.parts.push_back({"Tuning", runHtml(r)});
  return s;
}

}  // namespace pimento::emit::html
