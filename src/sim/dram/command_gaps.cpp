#include "pimento/sim/dram/command_gaps.h"

#include <algorithm>

namespace pimento::sim::dram {

using machine::ScopeLevel;
using machine::TimingConstraint;

namespace {

constexpr Tick kLongAgo = -kNever;

bool names(const std::vector<int> &commands, int command) {
  return std::find(commands.begin(), commands.end(), command) != commands.end();
}

}  // namespace

CommandGaps::CommandGaps(const machine::Dram &dram, const ChannelSpec &spec)
    : dram_(&dram),
      spec_(&spec),
      issued_(static_cast<std::size_t>(spec.device.allNodes * spec.device.commands), kLongAgo),
      lengths_(issued_.size()),
      windows_(dram.constraints.size() * static_cast<std::size_t>(spec.device.allNodes)) {}

int CommandGaps::nodeOf(ScopeLevel level, int bank) const {
  return spec_->device.nodeOfBank[static_cast<std::size_t>(level)][static_cast<std::size_t>(bank)];
}

std::pair<int, int> CommandGaps::banksOf(const IssuedCommand &c) const {
  const int width = spec_->device.namedBankOnly ? 1 : spec_->device.width[static_cast<std::size_t>(c.op)];
  const int first = c.bank / width * width;
  return {first, first + width};
}

int CommandGaps::causeOf(const IssuedCommand &c) const {
  const auto [first, end] = banksOf(c);
  for (std::size_t i = 0; i < dram_->constraints.size(); ++i) {
    const TimingConstraint &rule = dram_->constraints[i];
    if (!names(rule.following, c.op)) continue;
    for (int b = first; b < end; ++b) {
      const int node = nodeOf(rule.level, b);
      if (rule.window > 1) {
        const auto &times =
            windows_[i * static_cast<std::size_t>(spec_->device.allNodes) + static_cast<std::size_t>(node)];
        if (static_cast<int>(times.size()) == rule.window && times.front() + rule.latency.value == c.time)
          return static_cast<int>(i);
        continue;
      }
      for (const int p : rule.preceding) {
        const auto at = static_cast<std::size_t>(node * spec_->device.commands + p);
        if (issued_[at] + rule.after(lengths_[at]) == c.time) return static_cast<int>(i);
      }
    }
  }
  return -1;
}

void CommandGaps::onCommand(const IssuedCommand &c) {
  if (c.time > last_) {
    Sum &sum = sums_[{c.op, causeOf(c)}];
    ++sum.count;
    sum.cycles += c.time - last_;
    last_ = c.time;
  }
  const auto [first, end] = banksOf(c);
  for (int b = first; b < end; ++b)
    for (std::size_t level = 0; level < DeviceSpec::kLevels; ++level) {
      const auto at =
          static_cast<std::size_t>(nodeOf(static_cast<ScopeLevel>(level), b) * spec_->device.commands + c.op);
      issued_[at] = c.time;
      lengths_[at] = c.command != nullptr ? c.command->length : 0;
    }
  for (std::size_t i = 0; i < dram_->constraints.size(); ++i) {
    const TimingConstraint &rule = dram_->constraints[i];
    if (rule.window <= 1 || !names(rule.preceding, c.op)) continue;
    const int node = nodeOf(rule.level, c.bank);
    auto &times = windows_[i * static_cast<std::size_t>(spec_->device.allNodes) + static_cast<std::size_t>(node)];
    times.push_back(c.time);
    if (static_cast<int>(times.size()) > rule.window) times.erase(times.begin());
  }
}

}  // namespace pimento::sim::dram
