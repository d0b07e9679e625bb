// The compiler for DPU programs, put together from its rooms.
#pragma once

#include "pimento/backend_dpu/backend.h"
#include "pimento/frontend/dpu_c.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::test {

class LlvmDpuCompiler final : public program::DpuCompiler {
 public:
  Result<std::string> compile(const program::DpuSource &source) override {
    const auto module = frontend::readDpuC(source);
    if (!module) return module.diagnostics();
    return backend_dpu::compile(module->bytes, {module->level, module->keepsLines});
  }
  Result<std::string> optimised(const program::DpuSource &source) override {
    const auto module = frontend::readDpuC(source);
    if (!module) return module.diagnostics();
    return backend_dpu::optimise(module->bytes, {module->level, module->keepsLines});
  }
};

}  // namespace pimento::test
