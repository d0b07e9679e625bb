// `upmem-cc`: a C compiler for DPUs. Its arguments are no Options but those of a C compiler, and so are its messages.
#pragma once

#include <string>
#include <vector>

namespace pimento::driver {

struct CcOutcome {
  std::string text;      ///< for standard output
  std::string messages;  ///< for standard error
  int status = 0;        ///< 0 done, 1 wrong input, 2 wrong usage
};

/// Reads the files that `arguments` name, and writes the output and, where asked for, dependencies. Sizes of memories
/// are those of the machine `upmem`, found in `machinePath` (empty: the installed ones). Diagnostics: upmem-cc-usage,
/// upmem-cc-number, upmem-cc-kind, upmem-cc-library, those of response files (response_file.h), archives, compiler,
/// assembler and linker.
CcOutcome upmemCc(const std::vector<std::string> &arguments, const std::vector<std::string> &machinePath = {});

}  // namespace pimento::driver
