// What a validation suite found: our error against reference points, per kernel.
//
// Only the tally: which points there are and how a row is run is the driver's business. Errors are relative to the
// reference, in percent.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/emit/run.h"
#include "pimento/evaluate/report.h"

namespace pimento::cluster {
struct Sharing;
}

namespace pimento::emit {

/// Errors over the points of one kernel.
struct KernelErrors {
  std::string kernel;  ///< as the points name it
  std::int64_t rows = 0;
  std::int64_t exact = 0;  ///< rows without any difference
  double sumAbsErrorPct = 0, worstAbsErrorPct = 0;
  std::int64_t within15 = 0;  ///< rows with an error of at most 15 %
  std::int64_t within5 = 0;
  std::int64_t sameCounts = 0;  ///< rows whose counts are the reference's, where the suite compares them
  std::string worstRow;         ///< the first of the rows with the largest error
  /// The reference program's time over that of our compiled program.
  std::int64_t compared = 0;
  double leastSpeedup = 0, sumLogSpeedup = 0;

  /// Where an engine was asked for: how many rows were simulated, fast-forwarded, ..., and what that took.
  std::map<std::string, std::int64_t> ways;
  double seconds = 0;

  /// One more point, as SuiteResult::add, and how it was found.
  void add(double ours, double reference, std::string_view row);
  void addWay(std::string_view way, double took);

  double meanSpeedup() const;  ///< geometric; at least one row was compared

  double meanAbsErrorPct() const { return rows == 0 ? 0 : sumAbsErrorPct / static_cast<double>(rows); }
  double pct(std::int64_t n) const {
    return rows == 0 ? 0 : 100.0 * static_cast<double>(n) / static_cast<double>(rows);
  }
  double within15Pct() const { return pct(within15); }
  double within5Pct() const { return pct(within5); }
};

struct SuiteResult {
  std::string suite;
  std::int64_t points = 0;
  std::vector<KernelErrors> kernels;  ///< in order of first appearance
  std::vector<std::string> warnings;  ///< points that could not be run, say
  std::string engine;                 ///< that was asked for; empty: the suite's own
  bool comparesPrograms = false;      ///< the suite's reference programs are compared with ours: speedup_ours
  bool comparesCounts = false;        ///< counts are compared, too
  std::shared_ptr<const cluster::Sharing> sharing;  ///< of several ranks; else null

  /// One more point: ours against a reference other than 0; `row` says which, for readers.
  void add(std::string_view kernel, double ours, double reference, std::string_view row);
  /// The same point run by our own compiled program, so many times as fast as the reference program.
  void addSpeedup(std::string_view kernel, double speedup);
  /// The counts of the same point are the reference's.
  void addSameCounts(std::string_view kernel) { ++known(kernel).sameCounts; }
  /// How it was found ("simulated", "extrapolated", ...), and in what time.
  void addWay(std::string_view kernel, std::string_view way, double seconds);

 private:
  KernelErrors &known(std::string_view kernel);
};

/// One target of a comparison: its report, or why there is none.
struct ComparisonRow {
  std::string target;
  std::optional<evaluate::Report> report;
  Diagnostics diagnostics = {};     ///< errors; none where there is a report
  std::optional<RunText> run = {};  ///< what made it
  /// Over another row's target: its time, and its energy, by this one's. 0: none was named.
  double speedup = 0, efficiency = 0;
};

}  // namespace pimento::emit
