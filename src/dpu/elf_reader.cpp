#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "pimento/dpu/dwarf_lines.h"
#include "pimento/dpu/elf.h"
#include "pimento/dpu/elf_format.h"
#include "pimento/dpu/field.h"
#include "pimento/dpu/linker.h"

namespace pimento::dpu {

namespace {

using program::kAtomicBase;
using program::kIramBase;
using program::kMramBase;

struct SectionHeader {
  std::string name;
  std::uint32_t type = 0, flags = 0, address = 0, offset = 0, size = 0, link = 0, info = 0, alignment = 0;
};

struct ElfSymbol {
  std::string name;
  std::uint32_t value = 0, size = 0;
  std::uint8_t binding = 0, type = 0;
  std::uint16_t section = 0;
};

class ElfReader {
 public:
  ElfReader(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}

  Result<Object> readObject();
  Result<program::Code> readExecutable(std::int64_t tasklets);

 private:
  // All of these return false, with the diagnostic in `problem_`, where the file makes no sense.
  bool readHeader(std::uint16_t type);
  bool readSections();
  bool readSymbols();
  bool addSections(Object &object);
  bool addSymbols(Object &object);
  bool addRelocations(Object &object, const SectionHeader &header);
  bool readSegments(program::Code &code);
  bool addCode(program::Code &code, std::uint32_t address, std::string_view content);
  bool addLines(Object &object, program::Code *code);
  const SectionHeader *sectionNamed(std::string_view name) const;
  DwarfLines dwarfLines(std::string_view table) const;
  void addDwarf(Object &object) const;
  void addDwarf(program::Code &code) const;
  void addCodeSymbols(program::Code &code);
  void settle(program::Code &code, std::int64_t tasklets);

  bool fail(std::string code, std::string message, std::string hint);
  bool truncated(std::string_view what);
  bool isInside(std::uint64_t offset, std::uint64_t size) const { return offset + size <= bytes_.size(); }
  std::uint32_t number(std::uint64_t offset, int bytes) const;
  std::uint32_t word(std::uint64_t offset) const { return number(offset, 4); }
  std::uint16_t half(std::uint64_t offset) const { return static_cast<std::uint16_t>(number(offset, 2)); }
  std::string_view content(const SectionHeader &section) const;
  /// The string at `offset` of a string table; empty where there is none.
  std::string string(std::string_view table, std::uint32_t offset) const;

