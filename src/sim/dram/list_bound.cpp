#include <algorithm>

#include "pimento/base/integer.h"
#include "pimento/sim/dram/bound.h"

namespace pimento::sim::dram {

namespace {

/// The wait that a command of such a length imposes on its like in the whole channel.
Tick distanceInChannel(const ChannelSpec &spec, int command, std::int32_t length) {
  Tick most = 1;
  for (const DeviceSpec::Consequence &c : spec.device.consequences[static_cast<std::size_t>(command)])
    if (c.level == static_cast<int>(machine::ScopeLevel::kChannel) && c.following == command)
      most = std::max<Tick>(most, c.latency + Tick{c.perLength} * length);
  return most;
}

/// Commands of one kind in a channel, and the waits that they impose on each other.
struct Kind {
  std::int64_t commands = 0, waits = 0, longest = 0;
};

}  // namespace

ChannelBound lowerBoundOfList(const ChannelSpec &spec, const program::FlatLoops &code, int channels) {
  const auto kinds = static_cast<std::size_t>(spec.device.commands);
  std::vector<std::vector<Kind>> issued(static_cast<std::size_t>(channels), std::vector<Kind>(kinds));
  for (const program::FlatLoops::FlatCommand &f : code.commands()) {
    const int op = f.origin.op;
    if ((spec.isFourQueues && op == spec.read) || spec.rules[static_cast<std::size_t>(op)].isBarrier) continue;
    std::int64_t times = 1;
    for (int d = 0; d < f.depth; ++d)
      times =
          multiplySaturated(times, code.loops()[static_cast<std::size_t>(f.loops[static_cast<std::size_t>(d)])].trip);
    const Tick apart = distanceInChannel(spec, op, f.command.length);
    const program::Channels &to = f.command.channels;
    for (int i = 0; i < (to.count == 0 ? channels : to.count); ++i) {
      Kind &k = issued[static_cast<std::size_t>((to.first + i * to.step) % channels)][static_cast<std::size_t>(op)];
      k.commands = addSaturated(k.commands, times);
      k.waits = addSaturated(k.waits, multiplySaturated(times, apart));
      k.longest = std::max<std::int64_t>(k.longest, apart);
    }
  }
  ChannelBound bound;
  for (const std::vector<Kind> &of : issued) {
    std::int64_t columns = 0;
    for (const Kind &k : of) {
      columns = addSaturated(columns, k.commands);
      if (k.commands > 0) bound.cycles = std::max(bound.cycles, Cycles(k.waits - k.longest + 1));  // whichever is last
    }
    bound.counts.columns = addSaturated(bound.counts.columns, columns);
    bound.cycles = std::max(bound.cycles, Cycles(columns));
  }
  return bound;
}

}  // namespace pimento::sim::dram
