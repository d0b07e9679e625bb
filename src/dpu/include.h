// The headers of UPMEM's C interface for DPU programs: src/dpu/include/*.h, part of the binary. Ours, written from the
// public documentation of the interface.
#pragma once

#include <string>
#include <vector>

namespace pimento::dpu {

struct IncludeFile {
  std::string name;  ///< "mram.h"
  std::string text;
};

/// A compiler for DPU programs searches them, and built_ins.h (built_ins.h), before its own (a file generated while
/// building defines this).
const std::vector<IncludeFile> &includeFiles();

}  // namespace pimento::dpu
