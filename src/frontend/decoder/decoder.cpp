#include "pimento/frontend/decoder/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "pimento/frontend/decoder/mc.h"
#include "pimento/frontend/decoder/opcodes.h"

namespace pimento::frontend {

namespace decoder {

namespace {

using trace::Instruction;
using trace::Isa;
using trace::Operand;
using trace::Operation;
using trace::Register;

constexpr Register kArmStack = 13, kArmLink = 14;
constexpr int kAlways = 14;  ///< Arm's condition code

bool isArm32(Isa isa) {
  return isa == Isa::kA32 || isa == Isa::kT32;
}

/// Rotates a constant of A32 and logical immediates of A64 into what they stand for.
std::int64_t armImmediate(std::int64_t encoded) {
  const auto bits = static_cast<std::uint32_t>(encoded & 0xff);
  return static_cast<std::int64_t>(std::rotr(bits, static_cast<int>((encoded & 0xf00) >> 7)));
}

/// N:immr:imms of Arm's manual, DecodeBitMasks().
std::int64_t a64LogicalImmediate(std::int64_t encoded, int width) {
  const auto n = static_cast<unsigned>(encoded >> 12 & 1), rotate = static_cast<unsigned>(encoded >> 6 & 0x3f),
             size = static_cast<unsigned>(encoded & 0x3f);
  const unsigned length = static_cast<unsigned>(std::bit_width(n << 6 | (~size & 0x3fU))) - 1;
  const unsigned element = 1U << length, ones = (size & (element - 1)) + 1, turn = rotate & (element - 1);
  const std::uint64_t mask = element == 64 ? ~0ULL : (1ULL << element) - 1;
  std::uint64_t pattern = ones == 64 ? ~0ULL : (1ULL << ones) - 1;
  if (turn != 0) pattern = (pattern >> turn | pattern << (element - turn)) & mask;
  for (unsigned filled = element; filled < 64; filled *= 2) pattern |= pattern << filled;
  return static_cast<std::int64_t>(width == 32 ? pattern & 0xffffffffULL : pattern);
}

/// One MCInst on its way to an Instruction.
class Reading {
 public:
  Reading(Mc &mc, const llvm::MCInst &in, Isa isa, std::uint64_t address)
      : mc_(mc), in_(in), d_(mc.descriptionOf(in)), name_(mc.nameOf(in).str()), isa_(isa), address_(address) {}

  Instruction read() {
    out_.isa = isa_;
    out_.text = mc_.print(in_, address_);
    out_.operation = operationOf(isa_, name_);
    out_.width = static_cast<std::uint8_t>(widthOf(isa_, name_));
    out_.writesBack = writesBack(isa_, name_);
    out_.isExclusive = isExclusive(isa_, name_);
    readMemory();
    readPredicate();
    readRegisters();
    readBranch();
    dropImplied();
    readSystemCall();
    readOperands();
    mendFlags();
    readStatusRegister();
    if (out_.isConditional)
      for (const Register r : out_.writes) out_.reads.add(r);
    out_.readsFlags = out_.reads.has(trace::kFlags);
    out_.writesFlags = out_.writes.has(trace::kFlags);
    out_.isVector = out_.operation == Operation::kVector || out_.operation == Operation::kVectorMultiply ||
                    ((out_.loads || out_.stores) && hasVectorData());
    return out_;
  }

 private:
  unsigned explicitDefs() const { return d_.getNumDefs(); }
  const llvm::MCOperandInfo &info(unsigned i) const { return d_.operands()[i]; }
  bool isList(unsigned i) const { return d_.isVariadic() && i + 1 >= d_.getNumOperands(); }
  bool isPredicate(unsigned i) const { return i < d_.getNumOperands() && info(i).isPredicate(); }
  bool isOptionalDef(unsigned i) const { return i < d_.getNumOperands() && info(i).isOptionalDef(); }

  void addTo(trace::RegisterSet &set, unsigned reg) const {
    for (const Register r : mc_.partsOf(reg)) set.add(r);
  }

