// A timeline's text, checked against the rules of the trace event format and sorted by track.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace pimento::test {

using Json = nlohmann::json;
using TraceTrack = std::pair<int, int>;

/// A complete event, times in whole picoseconds.
struct TraceEvent {
  std::string name;
  std::int64_t from = 0, length = 0;
  Json args;

  std::int64_t end() const { return from + length; }
};

inline std::int64_t picoseconds(const Json &microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

/// Checks a text against the trace event format's rules, as its document states them, and sorts it by track.
class Checked {
 public:
  explicit Checked(const std::string &text) {
    const Json file = Json::parse(text, nullptr, false);
    if (file.is_discarded() || !file.is_object() || !file.contains("traceEvents") || !file["traceEvents"].is_array()) {
      ADD_FAILURE() << "not the JSON object form: " << text.substr(0, 200);
      return;
    }
    other = file.value("otherData", Json());
    for (const Json &e : file["traceEvents"]) take(e);
    checkTracks();
  }

  const std::vector<TraceEvent> &track(const std::string &name) const {
    static const std::vector<TraceEvent> kNone;
    for (const auto &[id, title] : names)
      if (title == name && events.count(id) != 0) return events.at(id);
    return kNone;
  }

  std::map<TraceTrack, std::string> names;
  std::map<TraceTrack, std::vector<TraceEvent>> events;
  Json other;

 private:
  void take(const Json &e) {
    ASSERT_TRUE(e.is_object()) << e;
    for (const char *key : {"ph", "name"}) ASSERT_TRUE(e.contains(key) && e[key].is_string()) << key << " in " << e;
    for (const char *key : {"pid", "tid"})
      ASSERT_TRUE(e.contains(key) && e[key].is_number_integer()) << key << " in " << e;
    const TraceTrack id{e["pid"], e["tid"]};
    if (e["ph"] == "M") return takeMetadata(e, id);
    ASSERT_EQ(e["ph"], "X") << "a phase that we do not write: " << e;
    for (const char *key : {"ts", "dur"}) {
      ASSERT_TRUE(e.contains(key) && e[key].is_number()) << key << " in " << e;
      EXPECT_GE(e[key].get<double>(), 0) << e;
    }
    EXPECT_FALSE(e["name"].get<std::string>().empty()) << e;
    EXPECT_TRUE(!e.contains("args") || e["args"].is_object()) << e;
    events[id].push_back({e["name"], picoseconds(e["ts"]), picoseconds(e["dur"]), e.value("args", Json::object())});
  }

  void takeMetadata(const Json &e, const TraceTrack &id) {
    const std::string kind = e["name"];
    ASSERT_TRUE(e.contains("args") && e["args"].is_object()) << e;
    if (kind == "process_name" || kind == "thread_name") {
      ASSERT_TRUE(e["args"].contains("name") && e["args"]["name"].is_string()) << e;
      const bool isNew =
          kind == "process_name" ? processes_.emplace(id.first).second : names.emplace(id, e["args"]["name"]).second;
      EXPECT_TRUE(isNew) << "named twice: " << e;
    } else if (kind == "process_sort_index" || kind == "thread_sort_index") {
      ASSERT_TRUE(e["args"].contains("sort_index") && e["args"]["sort_index"].is_number_integer()) << e;
    } else {
      ADD_FAILURE() << "unknown metadata: " << e;
    }
  }

  void checkTracks() const {
    std::set<int> tids;
    std::set<std::string> titles;
    for (const auto &[id, title] : names) {
      EXPECT_TRUE(tids.insert(id.second).second) << "thread ids are those of a system: " << title;
      EXPECT_TRUE(titles.insert(title).second) << "two tracks are called " << title;
    }
    for (const auto &[id, list] : events) {
      EXPECT_EQ(processes_.count(id.first), 1u) << "process without a name: " << id.first;
      EXPECT_EQ(names.count(id), 1u) << "track without a name: " << id.second;
      for (std::size_t i = 1; i < list.size(); ++i)
        // Complete events of one thread may nest; ours follow one another.
        EXPECT_GE(list[i].from, list[i - 1].end()) << list[i].name << " begins before " << list[i - 1].name << " ends";
    }
  }

  std::set<int> processes_;
};

}  // namespace pimento::test
