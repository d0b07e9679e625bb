// A timeline read back from the trace that `simulate --trace` writes (emit/perfetto.h), and from other traces of
// complete events in Chrome's format as far as they have the same fields.
//
// Events are taken up one by one while the text is parsed, so that a large trace never stands in memory as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pimento/emit/html/node.h"

namespace pimento::emit::html {

/// One interval of a track. Fields that an event has not are -1.
struct TraceEvent {
  double start = 0, length = 0;  ///< cycles; 0 is the device's first
  std::int32_t name = 0;         ///< index into Trace::names
  std::int32_t purpose = -1;     ///< index into Trace::names
  std::int32_t bank = -1, row = -1, column = -1;
};

struct TraceTrack {
  std::int64_t process = 0, thread = 0, rank = 0;  ///< `rank`: where it is sorted
  std::string processName, name;
  std::vector<TraceEvent> events;  ///< by start
};

struct Trace {
  std::vector<TraceTrack> tracks;  ///< in the order of display
  std::vector<std::string> names;
  std::string kernel, target, mapping;
  double periodNs = 1;        ///< length of a cycle
  double begin = 0, end = 0;  ///< of all events, in cycles
  std::size_t events = 0;
  double dropped = 0;  ///< events that the trace itself left out

  /// The track with one event per command; null where there is none.
  const TraceTrack *commands() const;
};

/// Takes up the events of one text, then makes the trace.
class TraceReader {
 public:
  /// One element of "traceEvents".
  void add(const Json &event);
  std::size_t count() const { return count_; }

  /// The trace, once all is parsed; `rest` is the text's value without its events.
  Trace finish(const Node &rest, Problems &problems);

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;

  void metadata(const Json &event, const Key &key);
  void complete(const Json &event, const Key &key);
  std::int32_t nameIndex(const std::string &name);
  void complain(std::string_view what);
  void toCycles(Trace &trace) const;

  std::size_t count_ = 0;
  std::map<Key, TraceTrack> tracks_;
  std::map<std::int64_t, std::string> processes_;
  std::unordered_map<std::string, std::int32_t> index_;
  std::vector<std::string> names_;
  std::vector<std::string> complaints_;
};

}  // namespace pimento::emit::html
