// Figures that scripts put together: from JSON to what is shown.
#include <array>
#include <utility>

#include "pimento/emit/html/results.h"

namespace pimento::emit::html {

namespace {

constexpr std::array<std::pair<std::string_view, Quantity>, 7> kQuantities = {{
    {"cycles", Quantity::kCycles},
    {"ns", Quantity::kTime},
    {"pj", Quantity::kEnergy},
    {"count", Quantity::kCount},
    {"bytes", Quantity::kBytes},
    {"percent", Quantity::kPercent},
    {"plain", Quantity::kPlain},
}};

Quantity readQuantity(const Node &node) {
  const std::string name = node.text();
  for (const auto &[known, quantity] : kQuantities)
    if (name == known) return quantity;
  if (node.isText()) node.refuse("is not a known quantity", "quantities: cycles, ns, pj, count, bytes, percent, plain");
  return Quantity::kPlain;
}

std::size_t readSeries(const Node &row, std::size_t known) {
  const auto node = row.find("series");
  if (!node) return 0;
  const double number = node->amount();
  if (number < static_cast<double>(known)) return static_cast<std::size_t>(number);
  node->refuse("is not the number of a series", "series count from 0");
  return 0;
}

std::vector<FigureRow> readRows(const Node &rows, std::size_t series, bool isSpread) {
  std::vector<FigureRow> out;
  for (const Node &row : rows.items()) {
    FigureRow r;
    r.label = row.at("label").text();
    r.note = row.textOr("note", "");
    r.series = readSeries(row, series);
    if (isSpread) {
      for (const Node &v : row.at("values").items()) r.values.push_back(v.amount());
    } else {
      if (const auto parts = row.find("parts")) {
        for (const Node &part : parts->items()) {
          r.parts.push_back({part.textOr("label", ""), readSeries(part, series), part.at("value").amount()});
          r.value += r.parts.back().value;
        }
      } else {
        r.value = row.at("value").amount();
      }
      r.low = row.maybeAmount("low");
      r.high = row.maybeAmount("high");
    }
    out.push_back(std::move(r));
  }
  return out;
}

FigureTable readTable(const Node &node) {
  FigureTable t;
  t.caption = node.at("caption").text();
  for (const Node &column : node.at("columns").items()) {
    FigureTable::Column c{column.at("name").text(), false, Quantity::kPlain};
    if (const auto quantity = column.find("quantity")) {
      c.isNumber = true;
      c.quantity = readQuantity(*quantity);
    }
    t.columns.push_back(std::move(c));
  }
  for (const Node &row : node.at("rows").items()) {
    const std::vector<Node> cells = row.items();
    if (row.isList() && cells.size() != t.columns.size())
      row.refuse("does not have one cell per column", "use null for empty cells");
    auto &out = t.rows.emplace_back();
    for (const Node &cell : cells) {
      if (cell.isNull())
        out.emplace_back();
      else if (cell.isNumber())
        out.emplace_back(cell.amount());
      else
        out.emplace_back(cell.text());
    }
  }
  return t;
}

}  // namespace

FigureResult readFigure(const Node &node) {
  FigureResult f;
  f.name = node.at("figure").text();
  f.title = node.at("title").text();
  f.about = node.textOr("about", f.title);
  f.command = node.textOr("command", "");
  f.text = node.textsOr("text");
  f.notes = node.textsOr("notes");
  if (const auto chart = node.find("chart")) {
    f.axis = chart->at("axis").text();
    f.quantity = readQuantity(chart->at("quantity"));
    f.series = chart->at("series").texts();
    f.range = chart->textOr("range", "");
    f.line = chart->maybeAmount("line");
    f.lineName = chart->textOr("line_name", "");
    if (const auto rows = chart->find("bars")) f.bars = readRows(*rows, f.series.size(), false);
    if (const auto rows = chart->find("spread")) f.spread = readRows(*rows, f.series.size(), true);
    if (f.series.empty() || f.bars.empty() == f.spread.empty())
      chart->refuse("needs at least one series, and either 'bars' or a 'spread'", "see docs/reports.md");
  }
  if (const auto tables = node.find("tables"))
    for (const Node &table : tables->items()) f.tables.push_back(readTable(table));
  return f;
}

}  // namespace pimento::emit::html
