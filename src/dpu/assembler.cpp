#include "pimento/dpu/assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "pimento/base/text.h"
#include "pimento/dpu/assembler_state.h"

namespace pimento::dpu {

Result<Object> assemble(std::string_view text, std::string_view file) {
  AssemblerState state(file);
  LineReader reader;
  int line = 0;
  for (std::size_t begin = 0; begin <= text.size() && !state.isFull();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    ++line;
    for (const Statement &statement : reader.read(text.substr(begin, end - begin))) state.take(statement, line);
    begin = end + 1;
  }
  return state.finish();
}

AssemblerState::AssemblerState(std::string_view file) {
  object_.file = std::string(file);
  object_.files.push_back(object_.file);
  enterSection(here_);
}

bool AssemblerState::report(std::string code, int column, std::string message, std::string hint) {
  diagnostics_.push_back(error(std::move(code), {object_.file, line_, column}, std::move(message), std::move(hint)));
  return false;
}

bool AssemblerState::report(const Diagnostics &found) {
  diagnostics_.insert(diagnostics_.end(), found.begin(), found.end());
  return false;
}

void AssemblerState::take(const Statement &statement, int line) {
  line_ = line;
  for (const Piece &label : statement.labels) defineLabel(label);
  if (statement.mnemonic.text.empty()) return;
  if (isSkipping_ && statement.mnemonic.text.front() != '.') return;
  if (statement.rest.text.starts_with('=')) {
    Piece value{statement.rest.text.substr(1), statement.rest.column + 1};
    setSymbol(statement.mnemonic, value);
  } else if (statement.mnemonic.text.front() == '.') {
    takeDirective(statement);
  } else {
    takeInstruction(statement);
  }
}

// Sections and symbols.

void AssemblerState::enterSection(const SectionName &to) {
  const std::string_view name = to.name;
  const Memory memory = memoryOf(name, to.isAllocated);
  isSkipping_ = memory == Memory::kNone;
  if (isSkipping_) return;
  for (std::size_t i = 0; i < object_.sections.size(); ++i) {
    if (object_.sections[i].name == name) {
      object_.sections[i].isRetained |= to.isRetained;
      section_ = i;
      return;
    }
  }
  Section section;
  section.name = std::string(name);
  section.memory = memory;
  section.isRetained = to.isRetained;
  section.isNoBits = to.isNoBits || memory == Memory::kAtomic || name.starts_with(".mram.noinit");
  if (memory == Memory::kIram) {
    section.isNoBits = false;
    section.alignment = 8;
  }
  section_ = object_.sections.size();
  object_.sections.push_back(std::move(section));
}

std::uint32_t AssemblerState::symbolIndex(std::string_view text) {
  const std::string_view name = withoutQuotes(text);
  const auto found = symbols_.find(name);
  if (found != symbols_.end()) return found->second;
  const auto index = static_cast<std::uint32_t>(object_.symbols.size());
  Symbol symbol;
  symbol.name = std::string(name);
  object_.symbols.push_back(std::move(symbol));
  symbols_.emplace(std::string(name), index);
  return index;
}

bool AssemblerState::isSymbolName(const Piece &piece) {
  const std::string_view name = withoutQuotes(piece.text);
  const bool isQuoted = isQuotedName(piece.text);
  // Letters of other languages, in UTF-8, are C's as well.
  const auto isForeign = [&](char c) { return isQuoted && (c & 0x80) != 0; };
  const auto isFine = [&](char c) { return isSymbolCharacter(c) || isForeign(c); };
  const bool isName = !name.empty() && name != "." && (isSymbolStart(name.front()) || isForeign(name.front())) &&
                      std::all_of(name.begin(), name.end(), isFine);
  if (isName && (isQuoted || !readRegister(name))) return true;
  return report("dpu-asm-label", piece.column, fmt::format("'{}' is not a valid symbol", name),
                "a symbol begins with a letter, '_', '.' or '$' and is not a register");
}

namespace {

/// A name that no text can write.
std::string localLabel(std::string_view number, std::uint32_t occurrence) {
  return fmt::format(".L {} {}", number, occurrence);
}

}  // namespace

Result<Expression> AssemblerState::expression(const Piece &piece) {
  Result<Expression> read = readExpression(piece, place());
  if (!read) return read;
  for (Expression::Term &term : read->terms) {
    if (!isLocalReference(term.symbol)) continue;
    const std::string number = term.symbol.substr(0, term.symbol.size() - 1);
    const auto defined = localNumbers_.find(number);
    const std::uint32_t sofar = defined == localNumbers_.end() ? 0 : defined->second;
    const bool isBefore = term.symbol.back() == 'b';
    if (isBefore && sofar == 0) {
      return error("dpu-asm-undefined", {object_.file, line_, term.column},
                   fmt::format("no label '{}:' stands before this line", number),
                   fmt::format("write {}f for the next one", number));
    }
    const std::string name = localLabel(number, isBefore ? sofar : sofar + 1);
    writtenAs_.emplace(name, term.symbol);
    term.symbol = name;
  }
  return read;
}

void AssemblerState::defineLabel(const Piece &label) {
  if (isSkipping_) return;
  const bool isNumber = isLocalNumber(label.text);
  if (!isNumber && !isSymbolName(label)) return;
  Symbol &symbol = object_.symbols[symbolIndex(
      isNumber ? localLabel(label.text, ++localNumbers_[std::string(label.text)]) : std::string(label.text))];
  if (symbol.section != Symbol::kUndefined) {
    const auto first = definedAt_.find(symbol.name);
    const std::string where = first == definedAt_.end() ? "" : " in " + first->second;
    report("dpu-asm-defined-twice", label.column, fmt::format("'{}' is already defined{}", label.text, where),
           "rename one of them; a label in inline assembly that may stand twice is a number: 1:, 1b, 1f");
    return;
  }
  definedAt_[symbol.name] = locFile_ < 0
                                ? fmt::format("line {}", line_)
                                : fmt::format("{}:{}", object_.files[static_cast<std::size_t>(locFile_)], locLine_);
  symbol.section = static_cast<std::int32_t>(section_);
  symbol.value = current().length();
}

void AssemblerState::setSymbol(const Piece &name, const Piece &value) {
  if (!isSymbolName(name)) return;
  const Result<Expression> read = expression(value);
  if (!read) {
    report(read.diagnostics());
    return;
  }
  assignments_.push_back({symbolIndex(name.text), *read, line_, name.column, section_, current().length(), false});
}

// Instructions.

namespace {

bool takesRegister(OperandKind kind, const RegisterName &name) {
  const bool isConstant = name.number >= kRegisters;
  switch (kind) {
    case OperandKind::kRegister:
      return name.bank == 'r' && !isConstant;
    case OperandKind::kSource:
      return name.bank == 'r';
    case OperandKind::kNonZero:
      return name.bank == 'r' && name.number != kZero;
    case OperandKind::kConstant:
      return name.bank == 'r' && isConstant;
    case OperandKind::kStackRegister:
      return name.bank == 's' && !isConstant;
    case OperandKind::kStackSource:
      return name.bank == 's' || (name.bank == 'r' && isConstant);
    case OperandKind::kPair:
      return name.bank == 'd';
    case OperandKind::kZero:
      return name.bank == 'r' && name.number == kZero;
    default:
      return false;
  }
}

bool isBigEndianWord(std::string_view text) {
  return text == "!big" || text == "!BIG";
}

bool isEndianWord(std::string_view text) {
  return isBigEndianWord(text) || text == "!little" || text == "!LITTLE";
}

/// How much of the operands fits: their number if all do.
std::size_t fitting(const Form &form, const std::vector<Piece> &operands) {
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    if (i == operands.size()) return i;
    const std::string_view text = operands[i].text;
    const std::optional<RegisterName> name = readRegister(text);
    const OperandKind kind = form.operands[i].kind;
    bool fits = false;
    if (kind == OperandKind::kCondition) {
      fits = form.family->withText(text) != nullptr;
    } else if (kind == OperandKind::kEndian) {
      fits = isEndianWord(text);
    } else if (kind == OperandKind::kImmediate || kind == OperandKind::kTarget) {
      fits = !name && !text.empty() && text.front() != '!' && text.front() != '?';
    } else {
      fits = name && name->number < 64 && takesRegister(kind, *name);
    }
    if (!fits) return i;
  }
  return form.operands.size();
}

std::string syntaxOf(const Form &form) {
  std::vector<std::string> names;
  for (const Operand &operand : form.operands) names.emplace_back(operand.name);
  return form.mnemonic + (names.empty() ? "" : " ") + join(names, ", ");
}

}  // namespace

