// A program of a host: where its time and energy go, what caches could compute of it, and its annotated source.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/profile_result.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMostReasons = 6;     ///< of the chart; others are one
constexpr std::size_t kMostBars = 8;        ///< functions in the chart
constexpr std::size_t kMostFunctions = 20;  ///< with their source
constexpr std::size_t kMostRows = 40;       ///< of tables
constexpr double kLeastShare = 0.002;       ///< of the time: functions with their source, inlined calls
constexpr std::size_t kOpen = 3;            ///< functions whose source is unfolded
constexpr double kMostGap = 8;              ///< lines that did not run, and are shown nevertheless

std::string baseOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

std::string signedShare(const std::optional<double> &part, double whole) {
  if (!part || !(whole > 0)) return "–";
  const double percent = 100 * *part / whole;
  constexpr double kLeast = 0.005;
  if (std::abs(percent) < kLeast) return "";
  return fmt::format("{}{:.2f} %", percent < 0 ? "−" : "", std::abs(percent));
}

/// Lists of reasons, most first.
Amounts sorted(Amounts amounts) {
  std::ranges::stable_sort(amounts, std::ranges::greater(), &Amounts::value_type::second);
  return amounts;
}

/// The reason that keeps the most operations; of lines without any, the most loads.
std::string whyNot(const HostProfileResult &r, const TakenResult &t) {
  for (const bool isLoad : {false, true})
    for (const auto &[reason, n] : sorted(t.lost))
      if (n > 0 && reason.starts_with("load_") == isLoad)
        return fmt::format("{} ({})", r.wordsOf(reason), shortText(Quantity::kCount, n));
  return {};
}

/// "Where cycles went".
std::string stackHtml(const HostProfileResult &r) {
  BarChart chart;
  chart.about = "Cycles by what they were spent on";
  chart.axis = "time";
  chart.quantity = Quantity::kCycles;
  Bar bar;
  for (const auto &[cause, cycles] : sorted(r.stack)) {
    if (cycles == 0) continue;
    const std::size_t i = chart.series.size();
    chart.series.push_back({fmt::format("c{}", i % 8), cause});
    bar.segments.push_back({i, cycles, fmt::format("{}: {}", cause, exactText(Quantity::kCycles, cycles))});
  }
  if (chart.series.empty()) return {};
  chart.bars = {std::move(bar)};
  return figure(chart);
}

/// Stacked bars of what keeps operations and loads on the core.
class ReasonsChart {
 public:
  explicit ReasonsChart(const HostProfileResult &r) {
    chart_.about = "Operations and loads by what becomes of them";
    chart_.axis = "share";
    chart_.quantity = Quantity::kPercent;
    chart_.series = {{"c5", "caches compute them"}};
    Amounts all;
    for (const auto &[reason, n] : r.lost)
      if (n > 0) all.emplace_back(reason, n);
    for (const auto &[reason, n] : sorted(all)) {
      if (series_.size() == kMostReasons) break;
      constexpr const char *kStyles[kMostReasons] = {"c0", "c1", "c2", "c3", "c4", "c7"};
      const std::string_view style = kStyles[series_.size()];
      series_[reason] = chart_.series.size();
      chart_.series.push_back({std::string(style), (reason.starts_with("load_") ? "loads: " : "") + r.wordsOf(reason)});
    }
    others_ = chart_.series.size();
    if (all.size() > series_.size()) chart_.series.push_back({"c6", "other reasons"});
  }

  /// `isLoads`: the reasons of loads, else those of operations.
  void add(const std::string &label, double taken, const Amounts &lost, bool isLoads) {
    double all = taken;
    for (const auto &[reason, n] : lost) all += reason.starts_with("load_") == isLoads ? n : 0;
    if (!(all > 0)) return;
    std::vector<double> values(chart_.series.size() + 1, 0);
    values[0] = taken;
    for (const auto &[reason, n] : lost) {
      if (reason.starts_with("load_") != isLoads) continue;
      const auto known = series_.find(reason);
      values[known == series_.end() ? others_ : known->second] += n;
    }
    Bar bar;
    bar.label = label;
    bar.note = shortText(Quantity::kCount, all);
    for (std::size_t i = 0; i < chart_.series.size(); ++i)
      bar.segments.push_back(
          {i, 100 * values[i] / all,
           fmt::format("{}; {}: {}", label, chart_.series[i].name, exactText(Quantity::kCount, values[i]))});
    chart_.bars.push_back(std::move(bar));
  }

