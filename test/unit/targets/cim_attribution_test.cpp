// What single instructions took, of random programs: sums are the profile's, exactly for counts and cycles, to 1e-9 for
// energies; and asking for them changes nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <numeric>

#include "pimento/base/rng.h"
#include "pimento/targets/cim/accounts.h"
#include "pimento/targets/cim/profiler.h"
#include "test/support/cases.h"
#include "test/support/machine_file.h"

namespace pimento::targets::cim {
namespace {

using trace::Operation;
using trace::Register;

/// Blocks of loads, stores, operations and branches over a few kilobytes, in a random order.
class SomeProgram {
 public:
  explicit SomeProgram(std::uint64_t seed) : random_(seed) {
    std::uint64_t address = 0x10000;
    for (int b = 0; b < 8; ++b) {
      trace::Block &block = blocks_.emplace_back();
      for (std::uint64_t n = 3 + random_.below(12); n > 0; --n) block.instructions.push_back(some(address));
      block.instructions.push_back(branch(address));
      address += random_.below(3) * 64;
    }
    // The same instructions in a block of their own, as translators make them.
    trace::Block &tail = blocks_.emplace_back();
    const auto &first = blocks_.front().instructions;
    tail.instructions.assign(first.begin() + 2, first.end());
  }

  evaluate::Profile run(const machine::Machine &machine, int turns, bool isAttributed) {
    Rng order(7);
    Profiler profiler(machine);
    if (isAttributed) profiler.attribute();
    for (int t = 0; t < turns; ++t) {
      const trace::Block &block = blocks_[order.below(blocks_.size())];
      std::vector<trace::Access> accesses;
      for (std::size_t i = 0; i < block.instructions.size(); ++i) {
        const trace::Instruction &in = block.instructions[i];
        // Predicated ones may make none.
        if ((!in.loads && !in.stores) || (in.isConditional && order.below(2) == 0)) continue;
        const std::uint64_t at = 0x80000 + 4 * order.below(order.below(3) == 0 ? 200000 : 500);
        accesses.push_back({at, static_cast<std::uint16_t>(i), 4, in.stores, order.next() & 0xffffffff});
      }
      // Now and then one faults.
      const int count = order.below(50) == 0 ? 1 : static_cast<int>(block.instructions.size());
      std::erase_if(accesses, [&](const trace::Access &a) { return a.instruction >= count; });
      profiler.onBlock(block, count, accesses);
    }
    profiler.onEnd();
    return profiler.profile();
  }

 private:
  trace::Instruction some(std::uint64_t &address) {
    trace::Instruction in;
    in.address = address;
    in.bytes = random_.below(2) == 0 ? 2 : 4;
    address += in.bytes;
    const auto reg = [&] { return static_cast<Register>(random_.below(6)); };
    const std::uint64_t kind = random_.below(8);
    if (kind < 3) {
      in.operation = Operation::kLoad;
      in.loads = in.hasDestination = true;
      in.destination = reg();
      in.writes.add(in.destination);
      in.reads.add(20);
      in.addressRegisters.add(20);
      in.isConditional = random_.below(6) == 0;
    } else if (kind == 3) {
      in.operation = Operation::kStore;
      in.stores = true;
      in.operands[0].reg = reg();
      in.operandCount = 1;
      in.reads.add(in.operands[0].reg);
      in.reads.add(20);
      in.addressRegisters.add(20);
    } else {
      constexpr Operation kSome[] = {Operation::kAdd, Operation::kXor, Operation::kAnd, Operation::kMultiply};
      in.operation = kSome[random_.below(4)];
      in.width = random_.below(5) == 0 ? 64 : 32;
      in.operands[0].reg = reg();
      in.operands[1].reg = reg();
      in.operandCount = 2;
      in.hasDestination = true;
      in.destination = reg();
      in.writes.add(in.destination);
      in.reads.add(in.operands[0].reg);
      in.reads.add(in.operands[1].reg);
    }
    return in;
  }
  trace::Instruction branch(std::uint64_t &address) {
    trace::Instruction in;
    in.address = address;
    address += in.bytes;
    in.operation = Operation::kBranch;
    in.isConditional = true;
    return in;
  }

