// Channels with four queues each, fed from one list of commands, in order: the first command that its channel refuses
// holds up all channels until the next cycle.
//
// Channels whose requests and times have been the same so far are one group, simulated once. A command that goes to
// some of a group, or a refusal between two of its channels, splits it; groups whose states have become equal join
// again. So what is simulated once is what provably is the same. One channel with a list of its own is a list for one
// channel.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pimento/sim/dram/four_queues.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::dram {

/// What a run does in what order: a simulation for sim::FastForward. A copy is a snapshot.
class FedChannels {
 public:
  static constexpr int kRememberedStates = 4;
  static constexpr int kMostChannels = 64;

  /// `spec`, `code` and `observer` must outlive it. The observer sees the first channel. `channels`: at most
  /// kMostChannels.
  FedChannels(const ChannelSpec &spec, const program::FlatLoops &code, int channels,
              CommandObserver *observer = nullptr);

  Checkpoint run();
  Tick now() const { return t_; }

  using Counts = ChannelCounts;
  using Position = program::LoopsCursor;
  /// Parts of the state: where the list is, which channels are alike, and which have the next command already;
  /// requests that wait, in which order they came, what the policy remembers of serving them, refreshes, data under
  /// way; open rows; constraints and windows. At events, which are at multiples of the refresh interval, no time to the
  /// next one needs to be told.
  enum class Part : std::uint8_t { kProcess, kQueues, kRows, kWaits };
  static constexpr std::array<std::string_view, 4> kParts = {"process", "queues", "rows", "waits"};
  static constexpr int kCountdowns = -1;

  Tick nextEvent() const { return nextDue_; }
  static constexpr int processes() { return 1; }
  const program::LoopsCursor &position(int /*process*/) const { return cursor_; }
  /// Of all channels together.
  ChannelCounts counts() const;
  void setCounts(const ChannelCounts &counts);
  void encode(StateWords &out) const;
  void restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now, bool withCountdowns);
  /// When a request last came or left.
  Tick completion() const;
  void setCompletion(Tick t);
  bool isStarved() const { return t_ - completion() > spec_->patience; }

  /// The cycle in which the list is consumed and every queue is empty, data of reads included.
  Cycles cycles() const { return Cycles(t_); }
  /// Groups that are simulated now.
  int groups() const { return static_cast<int>(groups_.size()); }

 private:
  using Mask = std::uint64_t;
  struct Group {
    Mask channels = 0;
    FourQueues queues;
  };

  Mask maskOf(const program::Channels &c) const;
  void feed();
  bool deliver(const program::Transaction &t);
  std::int64_t burstOf(const program::Transaction &t) const;
  bool deliverInOrder(const program::Transaction &t, const program::Channels &to);
  bool isWorthCheckpointHere(int loop) const;
  int commonDepth() const;
  void split(std::size_t group, Mask apart);
  void join();
  Tick nextTime() const;
  bool isDone() const;

  const ChannelSpec *spec_;
  int channels_;
  CommandObserver *observer_;
  program::LoopsCursor cursor_;
  std::vector<Group> groups_;
  Mask served_ = 0;  // channels that have the next command already
  Tick t_ = 1, nextDue_ = kNever;
  int crossed_ = -1;         // loop whose iteration the last commands completed
  std::vector<Mask> masks_;  // by command: the channels that it goes to
  ChannelCounts apart_;      // counted, but by no group
};

}  // namespace pimento::sim::dram
