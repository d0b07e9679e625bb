// The released analyzer: the paper's Figs 5 and 6, and its rules one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>

#include "pimento/base/rng.h"
#include "pimento/trace/release/analyzer.h"
#include "pimento/trace/release/counters.h"
#include "test/support/cases.h"

namespace pimento::trace::release {
namespace {

Record recordOf(std::int64_t sequence, std::string_view text, Level level = Level::kDram) {
  Record r;
  EXPECT_TRUE(parse(text, r)) << text;
  r.sequence = sequence;
  r.level = level;
  return r;
}

std::vector<std::vector<std::int64_t>> sequencesOf(const std::vector<Tree> &trees, const std::vector<Record> &records) {
  std::vector<std::vector<std::int64_t>> out;
  for (const Tree &t : trees) {
    out.emplace_back();
    for (const std::int64_t i : t) out.back().push_back(records[static_cast<std::size_t>(i)].sequence);
  }
  return out;
}

using Sequences = std::vector<std::vector<std::int64_t>>;

/// Eva-CiM, Fig. 5.
std::vector<Record> figure5() {
  return {recordOf(278, "ldr fp, [pc,#3472]", Level::kL1),
          recordOf(514, "cmps r9, fp"),
          recordOf(704, "ldr r2, [r3,#12]", Level::kL1),
          recordOf(706, "cmps r6, r2"),
          recordOf(707, "mov r5, r9"),
          recordOf(784, "add r5, r6, r5"),
          recordOf(785, "subs r5, r5, #512"),
          recordOf(796, "orr r1, r5, #1"),
          recordOf(799, "mov r4, #0"),
          recordOf(800, "orr r1, r1, r4")};
}

TEST(ReleaseTrees, AreThoseOfFigure5) {
  const std::vector<Record> records = figure5();
  EXPECT_EQ(sequencesOf(growTrees(records), records),
            (Sequences{{704, 706, 278, 514, 707, 784}, {785}, {796}, {799, 800}}));
}

TEST(ReleaseTrees, AreThoseOfFigure6) {
  const std::vector<Record> records = {recordOf(3259, "addi.w r3, r3, #1"),    recordOf(3260, "subs r0, r0, r1"),
                                       recordOf(3264, "ldrb.w r1, [r3], #1"),  recordOf(3265, "addi.w r3, r3, #1"),
                                       recordOf(3266, "ldrb.w r0, [r4, #1]!"), recordOf(3267, "addi.w r4, r4, #1"),
                                       recordOf(3268, "subs r0, r0, r1")};
  const Sequences trees = sequencesOf(growTrees(records), records);
  EXPECT_EQ(trees.back(), (std::vector<std::int64_t>{3266, 3264, 3268}));
}

TEST(ReleaseTrees, TakeALoadThatIsUsedTwiceOnce) {
  const std::vector<Record> records = {recordOf(1, "ldr r1, [r0]"), recordOf(2, "add r2, r1, #1"),
                                       recordOf(3, "add r3, r1, #2")};
  EXPECT_EQ(sequencesOf(growTrees(records), records), (Sequences{{1, 2}, {3}}));
}

TEST(ReleaseTrees, OfAChainOfAMillionMovesNeedNoStack) {
  std::vector<Record> records = {recordOf(0, "mov r1, #0")};
  constexpr std::int64_t kMany = 1'000'000;
  for (std::int64_t i = 1; i < kMany; ++i) records.push_back(recordOf(i, "mov r1, r1"));
  records.push_back(recordOf(kMany, "add r1, r1, #1"));
  const std::vector<Tree> trees = growTrees(records);
  ASSERT_EQ(trees.size(), 1U);
  EXPECT_EQ(trees[0].size(), records.size());
}

TEST(ReleaseTrees, ArePrintedInColumns) {
  const std::vector<Record> records = {recordOf(16, "ldreq lr, [r0]"), recordOf(17, "addeq lr, lr, #1")};
  const std::vector<std::string> lines = print(growTrees(records)[0], 5, records);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0], "#5             ");
  EXPECT_EQ(lines[1], "                ldreq lr, [r0]                                        16");
}

TEST(ReleaseRecords, HaveTheFirstTwoSourcesAndNoMore) {
  const Record shifted = recordOf(1, "add r2, r3, sl, lsl #4");
  EXPECT_EQ(shifted.sources[0], "r3");
  EXPECT_EQ(shifted.sources[1], "sl");
  const Record indexed = recordOf(2, "ldr r2, [r4, r5, lsl #2]");
  EXPECT_EQ(indexed.sources[0], "r4");
  EXPECT_EQ(indexed.sources[1], "r5");
  const Record compared = recordOf(3, "cmp r6, r2");
  EXPECT_EQ(compared.destination, "r6");
  const Record stored = recordOf(4, "str r6, [r2]");
  EXPECT_EQ(stored.destination, "");
  EXPECT_EQ(stored.sources[0], "");
  Record r;
  EXPECT_FALSE(parse("vadd.f32 s0, s1, s2", r));
  EXPECT_FALSE(parse("nop", r));
}

