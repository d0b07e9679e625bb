// A controller with one queue, on the device of one channel: first ready, first served, in groups that barriers end;
// one command per cycle. Which command goes is controller.h's policy; here it meets the device, its modes and what is
// asked of it.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "pimento/program/loops_cursor.h"
#include "pimento/sim/dram/channel_core.h"
#include "pimento/sim/dram/controller.h"
#include "pimento/sim/dram/crossings.h"
#include "pimento/sim/dram/queue.h"
#include "pimento/sim/state.h"

namespace pimento::sim::dram {

/// One channel. A copy is a snapshot.
class BarrierQueue final : public ChannelCore {
 public:
  /// Ranks are refreshed one after the other.
  static constexpr bool kRefreshesTogether = false;

  BarrierQueue(const ChannelSpec &spec, const program::FlatLoops *code, CommandObserver *observer);

  // Requests.
  bool hasRoom() const { return queue_.commands() < spec_->commandQueue; }
  int commands() const { return queue_.commands(); }
  /// The next cycle in which a request may enter the queue; kNever: a fence holds it back.
  Tick nextArrival() const { return nextArrival_; }
  /// None did before `t`.
  void delayArrival(Tick t) {
    if (nextArrival_ < t) nextArrival_ = t;
  }
  bool accepts(const program::Transaction & /*t*/, Tick now) const { return nextArrival_ < now && hasRoom(); }
  /// A request that decisions see from cycle `now` on. `mayContinue`: it follows the one before it in its source, one
  /// column on. `burst`: of its image, where observed.
  void take(const program::Transaction &t, Tick now, bool mayContinue, std::int64_t burst) {
    queue_.add(t, mayContinue, burst);
    nextArrival_ = (t.isBarrier && spec_->fence > 0) ? kNever : now;
    wake_ = now;
  }
  /// An idle time ended when a request came in cycle `t`.
  void endIdleTime(Tick t) { busySince_ = t; }
  void requestRefresh(std::uint64_t ranks);

  // Decisions.
  Tick modeAt() const { return modeAt_; }
  void enterDueMode(Tick t) {
    if (modeAt_ > t) return;
    enterMode(nextMode_);
    modeAt_ = kNever;
  }
  FrFcfsBarrier::Decision decide(Tick t) const { return policy_.decide({device_, queue_, t, pending_, refused_}); }
  /// At its time. Inside the loop of every run.
  [[gnu::always_inline]] void execute(const Choice &choice) {
    policy_.onIssue(choice);
    if (choice.act == Act::kColumn)
      issueColumn(choice);
    else
      executeOther(choice);
  }
  /// Nothing can issue now: can a mode change or the precharges of a refresh not change that, either?
  bool isStill(bool refreshes) const { return modeAt_ == kNever && (device_.active() == 0 || !refreshes); }
  void cycle(Tick t);
  Tick wake() const { return wake_; }
  void setWake(Tick t) { wake_ = t; }

  bool isEmpty() const { return queue_.commands() == 0; }
  static constexpr Tick lastData() { return 0; }
  /// Completion of the last command, plus one.
  Cycles end(Tick /*now*/) const { return Cycles(progress_ + 1); }
  /// Completion of the last command.
  Tick progress() const { return progress_; }
  void setProgress(Tick t) { progress_ = t; }
  /// Rows have opened and closed for so long without a column command that none will ever come: one whose bank takes
  /// no activates in this mode, say, or a machine whose rows never stay open long enough (tRAS < tRCD).
  bool isStarved(Tick now) const {
    return queue_.commands() > 0 && now - std::max(progress_, busySince_) > spec_->patience;
  }

  /// The mode and a change under way; banks seen of mode changes; whose turn it is to be precharged; the time to the
  /// last completion; refreshes asked for; the next arrival; the queue; open rows; what timing constraints impose;
  /// banks that precharge or refresh; windows.
  enum class Part : std::uint8_t {
    kMode,
    kModeProgress,
    kTurn,
    kCompletion,
    kPending,
    kArrival,
    kQueue,
    kRows,
    kWaits,
    kBusyBanks,
    kWindows,
  };
  static constexpr std::array<std::string_view, 11> kParts = {"mode",    "mode-progress", "turn",   "completion",
                                                              "pending", "arrival",       "queue",  "rows",
                                                              "waits",   "busy-banks",    "windows"};
  void encode(Part part, const program::LoopsCursor &cursor, Tick now, StateWords &out) const;
  void restore(Part part, const program::LoopsCursor &cursor, Tick now, StateReader &in);
  /// Loops are uniform wherever their commands go, so all may be shifted.
  static int commonDepth(const program::LoopsCursor &cursor) { return cursor.depth(); }
  /// Reads find no writes.
  static bool mayFindWrite(const Crossings & /*crossings*/, const program::LoopsCursor & /*cursor*/, int /*depth*/) {
    return false;
  }

 private:
  void issueColumn(const Choice &choice);
  void executeOther(const Choice &choice);
  void issueRow(const Choice &choice, int bank, std::int64_t row, int opener, std::int64_t &one, std::int64_t &many);
  void trackMode(Tick t, machine::CommandKind kind, int bank, std::int64_t row);
  void enterMode(int mode);
  void encodeQueue(const program::LoopsCursor &cursor, StateWords &out) const;
  void restoreQueue(const program::LoopsCursor &cursor, StateReader &in);
  void encodeRows(const program::LoopsCursor &cursor, StateWords &out) const;
  void restoreRows(const program::LoopsCursor &cursor, StateReader &in);

  FrFcfsBarrier policy_;
  CommandQueue queue_;
  Tick nextArrival_ = 0;
  std::uint64_t pending_ = 0;  // ranks with a pending refresh
  int mode_ = 0, nextMode_ = 0;
  Tick modeAt_ = kNever;
  std::uint64_t refused_ = 0;                // banks that take no activates in this mode
  std::vector<std::uint64_t> modeProgress_;  // per mode change: banks seen
  Tick busySince_ = 0;                       // arrival of the request that ended an idle time
  Tick progress_ = 0, wake_ = 1;
};

}  // namespace pimento::sim::dram
