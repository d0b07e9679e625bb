// Streams near the L3: walks against the loop nest itself, and times, messages and migrations on an idle chip.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "pimento/base/rng.h"
#include "pimento/sim/stream/engine.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using namespace sim::stream;
using sim::uncore::Slices;
using sim::uncore::Traffic;

constexpr std::int64_t kLine = 64, kInterleave = 1024;
constexpr Tick kAccess = 20, kStart = 4, kRouter = 5, kLink = 1;

// Walks ---------------------------------------------------------------------------------------------------------------

struct PlainVisit {
  std::uint64_t line;
  std::int64_t group;
};

/// Iteration by iteration.
std::vector<PlainVisit> plainVisits(const Nest &nest, const Pattern &p) {
  std::vector<PlainVisit> out;
  std::vector<std::int64_t> at(nest.extents.size(), 0);
  std::int64_t rows = 1;
  for (std::size_t d = 0; d + 1 < nest.extents.size(); ++d) rows *= nest.extents[d];
  std::int64_t group = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t i = 0; i < nest.extents.back(); ++i) {
      if (i > 0 && i % nest.lanes == 0) ++group;
      at.back() = i;
      std::int64_t byte = static_cast<std::int64_t>(p.base);
      for (std::size_t d = 0; d < at.size(); ++d) byte += at[d] * p.strides[d];
      for (std::int64_t b = byte; b < byte + p.elementBytes; ++b) {
        const auto line = static_cast<std::uint64_t>(b) / kLine;
        if (out.empty() || out.back().line != line) out.push_back({line, group});
      }
    }
    ++group;
    for (std::size_t d = at.size() - 1; d-- > 0;) {
      if (++at[d] < nest.extents[d]) break;
      at[d] = 0;
    }
  }
  return out;
}

TEST(StreamWalk, VisitsTheLinesOfTheLoopNest) {
  Rng rng(3);
  for (std::int64_t n = caseCount(2000); n > 0; --n) {
    Nest nest;
    Pattern p;
    p.elementBytes = std::int64_t{1} << rng.below(4);
    nest.lanes = std::int64_t{1} << rng.below(5);
    const std::size_t dims = 1 + rng.below(3);
    for (std::size_t d = 0; d < dims; ++d) {
      nest.extents.push_back(1 + static_cast<std::int64_t>(rng.below(d + 1 == dims ? 70 : 5)));
      const std::int64_t unit = p.elementBytes;
      const std::int64_t factors[] = {0, 1, 2, 20, 100, -1};
      p.strides.push_back(unit * factors[rng.below(6)]);
    }
    p.base = 1 << 20 | (rng.below(64) * static_cast<std::uint64_t>(p.elementBytes));
    const std::vector<PlainVisit> plain = plainVisits(nest, p);
    std::size_t i = 0;
    for (Walk walk(nest, p, kLine); !walk.isAtEnd(); walk.next(), ++i) {
      ASSERT_LT(i, plain.size());
      ASSERT_EQ(walk.number(), static_cast<std::int64_t>(i));
      ASSERT_EQ(walk.visit().line, plain[i].line) << "visit " << i;
      ASSERT_EQ(walk.visit().group, plain[i].group) << "visit " << i;
    }
    ASSERT_EQ(i, plain.size());
  }
}

// Engines -------------------------------------------------------------------------------------------------------------

struct Engine : ::testing::Test {
  machine::Machine machine = load("l3-uncore", {{"refresh.policy", "none"}});
  StreamEngines engines{machine, Slices::of(machine), Engines{}};

  /// So many lines from `base` on are there.
  void warm(std::uint64_t base, std::int64_t lines) {
    for (std::int64_t i = 0; i < lines; ++i) engines.chip().warm(base + static_cast<std::uint64_t>(i * kLine), false);
  }
  /// Of a packet that is alone.
  Tick packet(Node from, Node to, std::int64_t data) const {
    if (from == to) return 0;
    return engines_distance(from, to) * (kRouter + kLink) + kRouter + machine.noc->flits(Bytes(data));
  }
  std::int64_t engines_distance(Node a, Node b) const { return std::abs(a % 8 - b % 8) + std::abs(a / 8 - b / 8); }
  static Strand strand(Node core, std::int64_t elements, std::vector<std::uint64_t> loads, Use use, std::uint64_t store,
                       Tick latency) {
    Strand s;
    s.core = core;
    s.nest = {{elements}, 16};
    for (const std::uint64_t base : loads) s.loads.push_back({Use::kLoad, {base, {4}, 4}});
    s.consumer = {use, {store, {4}, 4}};
    s.latency = Cycles(latency);
    return s;
  }
  static constexpr std::uint64_t kFar = 1 << 22;  ///< begins at slice 0
};

