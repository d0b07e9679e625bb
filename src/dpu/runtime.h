// The run-time library: src/dpu/runtime/*.s, part of the binary, assembled when first used. One object per file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pimento/dpu/object.h"

namespace pimento::dpu {

struct RuntimeFile {
  std::string name;  ///< "barrier.s"
  std::string text;
};

/// The sources (a file generated while building defines this).
const std::vector<RuntimeFile> &runtimeFiles();

/// What an object of the run-time library defines gives way to what programs define themselves.
void makeWeak(Object &object);

/// The objects, weak; `file` is "runtime/barrier.s".
const std::vector<Object> &runtimeLibrary();

/// Is `file`, as line information names it, one of the library or of its headers?
bool isLibraryFile(std::string_view file);

/// What it means that code of `file` faults: "division by zero", and what to do. Empty: nothing in particular.
struct FaultMeaning {
  std::string text, hint;
};
FaultMeaning faultMeaning(std::string_view file);

}  // namespace pimento::dpu
