#include "pimento/sim/core/predictor.h"

#include <algorithm>

namespace pimento::sim::core {

namespace {

constexpr std::uint8_t kMost = 3, kTaken = 2;

/// Instructions lie at multiples of 2.
std::uint64_t indexOf(std::uint64_t address) {
  return address >> 1;
}

}  // namespace

Predictor::Predictor(const machine::Core &core)
    : core_(core),
      counters_(static_cast<std::size_t>(core.predictorEntries), std::uint8_t{1}),
      historyMask_(core.predictor == machine::Core::Predictor::kGshare ? (std::uint64_t{1} << core.historyBits) - 1
                                                                       : 0),
      targets_(static_cast<std::size_t>(core.btbEntries)),
      setMask_(targets_.size() / static_cast<std::size_t>(core.btbWays) - 1) {}

bool Predictor::guessDirection(std::uint64_t address, bool isTaken) {
  std::uint8_t &counter =
      counters_[static_cast<std::size_t>(indexOf(address) ^ (history_ & historyMask_)) & (counters_.size() - 1)];
  const bool guess = counter >= kTaken;
  if (isTaken && counter < kMost) ++counter;
  if (!isTaken && counter > 0) --counter;
  history_ = history_ << 1 | (isTaken ? 1U : 0U);
  return guess;
}

std::uint64_t Predictor::guessTarget(std::uint64_t address, std::uint64_t target, bool isTaken) {
  const auto ways = static_cast<std::size_t>(core_.btbWays);
  const std::size_t set = static_cast<std::size_t>(indexOf(address)) & setMask_;
  const auto begin = targets_.begin() + static_cast<std::ptrdiff_t>(set * ways), end = begin + core_.btbWays;
  auto found = std::find_if(begin, end, [&](const Target &t) { return t.address == address; });
  const std::uint64_t guess = found == end ? 0 : found->target;
  if (isTaken) {
    if (found == end)
      found = std::min_element(begin, end, [](const Target &a, const Target &b) { return a.used < b.used; });
    *found = {address, target, ++clock_};
  }
  return guess;
}

Guess Predictor::branch(const trace::Instruction &branch, std::uint64_t next) {
  using enum trace::Operation;
  const std::uint64_t after = branch.address + branch.bytes;
  const bool isTaken = next != after;
  const bool isGuessedTaken = !branch.isConditional || guessDirection(branch.address, isTaken);
  std::uint64_t guess = guessTarget(branch.address, next, isTaken);
  if (branch.operation == kReturn && !returns_.empty()) {
    guess = returns_.back();
    returns_.pop_back();
  }
  if ((branch.operation == kCall || branch.operation == kIndirectCall) && isTaken && core_.returnStack > 0) {
    if (returns_.size() == static_cast<std::size_t>(core_.returnStack)) returns_.erase(returns_.begin());
    returns_.push_back(after);
  }
  if (isGuessedTaken != isTaken) return Guess::kWrong;
  if (!isTaken || guess == next) return Guess::kRight;
  const bool isDirect = branch.operation == kBranch || branch.operation == kCall;
  return isDirect ? Guess::kLateTarget : Guess::kWrong;
}

}  // namespace pimento::sim::core
