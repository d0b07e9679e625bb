// What a machine whose caches compute says of a stream of instructions: accounts of candidates, and their energy.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <utility>

#include "pimento/base/rng.h"
#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/profiler.h"
#include "pimento/targets/cim/rerun.h"
#include "pimento/targets/cim/reshaping.h"
#include "pimento/trace/tee.h"
#include "test/support/machine_file.h"

namespace pimento::targets::cim {
namespace {

using trace::Operation;
using trace::Register;

constexpr Register kBase = 20;

trace::Instruction load(Register to) {
  trace::Instruction in;
  in.operation = Operation::kLoad;
  in.loads = in.hasDestination = true;
  in.destination = to;
  in.writes.add(to);
  in.reads.add(kBase);
  in.addressRegisters.add(kBase);
  return in;
}
trace::Instruction store(Register from) {
  trace::Instruction in;
  in.operation = Operation::kStore;
  in.stores = true;
  in.operands[0].reg = from;
  in.operandCount = 1;
  in.reads.add(from);
  in.reads.add(kBase);
  in.addressRegisters.add(kBase);
  return in;
}
trace::Instruction compute(Operation o, Register to, Register a, Register b) {
  trace::Instruction in;
  in.operation = o;
  in.width = 32;
  in.operands[0].reg = a;
  in.operands[1].reg = b;
  in.operandCount = 2;
  in.hasDestination = true;
  in.destination = to;
  in.writes.add(to);
  in.reads.add(a);
  in.reads.add(b);
  return in;
}

/// Two loads, a sum, a store, again and again.
class Sums {
 public:
  static constexpr int kEnd = 3;

  explicit Sums(Operation o = Operation::kAdd) {
    block_.instructions = {load(1), load(2), compute(o, 3, 1, 2), store(3)};
    for (Register r = 1; r <= kEnd; ++r) {
      trace::Instruction &in = end_.instructions.emplace_back();
      in.operation = Operation::kMove;
      in.hasDestination = true;
      in.destination = r;
      in.writes.add(r);
    }
    std::uint64_t address = 0x1000;
    for (trace::Block *b : {&block_, &end_})
      for (trace::Instruction &in : b->instructions) in.address = std::exchange(address, address + 4);
  }
  /// `second`: address of the second load.
  evaluate::Profile run(const machine::Machine &machine, int times, std::uint64_t second = 0x8004) const {
    Profiler profiler(machine);
    const std::vector<trace::Access> accesses = {
        {0x8000, 0, 4, false, 5}, {second, 1, 4, false, 7}, {0x8008, 3, 4, true, 12}};
    for (int i = 0; i < times; ++i) profiler.onBlock(block_, 4, accesses);
    profiler.onBlock(end_, kEnd, {});
    profiler.onEnd();
    return profiler.profile();
  }