void AssemblerState::takeInstruction(const Statement &statement) {
  std::string mnemonic(statement.mnemonic.text);
  for (char &c : mnemonic) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const std::vector<std::uint16_t> &candidates = formsNamed(mnemonic);
  if (candidates.empty()) {
    const std::string near = nearest(mnemonic, mnemonics());
    report("dpu-asm-mnemonic", statement.mnemonic.column, fmt::format("unknown instruction '{}'", mnemonic),
           near.empty() ? "use a mnemonic of the DPU instruction set; directives begin with '.'"
                        : fmt::format("did you mean '{}'?", near));
    return;
  }
  if (current().memory != Memory::kIram) {
    report("dpu-asm-place", statement.mnemonic.column,
           fmt::format("an instruction in section '{}', which is not code", current().name),
           "begin a section of code: .text or .section .text.NAME,\"ax\",@progbits");
    return;
  }
  for (const std::uint16_t candidate : candidates) {
    const Form &form = forms()[candidate];
    if (form.operands.size() == statement.operands.size() &&
        fitting(form, statement.operands) == statement.operands.size()) {
      emitInstruction(form, statement);
      return;
    }
  }
  explainOperands(statement, candidates);
}

void AssemblerState::explainOperands(const Statement &statement, const std::vector<std::uint16_t> &candidates) {
  for (const Piece &operand : statement.operands) {
    const std::optional<RegisterName> name = readRegister(operand.text);
    if (name && name->number >= 64) {
      report("dpu-asm-register", operand.column, fmt::format("unknown register '{}'", operand.text),
             "registers are r0 to r23, pairs d0, d2, ... d22, stack-checked s0 to s23, and zero, one, lneg, mneg, id, "
             "id2, id4, id8");
      return;
    }
  }
  // The forms that go furthest say what is expected.
  std::size_t furthest = 0;
  for (const std::uint16_t candidate : candidates) {
    furthest = std::max(furthest, fitting(forms()[candidate], statement.operands));
  }
  std::vector<std::string> syntaxes;
  for (const std::uint16_t candidate : candidates) {
    const Form &form = forms()[candidate];
    if (fitting(form, statement.operands) < furthest) continue;
    const std::string syntax = syntaxOf(form);
    if (std::find(syntaxes.begin(), syntaxes.end(), syntax) == syntaxes.end()) syntaxes.push_back(syntax);
    const bool isCondition = furthest < form.operands.size() && furthest < statement.operands.size() &&
                             form.operands[furthest].kind == OperandKind::kCondition &&
                             form.operands.size() == statement.operands.size();
    if (!isCondition) continue;
    const Piece &word = statement.operands[furthest];
    std::vector<std::string> words;
    for (const ConditionWord &w : form.family->words) words.emplace_back(w.word);
    report("dpu-asm-condition", word.column, fmt::format("'{}' is not a condition of '{}'", word.text, syntax),
           suggest(word.text, words));
    return;
  }
  const int column =
      furthest < statement.operands.size() ? statement.operands[furthest].column : statement.mnemonic.column;
  if (syntaxes.size() > 8) syntaxes.resize(8);
  report("dpu-asm-operands", column, fmt::format("'{}' does not take these operands", statement.mnemonic.text),
         "forms: " + join(syntaxes, "; "));
}

