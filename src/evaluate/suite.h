// Reference points that a target is validated with: which files, which columns, and how a row is run.
//
// A target states its suites; reading the points, running all of them and the errors are the verb's (`validate`).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pimento/evaluate/evaluator.h"
#include "pimento/evaluate/points.h"

namespace pimento::evaluate {

/// What a row is run with.
struct Replaying {
  /// A machine with the user's overrides and the row's, "PATH=VALUE".
  std::function<Result<machine::Machine>(const std::string &name, const std::vector<std::string> &sets)> machine;
  bool isSimulation = false;
  std::optional<TwoSlice> twoSlice = {};
  Tools tools = {};
  std::uint64_t seed = 1;
};

/// Our figure for one point, and theirs.
struct Replay {
  double ours = 0, theirs = 0;
  double speedup = 0;  ///< of our compiled program over the reference program; 0: there is none
  Exactness exact = Exactness::kSimulated;
  double seconds = 0;        ///< that finding it took
  std::string differs = {};  ///< the first count that is not theirs: "MACAB: ours 16, theirs 32"
};

/// `ours`: the figure that `report` gives.
inline Replay replayOf(const Report &report, double ours, double theirs) {
  constexpr double kUsPerSecond = 1e6;
  return {ours, theirs, 0, report.exact, static_cast<double>(report.wallUs) / kUsPerSecond};
}

/// A row of points that are no table.
struct NamedReplay {
  std::string kernel;
  Location where;
  Replay replay;
};

struct Suite {
  std::string name;
  PointRules rules;
  std::function<Result<Replay>(const Replaying &, const Point &)> replay;
  bool isSimulated = false;       ///< unless told otherwise; else fast-forward
  bool comparesPrograms = false;  ///< gives speedups
  std::string unit = {};          ///< of the figures, with a blank before it
  bool comparesCounts = false;    ///< counts are compared beside the figures
  /// Of points that are no tables: all of a folder, without machine or engine; then of `rules` only the folder counts,
  /// and `replay` is not called.
  std::function<Result<std::vector<NamedReplay>>(const std::string &folder)> replayFolder = {};
  /// Several figures of one row, each with the name that reports give it; then `replay` is not called.
  std::function<Result<std::vector<NamedReplay>>(const Replaying &, const Point &)> replayRow = {};
};

}  // namespace pimento::evaluate
