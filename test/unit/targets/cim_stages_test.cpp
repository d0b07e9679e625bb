// Stages of programs of a host, on the paper's snippets: Fig. 6 (who wrote what an instruction reads), Fig. 4 (trees),
// Figs 7 and 8 (records of probes).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pimento/targets/cim/stages.h"
#include "test/support/machine_file.h"

namespace pimento::targets::cim {
namespace {

using trace::Access;
using trace::Instruction;
using trace::Operation;
using trace::Register;

constexpr Register kR0 = 0, kR1 = 1, kR2 = 2, kR3 = 3, kR4 = 4;

/// Instructions of one block, as T32 has them.
class Snippet {
 public:
  Snippet &load(const char *text, Register to, Register base, std::uint64_t address, bool writesBack = false,
                std::uint64_t value = 0) {
    Instruction &in = add(Operation::kLoad, text);
    in.loads = in.hasDestination = true;
    in.destination = to;
    in.reads.add(base);
    in.addressRegisters.add(base);
    in.writes.add(to);
    in.writesBack = writesBack;
    if (writesBack) in.writes.add(base);
    return access(address, false, value);
  }
  Snippet &store(const char *text, Register from, Register base, std::uint64_t address, std::uint64_t value = 0) {
    Instruction &in = add(Operation::kStore, text);
    in.stores = true;
    in.operands[0].reg = from;
    in.operandCount = 1;
    in.reads.add(from);
    in.reads.add(base);
    in.addressRegisters.add(base);
    return access(address, true, value);
  }
  /// With a register, or with an immediate where `b` is none.
  Snippet &compute(const char *text, Operation o, Register to, Register a, int b, std::int64_t immediate = 0) {
    Instruction &in = add(o, text);
    in.width = 32;
    in.operands[0].reg = a;
    in.reads.add(a);
    if (b >= 0) {
      in.operands[1].reg = static_cast<Register>(b);
      in.reads.add(in.operands[1].reg);
    } else {
      in.operands[1].isImmediate = true;
      in.operands[1].immediate = immediate;
    }
    in.operandCount = 2;
    in.hasDestination = true;
    in.destination = to;
    in.writes.add(to);
    return *this;
  }
  Snippet &clear(Register r) {
    Instruction &in = add(Operation::kMove, "mov");
    in.hasDestination = true;
    in.destination = r;
    in.writes.add(r);
    return *this;
  }

  std::string stage(std::string_view name) const {
    static const machine::Machine kMachine = pimento::test::load("cim-a9");
    trace::Program program;
    program.name = "snippet";
    program.isa = trace::Isa::kT32;
    std::string out;
    const auto writer = stageWriter(name, kMachine, [&](std::string_view line) { out += line; });
    writer->onStart(program, true);
    writer->onBlock(block_, static_cast<int>(block_.instructions.size()), accesses_);
    writer->onEnd();
    return out;
  }

 private:
  Instruction &add(Operation o, const char *text) {
    Instruction &in = block_.instructions.emplace_back();
    in.operation = o;
    in.isa = trace::Isa::kT32;
    in.address = 0x1000 + 4 * block_.instructions.size();
    in.text = text;
    return in;
  }
  Snippet &access(std::uint64_t address, bool isStore, std::uint64_t value) {
    accesses_.push_back({address, static_cast<std::uint16_t>(block_.instructions.size() - 1), 4, isStore, value});
    return *this;
  }

