#include "pimento/frontend/decoder/mc.h"

#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "pimento/base/diagnostics.h"

// Of each target the MC layer alone; LLVM declares these in headers made by its build.
extern "C" {
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64Disassembler();
void LLVMInitializeARMTargetInfo();
void LLVMInitializeARMTargetMC();
void LLVMInitializeARMDisassembler();
void LLVMInitializeRISCVTargetInfo();
void LLVMInitializeRISCVTargetMC();
void LLVMInitializeRISCVDisassembler();
}

namespace pimento::frontend::decoder {

namespace {

using trace::Isa;
using trace::Register;

struct Description {
  const char *triple, *features;
};

Description descriptionOf(Isa isa) {
  constexpr const char *kArm = "+neon,+vfp4,+fp16,+hwdiv,+hwdiv-arm,+crypto,+crc,+mp";
  switch (isa) {
    case Isa::kA32:
      return {"armv8a-linux-gnueabihf", kArm};
    case Isa::kT32:
      return {"thumbv8a-linux-gnueabihf", kArm};
    case Isa::kA64:
      return {"aarch64-linux-gnu", "+all"};
    case Isa::kRv64:
      return {"riscv64-linux-gnu", "+m,+a,+f,+d,+c,+zicsr,+zifencei,+zba,+zbb,+zbs"};
  }
  return {};
}

/// "X12" and "F3_D" with the letters asked for; nothing if it is no such name.
std::optional<int> numbered(llvm::StringRef name, llvm::StringRef letter) {
  if (!name.consume_front(letter)) return std::nullopt;
  for (const char *end : {"_D", "_F", "_H"}) name.consume_back(end);
  int number = 0;
  const auto [at, failed] = std::from_chars(name.begin(), name.end(), number);
  if (failed != std::errc() || at != name.end()) return std::nullopt;
  return number;
}

/// Of a register without parts, or the parts' own; nothing: none of ours.
std::optional<Register> registerOf(Isa isa, llvm::StringRef name) {
  constexpr int kProgramCounter = 15;
  const auto vector = [](int n) { return static_cast<Register>(trace::kFirstVector + n); };
  if (name == "NZCV" || name.starts_with("CPSR") || name.starts_with("APSR") || name == "SPSR") return trace::kFlags;
  if (name.starts_with("FPSCR") || name == "FPCR" || name == "FPSR" || name == "FRM" || name == "FFLAGS" ||
      name == "FCSR")
    return trace::kFloatStatus;
  switch (isa) {
    case Isa::kA64:
      if (name == "SP" || name == "WSP") return trace::kStackPointer;
      for (const char *l : {"W", "X"})
        if (const auto n = numbered(name, l)) return static_cast<Register>(*n);
      for (const char *l : {"B", "H", "S", "D", "Q", "Z"})
        if (const auto n = numbered(name, l)) return vector(*n);
      break;
    case Isa::kA32:
    case Isa::kT32:
      if (name == "SP") return static_cast<Register>(13);
      if (name == "LR") return static_cast<Register>(14);
      if (const auto n = numbered(name, "R"); n && *n != kProgramCounter) return static_cast<Register>(*n);
      if (const auto n = numbered(name, "S")) return vector(*n / 2);
      if (const auto n = numbered(name, "D")) return vector(*n);
      break;
    case Isa::kRv64:
      if (const auto n = numbered(name, "X"); n && *n != 0) return static_cast<Register>(*n);
      if (const auto n = numbered(name, "F")) return vector(*n);
      break;
  }
  return std::nullopt;
}

void initialise() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64Disassembler();
  LLVMInitializeARMTargetInfo();
  LLVMInitializeARMTargetMC();
  LLVMInitializeARMDisassembler();
  LLVMInitializeRISCVTargetInfo();
  LLVMInitializeRISCVTargetMC();
  LLVMInitializeRISCVDisassembler();
}

}  // namespace

Mc::Mc(Isa isa) {
  const Description d = decoder::descriptionOf(isa);
  std::string why;
  target_ = llvm::TargetRegistry::lookupTarget(d.triple, why);
  PIMENTO_CHECK(target_ != nullptr);
  registers_.reset(target_->createMCRegInfo(d.triple));
  assembly_.reset(target_->createMCAsmInfo(*registers_, d.triple, options_));
  features_.reset(target_->createMCSubtargetInfo(d.triple, "", d.features));
  instructions_.reset(target_->createMCInstrInfo());
  context_ =
      std::make_unique<llvm::MCContext>(llvm::Triple(d.triple), assembly_.get(), registers_.get(), features_.get());
  printer_.reset(target_->createMCInstPrinter(llvm::Triple(d.triple), assembly_->getAssemblerDialect(), *assembly_,
                                              *instructions_, *registers_));
  printer_->setPrintBranchImmAsAddress(true);
  restart();
  parts_.resize(registers_->getNumRegs());
  for (unsigned r = 1; r < registers_->getNumRegs(); ++r)
    for (llvm::MCSubRegIterator part(r, registers_.get(), true); part.isValid(); ++part)
      if (const auto ours = registerOf(isa, registers_->getName(*part)))
        if (std::find(parts_[r].begin(), parts_[r].end(), *ours) == parts_[r].end()) parts_[r].push_back(*ours);
}

void Mc::restart() {
  disassembler_.reset(target_->createMCDisassembler(*features_, *context_));
}

Mc &Mc::of(Isa isa) {
  static const bool isInitialised = (initialise(), true);
  (void)isInitialised;
  static std::array<std::unique_ptr<Mc>, 4> all;
  auto &mc = all[static_cast<std::size_t>(isa)];
  if (!mc) mc.reset(new Mc(isa));
  return *mc;
}

std::uint64_t Mc::disassemble(std::span<const std::uint8_t> bytes, std::uint64_t address, llvm::MCInst &out) {
  std::uint64_t size = 0;
  const auto status = disassembler_->getInstruction(out, size, {bytes.data(), bytes.size()}, address, llvm::nulls());
  return status == llvm::MCDisassembler::Fail ? 0 : size;
}

std::string Mc::print(const llvm::MCInst &instruction, std::uint64_t address) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printer_->printInst(&instruction, address, "", *features_, out);
  std::replace(text.begin(), text.end(), '\t', ' ');
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

}  // namespace pimento::frontend::decoder
