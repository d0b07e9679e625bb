#include "pimento/base/csv.h"

#include <algorithm>

#include "pimento/base/text.h"

namespace pimento {

bool CsvTable::has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::optional<std::string_view> CsvTable::cell(const Row &row, std::string_view column) const {
  const auto at = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  if (at >= columns.size() || at >= row.cells.size()) return std::nullopt;
  return row.cells[at];
}

CsvTable readCsv(std::string_view text) {
  CsvTable table;
  int line = 0;
  for (const std::string_view raw : split(text, '\n')) {
    ++line;
    const std::string_view content = trim(raw);
    if (content.empty() || content.front() == '#') continue;
    std::vector<std::string_view> cells = split(content, ',');
    for (std::string_view &cell : cells) cell = trim(cell);
    if (table.columns.empty())
      table.columns = std::move(cells);
    else
      table.rows.push_back({std::move(cells), line});
  }
  return table;
}

}  // namespace pimento
