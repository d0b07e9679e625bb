// Asynchronous work, callbacks, status.
#include <dpu.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hosts.h"
#include "test/support/capi_programs.h"

namespace {

using pimento::test::Dpus;
using pimento::test::kFault;
using pimento::test::kIncrement;

TEST(DpuAsync, WorkKeepsItsOrderOnEveryRank) {
  EXPECT_EQ(hostOfAsyncRounds(kIncrement, 130, 12), 0);
}

TEST(DpuAsync, SynchronousWorkWaitsForWhatWasBegunBefore) {
  Dpus dpus(4);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpus.word(3, "total"), 20U);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_OK);
}

TEST(DpuAsync, TheEndOfASetWaitsForItsWork) {
  std::atomic<int> calls = 0;
  {
    Dpus dpus(65);
    const auto count = [](dpu_set_t, std::uint32_t, void *args) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ++*static_cast<std::atomic<int> *>(args);
      return DPU_OK;
    };
    ASSERT_EQ(dpu_callback(dpus.set, count, &calls, DPU_CALLBACK_ASYNC), DPU_OK);
  }
  EXPECT_EQ(calls, 2);
}

struct Seen {
  std::vector<std::uint32_t> ranks, sizes;
  bool isFailing = false;
};
dpu_error_t see(dpu_set_t set, std::uint32_t rank, void *args) {
  auto *seen = static_cast<Seen *>(args);
  std::uint32_t n = 0;
  dpu_get_nr_dpus(set, &n);
  seen->ranks.push_back(rank);
  seen->sizes.push_back(n);
  return seen->isFailing ? DPU_ERR_TIMEOUT : DPU_OK;
}

TEST(DpuCallback, IsCalledForEveryRank) {
  Dpus dpus(130);
  Seen seen;
  ASSERT_EQ(dpu_callback(dpus.set, see, &seen, DPU_CALLBACK_DEFAULT), DPU_OK);
  EXPECT_EQ(seen.ranks, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(seen.sizes, (std::vector<std::uint32_t>{64, 64, 2}));
}

TEST(DpuCallback, MayBeOneCallForTheWholeSet) {
  Dpus dpus(130);
  Seen seen;
  ASSERT_EQ(dpu_callback(dpus.set, see, &seen, DPU_CALLBACK_SINGLE_CALL), DPU_OK);
  EXPECT_EQ(seen.sizes, std::vector<std::uint32_t>{130});
}

TEST(DpuCallback, ItsFailureIsThatOfTheSync) {
  Dpus dpus(65);
  Seen seen;
  seen.isFailing = true;
  ASSERT_EQ(dpu_callback(dpus.set, see, &seen, DPU_CALLBACK_ASYNC), DPU_OK);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_ERR_TIMEOUT);
  EXPECT_EQ(seen.ranks.size(), 2U);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_OK) << "a failure is told once";
}

TEST(DpuCallback, MayTransferAndSync) {
  Dpus dpus(1);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  std::uint32_t result = 0;
  const auto fetch = [](dpu_set_t set, std::uint32_t, void *args) {
    const dpu_error_t e = dpu_copy_from(set, "result", 0, args, 4);
    return e == DPU_OK ? dpu_sync(set) : e;
  };
  ASSERT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_OK);
  ASSERT_EQ(dpu_callback(dpus.set, fetch, &result, DPU_CALLBACK_ASYNC), DPU_OK);
  ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
  EXPECT_EQ(result, 1U);
}

TEST(DpuCallback, ANonblockingOneLetsLaterWorkPass) {
  Dpus dpus(1);
  std::atomic<bool> isLater = false;
  const auto await = [](dpu_set_t, std::uint32_t, void *args) {
    auto &flag = *static_cast<std::atomic<bool> *>(args);
    flag.wait(false);
    return DPU_OK;
  };
  const auto release = [](dpu_set_t, std::uint32_t, void *args) {
    auto &flag = *static_cast<std::atomic<bool> *>(args);
    flag = true;
    flag.notify_all();
    return DPU_OK;
  };
  const auto both = static_cast<dpu_callback_flags_t>(DPU_CALLBACK_ASYNC | DPU_CALLBACK_NONBLOCKING);
  ASSERT_EQ(dpu_callback(dpus.set, await, &isLater, both), DPU_OK);
  ASSERT_EQ(dpu_callback(dpus.set, release, &isLater, DPU_CALLBACK_ASYNC), DPU_OK);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_OK);
  EXPECT_TRUE(isLater);
}

TEST(DpuStatus, TellsWorkThatIsLeftOnItsRanks) {
  Dpus dpus(65);
  std::atomic<bool> mayEnd = false;
  const auto await = [](dpu_set_t, std::uint32_t, void *args) {
    static_cast<std::atomic<bool> *>(args)->wait(false);
    return DPU_OK;
  };
  ASSERT_EQ(dpu_callback(dpus.at(64), await, &mayEnd, DPU_CALLBACK_ASYNC), DPU_OK);
  bool done = true, fault = true;
  ASSERT_EQ(dpu_status(dpus.set, &done, &fault), DPU_OK);
  EXPECT_FALSE(done);
  EXPECT_FALSE(fault);
  ASSERT_EQ(dpu_status(dpus.at(0), &done, nullptr), DPU_OK);
  EXPECT_TRUE(done) << "rank 0 has nothing to do";
  mayEnd = true;
  mayEnd.notify_all();
  ASSERT_EQ(dpu_sync(dpus.set), DPU_OK);
  ASSERT_EQ(dpu_status(dpus.set, &done, &fault), DPU_OK);
  EXPECT_TRUE(done);
}

TEST(DpuStatus, TellsAFaultUntilAnotherProgramIsLoaded) {
  Dpus dpus(2);
  ASSERT_EQ(dpus.load(kFault), DPU_OK);
  const std::uint32_t one = 1;
  ASSERT_EQ(dpu_copy_to(dpus.at(1), "value", 0, &one, 4), DPU_OK);
  ASSERT_EQ(dpu_launch(dpus.set, DPU_ASYNCHRONOUS), DPU_OK);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_ERR_DPU_FAULT);
  bool done = false, fault = false;
  ASSERT_EQ(dpu_status(dpus.set, &done, &fault), DPU_OK);
  EXPECT_TRUE(done);
  EXPECT_TRUE(fault);
  EXPECT_EQ(dpu_sync(dpus.set), DPU_ERR_DPU_FAULT);
  EXPECT_EQ(dpu_sync(dpus.at(0)), DPU_OK);
  ASSERT_EQ(dpus.load(kIncrement), DPU_OK);
  ASSERT_EQ(dpu_status(dpus.set, &done, &fault), DPU_OK);
  EXPECT_FALSE(fault);
  EXPECT_EQ(dpu_launch(dpus.set, DPU_SYNCHRONOUS), DPU_OK);
}

}  // namespace
