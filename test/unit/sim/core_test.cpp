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

/// Instructions in a loop of 16 lines, all of which the first pass brings in. Whatever they are, at its end: no more
/// instructions per cycle than the core is wide, no less time than the longest chain of dependent ones takes in a core
/// without limits, and no less than the first cache's misses take if they always are as many as it may wait for.
class Program {
 public:
  explicit Program(const machine::Machine &machine) : machine_(machine), core_(machine) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program() {
    const cache::Hierarchy &caches = core_.caches();
    const cache::Counts &data = caches.counts(caches.dataCache());
    const machine::CacheLevel &first = cacheOf(caches.dataCache());
    const Tick missTakes = cacheOf(first.next).latency.value;
    const machine::Core &c = *machine_.core;
    EXPECT_GE(core_.cycles() * std::min({c.fetchWidth, c.dispatchWidth, c.issueWidth, c.commitWidth}),
              core_.counts().instructions);
    EXPECT_GE(core_.cycles(), critical_);
    EXPECT_GE(core_.cycles() * first.mshrs, (data.readMisses - data.merged) * missTakes);
  }

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
    return runAt(in, in.address + 4, accesses);
  }
  /// The instruction where it says, and the address of what runs then.
  Times runAt(const Instruction &in, std::uint64_t next, const std::vector<Access> &accesses = {}) {
    chain(in);
    return core_.run(in, accesses, next);
  }
  /// Fills the instruction cache, and lets everything come to rest.
  void warm() {
    for (int i = 0; i < 512; ++i) run(compute(Operation::kAdd, 1, {1}));
    // What reads the base waits for all of that.
    run(compute(Operation::kAdd, kBase, {1}));
  }
  Core &core() { return core_; }
  const machine::CacheLevel &cacheOf(int cache) const { return machine_.caches[static_cast<std::size_t>(cache)]; }

  static constexpr trace::Register kBase = 20;

 private:
  void chain(const Instruction &in) {
    Tick done = 0;
    for (const trace::Register r : in.reads) done = std::max(done, known_[r]);
    done += machine_.core->of(classOf(in)).latency.value;
    if (in.loads) done += std::min(cacheOf(core_.caches().dataCache()).latency.value, machine_.core->forward.value);
    for (const trace::Register r : in.writes) known_[r] = done;
    critical_ = std::max(critical_, done);
  }

  const machine::Machine &machine_;
  Core core_;
  std::uint64_t at_ = 0;
  std::array<Tick, trace::kRegisters> known_{};  ///< when a machine without limits would have each register
  Tick critical_ = 0;
};

machine::Machine machineOf(const std::vector<machine::Override> &more = {}) {
  return test::load("cim-a9", more);
}

/// A DRAM that counts the core's cycles, and is not refreshed.
machine::Machine plainMemory(std::vector<machine::Override> more = {}) {
  more.insert(more.begin(), {{"clock.memory", "1 GHz"}, {"refresh.policy", "none"}});
  return machineOf(more);
}

Tick timing(const machine::Machine &m, const std::string &name) {
  return static_cast<Tick>(m.numbers.at("timing." + name).canonical);
}
Tick latencyOf(const machine::Machine &m, machine::CoreOperation o) {
  return m.core->of(o).latency.value;
}
/// Of the caches of data, the first and the one behind it.
Tick firstTakes(const machine::Machine &m) {
  return m.caches[1].latency.value;
}
Tick secondTakes(const machine::Machine &m) {
  return m.caches[2].latency.value;
}
/// A load from a row that is open, of a machine whose DRAM counts the core's cycles: looked for in both caches, seen by
/// the controller a cycle after it has arrived, and there with the last beat.
Tick openRowTakes(const machine::Machine &m) {
  return firstTakes(m) + secondTakes(m) + 1 + timing(m, "nCL") + timing(m, "nBL") + m.memory->latency.value;
}

/// Cycles of `n` more instructions, behind as many of the same kind: those of a core that has found its pace.
template <typename Make>
Tick cyclesOf(Program &p, int n, Make make) {
  for (int i = 0; i < n; ++i) make(i);
  const Tick before = p.core().cycles();
  for (int i = 0; i < n; ++i) make(n + i);
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
  EXPECT_EQ(cycles * m.core->units[static_cast<std::size_t>(m.core->of(machine::CoreOperation::kInteger).unit)].count,
            3000)
      << "two integer units";
}

TEST(Core, FetchesNoMoreThanItsWidth) {
  const machine::Machine m = machineOf({{"core.units.integer.count", "8"}});
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 3000, [&](int i) {
    p.run(Program::compute(Operation::kAdd, static_cast<trace::Register>(i % 8 + 2), {Program::kBase}));
  });
  EXPECT_EQ(cycles * m.core->fetchWidth, 3000);
}

