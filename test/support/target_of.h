// The target of a machine's family, for tests whose machines have one.
#pragma once

#include <gtest/gtest.h>

#include "pimento/base/cache.h"
#include "pimento/evaluate/evaluator.h"
#include "pimento/targets/targets.h"

namespace pimento::test {

inline const evaluate::Target &targetOf(const machine::Machine &machine) {
  const auto target = targets::targetOf(machine);
  EXPECT_TRUE(target.ok()) << target.diagnostics().front().str();
  return target ? **target : *targets::all().front();
}

/// What targets make, kept for all tests of a process.
inline std::shared_ptr<Cache> sharedCache() {
  static const auto kCache = std::make_shared<Cache>();
  return kCache;
}

/// A program from a file, or made by a test, on the machine of its target.
inline Result<evaluate::Report> evaluateProgram(const program::Program &program, const machine::Machine &machine,
                                                bool isSimulation, evaluate::Observer *observer = nullptr) {
  evaluate::ProgramRequest how;
  how.isSimulation = isSimulation;
  const auto loaded = targetOf(machine).load(program, machine, how);
  if (!loaded) return loaded.diagnostics();
  evaluate::Request request;
  request.machine = &machine;
  request.target = &targetOf(machine);
  request.tools.cache = sharedCache();
  request.program = loaded->get();
  request.isSimulation = isSimulation;
  request.observer = observer;
  return evaluate::evaluate(request);
}

}  // namespace pimento::test
