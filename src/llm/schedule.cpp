#include "pimento/llm/schedule.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

#include "pimento/base/diagnostics.h"

namespace pimento::llm {

namespace {

/// The longest way from the beginning of each task to the end of all.
std::vector<double> waysToEnd(const std::vector<Task> &tasks) {
  std::vector<double> way(tasks.size(), 0);
  for (std::size_t t = tasks.size(); t-- > 0;) {
    way[t] += tasks[t].time.value;
    for (const int a : tasks[t].after) {
      PIMENTO_CHECK(a >= 0 && static_cast<std::size_t>(a) < t);
      double &before = way[static_cast<std::size_t>(a)];
      before = std::max(before, way[t]);
    }
  }
  return way;
}

struct Ready {
  double way;
  std::size_t task;
  bool operator<(const Ready &o) const { return std::tie(way, o.task) < std::tie(o.way, task); }
};

}  // namespace

std::string_view name(Device device) {
  constexpr std::array<std::string_view, 4> kNames = {"gpu", "pim", "link", "peer"};
  return kNames[static_cast<std::size_t>(device)];
}

Picoseconds Schedule::busy(const std::vector<Task> &tasks, Device device) {
  Picoseconds sum;
  for (const Task &t : tasks)
    if (t.device == device) sum += t.time;
  return sum;
}

Schedule schedule(const std::vector<Task> &tasks) {
  const std::vector<double> way = waysToEnd(tasks);
  std::vector<int> waits(tasks.size(), 0);
  std::vector<std::vector<std::size_t>> readers(tasks.size());
  for (std::size_t t = 0; t < tasks.size(); ++t)
    for (const int a : tasks[t].after) {
      ++waits[t];
      readers[static_cast<std::size_t>(a)].push_back(t);
    }
  std::array<std::priority_queue<Ready>, kDevices.size()> ready;
  std::array<bool, kDevices.size()> isBusy{};
  const auto add = [&](std::size_t t) { ready[static_cast<std::size_t>(tasks[t].device)].push({way[t], t}); };
  for (std::size_t t = 0; t < tasks.size(); ++t)
    if (waits[t] == 0) add(t);
  using Event = std::pair<double, std::size_t>;  // the end of a task
  std::priority_queue<Event, std::vector<Event>, std::greater<>> running;
  Schedule out;
  out.begin.resize(tasks.size());
  double now = 0;
  for (;;) {
    for (std::size_t d = 0; d < ready.size(); ++d) {
      if (isBusy[d] || ready[d].empty()) continue;
      const std::size_t t = ready[d].top().task;
      ready[d].pop();
      isBusy[d] = true;
      out.begin[t] = Picoseconds(now);
      running.emplace(now + tasks[t].time.value, t);
    }
    if (running.empty()) break;
    now = running.top().first;
    while (!running.empty() && running.top().first == now) {
      const std::size_t t = running.top().second;
      running.pop();
      isBusy[static_cast<std::size_t>(tasks[t].device)] = false;
      for (const std::size_t r : readers[t])
        if (--waits[r] == 0) add(r);
    }
  }
  out.end = Picoseconds(now);
  return out;
}

}  // namespace pimento::llm