  std::string html() const { return chart_.bars.empty() ? std::string() : figure(chart_); }

 private:
  BarChart chart_;
  std::map<std::string, std::size_t> series_;
  std::size_t others_ = 0;
};

std::string whyNotHtml(const HostProfileResult &r) {
  ReasonsChart chart(r);
  chart.add("all operations", r.offloaded, r.lost, false);
  double kept = 0;
  for (const auto &[reason, n] : r.lost)
    if (reason == "load_kept") kept = n;
  chart.add("all loads", std::max(0.0, r.convertible - kept), r.lost, true);
  std::size_t bars = 0;
  for (const TakenResult &f : r.functions)
    if (f.operations > 0 && bars < kMostBars) {
      chart.add(f.function, f.offloaded, f.lost, false);
      ++bars;
    }
  std::string out = chart.html();
  if (out.empty()) return "<p>The program has neither operations that caches have, nor loads.</p>\n";
  return "<p>Operations that the caches have, and loads, by what becomes of them; below, the operations of the slowest "
         "functions.</p>\n" +
         out;
}

Grid takenGrid(std::string_view caption, std::vector<GridColumn> names) {
  names.insert(names.end(), {{"time", true, ""},
                             {"energy", true, ""},
                             {"operations", true, ""},
                             {"moved", true, ""},
                             {"time saved", true, ""},
                             {"energy saved", true, ""},
                             {"what keeps most of the rest", false, "remarks"}});
  return Grid(caption, std::move(names));
}

void addTaken(Grid &g, const HostProfileResult &r, const TakenResult &t, std::vector<GridCell> cells) {
  const auto keyed = [](std::string html, double key) {
    GridCell c(std::move(html));
    c.key = fmt::format("{}", key);
    return c;
  };
  cells.push_back(keyed(shareText(t.cycles, r.cycles), t.cycles));
  cells.push_back(keyed(shareText(t.energyPj, r.energyPj), t.energyPj));
  cells.emplace_back(Quantity::kCount, t.operations);
  cells.emplace_back(Quantity::kCount, t.offloaded);
  cells.push_back(keyed(signedShare(t.savedCycles, r.cycles), t.savedCycles.value_or(0)));
  cells.push_back(keyed(signedShare(t.savedEnergyPj, r.energyPj), t.savedEnergyPj.value_or(0)));
  cells.emplace_back(escape(whyNot(r, t)));
  g.row(std::move(cells));
}

std::string functionsHtml(const HostProfileResult &r) {
  if (!r.hasLines) {
    Grid g("Time of functions, callees apart",
           {{"function", false, "name"}, {"time", true, ""}, {"share", true, ""}, {"", false, "bar"}});
    for (std::size_t i = 0; i < std::min(kMostRows, r.functions.size()); ++i)
      g.row({"<code>" + escape(r.functions[i].function) + "</code>",
             {Quantity::kCycles, r.functions[i].cycles},
             shareText(r.functions[i].cycles, r.cycles),
             shareBar(r.functions[i].cycles, r.cycles, "c0")});
    return g.html();
  }
  Grid g = takenGrid("Functions by time, callees apart; what is saved is of the whole program (" + r.account + ")",
                     {{"function", false, "name"}});
  for (std::size_t i = 0; i < std::min(kMostRows, r.functions.size()); ++i)
    addTaken(g, r, r.functions[i], {"<code>" + escape(r.functions[i].function) + "</code>"});
  std::string out = g.html();
  if (r.functions.size() > kMostRows)
    out += fmt::format("<p class=\"remark\">{} more are in the result.</p>\n", r.functions.size() - kMostRows);
  return out;
}

std::string linesHtml(const HostProfileResult &r) {
  Grid g = takenGrid("Lines by time", {{"line", false, "name"}, {"function", false, "name"}});
  std::size_t rows = 0;
  for (const TakenResult &l : r.lines) {
    if (rows == kMostRows) break;
    if (l.file.empty()) continue;
    addTaken(g, r, l,
             {fmt::format("<code>{}:{:.0f}</code>", escape(baseOf(l.file)), l.line),
              "<code>" + escape(l.function) + "</code>"});
    ++rows;
  }
  return rows == 0 ? std::string() : g.html();
}

