// Reference points: CSV files of measured or simulated figures, read from a file or a folder.
//
// The first line that is not a comment ('#') names the columns; unknown columns are kept and ignored.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/driver/options.h"

namespace pimento::driver {

/// One row.
struct Point {
  std::string kernel;  ///< its `kernel` column
  std::string stem;    ///< of the file it came from
  std::map<std::string, std::string> columns;
  Location where;

  bool has(const std::string &column) const { return columns.count(column) != 0; }
  const std::string &text(const std::string &column) const { return columns.at(column); }
  std::int64_t number(const std::string &column) const;  ///< checked by readPoints
  double real(const std::string &column) const;          ///< likewise
};

/// Where the points of `suite` are: --points, else $PIMENTO_POINTS/validation/SUITE, else the project's own table.
std::string pointsFolder(const Options &options, const std::string &suite);

/// The rows that can be replayed, and a line for each file that has others.
struct PointSet {
  std::vector<Point> points;
  std::vector<std::string> skipped;
};

/// What the rows of a suite look like.
struct PointRules {
  std::vector<std::string> files;     ///< of a folder: those whose names begin so; empty: all
  std::vector<std::string> required;  ///< columns of every row
  std::vector<std::string> positive;  ///< columns that hold numbers above 0, if they are there
  /// Columns that hold whole numbers of 1 or more, if they are there.
  std::vector<std::string> whole;
  /// Kernels, each with the columns that say how large it is, one of each group.
  std::map<std::string, std::vector<std::vector<std::string>>> kernels;
};
const PointRules &hbmPimPoints();
const PointRules &upmemPoints();

/// Reads a file, or the .csv files of a folder in name order. Rows of kernels that nothing here replays are skipped and
/// named. Diagnostics: unreadable-points (also if nothing is left), bad-points.
Result<PointSet> readPoints(const std::string &fileOrFolder, const PointRules &rules);

/// What reports call each point's kernel: the column, with the file's stem before it where several files have it.
std::vector<std::string> kernelNames(const std::vector<Point> &points);

}  // namespace pimento::driver
