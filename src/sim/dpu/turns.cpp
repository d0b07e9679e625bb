#include "pimento/sim/dpu/turns.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dpu {

void Turns::skipTurns(Core &core, std::int64_t mostInstructions) {
  Issue &issue = core.issue;
  // One period ago the same tasklets were as far from their next issue as now, and the same one had issued last.
  const std::int64_t players = players_, period = spacing_;
  std::int64_t times = players == 0 ? 0 : mostInstructions / players;
  for (int id = 0; id < kMaxTasklets; ++id) {
    const auto t = static_cast<std::size_t>(id);
    const bool isRunning = core.status[t] == Status::kRunning;
    if (((inPlay_ >> id) & 1) != 0) {
      if (issuedAt_[t] < issue.now() - period) return;  // another issued twice meanwhile
      times = std::min(times, slots_[t] - 1);
    } else if (isRunning && !leavesOut(RunPart::kWaits)) {
      times = std::min(times, (issue.due(id) - issue.now()) / period);
    }
  }
  run_ = 0;  // look again after a whole turn
  if (times <= 0) return;
  issue.skip(times * period, times * (period - players));
  skipped_ += times * period;
  core.issued += times * players;
  for (std::uint32_t left = inPlay_; left != 0; left &= left - 1) {
    const auto t = static_cast<std::size_t>(std::countr_zero(left));
    slots_[t] -= times;
    issuedAt_[t] += times * period;
  }
  lastIssue_ += times * period;
}

}  // namespace pimento::sim::dpu
