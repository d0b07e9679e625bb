// Boxes, moves and broadcasts of tiled lattices as commands: against a plain mover, cell by cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "pimento/base/rng.h"
#include "pimento/lower/l3_sram/pieces.h"
#include "test/support/cases.h"

namespace pimento::lower::l3_sram {
namespace {

using program::SramCommand;
using program::SramCommandKind;
using program::SramPattern;
using tdfg::BoundBox;
using tdfg::BoundRange;

/// As many arrays as any lattice of the tests takes, of `bitlines` bitlines.
machine::Sram cache(std::int64_t bitlines) {
  machine::Sram s;
  s.meshColumns = s.meshRows = 8;
  s.ways = s.arraysPerWay = 16;
  s.bitlines = bitlines;
  s.line = Bytes(4);
  s.packet = Bytes(64);
  s.mostPerBitline = 16;
  return s;
}

Layout layoutOf(const std::vector<std::int64_t> &lattice, const std::vector<std::int64_t> &tile) {
  std::int64_t cells = 1;
  for (const std::int64_t t : tile) cells *= t;
  const Result<Layout> l = place(lattice, tile, 4, cache(cells));
  EXPECT_TRUE(l) << l.diagnostics().front().str();
  return *l;
}

TEST(Layouts, NumberCellsByTileAndBitlineWithDimZeroFastest) {
  const Layout l = layoutOf({4, 4}, {2, 2});
  EXPECT_EQ(l.tiles, (Extents{2, 2, 1}));
  EXPECT_EQ(l.at({1, 0, 0}), 1);
  EXPECT_EQ(l.at({0, 1, 0}), 2);
  EXPECT_EQ(l.at({2, 0, 0}), 4);
  EXPECT_EQ(l.at({1, 3, 0}), 2 * 4 + 3);
}

TEST(Layouts, FollowThePublishedHeuristic) {
  const machine::Sram s = cache(256);
  const auto tile = [&](std::vector<std::int64_t> lattice, Wishes w) { return *heuristicTile(lattice, w, s); };
  EXPECT_EQ(tile({1 << 22}, {.shifted = 1}), (Extents{256, 1, 1}));
  EXPECT_EQ(tile({2048, 2048}, {.shifted = 3}), (Extents{16, 16, 1}));
  EXPECT_EQ(tile({2048, 2048}, {.broadcast = 3}), (Extents{4, 64, 1}));
  EXPECT_EQ(tile({2048, 2048}, {.reduced = 1}), (Extents{64, 4, 1}));
  EXPECT_EQ(tile({128, 32768}, {.reduced = 1}), (Extents{128, 2, 1}));
  EXPECT_EQ(tile({512, 512, 16}, {.shifted = 7}), (Extents{8, 8, 4}));
  EXPECT_EQ(tile({256, 256, 64}, {.shifted = 7}), (Extents{4, 8, 8}));
}

TEST(Layouts, RefuseTilesThatBreakTheConstraints) {
  const machine::Sram s = cache(256);
  const auto code = [&](std::vector<std::int64_t> lattice, std::vector<std::int64_t> tile) {
    const Result<Layout> l = place(lattice, tile, 4, s);
    return l ? std::string() : l.diagnostics().front().code;
  };
  EXPECT_EQ(code({2048, 2048}, {16, 16}), "");
  EXPECT_EQ(code({2048, 2048}, {16, 8}), "illegal-tile");
  EXPECT_EQ(code({2048, 2048}, {256}), "illegal-tile");
  EXPECT_EQ(code({2048, 2048}, {0, 256}), "illegal-tile");
  EXPECT_EQ(code({1 << 23}, {256}), "capacity");
  EXPECT_EQ(code({1 << 23}, {512}), "");
  const auto tooLarge = heuristicTile(std::vector<std::int64_t>{1 << 27}, {}, s);
  ASSERT_FALSE(tooLarge);
  EXPECT_EQ(tooLarge.diagnostics().front().code, "capacity");
}

/// The example of the paper's figure 9: columns [0, 3) of a 4 x 4 array in tiles of 2 x 2 go right by one.
TEST(Moves, BecomeTheCommandsOfThePublishedExample) {
  const Layout l = layoutOf({4, 4}, {2, 2});
  SramCommand c;
  c.bits = 32;
  c.operands[0] = 0;
  c.dest = 32;
  std::vector<SramCommand> out;
  emitMove(l, {{0, 3, 1}, {0, 4, 1}}, 0, 1, c, out);
  ASSERT_EQ(out.size(), 3U);
  std::multiset<std::string> texts;
  for (const SramCommand &o : out) texts.insert(print(o));
  EXPECT_EQ(texts, (std::multiset<std::string>{
                       "shift 32 32 = 0 by 1 | bitlines 0:2:2 | tiles 0:2:2",
                       "tile-shift 32 32 = 0 by -1 tiles 1 | bitlines 1:2:2 | tiles 0:2:2",
                       "shift 32 32 = 0 by 1 | bitlines 0:2:2 | tiles 1:2:2",
                   }));
}

/// What a command does, cell by cell: where each cell that it names goes.
std::vector<std::pair<std::int64_t, std::int64_t>> effect(const Layout &l, const SramCommand &c) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  c.tiles.forEach([&](std::int64_t t) {
    c.bitlines.forEach([&](std::int64_t b) {
      c.tileCopies.forEach([&](std::int64_t tc) {
        c.bitlineCopies.forEach([&](std::int64_t bc) {
          const std::int64_t bitline = b + c.bitlineDistance + bc;
          EXPECT_TRUE(bitline >= 0 && bitline < l.cellsPerTile) << print(c);
          pairs.emplace_back(t * l.cellsPerTile + b, (t + c.tileDistance + tc) * l.cellsPerTile + bitline);
        });
      });
    });
  });
  return pairs;
}

/// All cells of a box, and where `to` sends each.
template <typename To>
std::vector<std::pair<std::int64_t, std::int64_t>> plain(const BoundBox &box, const To &to) {
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  BoundBox all = box;
  while (all.size() < kMostDims) all.push_back({0, 1, 1});
  for (std::int64_t z = all[2].low; z < all[2].high; z += all[2].stride)
    for (std::int64_t y = all[1].low; y < all[1].high; y += all[1].stride)
      for (std::int64_t x = all[0].low; x < all[0].high; x += all[0].stride) to(Extents{x, y, z}, pairs);
  return pairs;
}

void expectSame(const Layout &l, const std::vector<SramCommand> &commands,
                std::vector<std::pair<std::int64_t, std::int64_t>> expected, const std::string &what) {
  std::vector<std::pair<std::int64_t, std::int64_t>> actual;
  for (const SramCommand &c : commands) {
    const auto e = effect(l, c);
    actual.insert(actual.end(), e.begin(), e.end());
    std::bitset<program::kMostSramBanks> banks;
    c.tiles.forEach([&](std::int64_t t) { banks.set(static_cast<std::size_t>(t / l.arraysPerBank)); });
    EXPECT_EQ(c.banks, banks) << print(c);
    for (std::int64_t bank = 0; bank < 3; ++bank) {
      std::int64_t n = 0;
      c.tiles.forEach([&](std::int64_t t) { n += t / 5 == bank ? 1 : 0; });
      EXPECT_EQ(c.tiles.countWithin(bank * 5, bank * 5 + 5), n) << print(c);
    }
    const Result<SramPattern> again = program::parseSramPattern(print(c.tiles));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, c.tiles);
  }
  // Equal as lists: each cell once, none beside them.
  std::sort(actual.begin(), actual.end());
  std::sort(expected.begin(), expected.end());
  ASSERT_EQ(actual, expected) << what;
}