  void readMemory() {
    if (out_.operation == Operation::kSystem) return;
    const Memory memory = memoryOf(isa_, name_);
    out_.loads = memory == Memory::kLoads || (memory == Memory::kAsMarked && d_.mayLoad());
    out_.stores = memory == Memory::kStores || (memory == Memory::kAsMarked && d_.mayStore());
    // Jumps through a table of bytes or halves.
    if (name_ == "t2TBB" || name_ == "t2TBH") {
      out_.loads = true;
      return;
    }
    if (out_.loads && out_.stores)
      out_.operation = Operation::kLoadStore;
    else if (out_.loads)
      out_.operation = Operation::kLoad;
    else if (out_.stores)
      out_.operation = Operation::kStore;
  }

  void readPredicate() {
    for (unsigned i = 0; i < d_.getNumOperands() && i < in_.getNumOperands(); ++i)
      if (isPredicate(i) && in_.getOperand(i).isImm()) out_.isConditional = in_.getOperand(i).getImm() != kAlways;
    if (out_.isConditional) out_.reads.add(trace::kFlags);
  }

  void readRegisters() {
    for (unsigned i = 0; i < in_.getNumOperands(); ++i) {
      const llvm::MCOperand &o = in_.getOperand(i);
      if (!o.isReg() || o.getReg() == 0 || isPredicate(i)) continue;
      const bool isDef = i < explicitDefs() || isOptionalDef(i) || (isList(i) && out_.loads);
      trace::RegisterSet &set = isDef ? out_.writes : out_.reads;
      addTo(set, o.getReg());
      if (isListOfVectors(i))
        for (int more = 1; more < listedByFirst(name_); ++more)
          set.add(static_cast<Register>(mc_.partsOf(o.getReg())[0] + more));
    }
    if (out_.writesBack && hidesItsBase(name_)) writeHiddenBase();
    for (const auto r : d_.implicit_uses()) addTo(out_.reads, r);
    for (const auto r : d_.implicit_defs()) addTo(out_.writes, r);
    if (name_ == "BLXi") out_.writes.add(kArmLink);
    if (name_ == "BX_RET" || name_ == "tBX_RET" || name_ == "MOVPCLR") out_.reads.add(kArmLink);
    // A part of the register is written, the other kept.
    if (name_ == "FMOVXDHighr") addTo(out_.reads, in_.getOperand(0).getReg());
    if (out_.loads || out_.stores) readAddress();
  }

  /// Where listedByFirst() is not 0: is it this operand?
  bool isListOfVectors(unsigned i) const {
    if (!isArm32(isa_)) return false;
    if (name_.starts_with("VTB")) return i == (name_.starts_with("VTBX") ? 2U : 1U);
    const std::vector<Register> &parts = mc_.partsOf(in_.getOperand(i).getReg());
    return !parts.empty() && parts[0] >= trace::kFirstVector;
  }

  /// The first register that is none of a vector.
  void writeHiddenBase() {
    for (const llvm::MCOperand &o : in_)
      if (o.isReg() && o.getReg() != 0)
        if (const auto &parts = mc_.partsOf(o.getReg()); !parts.empty() && parts[0] < trace::kFirstVector)
          return out_.writes.add(parts[0]);
  }

  void readAddress() {
    // Before the address stand what a store stores, and what an atomic operation takes.
    int data = out_.stores ? storedOperands(isa_, name_) : 0;
    if (out_.operation == Operation::kLoadStore) data = isa_ == Isa::kRv64 ? 0 : kAllButLast;
    if (isa_ == Isa::kRv64 && out_.isExclusive) data = 0;
    if (d_.isVariadic()) data = 0;
    std::vector<unsigned> uses;
    for (unsigned i = explicitDefs(); i < in_.getNumOperands(); ++i) {
      const llvm::MCOperand &o = in_.getOperand(i);
      if (!o.isReg() || o.getReg() == 0 || isPredicate(i) || isOptionalDef(i) || isList(i)) continue;
      uses.push_back(o.getReg());
    }
    // An atomic operation of RISC-V has its address first, others last.
    if (data == kAllButLast) data = static_cast<int>(uses.size()) - 1;
    const std::size_t end =
        isa_ == Isa::kRv64 && out_.isExclusive ? std::min<std::size_t>(1, uses.size()) : uses.size();
    for (std::size_t i = static_cast<std::size_t>(std::max(data, 0)); i < end; ++i)
      for (const Register r : mc_.partsOf(uses[i]))
        if (r < trace::kFirstVector && r != trace::kFlags) out_.addressRegisters.add(r);
    for (const auto r : d_.implicit_uses())
      for (const Register ours : mc_.partsOf(r))
        if (ours != trace::kFlags && ours < trace::kFirstVector) out_.addressRegisters.add(ours);
  }