  std::string_view bytes_;
  std::string file_;
  std::vector<SectionHeader> sections_;
  std::vector<ElfSymbol> symbols_;
  std::vector<std::int32_t> places_;  ///< of ELF sections in the object; -1: not loaded
  std::uint64_t wramEnd_ = 0, mramEnd_ = 0;
  std::optional<Diagnostic> problem_;
};

bool ElfReader::fail(std::string code, std::string message, std::string hint) {
  problem_ = error(std::move(code), {file_}, std::move(message), std::move(hint));
  return false;
}

bool ElfReader::truncated(std::string_view what) {
  return fail("dpu-elf-truncated", fmt::format("{} reach past the end of the file ({} bytes)", what, bytes_.size()),
              "the file was cut off or damaged; get it again");
}

std::uint32_t ElfReader::number(std::uint64_t offset, int bytes) const {
  std::uint32_t value = 0;
  if (!isInside(offset, static_cast<std::uint64_t>(bytes))) return 0;
  for (int i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<std::uint8_t>(bytes_[offset + static_cast<std::uint64_t>(i)]);
  }
  return value;
}

std::string_view ElfReader::content(const SectionHeader &section) const {
  if (section.type == elf::kNobits || !isInside(section.offset, section.size)) return {};
  return bytes_.substr(section.offset, section.size);
}

std::string ElfReader::string(std::string_view table, std::uint32_t offset) const {
  if (offset >= table.size()) return {};
  return std::string(table.substr(offset, std::min(table.find('\0', offset), table.size()) - offset));
}

bool ElfReader::readHeader(std::uint16_t type) {
  if (bytes_.size() < elf::kHeaderSize) return truncated("the headers");
  if (!bytes_.starts_with(elf::kMagic)) {
    return fail("dpu-elf-header", "this is no 32-bit little-endian ELF file", "DPU files are ELF32, little endian");
  }
  if (half(18) != elf::kMachine) {
    return fail("dpu-elf-header", fmt::format("an ELF file for machine {}", half(18)),
                fmt::format("DPU files have machine {}", elf::kMachine));
  }
  if (half(16) != type) {
    return fail("dpu-elf-header", fmt::format("an ELF file of type {}", half(16)),
                fmt::format("type {} is read here ({})", type,
                            type == elf::kRelocatable ? "relocatable object" : "executable"));
  }
  return readSections() && readSymbols();
}

bool ElfReader::readSections() {
  const std::uint32_t table = word(32), count = half(48);
  if (table == 0 || count == 0) return true;
  if (half(46) < elf::kSectionSize) {
    return fail("dpu-elf-header", fmt::format("section headers of {} bytes", half(46)),
                fmt::format("ELF32 section headers have {} bytes", elf::kSectionSize));
  }
  if (!isInside(table, std::uint64_t{count} * half(46))) return truncated("the section headers");
  std::vector<std::uint32_t> names;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * half(46);
    names.push_back(word(at));
    SectionHeader s;
    s.type = word(at + 4);
    s.flags = word(at + 8);
    s.address = word(at + 12);
    s.offset = word(at + 16);
    s.size = word(at + 20);
    s.link = word(at + 24);
    s.info = word(at + 28);
    s.alignment = word(at + 32);
    if (s.type != 0 && s.type != elf::kNobits && !isInside(s.offset, s.size)) {
      return truncated(fmt::format("the contents of section {}", i));
    }
    sections_.push_back(std::move(s));
  }
  if (half(50) < sections_.size()) {
    const std::string_view table = content(sections_[half(50)]);
    for (std::size_t i = 0; i < sections_.size(); ++i) sections_[i].name = string(table, names[i]);
  }
  return true;
}

bool ElfReader::readSymbols() {
  for (const SectionHeader &section : sections_) {
    if (section.type != elf::kSymtab) continue;
    if (section.link >= sections_.size()) {
      return fail("dpu-elf-symbol", "the symbol table names no string table", "the file is damaged; get it again");
    }
    const std::string_view names = content(sections_[section.link]);
    for (std::uint64_t at = section.offset; at + elf::kSymbolSize <= std::uint64_t{section.offset} + section.size;
         at += elf::kSymbolSize) {
      const std::uint32_t info = number(at + 12, 1);
      symbols_.push_back({string(names, word(at)), word(at + 4), word(at + 8), static_cast<std::uint8_t>(info >> 4),
                          static_cast<std::uint8_t>(info & 15), half(at + 14)});
    }
    return true;  // there is one
  }
  return true;
}

// Relocatable objects.

Result<Object> ElfReader::readObject() {
  Object object;
  object.file = file_;
  bool isGood = readHeader(elf::kRelocatable) && addSections(object) && addSymbols(object);
  for (std::size_t i = 0; isGood && i < sections_.size(); ++i) {
    const SectionHeader &section = sections_[i];
    if (section.type == elf::kRela || section.type == elf::kRel) isGood = addRelocations(object, section);
  }
  if (!isGood || !addLines(object, nullptr)) return *problem_;
  if (!sectionNamed(elf::kLinesSection)) addDwarf(object);
  return object;
}

bool ElfReader::addSections(Object &object) {
  constexpr std::uint32_t kLargestAlignment = 4096;
  places_.assign(sections_.size(), -1);
  for (std::size_t i = 0; i < sections_.size(); ++i) {
    const SectionHeader &header = sections_[i];
    if (header.type == 0 || header.type == elf::kSymtab || header.type == elf::kStrtab || header.type == elf::kRela ||
        header.type == elf::kRel || !(header.flags & elf::kAlloc)) {
      continue;
    }
    const std::uint32_t alignment = std::max(1u, header.alignment);
    if (!std::has_single_bit(alignment) || alignment > kLargestAlignment) {
      return fail("dpu-elf-section", fmt::format("section '{}' is aligned to {} bytes", header.name, alignment),
                  fmt::format("alignments are powers of two up to {}", kLargestAlignment));
    }
    Section section;
    section.name = header.name;
    section.memory = memoryOf(header.name, true);
    section.isNoBits = header.type == elf::kNobits;
    section.alignment = alignment;
    if (section.memory == Memory::kIram && (section.isNoBits || header.size % 8)) {
      return fail("dpu-elf-section", fmt::format("code section '{}' of {} bytes", header.name, header.size),
                  "an instruction has 8 bytes in the file");
    }
    if (section.isNoBits) {
      section.size = header.size;
    } else {
      const std::string_view bytes = content(header);
      section.bytes.assign(bytes.begin(), bytes.end());
    }
    places_[i] = static_cast<std::int32_t>(object.sections.size());
    object.sections.push_back(std::move(section));
  }
  return true;
}

bool ElfReader::addSymbols(Object &object) {
  for (std::size_t i = 1; i < symbols_.size(); ++i) {
    const ElfSymbol &from = symbols_[i];
    Symbol symbol;
    symbol.name = from.type == elf::kFile ? "" : from.name;
    symbol.value = from.value;
    symbol.size = from.size;
    symbol.binding = from.binding == elf::kWeak    ? Binding::kWeak
                     : from.binding == elf::kLocal ? Binding::kLocal
                                                   : Binding::kGlobal;
    symbol.kind = from.type == elf::kFunctionType ? SymbolKind::kFunction
                  : from.type == elf::kObjectType ? SymbolKind::kObject
                                                  : SymbolKind::kNone;
    if (from.section == elf::kAbsolute) {
      symbol.section = Symbol::kAbsolute;
    } else if (from.section == elf::kCommon) {
      symbol.section = Symbol::kCommon;
      if (!std::has_single_bit(std::max(1u, symbol.value)) || symbol.value > 4096) {
        return fail("dpu-elf-symbol", fmt::format("common symbol '{}' is aligned to {}", symbol.name, symbol.value),
                    "alignments are powers of two up to 4096");
      }
    } else if (from.section != elf::kUndefined) {
      if (from.section >= sections_.size()) {
        return fail("dpu-elf-symbol", fmt::format("symbol '{}' stands in section {}", from.name, from.section),
                    fmt::format("the file has {} sections", sections_.size()));
      }
      symbol.section = places_[from.section] >= 0 ? places_[from.section] : Symbol::kUndefined;
    }
    object.symbols.push_back(std::move(symbol));
  }
  return true;
}

bool ElfReader::addRelocations(Object &object, const SectionHeader &header) {
  if (header.info >= places_.size() || places_[header.info] < 0) return true;  // of debug information
  Section &section = object.sections[static_cast<std::size_t>(places_[header.info])];
  if (header.type == elf::kRel) {
    return fail("dpu-elf-relocation", fmt::format("section '{}' has relocations without addends", section.name),
                "DPU files use RELA");
  }
  for (std::uint64_t at = header.offset; at + elf::kRelaSize <= std::uint64_t{header.offset} + header.size;
       at += elf::kRelaSize) {
    const std::uint32_t info = word(at + 4), symbol = info >> 8;
    if (symbol >= symbols_.size()) {
      return fail("dpu-elf-relocation", fmt::format("a relocation of '{}' uses symbol {}", section.name, symbol),
                  fmt::format("the file has {} symbols", symbols_.size()));
    }
    if ((info & 0xff) == 0) continue;
    if (symbol == 0) {
      return fail("dpu-elf-relocation", fmt::format("a relocation of '{}' has no symbol", section.name),
                  "the file is damaged; get it again");
    }
    section.relocations.push_back(
        {word(at), static_cast<std::uint8_t>(info), symbol - 1, static_cast<std::int32_t>(word(at + 8)), 0});
  }
  return true;
}

// Executables.

Result<program::Code> ElfReader::readExecutable(std::int64_t tasklets) {
  program::Code code;
  if (!readHeader(elf::kExecutable) || !readSegments(code)) return *problem_;
  addCodeSymbols(code);
  settle(code, tasklets);
  Object lines;
  if (!addLines(lines, &code)) return *problem_;
  if (!sectionNamed(elf::kLinesSection)) addDwarf(code);
  return code;
}

bool ElfReader::readSegments(program::Code &code) {
  const std::uint32_t table = word(28), count = half(44), size = half(42);
  if (count > 0 && size < elf::kSegmentSize) {
    return fail("dpu-elf-header", fmt::format("program headers of {} bytes", size),
                fmt::format("ELF32 program headers have {} bytes", elf::kSegmentSize));
  }
  if (!isInside(table, std::uint64_t{count} * size)) return truncated("the program headers");
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t at = table + std::uint64_t{i} * size;
    const std::uint32_t offset = word(at + 4), address = word(at + 8), inFile = word(at + 16), inMemory = word(at + 20);
    if (word(at) != elf::kLoad || address >= kAtomicBase) continue;
    if (!isInside(offset, inFile)) return truncated(fmt::format("the contents of segment {}", i));
    const std::uint64_t end = std::uint64_t{address} + std::max(inFile, inMemory);
    const std::uint64_t limit = address >= kIramBase ? kAtomicBase : address >= kMramBase ? kIramBase : kMramBase;
    if (end > limit) {
      return fail("dpu-elf-segment", fmt::format("segment {} at 0x{:x} has {} bytes", i, address, end - address),
                  "WRAM begins at 0, MRAM at 0x08000000, IRAM at 0x80000000; a segment lies in one of them");
    }
    const std::string_view bytes = bytes_.substr(offset, inFile);
    if (address >= kIramBase) {
      if (!addCode(code, address, bytes)) return false;
      continue;
    }
    std::uint64_t &used = address >= kMramBase ? mramEnd_ : wramEnd_;
    used = std::max(used, address >= kMramBase ? end - kMramBase : end);
    if (!bytes.empty()) code.segments.push_back({address, {bytes.begin(), bytes.end()}});
  }
  if (code.instructions.empty()) {
    return fail("dpu-elf-segment", "no segment holds instructions", "code is loaded at 0x80000000");
  }
  const std::uint32_t entry = word(24);
  code.entry = entry >= kIramBase ? (entry - kIramBase) / 8 : 0;
  if (code.entry >= code.instructions.size()) {
    return fail("dpu-elf-segment", fmt::format("the program begins at 0x{:x}, where there is no instruction", entry),
                "programs begin at 0x80000000");
  }
  return true;
}

