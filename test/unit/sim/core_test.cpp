// The core and its caches on streams whose time can be worked out by hand.
#include "pimento/sim/core/core.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <list>
#include <map>
#include <numeric>

#include "pimento/base/rng.h"
#include "test/support/machine_file.h"

namespace pimento::sim::core {
namespace {

using trace::Access;
using trace::Instruction;
using trace::Operation;

/// Instructions in a loop of 16 lines, all of which the first pass brings in.
class Program {
 public:
  explicit Program(const machine::Machine &machine) : core_(machine) {}

  static Instruction compute(Operation o, trace::Register to, std::initializer_list<trace::Register> from) {
    Instruction in;
    in.operation = o;
    in.writes.add(to);
    for (const trace::Register r : from) in.reads.add(r);
    return in;
  }
  static Instruction load(trace::Register to, trace::Register base) {
    Instruction in = compute(Operation::kLoad, to, {base});
    in.loads = true;
    in.addressRegisters.add(base);
    return in;
  }
  static Instruction store(trace::Register from, trace::Register base) {
    Instruction in;
    in.operation = Operation::kStore;
    in.stores = true;
    in.reads.add(from);
    in.reads.add(base);
    in.addressRegisters.add(base);
    return in;
  }

  Times run(Instruction in, std::vector<Access> accesses = {}) {
    in.address = at_;
    constexpr std::uint64_t kCode = 1024;
    at_ = (at_ + 4) % kCode;
    // The way back costs nothing that a prediction does not hide: it is no branch.
    return core_.run(in, accesses, in.address + 4);
  }
  /// Fills the instruction cache, and lets everything come to rest.
  void warm() {
    for (int i = 0; i < 512; ++i) run(compute(Operation::kAdd, 1, {1}));
    // What reads the base waits for all of that.
    run(compute(Operation::kAdd, kBase, {1}));
  }
  Core &core() { return core_; }

  static constexpr trace::Register kBase = 20;

 private:
  Core core_;
  std::uint64_t at_ = 0;
};

machine::Machine machineOf(const std::vector<machine::Override> &more = {}) {
  return test::load("cim-a9", more);
}

/// Cycles of `n` more instructions.
template <typename Make>
Tick cyclesOf(Program &p, int n, Make make) {
  const Tick before = p.core().cycles();
  for (int i = 0; i < n; ++i) make(i);
  return p.core().cycles() - before;
}

TEST(Core, TakesACycleForEachOfDependentSums) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  EXPECT_EQ(cyclesOf(p, 1000, [&](int) { p.run(Program::compute(Operation::kAdd, Program::kBase, {Program::kBase})); }),
            1000);
}

TEST(Core, RunsIndependentSumsOnAllItsUnits) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 3000, [&](int i) {
    p.run(Program::compute(Operation::kAdd, static_cast<trace::Register>(i % 8 + 2), {Program::kBase}));
  });
  EXPECT_NEAR(static_cast<double>(cycles), 1500, 20) << "two integer units";
}

TEST(Core, FetchesNoMoreThanItsWidth) {
  const machine::Machine m = machineOf({{"core.units.integer.count", "8"}});
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 3000, [&](int i) {
    p.run(Program::compute(Operation::kAdd, static_cast<trace::Register>(i % 8 + 2), {Program::kBase}));
  });
  EXPECT_NEAR(static_cast<double>(cycles), 1000, 20);
}

TEST(Core, HasADividerThatIsNotPipelined) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 100, [&](int i) {
    p.run(Program::compute(Operation::kDivide, static_cast<trace::Register>(i % 8 + 2), {Program::kBase}));
  });
  EXPECT_NEAR(static_cast<double>(cycles), 1200, 30);
}

TEST(Core, ChasesPointersAtTheLatencyOfTheirLevel) {
  const machine::Machine m = machineOf();
  const auto perLoad = [&](std::uint64_t bytes) {
    Program p(m);
    p.warm();
    const int n = static_cast<int>(bytes / 64);
    const auto chase = [&](int i) {
      p.run(Program::load(2, 2), {{0x100000 + static_cast<std::uint64_t>(i % n) * 64, 0, 8, false, 0}});
    };
    for (int i = 0; i < n; ++i) chase(i);
    return static_cast<double>(cyclesOf(p, 4 * n, chase)) / (4 * n);
  };
  EXPECT_NEAR(perLoad(16 << 10), 2, 0.01) << "in the first cache";
  EXPECT_NEAR(perLoad(128 << 10), 14, 0.01) << "in the second: looked up in both";
  EXPECT_NEAR(perLoad(1 << 20), 74, 0.1) << "in memory";
}

