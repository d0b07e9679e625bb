// The part of the run-time library that is written in C: src/dpu/runtime_c/*.c, part of the binary. Whoever links a C
// program compiles those files of it that define what is missing; programs in assembly do without.
#pragma once

#include <string>
#include <vector>

namespace pimento::dpu {

struct CRuntimeFile {
  std::string name;  ///< "buddy.c"
  std::string text;  ///< a line "// Defines: NAME NAME" for every group of functions that other files may call
};

/// The sources (a file generated while building defines this).
const std::vector<CRuntimeFile> &cRuntimeFiles();

/// The functions and variables that `file` defines for others, as it says itself.
std::vector<std::string> definedBy(const CRuntimeFile &file);

/// How to compile `file`: its own functions are none that the compiler knows. `(float)floor(x)` in floorf would become
/// a call of floorf.
std::vector<std::string> cRuntimeArguments(const CRuntimeFile &file);

/// The files that define any of `undefined`; each once, in the order of cRuntimeFiles().
std::vector<const CRuntimeFile *> cRuntimeFilesFor(const std::vector<std::string> &undefined);

}  // namespace pimento::dpu
