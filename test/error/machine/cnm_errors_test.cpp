// Machine files of compute-near-memory machines that contradict themselves: an example with one piece of text replaced.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pimento/base/file.h"
#include "pimento/machine/machine.h"

namespace pimento::machine {
namespace {

/// One mistake: `before` becomes `after`.
struct Mistake {
  const char *name, *before, *after, *code, *message, *hint;
};

const Mistake kMistakes[] = {
    {"AnOperationTwice", "operations: [div, rem, sqrt]", "operations: [div, rem, mul]", "duplicate-operation",
     "'mul' on i32 is already listed in", "once per type"},
    {"AnUnknownOperation", "operations: [div, rem, sqrt]", "operations: [div, rem, sqr]", "unknown-choice", "sqr",
     "sqrt"},
    {"AnUnknownMode", "mode: pipeline", "mode: pipelined", "unknown-choice", "pipelined", "pipeline"},
    {"NoMemories", "memories:", "memory_of_old:", "unknown-key", "memory_of_old", "memories"},
    {"NoThreads", "  threads: 8 count\n", "", "unknown-name", "compute.threads", "choices"},
    {"TooManyThreads", "  threads: 8 count\n", "  threads: 4097 count\n", "impossible-value", "4097", "4096"},
    {"LevelsThatDisagree", "role: thread, count: compute.threads", "role: thread, count: 4 count", "wrong-levels",
     "innermost level", "compute.threads"},
    {"OddLargest", "largest: 1024 B", "largest: 1020 B", "impossible-value", "not a multiple of the unit", "multiple"},
    {"OccupancyAboveLatency", "latency: 40 cycle, occupancy: 24 cycle", "latency: 20 cycle, occupancy: 24 cycle",
     "impossible-value", "for longer than its latency", "occupancy"},
};

class CnmMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(CnmMistakes, AreDiagnosed) {
  const Mistake &m = GetParam();
  std::string text = *readFile(PIMENTO_SOURCE_DIR "/examples/machines/cnm-pipeline.yaml");
  const auto at = text.find(m.before);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(m.before).size(), m.after);
  const Result<Machine> machine = parseMachine(text, "broken.yaml", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_FALSE(machine.ok());
  const Diagnostics &found = machine.diagnostics();
  const auto d = std::find_if(found.begin(), found.end(), [&](const Diagnostic &x) { return x.code == m.code; });
  ASSERT_NE(d, found.end()) << found.front().str();
  EXPECT_NE(d->message.find(m.message), std::string::npos) << d->str();
  EXPECT_NE(d->hint.find(m.hint), std::string::npos) << d->str();
  EXPECT_GT(d->where.line, 0) << d->str();
}

INSTANTIATE_TEST_SUITE_P(Machine, CnmMistakes, ::testing::ValuesIn(kMistakes),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(CnmMachine, ThreadsOfAMachineWithDpusStandInItsDpu) {
  const std::string text =
      "name: odd\nextends: upmem\nsource: \"a test\"\nconfidence: assumed\ncompute:\n  threads: 4 count\n";
  const Result<Machine> machine = parseMachine(text, "odd.yaml", {PIMENTO_SOURCE_DIR "/machines"});
  ASSERT_FALSE(machine.ok());
  EXPECT_EQ(machine.diagnostics().front().code, "unknown-key") << machine.diagnostics().front().str();
}

}  // namespace
}  // namespace pimento::machine
