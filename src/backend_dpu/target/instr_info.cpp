#include "pimento/backend_dpu/target/instr_info.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/Target/TargetMachine.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/mc.h"

#define GET_INSTRINFO_CTOR_DTOR
#define GET_INSTRMAP_INFO
#include "DPUGenInstrInfo.inc"

namespace llvm {
namespace {

bool isConditional(const MachineInstr &mi) {
  return mi.getOpcode() == DPU::Jrr || mi.getOpcode() == DPU::Jri || mi.getOpcode() == DPU::J64rr ||
         mi.getOpcode() == DPU::J64ri;
}

/// The target is the last operand of every conditional branch; the others, after the opcode, are the condition.
MachineBasicBlock *splitBranch(const MachineInstr &mi, SmallVectorImpl<MachineOperand> &condition) {
  condition.push_back(MachineOperand::CreateImm(mi.getOpcode()));
  const unsigned last = mi.getNumExplicitOperands() - 1;
  for (unsigned i = 0; i < last; ++i) condition.push_back(mi.getOperand(i));
  return mi.getOperand(last).getMBB();
}

MachineMemOperand *slot(MachineFunction &mf, int index, MachineMemOperand::Flags flags) {
  const MachineFrameInfo &frame = mf.getFrameInfo();
  return mf.getMachineMemOperand(MachinePointerInfo::getFixedStack(mf, index), flags, frame.getObjectSize(index),
                                 frame.getObjectAlign(index));
}

}  // namespace

DPUInstrInfo::DPUInstrInfo() : DPUGenInstrInfo(DPU::CALL_START, DPU::CALL_END) {}

void DPUInstrInfo::copyPhysReg(MachineBasicBlock &block, MachineBasicBlock::iterator at, const DebugLoc &where,
                               MCRegister to, MCRegister from, bool kills) const {
  const unsigned opcode = DPU::DPairRegClass.contains(to) ? DPU::MOVD : DPU::MOVErr;
  BuildMI(block, at, where, get(opcode), to).addReg(from, getKillRegState(kills));
}

void DPUInstrInfo::storeRegToStackSlot(MachineBasicBlock &block, MachineBasicBlock::iterator at, Register r, bool kills,
                                       int index, const TargetRegisterClass *rc, const TargetRegisterInfo *,
                                       Register) const {
  const unsigned opcode = DPU::DPairRegClass.hasSubClassEq(rc) ? DPU::SD : DPU::SW;
  BuildMI(block, at, DebugLoc(), get(opcode))
      .addReg(r, getKillRegState(kills))
      .addFrameIndex(index)
      .addImm(0)
      .addMemOperand(slot(*block.getParent(), index, MachineMemOperand::MOStore));
}

void DPUInstrInfo::loadRegFromStackSlot(MachineBasicBlock &block, MachineBasicBlock::iterator at, Register r, int index,
                                        const TargetRegisterClass *rc, const TargetRegisterInfo *, Register) const {
  const unsigned opcode = DPU::DPairRegClass.hasSubClassEq(rc) ? DPU::LD : DPU::LW;
  BuildMI(block, at, DebugLoc(), get(opcode), r)
      .addFrameIndex(index)
      .addImm(0)
      .addMemOperand(slot(*block.getParent(), index, MachineMemOperand::MOLoad));
}

Register DPUInstrInfo::isLoadFromStackSlot(const MachineInstr &mi, int &index) const {
  if (mi.getOpcode() != DPU::LW && mi.getOpcode() != DPU::LD) return Register();
  if (!mi.getOperand(1).isFI() || !mi.getOperand(2).isImm() || mi.getOperand(2).getImm() != 0) return Register();
  index = mi.getOperand(1).getIndex();
  return mi.getOperand(0).getReg();
}

Register DPUInstrInfo::isStoreToStackSlot(const MachineInstr &mi, int &index) const {
  if (mi.getOpcode() != DPU::SW && mi.getOpcode() != DPU::SD) return Register();
  if (!mi.getOperand(1).isFI() || !mi.getOperand(2).isImm() || mi.getOperand(2).getImm() != 0) return Register();
  index = mi.getOperand(1).getIndex();
  return mi.getOperand(0).getReg();
}

bool DPUInstrInfo::analyzeBranch(MachineBasicBlock &block, MachineBasicBlock *&yes, MachineBasicBlock *&no,
                                 SmallVectorImpl<MachineOperand> &condition, bool mayModify) const {
  auto i = block.getLastNonDebugInstr();
  if (i == block.end() || !isUnpredicatedTerminator(*i)) return false;
  // What follows an unconditional jump is never reached.
  if (mayModify) {
    for (auto first = block.getFirstTerminator(); first != block.end(); ++first) {
      if (first->getOpcode() != DPU::JUMP) continue;
      while (std::next(first) != block.end()) std::next(first)->eraseFromParent();
      i = first;
      break;
    }
  }
  SmallVector<MachineInstr *, 3> branches;
  for (auto j = block.getFirstTerminator(); j != block.end(); ++j)
    if (!j->isDebugInstr()) branches.push_back(&*j);
  if (branches.size() > 2) return true;
  MachineInstr &last = *branches.back();
  if (branches.size() == 1) {
    if (last.getOpcode() == DPU::JUMP) return yes = last.getOperand(0).getMBB(), false;
    if (!isConditional(last)) return true;
    yes = splitBranch(last, condition);
    return false;
  }
  if (!isConditional(*branches.front()) || last.getOpcode() != DPU::JUMP) return true;
  yes = splitBranch(*branches.front(), condition);
  no = last.getOperand(0).getMBB();
  return false;
}

unsigned DPUInstrInfo::insertBranch(MachineBasicBlock &block, MachineBasicBlock *yes, MachineBasicBlock *no,
                                    ArrayRef<MachineOperand> condition, const DebugLoc &where, int *bytes) const {
  unsigned count = 0;
  if (condition.empty()) {
    BuildMI(&block, where, get(DPU::JUMP)).addMBB(yes);
    ++count;
  } else {
    auto branch = BuildMI(&block, where, get(static_cast<unsigned>(condition[0].getImm())));
    for (const MachineOperand &o : condition.drop_front()) branch.add(o);
    branch.addMBB(yes);
    ++count;
    if (no) {
      BuildMI(&block, where, get(DPU::JUMP)).addMBB(no);
      ++count;
    }
  }
  if (bytes) *bytes = static_cast<int>(8 * count);
  return count;
}

unsigned DPUInstrInfo::removeBranch(MachineBasicBlock &block, int *bytes) const {
  unsigned count = 0;
  for (auto i = block.getLastNonDebugInstr(); i != block.end(); i = block.getLastNonDebugInstr()) {
    if (i->getOpcode() != DPU::JUMP && !isConditional(*i)) break;
    i->eraseFromParent();
    ++count;
  }
  if (bytes) *bytes = static_cast<int>(8 * count);
  return count;
}

bool DPUInstrInfo::reverseBranchCondition(SmallVectorImpl<MachineOperand> &condition) const {
  condition[1].setImm(static_cast<std::int64_t>(dpu::opposite(static_cast<dpu::Condition>(condition[1].getImm()))));
  return false;
}

unsigned DPUInstrInfo::getInstSizeInBytes(const MachineInstr &mi) const {
  if (mi.isInlineAsm()) {
    const MachineFunction &mf = *mi.getMF();
    return getInlineAsmLength(mi.getOperand(0).getSymbolName(), *mf.getTarget().getMCAsmInfo());
  }
  if (mi.getOpcode() == DPU::MULTIPLY || mi.getOpcode() == DPU::MULTIPLY_ADD) return 38 * 8;
  return mi.getDesc().getSize();
}

}  // namespace llvm