std::string callHtml(const HostProfileResult &r, const CallResult &c, bool isOutermost) {
  std::string text = fmt::format("<code>{}</code> <b>{}</b>", escape(c.function), shareText(c.allCycles, r.cycles));
  if (!c.inlined.empty()) text += fmt::format(" <span>itself {}</span>", shareText(c.cycles, r.cycles));
  if (!c.file.empty() && c.line > 0)
    text +=
        fmt::format(" <span>{} {}:{:.0f}</span>", isOutermost ? "at" : "inlined at", escape(baseOf(c.file)), c.line);
  std::string inner;
  for (const CallResult &i : c.inlined)
    if (i.allCycles >= kLeastShare * r.cycles) inner += callHtml(r, i, false);
  if (inner.empty()) return "<li>" + text + "</li>\n";
  return fmt::format("<li><details{}><summary>{}</summary>\n<ul>\n{}</ul></details></li>\n",
                     isOutermost && c.allCycles >= 0.1 * r.cycles ? " open=\"\"" : "", text, inner);
}

std::string callsHtml(const HostProfileResult &r) {
  std::string rows;
  for (const CallResult &c : r.calls)
    if (c.allCycles >= kLeastShare * r.cycles) rows += callHtml(r, c, true);
  if (rows.empty()) return {};
  return "<p>Functions with calls that were inlined into them: time with what was inlined, and by itself. Fold and "
         "unfold "
         "with a click.</p>\n<ul class=\"calls\">\n" +
         rows + "</ul>\n";
}

/// The lines of one function of one file.
struct Annotated {
  std::string file, function;
  double cycles = 0, energyPj = 0;
  std::map<double, const TakenResult *> lines;
};

std::vector<Annotated> annotated(const HostProfileResult &r) {
  std::map<std::pair<std::string, std::string>, Annotated> by;
  for (const TakenResult &l : r.lines) {
    if (l.file.empty() || !(l.line > 0)) continue;
    Annotated &a = by[{l.file, l.function}];
    a.file = l.file;
    a.function = l.function;
    a.cycles += l.cycles;
    a.energyPj += l.energyPj;
    a.lines[l.line] = &l;
  }
  std::vector<Annotated> out;
  for (auto &[key, a] : by) out.push_back(std::move(a));
  std::ranges::stable_sort(out, std::ranges::greater(), &Annotated::cycles);
  return out;
}

/// How hot a line is: 0 to 4.
int heatOf(double cycles, double all) {
  constexpr double kSteps[] = {0.002, 0.01, 0.04, 0.12};
  int heat = 0;
  for (const double s : kSteps) heat += all > 0 && cycles / all >= s ? 1 : 0;
  return heat;
}

std::string sourceRow(const HostProfileResult &r, double line, const std::string &text, const TakenResult *t) {
  if (t == nullptr)
    return fmt::format(
        "<tr><th scope=\"row\">{:.0f}</th><td></td><td></td><td></td><td "
        "class=\"text\"><code>{}</code></td><td></td></tr>\n",
        line, escape(text));
  return fmt::format(
      "<tr class=\"hot{}\"><th scope=\"row\">{:.0f}</th><td title=\"{}\">{}</td><td>{}</td><td>{}</td><td "
      "class=\"text\"><code>{}</code></td><td class=\"why\">{}</td></tr>\n",
      heatOf(t->cycles, r.cycles), line, escape(exactText(Quantity::kCycles, t->cycles)),
      shareText(t->cycles, r.cycles), shareText(t->energyPj, r.energyPj), signedShare(t->savedCycles, r.cycles),
      escape(text), escape(whyNot(r, *t)));
}

std::string stateHtml(const SourceResult *s) {
  if (s == nullptr || s->state == "missing")
    return "<p class=\"remark\">The source file was not found: pass --sources or --source-map to profile.</p>\n";
  if (s->state == "changed")
    return "<p class=\"remark\"><b>The file is not what the program was built from</b> (its checksum differs): the "
           "text "
           "may not be that of its lines.</p>\n";
  if (s->state == "newer")
    return "<p class=\"remark\"><b>The file was changed after the program was built</b>: the text may not be that of "
           "its "
           "lines.</p>\n";
  return {};
}

