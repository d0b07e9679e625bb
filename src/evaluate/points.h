// Reference points: rows of CSV files of measured or simulated figures, and what the rows of a suite look like.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::evaluate {

/// One row of a CSV file of points.
struct Point {
  std::string kernel;  ///< its `kernel` column
  std::string stem;    ///< of the file it came from
  std::map<std::string, std::string> columns;
  Location where;

  bool has(const std::string &column) const { return columns.contains(column); }
  const std::string &text(const std::string &column) const { return columns.at(column); }
  std::int64_t number(const std::string &column) const;  ///< of a column that the suite's rules say holds one
  double real(const std::string &column) const;          ///< likewise
};

/// What the rows of a suite look like.
struct PointRules {
  std::string folder = {};              ///< of the points, where it is not called like the suite
  std::vector<std::string> files = {};  ///< of a folder: those whose names begin so; empty: all
  /// What a row is called, where its column `kernel` does not say. What begins with a blank is not in `kernels` but
  /// says why the row is skipped: " of other backends". Null: the column.
  std::function<std::string(const Point &)> kernelOf = {};
  std::vector<std::string> required = {};  ///< columns of every row
  std::vector<std::string> positive = {};  ///< columns that hold numbers above 0, if they are there
  std::vector<std::string> whole = {};     ///< columns that hold whole numbers of 1 or more, if they are there
  /// Kernels, each with the columns that say how large it is, one of each group.
  std::map<std::string, std::vector<std::vector<std::string>>> kernels = {};
};

}  // namespace pimento::evaluate
