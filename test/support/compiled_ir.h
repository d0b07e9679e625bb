// A random module through the back end and onto a DPU.
#pragma once

#include <fmt/format.h>

#include "pimento/backend_dpu/backend.h"
#include "test/support/linked_dpu.h"
#include "test/support/reduce_ir.h"

namespace pimento::test {

/// Why the module compiled at `level` does not give `answer`; empty where it does.
inline std::string wrongWith(const std::string &text, const IrModule &module, const IrAnswer &answer, int level) try {
  const Result<std::string> assembly = backend_dpu::compile(text, {level, true});
  if (!assembly) return "not compiled: " + messages(assembly.diagnostics());
  const auto image = imageOf(*assembly, 1, 16 << 10);
  sim::dpu::Dpu dpu(image, plainDpu());
  const sim::dpu::RunResult result = dpu.simulate({.maxInstructions = 20'000'000});
  if (result.fault) return "fault: " + result.fault->str();
  const auto differs = [&](const std::string &name, const std::vector<std::uint8_t> &want) -> std::string {
    std::vector<std::uint8_t> got(want.size());
    dpu.readWram(addressOf(*image, name), std::as_writable_bytes(std::span(got)));
    for (std::size_t i = 0; i < want.size(); ++i)
      if (got[i] != want[i]) return fmt::format("wrong: byte {} of @{} is {:#x}, not {:#x}", i, name, got[i], want[i]);
    return "";
  };
  std::string wrong = differs("out", answer.out);
  for (std::size_t a = 0; a < module.areas.size() && wrong.empty(); ++a)
    wrong = differs(module.areas[a].name, answer.memory[a]);
  return wrong;
} catch (const std::runtime_error &e) {
  return std::string("not linked: ") + e.what();
}

}  // namespace pimento::test
