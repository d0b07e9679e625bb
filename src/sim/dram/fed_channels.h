// Channels fed from one list of commands, in order: the first command that its channel refuses holds up all channels
// until the next cycle. Their controllers (channel_core.h) are alike.
//
// Channels whose requests and times have been the same so far are one group, simulated once. A command that goes to
// some of a group, or a refusal between two of its channels, splits it; groups whose states have become equal join
// again. So what is simulated once is what provably is the same. One channel with a list of its own is a list for one
// channel.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/sim/dram/barrier_queue.h"
#include "pimento/sim/dram/channel.h"
#include "pimento/sim/dram/crossings.h"
#include "pimento/sim/dram/four_queues.h"
#include "pimento/sim/dram/refresh_schedule.h"
#include "pimento/sim/dram/source.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::dram {

/// What a run does in what order: a simulation for sim::FastForward. A copy is a snapshot.
template <typename Controller>
class FedChannelsOf {
 public:
  static constexpr bool kMemoisesIterations = true;
  static constexpr int kRememberedStates = 4;
  static constexpr int kMostChannels = 64;
  static constexpr Tick kShortestPause = 32, kLongestPause = 1024;

  /// `spec`, `code` and `observer` must outlive it. The observer sees the first channel. `channels`: at most
  /// kMostChannels.
  FedChannelsOf(const ChannelSpec &spec, const program::FlatLoops &code, int channels,
                CommandObserver *observer = nullptr);

  Checkpoint run();
  Tick now() const { return t_; }

  using Counts = ChannelCounts;
  using Position = program::LoopsCursor;
  /// Parts of the state: where the list is, which channels are alike, and which have the next command already; those of
  /// the controllers, one behind the other; the time to the next refreshes. Where refreshes fall due together, events
  /// are at multiples of their interval, and no time to the next one needs to be told.
  static constexpr auto kParts = [] {
    if constexpr (Controller::kRefreshesTogether)
      return partNames<Controller, 1, 0>({"process"}, {});
    else
      return partNames<Controller, 1, 1>({"process"}, {"countdowns"});
  }();
  static constexpr int kCountdowns = Controller::kRefreshesTogether ? -1 : static_cast<int>(kParts.size()) - 1;

  Tick nextEvent() const { return refreshes_.next(); }
  static constexpr int processes() { return 1; }
  const program::LoopsCursor &position(int /*process*/) const { return source_.position(); }
  bool repeatsAt(int loop, std::int64_t from, std::int64_t to, std::int64_t at) const {
    return crossings_.repeatsAt(loop, from, to, at);
  }
  std::int64_t stepsAlike(int loop, std::int64_t step, std::int64_t at) const {
    return crossings_.stepsAlike(loop, step, at);
  }
  /// Of all channels together.
  ChannelCounts counts() const;
  void setCounts(const ChannelCounts &counts);
  void encode(StateWords &out) const;
  void restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now, bool withCountdowns);
  /// The latest that one of them knows (progress).
  Tick completion() const;
  void setCompletion(Tick t);
  bool isStarved() const;

  /// The cycles in which it takes these commands for the first time: numbers of commands, ascending, outside of loops
  /// that run more than once (so that no skip passes them). No part of the state: they decide nothing.
  void watch(std::vector<int> commands) { watched_ = std::move(commands); }
  const std::vector<Tick> &taken() const { return taken_; }

  /// When the last channel has done everything.
  Cycles cycles() const;
  /// Groups that are simulated now.
  int groups() const { return static_cast<int>(groups_.size()); }

 private:
  using Mask = std::uint64_t;
  struct Group {
    Mask channels = 0;
    Controller queues;
  };

  Mask maskOf(const program::Channels &c) const;
  void feed();
  void take(Group &g, const program::Transaction &t);
  bool deliver(const program::Transaction &t);
  std::optional<bool> deliverToGroups(const program::Transaction &t, Mask to);
  bool deliverInOrder(const program::Transaction &t, const program::Channels &to);
  bool isWorthCheckpointHere(int loop) const;
  void encodeLoops(StateWords &out) const;
  void split(std::size_t group, Mask apart);
  void join();
  void joinSoon();
  Tick nextTime() const;
  bool isDone() const;

  const ChannelSpec *spec_;
  int channels_;
  CommandObserver *observer_;
  LoopsSource source_;
  Crossings crossings_;
  std::vector<Group> groups_;
  RefreshSchedule refreshes_;
  Mask served_ = 0;                               // channels that have the next command already
  Tick joinAt_ = 0, joinPause_ = kShortestPause;  // when groups are compared next, and how long after the last time
  Tick t_ = 1;
  int crossed_ = -1;         // loop whose iteration the last commands completed
  std::vector<Mask> masks_;  // by command: the channels that it goes to
  ChannelCounts apart_;      // counted, but by no group
  std::vector<int> watched_;
  std::vector<Tick> taken_;  // of those
};

using FedChannels = FedChannelsOf<FourQueues>;

extern template class FedChannelsOf<FourQueues>;
extern template class FedChannelsOf<BarrierQueue>;

}  // namespace pimento::sim::dram
