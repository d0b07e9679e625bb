// What lowering remembers of one function.
#pragma once

#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {

struct DPUFunctionInfo : public MachineFunctionInfo {
  DPUFunctionInfo(const Function &, const TargetSubtargetInfo *) {}
  MachineFunctionInfo *clone(BumpPtrAllocator &, MachineFunction &into,
                             const DenseMap<MachineBasicBlock *, MachineBasicBlock *> &) const override {
    return into.cloneInfo<DPUFunctionInfo>(*this);
  }

  Register variadic;            ///< address of the variadic arguments
  unsigned inlineProducts = 0;  ///< 32-bit products made of steps in place
};

}  // namespace llvm
