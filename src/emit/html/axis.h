// Axes of charts: from values to places, with ticks at round numbers and a title that names the unit.
#pragma once

#include <string>
#include <vector>

#include "pimento/emit/html/text.h"

namespace pimento::emit::html {

struct Tick {
  double at = 0;  ///< in [0, 1]
  std::string label;
};

/// A linear axis from 0, a linear axis around its values, a logarithmic one, or one of named places.
class Axis {
 public:
  /// Linear from 0 to at least `largest`, with about `ticks` ticks.
  static Axis fromZero(std::string_view what, Quantity quantity, double largest, int ticks);
  /// From the smallest to the largest of `values`: logarithmic where all are positive and they span a factor of 20,
  /// linear otherwise, with some room at both ends.
  static Axis around(std::string_view what, Quantity quantity, const std::vector<double> &values, int ticks);
  /// Linear from `low` to `high`, a position rather than a measure.
  static Axis range(std::string_view what, Quantity quantity, double low, double high, int ticks);
  /// One place per name, in the middle of equal parts.
  static Axis named(std::string_view what, const std::vector<std::string> &names, int ticks);

  /// Where `value` is, in [0, 1]; for named axes the value is the number of the name.
  double place(double value) const;

  /// "time (µs)"; of a logarithmic axis "time (µs, logarithmic)".
  const std::string &title() const { return title_; }
  const std::vector<Tick> &ticks() const { return ticks_; }
  bool isLog() const { return isLog_; }
  double low() const { return low_; }    ///< in the axis' own unit
  double high() const { return high_; }  ///< in the axis' own unit
  double factor() const { return factor_; }

 private:
  void name(std::string_view what, const std::string &unit);
  void linearTicks(int ticks);
  void logTicks(int ticks);
  void tick(double value);

  double low_ = 0, high_ = 1, factor_ = 1;
  bool isLog_ = false;
  std::string title_;
  std::vector<Tick> ticks_;
};

}  // namespace pimento::emit::html
