#include "pimento/program/hbm_pim_isa.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "pimento/base/scanner.h"
#include "pimento/base/suggest.h"

namespace pimento::program::hbm_pim {

namespace {

constexpr std::array<std::pair<Opcode, std::string_view>, 9> kOpcodes{{{Opcode::kNop, "NOP"},
                                                                       {Opcode::kAdd, "ADD"},
                                                                       {Opcode::kMul, "MUL"},
                                                                       {Opcode::kMac, "MAC"},
                                                                       {Opcode::kMad, "MAD"},
                                                                       {Opcode::kMov, "MOV"},
                                                                       {Opcode::kFill, "FILL"},
                                                                       {Opcode::kJump, "JUMP"},
                                                                       {Opcode::kExit, "EXIT"}}};
constexpr std::array<std::string_view, 8> kSources{"A_OUT", "M_OUT", "EVEN_BANK", "ODD_BANK",
                                                   "GRF_A", "GRF_B", "SRF_M",     "SRF_A"};
constexpr std::string_view kOperandNames[] = {"destination", "source 0", "source 1", "source 2"};

struct Slot {
  Source Instruction::*source;
  int Instruction::*index;  // null: shares the number of source 1
};
constexpr Slot kSlots[] = {{&Instruction::dst, &Instruction::dstIndex},
                           {&Instruction::src0, &Instruction::src0Index},
                           {&Instruction::src1, &Instruction::src1Index},
                           {&Instruction::src2, nullptr}};

bool isMove(Opcode op) {
  return op == Opcode::kMov || op == Opcode::kFill;
}

// The multiplier reads SRF_M and the adder SRF_A; each has wires to its own half only.
bool isLegalScalar(Opcode op, int slot, Source s) {
  if (isMove(op)) return true;
  const bool isAddend = op == Opcode::kAdd || slot == 3;
  return s == (isAddend ? Source::kSrfA : Source::kSrfM);
}

int indexOf(const Instruction &i, int slot) {
  return kSlots[slot].index == nullptr ? i.src1Index : i.*kSlots[slot].index;
}

Diagnostic wrong(const Instruction &i, std::string_view code, std::string message, std::string hint) {
  return error(fmt::format("pim-{}", code), {}, fmt::format("{}: {}", name(i.op), message), std::move(hint));
}

Status checkOperand(const Instruction &i, int slot) {
  const Source s = i.*kSlots[slot].source;
  const bool isDestination = slot == 0;
  if (isDestination && s != Source::kGrfA && s != Source::kGrfB)
    return wrong(i, "destination", fmt::format("{} cannot be the destination", name(s)),
                 "destinations are GRF_A and GRF_B; NOP with a write command stores a register to a bank; the host "
                 "writes SRF_M and SRF_A");
  if (s == Source::kAOut || s == Source::kMOut)
    return wrong(i, "operand", fmt::format("{} cannot be {}", name(s), kOperandNames[slot]),
                 "sources are EVEN_BANK, ODD_BANK, GRF_A, GRF_B, SRF_M, SRF_A");
  if ((s == Source::kSrfM || s == Source::kSrfA) && !isLegalScalar(i.op, slot, s))
    return wrong(i, "operand", fmt::format("{} cannot be {}", name(s), kOperandNames[slot]),
                 "SRF_M feeds multiplications, SRF_A additions");
  const int index = indexOf(i, slot);
  if (index < 0 || index >= kRegisters)
    return wrong(i, "index", fmt::format("{} has number {}", kOperandNames[slot], index),
                 "register numbers run from 0 to 7");
  const bool hasIndex = hasIndices(i) && isRegister(s);
  // src2 shares a number that may be needed by src1, or the other way round.
  if (!hasIndex && index != 0 && slot < 2)
    return wrong(i, "index", fmt::format("{} takes no register number", kOperandNames[slot]),
                 "for banks, FILL and address-aligned mode the command's address gives the location");
  return okStatus();
}

Status checkFlags(const Instruction &i) {
  if (i.isRelu && !isMove(i.op)) return wrong(i, "relu", "relu is not allowed here", "use relu with MOV and FILL");
  if (i.isAam && operandCount(i.op) == 0)
    return wrong(i, "aam", "aam is not allowed here", "use aam with ADD, MUL, MAC, MAD, MOV and FILL");
  if (i.op == Opcode::kJump && (i.jumpCount < 0 || i.jumpCount > kMaxJumpCount))
    return wrong(i, "range", fmt::format("count {} is out of range", i.jumpCount),
                 fmt::format("use 0 to {}", kMaxJumpCount));
  if (i.op == Opcode::kJump && (i.jumpOffset < 1 || i.jumpOffset >= kCrfWords))
    return wrong(i, "range", fmt::format("offset {} is out of range", i.jumpOffset),
                 fmt::format("it is the backward distance, 1 to {}", kCrfWords - 1));
  if (i.op == Opcode::kNop && (i.nopCount < 0 || i.nopCount > kMaxNopCount))
    return wrong(i, "range", fmt::format("count {} is out of range", i.nopCount),
                 fmt::format("use 0 to {}", kMaxNopCount));
  return okStatus();
}

// Leaves only the fields that `i.op` and its operands use.
Instruction canonical(const Instruction &i) {
  Instruction c;
  c.op = i.op;
  if (i.op == Opcode::kNop) c.nopCount = i.nopCount;
  if (i.op == Opcode::kJump) {
    c.jumpCount = i.jumpCount;
    c.jumpOffset = i.jumpOffset;
  }
  const int operands = operandCount(i.op);
  for (int slot = 0; slot < operands; ++slot) {
    c.*kSlots[slot].source = i.*kSlots[slot].source;
    if (!hasIndices(i) || !isRegister(i.*kSlots[slot].source)) continue;
    (kSlots[slot].index == nullptr ? c.src1Index : c.*kSlots[slot].index) = indexOf(i, slot);
  }
  c.isAam = i.isAam;
  c.isRelu = i.isRelu;
  return c;
}

}  // namespace

std::string_view name(Opcode op) {
  for (const auto &[value, text] : kOpcodes)
    if (value == op) return text;
  return "?";
}

std::string_view name(Source source) {
  return kSources[static_cast<std::size_t>(source) % kSources.size()];
}

int operandCount(Opcode op) {
  switch (op) {
    case Opcode::kAdd:
    case Opcode::kMul:
    case Opcode::kMac:
      return 3;
    case Opcode::kMad:
      return 4;
    case Opcode::kMov:
    case Opcode::kFill:
      return 2;
    case Opcode::kNop:
    case Opcode::kJump:
    case Opcode::kExit:
      return 0;
  }
  return 0;
}

bool hasIndices(const Instruction &instruction) {
  return !instruction.isAam && instruction.op != Opcode::kFill;
}

Status check(const Instruction &i) {
  if (name(i.op) == "?")
    return error("pim-opcode", {}, fmt::format("opcode {} does not exist", static_cast<int>(i.op)),
                 "opcodes: NOP 0, ADD 1, MUL 2, MAC 3, MAD 4, MOV 8, FILL 9, JUMP 14, EXIT 15");
  if (Status s = checkFlags(i); !s) return s;
  const int operands = operandCount(i.op);
  int banks = 0;
  Source bank = Source::kAOut;
  for (int slot = 0; slot < operands; ++slot) {
    if (Status s = checkOperand(i, slot); !s) return s;
    const Source source = i.*kSlots[slot].source;
    if (!isBank(source) || source == bank) continue;
    bank = source;
    ++banks;
  }
  if (banks > 1)
    return wrong(i, "two-banks", "reads both banks",
                 "a command opens one bank; load the other operand with FILL or MOV first");
  if (i != canonical(i))
    return wrong(i, "unused-field", "an unused field is set", "unused operands are A_OUT, unused numbers and counts 0");
  return okStatus();
}

Status check(const std::vector<Instruction> &instructions) {
  if (instructions.size() > static_cast<std::size_t>(kCrfWords))
    return error("pim-too-long", {}, fmt::format("{} instructions, the CRF holds {}", instructions.size(), kCrfWords),
                 "use JUMP to repeat instructions");
  for (std::size_t pc = 0; pc < instructions.size(); ++pc) {
    const Instruction &i = instructions[pc];
    if (Status s = check(i); !s) return s;
    if (i.op == Opcode::kJump && i.jumpOffset > static_cast<int>(pc))
      return wrong(i, "jump-target",
                   fmt::format("instruction {} jumps back by {}, past the first one", pc, i.jumpOffset),
                   fmt::format("use at most {} here", pc));
  }
  return okStatus();
}

std::uint32_t encode(const Instruction &i) {
  PIMENTO_CHECK(check(i).ok());
  const auto bits = [](auto value, int shift) { return static_cast<std::uint32_t>(value) << shift; };
  std::uint32_t word = bits(i.op, 28);
  if (i.op == Opcode::kJump) return word | bits(i.jumpCount, 11) | bits(i.jumpOffset, 0);
  if (i.op == Opcode::kNop) return word | bits(i.nopCount, 0);
  word |= bits(i.dst, 25) | bits(i.src0, 22) | bits(i.src1, 19) | bits(i.src2, 16);
  word |= bits(i.isAam, 15) | bits(i.isRelu, 12);
  return word | bits(i.dstIndex, 8) | bits(i.src0Index, 4) | bits(i.src1Index, 0);
}

Result<Instruction> decode(std::uint32_t word) {
  const auto bits = [word](int high, int low) {
    return static_cast<int>((word >> low) & ((1U << (high - low + 1)) - 1));
  };
  Instruction i;
  i.op = static_cast<Opcode>(bits(31, 28));
  if (i.op == Opcode::kJump) {
    i.jumpCount = bits(27, 11);
    i.jumpOffset = bits(10, 0);
  } else if (i.op == Opcode::kNop) {
    i.nopCount = bits(10, 0);
  } else {
    i.dst = static_cast<Source>(bits(27, 25));
    i.src0 = static_cast<Source>(bits(24, 22));
    i.src1 = static_cast<Source>(bits(21, 19));
    i.src2 = static_cast<Source>(bits(18, 16));
    i.isAam = bits(15, 15) != 0;
    i.isRelu = bits(12, 12) != 0;
    i.dstIndex = bits(11, 8);
    i.src0Index = bits(7, 4);
    i.src1Index = bits(3, 0);
  }
  if (Status s = check(i); !s) {
    s.diagnostics().front().message += fmt::format(" (word 0x{:08x})", word);
    return s.diagnostics();
  }
  if (encode(i) != word)
    return error(
        "pim-reserved-bits", {},
        fmt::format("word 0x{:08x} sets bits that {} does not use: 0x{:08x}", word, name(i.op), word ^ encode(i)),
        fmt::format("'{}' is 0x{:08x}", print(i), encode(i)));
  return i;
}

std::string print(const Instruction &i) {
  std::string out{name(i.op)};
  if (i.op == Opcode::kNop) out += fmt::format(" {}", i.nopCount);
  if (i.op == Opcode::kJump) out += fmt::format(" {}, {}", i.jumpCount, i.jumpOffset);
  const int operands = operandCount(i.op);
  for (int slot = 0; slot < operands; ++slot) {
    const Source s = i.*kSlots[slot].source;
    out += fmt::format("{}{}", slot == 0 ? " " : ", ", name(s));
    if (hasIndices(i) && isRegister(s)) out += fmt::format("[{}]", indexOf(i, slot));
  }
  if (i.isAam) out += " aam";
  if (i.isRelu) out += " relu";
  return out;
}

std::string print(const std::vector<Instruction> &instructions) {
  std::string out;
  for (const Instruction &i : instructions) out += print(i) + "\n";
  return out;
}

namespace {

/// Parses one line at a time; the first mistake of a line ends it.
class Parser {
 public:
  Parser(std::string_view text, std::string file, bool checksTargets)
      : scan_(text, std::move(file)), checksTargets_(checksTargets) {}

