// What passes after selection ask about instructions: copies, spills, branches.
#pragma once

#include "llvm/CodeGen/TargetInstrInfo.h"
#include "pimento/backend_dpu/target/register_info.h"

#define GET_INSTRINFO_HEADER
#include "DPUGenInstrInfo.inc"

namespace llvm {

class DPUInstrInfo : public DPUGenInstrInfo {
 public:
  DPUInstrInfo();
  const DPURegisterInfo &registerInfo() const { return registerInfo_; }

  void copyPhysReg(MachineBasicBlock &block, MachineBasicBlock::iterator at, const DebugLoc &where, MCRegister to,
                   MCRegister from, bool kills) const override;
  void storeRegToStackSlot(MachineBasicBlock &block, MachineBasicBlock::iterator at, Register r, bool kills, int index,
                           const TargetRegisterClass *rc, const TargetRegisterInfo *, Register) const override;
  void loadRegFromStackSlot(MachineBasicBlock &block, MachineBasicBlock::iterator at, Register r, int index,
                            const TargetRegisterClass *rc, const TargetRegisterInfo *, Register) const override;
  Register isLoadFromStackSlot(const MachineInstr &mi, int &index) const override;
  Register isStoreToStackSlot(const MachineInstr &mi, int &index) const override;

  bool analyzeBranch(MachineBasicBlock &block, MachineBasicBlock *&yes, MachineBasicBlock *&no,
                     SmallVectorImpl<MachineOperand> &condition, bool mayModify) const override;
  unsigned insertBranch(MachineBasicBlock &block, MachineBasicBlock *yes, MachineBasicBlock *no,
                        ArrayRef<MachineOperand> condition, const DebugLoc &where, int *bytes) const override;
  unsigned removeBranch(MachineBasicBlock &block, int *bytes) const override;
  bool reverseBranchCondition(SmallVectorImpl<MachineOperand> &condition) const override;
  unsigned getInstSizeInBytes(const MachineInstr &mi) const override;

 private:
  const DPURegisterInfo registerInfo_;
};

}  // namespace llvm
