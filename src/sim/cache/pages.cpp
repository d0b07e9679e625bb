#include "pimento/sim/cache/pages.h"

#include <bit>
#include <numeric>
#include <utility>

namespace pimento::sim::cache {

Pages::Pages(const machine::Machine &machine) {
  const auto policy = machine.words.find("pages.policy");
  if (policy == machine.words.end() || policy->second == "identity") return;
  const auto number = [&](const char *path) {
    const auto found = machine.numbers.find(path);
    return found == machine.numbers.end() ? 0 : static_cast<std::uint64_t>(found->second.canonical);
  };
  isIdentity_ = false;
  isRandom_ = policy->second == "random";
  shift_ = std::countr_zero(number("pages.size"));
  const machine::Organization &o = machine.dram->organization;
  const std::int64_t bytes = o.channels * o.ranks * o.banks() * o.rows * o.columns * o.burst.value;
  frames_ = static_cast<std::uint64_t>(bytes) >> shift_;
  rng_ = Rng(number("pages.seed"));
  if (!isRandom_) return;
  order_.resize(static_cast<std::size_t>(frames_));
  std::iota(order_.begin(), order_.end(), 0U);
}

std::uint64_t Pages::frameOf(std::uint64_t page) {
  const auto [found, isNew] = frameOf_.try_emplace(page, 0);
  if (!isNew) return found->second;
  const std::uint64_t place = used_ % frames_;
  // The next of a shuffle that is made as it is used.
  if (isRandom_ && used_ < frames_)
    std::swap(order_[static_cast<std::size_t>(place)],
              order_[static_cast<std::size_t>(place + rng_.below(frames_ - place))]);
  ++used_;
  found->second = isRandom_ ? order_[static_cast<std::size_t>(place)] : place;
  if (moves_ != nullptr) moves_->onFrame(page << shift_, found->second << shift_, std::uint64_t{1} << shift_);
  return found->second;
}

}  // namespace pimento::sim::cache