bool ElfReader::addCode(program::Code &code, std::uint32_t address, std::string_view content) {
  constexpr std::size_t kMostInstructions = 1 << 16;  // a branch target has 16 bits
  const std::size_t first = (address - kIramBase) / 8, count = content.size() / 8;
  if (address % 8 || content.size() % 8 || first + count > kMostInstructions) {
    return fail("dpu-elf-segment", fmt::format("{} bytes of code at 0x{:x}", content.size(), address),
                fmt::format("an instruction has 8 bytes; there are at most {}", kMostInstructions));
  }
  code.instructions.resize(std::max(code.instructions.size(), first + count));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t value = 0;
    for (std::size_t byte = 8; byte-- > 0;) value = value << 8 | static_cast<std::uint8_t>(content[8 * i + byte]);
    code.instructions[first + i] = value;
  }
  return true;
}

void ElfReader::addCodeSymbols(program::Code &code) {
  for (const ElfSymbol &symbol : symbols_) {
    if (symbol.name.empty() || symbol.section == elf::kUndefined || symbol.type == elf::kSection ||
        symbol.type == elf::kFile) {
      continue;
    }
    code.symbols.push_back(
        {symbol.name, symbol.value, symbol.size, symbol.type == elf::kFunctionType, symbol.section == elf::kAbsolute});
  }
  std::stable_sort(code.symbols.begin(), code.symbols.end(),
                   [](const auto &a, const auto &b) { return a.name < b.name; });
}

