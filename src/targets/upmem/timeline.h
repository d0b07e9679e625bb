// A timeline of one DPU for Perfetto: what every tasklet and the DMA engine did.
//
// Tracks: one per tasklet with an interval per run of instructions of one function, cut where the tasklet waited: for a
// transfer ("read 1024 B"), for another tasklet to release an atomic bit or to be ready ("acquire", "resume": from the
// first attempt that failed to the last), or because it had stopped itself ("stopped": in a barrier, say); one for the
// DMA engine with the time that it serves each transfer. Several launches follow one another.
// Format and limits: trace_events.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pimento/emit/trace_events.h"
#include "pimento/evaluate/target.h"
#include "pimento/machine/machine.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem {

class DpuTimeline final : public evaluate::Timeline, public sim::dpu::Observer {
 public:
  /// `before`: what the host does first, as in PerfettoTrace. The machine must have DPUs.
  DpuTimeline(std::ostream &out, std::shared_ptr<const sim::dpu::Image> image, const machine::Machine &machine,
              const evaluate::Breakdown &before = {}, std::int64_t maxEvents = emit::TraceEvents::kMaxEvents);

  /// A cycle before the one before it starts another launch: its cycles count from the end of that one.
  void onIssue(std::int64_t cycle, int tasklet, std::uint32_t pc) override;
  void onTransfer(std::int64_t issued, std::int64_t begin, std::int64_t end, std::int64_t done, int tasklet,
                  bool isRead, std::int64_t bytes) override;

  /// Closes what is open and ends the file. To be called once. Diagnostic: "unwritable-file".
  Status finish(const evaluate::Report &report) override;

  std::int64_t dropped() const { return events_.dropped(); }

 private:
  /// What a tasklet is at. Open intervals are written when they end.
  struct Tasklet {
    enum class State : std::uint8_t { kNothing, kFunction, kRetries, kStopped } state = State::kNothing;
    bool isNamed = false;
    std::uint32_t pc = 0;       // of its last instruction
    std::int32_t function = 0;  // index into names_
    std::int64_t since = 0, last = 0;
  };

  static constexpr int kDmaTrack = 2;  // 1 is the host's
  static constexpr int trackOf(int tasklet) { return kDmaTrack + 1 + tasklet; }

  void close(Tasklet &t, int tasklet, std::int64_t at);
  void closeAll();
  std::int32_t functionOf(std::uint32_t pc) const;
  bool isRetried(std::uint32_t pc) const;
  bool stops(std::uint32_t pc) const;

  emit::TraceEvents events_;
  std::shared_ptr<const sim::dpu::Image> image_;
  std::vector<std::string> names_;       // of functions; 0: none
  std::vector<std::int32_t> functions_;  // by instruction
  std::vector<Tasklet> tasklets_;
  std::int64_t now_ = -1, end_ = 0;  // of the current launch
};

/// Of the one program that shows. Diagnostics: trace-graph (there is another number of them), dpu-word-unknown.
Result<evaluate::TimelineMaker> timelineOf(const std::vector<const evaluate::Runnable *> &runs,
                                           const machine::Machine &machine);

}  // namespace pimento::targets::upmem
