// Cores and streams that read and write transposed data: right values, what it takes, and who waits for whom.
#include "pimento/sim/sram/transposed_access.h"

#include <gtest/gtest.h>

#include <map>

#include "pimento/base/rng.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::sram::Arrays;
using sim::sram::LayoutTable;
using sim::sram::TransposedAccess;
using Request = TransposedAccess::Request;
using Answer = TransposedAccess::Answer;

constexpr std::uint64_t kBase = 1 << 20;
constexpr std::int64_t kBits = 32;

struct OrdinaryAccess : ::testing::Test {
  machine::Machine machine = load("l3-arrays", {{"sram.mesh_columns", "2"}, {"sram.mesh_rows", "1"}});
  LayoutTable table{*machine.sram, {}};
  Arrays arrays{static_cast<int>(machine.sram->wordlines), machine.sram->arrays() * machine.sram->bitlines};
  TransposedAccess access{*machine.sram, table, arrays};

  int transposed(std::array<std::int64_t, 3> size, std::array<std::int64_t, 3> tile, int wordline = 32,
                 std::uint64_t base = kBase) {
    const auto bytes = static_cast<std::uint64_t>(size[0] * size[1] * size[2] * 4);
    const Result<int> r = table.add({base, base + bytes, 4, size, tile, wordline});
    EXPECT_TRUE(r.ok());
    if (!r) return -1;
    table.fetch(*r);
    table.fetched(*r, 0);
    return *r;
  }
  std::int64_t timeOf(const std::optional<Answer> &a) {
    EXPECT_TRUE(a && !a->isNormal);
    return a ? a->time : -1;
  }
};

TEST_F(OrdinaryAccess, ALineOccupiesItsWayForAsManyCyclesAsAnElementHasBits) {
  transposed({8192, 1, 1}, {256, 1, 1});
  EXPECT_EQ(timeOf(access.ask(100, {1, kBase})), 100 + kBits);
  EXPECT_EQ(timeOf(access.ask(101, {2, kBase + 64})), 100 + 2 * kBits) << "the same way";
  EXPECT_EQ(timeOf(access.ask(102, {3, kBase + 16 * 1024})), 102 + kBits) << "the next way";
  EXPECT_EQ(timeOf(access.ask(1000, {4, kBase})), 1000 + kBits);
  EXPECT_EQ(access.transposed(), 4);
}

TEST_F(OrdinaryAccess, ALineInTwoWaysPassesBoth) {
  // Rows of 136 elements in 17 tiles of 8 x 32.
  transposed({136, 64, 1}, {8, 32, 1});
  EXPECT_EQ(timeOf(access.ask(0, {1, kBase})), kBits);
  EXPECT_EQ(access.transposed(), 1);
  EXPECT_EQ(timeOf(access.ask(100, {2, kBase + std::uint64_t{128} * 4})), 100 + kBits);
  EXPECT_EQ(access.transposed(), 3) << "its first half lies in tile 16, of the next way, the other in tile 0";
}

TEST_F(OrdinaryAccess, WhatIsWrittenIsReadAndLiesInItsColumn) {
  const int r = transposed({64, 64, 1}, {16, 16, 1});
  const std::uint64_t at = kBase + 4 * (64 * 17 + 18);  // tile (1, 1), bitline (2, 1)
  ASSERT_TRUE(access.ask(0, {1, at, true, false, 0x3fc00000}));
  const std::optional<Answer> read = access.ask(50, {2, at});
  ASSERT_TRUE(read);
  EXPECT_EQ(read->value, 0x3fc00000U);
  std::uint64_t column = 0;
  arrays.load(32, 32, (4 + 1) * 256 + 16 + 2, {&column, 1});
  EXPECT_EQ(column, 0x3fc00000U);
  table.release(r);
  const std::optional<Answer> normal = access.ask(60, {3, at});
  ASSERT_TRUE(normal);
  EXPECT_TRUE(normal->isNormal);
}

