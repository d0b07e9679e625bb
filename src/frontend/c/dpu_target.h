// Clang's description of a UPMEM DPU: types, their sizes and alignments, register names, what assembly may ask for.
//
// Clang has no such target, so this is one of our own. The numbers are fixed in docs/decisions/0010-dpu-c-abi.md; how
// arguments travel is Clang's default for targets that it does not know (structs through memory).
#pragma once

#include <memory>

#include "clang/Basic/TargetInfo.h"
#include "clang/Basic/TargetOptions.h"

namespace pimento::frontend {

/// The same as backend_dpu/backend.h states, which this room may not include.
inline constexpr const char *kDpuTriple = "dpu-upmem-dpurt";
/// What UPMEM's tools call it; scripts for building name it.
inline constexpr const char *kDpuVendorTriple = "dpu-upmem-dpurte";
inline constexpr const char *kDpuDataLayout = "e-m:e-p:32:32-i64:64-n32-S64";

llvm::IntrusiveRefCntPtr<clang::TargetInfo> makeDpuTarget(std::shared_ptr<clang::TargetOptions> options);

}  // namespace pimento::frontend
