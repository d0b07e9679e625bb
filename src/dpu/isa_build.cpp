// Expands the rows of isa_table.cpp into forms.
#include "pimento/dpu/isa_build.h"

#include <cctype>
#include <utility>

#include "pimento/base/diagnostics.h"
#include "pimento/base/text.h"
#include "pimento/dpu/isa.h"
#include "pimento/dpu/isa_table.h"

namespace pimento::dpu {

namespace {

constexpr int kWordBits = 48;

struct Named {
  std::string_view name, bits;
};

/// "add=000 addc=001"
std::vector<Named> readOperations(std::string_view text) {
  std::vector<Named> read;
  for (const std::string_view item : split(text, ' ')) {
    const std::size_t equals = item.find('=');
    read.push_back({item.substr(0, equals), equals == item.npos ? std::string_view() : item.substr(equals + 1)});
  }
  return read;
}

/// The destination field of arithmetic (A), logic (L) and loads (M), bits 47 to 39.
std::string destinationField(char layout, char destination, char immediate) {
  const bool isPair = destination == 'd' || destination == 'S' || destination == 'U';
  const std::string free(3, immediate ? immediate : '0');
  switch (layout) {
    case 'A':
      return isPair ? "01dd11ddE" : destination == 'z' ? "001111" + free : "00cc11ccc";
    case 'L':
      return isPair ? "1001ddddE" : destination == 'z' ? "100" + free.substr(0, 1) + "11" + free : "1000ccccc";
    default:
      return isPair ? "0111ddddE" : "0111ccccc";
  }
}

/// 48 characters with destination, extension and operation filled in.
std::string expandPattern(std::string_view pattern, char destination, Extension extension, std::string_view bits) {
  std::string text;
  char layout = 0;
  for (std::string_view token : split(pattern, ' ')) {
    if (token == "A" || token == "L" || token == "M") {
      layout = token.front();
    } else if (token.size() > 1 && std::isdigit(static_cast<unsigned char>(token[1])) &&
               std::isalpha(static_cast<unsigned char>(token[0]))) {
      text.append(static_cast<std::size_t>(*parseInteger(token.substr(1))), token.front());
    } else {
      text += token;
    }
  }
  if (layout) {
    const char immediate = text.find('i') != text.npos ? 'i' : text.find('o') != text.npos ? 'o' : '\0';
    text.insert(0, destinationField(layout, destination, immediate));
  }
  for (char &c : text) {
    if (c == 'z') c = '0';
    if (c == 'y') c = '1';
    if (c == 'E') c = extension == Extension::kSigned ? '1' : '0';
    if (c == 'O') {
      PIMENTO_CHECK(!bits.empty());
      c = bits.front();
      bits.remove_prefix(1);
    }
  }
  PIMENTO_CHECK(text.size() == kWordBits);
  return text;
}

/// Bits of a letter, as one number with its most significant bit first.
std::vector<BitRange> rangesOf(std::string_view pattern, char letter) {
  std::vector<BitRange> ranges;
  std::uint8_t value = 0;
  for (int bit = 0; bit < kWordBits; ++bit) {
    if (pattern[static_cast<std::size_t>(kWordBits - 1 - bit)] != letter) continue;
    if (!ranges.empty() && ranges.back().word + ranges.back().width == bit) {
      ++ranges.back().width;
    } else {
      ranges.push_back({static_cast<std::uint8_t>(bit), value, 1});
    }
    ++value;
  }
  return ranges;
}

std::uint64_t maskOf(std::string_view pattern, char letter) {
  std::uint64_t mask = 0;
  for (const char c : pattern) mask = (mask << 1) | (c == letter ? 1u : 0u);
  return mask;
}

struct NamedOperand {
  std::string_view name, narrowing;
  bool isEitherSign = false;
};

NamedOperand readOperand(std::string_view text) {
  NamedOperand operand;
  if (text.back() == '*') {
    operand.isEitherSign = true;
    text.remove_suffix(1);
  }
  const std::size_t colon = text.find(':');
  operand.name = text.substr(0, colon);
  if (colon != text.npos) operand.narrowing = text.substr(colon + 1);
  return operand;
}

class FormBuilder {
 public:
  FormBuilder(const FormRow &row, const Named &operation, char destination)
      : row_(row), operation_(operation), destination_(destination) {}