  trace::Block block_;
  std::vector<Access> accesses_;
};

Snippet figure6() {
  Snippet s;
  s.compute("addi.w r3, r3, #1", Operation::kAdd, kR3, kR3, -1, 1);
  s.compute("subs r0, r0, r1", Operation::kSub, kR0, kR0, kR1);
  s.load("ldrb.w r1, [r3], #1", kR1, kR3, 0x2000, true);
  s.compute("addi.w r3, r3, #1", Operation::kAdd, kR3, kR3, -1, 1);
  s.load("ldrb.w r0, [r4, #1]!", kR0, kR4, 0x3001, true);
  s.compute("addi.w r4, r4, #1", Operation::kAdd, kR4, kR4, -1, 1);
  s.compute("subs r0, r0, r1", Operation::kSub, kR0, kR0, kR1);
  return s;
}

// Numbers are places in the snippet; the paper's are 3259, 3260, 3264 to 3268. What write-back changes is a definition,
// too: the paper's row of r3 lacks 3264.
TEST(CimStages, TheGraphOfFigure6) {
  EXPECT_EQ(figure6().stage("idg"),
            "# snippet, t32: number, instruction, and of each register read: who wrote it last, and which entry of its "
            "row (n0 the first)\n"
            "         0  addi.w r3, r3, #1                    <- r3 from before\n"
            "         1  subs r0, r0, r1                      <- r0 from before, r1 from before\n"
            "         2  ldrb.w r1, [r3], #1                  <- r3 0 (n0)\n"
            "         3  addi.w r3, r3, #1                    <- r3 2 (n1)\n"
            "         4  ldrb.w r0, [r4, #1]!                 <- r4 from before\n"
            "         5  addi.w r4, r4, #1                    <- r4 4 (n0)\n"
            "         6  subs r0, r0, r1                      <- r0 4 (n1), r1 2 (n0)\n"
            "# register usage table: of each register its entries, and who made them (n0, n1, ...)\n"
            "r0                3  1 4 6\n"
            "r1                1  2\n"
            "r3                3  0 2 3\n"
            "r4                2  4 5\n");
}

TEST(CimStages, TheTraceOfFigure6) {
  const std::string text = figure6().stage("trace");
  EXPECT_EQ(
      text.find(
          "# snippet, t32, loaded at 0x0: number, address, instruction, accesses (R, W; address; bytes; value)\n"),
      0u);
  EXPECT_NE(text.find("         2  100c  ldrb.w r1, [r3], #1                   R 2000 4 = 0x0\n"), std::string::npos)
      << text;
}

/// Two words are loaded, added, and stored, or one and a constant: the loads come once before, and more instructions
/// than the core has under way stand between, so that caches have the line.
constexpr int kBetween = 64;
Snippet figure4(bool hasImmediate) {
  Snippet s;
  s.load("ldr r0, [r4]", kR0, kR4, 0x2000).load("ldr r1, [r4, #4]", kR1, kR4, 0x2004);
  for (int i = 0; i < kBetween; ++i) s.clear(i % 2 == 0 ? kR0 : kR1);
  s.load("ldr r0, [r4]", kR0, kR4, 0x2000, false, 5);
  if (hasImmediate) {
    s.compute("add r2, r0, #3", Operation::kAdd, kR2, kR0, -1, 3);
  } else {
    s.load("ldr r1, [r4, #4]", kR1, kR4, 0x2004, false, 3);
    s.compute("add r2, r0, r1", Operation::kAdd, kR2, kR0, kR1);
  }
  s.store("str r2, [r4, #8]", kR2, kR4, 0x2008, 8);
  return s.clear(kR0).clear(kR1).clear(kR2);
}

TEST(CimStages, TreesOfFigure4) {
  const std::string two = figure4(false).stage("candidates"), one = figure4(true).stage("candidates");
  EXPECT_NE(two.find("candidate 1 at l1d, stored\n"
                     "          66  load       ldr r0, [r4]\n"
                     "          67  load       ldr r1, [r4, #4]\n"
                     "          68  root       add r2, r0, r1\n"
                     "          69  store      str r2, [r4, #8]\n"),
            std::string::npos)
      << two;
  EXPECT_NE(one.find("candidate 1 at l1d, stored\n"
                     "          66  load       ldr r0, [r4]\n"
                     "          67  root       add r2, r0, #3\n"
                     "          68  store      str r2, [r4, #8]\n"),
            std::string::npos)
      << one;
  EXPECT_NE(two.find("# 1 candidates, 1 of them stored; operations: offloaded 1;"), std::string::npos) << two;
}

TEST(CimStages, ProbesRecordInstructionsRequestsAndAccesses) {
  const std::string text = figure4(false).stage("istate");
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto countOf = [&](const std::string &probe) {
    return std::count_if(lines.begin(), lines.end(), [&](const std::string &l) { return l.starts_with(probe); });
  };
  EXPECT_EQ(countOf("InstProbe: fetch:"), kBetween + 9);
  EXPECT_EQ(countOf("PipeProbe: seqNum:"), kBetween + 9);
  EXPECT_EQ(countOf("RequestProbe: "), 5);
  // The first load misses in both caches, the second one waits for the same line, the others hit.
  EXPECT_NE(text.find("l1d: ReadReq [2000:2003] miss\n"), std::string::npos) << text;
  EXPECT_NE(text.find("memory: ReadReq [2000:2003]\n"), std::string::npos) << text;
  EXPECT_NE(text.find("l1d: ReadReq [2004:2007] hit\n"), std::string::npos) << text;
  EXPECT_NE(text.find("lsq: WriteReq [2008:200b] 69\n"), std::string::npos) << text;
  EXPECT_NE(text.find("PipeProbe: seqNum:68: 2 1 1 1 2 1 1 1 2\n"), std::string::npos) << text;
}

// The released analyzer asks for no store and no liveness: every add, and, xor is a root of its own.
TEST(CimStages, ReleaseTreesAreTheAnalyzers) {
  const std::string text = figure4(false).stage("release");
  EXPECT_NE(text.find("add r2, r0, r1"), std::string::npos) << text;
  EXPECT_NE(text.find("# trees of the released analyzer: 1, in 6 instructions that it reads of 73\n"),
            std::string::npos)
      << text;
}

// The timeline of a pipeline: an event of each instruction, its stretches inside it one behind the other, and no two
// instructions on one track at a time.
TEST(CimStages, APipelineIsATimelineThatNests) {
  const auto json = nlohmann::json::parse(figure6().stage("pipeline"));
  struct Span {
    double from, to;
  };
  std::map<int, std::vector<Span>> instructions, stretches;
  for (const auto &e : json["traceEvents"]) {
    if (e["ph"] != "X") continue;
    const double from = e["ts"].get<double>();
    const Span span{from, from + e["dur"].get<double>()};
    (e["args"].contains("number") ? instructions : stretches)[e["tid"].get<int>()].push_back(span);
  }
  std::size_t count = 0;
  constexpr double kRounding = 1e-5;
  for (const auto &[track, spans] : instructions) {
    count += spans.size();
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].from, spans[i - 1].to - kRounding);
    for (const Span &s : stretches[track])
      EXPECT_EQ(std::ranges::count_if(
                    spans, [&](const Span &o) { return o.from <= s.from + kRounding && s.to <= o.to + kRounding; }),
                1);
    double sum = 0, whole = 0;
    for (const Span &s : spans) whole += s.to - s.from;
    for (const Span &s : stretches[track]) sum += s.to - s.from;
    EXPECT_NEAR(sum, whole, kRounding);
  }
  const std::string trace = figure6().stage("trace");
  EXPECT_EQ(static_cast<std::ptrdiff_t>(count), std::ranges::count(trace, '\n') - 1);
}

}  // namespace
}  // namespace pimento::targets::cim
