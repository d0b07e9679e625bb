// How many drafts DCC's artifact keeps, and that searches look at these.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pimento/targets/near_bank/published_drafts.h"

namespace pimento::targets::near_bank {
namespace {

TEST(PublishedDrafts, AreAsManyAsTheArtifactKeeps) {
  struct Shape {
    std::vector<std::int64_t> sizes;
    std::size_t drafts;
  };
  // Products and attention of Fig. 8 by batch * heads, reductions and sums by batch and length, products of inference,
  // attention of inference.
  const std::vector<Shape> shapes = {
      {{32, 128, 512}, 1081},  {{32, 128, 4096}, 2184},  {{64, 128, 512}, 1373},  {{64, 128, 4096}, 2552},
      {{128, 128, 512}, 1789}, {{128, 128, 4096}, 3054}, {{256, 128, 512}, 2205}, {{256, 128, 4096}, 3509},
      {{1, 1024}, 9},          {{1, 2048}, 17},          {{1, 4096}, 31},         {{2, 1024}, 26},
      {{2, 2048}, 47},         {{2, 4096}, 80},          {{4, 1024}, 60},         {{4, 2048}, 99},
      {{4, 4096}, 159},        {{8, 128, 5120}, 1391},   {{32, 128, 5120}, 2273}, {{11, 128, 6656}, 1710},
      {{42, 128, 6656}, 2433}, {{8, 5120, 384}, 3043},   {{32, 5120, 384}, 4478}, {{11, 6656, 384}, 3482},
      {{42, 6656, 384}, 4661}, {{8, 128, 128}, 197},     {{8, 128, 4096}, 1314},  {{42, 128, 128}, 581},
      {{42, 128, 4096}, 2203}};
  for (const Shape &s : shapes)
    EXPECT_EQ(publishedDrafts(s.sizes).size(), s.drafts) << s.sizes.front() << " x " << s.sizes.back();
}

TEST(PublishedDrafts, HoldTheBaselines) {
  const auto has = [](const std::vector<std::int64_t> &sizes, const Draft &draft) {
    const std::vector<Draft> all = publishedDrafts(sizes);
    return std::find(all.begin(), all.end(), draft) != all.end();
  };
  EXPECT_TRUE(has({{32, 128, 512}}, {{{16, 1, 2}, {1, 4, 32}, {1, 16, 32}}}));
  // Eight heads: the other eight groups share the length, or dhead.
  EXPECT_TRUE(has({{8, 128, 512}}, {{{8, 1, 1}, {1, 4, 32}, {2, 16, 16}}}));
  EXPECT_TRUE(has({{8, 128, 512}}, {{{8, 1, 1}, {2, 4, 16}, {1, 16, 32}}}));
  EXPECT_TRUE(has({{4, 1024}}, {{{4, 1, 1}, {4, 64, 4}}}));
}

}  // namespace
}  // namespace pimento::targets::near_bank
