#include "pimento/dpu/isa.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <map>

#include "pimento/base/diagnostics.h"
#include "pimento/dpu/isa_build.h"

namespace pimento::dpu {

namespace {

constexpr std::uint64_t kWordMask = (1ULL << 48) - 1;

// The bits that tell most forms apart: 47 to 42, 33 and 32, 31 to 28, 23 to 20.
constexpr unsigned kKeyBits = 16;
unsigned keyOf(std::uint64_t word) {
  return static_cast<unsigned>(((word >> 42) & 0x3f) << 10 | ((word >> 32) & 3) << 8 | ((word >> 28) & 15) << 4 |
                               ((word >> 20) & 15));
}

/// For every key the forms that may match, the most specific first.
class Index {
 public:
  explicit Index(const std::vector<Form> &all) {
    std::vector<std::uint16_t> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint16_t>(i);
    std::stable_sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) {
      return std::popcount(all[a].mask) > std::popcount(all[b].mask);
    });
    begins_.assign((1u << kKeyBits) + 1, 0);
    for (const bool isCounting : {true, false}) {
      std::vector<std::uint32_t> at(begins_.begin(), begins_.end());
      for (const std::uint16_t i : order) {
        const unsigned mask = keyOf(all[i].mask), value = keyOf(all[i].value);
        const unsigned free = ((1u << kKeyBits) - 1) & ~mask;
        for (unsigned bits = free;; bits = (bits - 1) & free) {
          const unsigned key = value | bits;
          if (isCounting) {
            ++begins_[key + 1];
          } else {
            entries_[at[key]++] = i;
          }
          if (bits == 0) break;
        }
      }
      if (!isCounting) break;
      for (std::size_t key = 0; key < (1u << kKeyBits); ++key) begins_[key + 1] += begins_[key];
      entries_.resize(begins_.back());
    }
  }

  std::pair<const std::uint16_t *, const std::uint16_t *> at(std::uint64_t word) const {
    const unsigned key = keyOf(word);
    return {entries_.data() + begins_[key], entries_.data() + begins_[key + 1]};
  }

 private:
  std::vector<std::uint32_t> begins_;
  std::vector<std::uint16_t> entries_;
};

const Index &index() {
  static const Index built(forms());
  return built;
}

bool isRegisterAllowed(OperandKind kind, unsigned number) {
  switch (kind) {
    case OperandKind::kRegister:
    case OperandKind::kStackRegister:
      return number < kRegisters;
    case OperandKind::kPair:
      return number < kRegisters && number % 2 == 0;
    case OperandKind::kConstant:
      return number >= kRegisters;
    case OperandKind::kNonZero:
      return number != kZero;
    default:
      return true;
  }
}

std::int32_t signExtend(std::uint32_t value, int width) {
  if (width <= 0 || width >= 32) return static_cast<std::int32_t>(value);
  const std::uint32_t sign = 1u << (width - 1);
  return static_cast<std::int32_t>((value ^ sign) - sign);
}

/// Immediate first: `sub r1, 5, r2`.
bool hasImmediateFirst(const Form &form) {
  if (form.op != Op::kSub && form.op != Op::kSubc) return false;
  return form.operands.size() > 2 && form.operands[1].kind == OperandKind::kImmediate;
}

/// Does `imm` stand for the second source?
bool isSourceImmediate(const Form &form) {
  switch (form.op) {
    case Op::kAcquire:
    case Op::kRelease:
    case Op::kBoot:
    case Op::kResume:
    case Op::kClrRun:
    case Op::kReadRun:
    case Op::kFault:
    case Op::kTell:
    case Op::kLdma:
    case Op::kSdma:
    case Op::kLdmai:
      return false;
    default:
      return form.op < Op::kLbs || form.op > Op::kSdId;
  }
}

void readOperand(const Form &form, const Operand &operand, std::uint64_t word, Instruction &into) {
  const std::uint32_t raw = operand.ranges.empty() ? 0 : gather(word, operand.ranges);
  const std::uint8_t number = static_cast<std::uint8_t>(raw << operand.shift);
  const std::int32_t number32 = operand.isUnsigned ? static_cast<std::int32_t>(raw) : signExtend(raw, operand.width);
  switch (operand.role) {
    case OperandRole::kDst:
      into.dst = operand.kind == OperandKind::kZero ? kZero : number;
      break;
    case OperandRole::kA:
      into.a = number;
      break;
    case OperandRole::kB:
      into.b = number;
      break;
    case OperandRole::kImm:
      into.imm = number32;
      if (isSourceImmediate(form)) into.b = kImmediate;
      break;
    case OperandRole::kValue:
      into.value = number32;
      into.b = kImmediate;
      break;
    case OperandRole::kShift:
      into.shift = number;
      break;
    case OperandRole::kCondition:
      into.condition = form.use == ConditionUse::kNone ? Condition::kFalse : form.family->withCode(raw)->condition;
      break;
    case OperandRole::kTarget:
      into.target = static_cast<std::uint16_t>(raw);
      break;
    case OperandRole::kEndian:
      into.isBigEndian = raw != 0;
      break;
  }
}

Instruction read(const Form &form, std::uint64_t word) {
  Instruction into;
  into.op = form.op;
  into.extension = form.extension;
  into.use = form.use;
  into.isStackChecked = form.isStackChecked;
  into.isImmediateFirst = hasImmediateFirst(form);
  for (const Operand &operand : form.operands) readOperand(form, operand, word, into);
  // The fact sheet leaves open how a negative immediate is extended to 64 bits.
  const bool isOpenStore = (into.op == Op::kSd || into.op == Op::kSdId) && into.b == kImmediate && into.value < 0;
  into.isEstablished = form.isEstablished && isEstablished(into.condition) && !into.isBigEndian && !isOpenStore;
  return into;
}

