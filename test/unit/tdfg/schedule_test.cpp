#include <gtest/gtest.h>

#include <algorithm>

#include "pimento/base/element_bits.h"
#include "pimento/base/rng.h"
#include "pimento/tdfg/fat_binary.h"
#include "test/support/random_affine_graph.h"
#include "test/unit/tdfg/equal.h"
#include "test/unit/tdfg/smooth.h"

namespace pimento::tdfg {
namespace {

/// Follows a schedule step by step: which node's value each wordline holds.
class Follow {
 public:
  Follow(const Program &program, const Region &region, const Schedule &schedule)
      : program_(program),
        region_(region),
        schedule_(schedule),
        holds_(static_cast<std::size_t>(schedule.size.wordlines), kNothing) {
    for (std::size_t a = 0; a < schedule.residents.size(); ++a)
      if (schedule.residents[a] >= 0) put(schedule.residents[a], program.arrays[a].type, kArray - static_cast<int>(a));
  }

  void run() {
    for (const Step &step : schedule_.steps) follow(step);
    EXPECT_EQ(stored_, region_.outputs.size());
  }

 private:
  static constexpr int kNothing = -1, kArray = -1000;

  int rootOf(int n) const {
    while (node(n).kind == NodeKind::kShrink) n = node(n).args[0];
    return n;
  }
  const Node &node(int n) const { return region_.nodes[static_cast<std::size_t>(n)]; }

  void put(int at, DType type, int what) { std::fill_n(holds_.begin() + at, bitsOf(type), what); }

  /// The wordlines at `at` must hold the value of a node.
  void expectHolds(int at, int n) {
    const int root = rootOf(n);
    if (node(root).kind == NodeKind::kConst) {
      EXPECT_EQ(at, -1);
      return;
    }
    ASSERT_GE(at, 0);
    const int what = node(root).kind == NodeKind::kTensor ? kArray - node(root).array : root;
    for (int b = 0; b < bitsOf(node(root).type); ++b) ASSERT_EQ(holds_[static_cast<std::size_t>(at + b)], what);
  }

  void follow(const Step &step) {
    switch (step.kind) {
      case StepKind::kNode: {
        std::vector<int> operands = node(step.node).args;
        if (node(step.node).pattern.indirect >= 0) operands.push_back(node(step.node).pattern.indirect);
        ASSERT_EQ(operands.size(), step.operands.size());
        for (std::size_t o = 0; o < operands.size(); ++o) expectHolds(step.operands[o], operands[o]);
        if (step.scratch >= 0)
          put(step.scratch, node(step.node).type, kNothing),
              put(step.scratch + bitsOf(node(step.node).type), node(step.node).type, kNothing);
        for (std::size_t o = 0; o < operands.size(); ++o) expectHolds(step.operands[o], operands[o]);
        put(step.wordline, node(step.node).type, step.node);
        for (std::size_t o = 0; o < operands.size(); ++o) expectHolds(step.operands[o], operands[o]);
        break;
      }
      case StepKind::kCopy:
        expectHolds(step.operands[0], step.node);
        copied_[step.wordline] = step.node;
        break;
      case StepKind::kSpill:
        expectHolds(step.wordline, step.node);
        spilled_.push_back(step.node);
        break;
      case StepKind::kRefill:
        EXPECT_NE(std::find(spilled_.begin(), spilled_.end(), step.node), spilled_.end());
        put(step.wordline, node(step.node).type, step.node);
        break;
      case StepKind::kStore: {
        const Output &output = region_.outputs[static_cast<std::size_t>(step.output)];
        const auto copied = copied_.find(step.wordline);
        if (copied == copied_.end()) expectHolds(step.wordline, output.node);
        if (!output.isStream) {
          const int at = schedule_.residents[static_cast<std::size_t>(output.array)];
          if (at != step.wordline)
            put(at, program_.arrays[static_cast<std::size_t>(output.array)].type, kArray - output.array - 500);
        }
        ++stored_;
        break;
      }
    }
  }

  const Program &program_;
  const Region &region_;
  const Schedule &schedule_;
  std::vector<int> holds_;
  std::vector<int> spilled_;
  std::map<int, int> copied_;
  std::size_t stored_ = 0;
};

TEST(TdfgSchedule, WritesAnOutputRightIntoItsArrayWhereNothingNeedsTheOldValue) {
  const Program p = smooth();
  const auto s = schedule(p, 0, {256, 256});
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(print(*s, p, p.regions[0]),
            "schedule 256x256 r0\n"
            "  peak 96 spills 0\n"
            "  resident a at 0\n"
            "  resident b at 32\n"
            "  node %1 at 64 of 0\n"
            "  node %3 at 32 of 64, 0 in place\n"
            "  store 0 at 32\n"
            "end\n");
}

TEST(TdfgSchedule, StepsFindTheirOperandsInRandomGraphs) {
  constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kI8, DType::kF16};
  Rng rng(5);
  int graphs = 0, spills = 0;
  for (int n = 0; n < 400; ++n) {
    test::RandomAffineGraph random(rng, kTypes[n % 4]);
    const kernel::Graph graph = random.make();
    if (!kernel::verify(graph).ok()) continue;
    auto program = fitStreams({}, [&](const auto &) { return Result<kernel::Graph>(graph); });
    ASSERT_TRUE(program.ok());
    extract(*program);
    for (const ArraySize size : {ArraySize{256, 256}, ArraySize{512, 512}, ArraySize{320, 64}}) {
      const auto s = schedule(*program, 0, size);
      if (!s) {
        EXPECT_EQ(s.diagnostics()[0].code, "no-wordlines");
        continue;
      }
      if (program->regions[0].nodes.empty()) continue;
      ++graphs;
      spills += s->spills;
      EXPECT_LE(s->peak, size.wordlines);
      Follow(*program, program->regions[0], *s).run();
      if (HasFatalFailure()) FAIL() << print(*program) << print(*s, *program, program->regions[0]);
    }
  }
  EXPECT_GT(graphs, 300);
  EXPECT_GT(spills, 0);
}

TEST(TdfgFatBinary, IsReadBackAsItWasWritten) {
  const auto binary = makeFatBinary(smooth());
  ASSERT_TRUE(binary.ok());
  const std::string bytes = writeFatBinary(*binary);
  const auto again = readFatBinary(bytes, "smooth.inf");
  ASSERT_TRUE(again.ok()) << textOf(again.diagnostics());
  EXPECT_EQ(writeFatBinary(*again), bytes);
  EXPECT_EQ(again->schedules[1][0].size.wordlines, 512);
}

TEST(TdfgFatBinary, RefusesFilesThatAreCutAlteredOrOfAnotherVersion) {
  const std::string bytes = writeFatBinary(*makeFatBinary(smooth()));
  const auto code = [](const std::string &b) { return readFatBinary(b, "x.inf").diagnostics()[0].code; };
  EXPECT_EQ(code("tdfg smooth\n"), "inf-magic");
  EXPECT_EQ(code(bytes.substr(0, 14)), "inf-length");
  EXPECT_EQ(code(bytes.substr(0, bytes.size() - 3)), "inf-length");
  std::string altered = bytes;
  altered[altered.size() - 10] ^= 1;
  EXPECT_EQ(code(altered), "inf-checksum");
  FatBinary wrong = *makeFatBinary(smooth());
  wrong.schedules[0][0].steps[0].wordline += 32;
  EXPECT_EQ(code(writeFatBinary(wrong)), "inf-schedule");
  std::string other = bytes;
  other[12] = 3;
  EXPECT_EQ(code(other), "inf-version");
}

}  // namespace
}  // namespace pimento::tdfg