  /// What LLVM lists for its own sake: the stack of calls and system calls, flags of calls, rounding modes.
  void dropImplied() {
    const bool isCall = out_.operation == Operation::kCall || out_.operation == Operation::kIndirectCall;
    const bool usesStack = out_.loads || name_ == "RETAA" || name_ == "RETAB";
    if ((trace::isBranch(out_.operation) && !usesStack) || out_.operation == Operation::kSystem)
      out_.reads.remove(isArm32(isa_) ? kArmStack : trace::kStackPointer);
    if (isCall && !out_.isConditional) out_.reads.remove(trace::kFlags);
    const bool isArithmetic = trace::isFloat(out_.operation) || out_.operation == Operation::kVector ||
                              out_.operation == Operation::kVectorMultiply;
    if (isArithmetic && name_ != "FMSTAT") out_.reads.remove(trace::kFloatStatus);
    // The short form changes its base unless it loads it.
    if (name_ == "tLDMIA" && in_.getOperand(0).isReg())
      for (const Register base : mc_.partsOf(in_.getOperand(0).getReg()))
        if (!out_.writes.has(base)) {
          out_.writes.add(base);
          out_.writesBack = true;
        }
  }

  /// A call of Linux takes arguments and its number in registers, and gives its result in the first one.
  void readSystemCall() {
    if (name_ != "ECALL" && name_ != "SVC" && name_ != "tSVC") return;
    constexpr Register kRiscvFirst = 10, kRiscvLast = 17, kA64Last = 5, kA64Number = 8, kArmLast = 7;
    const Register first = isa_ == Isa::kRv64 ? kRiscvFirst : Register{0};
    const Register last = isa_ == Isa::kRv64 ? kRiscvLast : isa_ == Isa::kA64 ? kA64Last : kArmLast;
    for (Register r = first; r <= last; ++r) out_.reads.add(r);
    if (isa_ == Isa::kA64) out_.reads.add(kA64Number);
    out_.writes.add(first);
  }

  bool writesProgramCounter() const {
    if (!isArm32(isa_)) return false;
    for (unsigned i = 0; i < in_.getNumOperands(); ++i)
      if (in_.getOperand(i).isReg() && (i < explicitDefs() || (isList(i) && out_.loads)) &&
          in_.getOperand(i).getReg() != 0 && mc_.isProgramCounter(in_.getOperand(i).getReg()))
        return true;
    return name_ == "tPOP_RET";
  }

  void readBranch() {
    if (isa_ == Isa::kRv64) return readRiscvJump();
    if (isa_ == Isa::kA64) {
      out_.isConditional = name_ == "Bcc" || name_.starts_with("CB") || name_.starts_with("TB");
      if (out_.isConditional)
        out_.operation = name_.starts_with("TBL") || name_.starts_with("TBX") ? out_.operation : Operation::kBranch;
      if (out_.operation != Operation::kBranch) out_.isConditional = false;
      return;
    }
    if (name_ == "tCBZ" || name_ == "tCBNZ") out_.isConditional = true;
    if (out_.operation == Operation::kIndirect && out_.reads.has(kArmLink)) out_.operation = Operation::kReturn;
    if (writesProgramCounter())
      out_.operation =
          (d_.isVariadic() && out_.loads) || out_.reads.has(kArmLink) ? Operation::kReturn : Operation::kIndirect;
  }