  Result<std::vector<Instruction>> run() {
    std::vector<Instruction> out;
    Diagnostics found;
    for (scan_.skipEmptyLines(); !scan_.isAtEnd() && found.size() < kMaxDiagnostics; scan_.skipEmptyLines()) {
      const Location start = scan_.where();
      Result<Instruction> i = line();
      if (checksTargets_ && i && i->op == Opcode::kJump && i->jumpOffset > static_cast<int>(out.size()))
        i = error("pim-jump-target", {},
                  fmt::format("JUMP: goes back by {}, past the first instruction", i->jumpOffset),
                  fmt::format("use at most {} here", out.size()));
      if (i && out.size() == static_cast<std::size_t>(kCrfWords)) {
        found.push_back(error("pim-too-long", start, fmt::format("more than {} instructions", kCrfWords),
                              "the CRF holds no more; use JUMP to repeat instructions"));
        break;
      }
      if (!i) {
        Diagnostic d = i.diagnostics().front();
        if (d.where.line == 0) d.where = start;
        found.push_back(std::move(d));
        // Keeps later JUMPs from being blamed for a line that did not parse.
        if (out.size() < static_cast<std::size_t>(kCrfWords)) out.emplace_back();
      } else {
        out.push_back(*i);
      }
      scan_.nextLine();
    }
    if (!found.empty()) return found;
    return out;
  }