  Form build(Extension extension) {
    form_.extension = extension;
    form_.mnemonic = std::string(operation_.name);
    if (extension != Extension::kNone) form_.mnemonic += extension == Extension::kSigned ? ".s" : ".u";
    form_.pattern = expandPattern(row_.pattern, destination_, extension, operation_.bits);
    form_.isAlias = row_.isAlias;
    for (const char c : form_.pattern) {
      form_.mask = (form_.mask << 1) | (c == '0' || c == '1' ? 1u : 0u);
      form_.value = (form_.value << 1) | (c == '1' ? 1u : 0u);
    }
    std::vector<std::string> names;
    if (!row_.operands.empty()) {
      for (const std::string_view item : split(row_.operands, ',')) names.push_back(addOperand(readOperand(item)));
    }
    form_.name = form_.mnemonic + (names.empty() ? "" : ":" + join(names, ","));
    if (form_.use == ConditionUse::kNone && !isNone() && hasCondition_) form_.use = ConditionUse::kSet;
    settleRoles();
    settleMeaning();
    return std::move(form_);
  }

 private:
  bool isNone() const { return form_.family && form_.family->name == "false_only"; }

  /// Returns the operand's part of the form's name.
  std::string addOperand(const NamedOperand &named) {
    const std::string_view name = named.name;
    if (name.starts_with("cc(")) return addCondition(name);
    Operand operand;
    std::string_view shown = name;
    if (name == "D") {
      shown = addDestination(operand, named.narrowing);
    } else if (name == "endian") {
      operand.kind = OperandKind::kEndian;
      operand.role = OperandRole::kEndian;
      operand.ranges = rangesOf(form_.pattern, 'e');
    } else if (name == "pc") {
      setImmediate(operand, 'p', named);
      operand.kind = OperandKind::kTarget;
      operand.role = OperandRole::kTarget;
      operand.isUnsigned = true;
      form_.use = ConditionUse::kBranch;
    } else if (name == "imm" || name == "off") {
      setImmediate(operand, name.front(), named);
      operand.role = OperandRole::kImm;
    } else if (name == "shift" || name == "immDma") {
      setImmediate(operand, name == "shift" ? 's' : 'm', named);
      operand.role = OperandRole::kImm;
      operand.isUnsigned = true;
    } else {
      setRegister(operand, named);
    }
    operand.name = shown;
    form_.operands.push_back(operand);
    return std::string(shown);
  }

  std::string addCondition(std::string_view name) {
    const std::string_view family = name.substr(3, name.size() - 4);
    form_.family = conditionFamily(family);
    PIMENTO_CHECK(form_.family != nullptr);
    hasCondition_ = true;
    Operand operand;
    operand.kind = OperandKind::kCondition;
    operand.role = OperandRole::kCondition;
    operand.ranges = rangesOf(form_.pattern, 'k');
    operand.name = "cc";
    form_.operands.push_back(operand);
    return std::string(name);
  }

  std::string_view addDestination(Operand &operand, std::string_view narrowing) {
    operand.role = OperandRole::kDst;
    if (destination_ == 'z') {
      operand.kind = OperandKind::kZero;
      return "zero";
    }
    if (destination_ == 'r' || destination_ == 's') {
      operand.kind = destination_ == 's' && narrowing != "gpr" ? OperandKind::kStackRegister : OperandKind::kRegister;
      operand.ranges = rangesOf(form_.pattern, 'c');
      return destination_ == 'r' ? "rc" : "sc";
    }
    operand.kind = OperandKind::kPair;
    operand.ranges = rangesOf(form_.pattern, 'd');
    operand.shift = destination_ == 'p' ? 0 : 1;
    return "dc";
  }

  void setRegister(Operand &operand, const NamedOperand &named) {
    const char letter = named.name == "db" ? 'q' : named.name[1];
    operand.ranges = rangesOf(form_.pattern, letter);
    operand.role = letter == 'a' ? OperandRole::kA : OperandRole::kB;
    using Kind = OperandKind;
    const std::string_view narrow = named.narrowing;
    operand.kind = named.name == "db"                 ? Kind::kPair
                   : narrow == "stack"                ? Kind::kStackRegister
                   : narrow == "const"                ? Kind::kConstant
                   : narrow == "nonzero"              ? Kind::kNonZero
                   : narrow == "gpr" || letter == 'b' ? Kind::kRegister
                   : named.name == "sa"               ? Kind::kStackSource
                                                      : Kind::kSource;
    form_.isStackChecked |= named.name.front() == 's';
  }

