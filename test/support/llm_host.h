// The project's own host and models, for tests; what is refused fails the test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pimento/base/file.h"
#include "pimento/llm/host.h"
#include "pimento/llm/model.h"
#include "pimento/machine/machine.h"

namespace pimento::test {

inline const std::string kHosts = std::string(PIMENTO_SOURCE_DIR) + "/hosts";
inline const std::string kModels = std::string(PIMENTO_SOURCE_DIR) + "/llms/models.csv";

/// `more`: lines on top of the published host's file.
inline llm::Host host(const std::string &more = "") {
  const std::string yaml = "name: mine\nextends: published\n" + more;
  Result<machine::Machine> machine = machine::parseMachine(yaml, "mine.yaml", {kHosts});
  Result<machine::Machine> study = machine::parseMachine(yaml, "mine.yaml", {kHosts}, {{"energy.set", "study"}});
  if (!machine || !study) {
    ADD_FAILURE() << (machine ? study : machine).diagnostics().front().str();
    std::abort();
  }
  Result<llm::Host> made = llm::makeHost(std::move(*machine), std::move(*study));
  if (made) return std::move(*made);
  ADD_FAILURE() << made.diagnostics().front().str();
  std::abort();
}

inline llm::Model model(const std::string &name) {
  const Result<std::string> text = readFile(kModels);
  const Result<std::vector<llm::Model>> models = llm::readModels(text ? *text : "", kModels);
  Result<llm::Model> found = models ? llm::modelNamed(name, *models) : Result<llm::Model>(models.diagnostics());
  if (found) return std::move(*found);
  ADD_FAILURE() << found.diagnostics().front().str();
  return {};
}

}  // namespace pimento::test