  /// jal and jalr: calls where they keep the address, returns where they jump to what a call keeps.
  void readRiscvJump() {
    const auto isLink = [&](unsigned operand) {
      if (operand >= in_.getNumOperands() || !in_.getOperand(operand).isReg()) return false;
      const auto &parts = mc_.partsOf(in_.getOperand(operand).getReg());
      return !parts.empty() && (parts[0] == 1 || parts[0] == 5);
    };
    if (out_.operation == Operation::kBranch && name_ != "C_J") out_.isConditional = true;
    if (name_ == "JAL") out_.operation = isLink(0) ? Operation::kCall : Operation::kBranch;
    if (name_ == "JALR")
      out_.operation = isLink(0) ? Operation::kIndirectCall : isLink(1) ? Operation::kReturn : Operation::kIndirect;
    if (name_ == "C_JR") out_.operation = isLink(0) ? Operation::kReturn : Operation::kIndirect;
    if (name_ == "C_JALR") out_.writes.add(1);
  }

  Operand operandOf(const llvm::MCOperand &o) const {
    Operand out;
    if (o.isReg() && !mc_.partsOf(o.getReg()).empty()) {
      out.reg = mc_.partsOf(o.getReg())[0];
    } else {
      // A zero register, a constant, or the program counter, which is one, too: so much ahead.
      constexpr std::int64_t kAheadA32 = 8, kAheadT32 = 4;
      out.isImmediate = true;
      if (o.isReg() && mc_.isProgramCounter(o.getReg())) {
        out.immediate = static_cast<std::int64_t>(address_) + (isa_ == Isa::kA32 ? kAheadA32 : kAheadT32);
        return out;
      }
      out.immediate = o.isImm() ? o.getImm() : 0;
    }
    return out;
  }

  void readOperands() {
    switch (out_.operation) {
      case Operation::kAdd:
      case Operation::kSub:
      case Operation::kReverseSub:
      case Operation::kAnd:
      case Operation::kOr:
      case Operation::kXor:
      case Operation::kAndNot:
      case Operation::kOrNot:
      case Operation::kMove:
      case Operation::kMoveNot:
        break;
      case Operation::kLoad:
      case Operation::kStore:
        return readMoved();
      default:
        return;
    }
    std::vector<llvm::MCOperand> uses;
    for (unsigned i = explicitDefs(); i < in_.getNumOperands(); ++i)
      if (!isPredicate(i) && !isOptionalDef(i)) uses.push_back(in_.getOperand(i));
    const bool isMove = out_.operation == Operation::kMove || out_.operation == Operation::kMoveNot;
    const std::size_t wanted = isMove ? 1 : 2;
    if (uses.size() < wanted) return;
    // Of one register and a constant that is of `sp` alone, and forms that have more than two values.
    for (std::size_t i = 0; i < wanted; ++i) out_.operands[i] = operandOf(uses[i]);
    out_.operandCount = static_cast<std::uint8_t>(wanted);
    if (explicitDefs() == 1 && in_.getOperand(0).isReg() && !mc_.partsOf(in_.getOperand(0).getReg()).empty()) {
      out_.hasDestination = true;
      out_.destination = mc_.partsOf(in_.getOperand(0).getReg())[0];
    }
    std::vector<std::int64_t> more;
    for (std::size_t i = wanted; i < uses.size(); ++i) more.push_back(uses[i].isImm() ? uses[i].getImm() : -1);
    Operand &last = out_.operands[wanted - 1];
    if (isa_ == Isa::kA64) {
      readA64Operands(last, more);
    } else if (isArm32(isa_)) {
      last.isShifted = !more.empty();
      const llvm::MCOperand &constant = uses[wanted - 1];
      if (constant.isImm()) last.immediate = armConstant(last.immediate);
    }
    if (out_.width == 32 && last.isImmediate) last.immediate &= 0xffffffff;
    if (out_.isVector || trace::isFloat(out_.operation)) out_.operandCount = 0;
  }

  std::int64_t armConstant(std::int64_t encoded) const {
    constexpr int kWord = 4;
    if (name_ == "tADDrSPi" || name_ == "tADDspi" || name_ == "tSUBspi") return encoded * kWord;
    const bool isEncoded = isa_ == Isa::kA32 && name_ != "MOVi16";
    return isEncoded ? armImmediate(encoded) : encoded;
  }

