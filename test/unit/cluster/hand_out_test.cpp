// Tasks are dealt out, once each, and again where a rank is lost.
#include "pimento/cluster/hand_out.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pimento/base/rng.h"

namespace pimento::cluster {
namespace {

using Numbers = std::vector<std::int64_t>;

TEST(HandOut, BeginsWithOneTaskForEachJob) {
  HandOut h(3);
  h.join(0, 1);
  h.join(1, 2);
  for (int t = 0; t < 10; ++t) h.add(t);
  EXPECT_EQ(h.take(0), Numbers{0});
  EXPECT_EQ(h.take(1), (Numbers{1, 2}));
  EXPECT_TRUE(h.take(1).empty()) << "it has enough";
  EXPECT_TRUE(h.take(2).empty()) << "it is not there";
}

TEST(HandOut, ChunksTakeAboutTheirTimeAndGetSmallerTowardsTheEnd) {
  HandOut h(2, 1.0);
  h.join(1, 1);
  for (int t = 0; t < 1000; ++t) h.add(t);
  ASSERT_EQ(h.take(1).size(), 1U);
  EXPECT_TRUE(h.finish(1, 0, 0.01));
  std::size_t last = 1, most = 0;
  while (!h.isIdle()) {
    const Numbers chunk = h.take(1);
    EXPECT_LE(chunk.size(), 4 * last) << "twice as many as before, and as many again while it asks";
    last = chunk.size();
    most = std::max(most, last);
    for (const std::int64_t t : chunk) EXPECT_TRUE(h.finish(1, t, 0.01));
  }
  EXPECT_EQ(most, 200U) << "a second of work, and another second's while it asks";
  EXPECT_LE(last, 2U);
}

TEST(HandOut, LongTasksAreNotDealtOutAhead) {
  HandOut h(2, 1.0);
  h.join(1, 4);
  for (int t = 0; t < 1000; ++t) h.add(t);
  for (const std::int64_t t : h.take(1)) h.finish(1, t, 20.0);
  EXPECT_EQ(h.take(1).size(), 4U);
}

TEST(HandOut, WhatALostRankHadIsNext) {
  HandOut h(3);
  h.join(1, 3);
  h.join(2, 1);
  for (int t = 0; t < 5; ++t) h.add(t);
  ASSERT_EQ(h.take(1), (Numbers{0, 1, 2}));
  EXPECT_TRUE(h.finish(1, 1, 1.0));
  h.leave(1);
  EXPECT_TRUE(h.take(1).empty());
  EXPECT_EQ(h.take(2), Numbers{0});
  EXPECT_TRUE(h.finish(2, 0, 1.0));
  EXPECT_EQ(h.take(2), Numbers{2});
  EXPECT_TRUE(h.finish(1, 2, 1.0)) << "the rank was not lost: its result counts";
  EXPECT_FALSE(h.finish(2, 2, 1.0));
}

TEST(HandOut, LaterTasksAreForOtherRanksThatWouldWait) {
  HandOut h(3);
  for (std::size_t r = 0; r < 3; ++r) h.join(r, 1);
  h.add(0);
  h.setLater({7, 8, 9});
  EXPECT_EQ(h.take(1), Numbers{0});
  EXPECT_TRUE(h.take(0).empty()) << "the first rank waits for what it asked for";
  EXPECT_EQ(h.take(2), Numbers{7});
  h.promote(9);
  EXPECT_EQ(h.take(0), Numbers{9});
  h.setLater({});
  EXPECT_FALSE(h.hasLater());
  h.promote(8);
  EXPECT_EQ(h.take(0), Numbers{8}) << "it was named before";
}

// Random ranks that come, finish and get lost: every task is finished, and counted once.
TEST(HandOut, FinishesAllTasksWhateverHappensToRanks) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const std::size_t ranks = 2 + rng.below(6);
    const auto count = static_cast<std::int64_t>(1 + rng.below(200));
    HandOut h(ranks);
    h.join(0, 1);  // is never lost
    std::map<std::size_t, std::set<std::int64_t>> has;
    std::set<std::int64_t> finished;
    for (std::int64_t t = 0; t < count; ++t) h.add(t);
    while (static_cast<std::int64_t>(finished.size()) < count) {
      const std::size_t rank = rng.below(ranks);
      switch (rng.below(rank == 0 ? 2 : 4)) {
        case 0:
          for (const std::int64_t t : h.take(rank)) has[rank].insert(t);
          break;
        case 1:
          if (!has[rank].empty()) {
            const std::int64_t t = *has[rank].begin();
            has[rank].erase(t);
            ASSERT_EQ(h.finish(rank, t, rng.unit()), finished.insert(t).second) << "seed " << seed;
          }
          break;
        case 2:
          h.join(rank, static_cast<int>(1 + rng.below(4)));
          break;
        default:
          h.leave(rank);
          if (rng.below(2) == 0) has[rank].clear();  // else it was only silent
      }
    }
    EXPECT_EQ(h.waiting(), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pimento::cluster
