// LLVM's MC layer for one instruction set: disassembler, tables, printer, and LLVM's registers as ours.
#pragma once

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pimento/trace/instruction.h"

namespace pimento::frontend::decoder {

class Mc {
 public:
  /// One for each ISA, made at the first call. Not for several threads at a time.
  static Mc &of(trace::Isa isa);

  /// State between instructions (IT blocks) is forgotten.
  void restart();
  /// Bytes that it takes; 0: undecodable.
  std::uint64_t disassemble(std::span<const std::uint8_t> bytes, std::uint64_t address, llvm::MCInst &out);
  std::string print(const llvm::MCInst &instruction, std::uint64_t address);

  const llvm::MCInstrDesc &descriptionOf(const llvm::MCInst &i) const { return instructions_->get(i.getOpcode()); }
  llvm::StringRef nameOf(const llvm::MCInst &i) const { return instructions_->getName(i.getOpcode()); }
  /// Our registers that an LLVM register has parts of; none for zero registers and the program counter.
  const std::vector<trace::Register> &partsOf(unsigned reg) const { return parts_[reg]; }
  bool isProgramCounter(unsigned reg) const { return reg != 0 && llvm::StringRef(registers_->getName(reg)) == "PC"; }

 private:
  explicit Mc(trace::Isa isa);

  const llvm::Target *target_ = nullptr;
  llvm::MCTargetOptions options_;
  std::unique_ptr<llvm::MCRegisterInfo> registers_;
  std::unique_ptr<llvm::MCAsmInfo> assembly_;
  std::unique_ptr<llvm::MCSubtargetInfo> features_;
  std::unique_ptr<llvm::MCInstrInfo> instructions_;
  std::unique_ptr<llvm::MCContext> context_;
  std::unique_ptr<llvm::MCDisassembler> disassembler_;
  std::unique_ptr<llvm::MCInstPrinter> printer_;
  std::vector<std::vector<trace::Register>> parts_;
};

}  // namespace pimento::frontend::decoder
