// Which rounds of a loop are timed where data decide the time of each, and how far the sum of all is known then.
//
// One round of each stretch, drawn at random, stands for its stretch (stratified sampling). Much settles in the first
// rounds: the first stretches have one round, two more reach a sixteenth of the way, the others are equal.
#pragma once

#include <cstdint>
#include <vector>

#include "pimento/base/units.h"

namespace pimento::evaluate {

class RoundSample {
 public:
  static constexpr std::int64_t kStretches = 12;  ///< rounds that are timed, or all where there are fewer

  explicit RoundSample(std::int64_t rounds);

  /// Goes to the next round. For how many it stands, itself included; 0: it is not timed.
  std::int64_t next();
  /// What the round that `next` went to took.
  void add(Cycles cycles) { cycles_.push_back(cycles); }

  /// The sum of all rounds is within so many cycles of that of the timed ones, each times what it stands for, with the
  /// confidence `level`. The spread within a stretch is taken from the rounds timed before and after it, so that a
  /// drift along the rounds widens it.
  Cycles margin(double level) const;

 private:
  struct Stretch {
    std::int64_t rounds = 0;
    std::int64_t timed = 0;  ///< number of a round
  };

  std::vector<Stretch> stretches_;
  std::int64_t at_ = -1;
  std::size_t nextStretch_ = 0;
  std::vector<Cycles> cycles_;  ///< of the timed rounds
};

}  // namespace pimento::evaluate
