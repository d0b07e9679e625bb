// Which trees a computing memory could run, and why not the others: on streams of a few instructions.
#include "pimento/trace/candidates.h"

#include <gtest/gtest.h>

#include <deque>
#include <numeric>

namespace pimento::trace {
namespace {

/// A stream of A64 instructions; every load and store is of 4 bytes, served at level 0.
class Stream {
 public:
  Stream() {
    rules_.operations = {Operation::kAdd, Operation::kAnd, Operation::kXor}, rules_.widths = {32},
    rules_.levels = {true, true}, rules_.geometry = {{64, 4}, {64, 4}};
  }
  CimRules &rules() { return rules_; }

  Stream &load(Register to, std::uint64_t address, std::uint64_t value = 0, int level = 0) {
    Instruction &in = add(Operation::kLoad);
    in.loads = true;
    in.hasDestination = true;
    in.destination = to;
    in.writes.add(to);
    in.reads.add(kBase);
    in.addressRegisters.add(kBase);
    return access(address, value, false, level);
  }
  Stream &store(Register from, std::uint64_t address, std::uint64_t value = 0) {
    Instruction &in = add(Operation::kStore);
    in.stores = true;
    in.operands[0].reg = from;
    in.operandCount = 1;
    in.reads.add(from);
    in.reads.add(kBase);
    in.addressRegisters.add(kBase);
    return access(address, value, true, -1);
  }
  Stream &compute(Operation o, Register to, Operand a, Operand b, int width = 32) {
    Instruction &in = add(o);
    in.width = static_cast<std::uint8_t>(width);
    in.operands = {a, b};
    in.operandCount = 2;
    in.hasDestination = true;
    in.destination = to;
    in.writes.add(to);
    for (const Operand &x : in.operands)
      if (!x.isImmediate) in.reads.add(x.reg);
    steps_.push_back({&in, {}, -1});
    return *this;
  }
  /// Of the system, with arguments in x0 and x1.
  Stream &call() {
    Instruction &in = add(Operation::kSystem);
    for (const Register r : {Register{0}, Register{1}}) in.reads.add(r);
    in.writes.add(Register{0});
    steps_.push_back({&in, {}, -1});
    return *this;
  }
  /// The access of the last instruction has so many bytes.
  Stream &of(std::uint8_t bytes) {
    steps_.back().accesses.front().bytes = bytes;
    return *this;
  }
  /// Overwrites registers.
  Stream &clear(std::initializer_list<Register> registers) {
    for (const Register r : registers) {
      Instruction &in = add(Operation::kMove);
      in.hasDestination = true;
      in.destination = r;
      in.writes.add(r);
      steps_.push_back({&in, {}, -1});
    }
    return *this;
  }
  Instruction &last() { return instructions_.back(); }

  /// What becomes known of each tree: its operations, loads and store by their places in the stream.
  struct Told {
    Fate fate;
    std::vector<std::int64_t> operations, loads;
    std::int64_t store;
    bool operator==(const Told &) const = default;
  };
  const std::vector<Told> &told() const { return told_; }

  CandidateCounts run() {
    Candidates candidates(rules_, 64);
    candidates.listen([this](const JudgedTree &t) {
      told_.push_back({t.fate, {t.operations.begin(), t.operations.end()}, {t.loads.begin(), t.loads.end()}, t.store});
    });
    std::deque<Candidates::Step> prepared;
    for (const Step &s : steps_)
      candidates.onInstruction(prepared.emplace_back(candidates.prepare(*s.in)), s.accesses,
                               {s.level, s.accesses.empty() ? 0 : s.accesses.front().address});
    candidates.finish();
    const CandidateCounts &c = candidates.counts();
    // Whatever is supported in kind has a fate, and so has every load.
    std::int64_t supported = 0, loads = 0;
    for (const Step &s : steps_) {
      supported += s.in->operandCount == 2 && std::find(rules_.operations.begin(), rules_.operations.end(),
                                                        s.in->operation) != rules_.operations.end()
                       ? 1
                       : 0;
      loads += s.in->loads ? 1 : 0;
    }
    EXPECT_EQ(std::accumulate(c.operations.begin(), c.operations.end(), std::int64_t{0}), supported);
    EXPECT_EQ(std::accumulate(c.loads.begin(), c.loads.end(), std::int64_t{0}), loads);
    return c;
  }

