#include "pimento/backend_dpu/target/register_info.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "pimento/backend_dpu/target/frame_lowering.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/subtarget.h"

#define GET_REGINFO_TARGET_DESC
#include "DPUGenRegisterInfo.inc"

namespace llvm {

DPURegisterInfo::DPURegisterInfo() : DPUGenRegisterInfo(DPU::R23) {}

const MCPhysReg *DPURegisterInfo::getCalleeSavedRegs(const MachineFunction *) const {
  return CSR_SaveList;
}

const uint32_t *DPURegisterInfo::getCallPreservedMask(const MachineFunction &, CallingConv::ID) const {
  return CSR_RegMask;
}

BitVector DPURegisterInfo::getReservedRegs(const MachineFunction &mf) const {
  BitVector reserved(getNumRegs());
  const auto reserve = [&](MCRegister r) {
    for (MCRegAliasIterator alias(r, this, true); alias.isValid(); ++alias) reserved.set(*alias);
  };
  reserve(DPU::R22);
  reserve(DPU::R23);
  reserve(DPU::ZERO);
  reserve(DPU::ID);
  if (mf.getSubtarget().getFrameLowering()->hasFP(mf)) reserve(DPU::R21);
  return reserved;
}

Register DPURegisterInfo::getFrameRegister(const MachineFunction &mf) const {
  return mf.getSubtarget().getFrameLowering()->hasFP(mf) ? DPU::R21 : DPU::R22;
}

bool DPURegisterInfo::eliminateFrameIndex(MachineBasicBlock::iterator at, int, unsigned operand, RegScavenger *) const {
  MachineInstr &mi = *at;
  MachineFunction &mf = *mi.getMF();
  const auto &frame = *mf.getSubtarget<DPUSubtarget>().getFrameLowering();
  Register base;
  const int index = mi.getOperand(operand).getIndex();
  const std::int64_t offset = frame.getFrameIndexReference(mf, index, base).getFixed();
  if (mi.isDebugValue()) {
    mi.getOperand(operand).ChangeToRegister(base, false);
    return false;
  }
  MachineOperand &displacement = mi.getOperand(operand + 1);
  mi.getOperand(operand).ChangeToRegister(base, false);
  displacement.ChangeToImmediate(displacement.getImm() + offset);
  if (mi.getOpcode() != DPU::LEA) return false;
  const auto &instructions = *mf.getSubtarget<DPUSubtarget>().getInstrInfo();
  if (displacement.getImm() == 0) {
    BuildMI(*mi.getParent(), at, mi.getDebugLoc(), instructions.get(DPU::MOVErr), mi.getOperand(0).getReg())
        .addReg(base);
  } else {
    BuildMI(*mi.getParent(), at, mi.getDebugLoc(), instructions.get(DPU::ADDri), mi.getOperand(0).getReg())
        .addReg(base)
        .addImm(displacement.getImm());
  }
  mi.eraseFromParent();
  return true;
}

}  // namespace llvm