TEST_F(Engine, ALoadForTheCoreSendsEachLineToIt) {
  warm(3 * kInterleave, 4);
  const StreamTimes t = engines.run({strand(0, 64, {3 * kInterleave}, Use::kCore, 0, 0)});
  // Configured, then a line per cycle; the last of four packets of three flits waits for the others' links.
  EXPECT_EQ(t.cycles, packet(0, 3, 64) + kAccess + packet(3, 0, kLine) + 3 * 3);
  EXPECT_EQ(t.messages.configure, 1);
  EXPECT_EQ(t.messages.forward, 4);
  EXPECT_EQ(t.messages.migrate, 0);
  EXPECT_EQ(t.lines, 4);
}

TEST_F(Engine, AStoreStreamComputesWhereItsLinesAre) {
  // Load and store begin in slice 5.
  warm(5 * kInterleave, 1);
  const StreamTimes t = engines.run({strand(9, 16, {5 * kInterleave}, Use::kStore, kFar + 5 * kInterleave, 3)});
  EXPECT_EQ(t.cycles, packet(9, 5, 64) + kAccess + kStart + 3 + kAccess + packet(5, 9, 0));
  EXPECT_EQ(t.messages.configure, 2);
  EXPECT_EQ(t.messages.forward, 0);
  EXPECT_EQ(t.messages.end, 1);
  EXPECT_EQ(t.computations, 1);
  EXPECT_EQ(engines.chip().counts().misses, 0) << "a whole line is not fetched";
}

TEST_F(Engine, OperandsOfOtherSlicesAreForwarded) {
  warm(2 * kInterleave, 1);
  warm(kFar + 7 * kInterleave, 1);
  const StreamTimes t = engines.run(
      {strand(0, 16, {2 * kInterleave, kFar + 7 * kInterleave}, Use::kStore, 2 * kFar + 2 * kInterleave, 8)});
  EXPECT_EQ(t.messages.forward, 1) << "the other operand is there";
  // Three configurations leave tile 0 to the east, three flits each; that of slice 7 is the second.
  const Tick second = 3 + packet(0, 7, 64) + kAccess + packet(7, 2, kLine);
  EXPECT_EQ(t.cycles, second + kStart + 8 + kAccess + packet(2, 0, 0));
}

TEST_F(Engine, StreamsMoveToTheSliceOfTheirNextLine) {
  constexpr std::int64_t kPieces = 6, kLinesOfPiece = kInterleave / kLine;
  warm(0, kPieces * kLinesOfPiece);
  const StreamTimes t = engines.run({strand(0, kPieces * kLinesOfPiece * 16, {0}, Use::kStore, kFar, 4)});
  EXPECT_EQ(t.messages.migrate, 2 * (kPieces - 1)) << "the load and the store";
  EXPECT_EQ(t.messages.forward, 0);
  EXPECT_EQ(t.computations, kPieces * kLinesOfPiece);
  EXPECT_EQ(t.lines, 2 * kPieces * kLinesOfPiece);
  // Both streams tell their core every 16 lines, and it answers.
  EXPECT_EQ(t.messages.flow, 2 * 2 * kPieces);
}

TEST_F(Engine, PartialResultsAreAddedAlongATree) {
  constexpr int kStrands = 7;
  std::vector<Strand> strands;
  for (int s = 0; s < kStrands; ++s) {
    const auto base = static_cast<std::uint64_t>(s) * kInterleave;
    warm(base, 1);
    strands.push_back(strand(s, 16, {base}, Use::kReduce, 0, 4));
  }
  const StreamTimes t = engines.run(strands);
  EXPECT_EQ(t.messages.partial, kStrands - 1);
  EXPECT_EQ(t.messages.end, 1);
  EXPECT_EQ(t.computations, kStrands);
  // Strand s lies in slice s: 6 -> 2 -> 0 is the longest way; all are configured by their own tile.
  const Tick own = kAccess + kStart + 4, add = kStart + 4;
  EXPECT_EQ(t.cycles, own + packet(6, 2, kLine) + add + packet(2, 0, kLine) + add);
}

TEST_F(Engine, ASharedLoadIsReadOnceForEightStrands) {
  constexpr std::uint64_t kShared = 1 << 24;
  warm(kShared, 8);
  std::vector<Strand> strands;
  for (int s = 0; s < 16; ++s) {
    const auto base = static_cast<std::uint64_t>(s) * kInterleave;
    warm(base, 8);
    strands.push_back(strand(s, 128, {base, kShared}, Use::kStore, kFar + base, 4));
    strands.back().loads[1].isShared = true;
  }
  const StreamTimes t = engines.run(strands);
  EXPECT_EQ(t.computations, 16 * 8);
  EXPECT_EQ(t.lines, 16 * 8 * 2 + 2 * 8) << "two strands read the shared lines";
}