 private:
  static constexpr Register kBase = 20;
  struct Step {
    const Instruction *in;
    std::vector<Access> accesses;
    int level;
  };
  Instruction &add(Operation o) {
    Instruction &in = instructions_.emplace_back();
    in.operation = o;
    return in;
  }
  Stream &access(std::uint64_t address, std::uint64_t value, bool isStore, int level) {
    steps_.push_back({&instructions_.back(), {{address, 0, 4, isStore, value}}, level});
    return *this;
  }
  CimRules rules_;
  std::deque<Instruction> instructions_;
  std::vector<Step> steps_;
  std::vector<Told> told_;
};

Operand r(Register reg) {
  return {.reg = reg};
}
Operand imm(std::int64_t value) {
  return {.isImmediate = true, .immediate = value};
}
std::int64_t of(const CandidateCounts &c, Fate f) {
  return c.operations[static_cast<std::size_t>(f)];
}
std::int64_t of(const CandidateCounts &c, LoadFate f) {
  return c.loads[static_cast<std::size_t>(f)];
}

TEST(Candidates, AreLoadLoadOperationStore) {
  const CandidateCounts c = Stream()
                                .load(1, 0x100, 5)
                                .load(2, 0x104, 7)
                                .compute(Operation::kAdd, 3, r(1), r(2))
                                .store(3, 0x108, 12)
                                .clear({1, 2, 3})
                                .run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(c.stored, 1);
  EXPECT_EQ(c.proved, 1);
  EXPECT_EQ(c.disproved, 0);
  EXPECT_EQ(of(c, LoadFate::kOffloaded), 2);
}

// Eva-CiM, Fig. 4: (a) two loads, (b) a load and a constant, (c) the result of (a) with another load.
TEST(Candidates, AreTheTreesOfFigure4) {
  using Told = Stream::Told;
  Stream a, b, c;
  a.load(1, 0x100).load(2, 0x104).compute(Operation::kAdd, 3, r(1), r(2)).store(3, 0x108).clear({1, 2, 3}).run();
  EXPECT_EQ(a.told(), (std::vector<Told>{{Fate::kOffloaded, {2}, {0, 1}, 3}}));
  b.load(1, 0x100).compute(Operation::kAnd, 3, r(1), imm(1)).store(3, 0x108).clear({1, 3}).run();
  EXPECT_EQ(b.told(), (std::vector<Told>{{Fate::kOffloaded, {1}, {0}, 2}}));
  c.load(1, 0x100)
      .load(2, 0x104)
      .compute(Operation::kAdd, 3, r(1), r(2))
      .load(4, 0x108)
      .compute(Operation::kXor, 5, r(3), r(4))
      .store(5, 0x10c)
      .clear({1, 2, 3, 4, 5})
      .run();
  EXPECT_EQ(c.told(), (std::vector<Told>{{Fate::kOffloaded, {2, 4}, {0, 1, 3}, 5}}));
}

TEST(Candidates, KnowAStoreToALeafHoweverManyLoadsOfItThereAre) {
  Stream s;
  // Loads of one place share what is known, until a store; those after it know nothing of that store.
  for (int i = 0; i < 3000; ++i) {
    const bool isStored = i % 3 == 2;
    s.load(1, 0x100);
    if (isStored) s.store(9, 0x103);
    s.compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x200).clear({1, 3});
  }
  const CandidateCounts c = s.run();
  EXPECT_EQ(of(c, Fate::kStoreBetween), 1000);
  EXPECT_EQ(c.trees, 2000);
}

TEST(Candidates, ComputeWhatIsStored) {
  const CandidateCounts c =
      Stream().load(1, 0x100, 5).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108, 7).clear({1, 3}).run();
  EXPECT_EQ(c.disproved, 1) << "5 + 1 is not 7";
}

TEST(Candidates, GoOnToASecondOperation) {
  const CandidateCounts c = Stream()
                                .load(1, 0x100, 6)
                                .load(2, 0x104, 3)
                                .compute(Operation::kAdd, 3, r(1), r(2))
                                .load(4, 0x108, 5)
                                .compute(Operation::kAnd, 5, r(3), r(4))
                                .store(5, 0x10c, 1)
                                .clear({1, 2, 3, 4, 5})
                                .run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(c.offloaded(), 2);
  EXPECT_EQ(c.disproved, 0);
}

TEST(Candidates, ReturnToARegisterWhereTheRootIsUsedOtherwise) {
  const CandidateCounts c = Stream().load(1, 0x100).compute(Operation::kAdd, 3, r(1), imm(1)).clear({1}).run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(c.stored, 0);
}

