// One DRAM channel at work: a source of commands (source.h), a controller that chooses among them (controller.h), and
// the device's timing state (device.h).
//
// Event-driven but cycle-exact: between two decisions nothing changes, so time jumps to the next cycle at which a
// command can issue, a request arrives, a refresh falls due or a mode takes effect.
//
// A channel is plain state: a copy is a snapshot, which is what fast-forward memoises (sim/fast_forward.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/controller.h"
#include "pimento/sim/dram/device.h"
#include "pimento/sim/dram/source.h"
#include "pimento/sim/dram/spec.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::dram {

/// What a channel did. Counts of column commands follow from the program; these depend on time.
struct ChannelCounts {
  std::int64_t activates = 0;         ///< rows opened one bank at a time
  std::int64_t allBankActivates = 0;  ///< activate commands that opened a row in many banks; control rows never do
  std::int64_t precharges = 0;        ///< likewise
  std::int64_t allBankPrecharges = 0;
  std::int64_t refreshes = 0;      ///< REF commands, all ranks
  std::int64_t lostRefreshes = 0;  ///< requests replaced before they were served
  std::int64_t columns = 0;        ///< column commands

  ChannelCounts &add(const ChannelCounts &o, std::int64_t times);
  bool operator==(const ChannelCounts &) const = default;
};

/// A command the controller issued, as observers see it.
struct IssuedCommand {
  Tick time = 0;
  machine::CommandKind kind = machine::CommandKind::kRead;
  int bank = 0;  ///< rank * banks per rank + bank; of several, the one that names them; refresh: first of the rank
  std::int64_t row = 0, column = 0;
  const program::Command *command = nullptr;  ///< column commands of a program: where they come from
  std::int64_t burst = 0;                     ///< writes with an image: burst number
  int op = -1;                                ///< row of the machine's command table
  std::uint64_t banks = 0;                    ///< all that it addresses, one bit each
  int number = -1;                            ///< column commands: which one of its source
  std::string_view name = {};                 ///< of a command beyond the five plain ones; else empty
};

/// Sees every issued command, in issue order.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void onCommand(const IssuedCommand &command) = 0;
};

/// Of a source, a controller policy and the device. Instantiated in channel.cpp for the sources and policies there are.
template <typename Source, typename Policy = FrFcfsBarrier>
class ChannelOf {
 public:
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
  /// Parts of its state: where the process is (the next command; counters of loops that are not uniform); the mode and
  /// a change under way; banks seen of mode changes; whose turn it is to be precharged; the time to the last
  /// completion; refreshes asked for; the next arrival; how many commands were fetched, as long as a barrier may be
  /// lost; the queue; open rows; what timing constraints impose; banks that precharge or refresh; windows; the time to
  /// the next refreshes.
  enum class Part : std::uint8_t {
    kProcess,
    kMode,
    kModeProgress,
    kTurn,
    kCompletion,
    kPending,
    kArrival,
    kFetched,
    kQueue,
    kRows,
    kWaits,
    kBusyBanks,
    kWindows,
    kCountdowns,
  };
  static constexpr std::array<std::string_view, 14> kParts = {
      "process", "mode",  "mode-progress", "turn",  "completion", "pending", "arrival",
      "fetched", "queue", "rows",          "waits", "busy-banks", "windows", "countdowns"};
  static constexpr int kCountdowns = static_cast<int>(Part::kCountdowns);

  Tick nextEvent() const { return nextDue_; }
  static constexpr int processes() { return 1; }
  const program::LoopsCursor &position(int /*process*/) const
    requires(Source::kHasLoops)
  {
    return source_.position();
  }
  const ChannelCounts &counts() const { return counts_; }
  void setCounts(const ChannelCounts &counts) { counts_ = counts; }
  void encode(StateWords &out) const
    requires(Source::kHasLoops);
  void restore(const StateWords &words, std::span<const program::LoopsCursor> positions, Tick now, bool withCountdowns)
    requires(Source::kHasLoops);
  Tick completion() const { return lastCompletion_; }
  void setCompletion(Tick t) { lastCompletion_ = t; }
  /// Rows have opened and closed for so long without a column command that none will ever come: one whose bank takes
  /// no activates in this mode, say, or a machine whose rows never stay open long enough (tRAS < tRCD).
  bool isStarved() const {
    return queue_.commands() > 0 && t_ - std::max(lastCompletion_, busySince_) > spec_->patience;
  }

  /// Cycle count of the run: completion of the last command, plus one. Valid once run() said done; if it said stuck or
  /// waiting, of the part that ran.
  Cycles cycles() const { return Cycles(lastCompletion_ + 1); }

 private:
  bool admit();
  bool isStuck(const typename Policy::Decision &decision) const;
  void execute(const Choice &choice);
  void issueColumn(const Choice &choice);
  void issueRow(const Choice &choice, int bank, std::int64_t row, int opener, std::int64_t &one, std::int64_t &many);
  void trackMode(machine::CommandKind kind, int bank, std::int64_t row);
  void enterMode(int mode);
  void notify(int op, int bank, std::int64_t row, std::int64_t column = 0,
              const program::Transaction *transaction = nullptr, std::int64_t burst = 0) const;
  void takeRefreshRequests();
  /// How far the counters of the loops around the position have moved the address of a command.
  std::pair<std::int32_t, std::int16_t> movedBy(int command) const
    requires(Source::kHasLoops);

  const ChannelSpec *spec_;
  CommandObserver *observer_;
  Source source_;
  Policy policy_;
  Device device_;
  CommandQueue queue_;
  Tick t_ = 1;            // next cycle to decide
  Tick nextArrival_ = 0;  // next cycle in which a transaction may enter the queue
  std::int64_t fetched_ = 0;
  int crossed_ = -1;  // loop whose iteration the last arrivals completed
  std::vector<Tick> due_;
  Tick nextDue_ = kNever;
  std::uint64_t pending_ = 0;  // ranks with a pending refresh
  int mode_ = 0, nextMode_ = 0;
  Tick modeAt_ = kNever;
  std::uint64_t refused_ = 0;            // banks that take no activates in this mode
  std::vector<std::uint64_t> progress_;  // per mode change: banks seen
  Tick busySince_ = 0;                   // requests: arrival of the one that ended an idle time
  Tick lastCompletion_ = 0;
  ChannelCounts counts_;
};

/// A channel that receives the loops of a process.
using Channel = ChannelOf<LoopsSource>;

extern template class ChannelOf<LoopsSource>;
extern template class ChannelOf<ListSource>;
extern template class ChannelOf<RequestSource>;

}  // namespace pimento::sim::dram
