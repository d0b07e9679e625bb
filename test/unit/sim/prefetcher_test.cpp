// Prefetchers and translation buffers on accesses whose answer is known.
#include "pimento/sim/cache/prefetcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "pimento/base/rng.h"
#include "pimento/sim/cache/tlb.h"

namespace pimento::test {
namespace {

using sim::cache::Bingo;
using sim::cache::StridePrefetcher;
using sim::cache::Tlb;

using Lines = std::vector<std::uint64_t>;

Lines seen(sim::cache::Prefetcher &p, std::uint64_t instruction, std::uint64_t line) {
  Lines out;
  p.saw(instruction, line, out);
  return out;
}

TEST(StridePrefetcher, StaysSoManyLinesAheadOfAStream) {
  StridePrefetcher p({2, 4});
  EXPECT_TRUE(seen(p, 1, 100).empty());
  EXPECT_TRUE(seen(p, 1, 103).empty()) << "one distance is no stream";
  EXPECT_EQ(seen(p, 1, 106), (Lines{109, 112, 115, 118}));
  EXPECT_TRUE(seen(p, 1, 106).empty()) << "the same line";
  EXPECT_EQ(seen(p, 1, 109), (Lines{121}));
  EXPECT_TRUE(seen(p, 1, 200).empty()) << "it has gone elsewhere";
  EXPECT_TRUE(seen(p, 1, 203).empty());
  EXPECT_EQ(seen(p, 1, 206), (Lines{209, 212, 215, 218}));
}

TEST(StridePrefetcher, GoesDownAndKeepsStreamsOfInstructionsApart) {
  StridePrefetcher p({2, 2});
  for (const std::uint64_t i : {0, 1}) {
    EXPECT_TRUE(seen(p, 10, 50 - i).empty());
    EXPECT_TRUE(seen(p, 20, 1000 + 5 * i).empty());
  }
  EXPECT_EQ(seen(p, 10, 48), (Lines{47, 46}));
  EXPECT_EQ(seen(p, 20, 1010), (Lines{1015, 1020}));
  seen(p, 30, 7);  // the least recently used one goes
  EXPECT_TRUE(seen(p, 10, 47).empty());
}

TEST(StridePrefetcher, CoversAStreamButForItsBegin) {
  StridePrefetcher p({16, 16});
  std::set<std::uint64_t> there;
  int misses = 0;
  for (std::uint64_t line = 0; line < 1000; ++line) {
    misses += there.contains(line) ? 0 : 1;
    for (const std::uint64_t l : seen(p, 1, line)) EXPECT_TRUE(there.insert(l).second) << "twice";
  }
  EXPECT_EQ(misses, 3);
}

TEST(Bingo, BringsTheFootprintOfTheSameBegin) {
  Bingo p({32, 2, 16, 4, 0.2});
  // Region 5 begins at its line 3 and uses 3, 4, 9.
  for (const std::uint64_t line : {3, 4, 9}) EXPECT_TRUE(seen(p, 77, 5 * 32 + line).empty());
  seen(p, 1, 32 * 100);
  seen(p, 1, 32 * 101);  // region 5 is over
  EXPECT_EQ(seen(p, 77, 5 * 32 + 3), (Lines{5 * 32 + 4, 5 * 32 + 9})) << "instruction and address";
}

TEST(Bingo, ElseThatOfOthersOfTheInstructionAndPlace) {
  Bingo p({32, 1, 16, 8, 0.5});
  // Three regions begin at line 0; two of them use line 7, one line 20.
  for (const std::uint64_t region : {10, 11, 12}) {
    seen(p, 5, region * 32);
    seen(p, 6, region * 32 + (region == 12 ? 20 : 7));
  }
  seen(p, 9, 32 * 500);
  EXPECT_EQ(seen(p, 5, 40 * 32), (Lines{40 * 32 + 7})) << "half of them at least";
  EXPECT_TRUE(seen(p, 8, 41 * 32).empty()) << "another instruction";
}

TEST(Bingo, CoversRowsThatAreWalkedAlike) {
  Bingo p({32, 16, 128, 8, 0.2});
  std::set<std::uint64_t> there;
  int misses = 0, accesses = 0;
  for (std::uint64_t region = 0; region < 400; ++region)
    for (const std::uint64_t line : {1, 2, 3, 17, 30}) {
      const std::uint64_t l = region * 32 + line;
      ++accesses;
      misses += there.contains(l) ? 0 : 1;
      for (const std::uint64_t more : seen(p, 3 + line, l)) there.insert(more);
    }
  EXPECT_LE(misses, 400 + 5 * 20) << "the first of each region, and all while it learns";
}

TEST(Tlb, HitsNearFarAndWalks) {
  Tlb tlb({{4, 2, 0}, {16, 4, 8}}, 100);
  EXPECT_EQ(tlb.translate(1), 108);
  EXPECT_EQ(tlb.translate(1), 0);
  for (const std::uint64_t page : {3, 5}) EXPECT_EQ(tlb.translate(page), 108);
  EXPECT_EQ(tlb.translate(1), 8) << "two ways of a set; the second level has it";
  EXPECT_EQ(tlb.translate(5), 0);
  EXPECT_EQ(tlb.counts().lookups, 6);
  EXPECT_EQ(tlb.counts().walks, 3);
  EXPECT_EQ(tlb.counts().misses, 4);
}

TEST(Tlb, WalksOncePerPageThatFits) {
  Tlb tlb({{64, 8, 0}, {2048, 16, 8}}, 50);
  Rng rng(2);
  for (int i = 0; i < 20000; ++i) tlb.translate(rng.below(1024));
  EXPECT_EQ(tlb.counts().walks, 1024);
}

}  // namespace
}  // namespace pimento::test
