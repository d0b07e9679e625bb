// Cores over one L3: times of single lines on an idle chip by closed form, conservation, prefetching, translation.
#include "pimento/sim/core/many_cores.h"

#include <gtest/gtest.h>

#include "pimento/sim/uncore/shared_l3.h"
#include "test/support/machine_file.h"

namespace pimento::test {
namespace {

using namespace sim::core;
using sim::uncore::SharedL3;
using sim::uncore::Slices;

constexpr Tick kHop = 6, kRouter = 5, kL3 = 20, kFlits = 3;  // of a line: 72 B in flits of 32 B

machine::Machine quiet() {
  return load("l3-sram", {{"refresh.policy", "none"}});
}

/// Links between tiles of the 8 x 8 mesh.
Tick distance(int a, int b) {
  return std::abs(a % 8 - b % 8) + std::abs(a / 8 - b / 8);
}

TEST(SharedL3, ALineThatIsThereTakesItsWayThereAndBack) {
  const machine::Machine m = quiet();
  for (const int core : {0, 9, 63})
    for (const std::uint64_t piece : {0U, 1U, 27U, 63U}) {
      SharedL3 l3(m, Slices::of(m));
      const std::uint64_t address = piece * 1024;
      l3.declare(address, address + 64);
      const auto answer = l3.fetch(core, address, 64, 1000);
      const Tick hops = distance(core, static_cast<int>(piece));
      EXPECT_TRUE(answer.isShared);
      // A flit there, three back: the last flit comes two behind the first.
      EXPECT_EQ(answer.ready, 1000 + (hops * kHop + kRouter) + kL3 + (hops * kHop + kRouter + kFlits - 1));
      EXPECT_EQ(l3.flitHops(sim::noc::Traffic::kControl), hops);
      EXPECT_EQ(l3.flitHops(sim::noc::Traffic::kData), kFlits * hops);
      EXPECT_EQ(l3.memory().reads, 0);
    }
}

TEST(SharedL3, ALineThatIsNotComesFromMemoryOnce) {
  const machine::Machine m = quiet();
  SharedL3 l3(m, Slices::of(m));
  const auto cold = l3.fetch(5, 0, 64, 0);
  EXPECT_FALSE(cold.isShared);
  const auto warm = l3.fetch(5, 0, 64, cold.ready);
  EXPECT_TRUE(warm.isShared);
  EXPECT_LT(warm.ready - cold.ready, cold.ready);
  EXPECT_EQ(l3.counts().misses, 1);
  EXPECT_EQ(l3.memory().reads, 1);
}

TEST(SharedL3, LinksAreTakenOnce) {
  const machine::Machine m = quiet();
  SharedL3 l3(m, Slices::of(m));
  l3.declare(0, 1 << 20);
  // Neighbours ask the same slice in the same cycle: one port, one link back to each.
  const auto first = l3.fetch(0, 1024, 64, 0), second = l3.fetch(0, 1024 + 64, 64, 0);
  EXPECT_GE(second.ready, first.ready + kFlits);
}

/// A loop of `n` vector additions from two arrays to a third.
LoopCode add(std::int64_t n, std::uint64_t base) {
  LoopCode code;
  code.extents = {n};
  code.behind.resize(1);
  LoopBlock block;
  const auto put = [&](trace::Operation o, std::initializer_list<int> reads, int write) {
    trace::Instruction in;
    in.operation = o;
    in.loads = o == trace::Operation::kLoad;
    in.stores = o == trace::Operation::kStore;
    in.address = 0x1000 + 4 * block.instructions.size();
    for (const int r : reads) in.reads.add(static_cast<trace::Register>(r));
    if (write >= 0) in.writes.add(static_cast<trace::Register>(write));
    block.instructions.push_back(in);
  };
  put(trace::Operation::kLoad, {}, 64);
  put(trace::Operation::kLoad, {}, 65);
  put(trace::Operation::kFloatAdd, {64, 65}, 66);
  put(trace::Operation::kStore, {66}, -1);
  for (const int i : {0, 1, 3})
    block.accesses.push_back({.instruction = static_cast<std::uint16_t>(i),
                              .isStore = i == 3,
                              .bytes = 64,
                              .base = base + (static_cast<std::uint64_t>(i) << 24),
                              .strides = {64}});
  code.before = {block};
  return code;
}

TEST(ManyCores, EveryInstructionRunsOnce) {
  const machine::Machine m = quiet();
  std::vector<LoopCode> threads;
  for (std::uint64_t t = 0; t < 64; ++t) threads.push_back(add(100, t * 6400));
  const ManyCoresTime time = ManyCores(m).run(threads, Slices::of(m), {});
  EXPECT_EQ(time.instructions, 64 * 100 * 4);
  EXPECT_EQ(time.loads, 64 * 200);
  EXPECT_EQ(time.stores, 64 * 100);
  EXPECT_EQ(time.floats, 64 * 100);
  // Each line of the three arrays comes from memory at most once; prefetchers may fetch more.
  EXPECT_GE(time.memoryReads, 64 * 300);
  EXPECT_LE(time.memoryReads, 64 * 300 + 64 * 2 * 33);
  const ManyCoresTime again = ManyCores(m).run(threads, Slices::of(m), {});
  EXPECT_EQ(again.cycles, time.cycles);
  EXPECT_EQ(again.flitHops, time.flitHops);
}

TEST(ManyCores, PrefetchersBringLinesInTime) {
  const machine::Machine with = quiet();
  machine::Machine without = quiet();
  for (machine::CacheLevel &l : without.caches) l.prefetcher = machine::CacheLevel::Prefetcher::kNone;
  const auto cycles = [&](const machine::Machine &m) {
    return ManyCores(m).run({add(2000, 0)}, Slices::of(m), {{0, std::uint64_t{1} << 30}}).cycles;
  };
  EXPECT_LT(2 * cycles(with), 3 * cycles(without));
  EXPECT_LT(cycles(with), cycles(without));
}

TEST(ManyCores, TranslationTakesItsTime) {
  const machine::Machine with = quiet();
  machine::Machine without = quiet(), slow = quiet();
  without.translation.reset();
  slow.translation->walk = Cycles(1000);
  const auto cycles = [&](const machine::Machine &m) {
    return ManyCores(m).run({add(2000, 0)}, Slices::of(m), {{0, std::uint64_t{1} << 30}}).cycles;
  };
  EXPECT_LE(cycles(without), cycles(with));
  EXPECT_LT(cycles(with), cycles(slow));
}

TEST(ManyCores, LinesInReservedWaysPassUnits) {
  const machine::Machine m = quiet();
  const auto cycles = [&](Tick more) {
    return ManyCores(m)
        .run({add(500, 0)}, Slices::of(m), {{0, std::uint64_t{1} << 30}},
             [more](std::uint64_t, Tick cycle) { return cycle + more; })
        .cycles;
  };
  EXPECT_LT(cycles(0), cycles(500));
}

}  // namespace
}  // namespace pimento::test
