// ELF32 files of DPU programs: relocatable objects and executables, read and written.
//
// Little endian, machine 245, RELA relocations (field.h), one loadable segment per memory, instructions in 8 bytes.
// Executables that others linked load too: program headers say what goes where, symbols what is where, and sections are
// needed for neither. Lines of our own files stand in a section .pimento.lines, those of others in .debug_line.
// From the public description of the format and the ELF specification (TIS 1.2).
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/object.h"
#include "pimento/program/code.h"

namespace pimento::dpu {

enum class ElfKind { kNone, kRelocatable, kExecutable };

/// What the first bytes promise; kNone: no ELF file. Files of other machines are told apart by the readers.
ElfKind elfKind(std::string_view bytes);

/// For whom an ELF file is that is not for a DPU: "x86-64, 64 bits"; empty for files of DPUs and no ELF files.
std::string otherMachine(std::string_view bytes);

/// Diagnostics: dpu-elf-header, dpu-elf-truncated, dpu-elf-section, dpu-elf-symbol, dpu-elf-relocation, dpu-elf-lines.
Result<Object> readObject(std::string_view bytes, std::string_view file);

/// `tasklets` holds where the file has no symbol NR_TASKLETS. Diagnostics: those above, dpu-elf-segment and
/// dpu-elf-overlap.
Result<program::Code> readExecutable(std::string_view bytes, std::string_view file, std::int64_t tasklets = 1);

/// Local symbols come first in the file, so symbols may change places.
std::string writeObject(const Object &object);

std::string writeExecutable(const program::Code &code);

}  // namespace pimento::dpu
