// A controller with four queues, on the device of one channel: what AttAcc's and DCC's published cycle models do.
//
// Requests wait in queues for PIM commands, reads and writes; a read or write whose bank an activate has opened moves
// to the openings, which go first. Refreshes wait apart and hold back what comes after them. In every cycle one command
// goes, and a second one of the other slot (rows, columns). In a queue the first ready request goes first, unless it
// would close a row that another one still hits; writes wait until many do, or no read waits.
//
// Cycle-exact but event-driven: where nothing can happen until some cycle, `wake` names it. Who hands requests in is
// fed_channels.h.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/channel_core.h"
#include "pimento/sim/dram/crossings.h"
#include "pimento/sim/dram/open_rows.h"
#include "pimento/sim/dram/spec.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dram {

/// One channel. A copy is a snapshot.
class FourQueues final : public ChannelCore {
 public:
  /// Pseudo channels are refreshed together.
  static constexpr bool kRefreshesTogether = true;

  FourQueues(const ChannelSpec &spec, const program::FlatLoops *code, CommandObserver *observer);

  /// Whether it takes the request now.
  bool accepts(const program::Transaction &t, Tick now) const;
  /// Takes a request that it accepts, in cycle `now`.
  void take(const program::Transaction &t, Tick now, bool mayContinue, std::int64_t burst);
  /// A refresh of every pseudo channel falls due.
  void requestRefresh(std::uint64_t ranks);
  /// What happens in cycle `t`, once all requests of that cycle are there.
  void cycle(Tick t);
  /// After cycle(): the next cycle in which something can happen, if no request comes.
  Tick wake() const { return wake_; }
  void setWake(Tick t) { wake_ = t; }

  /// No request waits; `lastData` may be ahead.
  bool isEmpty() const { return opening_.empty() && maintenance_.empty() && hasNoRequests(); }
  /// When the last read has its data, and what else has a completion of its own is over.
  Tick lastData() const { return lastData_; }
  /// When the last request left its queue.
  Tick progress() const { return progress_; }
  void setProgress(Tick t) { progress_ = t; }
  bool isStarved(Tick now) const { return !isEmpty() && now - progress_ > spec_->patience; }
  /// The cycle in which every queue is empty, data of reads included.
  Cycles end(Tick now) const { return Cycles(now); }

  /// PIM commands that wait, and whether the last look beyond the openings ended at one; reads that wait, and
  /// reads and writes whose row is being opened; writes that wait, whether they are served, and in which order all of
  /// these came; refreshes; data under way; open rows; constraints and windows. Requests and rows are named by their
  /// command.
  enum class Part : std::uint8_t { kPim, kReads, kWrites, kRefreshes, kData, kRows, kWaits };
  static constexpr std::array<std::string_view, 7> kParts = {"pim",  "reads", "writes", "refreshes",
                                                             "data", "rows",  "waits"};
  void encode(Part part, const program::LoopsCursor &cursor, Tick now, StateWords &out) const;
  void restore(Part part, const program::LoopsCursor &cursor, Tick now, StateReader &in);
  /// Of the loops around `cursor`, how many are around all commands whose rows wait or are open.
  int commonDepth(const program::LoopsCursor &cursor) const;
  /// Whether a read in the loop around `cursor` at `depth` may come to a write that waits and is not in the loop.
  bool mayFindWrite(const Crossings &crossings, const program::LoopsCursor &cursor, int depth) const;

 private:
  static constexpr int kMostCommands = 64;

  struct Request {
    Tick age = 0;  ///< the cycle in which it came
    program::Transaction t;
    std::int16_t next = -1;  ///< the command that it needs next
    std::int64_t burst = 0;  ///< for the observer; no part of the state
  };
  using Requests = std::vector<Request>;
  enum class Queue : std::uint8_t { kOpening, kMaintenance, kPim, kRead, kWrite };
  /// A request of a queue and the command that goes for it.
  struct Found {
    Queue queue = Queue::kOpening;
    int index = -1, command = -1;
  };

  std::int64_t placeOf(const program::Transaction &t, std::int64_t moved,
                       const program::FlatLoops::FlatCommand &f) const;
  std::int16_t columnAt(std::int64_t place, std::int64_t moved, const program::FlatLoops::FlatCommand &f) const;
  void encodeQueue(const Requests &queue, const program::LoopsCursor &cursor, StateWords &out) const;
  void restoreQueue(Requests &queue, const program::LoopsCursor &cursor, Tick now, StateReader &in) const;
  void encodeRows(const program::LoopsCursor &cursor, StateWords &out) const;
  void restoreRows(const program::LoopsCursor &cursor, StateReader &in);
  void encodeAges(StateWords &out) const;
  void restoreAges(Tick now, StateReader &in);
  bool hasNoRequests() const { return pim_.empty() && reads_.empty() && writes_.empty(); }
  Requests &of(Queue q);
  void forgetRows(bool isMany, int bank);
  /// The next command of a request.
  int next(const program::Transaction &t) const;
  int nextOfRefresh(int bank) const;
  std::uint64_t holding(std::int32_t row) const;
  bool isRowHit(const program::Transaction &t) const;
  /// Banks with a request of the queue that hits their row.
  std::uint64_t hitBanks(Queue which);
  Tick readyAt(int command, int bank, Tick t) const;
  Device::Hold holdOf(int command, int bank, Tick t) const;
  Found bestInOrder(Queue which, Tick t);
  Found bestOpening(Tick t);
  /// Steps a to d. `taken`: the slot of the first command, or -1.
  Found look(Tick t, int taken);
  bool isVetoed(const Found &f) const;
  void issue(const Found &f, Tick t);
  void moveRows(int command, const program::Transaction &t);
  /// Whether a request of the queue may need a command of another slot than `taken`.
  bool wants(Queue which, int taken) const {
    const std::uint8_t slots = slots_[static_cast<std::size_t>(which)];
    return taken < 0 ? slots != 0 : (slots & ~(1U << taken)) != 0;
  }
  void noteSlot(Queue which, int command) {
    slots_[static_cast<std::size_t>(which)] |= static_cast<std::uint8_t>(1U << slotOf(command));
  }
  int slotOf(int command) const { return spec_->rules[static_cast<std::size_t>(command)].takesRowSlot ? 0 : 1; }

  OpenRows rows_;
  Requests opening_, pim_, reads_, writes_;
  std::vector<int> maintenance_;  // pseudo channels to refresh, by their first bank
  bool isWriting_ = false;        // writes are served
  bool wasPim_ = false;           // the last look beyond the openings found a PIM command
  int headCommand_ = -1;          // of a refresh that was not ready in the first look
  bool hasChanged_ = false;
  /// By queue: nothing in it can be ready before. Commands only make others wait longer; what else may change it starts
  /// anew from 0.
  std::array<Tick, 5> notBefore_{};
  std::array<std::uint64_t, 5> hits_{};  // by queue, of those in knownHits_: banks where a request hits
  std::uint32_t knownHits_ = 0;
  /// By queue: the slots of what its requests need, one bit each, those of some that have left included.
  std::array<std::uint8_t, 5> slots_{};
  Tick wake_ = 1, lastData_ = 0, progress_ = 0;
  mutable std::int32_t heldRow_ = -1;  // of the last question, and its answer
  mutable std::uint64_t held_ = 0;
};

}  // namespace pimento::sim::dram
