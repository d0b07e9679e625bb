#include "pimento/dpu/built_ins.h"

#include <algorithm>
#include <set>
#include <vector>

#include "pimento/base/text.h"
#include "pimento/dpu/isa.h"

namespace pimento::dpu {

namespace {

constexpr const char *kOpening =
    "// Instructions that C has no word for: a macro for every form. The last letters of a name are its operands: r "
    "and\n"
    "// s C expressions, z and f nothing, the others string literals (\"4\", \"nz\", \". + 2\"). Made of the table of "
    "forms.\n"
    "#ifndef PIMENTO_DPU_BUILT_INS_H\n"
    "#define PIMENTO_DPU_BUILT_INS_H\n\n";

char letterOf(const Operand &operand, const Form &form) {
  switch (operand.kind) {
    case OperandKind::kStackRegister:
    case OperandKind::kStackSource:
      return 's';
    case OperandKind::kConstant:
      return 'k';
    case OperandKind::kZero:
      return 'z';
    case OperandKind::kImmediate:
    case OperandKind::kTarget:
      return 'i';
    case OperandKind::kCondition:
      return form.family->words.size() == 1 ? 'f' : 'c';
    case OperandKind::kEndian:
      return 'e';
    default:
      return 'r';
  }
}

/// It does more than compute its destination from its sources.
bool hasEffects(const Form &form) {
  return form.op >= Op::kCall || form.use == ConditionUse::kBranch;
}

/// The macro of one form; empty where a macro cannot be: C has no pair whose halves assembly could name.
std::string macroOf(const Form &form, const std::string &name) {
  std::vector<std::string> parameters, outputs, inputs;
  std::string text = "\"" + form.mnemonic;
  std::size_t registers = 0;
  for (const Operand &operand : form.operands) {
    if (operand.kind == OperandKind::kPair) return {};
    text += " ";
    const char letter = letterOf(operand, form);
    const std::string parameter = "a" + std::to_string(parameters.size());
    if (letter == 'z') {
      text += "zero";
    } else if (letter == 'f') {
      text += form.family->words.front().word;
    } else if (letter == 'r' || letter == 's') {
      // A stack-checked register is named by its number alone.
      text += "%" + std::string(letter == 's' ? "s" : "") + std::to_string(registers++);
      const bool isWritten = operand.role == OperandRole::kDst;
      (isWritten ? outputs : inputs).push_back((isWritten ? "\"=r\"(" : "\"r\"(") + parameter + ")");
      parameters.push_back(parameter);
    } else {
      text += "\" " + parameter + " \"";
      parameters.push_back(parameter);
    }
    if (&operand != &form.operands.back()) text += ",";
  }
  text += "\"";
  std::string macro = "#define " + name + "(" + join(parameters, ", ") + ") __asm__ ";
  if (hasEffects(form)) macro += "volatile";
  macro += "(" + text + " : " + join(outputs, ", ") + " : " + join(inputs, ", ");
  return macro + (hasEffects(form) ? " : \"memory\")\n" : ")\n");
}

std::string makeHeader() {
  std::string header = kOpening;
  std::set<std::string> names;
  for (const Form &form : forms()) {
    std::string name = "__builtin_" + form.mnemonic + "_";
    std::replace(name.begin(), name.end(), '.', '_');
    for (const Operand &operand : form.operands) name += letterOf(operand, form);
    if (names.contains(name)) continue;  // the wider immediate, or the flag set rather than the branch
    const std::string macro = macroOf(form, name);
    if (!macro.empty() && names.insert(name).second) header += macro;
  }
  return header + "\n#endif\n";
}

}  // namespace

const std::string &builtInsHeader() {
  static const std::string header = makeHeader();
  return header;
}

}  // namespace pimento::dpu