TEST(Core, HasADividerThatIsNotPipelined) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 100, [&](int i) {
    p.run(Program::compute(Operation::kDivide, static_cast<trace::Register>(i % 8 + 2), {Program::kBase}));
  });
  EXPECT_EQ(cycles, 100 * m.core->of(machine::CoreOperation::kDivide).busy.value);
}

/// Loads that wait for each other, from one line after the other of so many bytes.
Tick chaseOf(Program &p, std::uint64_t bytes, int rounds) {
  const int n = static_cast<int>(bytes / 64);
  return cyclesOf(p, rounds * n, [&](int i) {
    p.run(Program::load(2, 2), {{0x100000 + static_cast<std::uint64_t>(i % n) * 64, 0, 8, false, 0}});
  });
}

TEST(Core, ChasesPointersAtTheLatencyOfTheirLevel) {
  const machine::Machine m = plainMemory();
  Program first(m), second(m);
  first.warm();
  EXPECT_EQ(chaseOf(first, 16 << 10, 4), 4 * (16 << 10) / 64 * firstTakes(m));
  second.warm();
  EXPECT_EQ(chaseOf(second, 128 << 10, 4), 4 * (128 << 10) / 64 * (firstTakes(m) + secondTakes(m)))
      << "looked up in both";
}

// Rows of 128 lines, in the eight banks in turn: the first line of each finds another row open.
TEST(Core, ChasesPointersThroughRowsOfMemory) {
  const machine::Machine m = plainMemory();
  Program p(m);
  p.warm();
  const std::int64_t lines = (1 << 20) / 64, rows = lines / m.dram->organization.columns;
  const Tick cycles = chaseOf(p, 1 << 20, 1);
  EXPECT_EQ(cycles, lines * openRowTakes(m) + rows * (timing(m, "nRP") + timing(m, "nRCD")));
}

// The memory's clock ticks four times in five cycles of the core, so that a load's time depends on when it comes.
TEST(Core, ChasesPointersIntoAClockOfTheMemory) {
  const machine::Machine m = machineOf({{"refresh.policy", "none"}});
  Program p(m);
  p.warm();
  p.run(Program::load(2, Program::kBase), {{0x100000, 0, 8, false, 0}});
  Times before = p.run(Program::load(2, 2), {{0x100040, 0, 8, false, 0}});
  const auto up = [](Tick a, Tick b) { return (a + b - 1) / b; };
  for (std::uint64_t i = 2; i < 100; ++i) {
    const Times t = p.run(Program::load(2, 2), {{0x100000 + i * 64, 0, 8, false, 0}});
    ASSERT_EQ(t.issued, before.done);
    const Tick arrives = up((t.issued + firstTakes(m) + secondTakes(m)) * 4, 5);
    ASSERT_EQ(t.done, up((arrives + 1 + timing(m, "nCL") + timing(m, "nBL")) * 5, 4) + m.memory->latency.value) << i;
    before = t;
  }
}

// k misses of the first cache, all in the second: the first of each wave begins there when the first of the wave before
// has its line, the others a cycle after each other.
TEST(Core, WaitsForMissesInWavesOfItsMshrs) {
  const machine::Machine m = machineOf({{"core.rob", "256"}, {"core.load_queue", "256"}, {"core.issue_queue", "256"}});
  const int mshrs = m.caches[1].mshrs;
  for (const int k : {1, 5, 6, 7, 12, 13, 30, 64}) {
    Program p(m);
    p.warm();
    const auto miss = [&](int i) {
      return p.run(Program::load(static_cast<trace::Register>(2 + i % 8), Program::kBase),
                   {{0x1000000 + static_cast<std::uint64_t>(i) * 64, 0, 8, false, 0}});
    };
    // Into both caches, and out of the first one again.
    for (int i = 0; i < 1024; ++i) miss(i);
    p.run(Program::compute(Operation::kDivide, Program::kBase, {2, 3, 4, 5, 6, 7, 8, 9}));
    Times first, last;
    for (int i = 0; i < k; ++i) {
      last = miss(i);
      if (i == 0) first = last;
    }
    EXPECT_EQ(last.done,
              first.issued + firstTakes(m) + (k - 1) / mshrs * secondTakes(m) + (k - 1) % mshrs + secondTakes(m))
        << k;
  }
}

