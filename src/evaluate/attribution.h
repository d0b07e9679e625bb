// What a run did, by function and by source line, in columns that its target names.
//
// Sums of what engines counted; what they count, and what belongs to no line, is for the target to say (`about`).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace pimento::evaluate {

/// A column of amounts. Texts live as long as the program does: they are literals in the tables of targets.
struct AttributionColumn {
  std::string_view key;                         ///< of the JSON: "dma_wait_cycles"
  std::string_view title;                       ///< "DMA waits"
  std::string_view unit;                        ///< "cycle"; empty: a count
  bool showsAmount = true, showsShare = false;  ///< what tables have of it; the JSON has all amounts
};

struct AttributionRow {
  std::string function;               ///< empty: no symbol says
  std::string file;                   ///< of lines; empty: unknown
  int line = 0;                       ///< 0: unknown, or a function
  std::string text;                   ///< the line itself, where somebody could read it
  std::vector<std::int64_t> amounts;  ///< by column

  bool operator==(const AttributionRow &) const = default;
};

struct Attribution {
  std::vector<AttributionColumn> columns;
  std::vector<AttributionRow> functions, lines;  ///< most of the last column first
  std::vector<std::int64_t> totals;              ///< by column
  std::string about;                             ///< what the columns mean, for readers
};

/// Adds amounts up, by function and by line.
class AttributionSum {
 public:
  explicit AttributionSum(std::vector<AttributionColumn> columns);

  void addToFunction(const std::string &function, std::span<const std::int64_t> amounts);
  void addToLine(const std::string &file, int line, const std::string &function, std::span<const std::int64_t> amounts);
  Attribution take(std::string about);

 private:
  using Key = std::tuple<std::string, int, std::string>;  // file, line, function
  using Rows = std::map<Key, std::vector<std::int64_t>>;
  std::vector<AttributionRow> sorted(const Rows &rows) const;

  Attribution out_;
  Rows functions_, lines_;
};

}  // namespace pimento::evaluate
