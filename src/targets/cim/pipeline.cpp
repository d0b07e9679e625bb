#include "pimento/targets/cim/pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "pimento/emit/trace_events.h"
#include "pimento/sim/core/core.h"
#include "pimento/targets/cim/walker.h"

namespace pimento::targets::cim {

namespace {

using sim::core::Times;

constexpr int kEventsEach = 5;  // the instruction, and its four stretches

/// An instruction lies on the first track that is free while it is in flight, its stretches inside it.
class PipelineWriter final : public Walker {
 public:
  PipelineWriter(const machine::Machine &machine, std::function<void(std::string_view)> write)
      : machine_(machine),
        write_(std::move(write)),
        core_(machine),
        events_(text_, machine.clockGHz, 1, kEventsEach * kMostInstructionsDrawn) {}

 private:
  void begin() override {
    events_.nameDevice(fmt::format("{} on {}", program().name, machine_.name));
    flush();
  }
  void onInstruction(const trace::Instruction &in, std::span<const trace::Access> accesses,
                     std::uint64_t next) override {
    if (number() >= kMostInstructionsDrawn) {
      if (number() == kMostInstructionsDrawn) events_.complete(1, "timeline ends here", cycles_, 0);
      return;
    }
    const Times t = core_.run(in, accesses, next);
    cycles_ = std::max(cycles_, t.committed + 1);
    const int track = trackFor(t);
    events_.complete(track, in.text, t.fetched, t.committed + 1 - t.fetched,
                     fmt::format("\"number\":{},\"address\":\"{:#x}\"{}", number(), in.address, placeOf(accesses, t)));
    stretch(track, "fetch, decode, rename", t.fetched, t.dispatched);
    stretch(track, "waits in the queue", t.dispatched, t.issued);
    stretch(track, "executes", t.issued, t.done);
    stretch(track, "waits to commit", t.done, t.committed + 1);
    flush();
  }
  void finish() override {
    evaluate::Report report;
    report.kernel = program().name;
    report.target = machine_.name;
    report.cycles = Cycles(cycles_);
    static_cast<void>(events_.finish(report, cycles_));  // into memory
    flush();
  }

  /// Where its data were.
  std::string placeOf(std::span<const trace::Access> accesses, const Times &t) const {
    if (accesses.empty()) return {};
    std::string out = fmt::format(",\"bytes at\":\"{:#x}\"", accesses.back().address);
    const auto level = static_cast<std::size_t>(t.level);
    if (t.level >= 0)
      out +=
          fmt::format(",\"data from\":\"{}\"", level < machine_.caches.size() ? machine_.caches[level].name : "memory");
    return out;
  }
  void stretch(int track, std::string_view name, sim::core::Tick from, sim::core::Tick to) {
    if (to > from) events_.complete(track, name, from, to - from);
  }
  int trackFor(const Times &t) {
    const auto free = std::ranges::find_if(busyUntil_, [&](sim::core::Tick until) { return until <= t.fetched; });
    const auto at = free - busyUntil_.begin();
    if (free == busyUntil_.end()) {
      busyUntil_.push_back(0);
      events_.nameTrack(static_cast<int>(at) + 1, fmt::format("in flight {}", at + 1));
    }
    busyUntil_[static_cast<std::size_t>(at)] = t.committed + 1;
    return static_cast<int>(at) + 1;
  }
  void flush() {
    write_(text_.str());
    text_.str({});
  }

  const machine::Machine &machine_;
  std::function<void(std::string_view)> write_;
  sim::core::Core core_;
  std::ostringstream text_;
  emit::TraceEvents events_;
  std::vector<sim::core::Tick> busyUntil_;  ///< by track
  sim::core::Tick cycles_ = 0;
};

}  // namespace

std::unique_ptr<trace::Consumer> pipelineWriter(const machine::Machine &machine,
                                                std::function<void(std::string_view)> write) {
  return std::make_unique<PipelineWriter>(machine, std::move(write));
}

}  // namespace pimento::targets::cim
