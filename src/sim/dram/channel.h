// One DRAM channel at work, with a source of commands of its own (source.h): a controller (channel_core.h) that chooses
// among them, and the device's timing state (device.h). Channels that share a list are fed_channels.h.
//
// Event-driven but cycle-exact: between two decisions nothing changes, so time jumps to the next cycle at which a
// command can issue, a request arrives, a refresh falls due or a mode takes effect.
//
// A channel is plain state: a copy is a snapshot, which is what fast-forward memoises (sim/fast_forward.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/barrier_queue.h"
#include "pimento/sim/dram/channel_core.h"
#include "pimento/sim/dram/refresh_schedule.h"
#include "pimento/sim/dram/source.h"
#include "pimento/sim/dram/spec.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::dram {

/// The names of a controller's parts of the state, with those of who hands it requests before and behind.
template <typename Controller, std::size_t kBefore, std::size_t kBehind>
constexpr auto partNames(const std::array<std::string_view, kBefore> &before,
                         const std::array<std::string_view, kBehind> &behind) {
  std::array<std::string_view, kBefore + Controller::kParts.size() + kBehind> all{};
  auto at = std::copy(before.begin(), before.end(), all.begin());
  at = std::copy(Controller::kParts.begin(), Controller::kParts.end(), at);
  std::copy(behind.begin(), behind.end(), at);
  return all;
}

/// Of a source and a controller. Instantiated in channel.cpp for the sources there are.
template <typename Source>
class ChannelOf {
 public:
  using Controller = BarrierQueue;
  static constexpr bool kMemoisesIterations = false;
  static constexpr int kRememberedStates = 4;
  /// `spec` and `observer` must outlive it.
  ChannelOf(const ChannelSpec &spec, Source source, CommandObserver *observer = nullptr);

  /// To the next checkpoint; kWaiting: until its source knows more (RequestSource).
  Checkpoint run();
  Source &source() { return source_; }
  Tick now() const { return t_; }

  // What fast-forward asks besides (see sim/fast_forward.h). A channel has one process.
  using Counts = ChannelCounts;
  using Position = program::LoopsCursor;
  /// Parts of its state: where the process is (the next command; counters of loops that are not uniform); how many
  /// commands were fetched, as long as a barrier may be lost; those of the controller; the time to the next refreshes.
  static constexpr auto kParts = partNames<Controller, 2, 1>({"process", "fetched"}, {"countdowns"});
  static constexpr int kCountdowns = static_cast<int>(kParts.size()) - 1;

  Tick nextEvent() const { return refreshes_.next(); }
  static constexpr int processes() { return 1; }
  const program::LoopsCursor &position(int /*process*/) const
    requires(Source::kHasLoops)
  {
    return source_.position();
  }
  const ChannelCounts &counts() const { return controller_.counts(); }
  void setCounts(const ChannelCounts &counts) { controller_.setCounts(counts); }
  void encode(StateWords &out) const
    requires(Source::kHasLoops);
  void restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now, bool withCountdowns)
    requires(Source::kHasLoops);
  Tick completion() const { return controller_.progress(); }
  void setCompletion(Tick t) { controller_.setProgress(t); }
  /// It will never come to its end.
  bool isStarved() const { return controller_.isStarved(t_); }

  /// Cycle count of the run: completion of the last command, plus one. Valid once run() said done; if it said stuck or
  /// waiting, of the part that ran.
  Cycles cycles() const { return controller_.end(t_); }

 private:
  bool admit();
  bool isStuck(const FrFcfsBarrier::Decision &decision) const;

  const ChannelSpec *spec_;
  bool isObserved_;
  Source source_;
  Controller controller_;
  RefreshSchedule refreshes_;
  Tick t_ = 1;  // next cycle to decide
  std::int64_t fetched_ = 0;
  int crossed_ = -1;  // loop whose iteration the last arrivals completed
};

/// A channel that receives the loops of a process.
using Channel = ChannelOf<LoopsSource>;

extern template class ChannelOf<LoopsSource>;
extern template class ChannelOf<ListSource>;
extern template class ChannelOf<RequestSource>;

}  // namespace pimento::sim::dram