void AssemblerState::emitInstruction(const Form &form, const Statement &statement) {
  if (!hasRoom(8, statement.mnemonic.column)) return;
  Section &section = current();
  const std::uint32_t offset = section.length();
  std::uint64_t word = form.value;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    const Operand &operand = form.operands[i];
    const Piece &piece = statement.operands[i];
    switch (operand.kind) {
      case OperandKind::kZero:
        break;
      case OperandKind::kCondition:
        if (!operand.ranges.empty()) word = scatter(word, operand.ranges, form.family->withText(piece.text)->code);
        break;
      case OperandKind::kEndian:
        word = scatter(word, operand.ranges, isBigEndianWord(piece.text));
        break;
      case OperandKind::kImmediate:
      case OperandKind::kTarget: {
        const Result<Expression> read = expression(piece);
        if (!read) {
          report(read.diagnostics());
        } else {
          fixups_.push_back({section_, offset, &operand, 0, *read, line_, piece.column});
        }
        break;
      }
      default:
        word = scatter(word, operand.ranges, readRegister(piece.text)->number >> operand.shift);
    }
  }
  const SectionLine here{offset, locFile_ >= 0 ? locFile_ : 0, locFile_ >= 0 ? locLine_ : line_};
  section.lines.push_back(here);
  for (int byte = 0; byte < 8; ++byte) section.bytes.push_back(static_cast<std::uint8_t>(word >> (8 * byte)));
}

bool AssemblerState::hasRoom(std::uint64_t bytes, int column) {
  constexpr std::uint64_t kLargest = 64u << 20;  // as much as the largest memory of a DPU
  if (total_ + bytes <= kLargest) {
    total_ += bytes;
    return true;
  }
  return report("dpu-asm-size", column, fmt::format("the object exceeds {} MiB", kLargest >> 20),
                "no DPU memory is larger");
}

}  // namespace pimento::dpu