void ElfReader::settle(program::Code &code, std::int64_t tasklets) {
  code.tasklets = tasklets;
  if (const auto *symbol = code.symbolNamed("NR_TASKLETS")) {
    if (symbol->address >= 1 && symbol->address <= kMostTasklets) code.tasklets = symbol->address;
  }
  for (const SectionHeader &section : sections_) {
    if (!(section.flags & elf::kAlloc) || section.address >= kIramBase) continue;
    const std::uint64_t end = std::uint64_t{section.address} + section.size;
    std::uint64_t &used = section.address >= kMramBase ? mramEnd_ : wramEnd_;
    if (section.address >= kMramBase && end <= kIramBase) used = std::max(used, end - kMramBase);
    if (section.address < kMramBase && end <= kMramBase) used = std::max(used, end);
  }
  code.wramUsed = static_cast<std::uint32_t>(wramEnd_);
  code.mramUsed = static_cast<std::uint32_t>(mramEnd_);
  for (const char *name : {"__sys_heap_pointer_reset", "__heap_start"}) {
    const auto *symbol = code.symbolNamed(name);
    if (symbol && symbol->address < kMramBase) code.wramUsed = symbol->address;
  }
  if (const auto *symbol = code.symbolNamed("__sys_used_mram_end"); symbol && symbol->address < kIramBase) {
    code.mramUsed = symbol->address & ~kMramBase;
  }
}

