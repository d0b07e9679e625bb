// A timeline: the events for the page's script to draw, and for print and for readers without scripts what they add up
// to.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMostEvents = 400'000;  // drawn; about 6 MB of page
constexpr std::size_t kBins = 120;
constexpr std::size_t kMostRows = 80;

struct Kind {
  std::string_view name, style, about;
};
constexpr std::array<Kind, 5> kKinds = {{
    {"ACT", "c5", "ACT activate"},
    {"RD", "c0", "RD read"},
    {"WR", "c1", "WR write"},
    {"PRE", "c6", "PRE precharge"},
    {"REF", "c4", "REF refresh"},
}};
constexpr std::size_t kOther = kKinds.size();

std::size_t kindOf(const std::string &name) {
  const auto it = std::find_if(kKinds.begin(), kKinds.end(), [&](const Kind &k) { return k.name == name; });
  return static_cast<std::size_t>(it - kKinds.begin());
}

std::vector<Series> kindSeries() {
  std::vector<Series> out;
  for (const Kind &k : kKinds) out.push_back({std::string(k.style), std::string(k.about)});
  out.push_back({"c7", "other"});
  return out;
}

/// The cycles from the first command to the end of the last.
std::pair<double, double> spanOf(const Trace &trace) {
  const TraceTrack *commands = trace.commands();
  if (commands == nullptr) return {trace.begin, trace.end};
  double end = 0;
  for (const TraceEvent &e : commands->events) end = std::max(end, e.start + e.length);
  return {std::min(0.0, commands->events.front().start), end};
}

// The script's data.

/// A column of numbers: one number where all are equal, else a list. Starts are differences.
template <typename Get>
std::string column(const std::vector<TraceEvent> &events, std::size_t n, Get get) {
  bool isConstant = true;
  for (std::size_t i = 1; i < n && isConstant; ++i) isConstant = get(i) == get(0);
  if (isConstant) return fmt::format("{:.0f}", n == 0 ? 0.0 : get(0));
  std::string out = "[";
  for (std::size_t i = 0; i < n; ++i) out += fmt::format("{}{:.0f}", i == 0 ? "" : ",", get(i));
  static_cast<void>(events);
  return out + "]";
}

std::string trackData(const TraceTrack &t, std::size_t n) {
  const std::vector<TraceEvent> &e = t.events;
  const auto field = [&](auto member) {
    return column(e, n, [&](std::size_t i) { return static_cast<double>(e[i].*member); });
  };
  const std::string starts =
      column(e, n, [&](std::size_t i) { return i == 0 ? e[0].start : e[i].start - e[i - 1].start; });
  return fmt::format(
      "{{\"p\":{},\"n\":{},\"count\":{},\"s\":{},\"d\":{},\"k\":{},\"u\":{},\"b\":{},\"r\":{},\"c\":{}}}",
      scriptString(t.processName), scriptString(t.name), n, starts, field(&TraceEvent::length),
      field(&TraceEvent::name), field(&TraceEvent::purpose), field(&TraceEvent::bank), field(&TraceEvent::row),
      field(&TraceEvent::column));
}

/// The start before which at most kMostEvents events begin; nothing is left out where there are no more.
double cutOf(const Trace &trace) {
  if (trace.events <= kMostEvents) return INFINITY;
  std::vector<double> starts;
  starts.reserve(trace.events);
  for (const TraceTrack &t : trace.tracks)
    for (const TraceEvent &e : t.events) starts.push_back(e.start);
  const auto at = starts.begin() + static_cast<std::ptrdiff_t>(kMostEvents);
  std::nth_element(starts.begin(), at, starts.end());
  return *at;
}

struct Drawn {
  std::string data;
  std::size_t left = 0;
  double cut = INFINITY;
};

Drawn drawnOf(const Trace &trace) {
  Drawn d;
  d.cut = cutOf(trace);
  const auto [first, last] = spanOf(trace);
  d.data = fmt::format("{{\"ns\":{:.9g},\"begin\":{:.0f},\"end\":{:.0f},\"first\":{:.0f},\"last\":{:.0f},\"names\":[",
                       trace.periodNs, trace.begin, trace.end, first, last);
  for (std::size_t i = 0; i < trace.names.size(); ++i) d.data += (i == 0 ? "" : ",") + scriptString(trace.names[i]);
  d.data += "],\"tracks\":[";
  bool isFirst = true;
  for (const TraceTrack &t : trace.tracks) {
    std::size_t n = 0;
    while (n < t.events.size() && t.events[n].start < d.cut) ++n;
    d.left += t.events.size() - n;
    d.data += (isFirst ? "" : ",\n") + trackData(t, n);
    isFirst = false;
  }
  d.data += "]}";
  return d;
}

