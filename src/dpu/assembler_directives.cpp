// What directives do to the assembler's state.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>

#include "pimento/base/text.h"
#include "pimento/dpu/assembler_state.h"

namespace pimento::dpu {

namespace {

struct DataWidth {
  std::string_view name;
  int bytes;
};
constexpr DataWidth kWidths[] = {{".byte", 1},  {".short", 2}, {".half", 2},  {".hword", 2},
                                 {".2byte", 2}, {".long", 4},  {".word", 4},  {".int", 4},
                                 {".4byte", 4}, {".quad", 8},  {".dword", 8}, {".8byte", 8}};

const std::vector<std::string> kDirectives = {
    ".text",  ".data",   ".bss",   ".section", ".globl",  ".global", ".weak",  ".local",   ".hidden", ".type",
    ".size",  ".byte",   ".short", ".half",    ".hword",  ".long",   ".word",  ".int",     ".quad",   ".dword",
    ".ascii", ".asciz",  ".zero",  ".space",   ".string", ".skip",   ".fill",  ".comm",    ".lcomm",  ".p2align",
    ".align", ".balign", ".set",   ".equ",     ".file",   ".loc",    ".ident", ".previous"};

bool isPassedOver(std::string_view name) {
  static constexpr std::string_view kNames[] = {".ident",  ".addrsig",   ".addrsig_sym", ".end",
                                                ".hidden", ".protected", ".internal",    ".version"};
  return name.starts_with(".cfi_") || std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

/// Pieces between white space, strings whole.
std::vector<Piece> words(const Piece &rest) {
  std::vector<Piece> found;
  for (std::size_t at = 0; at < rest.text.size();) {
    if (std::isspace(static_cast<unsigned char>(rest.text[at]))) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    bool isQuoted = false;
    for (; at < rest.text.size() && (isQuoted || !std::isspace(static_cast<unsigned char>(rest.text[at]))); ++at) {
      if (rest.text[at] == '"') isQuoted = !isQuoted;
    }
    found.push_back({rest.text.substr(begin, at - begin), rest.column + static_cast<int>(begin)});
  }
  return found;
}

}  // namespace

void AssemblerState::takeDirective(const Statement &statement) {
  std::string name(statement.mnemonic.text);
  for (char &c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (takeSectionDirective(name, statement) || isSkipping_) return;
  if (takeSymbolDirective(name, statement) || takeDataDirective(name, statement) ||
      takeLineDirective(name, statement) || isPassedOver(name)) {
    return;
  }
  const std::string near = nearest(name, kDirectives);
  report("dpu-asm-directive", statement.mnemonic.column, fmt::format("unknown directive '{}'", name),
         near.empty() ? "choices: " + join(kDirectives, ", ") : fmt::format("did you mean '{}'?", near));
}

bool AssemblerState::hasOperands(const Statement &statement, std::size_t least, std::size_t most) {
  const std::size_t count = statement.operands.size();
  if (count >= least && count <= most) return true;
  const std::string range = least == most ? std::to_string(least) : fmt::format("{} to {}", least, most);
  return report("dpu-asm-argument", statement.mnemonic.column,
                fmt::format("'{}' has {} operands", statement.mnemonic.text, count), fmt::format("expected {}", range));
}

bool AssemblerState::number(const Statement &statement, std::size_t operand, std::int64_t low, std::int64_t high,
                            std::int64_t &value) {
  const Piece &piece = statement.operands[operand];
  const Result<Expression> read = expression(piece);
  if (!read) return report(read.diagnostics());
  Value sum;
  const Context context{section_, current().length(), false, false, line_, piece.column};
  if (!evaluate(*read, context, sum)) return false;
  if (sum.hasSymbol || sum.number < low || sum.number > high) {
    return report("dpu-asm-argument", piece.column,
                  fmt::format("'{}' is not a number that '{}' accepts", piece.text, statement.mnemonic.text),
                  fmt::format("use a number from {} to {} that is known at this point", low, high));
  }
  value = sum.number;
  return true;
}

// Sections.

bool AssemblerState::takeSectionDirective(std::string_view name, const Statement &statement) {
  if (name == ".text" || name == ".data" || name == ".bss") {
    previous_ = here_;
    here_ = {std::string(name), true, name == ".bss"};
  } else if (name == ".section") {
    switchSection(statement);
    return true;
  } else if (name == ".previous") {
    std::swap(previous_, here_);
  } else {
    return false;
  }
  enterSection(here_);
  return true;
}

void AssemblerState::switchSection(const Statement &statement) {
  if (!hasOperands(statement, 1, 8)) return;
  std::string_view name = statement.operands[0].text;
  if (name.size() > 1 && name.front() == '"' && name.back() == '"') name = name.substr(1, name.size() - 2);
  if (name.empty()) {
    report("dpu-asm-argument", statement.mnemonic.column, "the section name is missing", ".section .data.NAME,\"aw\"");
    return;
  }
  SectionName next{std::string(name), true, false};
  next.isNoBits = name == ".bss" || name.starts_with(".bss.");
  if (statement.operands.size() > 1) {
    const Result<std::string> flags = readString(statement.operands[1], place());
    if (!flags) {
      report(flags.diagnostics());
      return;
    }
    next.isAllocated = flags->find('a') != std::string::npos;
    next.isRetained = flags->find('R') != std::string::npos;
  } else {
    next.isAllocated = memoryOf(name, false) != Memory::kNone || name.starts_with(".data") || next.isNoBits ||
                       name.starts_with(".rodata") || name.starts_with(".dpu_host");
  }
  if (statement.operands.size() > 2) next.isNoBits = statement.operands[2].text == "@nobits";
  previous_ = here_;
  here_ = next;
  enterSection(here_);
}

// Symbols.

bool AssemblerState::takeSymbolDirective(std::string_view name, const Statement &statement) {
  const bool isGlobal = name == ".globl" || name == ".global";
  if (isGlobal || name == ".weak" || name == ".local") {
    for (const Piece &symbol : statement.operands) {
      if (!isSymbolName(symbol)) continue;
      object_.symbols[symbolIndex(symbol.text)].binding = isGlobal          ? Binding::kGlobal
                                                          : name == ".weak" ? Binding::kWeak
                                                                            : Binding::kLocal;
    }
    return true;
  }
  if (name == ".type") {
    if (!hasOperands(statement, 2, 2) || !isSymbolName(statement.operands[0])) return true;
    std::string_view kind = statement.operands[1].text;
    if (!kind.empty()) kind.remove_prefix(1);  // @, % or #
    SymbolKind &into = object_.symbols[symbolIndex(statement.operands[0].text)].kind;
    if (kind == "function") into = SymbolKind::kFunction;
    if (kind == "object") into = SymbolKind::kObject;
    return true;
  }
  if (name == ".size") {
    if (!hasOperands(statement, 2, 2) || !isSymbolName(statement.operands[0])) return true;
    const Result<Expression> size = expression(statement.operands[1]);
    if (!size) return report(size.diagnostics()), true;
    assignments_.push_back({symbolIndex(statement.operands[0].text), *size, line_, statement.operands[1].column,
                            section_, current().length(), true});
    return true;
  }
  if (name == ".set" || name == ".equ") {
    if (hasOperands(statement, 2, 2)) setSymbol(statement.operands[0], statement.operands[1]);
    return true;
  }
  if (name == ".comm" || name == ".lcomm") {
    declareCommon(statement, name == ".lcomm");
    return true;
  }
  return false;
}

void AssemblerState::declareCommon(const Statement &statement, bool isLocal) {
  std::int64_t size = 0, alignment = 8;
  if (!hasOperands(statement, 2, 3) || !isSymbolName(statement.operands[0])) return;
  if (!number(statement, 1, 0, 64 << 20, size)) return;
  if (statement.operands.size() > 2 && !number(statement, 2, 1, 4096, alignment)) return;
  Symbol &symbol = object_.symbols[symbolIndex(statement.operands[0].text)];
  if (symbol.section != Symbol::kUndefined) {
    report("dpu-asm-defined-twice", statement.operands[0].column, fmt::format("'{}' is already defined", symbol.name),
           "rename one of them");
    return;
  }
  symbol.section = Symbol::kCommon;
  symbol.value = std::bit_ceil(static_cast<std::uint32_t>(alignment));
  symbol.size = static_cast<std::uint32_t>(size);
  symbol.kind = SymbolKind::kObject;
  if (!isLocal && symbol.binding == Binding::kLocal) symbol.binding = Binding::kGlobal;
}

// Data.

bool AssemblerState::takeDataDirective(std::string_view name, const Statement &statement) {
  for (const DataWidth &width : kWidths) {
    if (name == width.name) return emitNumbers(statement, width.bytes), true;
  }
  if (name == ".ascii" || name == ".asciz" || name == ".string") return emitText(statement, name != ".ascii"), true;
  if (name == ".zero" || name == ".space" || name == ".skip") return emitZeros(statement, false), true;
  if (name == ".fill") return emitZeros(statement, true), true;
  if (name == ".p2align" || name == ".align") return align(statement, true), true;
  if (name == ".balign") return align(statement, false), true;
  return false;
}

bool AssemblerState::emitByte(std::uint8_t byte, std::uint64_t count, int column) {
  Section &section = current();
  if (!hasRoom(count, column)) return false;
  if (section.isNoBits) {
    if (byte != 0) {
      return report("dpu-asm-place", column, fmt::format("data in section '{}', which holds no data", section.name),
                    ".bss, .atomic and @nobits sections accept only .zero");
    }
    section.size += static_cast<std::uint32_t>(count);
  } else {
    section.bytes.insert(section.bytes.end(), count, byte);
  }
  return true;
}

void AssemblerState::align(const Statement &statement, bool isPower) {
  std::int64_t value = 0;
  if (!hasOperands(statement, 1, 3) || !number(statement, 0, 0, isPower ? 12 : 4096, value)) return;
  const std::uint32_t alignment =
      isPower ? 1u << value : std::bit_ceil(std::max(1u, static_cast<std::uint32_t>(value)));
  Section &section = current();
  section.alignment = std::max(section.alignment, alignment);
  const std::uint32_t over = section.length() % alignment;
  if (over == 0) return;
  const std::uint32_t gap = alignment - over;
  if (section.memory != Memory::kIram) {
    emitByte(0, gap, statement.mnemonic.column);
    return;
  }
  // Code is filled with nop.
  const std::uint64_t nop = *encode(Instruction{});
  for (std::uint32_t i = 0; i < gap; ++i) {
    const auto byte = static_cast<std::uint8_t>(nop >> (8 * (section.length() % 8)));
    emitByte(byte, 1, statement.mnemonic.column);
  }
}

void AssemblerState::emitZeros(const Statement &statement, bool isFill) {
  // .zero COUNT, BYTE; .fill COUNT, SIZE, VALUE of which only repeated bytes make sense here.
  std::int64_t count = 0, size = 1, value = 0;
  if (!hasOperands(statement, 1, isFill ? 3 : 2) || !number(statement, 0, 0, std::int64_t{1} << 40, count)) return;
  if (isFill && statement.operands.size() > 1 && !number(statement, 1, 1, 8, size)) return;
  const std::size_t last = isFill ? 2 : 1;
  if (statement.operands.size() > last && !number(statement, last, -128, size == 1 ? 255 : 0, value)) return;
  emitByte(static_cast<std::uint8_t>(value), static_cast<std::uint64_t>(count * size), statement.mnemonic.column);
}

void AssemblerState::emitText(const Statement &statement, bool isTerminated) {
  for (const Piece &operand : statement.operands) {
    const Result<std::string> text = readString(operand, place());
    if (!text) {
      report(text.diagnostics());
      return;
    }
    for (const char c : *text) {
      if (!emitByte(static_cast<std::uint8_t>(c), 1, operand.column)) return;
    }
    if (isTerminated) emitByte(0, 1, operand.column);
  }
}

void AssemblerState::emitNumbers(const Statement &statement, int bytes) {
  for (const Piece &operand : statement.operands) {
    const Result<Expression> read = expression(operand);
    if (!read) {
      report(read.diagnostics());
      return;
    }
    const bool isZero = read->terms.empty() && read->number == 0;
    if (current().isNoBits && !isZero) {
      emitByte(1, 0, operand.column);  // says why not
      return;
    }
    const std::uint32_t offset = current().length();
    if (!emitByte(0, static_cast<std::uint64_t>(bytes), operand.column)) return;
    if (!isZero) fixups_.push_back({section_, offset, nullptr, bytes, *read, line_, operand.column});
  }
}

// Lines.

bool AssemblerState::takeLineDirective(std::string_view name, const Statement &statement) {
  if (name != ".file" && name != ".loc") return false;
  const std::vector<Piece> parts = words(statement.rest);
  const std::int64_t first = parts.empty() ? -1 : parseInteger(parts[0].text).value_or(-1);
  auto wrong = [&](std::string_view expected) {
    report("dpu-asm-argument", statement.mnemonic.column,
           fmt::format("cannot read '{} {}'", statement.mnemonic.text, statement.rest.text),
           fmt::format("expected {}", expected));
    return true;
  };
  if (name == ".file") {
    if (first < 0) return true;  // .file "name": the unit's own name
    std::string path;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      if (parts[i].text.front() != '"') break;  // md5 and source
      const Result<std::string> part = readString(parts[i], place());
      if (!part) return report(part.diagnostics()), true;
      // "." says as much as nothing: names stay as the compiler was given them.
      path = path.empty() || path == "." || part->starts_with('/') ? *part : path + "/" + *part;
    }
    if (path.empty()) return wrong(".file NUMBER \"DIRECTORY\" \"NAME\"");
    fileNumbers_[first] = static_cast<std::int32_t>(object_.files.size());
    object_.files.push_back(path);
    return true;
  }
  const std::int64_t line = parts.size() < 2 ? -1 : parseInteger(parts[1].text).value_or(-1);
  if (line < 0 || line > INT32_MAX || !fileNumbers_.contains(first)) {
    return wrong(".loc FILE LINE COLUMN with a file number defined by .file");
  }
  locFile_ = fileNumbers_[first];
  locLine_ = static_cast<std::int32_t>(line);
  return true;
}

}  // namespace pimento::dpu
