// What the debug information of a host's program says of addresses: functions, files, lines, inlined calls (DWARF 4 and
// 5, split units where their files lie where the program says; needs LLVM's reader).
//
// Not here: symbol tables (guest/elf_image.h), source files (driver/source_files.h), and the lines of DPU programs
// (dpu/source_lines.h).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pimento/base/diagnostics.h"
#include "pimento/trace/source_map.h"

namespace pimento::frontend {

struct Symbols {
  trace::SourceMap map;               ///< empty where the program has no debug information
  std::vector<std::string> warnings;  ///< what of it cannot be read; some of them where there are many
};

/// `program`: the bytes of an ELF file. `addresses`: ascending, as the file has them; nothing is said of others.
/// Diagnostics: "bad-elf" (no ELF file that can be read), "needs-llvm", "llvm-module".
Result<Symbols> readSymbols(std::string_view program, const std::string &file,
                            std::span<const std::uint64_t> addresses);

}  // namespace pimento::frontend
