// When refreshes of a channel fall due: rank after rank through the interval, or all together at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pimento/sim/dram/spec.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dram {

/// A copy is a snapshot.
class RefreshSchedule {
 public:
  RefreshSchedule(const ChannelSpec &spec, bool isTogether) : interval_(spec.refreshInterval) {
    if (!spec.hasRefresh) return;
    const int entries = isTogether ? 1 : spec.device.ranks;
    for (int r = 0; r < entries; ++r) due_.push_back(interval_ / entries * (r + 1));
    findNext();
  }

  /// kNever: none will.
  Tick next() const { return next_; }
  /// The entries that are due at `t`, one bit each, which fall due again an interval later.
  std::uint64_t take(Tick t) {
    std::uint64_t entries = 0;
    for (std::size_t r = 0; r < due_.size(); ++r) {
      if (due_[r] > t) continue;
      due_[r] += interval_;
      entries |= std::uint64_t{1} << r;
    }
    findNext();
    return entries;
  }

  void encode(Tick now, StateWords &out) const {
    for (const Tick due : due_) out.put(due - now);
  }
  void restore(Tick now, StateReader &in) {
    if (due_.empty()) return;
    for (Tick &due : due_) due = now + in.get();
    findNext();
  }
  /// All have just been taken.
  void restart(Tick now) {
    for (Tick &due : due_) due = now + interval_;
    findNext();
  }

 private:
  void findNext() { next_ = due_.empty() ? kNever : *std::min_element(due_.begin(), due_.end()); }

  Tick interval_;
  std::vector<Tick> due_;
  Tick next_ = kNever;
};

}  // namespace pimento::sim::dram
