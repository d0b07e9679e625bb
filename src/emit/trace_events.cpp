#include "pimento/emit/trace_events.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "pimento/base/text.h"

namespace pimento::emit {

namespace {

constexpr int kHost = 1, kHostTrack = 1;

std::string jsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string microseconds(std::int64_t picoseconds) {
  return fmt::format("{}.{:06}", picoseconds / 1'000'000, picoseconds % 1'000'000);
}

}  // namespace

TraceEvents::TraceEvents(std::ostream &out, double clockGHz, int mainTrack, std::int64_t maxEvents)
    : out_(&out), clockGHz_(clockGHz), mainTrack_(mainTrack), left_(maxEvents) {
  *out_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  metadata("process_name", kHost, kHostTrack, "name", "host");
  nameTrack(kHost, kHostTrack, "phases");
}

void TraceEvents::nameDevice(std::string_view name) {
  metadata("process_name", kDevice, mainTrack_, "name", name);
}

void TraceEvents::nameTrack(int track, std::string_view name) {
  nameTrack(kDevice, track, name);
}

void TraceEvents::complete(int track, std::string_view name, std::int64_t from, std::int64_t cycles,
                           std::string_view args) {
  if (mayWrite(from)) event(kDevice, track, name, from, cycles, args);
}

void TraceEvents::completeAsked(int track, std::string_view name, std::int64_t from, std::int64_t cycles,
                                std::string_view args) {
  event(kDevice, track, name, from, cycles, args);
}

bool TraceEvents::mayWrite(std::int64_t at) {
  if (left_ > 0) {
    --left_;
    return true;
  }
  if (dropped_++ == 0) event(kDevice, mainTrack_, "trace truncated", at, 0, {});
  return false;
}

void TraceEvents::hostBefore(const evaluate::Breakdown &parts) {
  for (const evaluate::PartInfo &p : evaluate::kRunOrder)
    if (p.place < evaluate::infoOf(evaluate::Part::kCompute).place) hostPhase(p.title, parts[p.part]);
  origin_ = hostEnd_;
}

Status TraceEvents::finish(const evaluate::Report &report, std::int64_t cycles) {
  hostEnd_ = origin_ + cycles;
  const evaluate::Breakdown parts = report.breakdown();
  for (const evaluate::PartInfo &p : evaluate::kRunOrder)
    if (p.place > evaluate::infoOf(evaluate::Part::kCompute).place) hostPhase(p.title, parts[p.part]);
  *out_ << fmt::format(
      "\n],\"otherData\":{{\"kernel\":{},\"target\":{},\"mapping\":{},\"cycles\":{},\"clock_ghz\":{},\"dropped\":{}}}}}"
      "\n",
      jsonString(report.kernel), jsonString(report.target), jsonString(report.mapping), report.cycles.value,
      numberText(clockGHz_), dropped_);
  out_->flush();
  if (*out_) return okStatus();
  return error("unwritable-file", {}, "the timeline was not fully written", "is the disk full?");
}

void TraceEvents::hostPhase(std::string_view name, Cycles length) {
  if (length.value <= 0) return;
  const std::int64_t from = hostEnd_ - origin_;  // event() counts from the run's cycle 0
  event(kHost, kHostTrack, name, from, length.value, {});
  hostEnd_ += length.value;
}

void TraceEvents::nameTrack(int process, int track, std::string_view name) {
  metadata("thread_name", process, track, "name", name);
  begin();
  *out_ << fmt::format(R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}})",
                       process, track, track);
}

void TraceEvents::metadata(std::string_view kind, int process, int track, std::string_view key,
                           std::string_view value) {
  begin();
  *out_ << fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"{}":{}}}}})", kind, process, track, key,
                       jsonString(value));
}

void TraceEvents::event(int process, int track, std::string_view name, std::int64_t from, std::int64_t cycles,
                        std::string_view args) {
  begin();
  const std::int64_t start = picoseconds(origin_ + from);
  *out_ << fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", jsonString(name),
                       process, track, microseconds(start), microseconds(picoseconds(origin_ + from + cycles) - start),
                       args);
}

/// Every event stands on a line of its own.
void TraceEvents::begin() {
  *out_ << (isFirst_ ? "\n" : ",\n");
  isFirst_ = false;
}

/// Whole picoseconds, so that the end of one event is not after the start of the next.
std::int64_t TraceEvents::picoseconds(std::int64_t cycles) const {
  return static_cast<std::int64_t>(std::llround(static_cast<double>(cycles) * 1000.0 / clockGHz_));
}

}  // namespace pimento::emit
