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
  Transposer transposer{machine, slices(), {}};
  LayoutTable table{*machine.sram, {}};

  static sim::uncore::Slices slices() {
    sim::uncore::Slices s;
    for (sim::uncore::Node c = 0; c < 16; ++c) s.controllers.push_back(c % 2 == 0 ? c / 2 * 8 : c / 2 * 8 + 7);
    return s;
  }
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

}  // namespace
}  // namespace pimento::test
