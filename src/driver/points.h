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
};

/// Where the points of `suite` are: --points, else $PIMENTO_POINTS/validation/SUITE, else the project's own table.
std::string pointsFolder(const Options &options, const std::string &suite);

/// The rows that can be replayed, and a line for each file that has others.
struct PointSet {
  std::vector<Point> points;
  std::vector<std::string> skipped;
};

/// Reads a file, or all .csv files of a folder in name order. Every row has `kernel` and the columns `required`;
/// columns that name sizes must hold whole numbers. Rows of kernels that nothing here replays are skipped and named.
/// Diagnostics: unreadable-points (also if nothing is left), bad-points.
Result<PointSet> readPoints(const std::string &fileOrFolder, const std::vector<std::string> &required);

/// What reports call each point's kernel: the column, with the file's stem before it where several files have it.
std::vector<std::string> kernelNames(const std::vector<Point> &points);

}  // namespace pimento::driver
