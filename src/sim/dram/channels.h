// The channels of a process, whatever the machine's controller and whoever feeds them: the one place that chooses among
// channel.h and fed_channels.h.
#pragma once

#include "pimento/sim/dram/bound.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/dram/fed_channels.h"

namespace pimento::sim::dram {

/// Who feeds the channels of a process.
struct Feed {
  bool isShared = false;  ///< one list for all of them; else each runs the loops
  int channels = 1;       ///< that share it

  /// Whether they are fed in order from one list. One channel with four queues is a list for one channel.
  bool isList(const ChannelSpec &spec) const { return isShared || spec.isFourQueues; }
};

/// `use(channels)` with the simulation of them, at its beginning. All must outlive it. The observer sees the first
/// channel.
template <typename Use>
auto withChannels(const ChannelSpec &spec, const program::FlatLoops &code, const Feed &feed, CommandObserver *observer,
                  Use &&use) {
  if (spec.isFourQueues) return use(FedChannelsOf<FourQueues>(spec, code, feed.channels, observer));
  if (feed.isShared) return use(FedChannelsOf<BarrierQueue>(spec, code, feed.channels, observer));
  return use(Channel(spec, code, observer));
}

/// No run takes less, and what every run counts at least.
inline ChannelBound lowerBoundOf(const ChannelSpec &spec, const program::FlatLoops &code, const Feed &feed) {
  return feed.isList(spec) ? lowerBoundOfList(spec, code, feed.channels) : lowerBound(spec, code);
}

}  // namespace pimento::sim::dram