TEST(Pieces, MoveExactlyTheCellsOfRandomNodes) {
  Rng rng(21);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(rng.next() % static_cast<std::uint64_t>(high - low + 1));
  };
  const std::int64_t n = test::caseCount(2000);
  for (int i = 0; i < n; ++i) {
    const auto dims = static_cast<std::size_t>(number(1, 3));
    std::vector<std::int64_t> lattice, tile;
    BoundBox box;
    for (std::size_t d = 0; d < dims; ++d) {
      lattice.push_back(number(1, dims == 1 ? 200 : dims == 2 ? 30 : 12));
      tile.push_back(rng.next() % 3 == 0 ? number(1, 9) : std::int64_t{1} << number(0, 3));
      const std::int64_t low = number(0, lattice[d] - 1), stride = rng.next() % 2 == 0 ? 1 : number(1, 9);
      const std::int64_t count = number(1, (lattice[d] - 1 - low) / stride + 1);
      box.push_back({low, low + (count - 1) * stride + 1, stride});
    }
    const Layout l = layoutOf(lattice, tile);
    const auto k = static_cast<std::size_t>(number(0, static_cast<std::int64_t>(dims) - 1));
    SramCommand c;
    c.bits = 32;
    std::vector<SramCommand> out;
    const std::string what = "case " + std::to_string(i);
    switch (rng.next() % 3) {
      case 0:
        c.kind = SramCommandKind::kCompute;
        emitOnBox(l, box, c, out);
        expectSame(l, out, plain(box, [&](const Extents &x, auto &pairs) { pairs.emplace_back(l.at(x), l.at(x)); }),
                   what);
        break;
      case 1: {
        const std::int64_t by = number(-box[k].low, lattice[k] - box[k].high);
        emitMove(l, box, static_cast<int>(k), by, c, out);
        expectSame(l, out,
                   plain(box,
                         [&](const Extents &x, auto &pairs) {
                           Extents to = x;
                           to[k] += by;
                           pairs.emplace_back(l.at(x), l.at(to));
                         }),
                   what);
        break;
      }
      default: {
        box[k] = {box[k].low, box[k].low + 1, 1};
        const std::int64_t first = number(0, lattice[k] - 1), end = number(first + 1, lattice[k]);
        emitBroadcast(l, box, static_cast<int>(k), {first, end, 1}, c, out);
        expectSame(l, out,
                   plain(box,
                         [&](const Extents &x, auto &pairs) {
                           for (std::int64_t t = first; t < end; ++t) {
                             Extents to = x;
                             to[k] = t;
                             pairs.emplace_back(l.at(x), l.at(to));
                           }
                         }),
                   what);
        break;
      }
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace pimento::lower::l3_sram
