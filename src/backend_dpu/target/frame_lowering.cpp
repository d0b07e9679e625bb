#include "pimento/backend_dpu/target/frame_lowering.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/subtarget.h"

namespace llvm {

bool DPUFrameLowering::hasFP(const MachineFunction &mf) const {
  return mf.getFrameInfo().hasVarSizedObjects();
}

bool DPUFrameLowering::movesStack(const MachineFunction &mf) {
  return mf.getFrameInfo().hasCalls() || mf.getFrameInfo().hasVarSizedObjects();
}

std::int64_t DPUFrameLowering::frameBytes(const MachineFunction &mf) {
  const std::int64_t objects = static_cast<std::int64_t>(alignTo(mf.getFrameInfo().getStackSize(), 8));
  return movesStack(mf) ? objects + 8 : objects;
}

void DPUFrameLowering::emitPrologue(MachineFunction &mf, MachineBasicBlock &block) const {
  if (!movesStack(mf)) return;
  const auto &instructions = *mf.getSubtarget<DPUSubtarget>().getInstrInfo();
  auto at = block.begin();
  const DebugLoc where;
  const std::int64_t bytes = frameBytes(mf);
  BuildMI(block, at, where, instructions.get(DPU::SD))
      .addReg(DPU::D22)
      .addReg(DPU::R22)
      .addImm(bytes - 8)
      .setMIFlag(MachineInstr::FrameSetup);
  BuildMI(block, at, where, instructions.get(DPU::ADDri), DPU::R22)
      .addReg(DPU::R22)
      .addImm(bytes)
      .setMIFlag(MachineInstr::FrameSetup);
  if (!hasFP(mf)) return;
  // r21 is stored by then: callee-saved registers go to their places below r22 right after this.
  while (at != block.end() && at->getFlag(MachineInstr::FrameSetup)) ++at;
  BuildMI(block, at, where, instructions.get(DPU::MOVErr), DPU::R21)
      .addReg(DPU::R22)
      .setMIFlag(MachineInstr::FrameSetup);
}

void DPUFrameLowering::emitEpilogue(MachineFunction &mf, MachineBasicBlock &block) const {
  if (!movesStack(mf)) return;
  const auto &instructions = *mf.getSubtarget<DPUSubtarget>().getInstrInfo();
  const auto end = block.getFirstTerminator();
  const DebugLoc where = end != block.end() ? end->getDebugLoc() : DebugLoc();
  if (hasFP(mf)) {
    auto restores = end;
    while (restores != block.begin() && std::prev(restores)->getFlag(MachineInstr::FrameDestroy)) --restores;
    BuildMI(block, restores, where, instructions.get(DPU::MOVErr), DPU::R22).addReg(DPU::R21);
  }
  BuildMI(block, end, where, instructions.get(DPU::LD), DPU::D22)
      .addReg(DPU::R22)
      .addImm(-8)
      .setMIFlag(MachineInstr::FrameDestroy);
}

StackOffset DPUFrameLowering::getFrameIndexReference(const MachineFunction &mf, int index, Register &base) const {
  const MachineFrameInfo &frame = mf.getFrameInfo();
  // Registers are saved before r21 is set and restored while r22 stands where it stood then.
  const bool isSaved =
      any_of(frame.getCalleeSavedInfo(), [&](const CalleeSavedInfo &c) { return c.getFrameIdx() == index; });
  base = hasFP(mf) && !isSaved ? DPU::R21 : DPU::R22;
  const std::int64_t top = movesStack(mf) ? frameBytes(mf) : 0;
  return StackOffset::getFixed(frame.getObjectOffset(index) - top);
}

MachineBasicBlock::iterator DPUFrameLowering::eliminateCallFramePseudoInstr(MachineFunction &, MachineBasicBlock &block,
                                                                            MachineBasicBlock::iterator at) const {
  return block.erase(at);
}

bool DPUFrameLowering::spillCalleeSavedRegisters(MachineBasicBlock &block, MachineBasicBlock::iterator at,
                                                 ArrayRef<CalleeSavedInfo> saved,
                                                 const TargetRegisterInfo *registers) const {
  const auto &instructions = *block.getParent()->getSubtarget<DPUSubtarget>().getInstrInfo();
  for (const CalleeSavedInfo &c : saved) {
    instructions.storeRegToStackSlot(block, at, c.getReg(), true, c.getFrameIdx(), &DPU::DPairRegClass, registers,
                                     Register());
    std::prev(at)->setFlag(MachineInstr::FrameSetup);
  }
  return true;
}

bool DPUFrameLowering::restoreCalleeSavedRegisters(MachineBasicBlock &block, MachineBasicBlock::iterator at,
                                                   MutableArrayRef<CalleeSavedInfo> saved,
                                                   const TargetRegisterInfo *registers) const {
  const auto &instructions = *block.getParent()->getSubtarget<DPUSubtarget>().getInstrInfo();
  for (const CalleeSavedInfo &c : saved) {
    instructions.loadRegFromStackSlot(block, at, c.getReg(), c.getFrameIdx(), &DPU::DPairRegClass, registers,
                                      Register());
    std::prev(at)->setFlag(MachineInstr::FrameDestroy);
  }
  return true;
}

void DPUFrameLowering::determineCalleeSaves(MachineFunction &mf, BitVector &saved, RegScavenger *scavenger) const {
  TargetFrameLowering::determineCalleeSaves(mf, saved, scavenger);
  if (hasFP(mf)) saved.set(DPU::D20);
}

}  // namespace llvm
