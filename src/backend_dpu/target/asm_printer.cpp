// Machine instructions to text.
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineConstantPool.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/frame_lowering.h"
#include "pimento/backend_dpu/target/mc.h"
#include "pimento/backend_dpu/target/target_machine.h"
#include "pimento/dpu/linker.h"
#include "pimento/dpu/stack_use.h"

namespace llvm {
namespace {

using dpu::Condition;

class DPUAsmPrinter : public AsmPrinter {
 public:
  DPUAsmPrinter(TargetMachine &machine, std::unique_ptr<MCStreamer> streamer)
      : AsmPrinter(machine, std::move(streamer)) {}
  StringRef getPassName() const override { return "DPU assembly printer"; }

  void emitInstruction(const MachineInstr *mi) override;
  void emitFunctionBodyEnd() override;
  void emitStartOfAsmFile(Module &module) override;
  bool PrintAsmOperand(const MachineInstr *mi, unsigned index, const char *code, raw_ostream &out) override;
  bool PrintAsmMemoryOperand(const MachineInstr *mi, unsigned index, const char *code, raw_ostream &out) override;

 private:
  MCOperand operand(const MachineOperand &o) const;
  MCOperand symbol(const MCSymbol *s, std::int64_t offset) const;
  void emitProduct(const MachineInstr &mi);
  void say(StringRef what, const MCSymbol &function, std::int64_t value);
  void emit(const MCInst &inst) { EmitToStreamer(*OutStreamer, inst); }
};

MCOperand DPUAsmPrinter::symbol(const MCSymbol *s, std::int64_t offset) const {
  const MCExpr *e = MCSymbolRefExpr::create(s, OutContext);
  if (offset != 0) e = MCBinaryExpr::createAdd(e, MCConstantExpr::create(offset, OutContext), OutContext);
  return MCOperand::createExpr(e);
}

MCOperand DPUAsmPrinter::operand(const MachineOperand &o) const {
  switch (o.getType()) {
    case MachineOperand::MO_Register:
      return o.isImplicit() ? MCOperand() : MCOperand::createReg(o.getReg());
    case MachineOperand::MO_Immediate:
      return MCOperand::createImm(o.getImm());
    case MachineOperand::MO_MachineBasicBlock:
      return symbol(o.getMBB()->getSymbol(), 0);
    case MachineOperand::MO_GlobalAddress:
      return symbol(getSymbol(o.getGlobal()), o.getOffset());
    case MachineOperand::MO_ExternalSymbol:
      return symbol(GetExternalSymbolSymbol(o.getSymbolName()), o.getOffset());
    case MachineOperand::MO_BlockAddress:
      return symbol(GetBlockAddressSymbol(o.getBlockAddress()), o.getOffset());
    case MachineOperand::MO_JumpTableIndex:
      return symbol(GetJTISymbol(static_cast<unsigned>(o.getIndex())), 0);
    case MachineOperand::MO_ConstantPoolIndex:
      return symbol(GetCPISymbol(static_cast<unsigned>(o.getIndex())), o.getOffset());
    default:
      return MCOperand();
  }
}

/// The smaller factor becomes the multiplier, as in the library routine; steps end when it has no bits left.
void DPUAsmPrinter::emitProduct(const MachineInstr &mi) {
  const bool adds = mi.getOpcode() == DPU::MULTIPLY_ADD;
  const TargetRegisterInfo &registers = *MF->getSubtarget().getRegisterInfo();
  const Register pair = mi.getOperand(0).getReg(), factor = mi.getOperand(1).getReg();
  const Register a = mi.getOperand(adds ? 3 : 2).getReg(), b = mi.getOperand(adds ? 4 : 3).getReg();
  const MCRegister multiplier = registers.getSubReg(pair, DPU::sub_hi), sum = registers.getSubReg(pair, DPU::sub_lo);
  MCSymbol *swapped = OutContext.createTempSymbol(), *steps = OutContext.createTempSymbol(),
           *done = OutContext.createTempSymbol();
  const auto condition = [](Condition c) { return static_cast<std::int64_t>(c); };
  emit(MCInstBuilder(DPU::Jrr).addImm(condition(Condition::kGtu)).addReg(a).addReg(b).addOperand(symbol(swapped, 0)));
  emit(MCInstBuilder(DPU::MOVErr).addReg(factor).addReg(b));
  emit(MCInstBuilder(DPU::MOVErr_J)
           .addReg(multiplier)
           .addReg(a)
           .addImm(condition(Condition::kTrue))
           .addOperand(symbol(steps, 0)));
  OutStreamer->emitLabel(swapped);
  emit(MCInstBuilder(DPU::MOVErr).addReg(factor).addReg(a));
  emit(MCInstBuilder(DPU::MOVErr).addReg(multiplier).addReg(b));
  OutStreamer->emitLabel(steps);
  if (!adds) emit(MCInstBuilder(DPU::MOVEri).addReg(sum).addImm(0));
  for (std::int64_t step = 0; step < 31; ++step)
    emit(MCInstBuilder(DPU::MUL_STEP_J)
             .addReg(pair)
             .addReg(factor)
             .addReg(pair)
             .addImm(step)
             .addImm(condition(Condition::kZ))
             .addOperand(symbol(done, 0)));
  emit(MCInstBuilder(DPU::MUL_STEP).addReg(pair).addReg(factor).addReg(pair).addImm(31));
  OutStreamer->emitLabel(done);
}

void DPUAsmPrinter::say(StringRef what, const MCSymbol &function, std::int64_t value) {
  std::string text = "\t.set\t";
  raw_string_ostream out(text);
  OutContext.getOrCreateSymbol(what + function.getName())->print(out, MAI);
  out << ", " << value;
  OutStreamer->emitRawText(text);
}

// dpu/stack_use.h reads it. What calls hand over on the stack lies behind the frame.
void DPUAsmPrinter::emitFunctionBodyEnd() {
  const MachineFrameInfo &frame = MF->getFrameInfo();
  const std::int64_t handed = frame.isMaxCallFrameSizeComputed() ? frame.getMaxCallFrameSize() : 0;
  say(pimento::dpu::kStackSizePrefix, *CurrentFnSym,
      frame.hasVarSizedObjects() ? pimento::dpu::kStackSizeUnknown
                                 : DPUFrameLowering::frameBytes(*MF) + static_cast<std::int64_t>(alignTo(handed, 8)));
}

void DPUAsmPrinter::emitStartOfAsmFile(Module &module) {
  OutStreamer->emitRawText("\t.set\t" +
                           StringRef(pimento::dpu::kCompiledHere.data(), pimento::dpu::kCompiledHere.size()) +
                           (static_cast<const DPUTargetMachine &>(TM).isLikeVendor() ? ", 1" : ", 0"));
  for (const Function &f : module)
    if (!f.isIntrinsic() && f.hasAddressTaken()) say(pimento::dpu::kPointedToPrefix, *getSymbol(&f), 0);
}

void DPUAsmPrinter::emitInstruction(const MachineInstr *mi) {
  switch (mi->getOpcode()) {
    case DPU::FENCE:
      return;
    case DPU::MULTIPLY:
    case DPU::MULTIPLY_ADD:
      return emitProduct(*mi);
    default:
      break;
  }
  MCInst inst;
  inst.setOpcode(mi->getOpcode());
  for (const MachineOperand &o : mi->operands())
    if (const MCOperand lowered = operand(o); lowered.isValid()) inst.addOperand(lowered);
  emit(inst);
}

bool DPUAsmPrinter::PrintAsmOperand(const MachineInstr *mi, unsigned index, const char *code, raw_ostream &out) {
  const MachineOperand &o = mi->getOperand(index);
  // %s0: the register as one of a stack-checked form.
  if (code && code[0] == 's' && code[1] == 0 && o.isReg()) {
    out << 's' << StringRef(DPUInstPrinter::getRegisterName(o.getReg())).drop_front();
    return false;
  }
  if (code && code[0] != 0) return AsmPrinter::PrintAsmOperand(mi, index, code, out);
  if (o.isReg()) {
    out << DPUInstPrinter::getRegisterName(o.getReg());
  } else if (o.isImm()) {
    out << o.getImm();
  } else {
    const MCOperand lowered = operand(o);
    if (!lowered.isExpr()) return true;
    lowered.getExpr()->print(out, MAI);
  }
  return false;
}

bool DPUAsmPrinter::PrintAsmMemoryOperand(const MachineInstr *mi, unsigned index, const char *code, raw_ostream &out) {
  if (code && code[0] != 0) return true;
  if (PrintAsmOperand(mi, index, nullptr, out)) return true;
  out << ", ";
  return PrintAsmOperand(mi, index + 1, nullptr, out);
}

}  // namespace

void registerDpuAsmPrinter(Target &target) {
  TargetRegistry::RegisterAsmPrinter(target, [](TargetMachine &machine, std::unique_ptr<MCStreamer> &&streamer) {
    return static_cast<AsmPrinter *>(new DPUAsmPrinter(machine, std::move(streamer)));
  });
}

}  // namespace llvm
