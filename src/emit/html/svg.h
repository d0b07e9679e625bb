// Drawing of charts: an SVG text that grows, and what every chart has in common (frame, axes, legend, two widths).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/emit/html/axis.h"
#include "pimento/emit/html/chart.h"

namespace pimento::emit::html {

/// What a chart is drawn for. Sizes are CSS pixels; text is 12 of them high in both.
struct Format {
  int width = 720;
  bool isNarrow = false;
};

inline constexpr Format kWide{720, false}, kNarrow{330, true};

/// Width of `text` in a chart, roughly: the font is the reader's.
double textWidth(std::string_view text);
/// `text` cut to fit `width`, with an ellipsis.
std::string fitted(std::string_view text, double width);

class Svg {
 public:
  /// `about` is the alternative text; `attributes` go into the element as they are.
  Svg(const Format &format, double height, std::string_view about, std::string_view attributes = {});

  void rect(double x, double y, double width, double height, std::string_view style, std::string_view tip = {});
  /// A rectangle with the colour and the pattern of a series.
  void filled(double x, double y, double width, double height, std::string_view style, std::string_view tip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  /// `anchor`: 's'tart, 'm'iddle, 'e'nd.
  void text(double x, double y, std::string_view text, char anchor = 's', std::string_view style = {},
            std::string_view tip = {});
  void raw(std::string_view markup) { out_ += markup; }

  // Axes, drawn along the edge of the plot at (x, y) of the given length; grid lines reach `across`.
  void axisBelow(const Axis &axis, double x, double y, double length, double across);
  void axisLeft(const Axis &axis, double x, double y, double length, double across);

  /// The whole text; nothing may be added after.
  std::string finish();

 private:
  std::string out_;
};

/// A figure with the chart drawn wide and narrow, and a legend (may be empty) below.
std::string figureOf(const std::function<std::string(const Format &)> &draw, std::string_view legend);

/// The wide drawing of a chart, and its height, as an SVG file that stands alone; remarks are lines below
/// the legend.
std::string pictureOf(std::string_view title, std::string_view drawing, double height,
                      const std::vector<Series> &series, const std::vector<std::string> &remarks);

/// The legend of some series.
std::string legendOf(const std::vector<Series> &series);

}  // namespace pimento::emit::html
