#include "pimento/emit/html/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pimento::emit::html {

namespace {

constexpr std::size_t kMaxComplaints = 10;
constexpr double kNsPerUs = 1000;
constexpr double kLargest = 1e15;                       // beyond, cycles are no longer told apart
constexpr double kShortestNs = 1e-6, kLongestNs = 1e6;  // of a cycle
constexpr const char *kHint = "pass a trace written by `pimento simulate INPUT --trace FILE`";

const Json *memberOf(const Json &object, const char *key) {
  if (!object.is_object()) return nullptr;
  const auto it = object.find(key);
  return it == object.end() ? nullptr : &*it;
}

std::optional<double> numberOf(const Json *value) {
  if (value == nullptr || !value->is_number()) return std::nullopt;
  const double x = value->get<double>();
  return std::abs(x) <= kLargest ? std::optional(x) : std::nullopt;
}

std::int32_t smallOf(const Json &args, const char *key) {
  const std::optional<double> x = numberOf(memberOf(args, key));
  return x && *x >= 0 && *x < 2147483647.0 ? static_cast<std::int32_t>(*x) : -1;
}

std::string textOf(const Json *value) {
  return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

/// Where the device's cycle 0 is, in microseconds: at the end of what the host did before the first command.
double originOf(const Trace &trace) {
  const TraceTrack *commands = trace.commands();
  if (commands == nullptr) return 0;
  double first = commands->events.front().start, origin = 0;
  for (const TraceEvent &e : commands->events) first = std::min(first, e.start);
  for (const TraceTrack &t : trace.tracks)
    if (t.process != commands->process)
      for (const TraceEvent &e : t.events)
        if (e.start + e.length <= first) origin = std::max(origin, e.start + e.length);
  return origin;
}

}  // namespace

const TraceTrack *Trace::commands() const {
  for (const TraceTrack &t : tracks)
    if (t.name == "commands") return &t;
  return nullptr;
}

void TraceReader::complain(std::string_view what) {
  if (complaints_.size() < kMaxComplaints) complaints_.push_back(fmt::format("event {} {}", count_, what));
}

std::int32_t TraceReader::nameIndex(const std::string &name) {
  const auto [it, isNew] = index_.emplace(name, static_cast<std::int32_t>(names_.size()));
  if (isNew) names_.push_back(name);
  return it->second;
}

void TraceReader::add(const Json &event) {
  ++count_;
  if (!event.is_object()) return complain("is not an object");
  const std::string phase = textOf(memberOf(event, "ph"));
  if (phase.empty()) return complain("has no phase ('ph')");
  if (phase != "M" && phase != "X") return;  // counters, flows, ...: other tools' events, nothing to draw
  const std::optional<double> process = numberOf(memberOf(event, "pid")), thread = numberOf(memberOf(event, "tid"));
  if (!process) return complain("has no process number ('pid')");
  const Key key{std::llround(*process), std::llround(thread.value_or(0))};
  if (phase == "M")
    metadata(event, key);
  else
    complete(event, key);
}

void TraceReader::metadata(const Json &event, const Key &key) {
  const std::string what = textOf(memberOf(event, "name"));
  const Json *args = memberOf(event, "args");
  if (args == nullptr) return;
  if (what == "process_name") processes_[key.first] = textOf(memberOf(*args, "name"));
  if (what == "thread_name") tracks_[key].name = textOf(memberOf(*args, "name"));
  if (what == "thread_sort_index")
    tracks_[key].rank = std::llround(numberOf(memberOf(*args, "sort_index")).value_or(0));
}

void TraceReader::complete(const Json &event, const Key &key) {
  const std::optional<double> start = numberOf(memberOf(event, "ts")), length = numberOf(memberOf(event, "dur"));
  if (!start) return complain("has no start ('ts', in microseconds)");
  if (!length || *length < 0) return complain("has no length ('dur', in microseconds)");
  TraceEvent e;
  e.start = *start;
  e.length = *length;
  e.name = nameIndex(textOf(memberOf(event, "name")));
  if (const Json *args = memberOf(event, "args")) {
    e.bank = smallOf(*args, "bank");
    e.row = smallOf(*args, "row");
    e.column = smallOf(*args, "column");
    if (const std::string purpose = textOf(memberOf(*args, "purpose")); !purpose.empty())
      e.purpose = nameIndex(purpose);
  }
  tracks_[key].events.push_back(e);
}

/// From microseconds to cycles, whole ones where the trace has them.
void TraceReader::toCycles(Trace &trace) const {
  const double origin = originOf(trace);
  bool isFirst = true;
  for (TraceTrack &t : trace.tracks) {
    for (TraceEvent &e : t.events) {
      const double start = e.start - origin, end = start + e.length;
      e.start = std::round(start * kNsPerUs / trace.periodNs);
      e.length = std::max(0.0, std::round(end * kNsPerUs / trace.periodNs) - e.start);
      trace.begin = isFirst ? e.start : std::min(trace.begin, e.start);
      trace.end = isFirst ? e.start + e.length : std::max(trace.end, e.start + e.length);
      isFirst = false;
    }
    std::stable_sort(t.events.begin(), t.events.end(), [](const auto &a, const auto &b) { return a.start < b.start; });
  }
}

Trace TraceReader::finish(const Node &rest, Problems &problems) {
  for (const std::string &c : complaints_) problems.add("bad-value", c, kHint);
  Trace trace;
  trace.names = std::move(names_);
  for (auto &[key, track] : tracks_) {
    track.process = key.first;
    track.thread = key.second;
    track.processName = processes_[key.first];
    if (track.name.empty()) track.name = fmt::format("thread {}", key.second);
    trace.events += track.events.size();
    if (!track.events.empty()) trace.tracks.push_back(std::move(track));
  }
  std::stable_sort(trace.tracks.begin(), trace.tracks.end(), [](const auto &a, const auto &b) {
    return std::pair(a.process, a.rank) < std::pair(b.process, b.rank);
  });
  std::optional<double> clock;
  if (const auto other = rest.find("otherData")) {
    trace.kernel = other->textOr("kernel", "");
    trace.target = other->textOr("target", "");
    trace.mapping = other->textOr("mapping", "");
    trace.dropped = other->amountOr("dropped", 0);
    clock = other->maybeAmount("clock_ghz");
    if (clock && (1 / *clock < kShortestNs || 1 / *clock > kLongestNs))
      other->at("clock_ghz").refuse("is not a clock rate", "give it in GHz");
  }
  if (problems.any()) return trace;
  const TraceTrack *commands = trace.commands();
  if (clock)
    trace.periodNs = 1 / *clock;
  else if (commands != nullptr && commands->events.front().length > 0)
    trace.periodNs = commands->events.front().length * kNsPerUs;  // a command holds its slot for one cycle
  if (trace.periodNs < kShortestNs || trace.periodNs > kLongestNs) trace.periodNs = 1;
  toCycles(trace);
  return trace;
}

}  // namespace pimento::emit::html