// Lines.

const SectionHeader *ElfReader::sectionNamed(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(), [&](const SectionHeader &s) {
    return s.name == name && s.type == elf::kProgbits && !(s.flags & elf::kAlloc);
  });
  return found == sections_.end() ? nullptr : &*found;
}

DwarfLines ElfReader::dwarfLines(std::string_view table) const {
  auto contentOf = [&](std::string_view name) {
    const SectionHeader *section = sectionNamed(name);
    return section ? content(*section) : std::string_view();
  };
  return readDwarfLines(table, contentOf(".debug_line_str"), contentOf(".debug_str"));
}

void ElfReader::addDwarf(program::Code &code) const {
  const SectionHeader *section = sectionNamed(".debug_line");
  if (!section) return;
  DwarfLines lines = dwarfLines(content(*section));
  if (lines.rows.empty()) return;
  code.files = std::move(lines.files);
  std::size_t next = 0;
  program::Code::Line line;
  for (std::size_t i = 0; i < code.instructions.size(); ++i) {
    const std::uint32_t address = kIramBase + 8 * static_cast<std::uint32_t>(i);
    for (; next < lines.rows.size() && lines.rows[next].address <= address; ++next) {
      line = {lines.rows[next].file, lines.rows[next].line};
    }
    code.lines.push_back(line);
  }
}

