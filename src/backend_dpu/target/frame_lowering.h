// The stack grows up. r22 points behind the frame; where a function calls others, the caller's r22 and the return
// address lie in the frame's last 8 bytes. Nothing interrupts a tasklet, so a function that calls nothing leaves r22
// alone and uses what lies behind it.
#pragma once

#include "llvm/CodeGen/TargetFrameLowering.h"

namespace llvm {

class DPUFrameLowering : public TargetFrameLowering {
 public:
  DPUFrameLowering() : TargetFrameLowering(StackGrowsUp, Align(8), 0, Align(8), false) {}

  void emitPrologue(MachineFunction &mf, MachineBasicBlock &block) const override;
  void emitEpilogue(MachineFunction &mf, MachineBasicBlock &block) const override;
  bool hasFP(const MachineFunction &mf) const override;
  bool hasReservedCallFrame(const MachineFunction &) const override { return true; }
  StackOffset getFrameIndexReference(const MachineFunction &mf, int index, Register &base) const override;
  MachineBasicBlock::iterator eliminateCallFramePseudoInstr(MachineFunction &mf, MachineBasicBlock &block,
                                                            MachineBasicBlock::iterator at) const override;
  bool spillCalleeSavedRegisters(MachineBasicBlock &block, MachineBasicBlock::iterator at,
                                 ArrayRef<CalleeSavedInfo> saved, const TargetRegisterInfo *registers) const override;
  bool restoreCalleeSavedRegisters(MachineBasicBlock &block, MachineBasicBlock::iterator at,
                                   MutableArrayRef<CalleeSavedInfo> saved,
                                   const TargetRegisterInfo *registers) const override;
  void determineCalleeSaves(MachineFunction &mf, BitVector &saved, RegScavenger *scavenger) const override;
  bool enableShrinkWrapping(const MachineFunction &) const override { return true; }

  /// Everything that a function has on the stack, r22 and r23 of the caller included.
  static std::int64_t frameBytes(const MachineFunction &mf);

 private:
  /// r22 moves: the function calls others or has arrays of variable size.
  static bool movesStack(const MachineFunction &mf);
};

}  // namespace llvm