std::string sourceTable(const HostProfileResult &r, const Annotated &a, const SourceResult *source) {
  std::string rows;
  double last = 0;
  const auto textAt = [&](double line) {
    const std::string *text = source != nullptr ? source->at(line) : nullptr;
    return text != nullptr ? *text : std::string();
  };
  for (const auto &[line, taken] : a.lines) {
    const double from = last == 0 ? std::max(1.0, line - 2) : last + 1;
    if (last != 0 && line - last > kMostGap) {
      rows += "<tr class=\"gap\"><th></th><td></td><td></td><td></td><td class=\"text\">⋯</td><td></td></tr>\n";
    } else if (source != nullptr) {
      for (double l = from; l < line; ++l)
        if (source->at(l) != nullptr) rows += sourceRow(r, l, textAt(l), nullptr);
    }
    rows += sourceRow(r, line, textAt(line), taken);
    last = line;
  }
  return "<div class=\"scroll\"><table class=\"source\"><thead><tr><th scope=\"col\">line</th><th "
         "scope=\"col\">time</th><th "
         "scope=\"col\">energy</th><th scope=\"col\">saved</th><th scope=\"col\" class=\"text\">source</th><th "
         "scope=\"col\" class=\"why\">what keeps most of the rest</th></tr></thead>\n<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string sourcesHtml(const HostProfileResult &r) {
  std::string out;
  std::size_t shown = 0;
  for (const Annotated &a : annotated(r)) {
    if (shown == kMostFunctions || a.cycles < kLeastShare * r.cycles) break;
    const auto source = std::ranges::find(r.sources, a.file, &SourceResult::file);
    const SourceResult *found = source == r.sources.end() ? nullptr : &*source;
    out += fmt::format(
        "<details class=\"function\"{}><summary><code>{}</code> <b>{}</b> <span>of time, {} of energy; "
        "{}</span></summary>\n",
        shown < kOpen ? " open=\"\"" : "", escape(a.function), shareText(a.cycles, r.cycles),
        shareText(a.energyPj, r.energyPj), escape(a.file));
    out += stateHtml(found) + sourceTable(r, a, found) + "</details>\n";
    ++shown;
  }
  if (out.empty()) return out;
  return "<p>Lines with what they took of the program's time and energy, and what of its time is saved where caches "
         "compute (" +
         escape(r.account) +
         "; less than nothing: it takes more). The more a line is shaded, the more time it took. Inlined functions "
         "have their own "
         "text.</p>\n" +
         out;
}

}  // namespace

Section sectionOf(const HostProfileResult &r) {
  Section s;
  s.kind = r.exact == "sampled" ? "profile of a program (sampled)" : "profile of a program";
  s.title = r.program + " on " + r.target;
  Tiles t;
  t.add("Time", number(Quantity::kTime, r.timeNs), number(Quantity::kCycles, r.cycles) + " cycles");
  t.add("Instructions", number(Quantity::kCount, r.instructions),
        r.instructions > 0 ? fmt::format("{:.3f} cycles each", r.cycles / r.instructions) : "");
  t.add("Energy", number(Quantity::kEnergy, r.energyPj), "modelled, not validated");
  t.add("Operations moved", shareText(r.offloaded, r.operations),
        fmt::format("{} of {}", number(Quantity::kCount, r.offloaded), number(Quantity::kCount, r.operations)));
  t.add("Reads of memory moved", shareText(r.convertible, r.reads),
        fmt::format("{} of {}", number(Quantity::kCount, r.convertible), number(Quantity::kCount, r.reads)));
  if (r.speedup)
    t.add("With caches that compute", fmt::format("{:.3f} × as fast", *r.speedup),
          r.energyImprovement ? fmt::format("{:.3f} times less energy; {}", *r.energyImprovement, escape(r.account))
                              : escape(r.account));
  s.head = t.html();
  for (const std::string &sentence : r.verdict) s.head += "<p>" + escape(sentence) + "</p>\n";
  s.head += warningsHtml(r.warnings);
  s.parts.push_back({"Where the cycles went", stackHtml(r)});
  s.parts.push_back({"Why not offloaded", whyNotHtml(r)});
  addRanks(r.sharing, s);
  if (!r.functions.empty()) s.parts.push_back({"Functions", functionsHtml(r)});
  if (std::string lines = linesHtml(r); !lines.empty()) s.parts.push_back({"Lines", std::move(lines)});
  if (std::string calls = callsHtml(r); !calls.empty()) s.parts.push_back({"Inlined calls", std::move(calls)});
  if (std::string sources = sourcesHtml(r); !sources.empty()) s.parts.push_back({"Source", std::move(sources)});
  return s;
}

}  // namespace pimento::emit::html
