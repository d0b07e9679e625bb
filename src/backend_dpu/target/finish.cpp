// The last pass. 64-bit pseudos become two neighbours, and an operation whose result decides the branch that follows it
// becomes one instruction with that branch: `add r1, r1, -1` and `jneq r1, 0, loop` are `add r1, r1, -1, nz, loop`. So
// do an operation and the jump behind it.
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/target_machine.h"

namespace llvm {
namespace {

using dpu::Condition;

class Finish : public MachineFunctionPass {
 public:
  static char ID;
  Finish() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "DPU last instructions"; }

  bool runOnMachineFunction(MachineFunction &mf) override {
    instructions_ = mf.getSubtarget<DPUSubtarget>().getInstrInfo();
    registers_ = &instructions_->registerInfo();
    for (MachineBasicBlock &block : mf) {
      for (auto i = block.begin(); i != block.end();) expand(*i++);
      fuse(block);
    }
    return true;
  }

 private:
  MCRegister lo(Register pair) const { return registers_->getSubReg(pair, DPU::sub_lo); }
  MCRegister hi(Register pair) const { return registers_->getSubReg(pair, DPU::sub_hi); }
  MachineInstrBuilder make(MachineInstr &before, unsigned opcode) {
    return BuildMI(*before.getParent(), before, before.getDebugLoc(), instructions_->get(opcode));
  }
  MachineInstrBuilder make(MachineInstr &before, unsigned opcode, MCRegister result) {
    return BuildMI(*before.getParent(), before, before.getDebugLoc(), instructions_->get(opcode), result);
  }
  static std::int64_t conditionOf(const MachineInstr &mi, unsigned index) {
    return static_cast<std::int64_t>(dpu::wide(static_cast<Condition>(mi.getOperand(index).getImm())));
  }

  /// An operand for one of two instructions: the other may read it too.
  static MachineOperand operand(const MachineInstr &mi, unsigned index) {
    MachineOperand o = mi.getOperand(index);
    if (o.isReg() && o.isUse()) o.setIsKill(false);
    return o;
  }

  void expand(MachineInstr &mi);
  void expandSum(MachineInstr &mi);
  void fuse(MachineBasicBlock &block);
  MachineInstr *findOperation(MachineInstr &branch, Register result);
  bool fuseCondition(MachineBasicBlock &block);
  void fuseJump(MachineBasicBlock &block);
  bool join(MachineInstr &operation, MachineInstr &branch, Condition condition, MachineBasicBlock *target);

