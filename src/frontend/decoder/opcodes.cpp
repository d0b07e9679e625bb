#include "pimento/frontend/decoder/opcodes.h"

#include <algorithm>
#include <array>
#include <span>

namespace pimento::frontend::decoder {

namespace {

using trace::Isa;
using trace::Operation;

struct Prefix {
  std::string_view text;
  Operation operation;
};

// The longest prefix counts.
constexpr Prefix kA64[] = {
    {"ADD", Operation::kAdd},
    {"SUB", Operation::kSub},
    {"ADC", Operation::kAddCarry},
    {"SBC", Operation::kAddCarry},
    {"AND", Operation::kAnd},
    {"ORR", Operation::kOr},
    {"EOR", Operation::kXor},
    {"BIC", Operation::kAndNot},
    {"ORN", Operation::kOrNot},
    {"MOVZ", Operation::kMove},
    {"MOVN", Operation::kMove},
    {"MOVK", Operation::kOther},
    {"ADR", Operation::kAddress},
    {"UBFM", Operation::kShift},
    {"SBFM", Operation::kShift},
    {"BFM", Operation::kOther},
    {"EXTR", Operation::kShift},
    {"LSLV", Operation::kShift},
    {"LSRV", Operation::kShift},
    {"ASRV", Operation::kShift},
    {"RORV", Operation::kShift},
    {"MADD", Operation::kMultiply},
    {"MSUB", Operation::kMultiply},
    {"SMADDL", Operation::kMultiply},
    {"SMSUBL", Operation::kMultiply},
    {"UMADDL", Operation::kMultiply},
    {"UMSUBL", Operation::kMultiply},
    {"SMULH", Operation::kMultiply},
    {"UMULH", Operation::kMultiply},
    {"SDIV", Operation::kDivide},
    {"UDIV", Operation::kDivide},
    {"CSEL", Operation::kSetCompare},
    {"CSINC", Operation::kSetCompare},
    {"CSINV", Operation::kSetCompare},
    {"CSNEG", Operation::kSetCompare},
    {"CCMP", Operation::kCompare},
    {"CCMN", Operation::kCompare},
    {"B", Operation::kBranch},
    {"Bcc", Operation::kBranch},
    {"CBZ", Operation::kBranch},
    {"CBNZ", Operation::kBranch},
    {"TBZ", Operation::kBranch},
    {"TBNZ", Operation::kBranch},
    {"BL", Operation::kCall},
    {"BR", Operation::kIndirect},
    {"BLR", Operation::kIndirectCall},
    {"RET", Operation::kReturn},
    {"FADD", Operation::kFloatAdd},
    {"FSUB", Operation::kFloatAdd},
    {"FMUL", Operation::kFloatMultiply},
    {"FNMUL", Operation::kFloatMultiply},
    {"FMADD", Operation::kFloatMultiplyAdd},
    {"FMSUB", Operation::kFloatMultiplyAdd},
    {"FNMADD", Operation::kFloatMultiplyAdd},
    {"FNMSUB", Operation::kFloatMultiplyAdd},
    {"FDIV", Operation::kFloatDivide},
    {"FSQRT", Operation::kFloatSqrt},
    {"F", Operation::kFloatOther},
    {"SCVTF", Operation::kFloatOther},
    {"UCVTF", Operation::kFloatOther},
    {"SVC", Operation::kSystem},
    {"HVC", Operation::kSystem},
    {"BRK", Operation::kSystem},
    {"HINT", Operation::kSystem},
    {"DMB", Operation::kSystem},
    {"DSB", Operation::kSystem},
    {"ISB", Operation::kSystem},
    {"CLREX", Operation::kSystem},
    {"MRS", Operation::kSystem},
    {"MSR", Operation::kSystem},
    {"SYS", Operation::kSystem},
    {"PRF", Operation::kSystem},
};

constexpr Prefix kArm[] = {
    {"ADD", Operation::kAdd},
    {"SUB", Operation::kSub},
    {"RSB", Operation::kReverseSub},
    {"ADC", Operation::kAddCarry},
    {"SBC", Operation::kAddCarry},
    {"RSC", Operation::kAddCarry},
    {"AND", Operation::kAnd},
    {"ORR", Operation::kOr},
    {"EOR", Operation::kXor},
    {"BIC", Operation::kAndNot},
    {"ORN", Operation::kOrNot},
    {"MOV", Operation::kMove},
    {"MOVT", Operation::kOther},
    {"MOVs", Operation::kShift},
    {"MVN", Operation::kMoveNot},
    {"LSL", Operation::kShift},
    {"LSR", Operation::kShift},
    {"ASR", Operation::kShift},
    {"ROR", Operation::kShift},
    {"RRX", Operation::kShift},
    {"CMP", Operation::kCompare},
    {"CMN", Operation::kCompare},
    {"TST", Operation::kCompare},
    {"TEQ", Operation::kCompare},
    {"MUL", Operation::kMultiply},
    {"MLA", Operation::kMultiply},
    {"MLS", Operation::kMultiply},
    {"UMULL", Operation::kMultiply},
    {"SMULL", Operation::kMultiply},
    {"UMLAL", Operation::kMultiply},
    {"SMLAL", Operation::kMultiply},
    {"UMAAL", Operation::kMultiply},
    {"SMUL", Operation::kMultiply},
    {"SMLA", Operation::kMultiply},
    {"SMMUL", Operation::kMultiply},
    {"SMMLA", Operation::kMultiply},
    {"SDIV", Operation::kDivide},
    {"UDIV", Operation::kDivide},
    {"ADR", Operation::kAddress},
    {"UXT", Operation::kExtend},
    {"SXT", Operation::kExtend},
    {"UBFX", Operation::kExtend},
    {"SBFX", Operation::kExtend},
    {"B", Operation::kBranch},
    {"Bcc", Operation::kBranch},
    {"BFC", Operation::kOther},
    {"BFI", Operation::kOther},
    {"CBZ", Operation::kBranch},
    {"CBNZ", Operation::kBranch},
    {"BL", Operation::kCall},
    {"BX", Operation::kIndirect},
    {"BX_RET", Operation::kReturn},
    {"BLX", Operation::kIndirectCall},
    {"BLXi", Operation::kCall},
    {"MOVPCLR", Operation::kReturn},
    {"TBB", Operation::kIndirect},
    {"TBH", Operation::kIndirect},
    {"VADDS", Operation::kFloatAdd},
    {"VADDD", Operation::kFloatAdd},
    {"VSUBS", Operation::kFloatAdd},
    {"VSUBD", Operation::kFloatAdd},
    {"VMULS", Operation::kFloatMultiply},
    {"VMULD", Operation::kFloatMultiply},
    {"VNMULS", Operation::kFloatMultiply},
    {"VNMULD", Operation::kFloatMultiply},
    {"VMLAS", Operation::kFloatMultiplyAdd},
    {"VMLAD", Operation::kFloatMultiplyAdd},
    {"VMLSS", Operation::kFloatMultiplyAdd},
    {"VMLSD", Operation::kFloatMultiplyAdd},
    {"VNMLA", Operation::kFloatMultiplyAdd},
    {"VNMLS", Operation::kFloatMultiplyAdd},
    {"VFMAS", Operation::kFloatMultiplyAdd},
    {"VFMAD", Operation::kFloatMultiplyAdd},
    {"VFMSS", Operation::kFloatMultiplyAdd},
    {"VFMSD", Operation::kFloatMultiplyAdd},
    {"VFNMA", Operation::kFloatMultiplyAdd},
    {"VFNMS", Operation::kFloatMultiplyAdd},
    {"VDIV", Operation::kFloatDivide},
    {"VSQRT", Operation::kFloatSqrt},
    {"VCMP", Operation::kFloatOther},
    {"VCVT", Operation::kFloatOther},
    {"VMOV", Operation::kFloatOther},
    {"VNEGS", Operation::kFloatOther},
    {"VNEGD", Operation::kFloatOther},
    {"VABSS", Operation::kFloatOther},
    {"VABSD", Operation::kFloatOther},
    {"VTO", Operation::kFloatOther},
    {"VSITO", Operation::kFloatOther},
    {"VUITO", Operation::kFloatOther},
    {"VSEL", Operation::kFloatOther},
    {"FMSTAT", Operation::kFloatOther},
    {"FCONST", Operation::kFloatOther},
    {"VMRS", Operation::kSystem},
    {"VMSR", Operation::kSystem},
    {"V", Operation::kVector},
    {"SVC", Operation::kSystem},
    {"UDF", Operation::kSystem},
    {"BKPT", Operation::kSystem},
    {"HINT", Operation::kSystem},
    {"NOP", Operation::kSystem},
    {"DMB", Operation::kSystem},
    {"DSB", Operation::kSystem},
    {"ISB", Operation::kSystem},
    {"CLREX", Operation::kSystem},
    {"MRS", Operation::kSystem},
    {"MSR", Operation::kSystem},
    {"MRC", Operation::kSystem},
    {"MCR", Operation::kSystem},
    {"MRRC", Operation::kSystem},
    {"MCRR", Operation::kSystem},
    {"DBG", Operation::kSystem},
    {"PLD", Operation::kSystem},
    {"PLI", Operation::kSystem},
    {"SETEND", Operation::kSystem},
    {"IT", Operation::kSystem},
};

constexpr Prefix kRiscv[] = {
    {"ADD", Operation::kAdd},
    {"SUB", Operation::kSub},
    {"AND", Operation::kAnd},
    {"OR", Operation::kOr},
    {"XOR", Operation::kXor},
    {"ANDN", Operation::kAndNot},
    {"ORN", Operation::kOrNot},
    {"XNOR", Operation::kOther},
    {"MV", Operation::kMove},
    {"LI", Operation::kMove},
    {"ORC", Operation::kOther},
    {"SLL", Operation::kShift},
    {"SRL", Operation::kShift},
    {"SRA", Operation::kShift},
    {"SLT", Operation::kSetCompare},
    {"MUL", Operation::kMultiply},
    {"DIV", Operation::kDivide},
    {"REM", Operation::kDivide},
    {"LUI", Operation::kAddress},
    {"AUIPC", Operation::kAddress},
    {"BEQ", Operation::kBranch},
    {"BNE", Operation::kBranch},
    {"BLT", Operation::kBranch},
    {"BGE", Operation::kBranch},
    {"JAL", Operation::kCall},
    {"J", Operation::kBranch},
    {"JALR", Operation::kIndirectCall},
    {"JR", Operation::kIndirect},
    {"FADD", Operation::kFloatAdd},
    {"FSUB", Operation::kFloatAdd},
    {"FMUL", Operation::kFloatMultiply},
    {"FMADD", Operation::kFloatMultiplyAdd},
    {"FMSUB", Operation::kFloatMultiplyAdd},
    {"FNMADD", Operation::kFloatMultiplyAdd},
    {"FNMSUB", Operation::kFloatMultiplyAdd},
    {"FDIV", Operation::kFloatDivide},
    {"FSQRT", Operation::kFloatSqrt},
    {"F", Operation::kFloatOther},
    {"FENCE", Operation::kSystem},
    {"ECALL", Operation::kSystem},
    {"EBREAK", Operation::kSystem},
    {"CSR", Operation::kSystem},
    {"NOP", Operation::kSystem},
    {"UNIMP", Operation::kSystem},
};

/// Without what says only how it is encoded: "t2ADDri" is "ADDri", "C_ADDI" "ADDI".
std::string_view baseOf(Isa isa, std::string_view opcode) {
  const auto drop = [&](std::string_view prefix) {
    if (!opcode.starts_with(prefix)) return false;
    opcode.remove_prefix(prefix.size());
    return true;
  };
  if (isa == Isa::kRv64) drop("C_");
  if (isa == Isa::kT32 || isa == Isa::kA32) drop("t2") || drop("t");
  return opcode;
}

template <std::size_t N>
bool beginsWithAny(std::string_view text, const std::string_view (&beginnings)[N]) {
  return std::any_of(std::begin(beginnings), std::end(beginnings), [&](auto b) { return text.starts_with(b); });
}

template <std::size_t N>
bool isAny(std::string_view text, const std::string_view (&all)[N]) {
  return std::find(std::begin(all), std::end(all), text) != std::end(all);
}

Operation longest(std::span<const Prefix> table, std::string_view base) {
  const Prefix *best = nullptr;
  for (const Prefix &p : table)
    if (base.starts_with(p.text) && (best == nullptr || p.text.size() > best->text.size())) best = &p;
  return best == nullptr ? Operation::kOther : best->operation;
}

/// A64: vectors have their shape in the name ("ADDv4i32", "SHLv2i64_shift", "MOVIv16b_ns"), or are cryptography.
bool isA64Vector(std::string_view base) {
  const std::size_t v = base.find('v');
  return v != std::string_view::npos && v + 1 < base.size() &&
         (base[v + 1] == 'i' || (base[v + 1] >= '1' && base[v + 1] <= '8'));
}

bool isAlsoScalar(std::string_view base) {
  // The whole mnemonic: "B" is a branch, "BFMWri" is none.
  return base == "B" || base == "BL" || base == "BR" || base == "BLR";
}

}  // namespace

Operation operationOf(Isa isa, std::string_view opcode) {
  const std::string_view base = baseOf(isa, opcode);
  if (isa == Isa::kA64) {
    if (isA64Vector(base))
      return base.find("MUL") != std::string_view::npos || base.find("ML") != std::string_view::npos
                 ? Operation::kVectorMultiply
                 : Operation::kVector;
    const Operation o = longest(kA64, base);
    // "B" begins many names.
    if (o == Operation::kBranch && base.starts_with('B') && !isAlsoScalar(base) && base != "Bcc")
      return Operation::kOther;
    if (base.starts_with("BFM")) return Operation::kOther;
    return o;
  }
  if (isa == Isa::kRv64) return longest(kRiscv, base);
  const Operation o = longest(kArm, base);
  if (o == Operation::kBranch && base != "B" && base != "Bcc" && !base.starts_with("CB")) return Operation::kOther;
  if (o == Operation::kVector && (base.find("MUL") != std::string_view::npos || base.starts_with("VML")))
    return Operation::kVectorMultiply;
  return o;
}

int widthOf(Isa isa, std::string_view opcode) {
  constexpr int kWord = 32, kDouble = 64;
  const std::string_view base = baseOf(isa, opcode);
  switch (isa) {
    case Isa::kA32:
    case Isa::kT32:
      return kWord;
    case Isa::kA64: {
      // "ADDWrs", "ANDSWri": the capital before the form.
      for (std::size_t i = base.size(); i-- > 0;)
        if (base[i] == 'W' || base[i] == 'X') {
          // "ADDXrx64", "SUBXrx": the first capital from the left after the mnemonic.
          const std::size_t first = base.find_first_of("WX", 2);
          return base[first == std::string_view::npos ? i : first] == 'W' ? kWord : kDouble;
        }
      return kDouble;
    }
    case Isa::kRv64:
      return base.ends_with('W') ? kWord : kDouble;
  }
  return kDouble;
}

bool isSignedLoad(Isa isa, std::string_view opcode) {
  const std::string_view base = baseOf(isa, opcode);
  if (isa == Isa::kRv64) return base == "LB" || base == "LH" || base == "LW" || base == "LWSP";
  return base.starts_with("LDRS") || base.starts_with("LDURS") || base.starts_with("LDPSW") ||
         base.starts_with("LDTRS") || base.starts_with("LDAPRS") || base.starts_with("LDAPURS");
}

bool writesBack(Isa isa, std::string_view opcode) {
  if (isa == Isa::kRv64) return false;
  // Predicated calls: "BL_pred".
  if (opcode.ends_with("_pred")) return false;
  for (const std::string_view mark : {"pre", "post", "PRE", "POST", "_UPD", "wback", "writeback", "wb_"})
    if (opcode.find(mark) != std::string_view::npos) return true;
  constexpr std::string_view kUnmarked[] = {"tPUSH",   "tPOP",    "tPOP_RET", "LDRHTi", "LDRHTr", "LDRSBTi",
                                            "LDRSBTr", "LDRSHTi", "LDRSHTr",  "STRHTi", "STRHTr"};
  return isAny(opcode, kUnmarked);
}

Memory memoryOf(Isa isa, std::string_view opcode) {
  const std::string_view base = baseOf(isa, opcode);
  constexpr std::string_view kRiscvLoads[] = {"LR_"}, kRiscvStores[] = {"SC_"};
  constexpr std::string_view kA64Loads[] = {"LDR", "LDX", "LDAX", "LDAPUR", "LD64"};
  constexpr std::string_view kA64Stores[] = {"STR", "STX", "STLX", "ST64"};
  constexpr std::string_view kArmLoads[] = {"LDR", "LDAEX", "LDC"}, kArmStores[] = {"STR", "STLEX", "STC"};
  const auto among = [&](const auto &loads, const auto &stores) {
    return beginsWithAny(base, loads)    ? Memory::kLoads
           : beginsWithAny(base, stores) ? Memory::kStores
                                         : Memory::kAsMarked;
  };
  if (isa == Isa::kRv64) return among(kRiscvLoads, kRiscvStores);
  if (isa == Isa::kA64) return among(kA64Loads, kA64Stores);
  return partOfFlags(opcode) != PartOfFlags::kNone ? Memory::kNeither : among(kArmLoads, kArmStores);
}

PartOfFlags partOfFlags(std::string_view opcode) {
  const std::string_view base = baseOf(Isa::kA32, opcode);
  constexpr std::string_view kSetQ[] = {"QADD",   "QSUB",   "QDADD",  "QDSUB",  "SSAT",   "USAT",   "SSAT16",
                                        "USAT16", "SMLABB", "SMLABT", "SMLATB", "SMLATT", "SMLAWB", "SMLAWT",
                                        "SMLAD",  "SMLADX", "SMLSD",  "SMLSDX", "SMUAD",  "SMUADX"};
  constexpr std::string_view kSetGe[] = {"SADD8", "SADD16", "SASX", "SSAX", "SSUB8", "SSUB16",
                                         "UADD8", "UADD16", "UASX", "USAX", "USUB8", "USUB16"};
  if (base == "SEL") return PartOfFlags::kUses;
  return isAny(base, kSetQ) || isAny(base, kSetGe) ? PartOfFlags::kSets : PartOfFlags::kNone;
}

int listedByFirst(std::string_view opcode) {
  constexpr int kThree = 3, kFour = 4;
  if (opcode == "VTBL3" || opcode == "VTBX3") return kThree;
  if (opcode == "VTBL4" || opcode == "VTBX4") return kFour;
  if (opcode.starts_with("VLD2q") || opcode.starts_with("VST2q")) return kFour;
  if (!opcode.starts_with("VLD1d") && !opcode.starts_with("VST1d")) return 0;
  // "VLD1d16Twb_fixed"
  const std::size_t form = opcode.find_first_not_of("0123456789", std::string_view("VLD1d").size());
  if (form == std::string_view::npos) return 0;
  return opcode[form] == 'T' ? kThree : opcode[form] == 'Q' ? kFour : 0;
}

bool hidesItsBase(std::string_view opcode) {
  const std::string_view base = baseOf(Isa::kA32, opcode);
  return base.find("wb_") != std::string_view::npos ||
         ((base.starts_with("LDC") || base.starts_with("STC")) && (base.ends_with("_PRE") || base.ends_with("_POST")));
}

bool isExclusive(Isa isa, std::string_view opcode) {
  const std::string_view base = baseOf(isa, opcode);
  if (isa == Isa::kRv64) return base.starts_with("LR_") || base.starts_with("SC_") || base.starts_with("AMO");
  constexpr std::string_view kBegins[] = {"LDX",   "STX",   "LDAX",   "STLX",   "LDAR",   "STLR",  "LDREX", "STREX",
                                          "LDAEX", "STLEX", "LDA",    "STL",    "CAS",    "SWP",   "LDADD", "LDCLR",
                                          "LDEOR", "LDSET", "LDSMAX", "LDSMIN", "LDUMAX", "LDUMIN"};
  return beginsWithAny(base, kBegins);
}

int storedOperands(Isa isa, std::string_view opcode) {
  const std::string_view base = baseOf(isa, opcode);
  constexpr std::string_view kPairs[] = {"STP", "STNP", "STXP", "STLXP"}, kArmPairs[] = {"STRD", "STREXD", "STLEXD"};
  constexpr std::string_view kAddressFirst[] = {"VST1", "VST2", "VST3", "VST4", "STC"};
  if (isa == Isa::kA64) return beginsWithAny(base, kPairs) ? 2 : 1;
  if (isa == Isa::kRv64) return 1;
  if (beginsWithAny(base, kAddressFirst)) return 0;
  // A32 has one operand for both registers of exclusive pairs.
  return beginsWithAny(base, kArmPairs) && opcode != "STREXD" && opcode != "STLEXD" ? 2 : 1;
}

}  // namespace pimento::frontend::decoder