TEST(ReleaseCounters, OfFigure5AreItsTwoLoadsAsSums) {
  const std::vector<Record> records = figure5();
  const Counters c = count(growTrees(records), records,
                           std::vector<PipeCounts>(records.size(), {2, 1, 1, 1, 2, 1, 1, 1, 2}), Configuration::kAll);
  EXPECT_EQ(c.movedLoads(), 2);
  EXPECT_EQ(c.cim[0].add, 2);
  EXPECT_EQ(c.removed.integerAlu, 8);
}

TEST(ReleaseCounters, AreThoseOfEnabledLevelsAlone) {
  std::vector<Record> records = {recordOf(1, "ldr r1, [r0]", Level::kL2), recordOf(2, "eor r2, r1, #1")};
  const std::vector<PipeCounts> pipe(2, {0, 0, 0, 0, 0, 0, 1, 0, 0});
  const std::vector<Tree> trees = growTrees(records);
  EXPECT_EQ(count(trees, records, pipe, Configuration::kL2AndDram).cim[1].bitXor, 1);
  const Counters none = count(trees, records, pipe, Configuration::kL1);
  EXPECT_EQ(none.movedLoads(), 0);
  EXPECT_EQ(none.removed.integerAlu, 0) << "the load's level is where the operation is, too";
}

TEST(ReleaseCounters, ChargeOperationsAtDramToTheSecondCache) {
  const std::vector<Record> records = {recordOf(1, "ldr r1, [r0]"), recordOf(2, "and r2, r1, #1")};
  const Counters c = count(growTrees(records), records, std::vector<PipeCounts>(2), Configuration::kAll);
  const McpatCounters mcpat = changed({{"total_instructions", 100}, {"L2.read_accesses", 7}}, c);
  EXPECT_EQ(mcpat.at("L2.logic_and"), 1);
  EXPECT_EQ(mcpat.at("L2.read_accesses"), 7);
  EXPECT_EQ(mcpat.at("total_instructions"), 100) << "loads from DRAM are not subtracted";
}

TEST(ReleaseRecords, ReadFromATableTakeTheLastRead) {
  const auto records =
      readRecords("seq,pc,disasm,mem\n1,10430,\"ldr r1, [r0]\",R:1000:4:dcache R:2000:4:l2\n", "t.csv");
  ASSERT_TRUE(records.ok());
  EXPECT_EQ(records->at(0).level, Level::kL2);
  const auto broken = readRecords("1,10430,\"ldr r1, [r0]\",R:1000:4:l9\n", "t.csv");
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.diagnostics().front().code, "bad-trace");
  EXPECT_EQ(broken.diagnostics().front().where.line, 1);
}

TEST(ReleaseAnalyzer, CountsOfAStreamWhatTheWholeTraceGives) {
  constexpr std::string_view kOpcodes[] = {"add", "sub", "and", "eor", "mov", "cmp",
                                           "ldr", "str", "mul", "lsl", "vadd"};
  for (int i = 0; i < test::caseCount(300); ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    const auto pick = [&](std::int64_t n) { return rng.integer(0, n - 1); };
    std::vector<Record> records;
    std::vector<PipeCounts> pipe;
    AnalyzerReader reader;
    Analyzer analyzer;
    std::deque<AnalyzerStep> steps;
    const std::int64_t registers = 2 + pick(12), many = pick(400);
    for (std::int64_t k = 0; k < many; ++k) {
      const std::string_view opcode = kOpcodes[pick(std::ssize(kOpcodes))];
      const bool isAddress = opcode == "ldr" || opcode == "str";
      std::string text = fmt::format("{} r{}, {}r{}", opcode, pick(registers), isAddress ? "[" : "", pick(registers));
      if (pick(3) > 0) text += pick(2) > 0 ? fmt::format(", r{}", pick(registers)) : ", #4";
      if (isAddress) text += "]";
      const auto level = static_cast<Level>(pick(kLevels));
      const PipeCounts one = {.registerReads = pick(4), .registerWrites = pick(3), .integerAlu = 1};
      analyzer.add(steps.emplace_back(reader.read(text, one)), level);
      Record r;
      if (!parse(text, r)) continue;
      r.level = level;
      records.push_back(r);
      pipe.push_back(one);
    }
    for (int c = 0; c < kConfigurations; ++c) {
      const auto configuration = static_cast<Configuration>(c);
      EXPECT_EQ(analyzer.counters(configuration).byName(),
                count(growTrees(records), records, pipe, configuration).byName())
          << i << ", configuration " << c;
    }
  }
}

TEST(ReleaseAnalyzer, ForgetsWhatNoRootCanTake) {
  AnalyzerReader reader;
  Analyzer analyzer;
  const AnalyzerStep load = reader.read("ldr r1, [r0]", {}), chain = reader.read("mul r1, r1, r2", {}),
                     sum = reader.read("add r3, r1, r3", {});
  std::int64_t most = 0;
  for (int i = 0; i < 100'000; ++i) {
    analyzer.add(load, Level::kL1);
    for (int k = 0; k < 5; ++k) analyzer.add(chain, Level::kDram);
    if (i % 2 == 0) analyzer.add(sum, Level::kDram);
    most = std::max(most, analyzer.kept());
  }
  EXPECT_LT(most, 30);
  EXPECT_EQ(analyzer.counters(Configuration::kL1).loads[0], 50'000);
}

}  // namespace
}  // namespace pimento::trace::release
