// A figure that a script put together.
#include <fmt/format.h>

#include <algorithm>

#include "pimento/emit/html/grid.h"
#include "pimento/emit/html/section.h"

namespace pimento::emit::html {

namespace {

constexpr std::size_t kColours = 8;

std::vector<Series> seriesOf(const FigureResult &f) {
  std::vector<Series> out;
  for (std::size_t i = 0; i < f.series.size(); ++i) out.push_back({fmt::format("c{}", i % kColours), f.series[i]});
  return out;
}

/// A chart with what all kinds of charts say of themselves.
template <typename Chart>
Chart chartOf(const FigureResult &f) {
  Chart chart;
  chart.about = f.about;
  chart.axis = f.axis;
  chart.quantity = f.quantity;
  chart.series = seriesOf(f);
  return chart;
}

BarChart barsOf(const FigureResult &f) {
  auto chart = chartOf<BarChart>(f);
  chart.range = f.range;
  for (const FigureRow &r : f.bars) {
    const auto segment = [&](std::string_view label, std::size_t series, double value) {
      return Segment{series, value, fmt::format("{}; {}: {}", label, f.series[series], exactText(f.quantity, value))};
    };
    Bar bar{r.label, r.note, {}, r.low, r.high};
    for (const FigureRow::Part &p : r.parts)
      bar.segments.push_back(
          segment(p.label.empty() ? r.label : fmt::format("{}, {}", r.label, p.label), p.series, p.value));
    if (r.parts.empty()) bar.segments.push_back(segment(r.label, r.series, r.value));
    chart.bars.push_back(std::move(bar));
  }
  return chart;
}

SpreadChart spreadOf(const FigureResult &f) {
  auto chart = chartOf<SpreadChart>(f);
  chart.line = f.line;
  chart.lineName = f.lineName;
  for (const FigureRow &r : f.spread) chart.rows.push_back({r.label, r.note, r.series, r.values});
  return chart;
}

std::string tableHtml(const FigureTable &table) {
  std::vector<GridColumn> columns;
  for (const FigureTable::Column &c : table.columns) columns.push_back({c.name, c.isNumber, ""});
  Grid grid(table.caption, std::move(columns));
  for (const auto &row : table.rows) {
    std::vector<GridCell> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (const auto *text = std::get_if<std::string>(&row[i]))
        cells.emplace_back(escape(*text));
      else if (const auto *value = std::get_if<double>(&row[i]))
        cells.emplace_back(table.columns[i].quantity, *value);
      else
        cells.emplace_back(table.columns[i].quantity, std::optional<double>());
    }
    grid.row(std::move(cells));
  }
  return grid.html();
}

/// `code` between backticks, as in Markdown; one without its other end stays.
std::string withCode(std::string_view text) {
  std::string out;
  for (;;) {
    const std::size_t begin = text.find('`');
    const std::size_t end = begin == text.npos ? begin : text.find('`', begin + 1);
    if (end == text.npos) return out + escape(text);
    out += escape(text.substr(0, begin)) + "<code>" + escape(text.substr(begin + 1, end - begin - 1)) + "</code>";
    text.remove_prefix(end + 1);
  }
}

std::string paragraphs(const std::vector<std::string> &text, std::string_view style) {
  std::string out;
  for (const std::string &t : text) out += fmt::format("<p{}>{}</p>\n", style, withCode(t));
  return out;
}

}  // namespace

Section sectionOf(const FigureResult &f) {
  Section s;
  s.kind = f.kind;
  s.title = f.title;
  s.head = paragraphs(f.text, "");
  if (!f.command.empty()) s.head += "<p><code class=\"command\">" + escape(f.command) + "</code></p>\n";
  s.head += commandHtml(f.run) + warningsHtml(f.warnings);
  if (!f.bars.empty()) s.parts.push_back({"Chart", figure(barsOf(f))});
  if (!f.spread.empty()) s.parts.push_back({"Chart", figure(spreadOf(f))});
  std::string tables;
  for (const FigureTable &t : f.tables) tables += tableHtml(t);
  if (!tables.empty()) s.parts.push_back({"Numbers", tables});
  if (!f.notes.empty()) s.parts.push_back({"Notes", paragraphs(f.notes, " class=\"remark\"")});
  return s;
}

std::string pictureOf(const FigureResult &f) {
  if (!f.bars.empty()) return picture(barsOf(f), f.title);
  return f.spread.empty() ? std::string() : picture(spreadOf(f), f.title);
}

}  // namespace pimento::emit::html