 private:
  static constexpr std::size_t kMaxDiagnostics = 20;

  Diagnostic expected(const std::string &what, std::string hint) const {
    return error("pim-syntax", scan_.where(), fmt::format("expected {}, found {}", what, scan_.found()),
                 std::move(hint));
  }

  Result<Instruction> line() {
    static const std::vector<std::string> kNames = {"NOP", "ADD", "MUL", "MAC", "MAD", "MOV", "FILL", "JUMP", "EXIT"};
    const Location start = scan_.where();
    const std::string word(scan_.peekWord());
    if (word.empty()) return expected("an instruction", "for example: MAC GRF_B, GRF_A, EVEN_BANK aam");
    const auto known = std::find_if(kOpcodes.begin(), kOpcodes.end(), [&](const auto &o) { return o.second == word; });
    if (known == kOpcodes.end())
      return error("pim-unknown-opcode", start, fmt::format("unknown instruction {}", scan_.found()),
                   suggest(word, kNames));
    scan_.takeWord();
    Instruction i;
    i.op = known->first;
    if (Status s = arguments(i); !s) return s.diagnostics();
    if (Status s = check(i); !s) return s.diagnostics();
    return i;
  }

  Status arguments(Instruction &i) {
    if (i.op == Opcode::kNop) {
      if (Status s = number(i.nopCount, "NOP needs the number of commands it occupies, less one: NOP 7"); !s) return s;
    } else if (i.op == Opcode::kJump) {
      const char *hint = "JUMP needs a repeat count and a backward distance: JUMP 127, 1";
      if (Status s = number(i.jumpCount, hint); !s) return s;
      if (!scan_.takePunctuation(',')) return expected("','", hint);
      if (Status s = number(i.jumpOffset, hint); !s) return s;
    }
    const int operands = operandCount(i.op);
    for (int slot = 0; slot < operands; ++slot) {
      if (slot > 0 && !scan_.takePunctuation(','))
        return expected("','", fmt::format("{} takes {} operands", name(i.op), operands));
      if (Status s = operand(i, slot); !s) return s;
    }
    return flags(i);
  }

