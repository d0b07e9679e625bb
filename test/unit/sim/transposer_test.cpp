// Regions on their way into computing SRAM and back: times on an idle chip, and that every line goes its way once.
#include "pimento/sim/sram/transposer.h"

#include <gtest/gtest.h>

#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using sim::sram::LayoutTable;
using sim::sram::Transposer;
using sim::sram::TransposeTime;

constexpr std::uint64_t kBase = 1 << 22;  ///< lies in slice 0
constexpr std::int64_t kLine = 64, kAccess = 20, kBits = 32;

struct Transposing : ::testing::Test {
  machine::Machine machine = load("l3-uncore", {{"refresh.policy", "none"}});
  Transposer transposer{machine, sim::uncore::Slices::of(machine), {}};
  LayoutTable table{*machine.sram, {}};

  /// So many f32 in tiles of 256.
  int row(std::int64_t elements) {
    const auto region =
        table.add({kBase, kBase + static_cast<std::uint64_t>(4 * elements), 4, {elements, 1, 1}, {256, 1, 1}, 0});
    EXPECT_TRUE(region.ok());
    return region.ok() ? *region : -1;
  }
  void warm(std::int64_t lines) {
    for (std::int64_t i = 0; i < lines; ++i)
      transposer.chip().warm(kBase + static_cast<std::uint64_t>(i * kLine), false);
  }
};

TEST_F(Transposing, AWayTakesALineInAsManyCyclesAsAnElementHasBits) {
  const int r = row(256);  // 16 lines of slice 0, one array of bank 0
  warm(16);
  const TransposeTime t = transposer.fetch(table, r, 0);
  EXPECT_EQ(t.lines, 16);
  EXPECT_EQ(t.transposed, 16);
  EXPECT_EQ(t.forwarded, 0);
  // Bank 0 is the core's tile. All others have nothing to do, and have said so long before.
  EXPECT_EQ(t.cycles, kAccess + 16 * kBits);
  EXPECT_EQ(table.state(r), LayoutTable::State::kTransposed);
  EXPECT_FALSE(transposer.chip().holds(kBase)) << "it lies in arrays now";
}

TEST_F(Transposing, WaysWorkSideBySide) {
  const int r = row(16 * 16 * 256);  // 256 arrays: all ways of bank 0
  warm(16 * 256);
  const TransposeTime t = transposer.fetch(table, r, 0);
  EXPECT_EQ(t.transposed, 16 * 256);
  EXPECT_EQ(t.forwarded, 16 * 256 - 16 * 4) << "63 of 64 lines lie in other slices";
  // A slice waits for 32 lines at a time: those of two of its four tiles, so that eight ways work, and then the others.
  EXPECT_GE(t.cycles, 2 * 16 * 16 * kBits);
  EXPECT_LE(t.cycles, 2 * 16 * 16 * kBits + 200);
}

TEST_F(Transposing, ARegionGoesBackToMemory) {
  const int r = row(256 * 64);
  const TransposeTime in = transposer.fetch(table, r, 0);
  EXPECT_EQ(transposer.chip().memory().reads, in.lines);
  EXPECT_EQ(transposer.chip().memory().writes, 0);
  const TransposeTime out = transposer.release(table, r, in.cycles);
  EXPECT_EQ(out.lines, in.lines);
  EXPECT_EQ(transposer.chip().memory().writes, in.lines);
  EXPECT_EQ(table.state(r), LayoutTable::State::kNormal);
  EXPECT_GT(out.cycles, 16 * 16 * kBits - kBits) << "an array's lines go through one unit, 16 arrays of a way";
  // A second time: the same, from memory again.
  const TransposeTime again = transposer.fetch(table, r, in.cycles + out.cycles + 1000);
  EXPECT_EQ(transposer.chip().memory().reads, 2 * in.lines);
  EXPECT_EQ(again.forwarded, in.forwarded);
}

TEST_F(Transposing, TilesOfPlanesTakeLinesApart) {
  // Tiles of 8 x 32: a line of 16 elements lies in two arrays of one way, so it passes its unit once.
  const auto region = table.add({kBase, kBase + 64 * 64 * 4, 4, {64, 64, 1}, {8, 32, 1}, 0});
  ASSERT_TRUE(region.ok());
  const TransposeTime t = transposer.fetch(table, *region, 0);
  EXPECT_EQ(t.lines, 256);
  EXPECT_EQ(t.transposed, 256);
}

using sim::sram::DirtyLine;
using sim::sram::FlushTime;

