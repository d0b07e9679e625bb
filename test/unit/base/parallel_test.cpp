#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "pimento/base/thread_pool.h"

namespace pimento {
namespace {

TEST(ParallelFor, RunsEveryItemOnceAtAnyNumberOfJobs) {
  for (const int jobs : {1, 2, 7}) {
    std::vector<std::atomic<int>> visits(1000);
    parallelFor(jobs, 1000, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
    for (const auto &count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(ParallelFor, WithoutItemsDoesNothing) {
  parallelFor(4, 0, [](std::int64_t) { FAIL(); });
}

TEST(ParallelFor, OneJobStaysOnTheCallersThread) {
  const auto caller = std::this_thread::get_id();
  parallelFor(1, 10, [&](std::int64_t) { EXPECT_EQ(std::this_thread::get_id(), caller); });
}

TEST(ParallelFor, AnExceptionOfAnItemReachesTheCallerAndEndsTheLoop) {
  for (const int jobs : {1, 4}) {
    std::atomic<int> visits{0};
    EXPECT_THROW(parallelFor(jobs, 1'000'000,
                             [&](std::int64_t) {
                               ++visits;
                               throw std::bad_alloc();
                             }),
                 std::bad_alloc);
    EXPECT_LE(visits, jobs);
  }
}

TEST(JobCount, BelowOneMeansAllProcessors) {
  EXPECT_EQ(jobCount(3), 3);
  EXPECT_GE(jobCount(0), 1);
}

}  // namespace
}  // namespace pimento
