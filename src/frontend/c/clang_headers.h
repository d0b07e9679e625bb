// Clang's own headers that C for a DPU may include: stdint.h, stddef.h, limits.h and what they include.
//
// Part of the binary, taken from the Clang that it is built with: a compiler that runs where Clang is not installed.
#pragma once

#include <string>
#include <vector>

namespace pimento::frontend {

struct ClangHeader {
  std::string name;  ///< "stdint.h"
  std::string text;
};

/// A file generated while building defines this.
const std::vector<ClangHeader> &clangHeaders();

}  // namespace pimento::frontend
