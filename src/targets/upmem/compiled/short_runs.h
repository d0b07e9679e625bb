// Short runs of a compiled program: one tasklet with few values of each dim, and others with nothing to do.
//
// What bounds (least.h) and guesses (likely.h) are made of. Runs are kept in a Cache: mappings of one structure share
// them. Machines are without refreshes here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pimento/base/cache.h"
#include "pimento/kernel/data.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"
#include "pimento/targets/upmem/compiled/layout.h"

namespace pimento::targets::upmem::compiled {

/// A number per dim.
using Sizes = std::vector<std::int64_t>;
using ImagePtr = std::shared_ptr<const sim::dpu::Image>;

/// What a run did: cycles, ticks of the engine, counts. Instructions are without failed attempts: who comes to a
/// barrier when decides how often its lock is asked for.
using Work = std::vector<std::int64_t>;
inline constexpr std::size_t kCycles = 0, kTicks = 1, kCounts = 2, kInstructions = kCounts;

std::int64_t pointsOf(const Sizes &sizes);

/// Do all points take the same on constants? Not where the index is a factor, nor where what was computed before
/// decides: the product of so many, the exponent of a floating-point sum, the step before in a sequential dim.
bool isSteady(const kernel::Kernel &kernel);
/// And do they take the same on average where operands are independent?
bool isSteadyOnAverage(const kernel::Kernel &kernel);

/// What is known of operands that decide the time.
struct KnownValues {
  std::optional<double> constant = {};       ///< of all
  const kernel::DataSpec *random = nullptr;  ///< else how they are made; null: not known
};

class ShortRuns {
 public:
  /// `constant`: what all operands hold; nothing: they are not known, and programs whose time they decide have no runs.
  ShortRuns(const Plan &plan, const ImagePtr &image, const machine::Dpu &machine, Cache &cache,
            std::optional<double> constant);

  /// The tasklet has so many values of each dim. What a product with a range takes hangs on its bits, so ranges of all
  /// short runs are equal, and no larger than the mapping's. Nothing: unknown values decide, or a fault.
  std::optional<Work> run(const Sizes &sizes) const;

  /// What a point issues more on random values than on the constant: the mean of some runs, and how far the mean of
  /// many may be from it.
  struct Extra {
    double mean = 0, margin = 0;
  };
  std::optional<Extra> extraOn(const kernel::DataSpec &values) const;
  /// The same, measured anew.
  std::optional<Extra> measureExtra(const kernel::DataSpec &values) const;

  /// Tiles that runs have of a dim at most.
  static constexpr std::int64_t kMostTiles = 5;

 private:
  std::optional<std::int64_t> instructionsOnRandom(const Sizes &sizes, const kernel::DataSpec &values,
                                                   int number) const;
  std::optional<Work> runNow(const program::Code::Segment &arguments) const;
  Sizes ranges() const;
  sim::dpu::Dpu fresh() const;
  template <typename T>
  void addToKey(const T &x) {
    key_.append(reinterpret_cast<const char *>(&x), sizeof x);
  }

  const Plan &plan_;
  const Scheme &scheme_;
  ImagePtr image_;
  machine::Dpu machine_;  // without refreshes
  Cache &cache_;
  std::optional<double> constant_;
  std::string key_;
  mutable std::optional<sim::dpu::Dpu> fresh_;  // what runs begin with
};

}  // namespace pimento::targets::upmem::compiled
