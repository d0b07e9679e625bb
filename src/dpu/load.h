// A program from whatever it is written in: assembly text, a relocatable or an executable ELF file.
#pragma once

#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/object.h"
#include "pimento/dpu/runtime.h"
#include "pimento/program/code.h"
#include "pimento/program/dpu_compiler.h"

namespace pimento::dpu {

/// Text and relocatable files are linked with the run-time library; an executable is taken as it is. `file` is for
/// messages. Diagnostics: those of assemble, readObject, readExecutable and link.
Result<program::Code> loadProgram(std::string_view contents, std::string_view file, const LinkOptions &options);

/// The compiler that made the program, of whose code its times are: `pimento upmem-cc`, `pimento upmem-cc
/// --like=vendor`; empty where no mark tells (kCompiledHere), as in programs of other tools.
std::string_view compilerOf(const program::Code &code);

/// assemble() for what a compiler made of the C text `file`: messages, those of the linker included, name lines of C,
/// by the .loc before them, and the hint shows the assembly.
Result<Object> assembleCompiled(std::string_view text, std::string_view file);

/// `objects` and, compiled, the files of the run-time library written in C (runtime_c.h) that define what neither they
/// nor `library`, the part in assembly, do. Without a compiler (null) that stays missing. Diagnostics: the compiler's.
Result<std::vector<Object>> withCLibrary(std::vector<Object> objects, program::DpuCompiler *compiler,
                                         const std::vector<Object> &library = runtimeLibrary(),
                                         const LinkOptions &options = {});

/// Objects linked with those of `archives` that define something missing, and with both parts of the run-time library.
/// What both archives and the run-time library define is taken from the archives. Diagnostics: those of withCLibrary
/// and link.
Result<program::Code> linkWithLibrary(std::vector<Object> objects, std::vector<Object> archives,
                                      const LinkOptions &options, program::DpuCompiler *compiler);

}  // namespace pimento::dpu
