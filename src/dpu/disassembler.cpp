#include "pimento/dpu/disassembler.h"

#include "pimento/dpu/isa.h"

namespace pimento::dpu {

namespace {

std::string printOperand(const Operand &operand, const Form &form, std::uint64_t word) {
  const std::uint32_t raw = operand.ranges.empty() ? 0 : gather(word, operand.ranges);
  switch (operand.kind) {
    case OperandKind::kZero:
      return "zero";
    case OperandKind::kPair:
      return "d" + std::to_string(raw << operand.shift);
    case OperandKind::kStackRegister:
    case OperandKind::kStackSource:
      return "s" + std::to_string(raw);  // s24 to s31: a read-only register, which by its name would be a plain source
    case OperandKind::kEndian:
      return raw ? "!big" : "!little";
    case OperandKind::kCondition:
      return operand.ranges.empty() ? "false" : std::string(form.family->withCode(raw)->word);
    case OperandKind::kTarget:
      return std::to_string(raw);
    case OperandKind::kImmediate: {
      const std::uint32_t sign = 1u << (operand.width - 1);
      return operand.isUnsigned || operand.width >= 32
                 ? (operand.isUnsigned ? std::to_string(raw) : std::to_string(static_cast<std::int32_t>(raw)))
                 : std::to_string(static_cast<std::int32_t>((raw ^ sign) - sign));
    }
    default:
      return registerName(raw);
  }
}

std::string printForm(const Form &form, std::uint64_t word) {
  std::string text = form.mnemonic;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    text += (i ? ", " : " ") + printOperand(form.operands[i], form, word);
  }
  return text;
}

}  // namespace

std::string print(const Instruction &instruction) {
  const std::optional<std::uint64_t> word = encode(instruction);
  if (!word) return "<no word>";
  const std::optional<Instruction> canonical = decode(*word);
  return canonical ? printForm(forms()[canonical->form], *word) : "<no word>";
}

std::string print(const Instruction &instruction, std::uint32_t pc) {
  std::string text = print(instruction);
  if (instruction.use != ConditionUse::kBranch || instruction.target < pc) return text;
  const std::uint32_t ahead = instruction.target - pc;
  if (ahead > 1) return text;
  const std::string absolute = std::to_string(instruction.target);
  if (!text.ends_with(" " + absolute)) return text;
  text.resize(text.size() - absolute.size());
  return text + (ahead ? ". + 1" : ".");
}

}  // namespace pimento::dpu
