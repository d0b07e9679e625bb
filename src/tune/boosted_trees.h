// Gradient-boosted regression trees: XGBoost, by its C interface.
//
// The library (libxgboost.so.0 of Debian's libxgboost0, or the file that
// PIMENTO_XGBOOST names; 1.7 or later) is loaded when it is first asked for, so nothing
// else needs it. Its threads wait without spinning (OMP_WAIT_POLICY=passive unless the environment says otherwise),
// and each call uses one of them: with busy cores several are slower than one. Results are then the same on every
// machine.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::tune {

/// Rows of equal length; NaN: a value that is not there.
struct Table {
  std::size_t columns = 0;
  std::vector<float> values;  ///< row by row

  std::size_t rows() const { return columns == 0 ? 0 : values.size() / columns; }
  std::span<const float> row(std::size_t i) const { return {values.data() + i * columns, columns}; }
  void add(std::span<const float> row) { values.insert(values.end(), row.begin(), row.end()); }
};

class BoostedTrees {
 public:
  /// Fits `rounds` trees to one label per row. Diagnostics: predictor-library (it is not installed),
  /// predictor-failed (it reports an error).
  static Result<BoostedTrees> fit(const Table &rows, std::span<const float> labels, int rounds);
  /// Trees that bytes() gave. Diagnostics: those of fit.
  static Result<BoostedTrees> read(std::string_view bytes);

  /// Further trees, fitted to what the present ones leave of other labels.
  Status refine(const Table &rows, std::span<const float> labels, int rounds);
  /// A value per row, with `jobs` threads.
  Result<std::vector<float>> predict(const Table &rows, int jobs) const;
  Result<std::string> bytes() const;

 private:
  struct Booster;
  explicit BoostedTrees(std::shared_ptr<Booster> booster) : booster_(std::move(booster)) {}

  std::shared_ptr<Booster> booster_;
};

}  // namespace pimento::tune
