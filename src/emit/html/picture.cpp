// A chart as an SVG file that stands alone: the page's drawing with its colours, a title above and a legend below.
#include <fmt/format.h>

#include "pimento/emit/html/assets.h"
#include "pimento/emit/html/svg.h"

namespace pimento::emit::html {

namespace {

constexpr double kEdge = 16, kTitle = 34, kLegendLine = 20, kSwatch = 14;

/// The legend's texts in lines that fit, from `y` down; `height` becomes what they take.
std::string legendBelow(const std::vector<Series> &series, double y, double &height) {
  std::string out;
  double x = 0;
  height = series.empty() ? 0 : kLegendLine;
  for (const Series &s : series) {
    const double width = kSwatch + 8 + textWidth(s.name) + 18;
    if (x > 0 && x + width > kWide.width) {
      x = 0;
      height += kLegendLine;
    }
    const double top = y + height - kLegendLine;
    out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"12\"/>", s.style, x, top);
    if (s.style != "c0")
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"12\" fill=\"url(#p-{})\"/>", x, top,
                         s.style);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + kSwatch + 8, top + 10, escape(s.name));
    x += width;
  }
  return out;
}

}  // namespace

std::string pictureOf(std::string_view title, std::string_view drawing, double height,
                      const std::vector<Series> &series, const std::vector<std::string> &remarks) {
  double legendHeight = 0;
  std::string legend = legendBelow(series, kTitle + height + 4, legendHeight);
  for (const std::string &remark : remarks) {
    legend += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>", kTitle + height + legendHeight + 14, escape(remark));
    legendHeight += kLegendLine;
  }
  const double whole = kTitle + height + 4 + legendHeight;
  const double width = kWide.width + 2 * kEdge;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"{2:.0f} {2:.0f} "
      "{0:.0f} "
      "{1:.0f}\">\n<style>\n",
      width, whole + 2 * kEdge, -kEdge);
  out += kChartCss;
  out += fmt::format(
      ":root {{ font-family: system-ui, \"Liberation Sans\", Arial, sans-serif; }}\n"
      ".legend text {{ font-size: 12px; fill: var(--soft); }}\n.title {{ font-size: 15px; fill: var(--ink); }}\n"
      ".back {{ fill: var(--paper); }}\n.chart {{ max-width: none; }}\n</style>\n{}"
      "<rect class=\"back\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n"
      "<text class=\"title\" x=\"0\" y=\"14\">{}</text>\n"
      "<svg x=\"0\" y=\"{:.0f}\" width=\"{}\" height=\"{:.0f}\">{}</svg>\n<g class=\"legend\">{}</g>\n</svg>\n",
      patterns(), -kEdge, -kEdge, width, whole + 2 * kEdge, escape(title), kTitle, kWide.width, height, drawing,
      legend);
  return out;
}

}  // namespace pimento::emit::html
