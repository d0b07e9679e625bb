// What UPMEM's programs cannot run, and mappings they cannot follow: each with its code, by how much, and what to do.
#include <gtest/gtest.h>

#include "pimento/evaluate/evaluator.h"

namespace pimento::test {
namespace {

TEST(UpmemErrors, MachineCodeIsNoCommandProgram) {
  machine::Machine m;
  m.name = "hand";
  m.family = "upmem";
  m.dpu.emplace();
  m.dpu->wram = m.dpu->mram = Bytes(1024);
  program::Program p{"hand", {}, {}};
  p.processes.push_back({"dpu", 1, {}, std::make_shared<program::Code>(), {}});
  const auto report = evaluate::evaluateProgram(p, m, false, {});
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.diagnostics().front().code, "program-is-code");
}

}  // namespace
}  // namespace pimento::test
