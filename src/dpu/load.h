// A program from whatever it is written in: assembly text, a relocatable or an executable ELF file.
#pragma once

#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/object.h"
#include "pimento/program/code.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::dpu {

/// Text and relocatable files are linked with the run-time library; an executable is taken as it is. `file` is for
/// messages. Diagnostics: those of assemble, readObject, readExecutable and link.
Result<program::Code> loadProgram(std::string_view contents, std::string_view file, const LinkOptions &options);

/// assemble() for what a compiler made of the C text `file`: messages, those of the linker included, name lines of C,
/// by the .loc before them, and the hint shows the assembly.
Result<Object> assembleCompiled(std::string_view text, std::string_view file);

/// Objects linked with the run-time library. What is then still missing and stands in its part that is written in C
/// (runtime_c.h) is compiled; without a compiler (null) it stays missing. Diagnostics: those of link, and of the
/// compiler.
Result<program::Code> linkWithLibrary(std::vector<Object> objects, const LinkOptions &options,
                                      program::DpuCompiler *compiler);

}  // namespace pimento::dpu
