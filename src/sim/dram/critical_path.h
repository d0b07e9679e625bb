// Where the cycles of a channel's run went: the chain of waits that leads from cycle 0 to the last completion.
//
// An observer. Of every issued command it finds what kept it from issuing one cycle earlier: a constraint of the
// machine with the command that started it, a bank that was precharging or refreshing, the arrival of its transaction
// (one per cycle, a full queue, a fence), a mode change, the order that barriers ask for, the one command per cycle, or
// a refresh that fell due. That is all that can change a channel's mind (channel.h, decide), so one of them always
// holds exactly; where several do, the one with the latest cause is taken, constraints first. Following causes back
// from the command that completes last gives a chain whose waits add up to the cycles of the run, without remainder.
//
// A chain, not a ranking: making one wait on it shorter helps at most until another chain is longer. Refreshes come
// from outside: the time from the command before one to the moment it falls due counts as a wait for it.
//
// Memory does not grow with the run: chains of all commands that can still cause something meet soon, and what lies
// before they meet is added up and dropped.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"
#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::sim::dram {

/// What a command waited for.
enum class Wait : std::uint8_t {
  kConstraint,       ///< a rule of the machine's table
  kPrecharging,      ///< its bank was precharging (completion.precharge)
  kRefreshing,       ///< its bank was refreshing (completion.refresh)
  kArrival,          ///< transactions enter the queue one per cycle, when there is room
  kFence,            ///< the host waits for a barrier to complete before it sends on
  kMode,             ///< the mode change takes effect
  kBarrierOrder,     ///< the cycle after the last command of the barrier group before
  kRowsClosed,       ///< a refresh, the cycle after the last row of its rank closed
  kCommandBus,       ///< one command per cycle; also rows that the command before made free to close
  kRefreshDue,       ///< time from the command before until the refresh fell due
  kReadCompletion,   ///< the last command's data
  kWriteCompletion,  ///< likewise
  kFirstCycle,       ///< cycles are counted from 0, so the last one's number is one less than their count
  kUnattributed,     ///< nothing above; a mistake of ours that tests would find
};
/// "barrier order", "command bus"; constraints have names of their own.
std::string_view name(Wait w);

/// Parts of a process that commands are filed under: what stands before its first outermost loop (prologue) and behind
/// one (epilogue), and inside these the purpose of the command.
struct Phases {
  std::vector<std::string> names;
  std::vector<int> ofCommand;  ///< by FlatLoops command

  explicit Phases(const program::CommandLoops &nodes);
  int refresh() const { return static_cast<int>(names.size()) - 1; }
};

/// One kind of wait in one phase, added up along the chain. `phase` is that of the command that waited.
struct PathShare {
  Wait wait = Wait::kUnattributed;
  int constraint = -1;  ///< kConstraint: index in Dram::constraints
  int phase = 0;
  std::int64_t count = 0, cycles = 0;
};

/// The chain, added up. The cycles of all shares sum to the cycles of the run.
struct CriticalPathResult {
  std::vector<PathShare> shares;  ///< by wait, constraint, phase
  std::int64_t commands = 0;      ///< issued in the whole run
  std::int64_t onPath = 0;        ///< of these, on the chain

  Cycles total() const;
};

class CriticalPath final : public CommandObserver {
 public:
  /// All must outlive this.
  CriticalPath(const machine::Dram &dram, const ChannelSpec &spec, const program::FlatLoops &code,
               const Phases &phases);

  void onCommand(const IssuedCommand &command) override;
  /// Of the run so far.
  CriticalPathResult result() const;

 private:
  using Id = std::int64_t;  ///< links are numbered in issue order
  struct Event {
    Id link = -1;
    Tick time = -1;  ///< negative: never
  };
  struct Link {
    std::int32_t back = 0, lag = 0;  ///< the cause is link number (own - back), `lag` cycles earlier
    std::int16_t constraint = -1;
    std::uint16_t phase = 0;
    Wait wait = Wait::kUnattributed;
  };
  /// A possible cause of the command at hand.
  struct Cause {
    Event from;
    Wait wait = Wait::kUnattributed;
    int constraint = -1;
    bool isFound = false;
  };
  struct Packet {
    program::Transaction t;
    Tick visible = 0;
    Event origin;  ///< what its arrival goes back to, one transaction per cycle
  };
  struct BankTimes {
    Event precharged, refreshed;
    bool isRefresh = false;  ///< the later of the two
    int phase = 0;
  };
  struct Key {
    Wait wait;
    int constraint, phase;
    auto operator<=>(const Key &) const = default;
  };
  using Sums = std::map<Key, std::pair<std::int64_t, std::int64_t>>;  ///< count, cycles

  void admit(Tick now);
  Cause causeOf(const IssuedCommand &c, const Packet *packet);
  void considerConstraints(int command, int bank, Tick t, Cause &best) const;
  void considerBanks(const IssuedCommand &c, Cause &best) const;
  void considerArrival(const IssuedCommand &c, const Packet *packet, Cause &best) const;
  Cause afterPrevious(const IssuedCommand &c, const Packet *packet) const;
  bool isRefreshDue(Tick t) const;
  const Packet *packetFor(const IssuedCommand &c) const;
  int phaseFor(const IssuedCommand &c, const Packet *packet) const;
  Event add(const Cause &cause, Tick time, int phase);
  void remember(const IssuedCommand &c, const Event &event, int phase);
  void removePacket(const IssuedCommand &c, const Event &event, int phase);
  void fold(Tick now);
  Id meetingPoint(std::vector<Id> live) const;
  void addChain(Id from, Id downTo, Sums &sums) const;
  const Link &link(Id id) const { return links_[static_cast<std::size_t>(id - base_)]; }
  std::size_t nodeOf(machine::ScopeLevel level, int bank) const;

  const machine::Dram *dram_;
  const ChannelSpec *spec_;
  const program::FlatLoops *code_;
  const Phases *phases_;
  program::LoopsCursor cursor_;

  std::vector<Packet> pending_;
  std::int64_t fetched_ = 0, issuedColumns_ = 0;
  Tick lastVisible_ = 0;
  Event lastOrigin_;          ///< of the arrival before; at first cycle 0
  std::vector<Event> freed_;  ///< the last issued columns, by number modulo the queue's length
  bool isFenced_ = false;     ///< the host waits for a barrier
  Event release_;             ///< when it goes on
  bool hasRelease_ = false;

  std::vector<Event> last_;                 ///< node * commands + command
  std::vector<std::int32_t> lengths_;       ///< likewise: of those commands
  std::vector<std::deque<Event>> windows_;  ///< constraint * nodes + node
  std::vector<BankTimes> banks_;
  Event mode_, previous_;
  IssuedCommand previousCommand_;
  bool previousIsBarrier_ = false;
  Tick longest_ = 0;  ///< no cause reaches further

  std::vector<Link> links_;
  Id base_ = 0;  ///< number of links_.front(); what came before is in settled_
  std::size_t foldAt_;
  Sums settled_;
  std::int64_t commands_ = 0;
  Event completing_;  ///< the command that completes last
  Tick completion_ = 0;
  bool isCompletingWrite_ = false;
  int completingPhase_ = 0;
};

}  // namespace pimento::sim::dram
