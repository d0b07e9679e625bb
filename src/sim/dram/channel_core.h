// What a channel is whichever controller serves it: the device, the counts of what was issued, and who watches.
//
// A controller is a class over this: BarrierQueue (barrier_queue.h) or FourQueues (four_queues.h). It is handed
// requests and decides which command goes when; who hands them in (loops of the channel's own, a list for several
// channels, another engine) is channel.h and fed_channels.h. All controllers offer
//   accepts(request, now), take(...)    requests, at most as many as its queues hold
//   requestRefresh(ranks)               refreshes fall due
//   cycle(now), wake()                  what happens in a cycle; the next one in which something can
//   isEmpty(), lastData(), end(now)     whether it is done
//   progress(), setProgress(), isStarved(now)
//   kParts, encode(part, ...), restore(part, ...)   its state (sim/state.h), part by part
#pragma once

#include <cstdint>
#include <string_view>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/device.h"
#include "pimento/sim/dram/spec.h"

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
  int number = -1;                            ///< which request of its source it serves; -1: none
  std::string_view name = {};                 ///< of a command beyond the five plain ones; else empty
};

/// Sees every issued command, in issue order.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void onCommand(const IssuedCommand &command) = 0;
};

/// A copy is a snapshot.
class ChannelCore {
 public:
  const ChannelCounts &counts() const { return counts_; }
  void setCounts(const ChannelCounts &counts) { counts_ = counts; }
  void setObserver(CommandObserver *observer) { observer_ = observer; }
  const Device &device() const { return device_; }

 protected:
  /// `spec`, `code` and `observer` must outlive it; `code`: whose commands its requests are, or null.
  ChannelCore(const ChannelSpec &spec, const program::FlatLoops *code, CommandObserver *observer)
      : spec_(&spec), code_(code), observer_(observer), device_(spec.device) {}

  /// Tells the observer of command `op` at `time`. `number`: of the request that it serves, or -1.
  void notify(Tick time, int op, int bank, std::int64_t row, std::int64_t column, int number,
              std::int64_t burst = 0) const {
    if (observer_ != nullptr) tell(time, op, bank, row, column, number, burst);
  }

  /// Of request number `command`.
  std::int32_t lengthOf(int command) const {
    return code_ == nullptr || command < 0 ? 0 : code_->commands()[static_cast<std::size_t>(command)].command.length;
  }

  const ChannelSpec *spec_;
  const program::FlatLoops *code_;
  CommandObserver *observer_;
  Device device_;
  ChannelCounts counts_;

 private:
  void tell(Tick time, int op, int bank, std::int64_t row, std::int64_t column, int number, std::int64_t burst) const;
};

}  // namespace pimento::sim::dram