 private:
  trace::Block block_, end_;  ///< the latter overwrites all values
};

double priceOf(const machine::Machine &m, std::string_view term) {
  for (const machine::EnergyTerm &t : m.energy)
    if (t.name == term) return t.energy.value;
  ADD_FAILURE() << term;
  return 0;
}

TEST(CimProfiles, CountZeroingsThatNobodySees) {
  const machine::Machine machine = test::load("cim-a9");
  trace::Block block;
  for (const char *text : {"dc zva, x0", "dc cvau, x0", "add x0, x0, #64"}) {
    trace::Instruction &in = block.instructions.emplace_back();
    in.address = 0x1000 + 4 * block.instructions.size();
    in.text = text;
  }
  Profiler profiler(machine);
  for (int i = 0; i < 5; ++i) profiler.onBlock(block, 3, {});
  profiler.onEnd();
  EXPECT_EQ(profiler.profile().zeroings, 5);
}

TEST(CimAccounts, TakeOutWhatCandidatesReplace) {
  const machine::Machine m = test::load("cim-a9");
  constexpr int kTimes = 20000;
  const evaluate::Profile p = Sums().run(m, kTimes);
  EXPECT_EQ(p.instructions, 4 * kTimes + Sums::kEnd);
  // The first values come from memory, or are forwarded.
  const auto n = p.candidates.trees;
  EXPECT_GE(n, kTimes - 20);
  EXPECT_EQ(p.candidates.stored, n);
  EXPECT_EQ(p.candidates.proved, n);
  EXPECT_EQ(p.candidates.disproved, 0);
  EXPECT_EQ(p.candidates.removed.operations, n);
  EXPECT_EQ(p.candidates.removed.stores, n);
  EXPECT_EQ(p.candidates.removed.loads, 2 * n);
  const auto &high = p.high.counts;
  EXPECT_EQ(high.at("instructions"), p.instructions - 4 * n);
  EXPECT_EQ(high.at("loads"), p.counts.at("loads") - 2 * n);
  EXPECT_EQ(high.at("l1d.read"), p.counts.at("l1d.read") - 2 * n);
  EXPECT_EQ(high.at("l1d.write"), p.counts.at("l1d.write")) << "the result is written";
  EXPECT_EQ(high.at("l1d.cim_add"), n);
  EXPECT_EQ(high.at("l1d.cim_or"), 0);
  EXPECT_EQ(high.at("register_reads"), p.counts.at("register_reads") - 6 * n);
  EXPECT_EQ(p.low.counts.at("instructions"), high.at("instructions") + n);
  EXPECT_DOUBLE_EQ(p.conversion, static_cast<double>(3 * n) / (3 * kTimes));
  EXPECT_DOUBLE_EQ(p.conversionRelease, static_cast<double>(2 * n) / (2 * kTimes));
  EXPECT_DOUBLE_EQ(p.conversionL1 + p.conversionOther, p.conversion);
  EXPECT_EQ(p.accesses.writes, kTimes);
  EXPECT_EQ(p.accesses.convertible, 2 * n);
  EXPECT_EQ(p.accesses.notConvertible, 2 * kTimes - 2 * n);
}

// 128 banks of lines are two pages: whether operands of two pages meet in a bank is up to their frames.
TEST(CimAccounts, OperandsLieWhereTheirPagesDo) {
  constexpr int kTimes = 1000;
  const auto fates = [](const char *policy) {
    const machine::Machine m = test::load("cim-a9", {{"caches.l1d.banks", "128"}, {"pages.policy", policy}});
    return Sums().run(m, kTimes, 0xa004).candidates;
  };
  const trace::CandidateCounts identity = fates("identity"), contiguous = fates("contiguous");
  EXPECT_GE(identity.trees, kTimes - 20) << "0x8000 and 0xa000: the same of 128 lines";
  // The code has the first frame; those of the data are the second and the third.
  EXPECT_EQ(contiguous.trees, 0);
  EXPECT_GE(contiguous.operations[static_cast<std::size_t>(trace::Fate::kBank)], kTimes - 20);
  EXPECT_EQ(contiguous.disproved, 0);
}

TEST(CimAccounts, TakeTheTimeOfThePapersFormula) {
  const machine::Machine m = test::load("cim-a9");
  const evaluate::Profile p = Sums().run(m, 20000);
  const double n = static_cast<double>(p.candidates.trees), cycles = static_cast<double>(p.cycles);
  const double left = (static_cast<double>(p.instructions) - 4 * n) * cycles / static_cast<double>(p.instructions);
  EXPECT_NEAR(p.high.speedup, cycles / (left + 4 * n), 1e-9) << "four cycles beyond a read";
  EXPECT_NEAR(p.low.speedup, cycles / (left + (2 + 4) * n), 1e-9) << "and the two of the read";
  const evaluate::Profile logic = Sums(Operation::kXor).run(m, 20000);
  EXPECT_GT(logic.high.speedup, p.high.speedup) << "logic takes no longer than a read";
}

TEST(CimAccounts, SaveTheEnergyOfTheEventsThatVanish) {
  const machine::Machine m = test::load("cim-a9");
  const evaluate::Profile p = Sums().run(m, 20000);
  ASSERT_TRUE(p.high.energy && p.high.energyImprovement && p.high.shareProcessor && p.high.shareCaches);
  const auto n = static_cast<double>(p.candidates.trees);
  const auto sum = [&](std::initializer_list<const char *> terms) {
    double out = 0;
    for (const char *t : terms) out += priceOf(m, t);
    return out;
  };
  const double perInstruction = sum({"decode", "window_read", "window_write", "rob_read", "rob_write"}),
               perRead = sum({"rename_read", "register_read"}),
               perWrite = sum({"rename_write", "window_wakeup", "register_write", "result_bus"});
  const double processor =
      4 * perInstruction + 6 * perRead + 3 * perWrite + priceOf(m, "integer_unit") + 3 * priceOf(m, "load_store_queue");
  const double caches = 2 * priceOf(m, "l1d_read") - priceOf(m, "l1d_cim_add");
  const double saved = p.energy.total.value - p.high.energy->total.value;
  EXPECT_NEAR(saved / (n * (processor + caches)), 1, 1e-9);
  EXPECT_NEAR(*p.high.shareProcessor + *p.high.shareCaches, 1, 1e-9);
  EXPECT_NEAR(*p.high.shareCaches, caches / (processor + caches), 1e-9);
  EXPECT_LT(*p.low.energyImprovement, *p.high.energyImprovement);
}

TEST(CimAccounts, HaveThePublishedEnergies) {
  const machine::Machine table = test::load("cim-a9-64k");
  EXPECT_EQ(priceOf(table, "l1d_cim_or"), 71);
  EXPECT_EQ(priceOf(table, "l1d_cim_add"), 79);
  EXPECT_EQ(priceOf(table, "l2_cim_and"), 344);
  EXPECT_EQ(priceOf(table, "l2_read"), 314);
  const machine::Machine release = test::load("cim-a9-2m");
  EXPECT_EQ(priceOf(release, "l1d_cim_read"), 68);
  EXPECT_EQ(priceOf(release, "l2_cim_add"), 571);
}

TEST(CimAccounts, OfASystemHavePowerForAllTheTime) {
  const machine::Machine plain = test::load("cim-a9"), system = test::load("cim-a9-system");
  const Cycles microsecond(1000);
  EXPECT_EQ(priceTotals(plain, {}, microsecond).total.value, 0);
  EXPECT_NEAR(priceTotals(system, {}, microsecond).total.value, 1000 * (69 + 384 + 78.8), 1e-6);
}

TEST(CimAccounts, NeedEnergiesOfTheCachesThereAre) {
  machine::Machine m = test::load("cim-a9", {{"energy.set", "table3"}});
  const Status wrong = checkCimEnergy(m);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.diagnostics().front().code, "no-cim-energy");
  EXPECT_NE(wrong.diagnostics().front().message.find("65536"), std::string::npos) << "Table III's first cache";
  EXPECT_FALSE(wrong.diagnostics().front().hint.empty());
  // Its second cache is one of 256 KB.
  m.cim->levels = {2};
  EXPECT_TRUE(checkCimEnergy(m));
  m.cim->levels = {0};
  EXPECT_FALSE(checkCimEnergy(m)) << "no set has operations of instruction caches";
}

TEST(CimAccounts, LeaveEnergyOutWhereNobodyKnowsIt) {
  const machine::Machine m = test::load("cim-inorder-1mb");
  ASSERT_TRUE(checkCimEnergy(m));
  const evaluate::Profile p = Sums().run(m, 2000);
  EXPECT_FALSE(p.low.energy);
  EXPECT_FALSE(p.low.energyImprovement);
  EXPECT_GT(p.candidates.trees, 0);
}

/// A block of random instructions, most of which caches could compute.
trace::Block randomBlock(Rng &rng, std::uint64_t address) {
  trace::Block block;
  const auto any = [&] { return static_cast<Register>(rng.below(8)); };
  const auto n = 1 + rng.below(12);
  for (std::uint64_t i = 0; i < n; ++i) {
    constexpr Operation kOperations[] = {Operation::kAdd, Operation::kXor, Operation::kAnd, Operation::kSub};
    const std::uint64_t what = rng.below(8);
    trace::Instruction in = what < 3   ? load(any())
                            : what < 4 ? store(any())
                                       : compute(kOperations[rng.below(4)], any(), any(), any());
    if (rng.below(6) == 0) in.width = 64;
    in.address = address + 4 * i;
    block.instructions.push_back(in);
  }
  return block;
}

TEST(CimAccounts, OfRandomProgramsGiveEveryOperationAndLoadOneReason) {
  for (const char *locality : {"level", "bank", "bitline"}) {
    const machine::Machine m = test::load("cim-a9", {{"cim.locality", locality}});
    Rng rng(17);
    std::deque<trace::Block> blocks;
    for (std::uint64_t b = 0; b < 40; ++b) blocks.push_back(randomBlock(rng, 0x1000 + 0x100 * b));
    Profiler profiler(m);
    std::int64_t operations = 0, loads = 0;
    for (int i = 0; i < 20000; ++i) {
      const trace::Block &block = blocks[rng.below(blocks.size())];
      const auto count = static_cast<int>(1 + rng.below(block.instructions.size()));
      std::vector<trace::Access> accesses;
      for (int k = 0; k < count; ++k) {
        const trace::Instruction &in = block.instructions[static_cast<std::size_t>(k)];
        operations += in.operandCount == 2 && in.operation != Operation::kSub ? 1 : 0;
        loads += in.loads ? 1 : 0;
        if (in.loads || in.stores)
          accesses.push_back({0x8000 + 4 * rng.below(1 << 14), static_cast<std::uint16_t>(k), 4, in.stores, 0});
      }
      profiler.onBlock(block, count, accesses);
    }
    profiler.onEnd();
    const evaluate::Profile p = profiler.profile();
    std::int64_t fates = 0, loadFates = 0, at = 0;
    for (const std::int64_t n : p.candidates.operations) fates += n;
    for (const std::int64_t n : p.candidates.loads) loadFates += n;
    for (const trace::CandidatesAt &l : p.candidates.at)
      for (const std::int64_t n : l.operations) at += n;
    EXPECT_EQ(fates, operations) << locality;
    EXPECT_EQ(loadFates, loads) << locality;
    EXPECT_EQ(at, p.candidates.offloaded()) << locality;
    EXPECT_GT(p.candidates.trees, 0) << locality;
    for (const auto &[name, n] : p.high.counts) EXPECT_GE(n, 0) << name;
  }
}

/// A random stream through a profiler: its profile, and the reshaped stream through a core of its own.
struct RandomRun {
  evaluate::Profile profile;
  std::int64_t replayed = 0;  ///< cycles
};
RandomRun runAtRandom(const machine::Machine &m, std::uint64_t seed, bool isBridged, std::uint64_t words) {
  Rng rng(seed);
  std::deque<trace::Block> blocks;
  for (std::uint64_t b = 0; b < 30; ++b) blocks.push_back(randomBlock(rng, 0x1000 + 0x100 * b));
  Profiler profiler(m, isBridged);
  Rerun alone(m, {});
  Reshaping reshaping(m, alone);
  trace::Tee both({&profiler, &reshaping});
  const trace::Program program;
  both.onStart(program, false);
  for (int i = 0; i < 6000; ++i) {
    const trace::Block &block = blocks[rng.below(blocks.size())];
    const auto count = static_cast<int>(block.instructions.size());
    std::vector<trace::Access> accesses;
    for (int k = 0; k < count; ++k) {
      const trace::Instruction &in = block.instructions[static_cast<std::size_t>(k)];
      if (in.loads || in.stores)
        accesses.push_back({0x8000 + 4 * rng.below(words), static_cast<std::uint16_t>(k), 4, in.stores, 0});
    }
    both.onBlock(block, count, accesses);
  }
  both.onEnd();
  return {profiler.profile(), alone.cycles()};
}

TEST(SimulatedAgain, AnEmptyPlanIsTheProgramAsItIs) {
  // Nothing is as wide as that.
  const machine::Machine m = test::load("cim-a9", {{"cim.width", "64 bit"}});
  const RandomRun run = runAtRandom(m, 3, true, 1 << 12);
  const evaluate::Profile &p = run.profile;
  ASSERT_TRUE(p.resimulated && p.ideal);
  EXPECT_EQ(p.candidates.trees, 0);
  EXPECT_EQ(p.reshaped.gone, 0);
  for (const evaluate::Account *a : {&*p.resimulated, &*p.ideal}) {
    EXPECT_EQ(a->cycles, static_cast<double>(p.cycles));
    EXPECT_EQ(a->energy->total, p.energy.total);
    for (const auto &[name, n] : p.counts) EXPECT_EQ(a->counts.at(name), n) << name;
  }
  for (const evaluate::BridgeStep &s : p.bridge) EXPECT_NEAR(s.cycles, static_cast<double>(p.cycles), 1e-6) << s.effect;
}

TEST(SimulatedAgain, AccountsAreSound) {
  for (const char *moves : {"none", "copy"})
    for (const char *accept : {"all", "time", "energy", "both"})
      for (const std::uint64_t words : {1 << 8, 1 << 14}) {
        const machine::Machine m = test::load(
            "cim-a9",
            {{"cim.moves", moves}, {"cim.accept", accept}, {"cim.locality", "bank"}, {"caches.l1d.banks", "4 count"}});
        const RandomRun run = runAtRandom(m, words, true, words);
        const evaluate::Profile &p = run.profile;
        ASSERT_TRUE(p.resimulated && p.ideal);
        const auto cost = p.candidates.operations[static_cast<std::size_t>(trace::Fate::kCost)];
        if (std::string_view(accept) == "all") {
          EXPECT_GT(p.candidates.trees, 0);
          EXPECT_EQ(cost, 0);
        }
        EXPECT_EQ(p.reshaped.computing, p.candidates.trees);
        EXPECT_EQ(p.reshaped.gone, p.candidates.removed.all());
        const auto banks = p.candidates.operations[static_cast<std::size_t>(trace::Fate::kBank)];
        EXPECT_EQ(banks > 0, std::string_view(moves) == "none");
        // The reshaped stream alone gives what the profiler's threads gave.
        EXPECT_EQ(p.resimulated->cycles, static_cast<double>(run.replayed));
        EXPECT_EQ(p.resimulated->counts.at("instructions"),
                  p.instructions - p.reshaped.gone + p.reshaped.computing + p.reshaped.addresses);
        EXPECT_LE(p.ideal->cycles, 1.005 * p.resimulated->cycles);
        ASSERT_EQ(p.bridge.size(), 6U);
        EXPECT_EQ(p.bridge.back().cycles, p.resimulated->cycles);
        for (const evaluate::Account *a : {&p.low, &p.high, &*p.resimulated, &*p.ideal}) {
          double sum = 0;
          for (const energy::EnergyRow &r : a->energy->rows) sum += r.energy.value;
          EXPECT_NEAR(sum, a->energy->total.value, 1e-9 * sum);
          EXPECT_LE(*a->energyImprovement, *a->mostImprovement * (1 + 1e-9));
        }
        std::int64_t operations = 0;
        for (const auto &[name, n] : p.resimulated->counts)
          if (name.ends_with(".cim_add") || name.ends_with(".cim_or") || name.ends_with(".cim_and") ||
              name.ends_with(".cim_xor"))
            operations += n;
        EXPECT_EQ(operations, p.candidates.offloaded());
      }
}

TEST(SimulatedAgain, WhatIsAcceptedForItsEnergyTakesNoMore) {
  const auto improvement = [](const char *accept) {
    const machine::Machine m = test::load("cim-a9", {{"cim.accept", accept}});
    return runAtRandom(m, 5, false, 1 << 8).profile.low.energyImprovement.value();
  };
  EXPECT_GE(improvement("energy"), 1);
  EXPECT_GE(improvement("energy"), improvement("all"));
}

TEST(SimulatedAgain, SamplesAreNot) {
  const machine::Machine m = test::load("cim-a9");
  Rng rng(1);
  const trace::Block block = randomBlock(rng, 0x1000);
  Profiler profiler(m);
  for (int i = 0; i < 3000; ++i) profiler.onBlock(block, static_cast<int>(block.instructions.size()), {});
  for (int i = 0; i < 3000; ++i) profiler.warm(block, static_cast<int>(block.instructions.size()), {});
  for (int i = 0; i < 3000; ++i) profiler.onBlock(block, static_cast<int>(block.instructions.size()), {});
  profiler.onEnd();
  EXPECT_FALSE(profiler.profile().resimulated.has_value());
}

}  // namespace
}  // namespace pimento::targets::cim
