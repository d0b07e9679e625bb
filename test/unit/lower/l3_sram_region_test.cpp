// Scheduled regions as commands: equal to a plain lowering, cell by cell; and lowered regions that are used again.
#include <gtest/gtest.h>

#include "pimento/base/rng.h"
#include "pimento/kernel/notation.h"
#include "pimento/lower/l3_sram/memo.h"
#include "pimento/tdfg/execute.h"
#include "pimento/tdfg/extract.h"
#include "pimento/tdfg/fit.h"
#include "test/support/cases.h"
#include "test/support/plain_sram_lowering.h"
#include "test/support/random_affine_graph.h"

namespace pimento::lower::l3_sram {
namespace {

machine::Sram cache() {
  machine::Sram s;
  s.meshColumns = s.meshRows = 8;
  s.ways = s.arraysPerWay = 16;
  s.bitlines = 64;
  s.line = Bytes(1);
  s.packet = Bytes(64);
  s.mostPerBitline = 16;
  return s;
}

std::vector<std::int64_t> randomTile(Rng &rng, std::size_t dims) {
  std::vector<std::int64_t> tile(dims, 1);
  for (int i = 0; i < 6; ++i) tile[rng.next() % dims] *= 2;
  return tile;
}

std::vector<std::uint64_t> someConstants(Rng &rng, const tdfg::Instance &instance) {
  std::vector<std::uint64_t> constants(instance.nodes.size());
  for (std::uint64_t &c : constants) c = rng.next() & 0xff;
  return constants;
}

TEST(RegionLowering, EqualsAPlainRecursiveOne) {
  Rng rng(41);
  constexpr DType kTypes[] = {DType::kF32, DType::kI32, DType::kF16, DType::kU8};
  const std::int64_t n = test::caseCount(40);
  int regions = 0;
  for (int i = 0; i < n; ++i) {
    test::RandomAffineGraph random(rng, kTypes[i % 4]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return graph; });
    if (!program) continue;
    tdfg::extract(*program);
    const auto values = tdfg::bindSizes(*program, {});
    ASSERT_TRUE(values);
    constexpr int kWordlines[] = {64, 96, 128, 256};
    const tdfg::ArraySize size{kWordlines[rng.next() % 4], 256};
    const auto tileSeed = rng.next();
    const Status seen =
        tdfg::visitRegions(*program, *values, [&](int r, const tdfg::Values &now, const std::vector<int> &) -> Status {
          const tdfg::Region &region = program->regions[static_cast<std::size_t>(r)];
          if (region.nodes.empty()) return okStatus();
          const auto schedule = tdfg::schedule(*program, r, size);
          const auto instance = tdfg::bindRegion(*program, r, now);
          if (!schedule || !instance || instance->isEmpty) return okStatus();
          Rng tiles(tileSeed + static_cast<std::uint64_t>(r));
          const auto layout = place(instance->bounding, randomTile(tiles, instance->bounding.size()), 1, cache());
          if (!layout) return okStatus();
          const std::vector<std::uint64_t> constants = someConstants(rng, *instance);
          const auto code = lowerRegion(*instance, *schedule, *layout, constants);
          if (!code) return okStatus();
          ++regions;
          const auto plain = test::PlainSramLowering(*instance, *schedule, *layout, constants).run();
          const auto lowered = test::groupsOf(*code, *layout);
          EXPECT_EQ(plain.size(), lowered.size());
          for (std::size_t g = 0; g < std::min(plain.size(), lowered.size()); ++g) {
            EXPECT_EQ(plain[g].what, lowered[g].what) << "group " << g;
            EXPECT_TRUE(plain[g].cells == lowered[g].cells) << plain[g].what;
          }
          if (!testing::Test::HasFailure()) return okStatus();
          return error("differs", {}, "", "");
        });
    ASSERT_TRUE(seen) << kernel::print(graph);
  }
  EXPECT_GT(regions, n / 10);
}

TEST(LoweringMemo, UsesARegionAgainWithOtherConstantsOnly) {
  const auto graph = kernel::parseNotation("c[i,j] = a[i,j] * 3 + a[i,j+1] * 5", {{"i", 30}, {"j", 40}}, DType::kI32);
  ASSERT_TRUE(graph);
  auto program = tdfg::fitStreams({}, [&](const auto &) -> Result<kernel::Graph> { return *graph; });
  ASSERT_TRUE(program);
  tdfg::extract(*program);
  const auto values = tdfg::bindSizes(*program, {});
  const auto instance = tdfg::bindRegion(*program, 0, *values);
  const auto schedule = tdfg::schedule(*program, 0, {256, 256});
  ASSERT_TRUE(instance && schedule);
  const auto wide = place(instance->bounding, std::vector<std::int64_t>{16, 4}, 4, cache());
  const auto tall = place(instance->bounding, std::vector<std::int64_t>{4, 16}, 4, cache());
  ASSERT_TRUE(wide && tall);
  LoweringMemo memo(2);
  Rng rng(5);
  for (int i = 0; i < 6; ++i) {
    const std::vector<std::uint64_t> constants = someConstants(rng, *instance);
    const Layout &layout = i < 4 ? *wide : *tall;
    const auto kept = memo.lower(0, *instance, *schedule, layout, constants);
    const auto fresh = lowerRegion(*instance, *schedule, layout, constants);
    ASSERT_TRUE(kept && fresh);
    EXPECT_TRUE((*kept)->code == *fresh);
    EXPECT_EQ((*kept)->number, i < 4 ? 0 : 1);
  }
  EXPECT_EQ(memo.lowered(), 2);
  EXPECT_EQ(memo.reused(), 4);
  // Other regions push the oldest out.
  const std::vector<std::uint64_t> constants(instance->nodes.size());
  ASSERT_TRUE(memo.lower(1, *instance, *schedule, *wide, constants));
  ASSERT_TRUE(memo.lower(0, *instance, *schedule, *wide, constants));
  EXPECT_EQ(memo.lowered(), 4);
}

}  // namespace
}  // namespace pimento::lower::l3_sram
