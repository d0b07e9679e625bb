// The layout override table: every state, every rule of release, places of elements and back.
#include "pimento/sim/sram/layout_table.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "pimento/base/rng.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::sram::LayoutTable;
using State = LayoutTable::State;
using Verdict = LayoutTable::Verdict;
using Reason = LayoutTable::Reason;

constexpr std::uint64_t kBase = 1 << 20, kBytes = 64 * 64 * 4;

struct Lot : ::testing::Test {
  machine::Machine machine = load("l3-arrays");
  LayoutTable table{*machine.sram, {100, Cycles(1000), 16, 8}};

  static LayoutTable::Region plane(std::uint64_t base) {
    return {base, base + kBytes, 4, {64, 64, 1}, {16, 16, 1}, 32};
  }
  int added(const LayoutTable::Region &r) {
    const Result<int> n = table.add(r);
    EXPECT_TRUE(n.ok());
    return n.ok() ? *n : -1;
  }
  int transposed() {
    const int r = added(plane(kBase));
    table.fetch(r);
    table.fetched(r, 500);
    return r;
  }
};

TEST_F(Lot, ARegionIsNormalBlockedWhileFetchedThenTransposed) {
  const int r = added(plane(kBase));
  EXPECT_EQ(table.state(r), State::kNormal);
  EXPECT_EQ(table.core(kBase), Verdict::kNormal);
  EXPECT_EQ(table.stream(kBase), Verdict::kNormal);
  table.fetch(r);
  EXPECT_EQ(table.state(r), State::kBlocked);
  EXPECT_EQ(table.core(kBase + 100), Verdict::kWaits);
  EXPECT_EQ(table.stream(kBase + 100), Verdict::kWaits) << "its lines are on their way";
  EXPECT_EQ(table.core(kBase + kBytes), Verdict::kNormal) << "behind it";
  table.fetched(r, 10);
  EXPECT_EQ(table.state(r), State::kTransposed);
  EXPECT_EQ(table.core(kBase), Verdict::kTransposed);
  EXPECT_EQ(table.stream(kBase + kBytes - 1), Verdict::kTransposed);
  table.release(r);
  EXPECT_EQ(table.state(r), State::kNormal);
  table.remove(r);
  EXPECT_EQ(table.count(), 0);
}

TEST_F(Lot, CoresWaitWhileArraysComputeStreamsDoNot) {
  const int r = transposed();
  table.lock();
  EXPECT_EQ(table.state(r), State::kBlocked);
  EXPECT_EQ(table.core(kBase), Verdict::kWaits);
  EXPECT_EQ(table.stream(kBase), Verdict::kTransposed);
  table.unlock(700);
  EXPECT_EQ(table.state(r), State::kTransposed);
  EXPECT_EQ(table.core(kBase), Verdict::kTransposed);
}

TEST_F(Lot, IsGivenBackAfterTooManyNormalRequests) {
  const int r = transposed();
  for (int i = 0; i < 100; ++i) table.core(kBase);
  EXPECT_FALSE(table.due(r, 600));
  table.core(kBase);
  EXPECT_EQ(table.due(r, 600), Reason::kRequests);
  table.lock();
  table.unlock(650);
  EXPECT_FALSE(table.due(r, 660)) << "an in-memory phase begins the count again";
  for (int i = 0; i < 200; ++i) table.stream(kBase);
  EXPECT_FALSE(table.due(r, 660)) << "streams of the phase are not normal requests";
}

TEST_F(Lot, IsGivenBackWhenTheTimerExpires) {
  const int r = transposed();
  EXPECT_FALSE(table.due(r, 1500));
  EXPECT_EQ(table.due(r, 1501), Reason::kTimer);
  table.lock();
  EXPECT_FALSE(table.due(r, 90000)) << "not while arrays compute";
  table.unlock(5000);
  EXPECT_FALSE(table.due(r, 6000));
  EXPECT_EQ(table.due(r, 6001), Reason::kTimer);
}

TEST_F(Lot, IsGivenBackWhenTheL3MissesTooOften) {
  const int r = transposed();
  for (int i = 0; i < 8; ++i) table.sawAccess(true);
  EXPECT_FALSE(table.due(r, 600)) << "half of the last 16";
  table.sawAccess(true);
  EXPECT_EQ(table.due(r, 600), Reason::kMisses);
  for (int i = 0; i < 16; ++i) table.sawAccess(false);
  EXPECT_FALSE(table.due(r, 600)) << "those have passed";
}

TEST_F(Lot, AnElementHasAPlaceOfItsOwnAndAWayBack) {
  Rng rng(4);
  for (std::int64_t n = caseCount(200); n > 0; --n) {
    LayoutTable own(*machine.sram, {});
    LayoutTable::Region r;
    r.elementBytes = 1 << rng.below(4);
    const std::array<std::array<std::int64_t, 3>, 5> tiles = {
        {{256, 1, 1}, {16, 16, 1}, {8, 8, 4}, {1, 256, 1}, {64, 2, 2}}};
    r.tile = tiles[rng.below(5)];
    for (std::int64_t &s : r.size) s = 1 + static_cast<std::int64_t>(rng.below(40));
    r.base = kBase;
    r.end = r.base + static_cast<std::uint64_t>(r.size[0] * r.size[1] * r.size[2] * r.elementBytes);
    const Result<int> region = own.add(r);
    ASSERT_TRUE(region.ok());
    std::set<std::pair<std::int64_t, int>> places;
    for (std::uint64_t a = r.base; a < r.end; a += static_cast<std::uint64_t>(r.elementBytes)) {
      const LayoutTable::Place p = own.placeOf(*region, a);
      ASSERT_EQ(p.tile, (p.bank * 16 + p.way) * 16 + p.array);
      ASSERT_TRUE(places.emplace(p.tile, p.bitline).second);
      ASSERT_EQ(own.addressOf(*region, p.tile, p.bitline), a);
      ASSERT_EQ(own.placeOf(*region, a + static_cast<std::uint64_t>(r.elementBytes) - 1), p);
    }
  }
}

TEST_F(Lot, RefusesWhatItCannotHold) {
  const auto refused = [&](LayoutTable::Region r, const std::string &code) {
    const Result<int> n = table.add(r);
    ASSERT_FALSE(n.ok());
    EXPECT_EQ(n.diagnostics().front().code, code) << n.diagnostics().front().message;
    EXPECT_FALSE(n.diagnostics().front().hint.empty());
  };
  LayoutTable::Region r = plane(kBase);
  r.end -= 4;
  refused(r, "illegal-region");
  r = plane(kBase);
  r.tile = {16, 8, 1};
  refused(r, "illegal-region");
  r = {kBase, kBase + (std::uint64_t{1} << 26), 4, {1 << 24, 1, 1}, {256, 1, 1}, 0};
  refused(r, "illegal-region");
  added(plane(kBase));
  refused(plane(kBase + kBytes - 64), "illegal-region");
  for (int i = 1; i < machine.sram->regions; ++i) added(plane(kBase + static_cast<std::uint64_t>(i) * kBytes));
  refused(plane(kBase + 100 * kBytes), "capacity");
}

}  // namespace
}  // namespace pimento::test
