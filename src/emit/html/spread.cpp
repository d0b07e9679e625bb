// Spreads: histograms below each other on one axis.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/emit/html/svg.h"

namespace pimento::emit::html {

namespace {

constexpr double kAxisHeight = 42, kBase = 5;  // kBase: between a row's baseline and the next row
constexpr int kBins = 64;
constexpr const char *kReading = "Heights are scaled row by row; a short line marks the median.";

struct SpreadLayout {
  double left = 2, length, rowHeight = 46, room = 24;  // room: of the highest column

  SpreadLayout(const SpreadChart &chart, const Format &format) {
    double label = 0, note = 0;
    for (const SpreadChart::Row &r : chart.rows) {
      label = std::max(label, textWidth(r.label));
      note = std::max(note, textWidth(r.note));
    }
    if (!format.isNarrow) {
      rowHeight = 34;
      left = std::min(label, 210.0) + 10;
    }
    length = format.width - left - (format.isNarrow ? 14 : std::max(14.0, note + 10));
  }

  double plot(const SpreadChart &chart) const { return rowHeight * static_cast<double>(chart.rows.size()) + 4; }
};

/// How many values lie in each part of the axis.
std::vector<std::size_t> binsOf(const std::vector<double> &values, const Axis &axis) {
  std::vector<std::size_t> bins(kBins);
  for (const double v : values)
    ++bins[static_cast<std::size_t>(std::clamp(static_cast<int>(axis.place(v) * kBins), 0, kBins - 1))];
  return bins;
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void drawRow(Svg &svg, const SpreadChart &chart, const SpreadChart::Row &row, const SpreadLayout &at, double y,
             const Axis &axis) {
  const double base = y + at.rowHeight - kBase;
  svg.line(at.left, base, at.left + at.length, base, "grid");
  if (row.values.empty()) return;
  const std::vector<std::size_t> bins = binsOf(row.values, axis);
  const double highest = static_cast<double>(*std::max_element(bins.begin(), bins.end()));
  const double width = at.length / kBins;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (bins[i] == 0) continue;
    // At least a hair, so that a few values do not vanish beside many.
    const double height = std::max(1.0, at.room * static_cast<double>(bins[i]) / highest);
    svg.rect(at.left + static_cast<double>(i) * width, base - height, width, height, chart.series[row.series].style,
             fmt::format("{}; {} of {}", row.label, bins[i], row.values.size()));
  }
  const double median = at.left + axis.place(medianOf(row.values)) * at.length;
  for (const char *style : {"whisker-back", "whisker"}) svg.line(median, base + 4, median, base - 7, style);
}

std::string drawSpread(const SpreadChart &chart, const Format &format) {
  const SpreadLayout at(chart, format);
  std::vector<double> all;
  for (const SpreadChart::Row &r : chart.rows) all.insert(all.end(), r.values.begin(), r.values.end());
  if (chart.line) all.push_back(*chart.line);
  const Axis axis = Axis::around(chart.axis, chart.quantity, all, format.isNarrow ? 4 : 8);
  const double plot = at.plot(chart);
  Svg svg(format, plot + kAxisHeight, chart.about);
  svg.axisBelow(axis, at.left, plot, at.length, plot);
  double y = 0;
  for (const SpreadChart::Row &row : chart.rows) {
    const double text = format.isNarrow ? y + 12 : y + at.rowHeight - kBase - 4;
    if (format.isNarrow) {
      svg.text(2, text, fitted(row.label, format.width - textWidth(row.note) - 14), 's', "label", row.label);
      svg.text(format.width - 2, text, row.note, 'e', "note");
    } else {
      svg.text(at.left - 8, text, fitted(row.label, at.left - 8), 'e', "label");
      svg.text(at.left + at.length + 8, text, row.note, 's', "note");
    }
    drawRow(svg, chart, row, at, y, axis);
    y += at.rowHeight;
  }
  if (chart.line) {
    const double x = at.left + axis.place(*chart.line) * at.length;
    svg.line(x, 0, x, plot, "through");
  }
  return svg.finish();
}

std::string markHtml(std::string_view path, std::string_view style, std::string_view meaning) {
  return fmt::format(
      "<li><svg class=\"mark\" viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"{}\" d=\"{}\"/></svg>{}</li>",
      style, path, escape(meaning));
}

}  // namespace

std::string figure(const SpreadChart &chart) {
  std::string legend = legendOf(chart.series) + "<ul class=\"legend\">";
  legend += markHtml("M10 3V17", "whisker", "the median; heights are scaled row by row");
  if (chart.line) legend += markHtml("M10 1V19", "through", chart.lineName);
  return figureOf([&](const Format &f) { return drawSpread(chart, f); }, legend + "</ul>");
}

std::string picture(const SpreadChart &chart, std::string_view title) {
  const double height = SpreadLayout(chart, kWide).plot(chart) + kAxisHeight;
  return pictureOf(title, drawSpread(chart, kWide), height, chart.series,
                   chart.line ? std::vector{std::string(kReading), "Dashed: " + chart.lineName}
                              : std::vector{std::string(kReading)});
}

}  // namespace pimento::emit::html