  void setImmediate(Operand &operand, char letter, const NamedOperand &named) {
    const Field *field =
        named.narrowing == "s17" ? fieldOfType(kRelocateStackImmediate) : fieldCovering(maskOf(form_.pattern, letter));
    PIMENTO_CHECK(field != nullptr);
    operand.kind = OperandKind::kImmediate;
    operand.ranges = field->ranges;
    operand.width = field->width;
    operand.relocation = field->type;
    operand.isEitherSign = named.isEitherSign;
  }

  Operand *operandNamed(std::string_view name) {
    for (Operand &operand : form_.operands) {
      if (operand.name == name) return &operand;
    }
    return nullptr;
  }

  /// What depends on more than one operand.
  void settleRoles() {
    Operand *imm = operandNamed("imm"), *off = operandNamed("off"), *rb = operandNamed("rb");
    if (imm && off) imm->role = OperandRole::kValue;
    if (imm && rb && !operandNamed("ra")) rb->role = OperandRole::kA;  // x, though in the field of y
    const bool hasTwoRegisters = rb || operandNamed("db");
    if (Operand *shift = operandNamed("shift"); shift && hasTwoRegisters) shift->role = OperandRole::kShift;
  }

  void settleMeaning() {
    for (const Operation &operation : operations()) {
      if (operation.mnemonic != operation_.name) continue;
      form_.op = operation.op;
      form_.isEstablished = operation.isEstablished;
    }
    form_.isStackChecked |= operation_.name == "adds" || operation_.name == "subs";
    if (form_.op == Op::kLdma || form_.op == Op::kSdma || form_.op == Op::kLdmai) form_.issue = Issue::kTransfer;
    if (form_.op == Op::kStop) form_.issue = Issue::kSuspend;
    if (form_.op == Op::kAcquire) form_.issue = Issue::kRetry;
  }

  const FormRow &row_;
  const Named &operation_;
  char destination_;
  Form form_;
  bool hasCondition_ = false;
};

/// A word of the form: constants, a condition of its family, r0 everywhere else.
std::uint64_t sampleOf(const Form &form) {
  std::uint64_t word = form.value;
  for (const Operand &operand : form.operands) {
    if (operand.kind == OperandKind::kCondition && !operand.ranges.empty()) {
      word = scatter(word, operand.ranges, form.family->words.front().code);
    }
  }
  return word;
}

/// The form whose words an alias shares.
std::uint16_t baseOf(const std::vector<Form> &all, std::size_t index) {
  const Form &alias = all[index];
  if (!alias.isAlias) return static_cast<std::uint16_t>(index);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Form &form = all[i];
    if (form.isAlias || (form.mask & ~alias.mask) || !formMatches(form, sampleOf(alias))) continue;
    return static_cast<std::uint16_t>(i);
  }
  PIMENTO_CHECK(!"an alias has a base");
  return 0;
}

}  // namespace

std::vector<Form> buildForms() {
  std::vector<Form> all;
  for (const FormRow &row : formRows()) {
    for (const Named &operation : readOperations(row.operations)) {
      for (const char destination : row.destinations) {
        FormBuilder builder(row, operation, destination);
        if (destination == 'd' || destination == 'S') all.push_back(builder.build(Extension::kSigned));
        if (destination == 'd' || destination == 'U') {
          all.push_back(FormBuilder(row, operation, destination).build(Extension::kUnsigned));
        }
        if (std::string_view("dSU").find(destination) == std::string_view::npos) {
          all.push_back(builder.build(Extension::kNone));
        }
      }
    }
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    Form &form = all[i];
    form.base = baseOf(all, i);
    form.op = all[form.base].op;
    form.isEstablished = all[form.base].isEstablished;
    form.isStackChecked = all[form.base].isStackChecked;
    form.issue = all[form.base].issue;
  }
  return all;
}

}  // namespace pimento::dpu