  void readA64Operands(Operand &last, const std::vector<std::int64_t> &more) {
    const bool isLogical = out_.operation != Operation::kAdd && out_.operation != Operation::kSub;
    if (name_.starts_with("MOVZ") || name_.starts_with("MOVN")) {
      const auto value = static_cast<std::uint64_t>(last.immediate) << (more.empty() ? 0 : more[0]);
      last.immediate = static_cast<std::int64_t>(name_.starts_with("MOVN") ? ~value : value);
    } else if (last.isImmediate && name_.ends_with("ri")) {
      last.immediate =
          isLogical ? a64LogicalImmediate(last.immediate, out_.width) : last.immediate << (more.empty() ? 0 : more[0]);
    } else if (!more.empty() && (more[0] != 0 || name_.ends_with("rx") || name_.ends_with("rx64"))) {
      last.isShifted = true;
    }
    // The assembler's mov, mvn, cmp, tst.
    const bool isFromZero = out_.operands[0].isImmediate && out_.operandCount == 2;
    if (isFromZero && (out_.operation == Operation::kOr || out_.operation == Operation::kOrNot)) {
      out_.operation = out_.operation == Operation::kOr ? Operation::kMove : Operation::kMoveNot;
      if (last.isShifted) out_.operation = Operation::kShift;
      out_.operands[0] = last;
      out_.operandCount = 1;
    }
    if (!out_.hasDestination && out_.writes.has(trace::kFlags)) out_.operation = Operation::kCompare;
  }

  /// What a plain load loads into, what a plain store stores.
  void readMoved() {
    if (d_.isVariadic() || hasVectorData()) return;
    if (out_.loads) {
      int destinations = 0;
      for (unsigned i = 0; i < explicitDefs(); ++i)
        for (const Register r : mc_.partsOf(in_.getOperand(i).getReg()))
          if (!(out_.writesBack && out_.addressRegisters.has(r))) {
            out_.destination = r;
            ++destinations;
          }
      out_.hasDestination = destinations == 1;
      out_.isSigned = isSignedLoad(isa_, name_);
      return;
    }
    if (storedOperands(isa_, name_) != 1 || out_.isExclusive) return;
    for (unsigned i = explicitDefs(); i < in_.getNumOperands(); ++i)
      if (in_.getOperand(i).isReg() && !isPredicate(i)) {
        out_.operands[0] = operandOf(in_.getOperand(i));
        out_.operandCount = 1;
        return;
      }
  }

  bool hasVectorData() const {
    const trace::RegisterSet &data = out_.loads ? out_.writes : out_.reads;
    return std::any_of(data.begin(), data.end(), [](Register r) { return r >= trace::kFirstVector; });
  }

  void mendFlags() {
    if (!isArm32(isa_)) return;
    for (unsigned i = 0; i < d_.getNumOperands() && i < in_.getNumOperands(); ++i)
      if (isOptionalDef(i) && in_.getOperand(i).getReg() == 0) out_.writes.remove(trace::kFlags);
    // A rotation by one takes the carry flag; forms of operands differ in how they have it, texts do not.
    const bool isRotatedByOne = out_.text.find("rrx") != std::string::npos;
    const PartOfFlags part = partOfFlags(name_);
    if (isRotatedByOne || part != PartOfFlags::kNone) out_.reads.add(trace::kFlags);
    if (part == PartOfFlags::kSets) out_.writes.add(trace::kFlags);
  }

  /// Moves to and from system registers that are the flags or the status of floating point: their number is a constant.
  void readStatusRegister() {
    const bool toRegister = name_ == "MRS" || name_ == "t2MRS_AR";
    const bool toSystem = name_ == "MSR" || name_ == "MSRi" || name_ == "t2MSR_AR";
    if (isArm32(isa_)) {
      if (toRegister) out_.reads.add(trace::kFlags);
      if (toSystem) readArmStatusMask(in_.getOperand(0).getImm());
    } else if (isa_ == Isa::kRv64) {
      if (name_.starts_with("CSRR")) readFloatCsr();
    } else if (toRegister || toSystem) {
      constexpr std::int64_t kNzcv = 0xda10, kFpcr = 0xda20, kFpsr = 0xda21;
      const std::int64_t number = in_.getOperand(toRegister ? 1 : 0).getImm();
      out_.writes.remove(trace::kFlags);
      if (number == kNzcv) (toRegister ? out_.reads : out_.writes).add(trace::kFlags);
      // One keeps the other.
      if (number == kFpcr || number == kFpsr) out_.reads.add(trace::kFloatStatus);
      if (toSystem && (number == kFpcr || number == kFpsr)) out_.writes.add(trace::kFloatStatus);
    } else if (name_.starts_with("MSRpstate")) {
      out_.writes.remove(trace::kFlags);
    }
  }

