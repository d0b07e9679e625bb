// Freestanding C to object code or assembly of a host with RV64GC, by Clang as a library.
//
// No Clang type appears here, and the same functions exist in a build without LLVM. Not here: linking.
#pragma once

#include <string>

#include "pimento/base/diagnostics.h"

namespace pimento::frontend {

enum class HostOutput { kObject, kAssembly };

/// At -O2, with neither reassociation nor contraction of floating point: what is computed is what stands in `text`.
/// Diagnostics: host-c (what Clang says, each at its line), host-compiler-absent (a build without LLVM).
Result<std::string> compileHostC(const std::string &text, HostOutput output);

}  // namespace pimento::frontend