TEST(Core, WaitsForMissesInWavesOfItsMshrs) {
  const machine::Machine m = machineOf(
      {{"core.rob", "256"}, {"core.load_queue", "256"}, {"core.issue_queue", "256"}, {"memory.interval", "1"}});
  Program p(m);
  p.warm();
  const auto missesTake = [&](int n, std::uint64_t base) {
    return cyclesOf(p, n, [&](int i) {
      p.run(Program::load(static_cast<trace::Register>(2 + i % 8), 20),
            {{base + static_cast<std::uint64_t>(i) * 64, 0, 8, false, 0}});
    });
  };
  const Tick six = missesTake(6, 0x1000000), twelve = missesTake(12, 0x2000000), thirty = missesTake(30, 0x3000000);
  EXPECT_NEAR(static_cast<double>(twelve), static_cast<double>(2 * six), 30);
  EXPECT_NEAR(static_cast<double>(thirty), static_cast<double>(5 * six), 60);
}

TEST(Core, ForwardsFromStores) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  p.run(Program::load(Program::kBase, Program::kBase), {{0x5000, 0, 8, false, 0}});
  const Tick cycles = cyclesOf(p, 200, [&](int i) {
    if (i % 2 == 0)
      p.run(Program::store(2, 20), {{0x5000, 0, 8, true, 0}});
    else
      p.run(Program::load(2, 20), {{0x5000, 0, 8, false, 0}});
  });
  EXPECT_EQ(p.core().counts().forwarded, 100);
  EXPECT_NEAR(static_cast<double>(cycles), 100 * 3, 20) << "2 cycles of a store, 1 to forward";
}

TEST(Core, PaysForAWrongGuess) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  Instruction branch;
  branch.operation = Operation::kBranch;
  branch.isConditional = true;
  branch.reads.add(1);
  branch.address = 0x40;
  Rng rng(7);
  const std::int64_t before = p.core().counts().wrongGuesses;
  Tick last = p.core().cycles();
  std::vector<Tick> gaps;
  for (int i = 0; i < 200; ++i) {
    const bool isTaken = rng.below(2) == 1;
    p.core().run(branch, {}, isTaken ? 0x80 : 0x44);
    gaps.push_back(p.core().cycles() - last);
    last = p.core().cycles();
  }
  EXPECT_GT(p.core().counts().wrongGuesses - before, 50);
  // After a wrong guess: resolved, fetched again, through the front end, dispatched, issued.
  EXPECT_EQ(*std::max_element(gaps.begin() + 5, gaps.end()), m.core->frontEnd.value + 2);
}

TEST(Core, InOrderWaitsWhereOutOfOrderDoesNot) {
  const machine::Machine outOf = machineOf(), in = test::load("cim-inorder-1mb");
  const auto take = [](const machine::Machine &m) {
    Program p(m);
    p.warm();
    return cyclesOf(p, 400, [&](int i) {
      if (i % 4 == 0)
        p.run(Program::compute(Operation::kDivide, 2, {2}));
      else if (i % 4 == 1)
        p.run(Program::compute(Operation::kAdd, 3, {2}));
      else
        p.run(Program::compute(Operation::kAdd, 4, {4}));
    });
  };
  EXPECT_NEAR(static_cast<double>(take(outOf)), 1200, 40);
  EXPECT_GT(take(in), 1250);
}

TEST(Core, SumsOfCausesAreTheCycles) {
  const machine::Machine m = machineOf();
  Program p(m);
  Rng rng(3);
  for (int i = 0; i < 20000; ++i) {
    const auto to = static_cast<trace::Register>(rng.below(12)), from = static_cast<trace::Register>(rng.below(12));
    const std::uint64_t address = 0x10000 + rng.below(1 << 20);
    switch (rng.below(4)) {
      case 0:
        p.run(Program::load(to, from), {{address, 0, 4, false, 0}});
        break;
      case 1:
        p.run(Program::store(to, from), {{address, 0, 4, true, 0}});
        break;
      case 2:
        p.run(Program::compute(Operation::kMultiply, to, {from}));
        break;
      default:
        p.run(Program::compute(Operation::kAdd, to, {from}));
        break;
    }
  }
  Tick sum = 0;
  for (int c = 0; c < kCauses; ++c) sum += p.core().cyclesOf(static_cast<Cause>(c));
  EXPECT_EQ(sum, p.core().cycles());
  EXPECT_GE(p.core().cycles(), 20000 / 8);
}

TEST(Core, OverlapsMissesWithinItsReorderBufferAlone) {
  const machine::Machine m = machineOf();
  const auto take = [&](int between) {
    Program p(m);
    p.warm();
    const Tick before = p.core().cycles();
    for (std::uint64_t miss = 0; miss < 2; ++miss) {
      p.run(Program::load(2, Program::kBase), {{0x1000000 + miss * 4096, 0, 8, false, 0}});
      for (int i = 0; i < between; ++i) p.run(Program::compute(Operation::kAdd, 3, {Program::kBase}));
    }
    return p.core().cycles() - before;
  };
  const Tick latency = m.memory->latency.value;
  // 40 entries: the second miss enters while the first one is under way, or after it has gone.
  EXPECT_LT(take(30) - take(10), latency / 2);
  EXPECT_GE(take(45) - take(30), latency);
}

