// A plain-text table: cells in aligned columns, for terminals of 100 characters.
//
// Not a layout engine: columns are as wide as their widest cell; the last column may be wrapped to the given width, so
// long texts go there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pimento::emit {

/// The width that terminal views keep to.
inline constexpr std::size_t kWidth = 100;

class Columns {
 public:
  /// One letter per column: 'l' left-aligned, 'r' right-aligned. The last column is wrapped if it is 'l'.
  explicit Columns(std::string_view alignment, std::size_t indent = 0) : alignment_(alignment), indent_(indent) {}

  /// Cells beyond the alignment's columns are a mistake of ours; missing ones are empty.
  void row(std::vector<std::string> cells);
  /// A line of '-' under each column.
  void rule();

  /// All rows, each ended by a line feed, without blanks at line ends.
  std::string str() const;

 private:
  struct Row {
    bool isRule = false;
    std::vector<std::string> cells;
  };
  std::string alignment_;
  std::size_t indent_;
  std::vector<Row> rows_;
};

/// `text` broken at blanks into lines of at most `width` characters; a longer word is cut, after a semicolon if it has
/// one there. At least one line.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace pimento::emit
