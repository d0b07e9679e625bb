// The softmax units of near-bank devices, one per channel: a buffer of bursts for results of the units beside the
// banks, accumulators that add up what several banks have of one result, and a softmax over a head's scores.
//
// Scores lie in stretches of whole entries, one stretch for each bank that has some of a head's, so the last entry of a
// stretch may be partly empty. The arithmetic is the interpreter's (kernel/scalar.h): every step rounds to the type of
// the scores, and exponentials are summed in the accumulators' type: 16 lanes by a balanced tree, entry after entry,
// from 0 on, stretch after stretch.
//
// Not here: time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/pim/lanes.h"

namespace pimento::sim::pim {

class NearBankDevice;

class SoftmaxUnits {
 public:
  /// `unit` must outlive it, and has a softmax unit.
  SoftmaxUnits(const machine::NearBankUnit &unit, int channels);

  /// What a head's scores are multiplied with, and how they lie.
  struct Settings {
    float scale = 1;
    std::int64_t scores = 0, perStretch = 1, stretches = 0;
  };
  Settings &settings(int channel) { return settings_[static_cast<std::size_t>(channel)]; }

  /// kLanes results onto those of an entry; an entry without results takes them as they are.
  void add(int channel, std::int64_t entry, const float *results);
  /// The scores from entry `first` on become weights, as the channel's settings say; empty lanes become 0.
  void run(int channel, std::int64_t first);
  /// An entry in the units' type.
  void copy(int channel, std::int64_t entry, Half *to);
  /// There are no results in it any more.
  void empty(int channel, std::int64_t entry) { hasResults_[at(channel, entry)] = false; }

 private:
  std::size_t at(int channel, std::int64_t entry) const;
  float *lanes(int channel, std::int64_t entry) { return &values_[at(channel, entry) * kLanes]; }
  template <typename Visit>
  void forEachEntry(int channel, std::int64_t first, const Visit &visit);

  const machine::NearBankUnit *unit_;
  const machine::SoftmaxUnit *softmax_;
  std::vector<float> values_;
  std::vector<bool> hasResults_;
  std::vector<Settings> settings_;
};

/// What the command of a role does to data.
struct SoftmaxEffect {
  int machine::SoftmaxUnit::*command;
  void (*apply)(NearBankDevice &device, const dram::IssuedCommand &c);
};

/// By role of section `near_bank.softmax`:
///   move         the accumulators of each of its banks, rounded, onto entry `row`; then they are 0
///   set          halves of a burst: the scale's bits, scores, scores per stretch, stretches
///   run          the softmax over the scores from entry `row` on
///   load(_all)   entry `row`, in the units' type, to buffer entry `column` of each of its banks
///   read         entry `row`, in the type of results, as result burst `burst`; then it is empty
std::span<const SoftmaxEffect> softmaxEffects();

}  // namespace pimento::sim::pim