TEST_F(Transposing, ReservedWaysLoseTheirDirtyLinesToMemory) {
  sim::uncore::Slices wide = sim::uncore::Slices::of(machine);
  wide.size = Bytes(18 * 128 * 1024);
  wide.ways = 18;
  Transposer own(machine, wide, {});
  // 18 lines of one set of slice 0: 2048 sets of lines that lie there.
  std::vector<std::uint64_t> lines;
  for (std::uint64_t i = 0; i < 18; ++i) lines.push_back(kBase + i * 2048 * 64 * 64);
  for (std::size_t i = 0; i < lines.size(); ++i) own.chip().warm(lines[i], i % 3 == 0);
  const FlushTime t = own.reserve(0);
  std::int64_t held = 0;
  for (const std::uint64_t l : lines) held += own.chip().holds(l) ? 1 : 0;
  EXPECT_EQ(held, 2) << "two ways serve normal requests";
  EXPECT_EQ(own.chip().memory().writes, t.lines);
  EXPECT_GE(t.lines, 6 - 2);
  EXPECT_LE(t.lines, 6);
  EXPECT_GT(t.cycles, 0);
  // Nothing that is dirty is there a second time; 14 hops and back, and 64 words that leave the core's tile one by one.
  const FlushTime again = own.reserve(t.cycles);
  EXPECT_EQ(again.lines, 0);
  EXPECT_GE(again.cycles, 2 * (14 * 6 + 5 + 1));
  EXPECT_LE(again.cycles, 2 * (14 * 6 + 5 + 1) + 64);
  own.giveWaysBack();
  for (const std::uint64_t l : lines) own.chip().warm(l, false);
  held = 0;
  for (const std::uint64_t l : lines) held += own.chip().holds(l) ? 1 : 0;
  EXPECT_EQ(held, 18);
}

TEST_F(Transposing, DirtyLinesOfPrivateCachesAreRecalledToTheirSlice) {
  const int r = row(256);
  warm(16);
  const auto none = [](auto, auto) { return std::vector<DirtyLine>{}; };
  EXPECT_EQ(transposer.recall(table, r, none, 0).cycles, 0);
  // One line, held at tile 1, that belongs to slice 0, the core's: a word there, a line of three flits back.
  const auto dirty = [](std::uint64_t base, std::uint64_t end) {
    EXPECT_EQ(base, kBase);
    EXPECT_EQ(end, kBase + 1024);
    return std::vector<DirtyLine>{{1, kBase + 64}};
  };
  const FlushTime t = transposer.recall(table, r, dirty, 0);
  EXPECT_EQ(t.lines, 1);
  const std::int64_t way = 6 + 5, line = machine.noc->flits(Bytes(64));
  EXPECT_EQ(t.cycles, way + 1 + way + line + kAccess);
  EXPECT_FALSE(transposer.chip().tags(0).clean(0, ~std::uint64_t{0}).empty()) << "the slice's line is dirty now";
}

TEST_F(Transposing, RecalledLinesOfATransposedRegionPassItsUnits) {
  const int r = row(256);
  warm(16);
  const TransposeTime in = transposer.fetch(table, r, 0);
  const auto dirty = [](auto, auto) { return std::vector<DirtyLine>{{1, kBase}, {1, kBase + 64}}; };
  const FlushTime t = transposer.recall(table, r, dirty, in.cycles);
  EXPECT_EQ(t.lines, 2);
  const std::int64_t way = 6 + 5, line = machine.noc->flits(Bytes(64));
  EXPECT_EQ(t.cycles, way + 1 + way + line + 2 * kBits) << "both through one unit";
}

TEST_F(Transposing, ASwitchSavesTheTableAndTakesItUpAgain) {
  for (int i = 0; i < 16; ++i)
    ASSERT_TRUE(table.add({kBase + static_cast<std::uint64_t>(i) * 1024,
                           kBase + static_cast<std::uint64_t>(i + 1) * 1024,
                           4,
                           {256, 1, 1},
                           {256, 1, 1},
                           0}));
  EXPECT_EQ(table.saved(), Bytes(16 * 310 / 8));
  const FlushTime out = transposer.save(2 * kBase, table.saved(), 0);
  EXPECT_EQ(out.lines, 10);
  EXPECT_EQ(transposer.chip().memory().writes, 10);
  EXPECT_GT(out.cycles, 10);
  const FlushTime in = transposer.restore(2 * kBase, table.saved(), out.cycles);
  EXPECT_EQ(in.lines, 10);
  EXPECT_EQ(transposer.chip().memory().reads, 10);
  EXPECT_GT(in.cycles, kAccess + 10);
  // It is in the L3 now, in slice 0, which is the core's.
  const FlushTime again = transposer.restore(2 * kBase, table.saved(), out.cycles + in.cycles);
  EXPECT_EQ(again.cycles, kAccess + 9);
  EXPECT_EQ(transposer.chip().memory().reads, 10);
}

}  // namespace
}  // namespace pimento::test
