// What tests of programs for a DPU share: assembly text linked to a program, and a plain DPU to run it on.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pimento/dpu/assembler.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/runtime.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::test {

inline std::string messages(const Diagnostics &diagnostics) {
  std::string text;
  for (const Diagnostic &d : diagnostics) text += d.str() + "\n";
  return text;
}

/// Assembled and linked with the run-time library; throws what is wrong with it.
inline std::shared_ptr<const sim::dpu::Image> imageOf(const std::string &text, std::int64_t tasklets,
                                                      std::uint32_t stackBytes = 1024) {
  auto object = dpu::assemble(text, "test.s");
  if (!object) throw std::runtime_error(messages(object.diagnostics()));
  dpu::LinkOptions options;
  options.collects = false;  // tests look for variables that the code does not refer to any more
  options.tasklets = tasklets;
  options.stackBytes = stackBytes;
  auto code = dpu::link({*object}, options, &dpu::runtimeLibrary());
  if (!code) throw std::runtime_error(messages(code.diagnostics()));
  auto image = sim::dpu::Image::make(*std::move(code));
  if (!image) throw std::runtime_error(messages(image.diagnostics()));
  return *image;
}

/// A DPU with round numbers for what does not matter here.
inline machine::Dpu plainDpu() {
  machine::Dpu dpu;
  dpu.wram = Bytes(64 << 10);
  dpu.mram = Bytes(64 << 20);
  dpu.issueInterval = Cycles(11);
  dpu.reads = {{Bytes(8), 62, 43}, {Bytes(2048), 1195, 1161}};
  dpu.writes = {{Bytes(8), 55, 33}, {Bytes(2048), 1178, 1157}};
  dpu.transferUnit = Bytes(8);
  dpu.transferMax = Bytes(2048);
  return dpu;
}

inline std::uint32_t addressOf(const sim::dpu::Image &image, std::string_view name) {
  const program::Code::Symbol *symbol = image.code.symbolNamed(name);
  if (symbol == nullptr) throw std::runtime_error("no symbol " + std::string(name));
  return symbol->address;
}

}  // namespace pimento::test
