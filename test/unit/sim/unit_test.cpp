#include "pimento/sim/cnm/unit.h"

#include <gtest/gtest.h>

#include <cstring>

#include "pimento/program/text.h"
#include "pimento/sim/cnm/execute.h"
#include "test/support/cases.h"
#include "test/support/plain_unit.h"
#include "test/support/random_unit_program.h"

namespace pimento::sim::cnm {
namespace {

using machine::Compute;
using test::unitMachine;

program::UnitLoops loopsOf(const std::string &body) {
  const Result<program::Program> p = program::parse("program units\n" + body);
  EXPECT_TRUE(p) << (p ? "" : p.diagnostics().front().str());
  return p ? std::get<program::UnitLoops>(p->processes.front().body) : program::UnitLoops{};
}

TEST(UnitEngine, EstimatesWhatItSimulates) {
  std::int64_t skipped = 0, all = 0;
  for (std::int64_t n = 0; n < test::caseCount(100); ++n) {
    Rng rng(static_cast<std::uint64_t>(n));
    test::UnitProgramMaker make(rng);
    const machine::Machine m = make.machine();
    const program::Program p{m.name, {}, {make.process(m, 2000)}};
    const Status s = program::verify(p, m);
    ASSERT_TRUE(s) << s.diagnostics().front().str() << "\n" << program::print(p);
    const auto &loops = std::get<program::UnitLoops>(p.processes.front().body);
    const UnitCode code(loops, m);
    const RunResult full = simulate(code, m), fast = estimate(code, m);
    ASSERT_EQ(fast.cycles, full.cycles) << "case " << n << "\n" << program::print(p);
    ASSERT_EQ(fast.counts, full.counts) << "case " << n << "\n" << program::print(p);
    ASSERT_EQ(full.cyclesSimulated, full.cycles);
    ASSERT_LE(lowerBound(code, m), full.cycles) << "case " << n << "\n" << program::print(p);
    Counts expected;
    expected.add(code.total(), code.contexts());
    ASSERT_EQ(full.counts, expected);
    skipped += full.cycles.value - fast.cyclesSimulated.value;
    all += full.cycles.value;
  }
  EXPECT_GT(skipped, all / 2);
}

/// Parts of a unit's state, and behind them that of its turns, that no random case of these needs. `isSmall`: on banks
/// that take a few bytes at once, so that accesses have many pieces.
Parts notNeeded(std::uint64_t cases, bool isSmall) {
  constexpr std::size_t kTurns = Unit::kParts.size();
  Parts left = (Parts{2} << kTurns) - 1;
  for (std::uint64_t n = 0; n < cases && left != 0; ++n) {
    Rng rng(n);
    test::UnitProgramMaker make(rng);
    machine::Machine m = make.machine();
    if (isSmall) {
      m.unitMemory->largest = Bytes(8);
      m.unitMemory->reads.pop_back();
      m.unitMemory->writes.pop_back();
    }
    const program::Process p = make.process(m, 700);
    const UnitCode code(std::get<program::UnitLoops>(p.body), m);
    const RunResult full = simulate(code, m);
    EXPECT_EQ(estimate(code, m).cycles, full.cycles) << n;
    for (std::size_t part = 0; part <= kTurns; ++part) {
      UnitWeakening weakening;
      (part < kTurns ? weakening.states : weakening.turns).without = part < kTurns ? Parts{1} << part : 1;
      if (((left >> part) & 1U) == 0) continue;
      const RunResult weak = estimate(code, m, weakening);
      if (weak.cycles != full.cycles || weak.counts != full.counts) left &= ~(Parts{1} << part);
    }
  }
  return left;
}

TEST(UnitEngine, WithoutAnyPartOfTheStateSomeCaseIsWrong) {
  const Parts left = notNeeded(100, false) & notNeeded(30, true);
  for (std::size_t part = 0; part < Unit::kParts.size(); ++part)
    EXPECT_EQ((left >> part) & 1U, 0U) << "nothing needs " << Unit::kParts[part];
  EXPECT_EQ(left >> Unit::kParts.size(), 0U) << "nothing needs the waits of turns";
}

TEST(UnitEngine, TakesTheTimeOfAPlainModel) {
  for (std::int64_t n = 0; n < test::caseCount(100); ++n) {
    Rng rng(static_cast<std::uint64_t>(n) + 1000);
    test::UnitProgramMaker make(rng);
    machine::Machine m = make.machine();
    m.unitMemory->ports = 1;
    m.unitMemory->ticksPerCycle = 1;
    m.unitMemory->refreshInterval = Cycles(0);
    const program::Program p{m.name, {}, {make.process(m, 60)}};
    const auto &loops = std::get<program::UnitLoops>(p.processes.front().body);
    const UnitCode code(loops, m);
    ASSERT_EQ(simulate(code, m).cycles.value, test::PlainUnit(loops, m).run()) << "case " << n << "\n"
                                                                               << program::print(p);
  }
}

TEST(UnitEngine, ComputesInRegistersAndArrays) {
  const program::UnitLoops p = loopsOf(
      "process unit x1 threads 3 {\n"
      "  array in bank i32[12] shared\n"
      "  array out bank i32[4]\n"
      "  array a scratchpad i32[4]\n"
      "  param first 9\n"
      "  MOVE a[0] in[first] 4\n"
      "  SET i32 %0 10\n"
      "  loop i 4 {\n"
      "    LOAD %1 a[i]\n"
      "    MUL i32 %2 %1 %0\n"
      "    INDEX i32 %3 first+i\n"
      "    ADD i32 %2 %2 %3\n"
      "    TEST %4 i-1\n"
      "    STORE a[i] %2 if %4\n"
      "  }\n"
      "  MOVE out[0] a[0] 4\n"
      "}\n");
  UnitMemory memory(p.unit);
  std::int32_t in[12];
  for (int i = 0; i < 12; ++i) in[i] = 100 + i;
  std::memcpy(memory.array(0).data(), in, sizeof in);
  ASSERT_TRUE(execute(p, memory, {{0, 4, 8}}));
  std::int32_t out[12];
  std::memcpy(out, memory.array(1).data(), sizeof out);
  for (int t = 0; t < 3; ++t)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(out[4 * t + i], i == 0 ? 100 + 4 * t : 10 * (100 + 4 * t + i) + 4 * t + i) << t << " " << i;
}

/// Three threads take elements of a table of 8 by 2 where `p` says, as far as 4.
program::UnitLoops gather() {
  return loopsOf(
      "process unit x1 threads 3 {\n"
      "  array p bank i32[5] shared\n"
      "  array table bank i32[16] shared\n"
      "  array out bank i32[8]\n"
      "  param me 3\n"
      "  LOAD %0 p[me+1]\n"
      "  TEST %1 -me+1\n"
      "  LOAD %2 table[1, %0 of 8 by 2] if %1\n"
      "  STORE out[0, %0 of 8] %2 if %1\n"
      "}\n");
}

TEST(UnitEngine, TakesIndicesFromData) {
  const program::UnitLoops p = gather();
  const auto run = [&](std::vector<std::int32_t> indices) {
    UnitMemory memory(p.unit);
    std::memcpy(memory.array(0).data(), indices.data(), 20);
    std::int32_t table[16];
    for (int e = 0; e < 16; ++e) table[e] = 100 + e;
    std::memcpy(memory.array(1).data(), table, sizeof table);
    const Status s = execute(p, memory, {{0, 1, 2}});
    if (!s) return s.diagnostics().front().str();
    std::string out;
    for (int e = 0; e < 24; ++e) {
      std::int32_t x = 0;
      std::memcpy(&x, memory.array(2).data() + 4 * e, 4);
      if (x != 0) out += std::to_string(e) + "=" + std::to_string(x) + " ";
    }
    return out;
  };
  // The third thread does nothing: its index does not count.
  EXPECT_EQ(run({9, 7, 0, 3, 9}), "7=115 8=101 ");
  EXPECT_EQ(run({9, 7, 0, 99, 9}), "7=115 8=101 ");
  const std::string message = run({9, 7, -1, 3, 9});
  EXPECT_NE(message.find("thread 1 uses index -1 into array 'table', which has 8 there"), std::string::npos) << message;
  EXPECT_NE(message.find("index-out-of-range"), std::string::npos) << message;
  EXPECT_NE(run({9, 8, 0, 3, 9}).find("thread 0 uses index 8"), std::string::npos);
}

TEST(UnitEngine, AnIndexFromDataIsAnAccessOfEachLane) {
  const program::UnitLoops p = gather();
  machine::Machine m = unitMachine(Compute::Mode::kVector, 3);
  m.unitMemory->unit = Bytes(32);
  const RunResult vector = simulate(UnitCode(p, m), m);
  // Indices side by side, then a table and a result at three places each.
  EXPECT_EQ(vector.counts.bankReads, 1 + 3);
  EXPECT_EQ(vector.counts.bankReadBytes, 4 * 32);
  EXPECT_EQ(vector.counts.bankWrites, 3);
  EXPECT_EQ(vector.counts.bankWriteBytes, 3 * 32);
  m = unitMachine(Compute::Mode::kPipeline, 3);
  const RunResult pipeline = simulate(UnitCode(p, m), m);
  EXPECT_EQ(pipeline.counts.bankReads, 3 + 3);
  EXPECT_EQ(pipeline.counts.bankReadBytes, 6 * 8);
  EXPECT_EQ(pipeline.counts.bankWriteBytes, 3 * 8);
}

TEST(UnitEngine, RunsMoreThreadsThanABlockOfValuesHolds) {
  const program::UnitLoops p = loopsOf(
      "process unit x1 threads 300 {\n"
      "  array out bank f32[1]\n"
      "  param me 300\n"
      "  INDEX f32 %0 2*me\n"
      "  STORE out[0] %0\n"
      "}\n");
  UnitMemory memory(p.unit);
  std::vector<std::int64_t> me(300);
  for (int t = 0; t < 300; ++t) me[static_cast<std::size_t>(t)] = t;
  ASSERT_TRUE(execute(p, memory, {me}));
  for (int t = 0; t < 300; ++t) {
    float x = 0;
    std::memcpy(&x, memory.array(0).data() + 4 * t, 4);
    EXPECT_EQ(x, static_cast<float>(2 * t));
  }
}

TEST(UnitEngine, APipelineFillsUpWithThreads) {
  const std::string body =
      "process unit x1 threads {} {{\n  SET i32 %0 1\n  loop i 1000 {{\n    ADD i32 %0 %0 %0\n  }}\n}}\n";
  const machine::Machine m = unitMachine(Compute::Mode::kPipeline, 8);
  const auto cyclesOf = [&](int threads) {
    std::string text = body;
    text.replace(text.find("{}"), 2, std::to_string(threads));
    for (std::size_t at; (at = text.find("{{")) != std::string::npos;) text.replace(at, 2, "{");
    for (std::size_t at; (at = text.find("}}")) != std::string::npos;) text.replace(at, 2, "}");
    const program::UnitLoops p = loopsOf(text);
    return estimate(UnitCode(p, m), m).cycles.value;
  };
  EXPECT_EQ(cyclesOf(1), 1001 * 5);
  EXPECT_EQ(cyclesOf(5), 1001 * 5 + 4);
  EXPECT_EQ(cyclesOf(8), 1001 * 8 + 4);
}

TEST(UnitEngine, BlockingAccessesStopAllThreads) {
  const program::UnitLoops p = loopsOf(
      "process unit x1 threads 2 {\n"
      "  array b bank i32[64]\n"
      "  array a scratchpad i32[64]\n"
      "  MOVE a[0] b[0] 64\n"
      "  loop i 100 {\n"
      "    LOAD %0 a[0]\n"
      "  }\n"
      "}\n");
  machine::Machine m = unitMachine(Compute::Mode::kPipeline, 2);
  m.unitMemory->largest = Bytes(256);
  // Non-blocking: the second thread's transfer waits for the port, and the first thread computes meanwhile.
  EXPECT_EQ(simulate(UnitCode(p, m), m).cycles.value, 80 + 90 + 100 * 5);
  m.unitMemory->isBlocking = true;
  // Blocking: the second thread cannot even ask before the first transfer is done.
  EXPECT_EQ(simulate(UnitCode(p, m), m).cycles.value, 90 + 90 + 1 + 100 * 5);  // and the two take turns
}

// Every thread asks once, one per cycle: what the ports do not take at once waits for the thread as many before it.
TEST(UnitEngine, AThousandTransfersAreUnderWayAtOnce) {
  const std::string access = "  array b bank i32[64]\n  array a scratchpad i32[64]\n  MOVE a[0] b[0] 2\n";
  const program::UnitLoops once = loopsOf("process unit x1 threads 1000 {\n" + access + "}\n");
  machine::Machine m = unitMachine(Compute::Mode::kPipeline, 1000);
  m.unitMemory->largest = Bytes(8);
  m.unitMemory->reads = m.unitMemory->writes = {{Bytes(8), 5000, 5000}};
  for (const std::int64_t ports : {1000, 500, 250}) {
    m.unitMemory->ports = ports;
    const UnitCode code(once, m);
    EXPECT_EQ(simulate(code, m).cycles.value, 5000 * 1000 / ports + ports - 1);
    EXPECT_EQ(estimate(code, m).cycles.value, 5000 * 1000 / ports + ports - 1);
  }
  const program::UnitLoops often =
      loopsOf("process unit x1 threads 1000 {\n" + access + "  loop i 300 {\n  MOVE a[0] b[0] 2\n  }\n}\n");
  m.unitMemory->ports = 999;
  const UnitCode code(often, m);
  const RunResult full = simulate(code, m), fast = estimate(code, m);
  EXPECT_EQ(fast.cycles, full.cycles);
  EXPECT_EQ(fast.counts, full.counts);
}

TEST(UnitEngine, LanesMoveTheirBytesTogether) {
  const program::UnitLoops p = loopsOf(
      "process unit x1 threads 16 {\n"
      "  array own bank f32[8]\n"
      "  array all bank f32[8] shared\n"
      "  LOAD %0 own[3]\n"
      "  LOAD %1 all[3]\n"
      "}\n");
  const machine::Machine m = unitMachine(Compute::Mode::kVector, 16);
  const UnitCode code(p, m);
  EXPECT_EQ(code.total().bankReadBytes, 16 * 4 + 8);  // one element of all lanes, rounded up to the bank's 8 bytes
  EXPECT_EQ(code.total().bankReads, 2);
}

TEST(UnitEngine, HugeLoopsTakeNoTime) {
  const program::UnitLoops p = loopsOf(
      "process unit x1 threads 7 {\n"
      "  array b bank i32[64]\n"
      "  array a scratchpad i32[64]\n"
      "  loop j 1000000000 {\n"
      "    MOVE a[0] b[0] 50\n"
      "    loop i 1000000 {\n"
      "      LOAD %0 a[0]\n"
      "    }\n"
      "  }\n"
      "}\n");
  machine::Machine m = unitMachine(Compute::Mode::kPipeline, 7);
  const RunResult r = estimate(UnitCode(p, m), m);
  EXPECT_GT(r.cycles.value, 7'000'000'000'000'000);
  EXPECT_LT(r.cyclesSimulated.value, 1'000'000);
}

}  // namespace
}  // namespace pimento::sim::cnm
