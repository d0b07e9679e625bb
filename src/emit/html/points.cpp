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
    {"front", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z", "", "on the Pareto front: no other is better in both"},
    {"best", "M0-8L8 0L0 8L-8 0z", "fastest", "the shortest time"},
    {"best", "M-6-6H6V6H-6z", "lowest energy", "the lowest energy"},
    {"best", "M0-10L3-3L10 0L3 3L0 10L-3 3L-10 0L-3-3z", "fastest, lowest energy",
     "the shortest time and the lowest energy"},
    {"reference", "M0-8L8 6H-8z", "reference", "the reference mapping"},
    {"bound", "M-3 3V-3M-3 3H3", "", "only a lower bound is known: the actual point is above and to the right"},
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

/// Finds places for the labels of marks, beside them and not on one another.
class Labels {
 public:
  Labels(double width, double height) : width_(width), height_(height) {}

  std::string at(std::string_view label, double x, double y) {
    Box best;
    bool isFound = false;
    for (const double down : {4.0, -10.0, 18.0, -24.0, 32.0})
      for (const bool isLeft : {false, true}) {
        const double w = textWidth(label) * kBold;
        const Box box{isLeft ? x - kGap - w : x + kGap, y + down - 11, w, 14, down, isLeft};
        if (isFound || box.x < 0 || box.x + w > width_ || box.y < 0 || box.y + box.h > height_ || hits(box)) continue;
        best = box;
        isFound = true;
      }
    if (!isFound) return {};
    taken_.push_back(best);
    return fmt::format(
        "<g class=\"m\" transform=\"translate({:.2f},{:.2f})\"><text class=\"mark-label\" x=\"{}\" "
        "y=\"{:.0f}\"{}>{}</text>"
        "</g>",
        x, y, best.isLeft ? -kGap : kGap, best.down, best.isLeft ? " text-anchor=\"end\"" : "", label);
  }

  /// Keeps labels away from a mark.
  void avoid(double x, double y) { taken_.push_back({x - 8, y - 8, 16, 16, 0, false}); }

 private:
  static constexpr double kGap = 11, kBold = 1.08;
  struct Box {
    double x = 0, y = 0, w = 0, h = 0, down = 0;
    bool isLeft = false;
  };

  bool hits(const Box &box) const {
    return std::any_of(taken_.begin(), taken_.end(), [&](const Box &o) {
      return box.x < o.x + o.w && o.x < box.x + box.w && box.y < o.y + o.h && o.y < box.y + box.h;
    });
  }

  double width_, height_;
  std::vector<Box> taken_;
};

std::string markAt(const Point &p, double x, double y) {
  const MarkStyle &style = styleOf(p.mark);
  return fmt::format("<path class=\"m {}\" d=\"{}\" transform=\"translate({:.2f},{:.2f})\"><title>{}</title></path>",
                     style.style, style.path, x, y, escape(p.tip));
}

std::string drawPoints(const PointChart &chart, const Format &format) {
  const double left = 56, height = format.isNarrow ? 230 : 320, length = format.width - left - 12;
  const int ticks = format.isNarrow ? 4 : 8;
  const Axis x = chart.names.empty() ? Axis::around(chart.xTitle, chart.xQuantity, valuesOf(chart, true), ticks)
                                     : Axis::named(chart.xTitle, chart.names, ticks);
  const std::vector<double> ys = valuesOf(chart, false);
  const Axis y = chart.isYFromZero && !ys.empty()
                     ? Axis::fromZero(chart.yTitle, chart.yQuantity, *std::max_element(ys.begin(), ys.end()) * 1.08, 6)
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
  Labels labels(length, height);
  std::string texts;
  for (const Point *p : order) {
    const double px = x.place(p->x) * length, py = height - y.place(p->y) * height;
    svg.raw(markAt(*p, px, py));
    if (!styleOf(p->mark).label.empty()) labels.avoid(px, py);
  }
  for (const Point *p : order)
    if (const std::string_view label = styleOf(p->mark).label; !label.empty())
      texts += labels.at(label, x.place(p->x) * length, height - y.place(p->y) * height);
  svg.raw(texts);
  svg.raw("</svg>");
  return svg.finish();
}

std::string legendOf(const std::vector<Mark> &marks, bool isStair) {
  if (marks.empty()) return {};
  std::string out = "<ul class=\"legend\">";
  for (const Mark m : marks)
    out += fmt::format(
        "<li><svg class=\"mark\" viewBox=\"-10 -10 20 20\" aria-hidden=\"true\"><path class=\"m {}\" d=\"{}\"/>"
        "</svg>{}</li>",
        styleOf(m).style, styleOf(m).path, styleOf(m).meaning);
  if (isStair)
    out +=
        "<li><svg class=\"mark\" viewBox=\"-10 -10 20 20\" aria-hidden=\"true\"><path class=\"through\" "
        "d=\"M-9-4H1V6H9\"/></svg>the Pareto front</li>";
  return out + "</ul>";
}

}  // namespace

std::string_view meaning(Mark mark) {
  return styleOf(mark).meaning;
}

std::string figure(const PointChart &chart) {
  return figureOf([&](const Format &f) { return drawPoints(chart, f); },
                  legendOf(chart.legend, chart.isStair && chart.line.size() > 1));
}

}  // namespace pimento::emit::html
