#include "pimento/backend_dpu/target/mc.h"

#include <mutex>

#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "pimento/backend_dpu/target/condition.h"
#include "pimento/backend_dpu/target/target_machine.h"
#include "pimento/dpu/assembly_text.h"

#define GET_INSTRINFO_MC_DESC
#define ENABLE_INSTR_PREDICATE_VERIFIER
#include "DPUGenInstrInfo.inc"
#define GET_REGINFO_MC_DESC
#include "DPUGenRegisterInfo.inc"
#define GET_SUBTARGETINFO_MC_DESC
#include "DPUGenSubtargetInfo.inc"

namespace llvm {
namespace {

/// The dialect that room `dpu` reads.
class DPUAsmInfo : public MCAsmInfoELF {
 public:
  explicit DPUAsmInfo(const Triple &) {
    CodePointerSize = 4;
    CalleeSaveStackSlotSize = 4;
    IsLittleEndian = true;
    StackGrowsUp = true;
    CommentString = "//";
    Data16bitsDirective = "\t.short\t";
    Data32bitsDirective = "\t.long\t";
    Data64bitsDirective = "\t.quad\t";
    ZeroDirective = "\t.zero\t";
    UsesELFSectionDirectiveForBSS = true;
    SupportsDebugInformation = true;
    ExceptionsType = ExceptionHandling::None;
    UseIntegratedAssembler = ParseInlineAsmUsingAsmParser = false;  // inline assembly passes as text
    MinInstAlignment = 8;
    MaxInstLength = 8;
  }

  /// Names of registers are not those of symbols, unless quoted.
  bool isValidUnquotedName(StringRef name) const override {
    return MCAsmInfoELF::isValidUnquotedName(name) && !pimento::dpu::readRegister({name.data(), name.size()});
  }
};

MCInstrInfo *makeInstrInfo() {
  auto *info = new MCInstrInfo();
  InitDPUMCInstrInfo(info);
  return info;
}

MCRegisterInfo *makeRegisterInfo(const Triple &) {
  auto *info = new MCRegisterInfo();
  InitDPUMCRegisterInfo(info, DPU::R23);
  return info;
}

MCSubtargetInfo *makeSubtargetInfo(const Triple &triple, StringRef cpu, StringRef features) {
  return createDPUMCSubtargetInfoImpl(triple, cpu, cpu, features);
}

MCAsmInfo *makeAsmInfo(const MCRegisterInfo &, const Triple &triple, const MCTargetOptions &) {
  return new DPUAsmInfo(triple);
}

MCInstPrinter *makePrinter(const Triple &, unsigned, const MCAsmInfo &asmInfo, const MCInstrInfo &instrInfo,
                           const MCRegisterInfo &registerInfo) {
  return new DPUInstPrinter(asmInfo, instrInfo, registerInfo);
}

}  // namespace

#include "DPUGenAsmWriter.inc"

void DPUInstPrinter::printRegName(raw_ostream &out, MCRegister r) const {
  out << getRegisterName(r);
}

void DPUInstPrinter::printInst(const MCInst *mi, uint64_t address, StringRef annotation, const MCSubtargetInfo &,
                               raw_ostream &out) {
  printInstruction(mi, address, out);
  printAnnotation(out, annotation);
}

void DPUInstPrinter::printOperand(const MCInst *mi, unsigned index, raw_ostream &out) {
  const MCOperand &o = mi->getOperand(index);
  if (o.isReg()) {
    out << getRegisterName(o.getReg());
  } else if (o.isImm()) {
    out << static_cast<std::int32_t>(o.getImm());
  } else {
    o.getExpr()->print(out, &MAI);
  }
}

void DPUInstPrinter::printAddress(const MCInst *mi, unsigned index, raw_ostream &out) {
  printOperand(mi, index, out);
  out << ", ";
  printOperand(mi, index + 1, out);
}

void DPUInstPrinter::printCondition(const MCInst *mi, unsigned index, raw_ostream &out) {
  out << dpu::name(static_cast<dpu::Condition>(mi->getOperand(index).getImm()));
}

const Target &dpuTarget() {
  static Target target;
  static std::once_flag once;
  std::call_once(once, [] {
    TargetRegistry::RegisterTarget(target, "dpu", "UPMEM DPU", "DPU", [](Triple::ArchType) { return false; });
    TargetRegistry::RegisterMCInstrInfo(target, makeInstrInfo);
    TargetRegistry::RegisterMCRegInfo(target, makeRegisterInfo);
    TargetRegistry::RegisterMCSubtargetInfo(target, makeSubtargetInfo);
    TargetRegistry::RegisterMCAsmInfo(target, makeAsmInfo);
    TargetRegistry::RegisterMCInstPrinter(target, makePrinter);
    registerDpuAsmPrinter(target);
  });
  return target;
}

}  // namespace llvm
