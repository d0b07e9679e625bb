// Scatter and line charts.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "pimento/emit/html/svg.h"

namespace pimento::emit::html {

namespace {

constexpr double kAxisHeight = 42, kTop = 26;

struct MarkStyle {
  std::string_view style, path, label, meaning;
};

/// In the order of Mark.
constexpr std::array<MarkStyle, 7> kMarks = {{
    {"dot", "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z", "", "a mapping"},
    {"front", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", "", "on the Pareto front: none is better in both"},
    {"best", "M0-8L8 0L0 8L-8 0z", "fastest", "the least time"},
    {"best", "M-6-6H6V6H-6z", "least energy", "the least energy"},
    {"best", "M0-10L3-3L10 0L3 3L0 10L-3 3L-10 0L-3-3z", "fastest, least energy",
     "the least time and the least energy"},
    {"reference", "M0-8L8 6H-8z", "reference", "the reference mapping"},
    {"bound", "M-3 3V-3M-3 3H3", "", "only a lower bound is known: it lies above and to the right"},
}};

const MarkStyle &styleOf(Mark mark) {
  return kMarks[static_cast<std::size_t>(mark)];
}

/// The values of one coordinate that axes must cover.
std::vector<double> valuesOf(const PointChart &chart, bool isX) {
  std::vector<double> out;
  for (const Point &p : chart.points) out.push_back(isX ? p.x : p.y);
  for (const auto &[x, y] : chart.line) out.push_back(isX ? x : y);
  return out;
}

/// What the page's script needs to zoom: the plot's frame and its axes.
std::string zoomAttributes(const Axis &x, const Axis &y, double left, double length, double height) {
  return fmt::format(
      "data-zoom=\"{:.0f} {:.0f} {:.0f} {:.0f}\" data-x=\"{:.10g} {:.10g} {}\" data-y=\"{:.10g} {:.10g} {}\"", left,
      kTop, length, height, x.low(), x.high(), x.isLog() ? 1 : 0, y.low(), y.high(), y.isLog() ? 1 : 0);
}

std::string lineThrough(const PointChart &chart, const Axis &x, const Axis &y, double length, double height) {
  if (chart.line.size() < 2) return {};
  std::string points;
  double before = 0;
  for (std::size_t i = 0; i < chart.line.size(); ++i) {
    const double px = x.place(chart.line[i].first) * length, py = height - y.place(chart.line[i].second) * height;
    if (chart.isStair && i > 0) points += fmt::format("{:.2f},{:.2f} ", px, before);
    points += fmt::format("{:.2f},{:.2f} ", px, py);
    before = py;
  }
  points.pop_back();
  return fmt::format("<polyline class=\"through\" points=\"{}\"/>", points);
}

std::string markAt(const Point &p, double x, double y, double length) {
  const MarkStyle &style = styleOf(p.mark);
  std::string out =
      fmt::format("<path class=\"m {}\" d=\"{}\" transform=\"translate({:.2f},{:.2f})\"><title>{}</title></path>",
                  style.style, style.path, x, y, escape(p.tip));
  if (style.label.empty()) return out;
  // Labels stand on the side where there is room; those that may share a place stand at different heights.
  const bool isLeft = x > length * 0.7;
  const int down = p.mark == Mark::kReference ? 20 : p.mark == Mark::kBestEnergy ? 5 : -9;
  return out + fmt::format(
                   "<g class=\"m\" transform=\"translate({:.2f},{:.2f})\"><text class=\"mark-label\" x=\"{}\" y=\"{}\""
                   "{}>{}</text></g>",
                   x, y, isLeft ? -11 : 11, down, isLeft ? " text-anchor=\"end\"" : "", style.label);
}

std::string drawPoints(const PointChart &chart, const Format &format) {
  const double left = 56, height = format.isNarrow ? 230 : 320, length = format.width - left - 12;
  const int ticks = format.isNarrow ? 4 : 8;
  const Axis x = chart.names.empty() ? Axis::around(chart.xTitle, chart.xQuantity, valuesOf(chart, true), ticks)
                                     : Axis::named(chart.xTitle, chart.names, ticks);
  const std::vector<double> ys = valuesOf(chart, false);
  const Axis y = chart.isYFromZero && !ys.empty()
                     ? Axis::fromZero(chart.yTitle, chart.yQuantity, *std::max_element(ys.begin(), ys.end()), 6)
                     : Axis::around(chart.yTitle, chart.yQuantity, ys, 6);
  Svg svg(format, kTop + height + kAxisHeight, chart.about,
          chart.names.empty() ? zoomAttributes(x, y, left, length, height) : std::string());
  svg.axisLeft(y, left, kTop + height, height, length);
  svg.axisBelow(x, left, kTop + height, length, height);
  svg.raw(fmt::format("<svg class=\"plot\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">", left, kTop,
                      length, height));
  svg.raw(lineThrough(chart, x, y, length, height));
  // What matters most is drawn last.
  std::vector<const Point *> order;
  for (const Point &p : chart.points) order.push_back(&p);
  const auto rank = [](Mark m) { return m == Mark::kBound ? -1 : static_cast<int>(m); };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Point *a, const Point *b) { return rank(a->mark) < rank(b->mark); });
  for (const Point *p : order) svg.raw(markAt(*p, x.place(p->x) * length, height - y.place(p->y) * height, length));
  svg.raw("</svg>");
  return svg.finish();
}

std::string legendOf(const std::vector<Mark> &marks) {
  if (marks.empty()) return {};
  std::string out = "<ul class=\"legend\">";
  for (const Mark m : marks)
    out += fmt::format(
        "<li><svg class=\"mark\" viewBox=\"-10 -10 20 20\" aria-hidden=\"true\"><path class=\"m {}\" d=\"{}\"/>"
        "</svg>{}</li>",
        styleOf(m).style, styleOf(m).path, styleOf(m).meaning);
  return out + "</ul>";
}

}  // namespace

std::string_view meaning(Mark mark) {
  return styleOf(mark).meaning;
}

std::string figure(const PointChart &chart) {
  return figureOf([&](const Format &f) { return drawPoints(chart, f); }, legendOf(chart.legend));
}

}  // namespace pimento::emit::html
