// Machines of the project's own files, and small files on top of them; a file that is refused fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "pimento/machine/machine.h"

namespace pimento::test {

inline const std::string kMachines = std::string(PIMENTO_SOURCE_DIR) + "/machines";

inline machine::Machine accepted(Result<machine::Machine> machine) {
  if (machine) return std::move(*machine);
  for (const Diagnostic &d : machine.diagnostics()) ADD_FAILURE() << d.str();
  return {};
}

inline machine::Machine load(const std::string &name, const std::vector<machine::Override> &overrides = {}) {
  return accepted(machine::loadMachine(name, {kMachines}, overrides));
}

/// `more` on top of hbm-pim.
inline machine::Machine extended(const std::string &more) {
  return accepted(machine::parseMachine("name: mine\nextends: hbm-pim\n" + more, "mine.yaml", {kMachines}));
}

}  // namespace pimento::test
