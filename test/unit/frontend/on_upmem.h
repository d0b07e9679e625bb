// Graphs on a small UPMEM machine: every command is simulated, the answer held against the interpreter's, and the time
// against the estimate's.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "pimento/kernel/rounds.h"
#include "test/support/llvm_dpu_compiler.h"
#include "test/support/upmem_run.h"

namespace pimento::frontend {

struct UpmemOutcome {
  bool isChecked = false;
  std::string refusal;  ///< code of what the machine cannot run
};

inline UpmemOutcome runsOnUpmem(const kernel::Graph &graph, std::uint64_t seed) {
  static const machine::Machine kMachine = test::handUpmemWithRoom();
  static const auto kCompiler = std::make_shared<test::LlvmDpuCompiler>();
  const Result<kernel::Unrolled> rounds = kernel::unrolled(graph);
  if (!rounds) return {false, rounds.diagnostics().front().code};
  evaluate::Request r;
  r.graph = &rounds->graph;
  r.rounds = graph.loops.empty() ? nullptr : &*rounds;
  r.machine = &kMachine;
  r.target = &test::targetOf(kMachine);
  r.tools.cache = test::sharedCache();
  r.tools.dpuCompiler = kCompiler.get();
  r.maps = {*mapping::parseMapSpec("reference")};
  kernel::DataSet data = kernel::makeData(graph, {.seed = seed});
  r.isSimulation = true;
  r.data = &data;
  const auto report = evaluate::evaluate(r);
  if (report) {
    EXPECT_TRUE(report->isChecked);
    r.isSimulation = false;
    r.data = nullptr;
    r.values = kernel::DataSpec{.seed = seed};
    const auto estimate = evaluate::evaluate(r);
    EXPECT_TRUE(estimate.ok()) << estimate.diagnostics().front().str();
    const bool isExact = estimate && !estimate->interval;
    EXPECT_EQ(isExact ? estimate->cycles.value : report->cycles.value, report->cycles.value);
    return {true, {}};
  }
  const Diagnostic &d = report.diagnostics().front();
  EXPECT_EQ(d.kind, DiagnosticKind::kUnsupported) << d.str();
  return {false, d.code};
}

}  // namespace pimento::frontend
