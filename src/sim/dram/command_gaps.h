// Where the cycles of a channel with four queues went: the times between its commands, each filed under what ended it.
//
// An observer. A command that issues some cycles after the one before it ended that gap: either a constraint with an
// earlier command held it back until just then, or its request, or its turn, came then. All gaps add up to the cycles
// up to the last command. Not a critical path: what a shorter wait would save depends on the other channels, too.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::sim::dram {

class CommandGaps final : public CommandObserver {
 public:
  /// Of a command's row of the table, ended by a constraint (-1: by none).
  struct Key {
    int command = -1, constraint = -1;
    auto operator<=>(const Key &) const = default;
  };
  struct Sum {
    std::int64_t count = 0, cycles = 0;
  };

  /// Both must outlive it.
  CommandGaps(const machine::Dram &dram, const ChannelSpec &spec);

  void onCommand(const IssuedCommand &command) override;
  const std::map<Key, Sum> &sums() const { return sums_; }
  Tick last() const { return last_; }

 private:
  int causeOf(const IssuedCommand &c) const;
  int nodeOf(machine::ScopeLevel level, int bank) const;
  /// Banks whose constraints it obeys and starts.
  std::pair<int, int> banksOf(const IssuedCommand &c) const;

  const machine::Dram *dram_;
  const ChannelSpec *spec_;
  std::vector<Tick> issued_;                // node * commands + command: when it last did
  std::vector<std::int32_t> lengths_;       // likewise: how long that one was
  std::vector<std::vector<Tick>> windows_;  // constraint * nodes + node: the last ones that it counts
  std::map<Key, Sum> sums_;
  Tick last_ = 0;
};

}  // namespace pimento::sim::dram
