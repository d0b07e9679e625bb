// A timeline of one run for Perfetto or chrome://tracing: what every bank of one channel did, and the host around it.
//
// Tracks: the host's phases; the channel's command slot (one event per command, with bank, row, column and purpose);
// one refresh track per rank; one track per bank that was used, with an interval for each open row, from its activate
// to its precharge. In all-bank mode the row of one bank stands for the same bank of every unit, as in the commands
// themselves. Format and limits: trace_events.h.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/emit/trace_events.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dram/channel.h"

namespace pimento::targets::dram {

class ChannelTimeline final : public evaluate::Timeline, public sim::dram::CommandObserver {
 public:
  static constexpr std::int64_t kMaxEvents = emit::TraceEvents::kMaxEvents;

  /// Writes the head of the file and the host's phases before the device run, `before` (of an estimate, say; only
  /// the parts before `compute` count, of all kernels together); the device's cycle 0 follows them. The machine must be
  /// DRAM-based. `out` must outlive this; `machine` need not.
  ChannelTimeline(std::ostream &out, const machine::Machine &machine, const evaluate::Breakdown &before = {},
                  std::int64_t maxEvents = kMaxEvents);

  /// Commands in issue order. One that issues no later than the command before it starts another kernel's run: its
  /// cycles count from the end of that run.
  void onCommand(const sim::dram::IssuedCommand &command) override;

  /// Closes open rows at the end of the run, writes the host's phases after it and ends the file. `report`: the
  /// run's. To be called once, after the last command. Diagnostic: "unwritable-file".
  Status finish(const evaluate::Report &report) override;

  /// Events left out because of the limit.
  std::int64_t dropped() const { return events_.dropped(); }

 private:
  using Tick = sim::dram::Tick;
  struct BankTrack {
    bool isNamed = false, isOpen = false;
    std::int64_t row = 0;
    Tick since = 0;
  };

  static constexpr int slotTrack() { return 2; }
  int refreshTrack(int rank) const { return 3 + rank; }
  int bankTrack(int bank) const { return 3 + ranks_ + bank; }

  void startAnotherRun();
  void closeRows(Tick at);
  void closeRow(int bank, Tick at);

  emit::TraceEvents events_;
  int ranks_, banksPerRank_, banksPerGroup_;
  Tick refreshTime_, readTime_, writeTime_;
  Tick last_ = -1;       // time of the last command, within its run
  Tick completion_ = 0;  // end of the last command, within its run
  std::vector<BankTrack> banks_;
};

}  // namespace pimento::targets::dram
