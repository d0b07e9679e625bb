// Text to program, once: by the compiler that was handed in, the assembler and the linker.
#pragma once

#include <memory>
#include <string>

#include "pimento/base/cache.h"
#include "pimento/program/dpu_compiler.h"
#include "pimento/sim/dpu/dpu.h"

namespace pimento::targets::upmem::compiled {

/// The program of `text` for so many tasklets with so large stacks. Programs are kept in `cache`, one for a compiler:
/// searches ask thousands of times. Diagnostics: no-dpu-compiler (`compiler` is null), dpu-stack (by how much), those
/// of compiler, assembler and linker.
Result<std::shared_ptr<const sim::dpu::Image>> buildProgram(const std::string &text, std::int64_t tasklets,
                                                            std::int64_t stackBytes, program::DpuCompiler *compiler,
                                                            Cache &cache);

/// "no-dpu-compiler".
Diagnostic noCompiler();

}  // namespace pimento::targets::upmem::compiled