TEST(Core, ForwardsFromStores) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  const Tick cycles = cyclesOf(p, 200, [&](int i) {
    if (i % 2 == 0)
      p.run(Program::store(2, Program::kBase), {{0x5000, 0, 8, true, 0}});
    else
      p.run(Program::load(2, Program::kBase), {{0x5000, 0, 8, false, 0}});
  });
  EXPECT_EQ(p.core().counts().forwarded, 200);
  EXPECT_EQ(cycles, 100 * (latencyOf(m, machine::CoreOperation::kStore) + m.core->forward.value));
}

// A load that a store has only a part of waits until the store is in the cache.
TEST(Core, WaitsForAStoreThatHasAPartOfALoad) {
  const machine::Machine m = machineOf();
  Program p(m);
  p.warm();
  p.run(Program::load(3, Program::kBase), {{0x5000, 0, 8, false, 0}});
  p.run(Program::compute(Operation::kAdd, Program::kBase, {3}));
  const Times store = p.run(Program::store(2, Program::kBase), {{0x5004, 0, 4, true, 0}}),
              load = p.run(Program::load(4, Program::kBase), {{0x5000, 0, 8, false, 0}});
  EXPECT_EQ(load.done, store.committed + 2 * firstTakes(m)) << "the store's access, then the load's";
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
  int wrong = 0, late = 0;
  Times before;
  bool wasWrong = false, wasLate = false;
  for (int i = 0; i < 200; ++i) {
    const CoreCounts counts = p.core().counts();
    const Times t = p.runAt(branch, rng.below(2) == 1 ? 0x80 : 0x44);
    if (wasWrong) {
      // Fetched once the branch is known, then through the front end.
      ASSERT_EQ(t.fetched, before.done);
      ASSERT_EQ(t.issued, before.done + m.core->frontEnd.value + 1);
      ASSERT_EQ(t.done - before.done, m.core->frontEnd.value + 1 + latencyOf(m, machine::CoreOperation::kBranch));
    }
    if (wasLate) {
      ASSERT_EQ(t.fetched, before.fetched + m.core->frontEnd.value) << "known once it is decoded";
    }
    wasWrong = p.core().counts().wrongGuesses > counts.wrongGuesses;
    wasLate = p.core().counts().lateTargets > counts.lateTargets;
    wrong += wasWrong ? 1 : 0;
    late += wasLate ? 1 : 0;
    before = t;
  }
  EXPECT_GT(wrong, 50);
  EXPECT_LE(late, 1) << "the first one that is guessed taken";
}

TEST(Core, InOrderWaitsWhereOutOfOrderDoesNot) {
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
  const machine::Machine outOf = machineOf(), in = test::load("cim-inorder-1mb");
  const Tick divide = latencyOf(in, machine::CoreOperation::kDivide);
  EXPECT_EQ(take(outOf), 100 * divide) << "the chain of quotients";
  EXPECT_EQ(take(in), 100 * (divide + 3)) << "then the three sums, one in a cycle";
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
  const machine::Machine m = plainMemory();
  for (const int distance : {1, m.core->robEntries - 1, m.core->robEntries}) {
    Program p(m);
    p.warm();
    // A row that stays open.
    const Times row = p.run(Program::load(2, Program::kBase), {{0x1000000, 0, 8, false, 0}});
    p.run(Program::compute(Operation::kAdd, Program::kBase, {2}));
    const Times first = p.run(Program::load(2, Program::kBase), {{0x1000040, 0, 8, false, 0}});
    EXPECT_GT(first.issued, row.done);
    EXPECT_EQ(first.done, first.issued + openRowTakes(m));
    for (int i = 1; i < distance; ++i) p.run(Program::compute(Operation::kAdd, 3, {1}));
    const Times second = p.run(Program::load(2, Program::kBase), {{0x1000080, 0, 8, false, 0}});
    if (distance < m.core->robEntries) {
      EXPECT_LT(second.issued, first.done) << distance << " instructions on, it is under way with the first";
    } else {
      EXPECT_EQ(second.dispatched, first.committed) << "it takes the place of the first";
      EXPECT_EQ(second.done, first.committed + 1 + openRowTakes(m));
    }
  }
}