TEST_F(Engine, IndirectLoadsAskForEachElement) {
  constexpr std::uint64_t kTable = 1 << 24;
  warm(0, 1);
  for (std::uint64_t i = 0; i < 16; ++i) warm(kTable + i * kInterleave, 1);
  Strand s = strand(0, 16, {0}, Use::kStore, kFar, 4);
  s.loads.push_back({Use::kLoad, {0, {4}, 4}});
  s.loads[1].indirect = [](std::int64_t, std::int64_t lane) {
    return kTable + static_cast<std::uint64_t>(lane) * kInterleave;
  };
  const StreamTimes t = engines.run({s});
  EXPECT_EQ(t.messages.indirect, 2 * 16) << "there and back";
  EXPECT_EQ(t.lines, 1 + 16 + 1);
  // The farthest element, of slice 15, seven steps to the east and one to the south, is asked for last.
  EXPECT_GE(t.cycles, 2 * kAccess + 2 * packet(0, 15, 8) + kStart + 4 + kAccess);
}

TEST_F(Engine, IndirectUpdatesAreMadeWhereTheElementIs) {
  constexpr std::uint64_t kTable = 1 << 24;
  warm(0, 1);
  warm(kTable + 9 * kInterleave, 1);
  Strand s = strand(0, 1, {0}, Use::kUpdate, 0, 4);
  s.consumer.indirect = [](std::int64_t, std::int64_t) { return kTable + 9 * kInterleave; };
  const StreamTimes t = engines.run({s});
  EXPECT_EQ(t.cycles, kAccess + kStart + 4 + packet(0, 9, 8) + kAccess + kStart + 4);
  EXPECT_EQ(t.messages.indirect, 1);
}

TEST_F(Engine, ASliceComputesFourGroupsAtATime) {
  constexpr Tick kLatency = 96;
  warm(0, 16);
  const StreamTimes t = engines.run({strand(0, 16 * 16, {0}, Use::kStore, kFar, kLatency)});
  // Sixteen groups, four at a time, each 100 cycles; the first begins when its line is there, others a cycle later
  // each.
  EXPECT_EQ(t.cycles, kAccess + 3 + 4 * (kStart + kLatency) + kAccess);
}

/// Strands of all kinds at random.
TEST_F(Engine, EveryStrandEndsAndNothingIsLost) {
  for (std::int64_t n = 0; n < caseCount(40); ++n) {
    Rng rng(static_cast<std::uint64_t>(n));
    std::vector<StreamTimes> times;
    std::vector<Strand> strands;
    const std::size_t count = 1 + rng.below(12), loads = 1 + rng.below(3);
    const auto use = static_cast<Use>(1 + rng.below(4));
    std::int64_t groups = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Strand s;
      s.core = static_cast<Node>(rng.below(64));
      s.nest.extents = {1 + static_cast<std::int64_t>(rng.below(6)), 1 + static_cast<std::int64_t>(rng.below(300))};
      const auto pattern = [&] {
        const std::int64_t steps[] = {0, 4, 4, 4, 8, 256};
        return Pattern{
            rng.below(1 << 22) * 4, {static_cast<std::int64_t>(rng.below(2000)) * 4, steps[rng.below(6)]}, 4};
      };
      for (std::size_t l = 0; l < loads; ++l) s.loads.push_back({Use::kLoad, pattern()});
      s.consumer = {use, pattern()};
      s.consumer.pattern.strides.back() = 4;
      s.latency = Cycles(static_cast<std::int64_t>(rng.below(30)));
      if (rng.below(4) == 0) {
        s.loads.push_back({Use::kLoad, s.loads.front().pattern});
        const std::uint64_t salt = rng.below(1000);
        s.loads.back().indirect = [salt](std::int64_t g, std::int64_t lane) {
          return (static_cast<std::uint64_t>(g * 31 + lane * 17) * 2654435761U + salt) % (1 << 22) * 4;
        };
      }
      groups += s.nest.groups();
      strands.push_back(std::move(s));
    }
    for (int run = 0; run < 2; ++run) {
      Slices small = Slices::of(machine);
      small.size = Bytes(std::int64_t{64} << 10);
      StreamEngines own(machine, small, Engines{});
      const StreamTimes t = own.run(strands);
      EXPECT_GT(t.cycles, 0);
      if (use != Use::kCore) {
        EXPECT_EQ(t.computations, groups);
      }
      EXPECT_EQ(own.chip().network().packets(), own.chip().network().delivered());
      EXPECT_EQ(own.chip().memory().reads, own.chip().counts().misses);
      EXPECT_EQ(t.lines, own.chip().counts().reads + own.chip().counts().writes);
      times.push_back(t);
    }
    EXPECT_EQ(times[0].cycles, times[1].cycles);
  }
}

}  // namespace
}  // namespace pimento::test