  Status number(int &value, const char *hint) {
    const Location where = scan_.where();
    std::int64_t wide = 0;
    const Scanner::Number n = scan_.takeInteger(wide);
    if (n == Scanner::Number::kNone) return expected("a number", hint);
    if (n == Scanner::Number::kOutOfRange || wide > kMaxJumpCount)
      return error("pim-range", where, "number is too large", fmt::format("use at most {}", kMaxJumpCount));
    value = static_cast<int>(wide);
    return okStatus();
  }

  Status operand(Instruction &i, int slot) {
    const std::string word(scan_.peekWord());
    const auto known = std::find(kSources.begin(), kSources.end(), word);
    if (word.empty()) return expected(std::string(kOperandNames[slot]), "for example GRF_A[0] or EVEN_BANK");
    if (known == kSources.end())
      return error("pim-unknown-operand", scan_.where(), fmt::format("unknown operand {}", scan_.found()),
                   suggest(word, {kSources.begin(), kSources.end()}));
    scan_.takeWord();
    const auto source = static_cast<Source>(known - kSources.begin());
    i.*kSlots[slot].source = source;
    const Location where = scan_.where();
    if (!scan_.takePunctuation('[')) {
      indexed_[slot] = false;
      return okStatus();
    }
    int index = 0;
    if (Status s = number(index, "register numbers run from 0 to 7"); !s) return s;
    if (!scan_.takePunctuation(']')) return expected("']'", "put the register number in brackets: GRF_A[0]");
    if (!isRegister(source))
      return error("pim-index", where, fmt::format("{} takes no register number", word),
                   "banks are read at the command's address");
    if (kSlots[slot].index == nullptr && isRegister(i.src1) && index != i.src1Index)
      return error("pim-index", where, fmt::format("source 2 has number {}, source 1 has {}", index, i.src1Index),
                   "source 1 and source 2 share one number");
    (kSlots[slot].index == nullptr ? i.src1Index : i.*kSlots[slot].index) = index;
    indexed_[slot] = true;
    return okStatus();
  }

