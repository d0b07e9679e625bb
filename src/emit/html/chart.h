// Charts as SVG: bars, columns, points, lines, spreads and heat maps, each in a wide and a narrow drawing of which the
// page's style shows one. They need no script; marks carry a title, which the page's script shows as a tooltip.
//
// Texts in the structures are plain; the functions escape them. Colours are classes of chart.css ("c-compute");
// whatever has a colour has a pattern, a shape or a label, too.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/emit/html/axis.h"

namespace pimento::emit::html {

/// What a colour stands for: a class and its name in the legend.
struct Series {
  std::string style;
  std::string name;
};

/// A part of a bar, in the order of the chart's series.
struct Segment {
  std::size_t series = 0;
  double value = 0;
  std::string tip;
};

struct Bar {
  std::string label;
  std::string note;  ///< behind the bar: its value
  std::vector<Segment> segments;
  std::optional<double> low, high;  ///< a range, drawn as a whisker
};

/// Bars from left to right, one below the other, on an axis that begins at 0.
struct BarChart {
  std::string about;  ///< one sentence: what is seen, for those who do not see it
  std::string axis;   ///< what is measured, without unit
  Quantity quantity = Quantity::kPlain;
  std::vector<Series> series;
  std::vector<Bar> bars;
  /// What the whiskers of bars with a range show.
  std::string range = "range: all constants at the low or high end of their sources";
};

/// How many of a row's values lie where: rows below each other, each a histogram on one axis that all share.
struct SpreadChart {
  std::string about;
  std::string axis;  ///< what is measured, without unit
  Quantity quantity = Quantity::kPlain;
  std::vector<Series> series;
  struct Row {
    std::string label, note;
    std::size_t series = 0;
    std::vector<double> values;
  };
  std::vector<Row> rows;
  std::optional<double> line;  ///< a value to compare with, marked in all rows
  std::string lineName;
};

/// Columns that stand side by side in order: many bars, numbered from `first` in steps of `step`.
struct ColumnChart {
  std::string about, axis, across;
  Quantity quantity = Quantity::kPlain;
  Quantity acrossQuantity = Quantity::kPlain;
  double first = 1, step = 1;
  double top = 0;  ///< the axis goes at least up to here
  std::vector<Series> series;
  std::vector<Bar> columns;  ///< labels are part of tooltips only
};

enum class Mark : std::uint8_t { kDot, kFront, kBestTime, kBestEnergy, kBestBoth, kReference, kBound };

struct Point {
  double x = 0, y = 0;
  Mark mark = Mark::kDot;
  std::string tip;
};

/// Points on two axes, with a line through some of them. Where `names` is given, x is the number of a name.
struct PointChart {
  std::string about, xTitle, yTitle;
  Quantity xQuantity = Quantity::kPlain, yQuantity = Quantity::kPlain;
  std::vector<std::string> names;
  std::vector<Point> points;
  std::vector<std::pair<double, double>> line;
  bool isStair = false;      ///< the line goes in steps: right, then down
  std::vector<Mark> legend;  ///< marks to explain, in order
  bool isYFromZero = false;
};

/// One cell per pair of names, darker for more.
struct HeatMap {
  std::string about, xTitle, yTitle, what;
  Quantity quantity = Quantity::kPlain;
  std::vector<std::string> xNames, yNames;
  struct Cell {
    std::size_t x = 0, y = 0;
    double value = 0;
    std::string tip;
    bool isBest = false;
  };
  std::vector<Cell> cells;
};

// Each is a <figure> with a legend where there is something to explain.
std::string figure(const BarChart &chart);
std::string figure(const ColumnChart &chart);
std::string figure(const PointChart &chart);
std::string figure(const HeatMap &chart);
std::string figure(const SpreadChart &chart);

// The same as an SVG file that stands alone: title above, legend below.
std::string picture(const BarChart &chart, std::string_view title);
std::string picture(const SpreadChart &chart, std::string_view title);

/// A bar in a table's cell: the share of `part` in `whole`, `style` a colour class.
std::string shareBar(double part, double whole, std::string_view style);

/// The colour of a series beside its name, with its pattern.
std::string swatch(std::string_view style);

/// The patterns that fills refer to; once per page.
std::string patterns();

/// What a point means, for legends.
std::string_view meaning(Mark mark);

}  // namespace pimento::emit::html