TEST_F(OrdinaryAccess, CoresWaitWhileArraysComputeAndSeeWhatTheyLeft) {
  transposed({256, 1, 1}, {256, 1, 1});
  table.lock();
  EXPECT_FALSE(access.ask(10, {1, kBase, true, false, 5}));
  EXPECT_FALSE(access.ask(11, {2, kBase + 4}));
  EXPECT_FALSE(access.ask(12, {3, kBase}));
  const std::optional<Answer> stream = access.ask(13, {4, kBase + 8, false, true});
  ASSERT_TRUE(stream) << "streams go on";
  EXPECT_EQ(access.waiting(), 3U);
  EXPECT_TRUE(access.changed(20).empty()) << "they compute still";
  const std::uint64_t computed = 77;
  arrays.store(32, 32, 1, {&computed, 1});
  table.unlock(500);
  const std::vector<Answer> answers = access.changed(500);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0].token, 1U);
  EXPECT_EQ(answers[1].value, 77U);
  EXPECT_EQ(answers[2].value, 5U) << "the load does not pass the store";
  EXPECT_EQ(answers[0].time, 500 + kBits);
  EXPECT_EQ(answers[2].time, 500 + 3 * kBits);
}

TEST_F(OrdinaryAccess, AllWaitWhileARegionIsFetched) {
  const Result<int> r = table.add({kBase, kBase + 1024, 4, {256, 1, 1}, {256, 1, 1}, 0});
  ASSERT_TRUE(r.ok());
  EXPECT_TRUE(access.ask(0, {1, kBase})->isNormal);
  table.fetch(*r);
  EXPECT_FALSE(access.ask(1, {2, kBase}));
  EXPECT_FALSE(access.ask(2, {3, kBase, false, true}));
  table.fetched(*r, 90);
  EXPECT_EQ(access.changed(90).size(), 2U);
}

TEST_F(OrdinaryAccess, GivesTheValuesOfAPlainMemory) {
  for (std::int64_t n = caseCount(100); n > 0; --n) {
    Rng rng(static_cast<std::uint64_t>(n));
    LayoutTable own(*machine.sram, {});
    Arrays memory(256, machine.sram->arrays() * machine.sram->bitlines);
    TransposedAccess a(*machine.sram, own, memory);
    const std::array<std::array<std::int64_t, 3>, 3> tiles = {{{256, 1, 1}, {16, 16, 1}, {8, 8, 4}}};
    std::vector<int> regions;
    for (int i = 0; i < 3; ++i) {
      LayoutTable::Region r{.tile = tiles[rng.below(3)], .wordline = 32 * i};
      for (std::int64_t &s : r.size) s = 1 + static_cast<std::int64_t>(rng.below(20));
      r.base = kBase + static_cast<std::uint64_t>(i) * (1 << 18);
      r.end = r.base + static_cast<std::uint64_t>(r.size[0] * r.size[1] * r.size[2] * 4);
      const Result<int> number = own.add(r);
      ASSERT_TRUE(number.ok());
      own.fetch(*number);
      own.fetched(*number, 0);
      regions.push_back(*number);
    }
    std::map<std::uint64_t, std::uint64_t> plain;
    std::map<std::uint64_t, std::uint64_t> expected;  // by token of a load
    std::size_t answered = 0, asked = 0;
    const auto check = [&](const Answer &x) {
      ++answered;
      if (const auto e = expected.find(x.token); e != expected.end()) {
        ASSERT_EQ(x.value, e->second);
      }
    };
    for (std::int64_t now = 0; now < 400; ++now) {
      if (rng.below(20) == 0) {
        if (own.isLocked()) {
          own.unlock(now);
          for (const Answer &x : a.changed(now)) check(x);
          ASSERT_EQ(a.waiting(), 0U);
        } else {
          own.lock();
        }
      }
      const LayoutTable::Region &r = own.region(regions[rng.below(3)]);
      const std::uint64_t at = r.base + 4 * rng.below((r.end - r.base) / 4);
      Request q{asked++, at, rng.below(2) == 0, false, rng.below(std::uint64_t{1} << 32)};
      if (q.isWrite)
        plain[at] = q.value;
      else
        expected[q.token] = plain[at];
      const std::optional<Answer> x = a.ask(now, q);
      ASSERT_EQ(!x, own.isLocked());
      if (!x) continue;
      ASSERT_GE(x->time, now + kBits);
      check(*x);
    }
    if (own.isLocked()) own.unlock(400);
    for (const Answer &x : a.changed(400)) check(x);
    ASSERT_EQ(answered, asked);
  }
}

}  // namespace
}  // namespace pimento::test
