// How rooms that do not know LLVM have a C program for UPMEM's DPUs compiled.
//
// `targets/upmem` writes DPU programs in UPMEM's C interface; `driver` hands in the compiler (Clang and the room
// `backend_dpu`), or none, where Pimento was built without LLVM. Assembly text comes back, not a linked program: the
// same text serves any number of tasklets.
#pragma once

#include <string>
#include <vector>

#include "pimento/base/diagnostics.h"

namespace pimento::program {

struct DpuSource {
  std::string file;                      ///< for messages and line tables
  std::string text;                      ///< C
  std::vector<std::string> arguments{};  ///< as of a C compiler: -O2, -DNAME=VALUE, -Ifolder
};

class DpuCompiler {
 public:
  virtual ~DpuCompiler() = default;
  /// Assembly in the dialect that room `dpu` reads. Diagnostics: what Clang says of the text, each at its line, and
  /// what the back end cannot do (dpu-backend-*).
  virtual Result<std::string> compile(const DpuSource &source) = 0;
  /// What it is before the back end: optimised LLVM IR, as text. Diagnostics: as compile.
  virtual Result<std::string> optimised(const DpuSource &source) = 0;
};

}  // namespace pimento::program