  /// `msr` writes these bytes of the current status register, or of the saved one.
  void readArmStatusMask(std::int64_t mask) {
    constexpr std::int64_t kFlagsByte = 8, kGeByte = 4, kSaved = 16;
    const bool isSaved = (mask & kSaved) != 0;
    if (isSaved || (mask & (kFlagsByte | kGeByte)) == 0) out_.writes.remove(trace::kFlags);
    if (!isSaved && (mask & (kFlagsByte | kGeByte)) == kGeByte) out_.reads.add(trace::kFlags);
  }

  /// fflags and frm are parts of fcsr. Without a destination, csrrw does not read; without a source, others do not
  /// write.
  void readFloatCsr() {
    constexpr std::int64_t kFflags = 1, kFcsr = 3;
    const std::int64_t number = in_.getOperand(1).getImm();
    if (number < kFflags || number > kFcsr) return;
    const bool isSwap = name_.starts_with("CSRRW");
    const auto isNothing = [&](unsigned operand) {
      const llvm::MCOperand &o = in_.getOperand(operand);
      return o.isReg() ? mc_.partsOf(o.getReg()).empty() : o.getImm() == 0;
    };
    if (!isSwap || number != kFcsr || !isNothing(0)) out_.reads.add(trace::kFloatStatus);
    if (isSwap || !isNothing(2)) out_.writes.add(trace::kFloatStatus);
  }

  static constexpr int kAllButLast = -1;

  Mc &mc_;
  const llvm::MCInst &in_;
  const llvm::MCInstrDesc &d_;
  std::string name_;
  Isa isa_;
  std::uint64_t address_;
  Instruction out_;
};

Instruction undecodable(Isa isa, const EncodedInstruction &e) {
  Instruction out;
  out.isa = isa;
  std::string hex;
  for (auto c = e.bytes.rbegin(); c != e.bytes.rend(); ++c) hex += fmt::format("{:02x}", static_cast<std::uint8_t>(*c));
  out.text = ".inst 0x" + hex;
  return out;
}

std::vector<Instruction> decodeAs(Isa isa, std::span<const EncodedInstruction> code) {
  Mc &mc = Mc::of(isa);
  mc.restart();
  std::vector<Instruction> out;
  for (const EncodedInstruction &e : code) {
    llvm::MCInst in;
    const auto *bytes = reinterpret_cast<const std::uint8_t *>(e.bytes.data());
    if (mc.disassemble({bytes, e.bytes.size()}, e.address, in) == 0) {
      out.push_back(undecodable(isa, e));
    } else {
      out.push_back(Reading(mc, in, isa, e.address).read());
    }
    out.back().address = e.address;
    out.back().bytes = static_cast<std::uint8_t>(e.bytes.size());
  }
  return out;
}

/// How many texts begin with the same letters as another disassembler's.
std::size_t agreement(const std::vector<Instruction> &ours, std::span<const EncodedInstruction> code) {
  std::size_t same = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto word = [](std::string_view text) { return text.substr(0, text.find_first_of(" .\t")); };
    same += word(ours[i].text) == word(code[i].text) ? 1U : 0U;
  }
  return same;
}

}  // namespace

}  // namespace decoder

Result<std::vector<trace::Instruction>> decodeInstructions(trace::Isa isa, std::span<const EncodedInstruction> code) {
  if (!decoder::isArm32(isa)) return decoder::decodeAs(isa, code);
  constexpr std::size_t kShort = 2;
  if (std::any_of(code.begin(), code.end(), [](const EncodedInstruction &e) { return e.bytes.size() == kShort; }))
    return decoder::decodeAs(trace::Isa::kT32, code);
  std::vector<trace::Instruction> a32 = decoder::decodeAs(trace::Isa::kA32, code),
                                  t32 = decoder::decodeAs(trace::Isa::kT32, code);
  return decoder::agreement(t32, code) > decoder::agreement(a32, code) ? t32 : a32;
}

}  // namespace pimento::frontend