void ElfReader::addDwarf(Object &object) const {
  const SectionHeader *section = sectionNamed(".debug_line");
  if (!section) return;
  // Sections have no addresses yet: every one gets a 16 MiB room of its own.
  constexpr unsigned kRoomBits = 24;
  std::string table(content(*section));
  for (const SectionHeader &rela : sections_) {
    if (rela.type != elf::kRela || rela.info != static_cast<std::uint32_t>(section - sections_.data())) continue;
    for (std::uint64_t at = rela.offset; at + elf::kRelaSize <= std::uint64_t{rela.offset} + rela.size;
         at += elf::kRelaSize) {
      const std::uint32_t offset = word(at), info = word(at + 4), symbol = info >> 8;
      if ((info & 0xff) != kRelocate32 || symbol >= symbols_.size() || std::uint64_t{offset} + 4 > table.size())
        continue;
      const std::uint16_t home = symbols_[symbol].section;
      if (home >= places_.size() || places_[home] < 0 || places_[home] > 126) continue;
      const std::uint32_t value =
          (static_cast<std::uint32_t>(places_[home] + 1) << kRoomBits) + symbols_[symbol].value + word(at + 8);
      for (std::uint32_t i = 0; i < 4; ++i) table[offset + i] = static_cast<char>(value >> (8 * i));
    }
  }
  DwarfLines lines = dwarfLines(table);
  const auto shift = static_cast<std::int32_t>(object.files.size());
  object.files.insert(object.files.end(), lines.files.begin(), lines.files.end());
  for (const DwarfLines::Row &row : lines.rows) {
    const std::uint32_t room = row.address >> kRoomBits;
    if (room == 0 || room > object.sections.size()) continue;
    object.sections[room - 1].lines.push_back(
        {row.address & ((1u << kRoomBits) - 1), row.file < 0 ? -1 : row.file + shift, row.line});
  }
}

bool ElfReader::addLines(Object &object, program::Code *code) {
  for (const SectionHeader &header : sections_) {
    if (header.name != elf::kLinesSection || header.type != elf::kProgbits || (header.flags & elf::kAlloc)) continue;
    std::uint64_t at = header.offset;
    const std::uint64_t end = std::uint64_t{header.offset} + header.size;
    auto damaged = [&] {
      return fail("dpu-elf-lines", fmt::format("section '{}' is damaged", header.name),
                  "get the file again, or strip the section: only lines in messages depend on it");
    };
    auto next = [&]() -> std::uint32_t {
      at += 4;
      return at <= end ? word(at - 4) : 0;
    };
    for (std::uint32_t files = next(); files > 0; --files) {
      const std::uint32_t length = next();
      if (at > end || length > end - at) return damaged();
      object.files.emplace_back(bytes_.substr(at, length));
      at += length;
    }
    for (std::uint32_t tables = next(); tables > 0; --tables) {
      const std::uint32_t section = next(), count = next();
      const bool isKnown = code || (section < places_.size() && places_[section] >= 0);
      if (at > end || count > (end - at) / 12 || !isKnown) return damaged();
      std::vector<SectionLine> lines(count);
      for (SectionLine &line : lines) {
        line.offset = next();
        line.file = static_cast<std::int32_t>(next());
        line.line = static_cast<std::int32_t>(next());
        if (line.file >= static_cast<std::int64_t>(object.files.size())) return damaged();
      }
      if (!std::is_sorted(lines.begin(), lines.end(),
                          [](const SectionLine &a, const SectionLine &b) { return a.offset < b.offset; })) {
        return damaged();
      }
      if (!code) {
        object.sections[static_cast<std::size_t>(places_[section])].lines = std::move(lines);
        continue;
      }
      code->files = object.files;
      code->lines.assign(code->instructions.size(), {});
      std::size_t k = 0;
      program::Code::Line line;
      for (std::size_t i = 0; i < code->lines.size(); ++i) {
        for (; k < lines.size() && lines[k].offset <= 8 * i; ++k) line = {lines[k].file, lines[k].line};
        code->lines[i] = line;
      }
    }
    if (at > end) return damaged();
  }
  return true;
}

}  // namespace

ElfKind elfKind(std::string_view bytes) {
  if (!bytes.starts_with(elf::kMagic.substr(0, 4))) return ElfKind::kNone;
  const bool isRelocatable = bytes.size() > 17 && bytes[16] == elf::kRelocatable && bytes[17] == 0;
  return isRelocatable ? ElfKind::kRelocatable : ElfKind::kExecutable;
}

Result<Object> readObject(std::string_view bytes, std::string_view file) {
  return ElfReader(bytes, file).readObject();
}

Result<program::Code> readExecutable(std::string_view bytes, std::string_view file, std::int64_t tasklets) {
  return ElfReader(bytes, file).readExecutable(tasklets);
}

}  // namespace pimento::dpu