TEST(Candidates, KeepALoadWhoseValueIsUsedElsewhere) {
  const CandidateCounts c = Stream()
                                .load(1, 0x100)
                                .compute(Operation::kAdd, 3, r(1), imm(1))
                                .store(3, 0x108, 1)
                                .store(1, 0x200)
                                .clear({1, 3})
                                .run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(of(c, LoadFate::kKept), 1);
}

TEST(Candidates, EndWhereAStoreChangesALeaf) {
  Stream s;
  s.load(1, 0x100).store(9, 0x102).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108).clear({1, 3});
  EXPECT_EQ(of(s.run(), Fate::kStoreBetween), 1);
}

TEST(Candidates, MayStoreOverTheirOwnLeaf) {
  const CandidateCounts c =
      Stream().load(1, 0x100, 1).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x100, 2).clear({1, 3}).run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(c.disproved, 0);
}

TEST(Candidates, HaveNoOtherWidth) {
  EXPECT_EQ(of(Stream().load(1, 0x100).compute(Operation::kAdd, 3, r(1), imm(1), 64).clear({1, 3}).run(), Fate::kWidth),
            1);
}

TEST(Candidates, HaveALoad) {
  EXPECT_EQ(of(Stream().compute(Operation::kAdd, 3, imm(2), imm(1)).clear({3}).run(), Fate::kNoLoad), 1);
}

TEST(Candidates, HaveNoOperandFromARegister) {
  const CandidateCounts c =
      Stream().clear({7}).load(1, 0x100).compute(Operation::kAdd, 3, r(1), r(7)).clear({1, 3}).run();
  EXPECT_EQ(of(c, Fate::kRegister), 1);
  EXPECT_EQ(of(c, LoadFate::kRejected), 1);
}

TEST(Candidates, BelowAnOperationThatIsNoneStandAlone) {
  const CandidateCounts c = Stream()
                                .clear({7})
                                .load(1, 0x100)
                                .compute(Operation::kAdd, 3, r(1), imm(1))
                                .compute(Operation::kXor, 4, r(3), r(7))
                                .clear({1, 3, 4})
                                .run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(of(c, Fate::kRegister), 1);
}

TEST(Candidates, LieAtALevelThatComputes) {
  EXPECT_EQ(
      of(Stream().load(1, 0x100, 0, -1).compute(Operation::kAdd, 3, r(1), imm(1)).clear({1, 3}).run(), Fate::kLevel),
      1);
  Stream two;
  two.load(1, 0x100, 0, 0).load(2, 0x104, 0, 1).compute(Operation::kAdd, 3, r(1), r(2)).clear({1, 2, 3});
  EXPECT_EQ(of(two.run(), Fate::kLevels), 1);
}

TEST(Candidates, LieAsNearAsIsAsked) {
  const auto fateAt = [](std::uint64_t second, CimRules::Locality locality) {
    Stream s;
    s.rules().locality = locality;
    s.load(1, 0x100).load(2, second).compute(Operation::kAdd, 3, r(1), r(2)).clear({1, 2, 3});
    return s.run();
  };
  using enum CimRules::Locality;
  EXPECT_EQ(of(fateAt(0x140, kBank), Fate::kBank), 1);
  EXPECT_EQ(fateAt(0x140, kLevel).trees, 1);
  EXPECT_EQ(fateAt(0x200, kBank).trees, 1);
  EXPECT_EQ(of(fateAt(0x204, kBitline), Fate::kBitline), 1);
  EXPECT_EQ(fateAt(0x200, kBitline).trees, 1);
}

TEST(Candidates, DoNotTakeABaseThatALoadChangesForWhatItLoads) {
  Stream s;
  s.load(1, 0x100, 5);
  s.last().writesBack = true;
  s.last().writes.add(20);
  s.compute(Operation::kAdd, 3, r(20), imm(4)).store(3, 0x108, 0x104).clear({1, 3, 20});
  const CandidateCounts c = s.run();
  EXPECT_EQ(of(c, Fate::kRegister), 1);
  EXPECT_EQ(c.disproved, 0);
}