TEST(Core, KeepsItsBoundsOnAnyStream) {
  for (const char *name : {"cim-a9", "cim-ooo8", "cim-inorder-1mb"}) {
    const machine::Machine m = test::load(name);
    Program p(m);  // at whose end the bounds are looked at
    Rng rng(11);
    for (int i = 0; i < 20000; ++i) {
      const auto to = static_cast<trace::Register>(rng.below(12)), from = static_cast<trace::Register>(rng.below(12));
      const std::uint64_t address = 0x10000 + 8 * rng.below(rng.below(4) == 0 ? 16 : 1 << 16);
      switch (rng.below(5)) {
        case 0:
          p.run(Program::load(to, from), {{address, 0, 8, false, 0}});
          break;
        case 1:
          p.run(Program::store(to, from), {{address, 0, 8, true, 0}});
          break;
        case 2:
          p.run(Program::compute(Operation::kDivide, to, {from}));
          break;
        default:
          p.run(Program::compute(Operation::kAdd, to, {from}));
          break;
      }
    }
    EXPECT_GT(p.core().counts().forwarded, 0) << name;
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

/// Least recently used, as a list per set; what it lacks or throws out it tells the one behind it.
class PlainCache {
 public:
  PlainCache(const machine::CacheLevel &l, PlainCache *next)
      : sets_(static_cast<std::size_t>(l.sets())), ways_(static_cast<std::size_t>(l.ways)), next_(next) {}

  void access(std::uint64_t line, bool isWrite, bool isWriteBack = false) {
    std::list<Line> &set = sets_[static_cast<std::size_t>(line) % sets_.size()];
    const auto found = std::find_if(set.begin(), set.end(), [&](const Line &l) { return l.number == line; });
    if (found != set.end()) {
      set.push_front({line, found->isDirty || isWrite});
      set.erase(found);
      return;
    }
    ++misses;
    if (set.size() == ways_) {
      const Line victim = set.back();
      set.pop_back();
      if (victim.isDirty) {
        ++writeBacks;
        if (next_ != nullptr) next_->access(victim.number, true, true);
      }
    }
    if (!isWriteBack && next_ != nullptr) next_->access(line, false);
    set.push_front({line, isWrite});
  }
  std::int64_t misses = 0, writeBacks = 0;

 private:
  struct Line {
    std::uint64_t number;
    bool isDirty;
  };
  std::vector<std::list<Line>> sets_;
  std::size_t ways_;
  PlainCache *next_;
};

TEST(Caches, MissWhereAPlainModelDoes) {
  const machine::Machine m = machineOf();
  constexpr int kAccesses = 60000;
  const auto addressOf = [](int trace, int i, std::uint64_t &at, Rng &rng) -> std::uint64_t {
    switch (trace) {
      case 0:  // words of an array, again and again
        return static_cast<std::uint64_t>(i) * 8 % (300 << 10);
      case 1:  // columns of a matrix of 128 by 1032 words
        return static_cast<std::uint64_t>(i % 128) * 8256 + static_cast<std::uint64_t>(i) / 128 % 1024 * 8;
      case 2:  // anywhere
        return rng.below(1 << 20);
      case 3:  // often near, seldom far
        return rng.below(10) == 0 ? rng.below(1 << 22) : rng.below(24 << 10);
      default:  // in pieces
        return at = rng.below(4) == 0 ? rng.below(1 << 18) : at + 8;
    }
  };
  for (int trace = 0; trace < 5; ++trace) {
    cache::Hierarchy caches(m);
    PlainCache second(m.caches[2], nullptr), first(m.caches[1], &second);
    Rng rng(static_cast<std::uint64_t>(trace));
    std::uint64_t at = 0;
    for (int i = 0; i < kAccesses; ++i) {
      const std::uint64_t address = addressOf(trace, i, at, rng);
      const bool isWrite = rng.below(3) == 0;
      first.access(address / 64, isWrite);
      caches.access(caches.dataCache(), address, isWrite, Tick{i} * 1000);
    }
    const cache::Counts &one = caches.counts(1), &two = caches.counts(2);
    EXPECT_EQ(one.readMisses + one.writeMisses, first.misses) << "trace " << trace;
    EXPECT_EQ(one.writeBacks, first.writeBacks) << "trace " << trace;
    EXPECT_EQ(two.readMisses + two.writeMisses, second.misses) << "trace " << trace;
    EXPECT_EQ(two.writeBacks, second.writeBacks) << "trace " << trace;
    EXPECT_EQ(caches.memory().counts().writes, second.writeBacks) << "trace " << trace;
    EXPECT_GT(second.misses, 0);
    EXPECT_LT(first.misses, kAccesses);
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

TEST(Calendar, OfBitsTakesWhatOneOfCountsTakes) {
  Rng rng(8);
  for (int n = 0; n < 50; ++n) {
    Calendar counts(1);
    BitCalendar bits(1 << 14);
    const std::int64_t longest = n % 5 == 0 ? 70 : 5;
    std::int64_t now = rng.integer(0, 200);
    for (int k = 0; k < 2000; ++k) {
      now += rng.integer(0, 2 * longest);
      const std::int64_t at = std::max<std::int64_t>(0, now - rng.integer(0, 10 * longest)),
                         length = rng.integer(1, longest);
      ASSERT_EQ(bits.take(at, length), counts.take(at, length));
    }
  }
}

}  // namespace
}  // namespace pimento::sim::core
