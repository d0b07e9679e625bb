#include "pimento/backend_dpu/target/subtarget.h"

#include "llvm/Target/TargetMachine.h"
#include "pimento/backend_dpu/target/mc.h"

#define DEBUG_TYPE "dpu-subtarget"
#define GET_SUBTARGETINFO_TARGET_DESC
#define GET_SUBTARGETINFO_CTOR
#include "DPUGenSubtargetInfo.inc"

namespace llvm {

DPUSubtarget::DPUSubtarget(const Triple &triple, const TargetMachine &machine)
    : DPUGenSubtargetInfo(triple, "dpu", "dpu", ""), lowering_(machine, *this) {}

}  // namespace llvm
