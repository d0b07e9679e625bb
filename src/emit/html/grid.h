// Tables of the page: they scroll within themselves on small screens, and the page's script sorts them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/emit/html/text.h"

namespace pimento::emit::html {

struct GridColumn {
  std::string title;  ///< plain text
  bool isNumber = false;
  std::string style;  ///< class of its cells; empty: none
};

/// A cell; `key` is what it is sorted by where that is not its text.
struct GridCell {
  std::string html;
  std::string key;

  GridCell() = default;
  GridCell(std::string markup) : html(std::move(markup)) {}
  /// A number, shown as html::number() does, sorted by its value.
  GridCell(Quantity quantity, double value);
  /// The same, or "–".
  GridCell(Quantity quantity, const std::optional<double> &value);
};

class Grid {
 public:
  /// `caption`: plain text, shown above the table.
  Grid(std::string_view caption, std::vector<GridColumn> columns) : caption_(caption), columns_(std::move(columns)) {}

  void row(std::vector<GridCell> cells, std::string_view style = {});
  /// The last row, of sums: it stays at the end when the table is sorted.
  void total(std::vector<GridCell> cells);
  bool isEmpty() const { return body_.empty(); }

  std::string html(bool isSortable = true) const;

 private:
  std::string cells(const std::vector<GridCell> &cells) const;

  std::size_t rows_ = 0;
  std::string caption_;
  std::vector<GridColumn> columns_;
  std::string body_, foot_;
};

/// Names and values, one below the other. Values are markup.
class Facts {
 public:
  void add(std::string_view name, std::string_view html);
  std::string html() const;

 private:
  std::string rows_;
};

/// Large figures with a name above and a remark below; `value` and `remark` are markup.
class Tiles {
 public:
  void add(std::string_view name, std::string_view value, std::string_view remark);
  std::string html() const;

 private:
  std::string tiles_;
};

}  // namespace pimento::emit::html
