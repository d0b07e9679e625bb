#include "pimento/sim/dpu/turns.h"

#include <algorithm>
#include <bit>

namespace pimento::sim::dpu {

namespace {

constexpr std::int64_t kWorthwhile = 3;  // turns: fewer are issued faster than skipped

}  // namespace

void Turns::skipTurns(Core &core, std::int64_t mostInstructions) {
  Issue &issue = core.issue;
  // One period ago the same tasklets were as far from their next issue as now, and the same one had issued last.
  const std::int64_t players = players_, period = spacing_;
  run_ = 0;  // look again after a whole turn
  constexpr std::int64_t kNoLimit = INT64_MAX;
  std::int64_t times = kNoLimit;
  std::uint32_t spinners = 0;
  for (std::uint32_t left = inPlay_; left != 0; left &= left - 1) {
    const auto t = static_cast<std::size_t>(std::countr_zero(left));
    if (issuedAt_[t] < issue.now() - period) return;  // another issued twice meanwhile
    if (slots_[t] == 0 && core.failsAgain(static_cast<int>(t)))
      spinners |= 1U << t;
    else
      times = std::min(times, slots_[t] - 1);
  }
  if (times < kWorthwhile) return;
  std::int64_t wait = kNoLimit;
  for (std::uint32_t left = core.running & ~inPlay_; left != 0 && !leavesOut(RunPart::kWaits); left &= left - 1)
    wait = std::min(wait, issue.due(std::countr_zero(left)) - issue.now());
  if (wait < kWorthwhile * period) return;
  if (wait != kNoLimit) times = std::min(times, wait / period);
  if (times == kNoLimit) return;  // all spin
  if (mostInstructions / players < times) times = mostInstructions / players;
  if (times <= 0) return;
  issue.skip(times * period, times * (period - players));
  skipped_ += times * period;
  core.issued += times * players;
  for (std::uint32_t left = inPlay_; left != 0; left &= left - 1) {
    const int t = std::countr_zero(left);
    if (((spinners >> t) & 1) != 0)
      core.failAgain(t, times);
    else
      slots(t) -= times;
    issuedAt_[static_cast<std::size_t>(t)] += times * period;
  }
  lastIssue_ += times * period;
}

}  // namespace pimento::sim::dpu
