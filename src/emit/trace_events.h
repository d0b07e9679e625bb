// The writer of timelines: Chrome's trace event format (JSON object form: traceEvents, complete events "X" with ts and
// dur in microseconds, metadata "M"), which Perfetto and chrome://tracing read.
//
// What tracks there are and what stands in them is for the classes that use it: PerfettoTrace (commands of a DRAM
// channel), DpuTimeline (tasklets of a DPU). Common to all: the track of the host's phases, the clock, the limit.
//
// Events are written as they happen and not kept. Limits: 130 to 180 bytes per event; after `maxEvents` events the rest
// is dropped, counted, and an event named "trace truncated" says so. A trace of two million events (about 300 MB) still
// opens in the browser.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/base/units.h"
#include "pimento/evaluate/report.h"

namespace pimento::emit {

class TraceEvents {
 public:
  static constexpr std::int64_t kMaxEvents = 2'000'000;
  static constexpr int kDevice = 2;  ///< process of the device's tracks; the host's is another

  /// Writes the head of the file. `out` must outlive this. "trace truncated" stands on the device's `mainTrack`.
  TraceEvents(std::ostream &out, double clockGHz, int mainTrack, std::int64_t maxEvents);

  void nameDevice(std::string_view name);
  void nameTrack(int track, std::string_view name);
  /// A device event, if it still fits: cycles from the current origin. `args`: members of a JSON object.
  void complete(int track, std::string_view name, std::int64_t from, std::int64_t cycles, std::string_view args = {});
  /// Whether one more event fits; says once, at `at`, that none does. complete() asks by itself.
  bool mayWrite(std::int64_t at);
  /// The same for callers that have asked.
  void completeAsked(int track, std::string_view name, std::int64_t from, std::int64_t cycles,
                     std::string_view args = {});

  /// What the host does before the device; the device's cycle 0 follows.
  void hostBefore(const evaluate::Breakdown &parts);
  /// The next run's cycle 0 is `cycles` later.
  void advance(std::int64_t cycles) { origin_ += cycles; }
  /// What the host does behind the device's run, which took `cycles`, and the end of the file. Diagnostic:
  /// "unwritable-file".
  Status finish(const evaluate::Report &report, std::int64_t cycles);

  /// Events left out because of the limit.
  std::int64_t dropped() const { return dropped_; }

 private:
  void metadata(std::string_view kind, int process, int track, std::string_view key, std::string_view value);
  void nameTrack(int process, int track, std::string_view name);
  void event(int process, int track, std::string_view name, std::int64_t from, std::int64_t cycles,
             std::string_view args);
  void hostPhase(std::string_view name, Cycles length);
  void begin();
  std::int64_t picoseconds(std::int64_t cycles) const;

  std::ostream *out_;
  double clockGHz_;
  int mainTrack_;
  std::int64_t left_, dropped_ = 0;
  bool isFirst_ = true;
  std::int64_t origin_ = 0;  // cycle 0 of the current run, on the trace's own axis
  std::int64_t hostEnd_ = 0;
};

}  // namespace pimento::emit
