// Schedules of tasks, held against a plain checker and against bounds.
#include "pimento/llm/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/rng.h"
#include "test/support/cases.h"

namespace pimento::llm {
namespace {

/// Every pair of tasks, as the rule says it: nothing is read before it is there, no device has two tasks at once.
void expectSound(const std::vector<Task> &tasks, const Schedule &s) {
  ASSERT_EQ(s.begin.size(), tasks.size());
  const auto end = [&](std::size_t t) { return s.begin[t].value + tasks[t].time.value; };
  double last = 0;
  for (std::size_t a = 0; a < tasks.size(); ++a) {
    EXPECT_GE(s.begin[a].value, 0);
    last = std::max(last, end(a));
    for (const int read : tasks[a].after)
      EXPECT_GE(s.begin[a].value, end(static_cast<std::size_t>(read))) << tasks[a].name;
    for (std::size_t b = 0; b < a; ++b) {
      if (tasks[a].device != tasks[b].device) continue;
      EXPECT_TRUE(s.begin[a].value >= end(b) || s.begin[b].value >= end(a)) << a << " and " << b;
    }
  }
  EXPECT_EQ(s.end.value, last);
}

std::vector<Task> randomTasks(Rng &rng) {
  std::vector<Task> tasks(1 + rng.below(24));
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    tasks[t].device = kDevices[rng.below(kDevices.size())];
    tasks[t].time = Picoseconds(static_cast<double>(rng.below(5)));
    for (std::size_t a = 0; a < t; ++a)
      if (rng.below(4) == 0) tasks[t].after.push_back(static_cast<int>(a));
  }
  return tasks;
}

TEST(Schedules, AreSoundForRandomTasks) {
  Rng rng(1);
  for (std::int64_t i = 0; i < test::caseCount(1000); ++i) {
    const std::vector<Task> tasks = randomTasks(rng);
    expectSound(tasks, schedule(tasks));
  }
}

TEST(Schedules, TakeNoLessThanTheirBusiestDeviceAndNoMoreThanAllTasks) {
  Rng rng(2);
  for (std::int64_t i = 0; i < test::caseCount(1000); ++i) {
    const std::vector<Task> tasks = randomTasks(rng);
    const double end = schedule(tasks).end.value;
    double all = 0;
    for (const Device d : kDevices) {
      const double busy = Schedule::busy(tasks, d).value;
      EXPECT_GE(end, busy);
      all += busy;
    }
    EXPECT_LE(end, all);
  }
}

TEST(Schedules, DevicesWorkAtTheSameTime) {
  const std::vector<Task> tasks = {{"in", Device::kLink, Picoseconds(2), {}},
                                   {"gpu", Device::kGpu, Picoseconds(7), {}},
                                   {"pim", Device::kPim, Picoseconds(4), {0}},
                                   {"out", Device::kLink, Picoseconds(1), {2}}};
  EXPECT_EQ(schedule(tasks).end.value, 7);
}

TEST(Schedules, TheTaskWithTheLongestWayGoesFirst) {
  const std::vector<Task> tasks = {{"short", Device::kGpu, Picoseconds(3), {}},
                                   {"long", Device::kGpu, Picoseconds(3), {}},
                                   {"behind", Device::kPim, Picoseconds(10), {1}}};
  const Schedule s = schedule(tasks);
  EXPECT_EQ(s.begin[1].value, 0);
  EXPECT_EQ(s.end.value, 13);
}

TEST(Schedules, OfNothingEndAtOnce) {
  EXPECT_EQ(schedule({}).end.value, 0);
}

}  // namespace
}  // namespace pimento::llm
