// A timeline of the arrays for Perfetto: what every bank did.
//
// Tracks: regions, an interval for each round in which one runs; syncs; one per bank that has commands, with an
// interval for those that run at once. What streams do takes no time yet: an event without length says which regions
// they ran. Format and limits: trace_events.h.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "pimento/emit/trace_events.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/sram/command_time.h"
#include "pimento/targets/l3_sram/rounds.h"

namespace pimento::targets::l3_sram {

class SramTimeline final : public evaluate::Timeline, public sim::sram::CommandObserver {
 public:
  /// `before`: what the host does first. The machine must have computing SRAM.
  SramTimeline(std::ostream &out, const machine::Machine &machine, const evaluate::Breakdown &before = {},
               std::int64_t maxEvents = emit::TraceEvents::kMaxEvents);

  /// A round begins: its commands count from here.
  void begin(const Round &round, const tdfg::Program &program);
  void onCommand(const program::SramCommand &command, std::int64_t bank, std::int64_t from,
                 std::int64_t cycles) override;
  void onSync(std::int64_t from, std::int64_t cycles) override;
  /// It took so long.
  void end(Cycles cycles);
  /// Something else of a kernel on a chip, on the track of regions.
  void phase(std::string_view name, Cycles cycles);

  /// Ends the file. To be called once. Diagnostic: "unwritable-file".
  Status finish(const evaluate::Report &report) override;

  std::int64_t dropped() const { return events_.dropped(); }

 private:
  static constexpr int kRegionTrack = 2, kSyncTrack = 3;  // 1 is the host's
  static constexpr int trackOf(std::int64_t bank) { return kSyncTrack + 1 + static_cast<int>(bank); }

  emit::TraceEvents events_;
  std::vector<bool> isNamed_;  ///< by bank: its track
  std::string region_, tile_;  ///< of the round in hand
};

}  // namespace pimento::targets::l3_sram
