// The one kind of DPU there is, and the parts of the target that LLVM asks it for.
#pragma once

#include "llvm/CodeGen/SelectionDAGTargetInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "pimento/backend_dpu/target/frame_lowering.h"
#include "pimento/backend_dpu/target/instr_info.h"
#include "pimento/backend_dpu/target/lowering.h"
#include "pimento/backend_dpu/target/register_info.h"

#define GET_SUBTARGETINFO_HEADER
#include "DPUGenSubtargetInfo.inc"

namespace llvm {

class DPUSubtarget : public DPUGenSubtargetInfo {
 public:
  DPUSubtarget(const Triple &triple, const TargetMachine &machine);

  /// Made by TableGen.
  void ParseSubtargetFeatures(StringRef cpu, StringRef tuneCpu, StringRef features);

  const DPUInstrInfo *getInstrInfo() const override { return &instrInfo_; }
  const DPURegisterInfo *getRegisterInfo() const override { return &instrInfo_.registerInfo(); }
  const DPUFrameLowering *getFrameLowering() const override { return &frameLowering_; }
  const DPUTargetLowering *getTargetLowering() const override { return &lowering_; }
  const SelectionDAGTargetInfo *getSelectionDAGInfo() const override { return &selectionInfo_; }

 private:
  DPUInstrInfo instrInfo_;
  DPUFrameLowering frameLowering_;
  DPUTargetLowering lowering_;
  SelectionDAGTargetInfo selectionInfo_;
};

}  // namespace llvm
