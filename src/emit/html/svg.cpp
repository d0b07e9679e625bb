#include "pimento/emit/html/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pimento::emit::html {

namespace {

constexpr double kCharacter = 7.1;
constexpr double kTickCharacter = 0.85;            // ticks are smaller than other texts
constexpr double kTickText = 16, kTitleText = 34;  // below an axis

std::string titled(std::string_view tip) {
  return tip.empty() ? std::string() : fmt::format("<title>{}</title>", escape(tip));
}

bool isContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

/// Lines at an angle, dots, ...: what tells colours apart in grey. By colour class.
struct Pattern {
  std::string_view style, content;
};
constexpr std::array<Pattern, 7> kPatterns = {{
    {"c1", "<path d=\"M-1 1l2-2M0 6l6-6M5 7l2-2\"/>"},
    {"c2", "<path d=\"M-1 5l2 2M0 0l6 6M5-1l2 2\"/>"},
    {"c3", "<path d=\"M0 3h6M3 0v6\"/>"},
    {"c4", "<path d=\"M1 1.5h1.5M4 4.5h1.5\" stroke-width=\"1.5\"/>"},
    {"c5", "<path d=\"M0 3h6\"/>"},
    {"c6", "<path d=\"M3 0v6\"/>"},
    {"c7", "<path d=\"M0 0l6 6M0 6l6-6\"/>"},
}};

}  // namespace

double textWidth(std::string_view text) {
  return kCharacter *
         static_cast<double>(std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

std::string fitted(std::string_view text, double width) {
  if (text.empty() || textWidth(text) <= width) return std::string(text);
  std::size_t bytes = 0;
  for (auto left = static_cast<int>(width / kCharacter) - 1; left > 0 && bytes < text.size(); --left) {
    ++bytes;
    while (bytes < text.size() && isContinuation(text[bytes])) ++bytes;
  }
  return std::string(text.substr(0, bytes)) + "…";
}

Svg::Svg(const Format &format, double height, std::string_view about, std::string_view attributes) {
  out_ = fmt::format("<svg class=\"chart {}\" viewBox=\"0 0 {} {:.0f}\" role=\"img\" aria-label=\"{}\"{}{}>",
                     format.isNarrow ? "narrow" : "wide", format.width, height, escape(about),
                     attributes.empty() ? "" : " ", attributes);
}

void Svg::rect(double x, double y, double width, double height, std::string_view style, std::string_view tip) {
  out_ += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"", style, x, y,
                      width, height);
  out_ += tip.empty() ? "/>" : ">" + titled(tip) + "</rect>";
}

void Svg::filled(double x, double y, double width, double height, std::string_view style, std::string_view tip) {
  const bool isPatterned = style != "c0" && width >= 2;
  rect(x, y, width, height, style, tip);
  if (isPatterned)
    out_ += fmt::format(
        "<rect class=\"over\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"url(#p-{})\"/>", x, y,
        width, height, style);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  out_ += fmt::format("<line class=\"{}\" x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\"/>", style, x1, y1, x2,
                      y2);
}

void Svg::text(double x, double y, std::string_view text, char anchor, std::string_view style, std::string_view tip) {
  out_ += fmt::format("<text x=\"{:.2f}\" y=\"{:.2f}\"", x, y);
  if (anchor != 's') out_ += fmt::format(" text-anchor=\"{}\"", anchor == 'm' ? "middle" : "end");
  if (!style.empty()) out_ += fmt::format(" class=\"{}\"", style);
  out_ += fmt::format(">{}{}</text>", escape(text), titled(tip));
}

void Svg::axisBelow(const Axis &axis, double x, double y, double length, double across) {
  out_ += "<g class=\"axis x\">";
  double free = x - length;
  for (const Tick &t : axis.ticks()) {
    const double at = x + t.at * length, width = kTickCharacter * textWidth(t.label);
    const bool isLast = t.at > 0.97;
    const double begin = isLast ? at - width : at - width / 2;
    line(at, y, at, y - across, "grid");
    // One label less is better than two on each other.
    if (begin < free) continue;
    text(at, y + kTickText, t.label, isLast ? 'e' : 'm');
    free = begin + width + 3;
  }
  line(x, y, x + length, y, "edge");
  text(x + length / 2, y + kTitleText, axis.title(), 'm', "axis-title");
  out_ += "</g>";
}

void Svg::axisLeft(const Axis &axis, double x, double y, double length, double across) {
  out_ += "<g class=\"axis y\">";
  for (const Tick &t : axis.ticks()) {
    const double at = y - t.at * length;
    line(x, at, x + across, at, "grid");
    text(x - 6, at + 4, t.label, 'e');
  }
  line(x, y, x, y - length, "edge");
  text(0, y - length - 14, axis.title(), 's', "axis-title");
  out_ += "</g>";
}

std::string Svg::finish() {
  return std::move(out_) + "</svg>";
}

std::string figureOf(const std::function<std::string(const Format &)> &draw, std::string_view legend) {
  std::string out = "<figure>" + draw(kWide) + draw(kNarrow);
  if (!legend.empty()) out += fmt::format("<figcaption>{}</figcaption>", legend);
  return out + "</figure>\n";
}

std::string swatch(std::string_view style) {
  std::string out = fmt::format(
      "<svg class=\"swatch\" viewBox=\"0 0 14 12\" aria-hidden=\"true\">"
      "<rect class=\"{}\" width=\"14\" height=\"12\"/>",
      style);
  if (style != "c0") out += fmt::format("<rect width=\"14\" height=\"12\" fill=\"url(#p-{})\"/>", style);
  return out + "</svg>";
}

std::string legendOf(const std::vector<Series> &series) {
  std::string out = "<ul class=\"legend\">";
  for (const Series &s : series) out += fmt::format("<li>{}{}</li>", swatch(s.style), escape(s.name));
  return out + "</ul>";
}

std::string patterns() {
  std::string out = "<svg class=\"defs\" width=\"0\" height=\"0\" aria-hidden=\"true\"><defs>";
  for (const Pattern &p : kPatterns)
    out += fmt::format("<pattern id=\"p-{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">{}</pattern>",
                       p.style, p.content);
  return out + "</defs></svg>\n";
}

std::string shareBar(double part, double whole, std::string_view style) {
  const double share = whole > 0 && std::isfinite(part / whole) ? std::clamp(part / whole, 0.0, 1.0) : 0;
  return fmt::format(
      "<svg class=\"share\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
      "<rect class=\"track\" width=\"100\" height=\"10\"/>"
      "<rect class=\"{}\" width=\"{:.2f}\" height=\"10\"/></svg>",
      style, 100 * share);
}

}  // namespace pimento::emit::html
