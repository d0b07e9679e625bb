// A random C program through the compiler for DPUs and onto one, and through the host's compiler.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "pimento/backend_dpu/backend.h"
#include "pimento/frontend/dpu_c.h"
#include "test/support/linked_dpu.h"
#include "test/support/random_c_program.h"

namespace pimento::test {

/// Of `command`, as a shell runs it; nothing where it fails.
inline std::string outputOf(const std::string &command) {
  std::string text;
  FILE *pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, count);
  return pclose(pipe) == 0 ? text : "";
}

/// The words of `results`, one a line, as the host computes them; empty where it cannot. `compiler` is a command.
inline std::string resultsOnHost(const std::string &text, const std::string &compiler, const std::string &folder) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/program.c") << text;
  // Not what a reducer makes of a program: functions without a result, variables without a value.
  const std::string flags =
      "-w -DON_HOST -O1 -fwrapv -ffp-contract=off -fno-strict-aliasing -Werror=return-type -Werror=uninitialized "
      "-Werror=implicit-function-declaration";
  const std::string compile =
      fmt::format("{} {} {}/program.c -o {}/program 2>/dev/null", compiler, flags, folder, folder);
  if (std::system(compile.c_str()) != 0) return "";
  return outputOf(fmt::format("timeout 10 {}/program 2>/dev/null", folder));
}

/// The same from a DPU, or why not.
inline std::string resultsOnDpu(const std::string &text, int level) try {
  const auto module = frontend::readDpuC({"program.c", text, {fmt::format("-O{}", level), "-w", "-ffp-contract=off"}});
  if (!module) return "not read: " + messages(module.diagnostics());
  const Result<std::string> assembly = backend_dpu::compile(module->bytes, {level, true});
  if (!assembly) return "not compiled: " + messages(assembly.diagnostics());
  const auto image = imageOf(*assembly, 1, 52 << 10);
  sim::dpu::Dpu dpu(image, plainDpu());
  const sim::dpu::RunResult run = dpu.simulate({.maxInstructions = 60'000'000});
  if (run.fault) return "fault: " + run.fault->str();
  std::vector<std::uint64_t> words(kCResults);
  dpu.readWram(addressOf(*image, "results"), std::as_writable_bytes(std::span(words)));
  std::string all;
  for (const std::uint64_t word : words) all += fmt::format("{:x}\n", word);
  return all;
} catch (const std::runtime_error &e) {
  return std::string("not linked: ") + e.what();
}

}  // namespace pimento::test
