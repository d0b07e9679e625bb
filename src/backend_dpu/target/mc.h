// The machine-code layer: descriptions of registers and instructions, and how they are written as text.
//
// Assembly text is all that this target emits: room `dpu` encodes it. So there is no encoder here.
#pragma once

#include "llvm/MC/MCAsmInfoELF.h"
#include "llvm/MC/MCInstPrinter.h"

#define GET_REGINFO_ENUM
#include "DPUGenRegisterInfo.inc"
#define GET_INSTRINFO_ENUM
#define GET_INSTRINFO_MC_HELPER_DECLS
#include "DPUGenInstrInfo.inc"
#define GET_SUBTARGETINFO_ENUM
#include "DPUGenSubtargetInfo.inc"

namespace llvm {
namespace DPU {
/// The form of an instruction that branches on its result, or -1.
int branchForm(uint16_t opcode);
}  // namespace DPU
class Target;
class Triple;

/// The target, with everything registered on it; one per process, made when it is first asked for.
const Target &dpuTarget();

class DPUInstPrinter : public MCInstPrinter {
 public:
  using MCInstPrinter::MCInstPrinter;
  std::pair<const char *, uint64_t> getMnemonic(const MCInst *mi) override;
  void printInst(const MCInst *mi, uint64_t address, StringRef annotation, const MCSubtargetInfo &sti,
                 raw_ostream &out) override;
  void printRegName(raw_ostream &out, MCRegister r) const override;
  /// Made by TableGen.
  static const char *getRegisterName(MCRegister r);

 private:
  // Made by TableGen.
  void printInstruction(const MCInst *mi, uint64_t address, raw_ostream &out);

  void printOperand(const MCInst *mi, unsigned index, raw_ostream &out);
  void printOperand(const MCInst *mi, uint64_t, unsigned index, raw_ostream &out) { printOperand(mi, index, out); }
  void printAddress(const MCInst *mi, unsigned index, raw_ostream &out);
  void printCondition(const MCInst *mi, unsigned index, raw_ostream &out);
};

}  // namespace llvm
