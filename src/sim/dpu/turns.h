// The order in which tasklets issue slots whose instructions were computed ahead of time, and how much of it is
// skipped.
//
// Tasklets in play issued once since their last event. When all of them issued once more, each the same number of
// cycles after its issue before, the order repeats with that period until one has an event or another joins.
#pragma once

#include <array>
#include <cstdint>

#include "pimento/sim/dpu/core.h"

namespace pimento::sim::dpu {

class Turns {
 public:
  /// Of a tasklet: computed, not yet issued.
  std::int64_t &slots(int tasklet) { return slots_[static_cast<std::size_t>(tasklet)]; }
  std::int64_t slots(int tasklet) const { return slots_[static_cast<std::size_t>(tasklet)]; }

  /// It issues now.
  void onIssue(int tasklet, std::int64_t now);
  /// What it issued is an event.
  void leave(int tasklet, std::int64_t now);
  /// Skips the turns that repeat, if any, with at most so many instructions. At least one slot of each tasklet stays.
  void skip(Core &core, std::int64_t mostInstructions);
  std::int64_t skipped() const { return skipped_; }

  /// In tests: without some of what this rests on.
  void weaken(const Weakening &weakening) { weakening_ = weakening; }

 private:
  bool leavesOut(RunPart part) const { return weakening_.leavesOut(part); }
  void skipTurns(Core &core, std::int64_t mostInstructions);

  std::array<std::int64_t, kMaxTasklets> slots_{}, issuedAt_{};
  std::uint32_t inPlay_ = 0;
  int players_ = 0;  ///< how many that are
  std::int64_t spacing_ = 0;
  int run_ = 0;                                       ///< issues in a row with that spacing
  std::int64_t lastIssue_ = 0, lastDisturbance_ = 0;  ///< cycles: of any issue; of one by a tasklet that joined or left
  std::int64_t skipped_ = 0;
  Weakening weakening_;
};

inline void Turns::onIssue(int tasklet, std::int64_t now) {
  std::int64_t &at = issuedAt_[static_cast<std::size_t>(tasklet)];
  const std::int64_t spacing = now - at;
  const std::uint32_t bit = 1U << tasklet;
  at = now;
  if ((inPlay_ & bit) == 0) {
    inPlay_ |= bit;
    ++players_;
    run_ = 0;
    lastDisturbance_ = now;
  } else if (run_ > 0 && (spacing == spacing_ || leavesOut(RunPart::kSpacing))) {
    ++run_;
  } else {
    spacing_ = spacing;
    run_ = 1;
  }
  lastIssue_ = now;
}

inline void Turns::leave(int tasklet, std::int64_t now) {
  const std::uint32_t bit = 1U << tasklet;
  if ((inPlay_ & bit) != 0) --players_;
  inPlay_ &= ~bit;
  run_ = 0;
  lastDisturbance_ = now;
}

inline void Turns::skip(Core &core, std::int64_t mostInstructions) {
  // One that issued last and alone: its order is known at once.
  if (players_ == 1 && run_ == 0 && issuedAt_[static_cast<std::size_t>(std::countr_zero(inPlay_))] == lastIssue_) {
    spacing_ = core.issue.interval();
    return skipTurns(core, mostInstructions);
  }
  if (run_ == 0 || run_ < players_) return;
  if (leavesOut(RunPart::kTurn) || lastIssue_ - spacing_ > lastDisturbance_) skipTurns(core, mostInstructions);
}

}  // namespace pimento::sim::dpu