TEST(Core, KeepsItsBoundsOnAnyStream) {
  for (const char *name : {"cim-a9", "cim-ooo8", "cim-inorder-1mb"}) {
    const machine::Machine m = test::load(name);
    const auto latencyOf = [&](machine::CoreOperation o) { return m.core->of(o).latency.value; };
    Program p(m);
    Rng rng(11);
    std::array<Tick, trace::kRegisters> known{};  // when a machine without limits would have each register
    Tick critical = 0;
    constexpr int kInstructions = 20000;
    for (int i = 0; i < kInstructions; ++i) {
      const auto to = static_cast<trace::Register>(rng.below(12)), from = static_cast<trace::Register>(rng.below(12));
      Tick takes = latencyOf(machine::CoreOperation::kInteger);
      switch (rng.below(4)) {
        case 0:
          p.run(Program::load(to, from), {{0x10000 + 8 * rng.below(1 << 16), 0, 8, false, 0}});
          takes = latencyOf(machine::CoreOperation::kLoad) +
                  m.caches[static_cast<std::size_t>(p.core().caches().dataCache())].latency.value;
          break;
        case 1:
          p.run(Program::compute(Operation::kDivide, to, {from}));
          takes = latencyOf(machine::CoreOperation::kDivide);
          break;
        default:
          p.run(Program::compute(Operation::kAdd, to, {from}));
          break;
      }
      known[to] = known[from] + takes;
      critical = std::max(critical, known[to]);
    }
    const cache::Hierarchy &caches = p.core().caches();
    const cache::Counts &c = caches.counts(caches.dataCache());
    const machine::CacheLevel &first = m.caches[static_cast<std::size_t>(caches.dataCache())];
    const Tick missTakes = m.caches[static_cast<std::size_t>(first.next)].latency.value;
    EXPECT_GE(p.core().cycles(), critical) << name;
    EXPECT_GE(p.core().cycles() * m.core->commitWidth, kInstructions) << name;
    EXPECT_GE(p.core().cycles() * m.core->fetchWidth, kInstructions) << name;
    EXPECT_GE(p.core().cycles() * first.mshrs, (c.readMisses - c.merged) * missTakes) << name;
  }
}

TEST(IssueQueue, HasRoomWhenTheFirstOfItsEntriesIsIssued) {
  IssueQueue q(2);
  EXPECT_EQ(q.room(5), 5);
  q.add(9);
  EXPECT_EQ(q.room(5), 5);
  q.add(100000);
  EXPECT_EQ(q.room(6), 9) << "two wait";
  q.add(100001);
  EXPECT_EQ(q.room(10), 100000) << "far ones, too";
  q.add(100002);
  EXPECT_EQ(q.room(100000), 100001);
}

/// Least recently used, as a list per set.
class PlainCache {
 public:
  PlainCache(std::int64_t sets, int ways)
      : sets_(static_cast<std::size_t>(sets)), ways_(static_cast<std::size_t>(ways)) {}
  bool hits(std::uint64_t line) {
    std::list<std::uint64_t> &set = sets_[static_cast<std::size_t>(line) % sets_.size()];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool isHit = found != set.end();
    if (isHit) set.erase(found);
    set.push_front(line);
    if (set.size() > ways_) set.pop_back();
    return isHit;
  }

 private:
  std::vector<std::list<std::uint64_t>> sets_;
  std::size_t ways_;
};

TEST(Caches, MissWhereAPlainModelDoes) {
  const machine::Machine m = machineOf();
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    cache::Hierarchy caches(m);
    PlainCache first(m.caches[1].sets(), m.caches[1].ways);
    Rng rng(seed);
    std::int64_t misses = 0;
    std::uint64_t at = 0;
    for (int i = 0; i < 50000; ++i) {
      at = rng.below(4) == 0 ? rng.below(1 << 18) : at + 8;
      misses += first.hits(at / 64) ? 0 : 1;
      caches.access(caches.dataCache(), at, rng.below(3) == 0, i * 1000);
    }
    const cache::Counts &c = caches.counts(caches.dataCache());
    EXPECT_EQ(c.readMisses + c.writeMisses, misses) << "seed " << seed;
  }
}

TEST(Calendar, TakesTheFirstRoomThereIs) {
  Calendar c(2);
  EXPECT_EQ(c.take(5), 5);
  EXPECT_EQ(c.take(5), 5);
  EXPECT_EQ(c.take(5), 6);
  EXPECT_EQ(c.take(3, 4), 6) << "cycle 5 is full";
  EXPECT_EQ(c.take(3, 2), 3);
}

}  // namespace
}  // namespace pimento::sim::core
