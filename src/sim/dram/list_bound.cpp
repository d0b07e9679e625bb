#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/sim/dram/bound.h"

namespace pimento::sim::dram {

namespace {

/// The wait that a command imposes on its like in the whole channel.
Tick distanceInChannel(const ChannelSpec &spec, int command) {
  Tick most = 1;
  for (const DeviceSpec::Consequence &c : spec.device.consequences[static_cast<std::size_t>(command)])
    if (c.level == static_cast<int>(machine::ScopeLevel::kChannel) && c.following == command)
      most = std::max<Tick>(most, c.latency);
  return most;
}

}  // namespace

ChannelBound lowerBoundOfList(const ChannelSpec &spec, const program::FlatLoops &code, int channels) {
  const auto kinds = static_cast<std::size_t>(spec.device.commands);
  std::vector<std::vector<std::int64_t>> issued(static_cast<std::size_t>(channels), std::vector<std::int64_t>(kinds));
  for (const program::FlatLoops::FlatCommand &f : code.commands()) {
    const int op = f.origin.op;
    if ((spec.isFourQueues && op == spec.read) || spec.rules[static_cast<std::size_t>(op)].isBarrier) continue;
    std::int64_t times = 1;
    for (int d = 0; d < f.depth; ++d)
      times =
          multiplySaturated(times, code.loops()[static_cast<std::size_t>(f.loops[static_cast<std::size_t>(d)])].trip);
    const program::Channels &to = f.command.channels;
    for (int i = 0; i < (to.count == 0 ? channels : to.count); ++i) {
      std::int64_t &n =
          issued[static_cast<std::size_t>((to.first + i * to.step) % channels)][static_cast<std::size_t>(op)];
      n = addSaturated(n, times);
    }
  }
  ChannelBound bound;
  for (const std::vector<std::int64_t> &of : issued) {
    std::int64_t columns = 0;
    for (std::size_t op = 0; op < kinds; ++op) {
      columns = addSaturated(columns, of[op]);
      if (of[op] == 0) continue;
      const Tick apart = distanceInChannel(spec, static_cast<int>(op));
      bound.cycles = std::max(bound.cycles, Cycles(addSaturated(multiplySaturated(of[op] - 1, apart), 1)));
    }
    bound.counts.columns = addSaturated(bound.counts.columns, columns);
    bound.cycles = std::max(bound.cycles, Cycles(columns));
  }
  return bound;
}

}  // namespace pimento::sim::dram