  Rng random_;
  std::deque<trace::Block> blocks_;
};

void expectNear(double sum, double whole, double scale, const char *what) {
  EXPECT_LE(std::abs(sum - whole), 1e-9 * std::max(1.0, std::abs(scale))) << what << ": " << sum << " " << whole;
}

void expectSums(const evaluate::Profile &p) {
  evaluate::Attributed all;
  for (const auto &[address, own] : p.at) all.add(own);
  EXPECT_EQ(all.executions, p.instructions);
  EXPECT_EQ(all.cycles, p.cycles);
  EXPECT_EQ(all.operations, p.candidates.operations);
  EXPECT_EQ(all.loads, p.candidates.loads);
  EXPECT_EQ(all.trees, p.candidates.trees);
  EXPECT_EQ(all.replaced, p.candidates.removed.all());
  const double energy = p.energy.total.value;
  expectNear(all.energy, energy, energy, "energy");
  const auto cycles = static_cast<double>(p.cycles);
  const auto account = [&](const evaluate::Attributed::Saved &saved, const evaluate::Account &a, const char *what) {
    expectNear(saved.cycles, cycles - a.cycles, cycles, what);
    expectNear(saved.energy, a.energy ? energy - a.energy->total.value : 0, energy, what);
  };
  account(all.low, p.low, "low");
  account(all.high, p.high, "high");
  ASSERT_TRUE(p.resimulated);
  account(all.resimulated, *p.resimulated, "resimulated");
}

TEST(CimAttribution, SumsAreTheProfile) {
  const machine::Machine machines[] = {test::load("cim-a9"), test::load("cim-ooo8"), test::load("cim-inorder-1mb")};
  std::int64_t trees = 0, served = 0;
  for (int c = 0; c < test::caseCount(12); ++c) {
    const machine::Machine &m = machines[c % 3];
    SCOPED_TRACE(m.name);
    const evaluate::Profile p = SomeProgram(static_cast<std::uint64_t>(c) + 1).run(m, 3000, true);
    expectSums(p);
    trees += p.candidates.trees;
    for (const auto &[address, own] : p.at)
      served += std::accumulate(own.served.begin(), own.served.end(), std::int64_t{0});
  }
  EXPECT_GT(trees, 0);
  EXPECT_GT(served, 0);
}

TEST(CimAttribution, ChangesNothingElse) {
  const machine::Machine m = test::load("cim-a9");
  const evaluate::Profile with = SomeProgram(3).run(m, 2000, true), without = SomeProgram(3).run(m, 2000, false);
  EXPECT_TRUE(without.at.empty());
  EXPECT_EQ(with.cycles, without.cycles);
  EXPECT_EQ(with.counts, without.counts);
  EXPECT_EQ(with.energy.total.value, without.energy.total.value);
  EXPECT_EQ(with.resimulated->cycles, without.resimulated->cycles);
}

TEST(CimAttribution, AnInstructionHasItsOwnLoadsAndTime) {
  // A load that misses again and again, one that hits, and an operation.
  const machine::Machine m = test::load("cim-a9");
  trace::Block block;
  for (std::uint64_t i = 0; i < 3; ++i) {
    trace::Instruction &in = block.instructions.emplace_back();
    in.address = 0x1000 + 4 * i;
    in.hasDestination = true;
    in.destination = static_cast<Register>(i + 1);
    in.writes.add(in.destination);
    if (i == 2) continue;
    in.operation = Operation::kLoad;
    in.loads = true;
    in.reads.add(20);
    in.addressRegisters.add(20);
  }
  Profiler profiler(m);
  profiler.attribute();
  constexpr int kTimes = 500;
  for (std::uint64_t t = 0; t < kTimes; ++t)
    profiler.onBlock(
        block, 3,
        std::vector<trace::Access>{{0x100000 + 4096 * (t * 7919 % 8191), 0, 4, false, 0}, {0x8000, 1, 4, false, 0}});
  profiler.onEnd();
  const evaluate::Profile p = profiler.profile();
  ASSERT_EQ(p.at.size(), 3u);
  const evaluate::Attributed &misses = p.at.at(0x1000), &hits = p.at.at(0x1004), &operation = p.at.at(0x1008);
  EXPECT_EQ(misses.executions, kTimes);
  EXPECT_GE(misses.served.back(), kTimes - 5) << "from memory";
  EXPECT_GE(hits.served[static_cast<std::size_t>(dataWay(m).front())], kTimes * 9 / 10);
  EXPECT_GT(misses.cycles, 10 * hits.cycles);
  EXPECT_GT(misses.energy, hits.energy);
  EXPECT_EQ(operation.served.back(), 0);
  EXPECT_EQ(operation.loads[0] + operation.loads[1] + operation.loads[2] + operation.loads[3], 0);
}

}  // namespace
}  // namespace pimento::targets::cim