  const DPUInstrInfo *instructions_ = nullptr;
  const DPURegisterInfo *registers_ = nullptr;
};
char Finish::ID = 0;

void Finish::expandSum(MachineInstr &mi) {
  const Register d = mi.getOperand(0).getReg();
  const auto pair = [&](unsigned i) { return mi.getOperand(i).getReg(); };
  switch (mi.getOpcode()) {
    case DPU::ADD64rr:
      make(mi, DPU::ADDrr, lo(d)).addReg(lo(pair(1))).addReg(lo(pair(2)));
      make(mi, DPU::ADDCrr, hi(d)).addReg(hi(pair(1))).addReg(hi(pair(2)));
      break;
    case DPU::ADD64ri:
      make(mi, DPU::ADDri, lo(d)).addReg(lo(pair(1))).add(mi.getOperand(2));
      make(mi, DPU::ADDCri, hi(d)).addReg(hi(pair(1))).add(mi.getOperand(3));
      break;
    case DPU::ADD64rz:
      make(mi, DPU::ADDrr, lo(d)).addReg(lo(pair(1))).addReg(pair(2));
      make(mi, DPU::ADDCri, hi(d)).addReg(hi(pair(1))).addImm(0);
      break;
    case DPU::SUB64rr:
      make(mi, DPU::SUBrr, lo(d)).addReg(lo(pair(1))).addReg(lo(pair(2)));
      make(mi, DPU::SUBCrr, hi(d)).addReg(hi(pair(1))).addReg(hi(pair(2)));
      break;
    default:
      make(mi, DPU::SUBir, lo(d)).add(mi.getOperand(1)).addReg(lo(pair(3)));
      make(mi, DPU::SUBCir, hi(d)).add(mi.getOperand(2)).addReg(hi(pair(3)));
      break;
  }
  mi.eraseFromParent();
}

void Finish::expand(MachineInstr &mi) {
  const auto isNumber = [&](unsigned i) { return mi.getOperand(i).isImm(); };
  switch (mi.getOpcode()) {
    case DPU::ADD64rr:
    case DPU::ADD64ri:
    case DPU::ADD64rz:
    case DPU::SUB64rr:
    case DPU::SUB64ir:
      return expandSum(mi);
    case DPU::SET64rr:
    case DPU::SET64ri:
      make(mi, isNumber(4) ? DPU::CMPri : DPU::CMPrr).add(operand(mi, 2)).add(operand(mi, 4));
      make(mi, isNumber(4) ? DPU::SETCri : DPU::SETCrr, mi.getOperand(0).getReg())
          .addImm(conditionOf(mi, 1))
          .add(operand(mi, 3))
          .add(operand(mi, 5));
      break;
    case DPU::J64rr:
    case DPU::J64ri:
      make(mi, isNumber(3) ? DPU::CMPri : DPU::CMPrr).add(operand(mi, 1)).add(operand(mi, 3));
      make(mi, isNumber(3) ? DPU::JCri : DPU::JCrr)
          .addImm(conditionOf(mi, 0))
          .add(operand(mi, 2))
          .add(operand(mi, 4))
          .add(operand(mi, 5));
      break;
    default:
      return;
  }
  mi.eraseFromParent();
}

/// The operation before `branch` that makes `result` and may move down to it; null if there is none.
MachineInstr *Finish::findOperation(MachineInstr &branch, Register result) {
  MachineBasicBlock &block = *branch.getParent();
  SmallVector<const MachineInstr *, 8> between;
  for (auto i = std::next(MachineBasicBlock::reverse_iterator(branch)); i != block.rend(); ++i) {
    if (i->isDebugInstr() || i->isTransient()) continue;
    // Writing one half of a pair is marked as making the pair, too: what counts is what the instruction writes itself.
    const bool writes = any_of(i->explicit_operands(), [&](const MachineOperand &o) {
      return o.isReg() && o.isDef() && registers_->regsOverlap(o.getReg(), result);
    });
    if (writes) {
      if (i->getOperand(0).getReg() != result) return nullptr;
      if (DPU::branchForm(static_cast<std::uint16_t>(i->getOpcode())) < 0) return nullptr;
      for (const MachineInstr *b : between) {
        for (const MachineOperand &o : i->operands())
          if (o.isReg() && o.getReg() && o.isUse() && b->modifiesRegister(o.getReg(), registers_)) return nullptr;
      }
      return &*i;
    }
    // What uses the flags of its neighbour stays beside it; moving past it something that sets flags would not matter,
    // since the pair lies on one side. What reads the result, or may do anything, stops the search.
    if (i->readsRegister(result, registers_) || i->hasUnmodeledSideEffects() || i->isCall() || i->isInlineAsm() ||
        i->isTerminator() || between.size() >= 8)
      return nullptr;
    between.push_back(&*i);
  }
  return nullptr;
}

/// Puts operation and branch together. False where the number in the operation is too wide for that form.
bool Finish::join(MachineInstr &operation, MachineInstr &branch, Condition condition, MachineBasicBlock *target) {
  const int form = DPU::branchForm(static_cast<std::uint16_t>(operation.getOpcode()));
  if (form < 0) return false;
  for (const MachineOperand &o : operation.explicit_operands()) {
    if (o.isReg()) continue;
    if (!o.isImm() || !isInt<8>(o.getImm())) return false;
  }
  auto fused = make(branch, static_cast<unsigned>(form));
  for (const MachineOperand &o : operation.explicit_operands()) {
    MachineOperand copy = o;
    if (copy.isReg() && copy.isUse()) copy.setIsKill(false);
    fused.add(copy);
  }
  fused.addImm(static_cast<std::int64_t>(condition)).addMBB(target);
  operation.eraseFromParent();
  branch.eraseFromParent();
  return true;
}

bool Finish::fuseCondition(MachineBasicBlock &block) {
  auto branch = block.getFirstTerminator();
  if (branch == block.end() || branch->getOpcode() != DPU::Jri || branch->getOperand(2).getImm() != 0) return false;
  Condition test;
  switch (static_cast<Condition>(branch->getOperand(0).getImm())) {
    case Condition::kEq:
      test = Condition::kZ;
      break;
    case Condition::kNeq:
      test = Condition::kNz;
      break;
    case Condition::kLts:
      test = Condition::kMi;
      break;
    case Condition::kGes:
      test = Condition::kPl;
      break;
    default:
      return false;
  }
  MachineInstr *operation = findOperation(*branch, branch->getOperand(1).getReg());
  if (!operation) return false;
  const bool isShiftAndAdd = operation->getOpcode() == DPU::LSL_ADD || operation->getOpcode() == DPU::LSR_ADD ||
                             operation->getOpcode() == DPU::ROL_ADD || operation->getOpcode() == DPU::LSL_SUB;
  const bool isProduct = instructions_->getName(operation->getOpcode()).starts_with("MUL_");
  const bool isCount = operation->getOpcode() == DPU::CLZ || operation->getOpcode() == DPU::CAO;
  const bool testsSign = test == Condition::kMi || test == Condition::kPl;
  if (isShiftAndAdd || (testsSign && (isProduct || isCount))) return false;  // no such conditions
  return join(*operation, *branch, test, branch->getOperand(3).getMBB());
}

void Finish::fuseJump(MachineBasicBlock &block) {
  auto jump = block.getLastNonDebugInstr();
  if (jump == block.end() || jump->getOpcode() != DPU::JUMP || jump == block.begin()) return;
  auto before = std::prev(jump);
  while (before != block.begin() && before->isDebugInstr()) --before;
  if (before->isTerminator() || before->getNumExplicitDefs() != 1) return;
  join(*before, *jump, Condition::kTrue, jump->getOperand(0).getMBB());
}

void Finish::fuse(MachineBasicBlock &block) {
  fuseCondition(block);
  fuseJump(block);
}

}  // namespace

FunctionPass *createDpuFinish() {
  return new Finish();
}

}  // namespace llvm
