// Bar and column charts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/emit/html/svg.h"

namespace pimento::emit::html {

namespace {

constexpr double kAxisHeight = 42;
constexpr double kInsideText = 44;  // a segment this wide can carry its share

double sumOf(const Bar &bar) {
  double sum = 0;
  for (const Segment &s : bar.segments) sum += s.value;
  return sum;
}

double largestOf(const std::vector<Bar> &bars) {
  double largest = 0;
  for (const Bar &b : bars) largest = std::max({largest, sumOf(b), b.high.value_or(0)});
  return largest;
}

bool hasRange(const Bar &bar) {
  return bar.low && bar.high && *bar.low != *bar.high;
}

bool hasRange(const BarChart &chart) {
  return std::any_of(chart.bars.begin(), chart.bars.end(), [](const Bar &b) { return hasRange(b); });
}

/// Where things stand in a row of a bar chart.
struct BarLayout {
  double left, length, rowHeight, barTop, barHeight;
  double whisker;  // its middle, below the top of the row

  BarLayout(const BarChart &chart, const Format &format) {
    double label = 0, note = 0;
    for (const Bar &b : chart.bars) {
      label = std::max(label, textWidth(b.label));
      note = std::max(note, textWidth(b.note));
    }
    const double width = format.width;
    if (format.isNarrow) {
      left = 2;
      length = width - left - 14;
      rowHeight = 40;
      barTop = 17;
    } else {
      left = label == 0 ? 2 : std::min(label, 210.0) + 10;
      length = width - left - std::max(14.0, note + 10);
      rowHeight = 26;
      barTop = 5;
    }
    barHeight = 16;
    whisker = barTop + barHeight / 2;
    const bool isLabelled = label > 0 || note > 0;
    if (!isLabelled) barTop = 4;
    if (chart.bars.size() > 1) return;
    // One bar has its shares written into it, and its range below.
    barHeight = 20;
    whisker = barTop + barHeight + 9;
    rowHeight = barTop + barHeight + (hasRange(chart) ? 18 : 6);
  }
};

void drawBar(Svg &svg, const BarChart &chart, const Bar &bar, const BarLayout &at, double y, const Axis &axis) {
  const double total = sumOf(bar);
  double sum = 0;
  for (const Segment &s : bar.segments) {
    if (!(s.value > 0)) continue;
    const double x = at.left + axis.place(sum) * at.length;
    sum += s.value;
    const double end = at.left + axis.place(sum) * at.length;
    // At least a hair, so that small parts do not vanish.
    svg.filled(x, y + at.barTop, std::max(0.8, end - x), at.barHeight, chart.series[s.series].style, s.tip);
    if (chart.bars.size() == 1 && bar.segments.size() > 1 && end - x > kInsideText)
      svg.text((x + end) / 2, y + at.barTop + at.barHeight / 2 + 4, fmt::format("{:.0f} %", 100 * s.value / total), 'm',
               "inside");
  }
  if (!hasRange(bar)) return;
  const double low = at.left + axis.place(*bar.low) * at.length, high = at.left + axis.place(*bar.high) * at.length;
  const double middle = y + at.whisker;
  for (const char *style : {"whisker-back", "whisker"}) {
    svg.line(low, middle, high, middle, style);
    svg.line(low, middle - 4, low, middle + 4, style);
    svg.line(high, middle - 4, high, middle + 4, style);
  }
}

double plotHeight(const BarChart &chart, const BarLayout &at) {
  return at.rowHeight * static_cast<double>(chart.bars.size()) + 4;
}

std::string drawBars(const BarChart &chart, const Format &format) {
  const BarLayout at(chart, format);
  const Axis axis = Axis::fromZero(chart.axis, chart.quantity, largestOf(chart.bars), format.isNarrow ? 4 : 7);
  const double plot = plotHeight(chart, at);
  Svg svg(format, plot + kAxisHeight, chart.about);
  svg.axisBelow(axis, at.left, plot, at.length, plot);
  double y = 0;
  for (const Bar &bar : chart.bars) {
    if (format.isNarrow) {
      const double room = format.width - textWidth(bar.note) - 14;
      svg.text(2, y + 12, fitted(bar.label, room), 's', "label", bar.label);
      svg.text(format.width - 2, y + 12, bar.note, 'e', "note");
    } else {
      svg.text(at.left - 8, y + at.barTop + 12, fitted(bar.label, at.left - 8), 'e', "label",
               textWidth(bar.label) > at.left - 8 ? bar.label : std::string());
      const double end = at.left + axis.place(std::max(sumOf(bar), bar.high.value_or(0))) * at.length;
      svg.text(end + 8, y + at.barTop + 12, bar.note, 's', "note");
    }
    drawBar(svg, chart, bar, at, y, axis);
    y += at.rowHeight;
  }
  return svg.finish();
}

std::string drawColumns(const ColumnChart &chart, const Format &format) {
  const double left = 52, top = 26, height = format.isNarrow ? 150 : 190;
  const double length = format.width - left - 10;
  const auto n = static_cast<double>(chart.columns.size());
  const Axis up = Axis::fromZero(chart.axis, chart.quantity, std::max(chart.top, largestOf(chart.columns)), 5);
  const Axis across = Axis::range(chart.across, chart.acrossQuantity, chart.first, chart.first + n * chart.step,
                                  format.isNarrow ? 4 : 8);
  Svg svg(format, top + height + kAxisHeight, chart.about);
  svg.axisLeft(up, left, top + height, height, length);
  svg.axisBelow(across, left, top + height, length, 0);
  const double width = length / std::max(1.0, n), gap = width > 4 ? 1 : 0;
  double x = left;
  for (const Bar &column : chart.columns) {
    double sum = 0;
    for (const Segment &s : column.segments) {
      if (!(s.value > 0)) continue;
      const double from = top + height - up.place(sum) * height;
      sum += s.value;
      const double to = top + height - up.place(sum) * height;
      svg.filled(x, to, std::max(0.3, width - gap), from - to, chart.series[s.series].style, s.tip);
    }
    x += width;
  }
  return svg.finish();
}

}  // namespace

std::string figure(const BarChart &chart) {
  std::string legend = !chart.series.empty() ? legendOf(chart.series) : std::string();
  if (hasRange(chart))
    legend +=
        "<ul class=\"legend\"><li><svg class=\"mark\" viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path "
        "class=\"whisker\" "
        "d=\"M2 10H18M2 6V14M18 6V14\"/></svg>" +
        escape(chart.range) + "</li></ul>";
  return figureOf([&](const Format &f) { return drawBars(chart, f); }, legend);
}

std::string picture(const BarChart &chart, std::string_view title) {
  const double height = plotHeight(chart, BarLayout(chart, kWide)) + kAxisHeight;
  return pictureOf(title, drawBars(chart, kWide), height, chart.series,
                   hasRange(chart) ? std::vector{chart.range} : std::vector<std::string>{});
}

std::string figure(const ColumnChart &chart) {
  return figureOf([&](const Format &f) { return drawColumns(chart, f); },
                  !chart.series.empty() ? legendOf(chart.series) : std::string());
}

}  // namespace pimento::emit::html
