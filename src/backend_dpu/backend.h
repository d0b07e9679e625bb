// LLVM IR to DPU assembly: LLVM's optimiser and code generator with a target of ours (docs/decisions/0009).
//
// No LLVM type appears here, so that only this room pays for LLVM's headers; LLVM is loaded at the first call
// (base/module.h; diagnostic llvm-module).
#pragma once

#include <string>
#include <string_view>

#include "pimento/base/diagnostics.h"

namespace pimento::backend_dpu {

/// What every module for a DPU says of itself: 32-bit pointers and long, 64-bit integers and double 8-byte aligned,
/// little endian. MRAM is address space 255.
inline constexpr std::string_view kTriple = "dpu-upmem-dpurt";
inline constexpr std::string_view kDataLayout = "e-m:e-p:32:32-i64:64-n32-S64";
inline constexpr unsigned kMramAddressSpace = 255;

struct Options {
  int level = 2;           ///< 0 to 3, as -O; 2 also for -Os
  bool keepsLines = true;  ///< .loc for what has debug locations
  /// Loops and products as UPMEM's compiler makes them, for those who want its times: loops are not unrolled in part
  /// and keep their counters and indices, 32-bit products call the library.
  bool isLikeVendor = false;
};

/// `module` is bitcode or the text form of a module for kTriple; it is optimised and compiled. Assembly in the dialect
/// that room `dpu` reads. Diagnostics: dpu-backend-ir (not a module, or broken), dpu-backend-unsupported (atomic
/// operations, vectors that cannot be split, inline assembly that cannot be read, ...), each with its line where known.
Result<std::string> compile(std::string_view module, const Options &options);

/// The module after optimisation, as text (`compile --emit ir`).
Result<std::string> optimise(std::string_view module, const Options &options);

}  // namespace pimento::backend_dpu
