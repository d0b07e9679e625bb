// Registers: which are kept, which are never allocated, and how a place on the stack becomes an address.
#pragma once

#include "llvm/CodeGen/TargetRegisterInfo.h"

#define GET_REGINFO_HEADER
#include "DPUGenRegisterInfo.inc"

namespace llvm {

class DPURegisterInfo : public DPUGenRegisterInfo {
 public:
  DPURegisterInfo();

  const MCPhysReg *getCalleeSavedRegs(const MachineFunction *) const override;
  const uint32_t *getCallPreservedMask(const MachineFunction &, CallingConv::ID) const override;
  BitVector getReservedRegs(const MachineFunction &mf) const override;
  bool eliminateFrameIndex(MachineBasicBlock::iterator at, int spAdjust, unsigned operand,
                           RegScavenger *) const override;
  Register getFrameRegister(const MachineFunction &mf) const override;
};

}  // namespace llvm
