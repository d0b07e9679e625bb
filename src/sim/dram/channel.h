// One DRAM channel at work: a command stream, the controller's queues and policies, and the device's timing state.
//
// Event-driven but cycle-exact: between two decisions nothing changes, so time jumps to the next cycle at which a
// command can issue, a request arrives, a refresh falls due or a mode takes effect. Policies are named in the machine
// file; the set below is that of the public HBM-PIM reference simulator (first-ready scheduling within barrier groups,
// eager precharge, one pending refresh per channel).
//
// A Channel is plain state: a copy is a snapshot, which is what fast-forward memoises (sim/fast_forward.h).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/device.h"
#include "pimento/sim/fast_forward.h"

namespace pimento::sim::dram {

/// What a channel did. Counts of column commands follow from the program; these depend on time.
struct ChannelCounts {
  std::int64_t activates = 0;         ///< rows opened one bank at a time
  std::int64_t allBankActivates = 0;  ///< activate commands that opened a row in every block; control rows never do
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
  int bank = 0;  ///< rank * banks per rank + bank; refresh: first bank of the rank
  std::int64_t row = 0, column = 0;
  const program::Command *command = nullptr;  ///< column commands: where they come from
  std::int64_t burst = 0;                     ///< writes with an image: burst number
};

/// Sees every issued command, in issue order.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  virtual void onCommand(const IssuedCommand &command) = 0;
};

/// Policies and numbers of a machine, resolved from names once.
struct ChannelSpec {
  /// The machine must have passed its loader's checks.
  explicit ChannelSpec(const machine::Machine &machine);

  DeviceSpec device;
  int activate = -1, precharge = -1, read = -1, write = -1, refresh = -1;  ///< command indices
  std::int64_t transactionQueue, commandQueue;
  bool isEagerPrecharge, hasSingleRefreshSlot, hasRefresh, refreshWaits, losesBarriers;
  Tick fence, commandLatency, readLatency, writeLatency, refreshInterval;
  Tick patience;  ///< a channel that completes nothing for this long never will
  std::int64_t columns;

  /// All-bank modes: only banks below this one (of a rank with PIM units) take activates; 0 = no such modes.
  int allBankLimit = 0;
  int pimRanks = 0;
  std::int64_t firstControlRow = 0;  ///< control rows open in the addressed bank only, in all modes
  struct Rule {
    bool toAllBank;
    machine::CommandKind command;
    std::int64_t row;
    std::uint64_t banks;
  };
  std::vector<Rule> modeRules;
  std::vector<std::int64_t> reservedRows;
};

class Channel {
 public:
  static constexpr int kRememberedStates = 4;
  Channel(const ChannelSpec &spec, const program::FlatLoops &code, CommandObserver *observer = nullptr);

  // What fast-forward asks (see sim/fast_forward.h).
  using Counts = ChannelCounts;
  Checkpoint run();
  Tick now() const { return t_; }
  Tick nextEvent() const { return nextDue_; }
  const program::LoopsCursor &position() const { return cursor_; }
  const ChannelCounts &counts() const { return counts_; }
  void setCounts(const ChannelCounts &counts) { counts_ = counts; }
  void encode(int scope, bool withCountdowns, StateWords &out) const;
  void shift(const LoopShift &by, Tick time, bool withEvents);
  Tick completion() const { return lastCompletion_; }
  void setCompletion(Tick t) { lastCompletion_ = t; }
  /// Rows have opened and closed for so long without a column command that none will ever come: one whose bank takes
  /// no activates in this mode, say, or a machine whose rows never stay open long enough (tRAS < tRCD).
  bool isStarved() const { return count_ > 0 && t_ - lastCompletion_ > spec_->patience; }

  /// Cycle count of the run: completion of the last command, plus one. Valid once run() said done; if it said stuck,
  /// of the part that ran.
  Cycles cycles() const { return Cycles(lastCompletion_ + 1); }

 private:
  static constexpr Tick kNever = std::numeric_limits<Tick>::max() / 4;
  enum class Act : std::uint8_t { kNone, kRefresh, kPrecharge, kColumn, kActivate };
  struct Choice {
    Tick time = kNever;
    Act act = Act::kNone;
    int index = -1;  // run (column, activate) or bank (precharge) or rank (refresh)
    int offset = 0;  // column: position in the run
  };
  struct Walk {
    Choice column, activate;
    std::uint64_t needed = 0;      // banks whose open row the current barrier group wants
    std::uint64_t conflicted = 0;  // banks it wants with another row
    bool isOpen = true;            // a later arrival could change the decision
  };
  /// Queued packets at consecutive columns of one row, of commands that follow one another in the program.
  struct Run {
    program::Transaction first;
    std::int32_t length = 1;
    std::int64_t burst = 0;  // of the first one's image, where observed
  };

  bool admit();
  Choice decide(Tick &limit) const;
  bool isStuck() const;
  Choice refreshChoice() const;
  Walk walkQueue() const;
  void considerActivate(int index, std::uint64_t &seen, Walk &walk) const;
  int firstWithoutHazard(int index) const;
  Choice prechargeChoice(const Walk &walk) const;
  void execute(const Choice &choice);
  void enqueue(const program::Transaction &t);
  void makeRoom();
  void issueColumn(int index, int offset);
  void removeFromRun(int index, int offset);
  void insertRest(int index, int offset, int length);
  void trackMode(machine::CommandKind kind, int bank, std::int64_t row);
  bool reachesAllBlocks(int bank, std::int64_t row) const {
    return isAllBank_ && row < spec_->firstControlRow && bank < spec_->pimRanks * spec_->device.banksPerRank;
  }
  void notify(int command, int bank, std::int64_t row, std::int64_t column = 0,
              const program::Transaction *transaction = nullptr, std::int64_t burst = 0) const;
  void takeRefreshRequests();
  const Run &queued(int i) const { return queue_[static_cast<std::size_t>(head_ + i)]; }
  program::Transaction normalised(const program::Transaction &t, int scope) const;

  const ChannelSpec *spec_;
  CommandObserver *observer_;
  program::LoopsCursor cursor_;
  Device device_;
  std::vector<Run> queue_;
  int head_ = 0, runs_ = 0, count_ = 0;  // first run, runs, packets in them
  Tick t_ = 1;                           // next cycle to decide
  Tick nextArrival_ = 0;                 // next cycle in which a transaction may enter the queue
  std::int64_t fetched_ = 0;
  int crossed_ = -1;  // loop whose iteration the last arrivals completed
  std::vector<Tick> due_;
  Tick nextDue_ = kNever;
  std::uint64_t pending_ = 0;  // ranks with a pending refresh
  int pointer_ = 0;            // round robin of the eager precharge
  bool isAllBank_ = false, willBeAllBank_ = false;
  Tick modeAt_ = kNever;
  std::vector<std::uint64_t> progress_;  // per mode rule: banks seen
  Tick lastCompletion_ = 0;
  ChannelCounts counts_;
};

}  // namespace pimento::sim::dram
