// A program from whatever it is written in: assembly text, a relocatable or an executable ELF file.
#pragma once

#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/linker.h"
#include "pimento/program/code.h"

namespace pimento::dpu {

/// Text and relocatable files are linked with the run-time library; an executable is taken as it is. `file` is for
/// messages. Diagnostics: those of assemble, readObject, readExecutable and link.
Result<program::Code> loadProgram(std::string_view contents, std::string_view file, const LinkOptions &options);

}  // namespace pimento::dpu