std::string canvasHtml(const Trace &trace, std::string_view id) {
  const Drawn drawn = drawnOf(trace);
  std::string out = fmt::format(
      "<div class=\"timeline\" id=\"{0}-timeline\" data-for=\"{0}-events\">\n"
      "<div class=\"tools\" role=\"toolbar\" aria-label=\"Timeline\">"
      "<button type=\"button\" data-do=\"in\" title=\"Zoom in (+)\">+</button>"
      "<button type=\"button\" data-do=\"out\" title=\"Zoom out (−)\">−</button>"
      "<button type=\"button\" data-do=\"left\" title=\"Earlier (←)\">←</button>"
      "<button type=\"button\" data-do=\"right\" title=\"Later (→)\">→</button>"
      "<button type=\"button\" data-do=\"device\" title=\"Show all commands (0)\">device</button>"
      "<button type=\"button\" data-do=\"all\" title=\"Show all, host included (a)\">all</button>"
      "<output class=\"range\"></output></div>\n"
      "<p class=\"print-only\">The timeline is drawn on the screen only; the tables below summarize it.</p>\n"
      "<noscript><p>The timeline is drawn by a script; the tables below summarize it.</p></noscript>\n"
      "<canvas tabindex=\"0\" role=\"img\" aria-label=\"Timeline of {1} events on {2} tracks; the tables below sum "
      "them up\">"
      "</canvas>\n",
      id, trace.events, trace.tracks.size());
  out += "<ul class=\"legend\">";
  for (const Kind &k : kKinds)
    out += fmt::format(
        "<li><svg class=\"swatch\" viewBox=\"0 0 14 12\" aria-hidden=\"true\"><rect class=\"{}\" width=\"14\" "
        "height=\"12\"/></svg>{}</li>",
        k.style, k.about);
  out +=
      "<li><svg class=\"swatch\" viewBox=\"0 0 14 12\" aria-hidden=\"true\"><rect class=\"open-row\" width=\"14\" "
      "height=\"12\"/></svg>row open in its bank</li></ul>\n";
  out +=
      "<p class=\"remark keys\">Wheel (with Ctrl, or after a click) zooms, dragging moves, two fingers do both; keys: "
      "+ − ← → "
      "0 a. Each kind of command has its own height in the row \"commands\".</p>\n";
  out += fmt::format("<script type=\"application/json\" id=\"{}-events\">{}</script>\n</div>\n", id, drawn.data);
  if (drawn.left > 0)
    out += fmt::format("<p class=\"remark\">Drawn up to cycle {}: {} follow, which the tables include.</p>\n",
                       number(Quantity::kCycles, drawn.cut), counted(drawn.left, "further event"));
  return out;
}

// What stands without a script.

std::string densityHtml(const Trace &trace) {
  const TraceTrack *commands = trace.commands();
  const auto [first, last] = spanOf(trace);
  const double bin = std::max(1.0, std::ceil((last - first) / static_cast<double>(kBins)));
  const auto bins = static_cast<std::size_t>(std::ceil((last - first) / bin));
  std::vector<std::array<double, kOther + 1>> counts(std::max<std::size_t>(1, std::min(bins, kBins)));
  for (const TraceEvent &e : commands->events) {
    const auto at = static_cast<std::size_t>(std::max(0.0, (e.start - first) / bin));
    ++counts[std::min(at, counts.size() - 1)][kindOf(trace.names[static_cast<std::size_t>(e.name)])];
  }
  ColumnChart chart;
  chart.about = "Use of the channel's command slots over time, by kind of command";
  chart.axis = "cycles with a command";
  chart.quantity = Quantity::kPercent;
  chart.across = "time";
  chart.acrossQuantity = Quantity::kCycles;
  chart.first = first;
  chart.step = bin;
  std::vector<std::size_t> seriesOfKind(kOther + 1, 0);
  const std::vector<Series> all = kindSeries();
  for (std::size_t k = 0; k <= kOther; ++k) {
    if (std::none_of(counts.begin(), counts.end(), [&](const auto &c) { return c[k] > 0; })) continue;
    seriesOfKind[k] = chart.series.size();
    chart.series.push_back(all[k]);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Bar column;
    const double from = first + bin * static_cast<double>(i);
    for (std::size_t k = 0; k <= kOther; ++k)
      if (counts[i][k] > 0)
        column.segments.push_back({seriesOfKind[k], 100 * counts[i][k] / bin,
                                   fmt::format("cycles {} to {}: {:.0f} {}", shortText(Quantity::kCycles, from),
                                               shortText(Quantity::kCycles, from + bin - 1), counts[i][k],
                                               k == kOther ? "other" : std::string(kKinds[k].name))});
    chart.columns.push_back(std::move(column));
  }
  return figure(chart);
}

