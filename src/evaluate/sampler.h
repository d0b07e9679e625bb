// Runs parts of a stream on a profiler, and estimates the whole from them (SMARTS: Wunderlich et al., ISCA 2003).
//
// The stream's first instructions are all run. What follows is divided into periods of equal length; in each one
// window, at a random place, is run, and between windows blocks only warm caches and predictors. A window's first
// instructions fill the core, and are not measured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/evaluate/profile.h"

namespace pimento::evaluate {

/// In instructions; a period has room for a window.
struct SamplePlan {
  std::int64_t lead = 1'000'000, period = 100'000, fill = 2'000, measured = 1'000;
};

class Sampler final : public trace::Consumer {
 public:
  /// `profiler` outlives this.
  Sampler(Profiler &profiler, const SamplePlan &plan, std::uint64_t seed);

  void onStart(const trace::Program &program, bool hasValues) override { profiler_.onStart(program, hasValues); }
  void onBlock(const trace::Block &block, int count, std::span<const trace::Access> accesses) override;
  void onEnd() override;

  std::int64_t windows() const { return static_cast<std::int64_t>(cpis_.size()); }
  /// The profiler's numbers for the whole stream, with an interval of its cycles: none where fewer than two windows
  /// were run, of no width where all was run.
  Profile profile() const;

 private:
  enum class State : std::uint8_t { kLead, kWarm, kFill, kMeasure };

  /// Puts the window of the next period.
  void place();
  void endLead();
  void endWindow();

  Profiler &profiler_;
  SamplePlan plan_;
  Rng random_;
  State state_ = State::kLead;
  std::int64_t instructions_ = 0;  ///< so far
  std::int64_t period_;            ///< first instruction of the period behind the window's
  std::int64_t begin_ = 0;         ///< of the window
  std::optional<Profile> lead_;    ///< of the instructions that are all run
  Profiler::Progress from_;        ///< where the measured part of the window began
  std::vector<double> cpis_;
};

}  // namespace pimento::evaluate
