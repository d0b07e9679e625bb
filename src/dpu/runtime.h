// The run-time library: src/dpu/runtime/*.s, part of the binary, assembled when first used. One object per file.
#pragma once

#include <string>
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

}  // namespace pimento::dpu