std::string commandsTable(const Trace &trace) {
  const TraceTrack *commands = trace.commands();
  const auto [first, last] = spanOf(trace);
  std::map<std::pair<std::int32_t, std::int32_t>, double> counts;
  for (const TraceEvent &e : commands->events) ++counts[{e.name, e.purpose}];
  Grid g("Commands of the channel",
         {{"command", false, ""}, {"purpose", false, ""}, {"count", true, ""}, {"share of all cycles", true, ""}});
  std::size_t rows = 0;
  for (const auto &[what, count] : counts) {
    if (++rows > kMostRows) break;
    const auto &[name, purpose] = what;
    g.row({escape(trace.names[static_cast<std::size_t>(name)]),
           purpose < 0 ? std::string("–") : escape(trace.names[static_cast<std::size_t>(purpose)]),
           {Quantity::kCount, count},
           shareText(count, last - first)});
  }
  const auto all = static_cast<double>(commands->events.size());
  g.total({std::string("all"), std::string(), {Quantity::kCount, all}, shareText(all, last - first)});
  return g.html();
}

std::string tracksTable(const Trace &trace) {
  const auto [first, last] = spanOf(trace);
  Grid g("Tracks: intervals and their total length", {{"track", false, ""},
                                                      {"intervals", true, ""},
                                                      {"cycles", true, ""},
                                                      {"share of the device's time", true, ""},
                                                      {"", false, "bar"}});
  std::size_t rows = 0;
  for (const TraceTrack &t : trace.tracks) {
    if (&t == trace.commands() || ++rows > kMostRows) continue;
    double cycles = 0;
    for (const TraceEvent &e : t.events) cycles += e.length;
    const bool isHost = trace.commands() != nullptr && t.process != trace.commands()->process;
    g.row({escape(isHost ? t.processName + ": " + t.name : t.name),
           {Quantity::kCount, static_cast<double>(t.events.size())},
           {Quantity::kCycles, cycles},
           isHost ? std::string("–") : shareText(cycles, last - first),
           isHost ? std::string() : shareBar(cycles, last - first, "c5")});
  }
  if (g.isEmpty()) return {};
  return g.html() + (rows > kMostRows
                         ? fmt::format("<p class=\"remark\">The first {} of {} tracks.</p>\n", kMostRows, rows)
                         : std::string());
}

}  // namespace

Section sectionOf(const Trace &trace, std::string_view id) {
  Section s;
  s.kind = "timeline";
  s.title = trace.kernel.empty() ? std::string("timeline")
                                 : "timeline of " + trace.kernel + (trace.target.empty() ? "" : " on " + trace.target);
  const auto [first, last] = spanOf(trace);
  if (trace.events == 0) {
    s.head = "<p>It has no events.</p>\n";
    return s;
  }
  s.head = fmt::format(
      "<p class=\"lead\">{} on {}; {} device cycles of {} ns. Cycle 0 is the device's first; host activity "
      "before it has negative cycles.</p>\n",
      counted(trace.events, "event"), counted(trace.tracks.size(), "track"), number(Quantity::kCycles, last - first),
      number(Quantity::kPlain, trace.periodNs));
  if (trace.dropped > 0)
    s.head += warningsHtml(
        {fmt::format("the trace is truncated: {} events are missing", shortText(Quantity::kCount, trace.dropped))});
  s.parts.push_back({"Events", canvasHtml(trace, id)});
  if (trace.commands() != nullptr) s.parts.push_back({"Commands", densityHtml(trace) + commandsTable(trace)});
  s.parts.push_back({"Tracks", tracksTable(trace)});
  return s;
}

}  // namespace pimento::emit::html