/// The bits of a role, modulo the field's width.
std::uint32_t rawOf(const Form &form, const Operand &operand, const Instruction &from, bool &isPossible) {
  switch (operand.role) {
    case OperandRole::kDst:
      return from.dst >> operand.shift;
    case OperandRole::kA:
      return from.a;
    case OperandRole::kB:
      return from.b;
    case OperandRole::kImm:
      return static_cast<std::uint32_t>(from.imm);
    case OperandRole::kValue:
      return static_cast<std::uint32_t>(from.value);
    case OperandRole::kShift:
      return from.shift;
    case OperandRole::kCondition:
      if (form.use == ConditionUse::kNone) return 0;
      for (const ConditionWord &w : form.family->words) {
        if (w.condition == from.condition) return w.code;
      }
      isPossible = false;
      return 0;
    case OperandRole::kTarget:
      return from.target;
    case OperandRole::kEndian:
      return from.isBigEndian;
  }
  return 0;
}

/// Does a value that decoding gave back mean the same as the one asked for? Either sign is taken where the form does.
bool meansTheSame(Instruction got, const Instruction &wanted, const Form &form) {
  for (const Operand &operand : form.operands) {
    if (!operand.isEitherSign || operand.width >= 32) continue;
    const std::int32_t largest = static_cast<std::int32_t>((1u << operand.width) - 1);
    if (operand.role == OperandRole::kImm && wanted.imm >= 0 && wanted.imm <= largest) got.imm = wanted.imm;
    if (operand.role == OperandRole::kValue && wanted.value >= 0 && wanted.value <= largest) {
      got.value = wanted.value;
      got.isEstablished = wanted.isEstablished;
    }
  }
  got.form = wanted.form;
  return got == wanted;
}

/// Empty: not a word of this form.
std::optional<std::uint64_t> encodeAs(const Form &form, const Instruction &instruction) {
  if (form.op != instruction.op || form.use != instruction.use) return std::nullopt;
  std::uint64_t word = form.value;
  bool isPossible = true;
  for (const Operand &operand : form.operands) {
    if (!operand.ranges.empty()) word = scatter(word, operand.ranges, rawOf(form, operand, instruction, isPossible));
  }
  if (!isPossible || (word & form.mask) != form.value || !formMatches(form, word)) return std::nullopt;
  if (!meansTheSame(read(form, word), instruction, form)) return std::nullopt;
  return word;
}

}  // namespace

bool formMatches(const Form &form, std::uint64_t word) {
  if ((word & form.mask) != form.value) return false;
  for (const Operand &operand : form.operands) {
    switch (operand.kind) {
      case OperandKind::kCondition:
        if (!operand.ranges.empty() && !form.family->withCode(gather(word, operand.ranges))) return false;
        break;
      case OperandKind::kImmediate:
        if (operand.relocation == kRelocateStackImmediate &&
            scatter(word, operand.ranges, gather(word, operand.ranges)) != word) {
          return false;  // copies of the sign that differ
        }
        break;
      case OperandKind::kZero:
      case OperandKind::kTarget:
      case OperandKind::kEndian:
        break;
      default:
        if (!isRegisterAllowed(operand.kind, gather(word, operand.ranges) << operand.shift)) return false;
    }
  }
  return true;
}

const std::vector<Form> &forms() {
  static const std::vector<Form> all = buildForms();
  return all;
}

const std::vector<std::uint16_t> &formsNamed(std::string_view mnemonic) {
  static const std::map<std::string, std::vector<std::uint16_t>, std::less<>> byName = [] {
    std::map<std::string, std::vector<std::uint16_t>, std::less<>> map;
    for (std::size_t i = 0; i < forms().size(); ++i) {
      map[forms()[i].mnemonic].push_back(static_cast<std::uint16_t>(i));
    }
    return map;
  }();
  static const std::vector<std::uint16_t> none;
  const auto found = byName.find(mnemonic);
  return found == byName.end() ? none : found->second;
}

const std::vector<std::string> &mnemonics() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const Form &form : forms()) names.push_back(form.mnemonic);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }();
  return all;
}

std::optional<Instruction> decode(std::uint64_t word) {
  if (word & ~kWordMask) return std::nullopt;
  const std::vector<Form> &all = forms();
  const auto [begin, end] = index().at(word);
  for (const std::uint16_t *at = begin; at != end; ++at) {
    if (!formMatches(all[*at], word)) continue;
    const Form &base = all[all[*at].base];
    if (!formMatches(base, word)) continue;
    Instruction instruction = read(base, word);
    instruction.form = *at;
    return instruction;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> encode(const Instruction &instruction) {
  if (instruction.form < forms().size()) {
    const auto word = encodeAs(forms()[forms()[instruction.form].base], instruction);
    if (word) return word;
  }
  for (const Form &form : forms()) {
    if (form.isAlias) continue;
    const auto word = encodeAs(form, instruction);
    if (word) return word;
  }
  return std::nullopt;
}

std::string registerName(unsigned number) {
  static constexpr const char *kNames[] = {"zero", "one", "lneg", "mneg", "id", "id2", "id4", "id8"};
  return number < kRegisters ? "r" + std::to_string(number) : kNames[(number - kRegisters) % 8];
}

}  // namespace pimento::dpu