TEST(Candidates, HaveNoOperationOrLoadThatMayNotTakeEffect) {
  // The condition is false: register 3, and with it what is stored, stays as it was.
  Stream operation;
  operation.load(1, 0x100, 5).compute(Operation::kAdd, 3, r(1), imm(1));
  operation.last().isConditional = true;
  operation.last().reads.add(kFlags);
  operation.last().reads.add(3);
  operation.store(3, 0x108, 1).clear({1, 3});
  CandidateCounts c = operation.run();
  EXPECT_EQ(of(c, Fate::kConditional), 1);
  EXPECT_EQ(c.trees, 0);
  EXPECT_EQ(c.disproved, 0);

  // The load accesses memory, but what register 1 has then depends on the condition.
  Stream load;
  load.load(1, 0x100, 5);
  load.last().isConditional = true;
  load.last().reads.add(kFlags);
  load.last().reads.add(1);
  load.compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108, 10).clear({1, 3});
  c = load.run();
  EXPECT_EQ(c.trees, 0);
  EXPECT_EQ(c.disproved, 0);

  Stream store;
  store.load(1, 0x100, 5).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108, 6);
  store.last().isConditional = true;
  store.last().reads.add(kFlags);
  c = store.clear({1, 3}).run();
  EXPECT_EQ(c.stored, 0);
}

TEST(Candidates, DoNotHideFlagsThatAreUsed) {
  Stream s;
  s.load(1, 0x100).compute(Operation::kAdd, 3, r(1), imm(1));
  s.last().writes.add(kFlags);
  s.compute(Operation::kOther, 4, imm(0), imm(0));
  s.last().reads.add(kFlags);
  s.last().operandCount = 0;
  s.clear({1, 3, 4});
  EXPECT_EQ(of(s.run(), Fate::kFlagsUsed), 1);
}

TEST(Candidates, OfAnyStreamHaveOneFateEach) {
  // Chains far deeper than the window, and registers that are never overwritten.
  Stream s;
  s.load(1, 0x100);
  for (int i = 0; i < 2000; ++i) s.compute(Operation::kAdd, 1, r(1), imm(1));
  for (int i = 0; i < 2000; ++i) {
    s.load(2, 0x100 + static_cast<std::uint64_t>(i % 7) * 4)
        .compute(Operation::kXor, 3, r(2), r(static_cast<Register>(2 + i % 2)));
    s.store(3, 0x100 + static_cast<std::uint64_t>(i % 5) * 4);
  }
  const CandidateCounts c = s.run();  // which counts fates
  EXPECT_EQ(std::accumulate(c.operations.begin(), c.operations.end(), std::int64_t{0}), 4000);
}

TEST(Candidates, WaitForNoCallOfTheSystem) {
  // It may write what was loaded, and no stream says so.
  const auto run = [](bool isBefore) {
    Stream s;
    s.load(2, 0x100);
    if (!isBefore) s.call();
    s.compute(Operation::kAdd, 3, r(2), imm(1)).store(3, 0x108);
    if (isBefore) s.call();
    return s.clear({0, 2, 3}).run();
  };
  EXPECT_EQ(of(run(false), Fate::kStoreBetween), 1);
  EXPECT_EQ(run(true).trees, 1);
}

TEST(Candidates, LeaveLoadsThatTheSystemGets) {
  const CandidateCounts c =
      Stream().load(1, 0x100).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108).call().clear({1, 3}).run();
  EXPECT_EQ(c.trees, 1);
  EXPECT_EQ(of(c, LoadFate::kKept), 1);
}

TEST(Candidates, TakeNoResultOfTheSystemForALoad) {
  const CandidateCounts c =
      Stream().load(0, 0x100).call().compute(Operation::kAdd, 3, r(0), imm(1)).store(3, 0x108).clear({0, 3}).run();
  EXPECT_EQ(of(c, Fate::kRegister), 1);
}

TEST(Candidates, StoreNoMoreThanTheyCompute) {
  const auto run = [](std::uint8_t bytes, std::uint64_t address) {
    return Stream()
        .load(1, 0x100)
        .compute(Operation::kAdd, 3, r(1), imm(1))
        .store(3, address)
        .of(bytes)
        .clear({1, 3})
        .run();
  };
  EXPECT_EQ(run(4, 0x108).stored, 1);
  EXPECT_EQ(run(2, 0x108).stored, 1);
  EXPECT_EQ(run(8, 0x108).stored, 0) << "the upper half is the core's to extend";
  EXPECT_EQ(run(8, 0x108).trees, 1) << "it goes back to its register";
  EXPECT_EQ(run(4, 0x13e).stored, 0) << "over two lines";
}

TEST(Candidates, HaveNoLeafInTwoLines) {
  const CandidateCounts c =
      Stream().load(1, 0x13e).compute(Operation::kAdd, 3, r(1), imm(1)).store(3, 0x108).clear({1, 3}).run();
  EXPECT_EQ(of(c, Fate::kBitline), 1);
}

}  // namespace
}  // namespace pimento::trace