  Status flags(Instruction &i) {
    while (!scan_.isAtLineEnd()) {
      const Location where = scan_.where();
      if (scan_.takeWord("aam") && !i.isAam)
        i.isAam = true;
      else if (scan_.takeWord("relu") && !i.isRelu)
        i.isRelu = true;
      else
        return error("pim-syntax", where, fmt::format("unexpected text at the end of the instruction"),
                     "flags are 'aam' and 'relu', each at most once");
    }
    const int operands = operandCount(i.op);
    for (int slot = 0; slot < operands; ++slot) {
      const bool takesIndex = hasIndices(i) && isRegister(i.*kSlots[slot].source);
      if (takesIndex == indexed_[slot] || !isRegister(i.*kSlots[slot].source)) continue;
      return wrong(i, "index",
                   fmt::format("{} {} a register number", kOperandNames[slot], takesIndex ? "needs" : "does not take"),
                   takesIndex ? "write GRF_A[0], or add 'aam'" : "FILL and 'aam' take it from the command's address");
    }
    return okStatus();
  }

  Scanner scan_;
  bool checksTargets_;
  bool indexed_[4] = {};
};

}  // namespace

Result<std::vector<Instruction>> parse(std::string_view text, std::string file) {
  return Parser(text, std::move(file), /*checksTargets=*/true).run();
}

Result<Instruction> parseInstruction(std::string_view text, std::string file) {
  const Location start{file, 1, 1};
  Result<std::vector<Instruction>> all = Parser(text, std::move(file), /*checksTargets=*/false).run();
  if (!all) return all.diagnostics();
  if (all->size() != 1)
    return error("pim-syntax", start, fmt::format("expected one instruction, found {}", all->size()),
                 "write one instruction per line");
  return all->front();
}

}  // namespace pimento::program::hbm_pim
