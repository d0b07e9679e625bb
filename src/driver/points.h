// Reference points: CSV files of measured or simulated figures, read from a file or a folder.
//
// The first line that is not a comment ('#') names the columns; unknown columns are kept and ignored.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/driver/options.h"
#include "pimento/evaluate/points.h"

namespace pimento::driver {

/// Where the points of `suite` are: --points, else $PIMENTO_POINTS/validation/SUITE, else the project's own table.
std::string pointsFolder(const Options &options, const std::string &suite);

/// The rows that can be replayed, and a line for each file that has others.
struct PointSet {
  std::vector<evaluate::Point> points;
  std::vector<std::string> skipped;
};

/// Reads a file, or the .csv files of a folder in name order. Rows of kernels that nothing here replays are skipped and
/// named. Diagnostics: unreadable-points (also if nothing is left), bad-points.
Result<PointSet> readPoints(const std::string &fileOrFolder, const evaluate::PointRules &rules);

/// What reports call each point's kernel: the column, with the file's stem before it where several files have it.
std::vector<std::string> kernelNames(const std::vector<evaluate::Point> &points);

}  // namespace pimento::driver
