// Heat maps.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pimento/emit/html/svg.h"

namespace pimento::emit::html {

namespace {

constexpr double kAxisHeight = 42, kTop = 26;
constexpr int kLevels = 7;
constexpr double kLogFactor = 20;

struct Scale {
  double low = 0, high = 0;
  bool isLog = false;

  explicit Scale(const HeatMap &chart) {
    bool isFirst = true;
    for (const HeatMap::Cell &c : chart.cells) {
      low = isFirst ? c.value : std::min(low, c.value);
      high = isFirst ? c.value : std::max(high, c.value);
      isFirst = false;
    }
    isLog = low > 0 && high / low >= kLogFactor;
  }

  int level(double value) const {
    if (!(high > low)) return 0;
    const double at = isLog ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
    return std::isfinite(at) ? std::clamp(static_cast<int>(at * kLevels), 0, kLevels - 1) : 0;
  }
};

std::string drawHeat(const HeatMap &chart, const Format &format) {
  const Scale scale(chart);
  double label = 0;
  for (const std::string &name : chart.yNames) label = std::max(label, textWidth(name));
  const double left = std::clamp(label + 12, 30.0, 120.0), length = format.width - left - 10;
  const double rowHeight = 30, height = rowHeight * static_cast<double>(chart.yNames.size());
  const double width = length / std::max(1.0, static_cast<double>(chart.xNames.size()));
  const Axis x = Axis::named(chart.xTitle, chart.xNames, static_cast<int>(length / 46));
  std::vector<std::string> upwards(chart.yNames.rbegin(), chart.yNames.rend());
  const Axis y = Axis::named(chart.yTitle, upwards, 1000);
  const Unit unit = unitFor(chart.quantity, scale.high);
  Svg svg(format, kTop + height + kAxisHeight, chart.about);
  svg.axisLeft(y, left, kTop + height, height, 0);
  svg.axisBelow(x, left, kTop + height, length, 0);
  for (const HeatMap::Cell &c : chart.cells) {
    const double cx = left + width * static_cast<double>(c.x), cy = kTop + rowHeight * static_cast<double>(c.y);
    const int level = scale.level(c.value);
    svg.rect(cx + 1, cy + 1, std::max(0.5, width - 2), rowHeight - 2,
             fmt::format("h{}{}", level, c.isBest ? " best" : ""), c.tip);
    const std::string text = (c.isBest ? "★ " : "") + plain(c.value / unit.factor, 3);
    if (textWidth(text) + 4 <= width)
      svg.text(cx + width / 2, cy + rowHeight / 2 + 4, text, 'm', level >= 4 ? "on-dark" : "on-light");
    else if (c.isBest)
      svg.text(cx + width / 2, cy + rowHeight / 2 + 4, "★", 'm', level >= 4 ? "on-dark" : "on-light");
  }
  return svg.finish();
}

std::string legendOf(const HeatMap &chart) {
  const Scale scale(chart);
  std::string out =
      "<ul class=\"legend\"><li>" + escape(chart.what) +
      fmt::format(" in {}, {}</li><li>{} ", unitFor(chart.quantity, scale.high).name,
                  scale.isLog ? "shades logarithmic" : "shades linear", shortText(chart.quantity, scale.low));
  for (int i = 0; i < kLevels; ++i)
    out += fmt::format(
        "<svg class=\"swatch\" viewBox=\"0 0 14 12\" aria-hidden=\"true\"><rect class=\"h{}\" width=\"14\" "
        "height=\"12\"/></svg>",
        i);
  return out + fmt::format(" {}</li><li>★ the smallest</li></ul>", shortText(chart.quantity, scale.high));
}

}  // namespace

std::string figure(const HeatMap &chart) {
  return figureOf([&](const Format &f) { return drawHeat(chart, f); }, legendOf(chart));
}

}  // namespace pimento::emit::html
