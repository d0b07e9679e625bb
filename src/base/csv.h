// Tables of reference figures as text: one row per line, cells between commas.
//
// Lines that begin with '#' and empty ones are comments; the first other line names the columns. Cells are plain: no
// quotes, no commas in them. Writing tables is the business of room `emit`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace pimento {

/// Views into the text it was read from.
struct CsvTable {
  struct Row {
    std::vector<std::string_view> cells;  ///< without white space at their ends; may be more or fewer than columns
    int line = 0;                         ///< from 1
  };

  std::vector<std::string_view> columns;
  std::vector<Row> rows;

  bool has(std::string_view column) const;
  /// Nothing where there is no such column or the row ends before it. Of columns with one name it is the first.
  std::optional<std::string_view> cell(const Row &row, std::string_view column) const;
};

/// Any text is a table, if need be one without columns.
CsvTable readCsv(std::string_view text);

}  // namespace pimento
