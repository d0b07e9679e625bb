#include "pimento/emit/html/grid.h"

#include <fmt/format.h>

#include "pimento/base/text.h"

namespace pimento::emit::html {

namespace {
constexpr std::size_t kTall = 12;  // rows that may be parted by the end of a printed page
}

GridCell::GridCell(Quantity quantity, double value) : html(number(quantity, value)), key(numberText(value)) {}

GridCell::GridCell(Quantity quantity, const std::optional<double> &value)
    : html(value ? number(quantity, *value) : "–"), key(value ? numberText(*value) : std::string()) {}

std::string Grid::cells(const std::vector<GridCell> &cells) const {
  std::string out;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const GridCell cell = c < cells.size() ? cells[c] : GridCell();
    std::string style = columns_[c].style;
    if (columns_[c].isNumber) style += style.empty() ? "num" : " num";
    // The first cell says what the row is about.
    const std::string_view element = c == 0 ? "th" : "td";
    out += fmt::format("<{}{}{}{}>{}</{}>", element, c == 0 ? " scope=\"row\"" : "",
                       style.empty() ? std::string() : fmt::format(" class=\"{}\"", style),
                       cell.key.empty() ? std::string() : fmt::format(" data-v=\"{}\"", escape(cell.key)), cell.html,
                       element);
  }
  return out;
}

void Grid::row(std::vector<GridCell> cells, std::string_view style) {
  ++rows_;
  body_ += style.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", style);
  body_ += this->cells(cells) + "</tr>\n";
}

void Grid::total(std::vector<GridCell> cells) {
  foot_ += "<tr>" + this->cells(cells) + "</tr>\n";
}

std::string Grid::html(bool isSortable) const {
  std::string out = fmt::format(
      "<div class=\"scroll{2}\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table{1}>\n<caption><span>{0}</span></caption>\n<thead><tr>",
      escape(caption_), isSortable ? " class=\"sortable\"" : "", rows_ > kTall ? " tall" : "");
  for (const GridColumn &c : columns_)
    out += fmt::format("<th scope=\"col\"{}>{}</th>", c.isNumber ? " class=\"num\"" : "", escape(c.title));
  out += "</tr></thead>\n<tbody>\n" + body_ + "</tbody>\n";
  if (!foot_.empty()) out += "<tfoot>\n" + foot_ + "</tfoot>\n";
  return out + "</table></div>\n";
}

void Facts::add(std::string_view name, std::string_view html) {
  if (!html.empty()) rows_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), html);
}

std::string Facts::html() const {
  return rows_.empty() ? std::string() : "<dl class=\"facts\">\n" + rows_ + "</dl>\n";
}

void Tiles::add(std::string_view name, std::string_view value, std::string_view remark) {
  tiles_ += fmt::format("<div><dt>{}</dt><dd><b>{}</b>{}</dd></div>\n", escape(name), value,
                        remark.empty() ? std::string() : fmt::format("<span>{}</span>", remark));
}

std::string Tiles::html() const {
  return "<dl class=\"tiles\">\n" + tiles_ + "</dl>\n";
}

}  // namespace pimento::emit::html
